//! [`Lexer`]: bytes into tokens, of a file as of what draws a page.

/// Bytes of one string; one that is longer was never closed.
const MAX_STRING: usize = 1 << 20;

/// The smallest thing that means something.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Integer(i64),
    Real(f64),
    String(Vec<u8>),
    Name(String),
    ArrayStart,
    ArrayEnd,
    DictionaryStart,
    DictionaryEnd,
    /// `obj`, `true`, `Tj` …
    Word(&'a [u8]),
}

/// Reads tokens one by one; nothing it meets is an error.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8], position: usize) -> Self {
        Self { bytes, position }
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn seek(&mut self, position: usize) {
        self.position = position;
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    pub(super) fn skip_white(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                while self.peek().is_some_and(|byte| byte != b'\n' && byte != b'\r') {
                    self.position += 1;
                }
            } else if is_white(byte) {
                self.position += 1;
            } else {
                return;
            }
        }
    }

    /// `None` at the end.
    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.skip_white();
            let byte = self.peek()?;
            match byte {
                b'0'..=b'9' | b'+' | b'-' | b'.' => return Some(self.number()),
                b'/' => return Some(Token::Name(self.name())),
                b'(' => return Some(Token::String(self.literal())),
                b'<' => {
                    if self.bytes.get(self.position + 1) == Some(&b'<') {
                        self.position += 2;
                        return Some(Token::DictionaryStart);
                    }
                    return Some(Token::String(self.hexadecimal()));
                }
                b'>' => {
                    let is_double = self.bytes.get(self.position + 1) == Some(&b'>');
                    self.position += 1 + usize::from(is_double);
                    if is_double {
                        return Some(Token::DictionaryEnd);
                    }
                }
                b'[' => {
                    self.position += 1;
                    return Some(Token::ArrayStart);
                }
                b']' => {
                    self.position += 1;
                    return Some(Token::ArrayEnd);
                }
                b')' | b'{' | b'}' => self.position += 1,
                _ => {
                    let start = self.position;
                    while self.peek().is_some_and(is_regular) {
                        self.position += 1;
                    }
                    return Some(Token::Word(self.bytes.get(start..self.position)?));
                }
            }
        }
    }

    fn number(&mut self) -> Token<'a> {
        let start = self.position;
        let mut is_negative = false;
        let mut whole: i64 = 0;
        let (mut fraction, mut scale) = (0.0, 1.0);
        let (mut is_real, mut has_digits) = (false, false);
        while let Some(byte) = self.peek() {
            match byte {
                b'+' if self.position == start => {}
                // Some write `--5`, and `12-34` for 12.
                b'-' if !has_digits && !is_real => is_negative = true,
                b'-' => {}
                b'.' if !is_real => is_real = true,
                b'0'..=b'9' if is_real => {
                    has_digits = true;
                    if scale > 1e-15 {
                        scale /= 10.0;
                        fraction += f64::from(byte - b'0') * scale;
                    }
                }
                b'0'..=b'9' => {
                    has_digits = true;
                    whole = whole.saturating_mul(10).saturating_add(i64::from(byte - b'0'));
                }
                _ => break,
            }
            self.position += 1;
        }
        if !has_digits && self.peek().is_some_and(is_regular) {
            // A word that begins with a sign or a dot.
            while self.peek().is_some_and(is_regular) {
                self.position += 1;
            }
            return Token::Word(self.bytes.get(start..self.position).unwrap_or_default());
        }
        let sign = if is_negative { -1 } else { 1 };
        if is_real {
            #[expect(clippy::cast_precision_loss, reason = "places on a page are small")]
            let value = whole as f64 + fraction;
            return Token::Real(if is_negative { -value } else { value });
        }
        Token::Integer(sign * whole)
    }

    fn name(&mut self) -> String {
        self.position += 1;
        let start = self.position;
        while self.peek().is_some_and(is_regular) {
            self.position += 1;
        }
        let raw = self.bytes.get(start..self.position).unwrap_or_default();
        if !raw.contains(&b'#') {
            return String::from_utf8_lossy(raw).into_owned();
        }
        let mut name = Vec::with_capacity(raw.len());
        let mut rest = raw;
        while let Some((&byte, after)) = rest.split_first() {
            if byte == b'#'
                && let (Some(high), Some(low)) =
                    (after.first().copied().and_then(digit), after.get(1).copied().and_then(digit))
            {
                name.push(high << 4 | low);
                rest = after.get(2..).unwrap_or_default();
            } else {
                name.push(byte);
                rest = after;
            }
        }
        String::from_utf8_lossy(&name).into_owned()
    }

    fn literal(&mut self) -> Vec<u8> {
        self.position += 1;
        let mut string = Vec::new();
        let mut depth = 1_usize;
        while let Some(byte) = self.peek().filter(|_| string.len() < MAX_STRING) {
            self.position += 1;
            match byte {
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        return string;
                    }
                }
                b'\\' => {
                    self.escape(&mut string);
                    continue;
                }
                b'\r' => {
                    if self.peek() == Some(b'\n') {
                        self.position += 1;
                    }
                    string.push(b'\n');
                    continue;
                }
                _ => {}
            }
            string.push(byte);
        }
        string
    }

    fn escape(&mut self, string: &mut Vec<u8>) {
        let Some(byte) = self.peek() else { return };
        self.position += 1;
        match byte {
            b'n' => string.push(b'\n'),
            b'r' => string.push(b'\r'),
            b't' => string.push(b'\t'),
            b'b' => string.push(8),
            b'f' => string.push(12),
            b'\n' => {}
            b'\r' => {
                if self.peek() == Some(b'\n') {
                    self.position += 1;
                }
            }
            b'0'..=b'7' => {
                let mut value = u16::from(byte - b'0');
                for _ in 0..2 {
                    match self.peek() {
                        Some(octal @ b'0'..=b'7') => {
                            value = value << 3 | u16::from(octal - b'0');
                            self.position += 1;
                        }
                        _ => break,
                    }
                }
                string.push(u8::try_from(value & 0xFF).unwrap_or_default());
            }
            other => string.push(other),
        }
    }

    fn hexadecimal(&mut self) -> Vec<u8> {
        self.position += 1;
        let mut string = Vec::new();
        let mut high = None;
        while let Some(byte) = self.peek().filter(|_| string.len() < MAX_STRING) {
            self.position += 1;
            if byte == b'>' {
                break;
            }
            let Some(low) = digit(byte) else { continue };
            match high.take() {
                None => high = Some(low),
                Some(high) => string.push(high << 4 | low),
            }
        }
        if let Some(high) = high {
            string.push(high << 4);
        }
        string
    }
}

pub(super) fn is_white(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ')
}

pub(super) fn is_regular(byte: u8) -> bool {
    !is_white(byte)
        && !matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

pub(super) fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}
