//! [`PageLabel`]: whether a word that counts the pages is their number, or one of the text.
//!
//! "Exercise 2" follows "Exercise 1" as "Page 2" follows "Page 1". In doubt a number is one of the
//! text, since a head that is given twice is a smaller loss than one that is not given.

/// Words that the number of a page stands beside.
const PAGE: [&str; 22] = [
    "page",
    "pages",
    "pg",
    "p",
    "pp",
    "seite",
    "s",
    "página",
    "pagina",
    "pág",
    "pag",
    "sida",
    "sivu",
    "strona",
    "str",
    "strana",
    "страница",
    "стр",
    "с",
    "第",
    "sayfa",
    "σελίδα",
];
/// Those behind it.
const PAGE_BEHIND: [&str; 7] = ["页", "頁", "ページ", "쪽", "페이지", "oldal", "sayfa"];
/// Between the number and that of all pages.
const OF: [&str; 12] = ["/", "|", "of", "von", "de", "sur", "di", "van", "av", "z", "из", "共"];
/// What is set around a number.
const AROUND: [char; 13] = ['-', '–', '—', '(', ')', '[', ']', '|', '·', '•', '~', '<', '>'];
/// Words of a head beside its number.
const MIN_WORDS: usize = 2;

/// The number of a page, as a word of a line says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageLabel<'w> {
    number: u64,
    /// What the word is besides: "p." and the like, or the number of all pages.
    before: &'w str,
    behind: &'w str,
}

impl<'w> PageLabel<'w> {
    pub(super) fn of(word: &'w str) -> Option<Self> {
        let is_digit = |character: char| character.is_ascii_digit();
        let Some(start) = word.find(is_digit) else {
            let number = roman(word.trim_matches(AROUND))?;
            return Some(Self { number, before: "", behind: "" });
        };
        let (before, rest) = word.split_at_checked(start)?;
        let end = rest.find(|character| !is_digit(character)).unwrap_or(rest.len());
        let (number, behind) = rest.split_at_checked(end)?;
        Some(Self {
            number: number.parse().ok()?,
            before: before.trim_matches(AROUND),
            behind: behind.trim_matches(AROUND),
        })
    }

    /// The same, so many pages later.
    pub(super) fn after(self, pages: u64) -> Option<Self> {
        Some(Self { number: self.number.checked_add(pages)?, ..self })
    }

    /// Whether it is the number of a page where it is word `at` of a line that has no other number
    /// which counts; `is_small` where that is set no larger than the text.
    pub(super) fn is_of_page(self, words: &[String], at: usize, is_small: bool) -> bool {
        let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", String::as_str);
        if is_among(&PAGE, self.before)
            || is_among(&PAGE_BEHIND, self.behind)
            || is_among(&PAGE, word(at.checked_sub(1)))
            || is_among(&PAGE_BEHIND, word(Some(at + 1)))
        {
            return true;
        }
        let is_total = self.behind.strip_prefix('/').is_some_and(is_number);
        if !self.before.is_empty() || !(self.behind.is_empty() || is_total) {
            return false;
        }
        let has_total = is_among(&OF, word(Some(at + 1))) && is_number(word(Some(at + 2)));
        let behind = words.get(at + if has_total { 3 } else { 1 }..).unwrap_or_default();
        let before = words.get(..at).unwrap_or_default();
        let has_letter = |word: &&String| word.contains(char::is_alphabetic);
        let is_seen = |word: &String| word.contains(char::is_alphanumeric);
        let is_alone = |words: &[String]| !words.iter().any(is_seen);
        match (is_alone(before), is_alone(behind)) {
            (true, true) => true,
            (false, false) => false,
            _ => {
                let words = before.iter().chain(behind).filter(has_letter).count();
                is_small && words >= MIN_WORDS
            }
        }
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_among(known: &[&str], word: &str) -> bool {
    let word = word.trim_end_matches(['.', ':']).to_lowercase();
    known.contains(&word.as_str())
}

/// A number in Roman digits, all small or all capitals, as it is written.
fn roman(word: &str) -> Option<u64> {
    const DIGITS: [(&str, u64); 9] = [
        ("c", 100),
        ("xc", 90),
        ("l", 50),
        ("xl", 40),
        ("x", 10),
        ("ix", 9),
        ("v", 5),
        ("iv", 4),
        ("i", 1),
    ];
    let small = word.to_lowercase();
    if small.is_empty() || word != small && word != word.to_uppercase() {
        return None;
    }
    let mut rest = small.as_str();
    let mut number = 0;
    for (digit, value) in DIGITS {
        let most = if digit.len() == 1 && value != 5 && value != 50 { 3 } else { 1 };
        for _ in 0..most {
            let Some(next) = rest.strip_prefix(digit) else { break };
            (rest, number) = (next, number + value);
        }
    }
    rest.is_empty().then_some(number)
}
