//! The words of dates, of many languages at once: feeds seldom say which is theirs.
//!
//! Words are folded as tokens are. A word that is one month here and another there is left out:
//! `listopad` (Poland's and Czechia's November, Croatia's October), and so `lis`, `lip`, `srp`.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

/// The month of a name or its short form, from 1.
pub(super) fn month(word: &str) -> Option<i8> {
    /// The lists are long, and feeds have a date for each item.
    static BY_NAME: LazyLock<BTreeMap<&str, i8>> = LazyLock::new(|| {
        let numbered = (1..).zip(MONTHS);
        numbered
            .flat_map(|(number, names)| names.split(' ').map(move |name| (name, number)))
            .collect()
    });

    BY_NAME.get(word).copied()
}

const MONTHS: [&str; 12] = [
    "jan january januar janner jaenner janv janvier ene enero janeiro gen gennaio gener \
     januari янв январь января січ січень січня sty styczen stycznia oca ocak led leden \
     ledna ιαν ιανουαριοσ ιανουαριου tammi tammik tammikuu tammikuuta ian ianuarie",
    "feb february februar febr fev fevr fevrier febrero fevereiro febbraio februari фев \
     февр февраль февраля лют лютий лютого lut luty lutego sub subat uno unor unora φεβ \
     φεβρουαριοσ φεβρουαριου helmi helmik helmikuu helmikuuta pebruari februarie",
    "mar march marz maerz mrz mars marzo marco maart mrt marts мар март марта бер \
     березень березня marzec marca mart bre brezen brezna marc marcius μαρ μαρτιοσ \
     μαρτιου maalis maalisk maaliskuu maaliskuuta maret martie",
    "apr april avr avril abr abril aprile апр апрель апреля квіт квітень квітня kwi \
     kwiecien kwietnia nis nisan dub duben dubna aprilis απρ απριλιοσ απριλιου huhti \
     huhtik huhtikuu huhtikuuta aprilie",
    "may mai mayo maio mag maggio mei maj maja май мая трав травень травня mayis kve \
     kveten kvetna majus μαι μαιοσ μαιου touko toukok toukokuu toukokuuta",
    "jun june juni juin junio junho giu giugno июн июнь июня черв червень червня cze \
     czerwiec czerwca haz haziran cvn cerven cervna junius ιουν ιουνιοσ ιουνιου kesa \
     kesak kesakuu kesakuuta iun iunie",
    "jul july juli juil juillet julio julho lug luglio июл июль июля липень липня lipiec \
     lipca tem temmuz cvc cervenec cervence julius ιουλ ιουλιοσ ιουλιου heina heinak \
     heinakuu heinakuuta iul iulie",
    "aug august aout ago agosto augustus augusti авг август августа серп серпень серпня \
     sie sierpien sierpnia agu agt agustos srpen srpna augusztus αυγ αυγουστοσ αυγουστου \
     elo elok elokuu elokuuta agustus",
    "sep sept september septembre septiembre setiembre set setembro settembre сен сент \
     сентябрь сентября вер верес вересень вересня wrz wrzesien wrzesnia eyl eylul zar \
     zari szept szeptember σεπ σεπτ σεπτεμβριοσ σεπτεμβριου syys syysk syyskuu syyskuuta \
     septembrie",
    "oct october okt oktober octobre octubre out outubro ott ottobre окт октябрь октября \
     жовт жовтень жовтня paź październik października pazdziernik pazdziernika eki ekim \
     rij rijen rijna οκτ οκτωβριοσ οκτωβριου loka lokak lokakuu lokakuuta octombrie",
    "nov november novembre noviembre novembro ноя нояб ноябрь ноября лист листопад \
     листопада kas kasim listopadu νοε νοεμ νοεμβριοσ νοεμβριου marras marrask marraskuu \
     marraskuuta nop nopember noi noiembrie",
    "dec december dez dezember decembre dic diciembre dezembro dicembre des desember дек \
     декабрь декабря груд грудень грудня gru grudzien grudnia ara aralik pro prosinec \
     prosince δεκ δεκεμβριοσ δεκεμβριου joulu jouluk joulukuu joulukuuta decembrie",
];

/// A month's number as China writes it, from 1 to 12.
pub(super) fn chinese_number(word: &str) -> Option<i8> {
    let numbers = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"];
    let before = numbers.iter().position(|number| *number == word)?;
    i8::try_from(before).ok()?.checked_add(1)
}

/// Whether the word is one of those in a list, which is a text to be short.
fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// A weekday's name or its short form. Which, does not matter: feeds have it wrong at times.
pub(super) fn is_weekday(word: &str) -> bool {
    static NAMES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| WEEKDAYS.split(' ').collect());

    NAMES.contains(word)
}

