//! A date's text in tokens: numbers, words, and all else one by one.

use super::words::{self, Meridiem};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// ASCII digits.
    Number(String),
    /// Folded: in small letters, those of Europe without their accents.
    Word(String),
    /// Anything else, and the units of East Asian dates.
    Sign(char),
}

/// The tokens that are not read yet.
pub(super) struct Tokens {
    /// The last comes first. With each, whether it follows the one before without a space.
    rest: Vec<(Token, bool)>,
}

impl Tokens {
    pub(super) fn of(line: &str) -> Self {
        let line = words::without_east_asian_weekdays(line);
        let mut tokens: Vec<(Token, bool)> = Vec::new();
        let mut is_glued = false;
        for char in line.chars().filter_map(fold) {
            if char.is_whitespace() {
                is_glued = false;
                continue;
            }
            match tokens.last_mut() {
                Some((Token::Number(digits), _)) if is_glued && char.is_ascii_digit() => {
                    digits.push(char);
                }
                Some((Token::Word(word), _)) if is_glued && is_letter(char) => word.push(char),
                _ => {
                    let token = match char {
                        '0'..='9' => Token::Number(char.into()),
                        _ if is_letter(char) => Token::Word(char.into()),
                        _ => Token::Sign(char),
                    };
                    tokens.push((token, is_glued));
                }
            }
            is_glued = true;
        }
        tokens.reverse();
        Self { rest: tokens }
    }

    pub(super) fn len(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn next(&mut self) -> Option<Token> {
        self.rest.pop().map(|(token, _)| token)
    }

    pub(super) fn next_number(&mut self) -> Option<String> {
        match self.next()? {
            Token::Number(digits) => Some(digits),
            Token::Word(_) | Token::Sign(_) => None,
        }
    }

    pub(super) fn next_sign(&mut self) -> Option<char> {
        match self.next()? {
            Token::Sign(sign) => Some(sign),
            Token::Word(_) | Token::Number(_) => None,
        }
    }

    pub(super) fn skip(&mut self, count: usize) {
        self.rest.truncate(self.rest.len().saturating_sub(count));
    }

    /// Whether the sign was next.
    pub(super) fn skip_sign(&mut self, sign: char) -> bool {
        let is_next = matches!(self.peek(0), Some(Token::Sign(next)) if *next == sign);
        self.skip(usize::from(is_next));
        is_next
    }

    /// Whether the word was next.
    pub(super) fn skip_word(&mut self, word: &str) -> bool {
        let is_next = matches!(self.peek(0), Some(Token::Word(next)) if next == word);
        self.skip(usize::from(is_next));
        is_next
    }

    /// `pm`, `p.m.`, `下午`: skipped if it is next.
    pub(super) fn meridiem(&mut self) -> Option<Meridiem> {
        let Some(Token::Word(first)) = self.peek(0) else { return None };
        if let Some(meridiem) = words::meridiem(first) {
            self.skip(1);
            return Some(meridiem);
        }
        let (dot, second) = match (self.peek(1)?, self.peek(2)) {
            (Token::Sign('.'), Some(Token::Word(second))) => (1, second),
            (Token::Word(second), _) => (0, second),
            _ => return None,
        };
        let meridiem = words::meridiem(&format!("{first}{second}"))?;
        self.skip(2 + dot);
        self.skip_sign('.');
        Some(meridiem)
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<&Token> {
        self.at(ahead).map(|(token, _)| token)
    }

    /// Whether no space is before the token.
    pub(super) fn is_glued(&self, ahead: usize) -> bool {
        self.at(ahead).is_some_and(|(_, is_glued)| *is_glued)
    }

    fn at(&self, ahead: usize) -> Option<&(Token, bool)> {
        self.rest.iter().rev().nth(ahead)
    }
}

fn is_letter(char: char) -> bool {
    let is_unit = matches!(
        char,
        '年' | '月'
            | '日'
            | '时'
            | '時'
            | '点'
            | '點'
            | '分'
            | '秒'
            | '년'
            | '월'
            | '일'
            | '시'
            | '분'
            | '초'
    );
    char.is_alphabetic() && !is_unit
}

/// The letter that tables hold for this one; `None` for accents on their own.
///
/// Not `ź`: Poland's October is `paź`, and Turkey's Sunday `Paz`.
fn fold(char: char) -> Option<char> {
    let small = char.to_lowercase().next().unwrap_or(char);
    Some(match small {
        'á' | 'à' | 'â' | 'ã' | 'ä' | 'å' | 'ă' | 'ą' => 'a',
        'ç' | 'č' | 'ć' => 'c',
        'ď' => 'd',
        'é' | 'è' | 'ê' | 'ë' | 'ě' | 'ę' => 'e',
        'ğ' => 'g',
        'í' | 'ì' | 'î' | 'ï' | 'ı' => 'i',
        'ł' => 'l',
        'ñ' | 'ň' | 'ń' => 'n',
        'ó' | 'ò' | 'ô' | 'õ' | 'ö' | 'ø' | 'ő' => 'o',
        'ř' => 'r',
        'š' | 'ś' | 'ş' | 'ș' => 's',
        'ť' | 'ț' => 't',
        'ú' | 'ù' | 'û' | 'ü' | 'ů' | 'ű' => 'u',
        'ý' => 'y',
        'ž' | 'ż' => 'z',
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' => 'υ',
        'ώ' => 'ω',
        'ς' => 'σ',
        'ё' => 'е',
        '\u{300}' | '\u{301}' | '\u{307}' | '\u{308}' | '\u{200B}' => return None,
        '\u{2212}' | '\u{2010}' | '\u{2011}' | '－' => '-',
        '：' => ':',
        '／' => '/',
        '＋' => '+',
        '，' | '、' => ',',
        '（' => '(',
        '）' => ')',
        '０'..='９' => {
            let digit = u32::from(small).checked_sub(u32::from('０'))?;
            char::from_digit(digit, 10)?
        }
        small => small,
    })
}
