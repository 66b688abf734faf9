//! Spellings of dates, and the instants they mean.

use jiff::{Timestamp, civil, tz::Offset};
use proptest::prelude::*;

use super::{Date, read};

/// What is read, as RFC 3339; with `?` where the zone was assumed.
fn shown(text: &str) -> Option<String> {
    let Date { instant, zone_assumed } = read(text)?;
    Some(format!("{instant}{}", if zone_assumed { "?" } else { "" }))
}

fn check(table: &[(&str, Option<&str>)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|&(text, meant)| {
            let shown = shown(text);
            (shown.as_deref() != meant).then(|| format!("`{text}`: {shown:?}, not {meant:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const NOV_6: Option<&str> = Some("1994-11-06T08:49:37Z");
const NOV_6_ASSUMED: Option<&str> = Some("1994-11-06T08:49:37Z?");
const NOV_6_SHORT: Option<&str> = Some("1994-11-06T08:49:00Z");
const JAN_5: Option<&str> = Some("2024-01-05T00:00:00Z?");
const JAN_5_NOON: Option<&str> = Some("2024-01-05T12:00:00Z");
const JAN_5_NOON_ASSUMED: Option<&str> = Some("2024-01-05T12:00:00Z?");

#[test]
fn the_family_of_rfc_822_is_read_with_its_damage() {
    check(&[
        ("Sun, 06 Nov 1994 08:49:37 GMT", NOV_6),
        ("Sun, 06 Nov 1994 08:49:37 +0000", NOV_6),
        ("Sun, 06 Nov 1994 08:49:37 -0000", NOV_6),
        ("Sun, 06 Nov 1994 08:49:37 +00:00", NOV_6),
        ("Sun, 06 Nov 1994 08:49:37 +0", NOV_6),
        ("Sun, 06 Nov 1994 08:49:37 UT", NOV_6),
        ("Sun, 06 Nov 1994 08:49:37 Z", NOV_6),
        ("Sun, 06 Nov 94 08:49:37 GMT", NOV_6),
        ("Sunday, 06-Nov-94 08:49:37 GMT", NOV_6),
        ("Sun, 06-Nov-1994 08:49:37 GMT", NOV_6),
        ("06 Nov 1994 08:49:37 GMT", NOV_6),
        ("6 Nov 1994 8:49:37 GMT", NOV_6),
        ("Sun 06 Nov 1994 08:49:37 GMT", NOV_6),
        ("Sun,06 Nov 1994 08:49:37 GMT", NOV_6),
        ("  Sun ,  06   Nov 1994\n 08:49:37   GMT ", NOV_6),
        ("Sun., 06 Nov. 1994 08:49:37 GMT", NOV_6),
        ("Sunday, 6 November 1994 08:49:37 GMT", NOV_6),
        ("Mon, 06 Nov 1994 08:49:37 GMT", NOV_6),
        ("Foo, 06 Nov 1994 08:49:37 GMT", NOV_6),
        ("SUN, 06 NOV 1994 08:49:37 gmt", NOV_6),
        ("Sun, 06 Nov 1994 08:49:37GMT", NOV_6),
        ("Sun, 06 Nov 1994 08:49:37+0000", NOV_6),
        ("Sun, 06 Nov 1994 00:49:37 -0800 (PST)", NOV_6),
        ("Sun, 06 Nov 1994 00:49:37 (PST)", NOV_6),
        ("Sun, 06 Nov 1994 00:49:37 PST", NOV_6),
        ("Sun, 06 Nov 1994 02:49:37 CST", NOV_6),
        ("Sun, 06 Nov 1994 03:49:37 EST", NOV_6),
        ("Sun, 06 Nov 1994 03:49:37 EST-0500", NOV_6),
        ("Sun, 06 Nov 1994 10:49:37 GMT+2", NOV_6),
        ("Sun, 06 Nov 1994 10:49:37 GMT+02:00", NOV_6),
        ("Sun, 06 Nov 1994 10:49:37 UTC+2", NOV_6),
        ("Sun, 06 Nov 1994 14:19:37 +530", NOV_6),
        ("Sun, 06 Nov 1994 09:49:37 CET", NOV_6),
        ("Sun, 06 Nov 1994 17:49:37 JST", NOV_6),
        ("Sun, 06 Nov 1994 11:49:37 MSK", NOV_6),
        ("Sun, 06 Nov 1994 08:49:37", NOV_6_ASSUMED),
        ("Sun, 06 Nov 1994 08:49 GMT", NOV_6_SHORT),
        ("Nov 6, 1994 08:49 GMT", NOV_6_SHORT),
        ("November 6th, 1994 at 8:49 AM GMT", NOV_6_SHORT),
        ("Sun, 06 Nov 1994", Some("1994-11-06T00:00:00Z?")),
        ("Sun, 06 Nov 1994 24:00 GMT", Some("1994-11-07T00:00:00Z")),
        ("Thu, 05 Sept 2024 12:00:00 GMT", Some("2024-09-05T12:00:00Z")),
        ("Sat, 31 Dec 2016 23:59:60 GMT", Some("2016-12-31T23:59:59Z")),
        ("Fri, 05 Jan 2024 12:00:00.250 GMT", Some("2024-01-05T12:00:00.25Z")),
        ("Fri Jan 05 2024 13:00:00 GMT+0100 (Central European Standard Time)", JAN_5_NOON),
        ("Fri, 05 Jan 24 12:00:00 GMT", JAN_5_NOON),
        ("Thu, 01 Jan 1970 00:00:00 GMT", Some("1970-01-01T00:00:00Z")),
    ]);
}

#[test]
fn rfc_3339_and_iso_8601_are_read() {
    check(&[
        ("1994-11-06T08:49:37Z", NOV_6),
        ("1994-11-06T08:49:37+00:00", NOV_6),
        ("1994-11-06t08:49:37z", NOV_6),
        ("1994-11-06 08:49:37Z", NOV_6),
        ("1994-11-06T08:49:37+00:00Z", NOV_6),
        ("1994-11-06T10:49:37+02", NOV_6),
        ("1994-11-06T10:49:37+0200", NOV_6),
        ("1994-11-06T00:49:37−08:00", NOV_6),
        ("1994-11-06T09:49:37+01:00[Europe/Paris]", NOV_6),
        ("1994-11-06 16:49:37  +0800", NOV_6),
        ("1994-11-06 08:49:37 UTC", NOV_6),
        ("1994-11-06T08:49:37", NOV_6_ASSUMED),
        ("1994-11-06 08:49:37", NOV_6_ASSUMED),
        ("1994-11-06T08:49Z", NOV_6_SHORT),
        ("1994-11-06T08:49:37.5Z", Some("1994-11-06T08:49:37.5Z")),
        ("1994-11-06T08:49:37,5Z", Some("1994-11-06T08:49:37.5Z")),
        ("1994-11-06T08:49:37.1234567899999Z", Some("1994-11-06T08:49:37.123456789Z")),
        ("2024-01-05", JAN_5),
        ("2024-1-5", JAN_5),
        ("2024-01-05Z", Some("2024-01-05T00:00:00Z")),
        ("2024-01-05+08:00", Some("2024-01-04T16:00:00Z")),
        ("2024-01-05T24:00:00Z", Some("2024-01-06T00:00:00Z")),
        ("20240105T120000Z", JAN_5_NOON),
        ("20240105T1200+0000", JAN_5_NOON),
        ("20240105T120000.5Z", Some("2024-01-05T12:00:00.5Z")),
        ("20240105T12:00:00Z", JAN_5_NOON),
        ("20240105120000", JAN_5_NOON_ASSUMED),
        ("20240105", JAN_5),
        ("2024-W01-5T12:00:00Z", JAN_5_NOON),
        ("2024-005T12:00:00Z", JAN_5_NOON),
        ("1969-07-20T20:17:40Z", Some("1969-07-20T20:17:40Z")),
    ]);
}

#[test]
fn numbers_and_their_units_are_read_where_the_year_comes_first() {
    check(&[
        ("2024/01/05 12:00:00", JAN_5_NOON_ASSUMED),
        ("2024/1/5 12:00", JAN_5_NOON_ASSUMED),
        ("2024/1/5", JAN_5),
        ("2024.01.05", JAN_5),
        ("2024.01.05 12:00", JAN_5_NOON_ASSUMED),
        ("2024年1月5日", JAN_5),
        ("2024年1月5日 12:00", JAN_5_NOON_ASSUMED),
        ("2024年01月05日 12时00分00秒", JAN_5_NOON_ASSUMED),
        ("2024年1月5日 下午 3:30", Some("2024-01-05T15:30:00Z?")),
        ("2024年1月5日上午9:30", Some("2024-01-05T09:30:00Z?")),
        ("2024年1月5日星期五 12:00", JAN_5_NOON_ASSUMED),
        ("2024年1月5日(金) 12時", JAN_5_NOON_ASSUMED),
        ("2024年1月5日（金曜日）12:00 JST", Some("2024-01-05T03:00:00Z")),
        ("２０２４年１月５日 １２：００", JAN_5_NOON_ASSUMED),
        ("2024년 1월 5일", JAN_5),
        ("2024년 1월 5일 금요일 오후 3시 30분", Some("2024-01-05T15:30:00Z?")),
        ("2024. 1. 5. 오후 12:00", JAN_5_NOON_ASSUMED),
        ("金, 05 1月 2024 12:00:00 +0000", JAN_5_NOON),
        ("금, 05 1월 2024 12:00:00 +0000", JAN_5_NOON),
        ("星期五, 05 一月 2024 12:00:00 +0000", JAN_5_NOON),
        ("十二月 5, 2024", Some("2024-12-05T00:00:00Z?")),
        ("1月 5, 2024", JAN_5),
        ("05 13月 2024", None),
        ("1月5日", None),
        ("13/04/2024", Some("2024-04-13T00:00:00Z?")),
        ("04/13/2024 12:00", Some("2024-04-13T12:00:00Z?")),
        ("31.12.2023", Some("2023-12-31T00:00:00Z?")),
        ("04/04/2024", Some("2024-04-04T00:00:00Z?")),
    ]);
}

#[test]
fn asctime_is_read() {
    check(&[
        ("Sun Nov  6 08:49:37 1994", NOV_6_ASSUMED),
        ("Sun Nov  6 08:49:37 UTC 1994", NOV_6),
        ("Sun Nov 06 00:49:37 -0800 1994", NOV_6),
        ("Sun Nov 06 09:49:37 CET 1994", NOV_6),
    ]);
}

#[test]
fn halves_of_the_day_are_read() {
    check(&[
        ("Jan 5, 2024 3:30 PM", Some("2024-01-05T15:30:00Z?")),
        ("Jan 5, 2024 3:30pm", Some("2024-01-05T15:30:00Z?")),
        ("Jan 5, 2024 3:30 p.m. GMT", Some("2024-01-05T15:30:00Z")),
        ("Jan 5, 2024 3:30 p. m.", Some("2024-01-05T15:30:00Z?")),
        ("Jan 5, 2024 3pm", Some("2024-01-05T15:00:00Z?")),
        ("Jan 5, 2024 12:00 PM", JAN_5_NOON_ASSUMED),
        ("Jan 5, 2024 12:00 AM", JAN_5),
        ("2024-01-05 12:00:00 PM", JAN_5_NOON_ASSUMED),
        ("Jan 5, 2024 15:30 PM", Some("2024-01-05T15:30:00Z?")),
        ("Jan 5, 2024 15:30 AM", None),
        ("Jan 5, 2024 0:30 PM", None),
        ("2024年1月5日 上午 12:30", None),
    ]);
}

#[test]
fn months_and_weekdays_of_other_languages_are_read() {
    check(&[
        ("Freitag, 5. Januar 2024", JAN_5),
        ("Fr, 5. Jan. 2024 um 12:00 Uhr", JAN_5_NOON_ASSUMED),
        ("Di, 05 März 2024 12:00:00 +0000", Some("2024-03-05T12:00:00Z")),
        ("ven., 05 janv. 2024 12:00:00 +0000", JAN_5_NOON),
        ("vendredi 5 janvier 2024 à 12h00", JAN_5_NOON_ASSUMED),
        ("1er août 2024", Some("2024-08-01T00:00:00Z?")),
        ("viernes, 5 de enero de 2024 a las 12:00", JAN_5_NOON_ASSUMED),
        ("mar, 05 mar 2024 12:00:00 +0000", Some("2024-03-05T12:00:00Z")),
        ("mar 5 nov 2024", Some("2024-11-05T00:00:00Z?")),
        ("sexta-feira, 5 de janeiro de 2024", JAN_5),
        ("segunda-feira 1 de fevereiro de 2021", Some("2021-02-01T00:00:00Z?")),
        ("venerdì 5 gennaio 2024", JAN_5),
        ("vrijdag 5 januari 2024", JAN_5),
        ("5 января 2024 г., 12:00", JAN_5_NOON_ASSUMED),
        ("Пт, 05 Янв 2024 15:00:00 +0300", JAN_5_NOON),
        ("5 stycznia 2024", JAN_5),
        ("Cum, 05 Oca 2024 15:00:00 +0300", JAN_5_NOON),
        ("5 AĞUSTOS 2024", Some("2024-08-05T00:00:00Z?")),
        ("fredag 5 marts 2021", Some("2021-03-05T00:00:00Z?")),
        ("5. května 2024", Some("2024-05-05T00:00:00Z?")),
        ("Παρ, 05 Ιαν 2024 12:00:00 +0000", JAN_5_NOON),
        ("5 Ιανουαρίου 2024", JAN_5),
        ("2024. január 5., péntek 12:00", JAN_5_NOON_ASSUMED),
        ("perjantai 5. tammikuuta 2024", JAN_5),
        ("Jumat, 5 Januari 2024", JAN_5),
        ("5 października 2024", Some("2024-10-05T00:00:00Z?")),
        // Croatia's October, Poland's November.
        ("5 listopada 2024", None),
        ("5 lis 2024", None),
        ("5 lip 2024", None),
        ("5 srp 2024", None),
    ]);
}

#[test]
fn unix_time_is_read_where_it_cannot_be_anything_else() {
    check(&[
        ("1704456000", JAN_5_NOON),
        ("1704456000000", JAN_5_NOON),
        ("170445600", None),
        ("17044560000", None),
        // A day and its hour.
        ("2024010512", None),
        ("1994110608", None),
        ("-1704456000", None),
        ("1704456000.5", None),
        ("9999999999", None),
        ("5", None),
    ]);
}

#[test]
fn what_is_around_a_date_is_left_out() {
    check(&[
        ("\u{feff}\u{a0}2024-01-05&nbsp;12:00:00&#160;", JAN_5_NOON_ASSUMED),
        ("<time datetime=\"x\">2024-01-05 12:00:00</time><br/>", JAN_5_NOON_ASSUMED),
        ("<![CDATA[Fri, 05 Jan 2024 12:00:00 GMT]]>", JAN_5_NOON),
    ]);
}

#[test]
fn what_may_mean_two_days_or_none_is_no_date() {
    let texts = [
        "",
        " ",
        "foo",
        "today",
        "2 hours ago",
        "null",
        "-",
        "T",
        "Z",
        "GMT",
        "03/04/2024",
        "03/04/2024 12:00",
        "03-04-2024",
        "03.04.2024",
        "3/4/24",
        "13/04/24",
        "24-01-05",
        "01-05",
        "2024",
        "2024-01",
        "2024/01",
        "Jan 2024",
        "January",
        "5 Jan",
        "12:00",
        "2024-W01",
        "2024-W54-1",
        "2024-366T00:00Z x",
        "2023-366",
        "2024-000",
        "30 Feb 2024",
        "2024-02-30",
        "2023-02-29T12:00:00Z",
        "Fri, 32 Jan 2024 12:00:00 GMT",
        "2024-13-05",
        "2024-00-00",
        "0000-00-00 00:00:00",
        "0001-01-01T00:00:00Z",
        "1900-01-01T00:00:00",
        "9999-12-31",
        "2567-01-05",
        "1403-01-05",
        "Fri, 05 Jan 2024 25:00:00 GMT",
        "Fri, 05 Jan 2024 12:60:00 GMT",
        "Fri, 05 Jan 2024 12:00:61 GMT",
        "Fri, 05 Jan 2024 12:00:60 GMT",
        "Fri, 05 Jan 2024 24:00:01 GMT",
        "2024-01-05T24:01Z",
        "Fri, 05 Jan 2024 12:00:00 +9900",
        "Fri, 05 Jan 2024 12:00:00 +0099",
        "Fri, 05 Jan 2024 12:00:00 IST",
        "Fri, 05 Jan 2024 12:00:00 BST",
        "Fri, 05 Jan 2024 12:00:00 AST",
        "Fri, 05 Jan 2024 12:00:00 A",
        "Fri, 05 Jan 2024 12:00:00 XYZ",
        "Fri, 05 Jan 2024 12:00:00 (local time)",
        "Fri, 05 Jan 2024 12:00:00 ET",
        "Fri, 05 Jan 2024 12:00:00 Europe/Berlin",
        "Fri, 05 Jan 2024 12:00:00 GMT PST",
        "Fri, 05 Jan 2024 12:00:00 EST-0800",
        "Fri Jan 05 12:00:00 CST 2024",
        "2024-01-05 12:00:00 CST",
        "2024-01-05-08:00",
        "2024-01-05 12:00:00 13:00:00",
        "2024-01-05 2024-01-06",
        "2024-01-05T12:00:00 08:00",
        "2024-01-05T12",
        "2024-01-0512:00:00",
        "2024-01-05T12:00:",
        "Fri, 05 Jan 2024 12",
        "Fri, 05 Jan 124 12:00:00 GMT",
        "Fri, 05 Jan 55 12:00:00 GMT",
        "Jan 5, 24",
        "24 Jan 5 2024",
        "5 Jan Feb 2024",
        "before 5 Jan 2024",
        "5 Jan 2024 BC",
        "民國113年1月5日",
        "令和6年1月5日",
        "113年1月5日",
        "2024年1月",
        "2024年13月5日",
        "am 5. Januar 2024 um 12:30 foo",
        "2024–01–05",
        "2024-01/05",
        "2024 01 05",
        "Fri, 05 Jan 2024 12:00:00:000 GMT",
        "http://example.org/2024/01/05",
        "v2024.01.05",
    ];
    let table: Vec<_> = texts.into_iter().map(|text| (text, None)).collect();
    check(&table);
    assert_eq!(read(&"2024-01-05 ".repeat(100_000)), None);
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// How zones are written, and where they are.
fn zones(offset_minutes: i32) -> Vec<(String, i32)> {
    let sign = if offset_minutes < 0 { '-' } else { '+' };
    let (hours, minutes) = (offset_minutes.abs() / 60, offset_minutes.abs() % 60);
    let mut zones = vec![
        ("Z".to_owned(), 0),
        (" GMT".into(), 0),
        (" UTC".into(), 0),
        (" EST".into(), -300),
        (" PDT".into(), -420),
        (" CEST".into(), 120),
        (" JST".into(), 540),
    ];
    for before in ["", " ", "  ", " GMT", " UTC"] {
        for between in ["", ":"] {
            let text = format!("{before}{sign}{hours:02}{between}{minutes:02}");
            zones.push((text, offset_minutes));
        }
        zones.push((format!("{before}{sign}{hours}"), offset_minutes - offset_minutes % 60));
    }
    zones
}

/// Days and times of it as feeds spell them, to the second.
fn spellings(local: civil::DateTime) -> Vec<String> {
    let (year, month, day) = (local.year(), local.month(), local.day());
    let time = format!("{:02}:{:02}:{:02}", local.hour(), local.minute(), local.second());
    let half = if local.hour() < 12 { "AM" } else { "pm" };
    let hour = if local.hour() % 12 == 0 { 12 } else { local.hour() % 12 };
    let name = MONTHS[usize::try_from(month).unwrap() - 1];
    let short = name.get(..3).unwrap();
    let twelve = format!("{hour}:{:02}:{:02}", local.minute(), local.second());
    let mut days = vec![
        format!("{day:02} {short} {year}"),
        format!("Xyz, {day} {name} {year}"),
        format!("Mon {day:02}-{short}-{year}"),
        format!("{short}. {day}, {year}"),
        format!("{name} {day} {year}"),
        format!("{year} {short} {day:02}"),
        format!("{year}-{month:02}-{day:02}"),
        format!("{year}/{month}/{day}"),
        format!("{year}.{month:02}.{day:02}"),
        format!("{year}年{month}月{day}日"),
        format!("{year}년 {month}월 {day}일"),
    ];
    if (1970..2050).contains(&year) {
        days.push(format!("Tue, {day:02} {short} {:02}", year % 100));
    }
    let mut all: Vec<String> = days
        .iter()
        .flat_map(|day| [format!("{day} {time}"), format!("{day} {twelve} {half}")])
        .collect();
    all.push(format!("{year}-{month:02}-{day:02}T{time}"));
    all.push(format!("{year}{month:02}{day:02}T{}", time.replace(':', "")));
    all.push(format!("{year}-{:03}T{time}", local.date().day_of_year()));
    all
}

proptest! {
    #[test]
    fn any_text_is_a_date_or_none(text in any::<String>()) {
        let _ = read(&text);
    }

    #[test]
    fn pieces_of_dates_are_a_date_or_none(
        pieces in prop::collection::vec("[0-9]{1,4}|[-+:/., ()T年月日时]|am|pm|Jan|mar|Fri|GMT|h|w|上午|오후|a\\.", 0..14)
    ) {
        if let Some(date) = read(&pieces.concat()) {
            let year = Offset::UTC.to_datetime(date.instant).year();
            prop_assert!((1900..=2101).contains(&year));
        }
    }

    #[test]
    fn every_spelling_is_read_as_its_instant(
        seconds in 0_i64..4_100_000_000,
        offset_minutes in (-48_i32..=56).prop_map(|quarters| quarters * 15),
    ) {
        let local = Offset::UTC.to_datetime(Timestamp::from_second(seconds).unwrap());
        for spelling in spellings(local) {
            let assumed = Date { instant: Timestamp::from_second(seconds).unwrap(), zone_assumed: true };
            prop_assert_eq!(read(&spelling), Some(assumed), "{}", spelling);
            let is_half = spelling.ends_with(['M', 'm']);
            for (zone, minutes) in zones(offset_minutes) {
                if is_half && zone == "Z" {
                    continue;
                }
                let instant = Timestamp::from_second(seconds - i64::from(minutes) * 60).unwrap();
                let text = format!("{spelling}{zone}");
                prop_assert_eq!(read(&text), Some(Date { instant, zone_assumed: false }), "{}", text);
            }
        }
    }
}
