//! Numbers as list markers show them.

/// A way of counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Numeral {
    Decimal,
    /// `01`, `02` … `10`.
    DecimalZero,
    /// `1st`.
    Ordinal,
    /// `Twenty-one`.
    CardinalText,
    /// `Twenty-first`.
    OrdinalText,
    LowerLetter,
    UpperLetter,
    LowerRoman,
    UpperRoman,
    /// `①`.
    Circled,
    /// `１`.
    FullWidth,
    /// `一`, `十二`.
    Chinese,
    /// `一`, `一二`.
    ChineseDigits,
    /// `甲`, `乙`.
    HeavenlyStem,
    /// `子`, `丑`.
    EarthlyBranch,
    /// `а`, `б`.
    LowerRussian,
    UpperRussian,
    /// `ア`, `イ`.
    Katakana,
}

const RUSSIAN: &str = "абвгдежзиклмнопрстуфхцчшщэюя";
const KATAKANA: &str =
    "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン";

/// The number `value`; where a way of counting has no such number, in decimal.
pub(in super::super) fn numeral(value: u64, way: Numeral) -> String {
    let shown = match way {
        Numeral::Decimal => None,
        Numeral::DecimalZero => Some(format!("{value:02}")),
        Numeral::Ordinal => Some(format!("{value}{}", ordinal_ending(value))),
        Numeral::CardinalText => english(value, false),
        Numeral::OrdinalText => english(value, true),
        Numeral::LowerLetter => letters(value, "abcdefghijklmnopqrstuvwxyz"),
        Numeral::UpperLetter => letters(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        Numeral::LowerRoman => roman(value).map(|roman| roman.to_lowercase()),
        Numeral::UpperRoman => roman(value),
        Numeral::Circled => circled(value),
        Numeral::FullWidth => Some(digits(value, "０１２３４５６７８９")),
        Numeral::Chinese => chinese(value),
        Numeral::ChineseDigits => Some(digits(value, "〇一二三四五六七八九")),
        Numeral::HeavenlyStem => one_of(value, "甲乙丙丁戊己庚辛壬癸"),
        Numeral::EarthlyBranch => one_of(value, "子丑寅卯辰巳午未申酉戌亥"),
        Numeral::LowerRussian => letters(value, RUSSIAN),
        Numeral::UpperRussian => letters(value, RUSSIAN).map(|letters| letters.to_uppercase()),
        Numeral::Katakana => letters(value, KATAKANA),
    };
    shown.unwrap_or_else(|| value.to_string())
}

fn ordinal_ending(value: u64) -> &'static str {
    match (value % 10, value % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}

/// In words, up to 999,999; the first one with a capital.
fn english(value: u64, is_ordinal: bool) -> Option<String> {
    if !(1..1_000_000).contains(&value) {
        return None;
    }
    let mut words = match value / 1000 {
        0 => Vec::new(),
        thousands => vec![below_thousand(thousands), "thousand".to_owned()],
    };
    if !value.is_multiple_of(1000) {
        words.push(below_thousand(value % 1000));
    }
    let mut text = words.join(" ");
    if is_ordinal {
        let last = text.rfind([' ', '-']).map_or(0, |at| at + 1);
        let ordinal = ordinal_word(text.get(last..)?);
        text.replace_range(last.., &ordinal);
    }
    let first = text.get(..1)?.to_ascii_uppercase();
    text.replace_range(..1, &first);
    Some(text)
}

fn below_thousand(value: u64) -> String {
    const ONES: [&str; 20] = [
        "",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 10] =
        ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let word = |words: &[&'static str], index: u64| {
        usize::try_from(index).ok().and_then(|index| words.get(index)).copied().unwrap_or_default()
    };
    let (hundreds, rest) = (value / 100, value % 100);
    let rest = match (rest / 10, rest % 10) {
        (0 | 1, _) => word(&ONES, rest).to_owned(),
        (tens, 0) => word(&TENS, tens).to_owned(),
        (tens, ones) => format!("{}-{}", word(&TENS, tens), word(&ONES, ones)),
    };
    match (hundreds, rest.is_empty()) {
        (0, _) => rest,
        (hundreds, true) => format!("{} hundred", word(&ONES, hundreds)),
        (hundreds, false) => format!("{} hundred {rest}", word(&ONES, hundreds)),
    }
}

fn ordinal_word(cardinal: &str) -> String {
    match cardinal {
        "one" => "first".to_owned(),
        "two" => "second".to_owned(),
        "three" => "third".to_owned(),
        "five" => "fifth".to_owned(),
        "eight" => "eighth".to_owned(),
        "nine" => "ninth".to_owned(),
        "twelve" => "twelfth".to_owned(),
        other => match other.strip_suffix('y') {
            Some(stem) => format!("{stem}ieth"),
            None => format!("{other}th"),
        },
    }
}

/// After the last letter they are doubled, then tripled.
fn letters(value: u64, alphabet: &str) -> Option<String> {
    let index = usize::try_from(value.checked_sub(1)?).ok()?;
    let length = alphabet.chars().count();
    let times = index / length + 1;
    let letter = alphabet.chars().nth(index % length)?;
    (times <= 10).then(|| std::iter::repeat_n(letter, times).collect())
}

fn one_of(value: u64, signs: &str) -> Option<String> {
    let index = usize::try_from(value.checked_sub(1)?).ok()?;
    signs.chars().nth(index).map(String::from)
}

fn digits(value: u64, signs: &str) -> String {
    let digits = value.to_string();
    let signs = digits.chars().filter_map(|digit| signs.chars().nth(digit.to_digit(10)? as usize));
    signs.collect()
}

fn circled(value: u64) -> Option<String> {
    let value = u32::try_from(value).ok()?;
    let code = match value {
        1..=20 => 0x2460 + value - 1,
        21..=35 => 0x3251 + value - 21,
        36..=50 => 0x32B1 + value - 36,
        _ => return None,
    };
    char::from_u32(code).map(String::from)
}

fn roman(value: u64) -> Option<String> {
    const SIGNS: &[(u64, &str)] = &[
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if !(1..5000).contains(&value) {
        return None;
    }
    let mut left = value;
    let mut roman = String::new();
    for (worth, sign) in SIGNS {
        while left >= *worth {
            roman.push_str(sign);
            left -= worth;
        }
    }
    Some(roman)
}

/// Up to 9999.
fn chinese(value: u64) -> Option<String> {
    if !(1..10_000).contains(&value) {
        return None;
    }
    let mut shown = String::new();
    let mut skipped = false;
    for (worth, unit) in [(1000, "千"), (100, "百"), (10, "十"), (1, "")] {
        let digit = value / worth % 10;
        if digit == 0 {
            skipped = !shown.is_empty();
            continue;
        }
        if skipped {
            shown.push('零');
            skipped = false;
        }
        // Ten to nineteen are said without the one.
        if !(digit == 1 && worth == 10 && shown.is_empty()) {
            shown.push_str(&digits(digit, "零一二三四五六七八九"));
        }
        shown.push_str(unit);
    }
    Some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_as_lists_do() {
        let shown = |way, values: &[u64]| {
            let values: Vec<String> = values.iter().map(|value| numeral(*value, way)).collect();
            values.join(" ")
        };
        assert_eq!(shown(Numeral::LowerLetter, &[1, 26, 27, 0]), "a z aa 0");
        assert_eq!(shown(Numeral::UpperRoman, &[4, 1999, 70_000]), "IV MCMXCIX 70000");
        assert_eq!(
            shown(Numeral::Chinese, &[1, 10, 12, 20, 105, 110, 1010]),
            "一 十 十二 二十 一百零五 一百一十 一千零一十"
        );
        assert_eq!(shown(Numeral::ChineseDigits, &[12, 20]), "一二 二〇");
        assert_eq!(shown(Numeral::Ordinal, &[1, 12, 23]), "1st 12th 23rd");
        assert_eq!(
            shown(Numeral::CardinalText, &[1, 21, 100, 115, 2030, 1_000_000]),
            "One Twenty-one One hundred One hundred fifteen Two thousand thirty 1000000"
        );
        assert_eq!(
            shown(Numeral::OrdinalText, &[1, 5, 12, 20, 42, 100, 3000]),
            "First Fifth Twelfth Twentieth Forty-second One hundredth Three thousandth"
        );
        assert_eq!(shown(Numeral::Circled, &[1, 20, 21, 51]), "① ⑳ ㉑ 51");
        assert_eq!(shown(Numeral::DecimalZero, &[3, 12]), "03 12");
    }

    #[test]
    fn a_number_of_any_size_is_short() {
        for way in [Numeral::LowerLetter, Numeral::UpperRoman, Numeral::Chinese, Numeral::Katakana]
        {
            assert_eq!(numeral(u64::MAX, way), u64::MAX.to_string());
        }
    }
}