const WEEKDAYS: &str = "mon monday tue tues tuesday wed weds wednesday thu thur thurs thursday fri friday \
     sat saturday sun sunday montag dienstag mittwoch donnerstag freitag samstag \
     sonnabend sonntag mo di mi do fr sa so lundi mardi mercredi jeudi vendredi samedi \
     dimanche lun mar mer jeu ven sam dim lunes martes miercoles jueves viernes sabado \
     domingo mie jue vie sab dom segunda terca quarta quinta sexta seg ter qua qui sex \
     lunedi martedi mercoledi giovedi venerdi sabato domenica gio maandag dinsdag \
     woensdag donderdag vrijdag zaterdag zondag ma wo vr za zo понедельник вторник среда \
     четверг пятница суббота воскресенье пн вт ср чт пт сб вс poniedzialek wtorek sroda \
     czwartek piatek sobota niedziela pon wt sr czw pt sob niedz ndz pazartesi sali \
     carsamba persembe cuma cumartesi pazar pzt sal car per cum cmt paz mandag mandagen \
     tisdag tirsdag onsdag torsdag fredag lordag sondag man tis tir ons tor tors fre lor \
     son pondeli utery streda ctvrtek patek nedele po st ct pa ne δευτερα τριτη τεταρτη \
     πεμπτη παρασκευη σαββατο κυριακη δευ τρι τετ πεμ παρ σαβ κυρ hetfo kedd szerda \
     csutortok pentek szombat vasarnap maanantai tiistai keskiviikko torstai perjantai \
     lauantai sunnuntai maanantaina tiistaina keskiviikkona torstaina perjantaina \
     lauantaina sunnuntaina ti ke to pe la su senin selasa rabu kamis jumat sabtu minggu \
     sen sel rab kam jum";

/// A word that says nothing more.
pub(super) fn is_filler(word: &str) -> bool {
    const WORDS: &str =
        "at of the on de del um uhr a as las kl klo om alle ore г года в godz le el den";

    has(WORDS, word)
}

/// What stands right after a day's number: `6th`, `1er`.
pub(super) fn is_ordinal(word: &str) -> bool {
    matches!(word, "st" | "nd" | "rd" | "th" | "er" | "º" | "ª")
}

/// Half of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meridiem {
    Before {
        /// Its twelfth hour is midnight's, without doubt.
        noon_is_12: bool,
    },
    After,
}

/// Of the words that may follow a time.
pub(super) fn meridiem(word: &str) -> Option<Meridiem> {
    match word {
        "am" | "πμ" => Some(Meridiem::Before { noon_is_12: true }),
        "pm" | "μμ" => Some(Meridiem::After),
        _ => None,
    }
}

/// Of the words that come before a time.
pub(super) fn meridiem_before(word: &str) -> Option<Meridiem> {
    match word {
        "上午" | "午前" => Some(Meridiem::Before { noon_is_12: false }),
        "오전" => Some(Meridiem::Before { noon_is_12: true }),
        "下午" | "午後" | "오후" => Some(Meridiem::After),
        _ => None,
    }
}

/// How far from UTC, in seconds to the east.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zone {
    Offset(i32),
    /// A name that RFC 822 fixes, and others use for something else.
    OfRfc822(i32),
}

impl Zone {
    pub(super) fn seconds(self) -> i32 {
        match self {
            Self::Offset(seconds) | Self::OfRfc822(seconds) => seconds,
        }
    }
}

/// A zone's name, if all the world means the same by it.
pub(super) fn zone(word: &str) -> Option<Zone> {
    let minutes = match word {
        "z" | "ut" | "utc" | "gmt" | "wet" => 0,
        "cst" => return Some(Zone::OfRfc822(-6 * 3600)),
        "cdt" => return Some(Zone::OfRfc822(-5 * 3600)),
        "hst" => -10 * 60,
        "akst" => -9 * 60,
        "pst" | "akdt" => -8 * 60,
        "mst" | "pdt" => -7 * 60,
        "mdt" => -6 * 60,
        "est" => -5 * 60,
        "edt" => -4 * 60,
        "brt" => -3 * 60,
        "west" | "cet" | "mez" | "met" => 60,
        "cest" | "mesz" | "mest" | "eet" | "sast" => 2 * 60,
        "eest" | "msk" | "мск" => 3 * 60,
        "pkt" => 5 * 60,
        "npt" => 5 * 60 + 45,
        "wib" | "ict" => 7 * 60,
        "hkt" | "sgt" | "awst" | "wita" => 8 * 60,
        "jst" | "kst" => 9 * 60,
        "acst" => 9 * 60 + 30,
        "acdt" => 10 * 60 + 30,
        "aest" => 10 * 60,
        "aedt" => 11 * 60,
        "nzst" => 12 * 60,
        "nzdt" => 13 * 60,
        _ => return None,
    };
    Some(Zone::Offset(minutes * 60))
}

/// Weekdays of China, Japan and Korea are taken out before there are tokens: their signs are also
/// those of months and days.
pub(super) fn without_east_asian_weekdays(line: &str) -> Cow<'_, str> {
    if line.is_ascii() {
        return line.into();
    }
    let mut line = Cow::Borrowed(line);
    let chinese = ["星期", "礼拜", "禮拜", "周", "週"]
        .into_iter()
        .flat_map(|week| "一二三四五六日天".chars().map(move |day| format!("{week}{day}")));
    let japanese = "月火水木金土日"
        .chars()
        .flat_map(|day| [format!("{day}曜日"), format!("({day})"), format!("（{day}）")]);
    let korean =
        "월화수목금토일".chars().flat_map(|day| [format!("{day}요일"), format!("({day})")]);
    for weekday in chinese.chain(japanese).chain(korean) {
        if line.contains(&weekday) {
            line = line.replace(&weekday, " ").into();
        }
    }
    line
}
