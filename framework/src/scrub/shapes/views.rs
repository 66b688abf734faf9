//! [`View`]: bytes as another reader reads them, so that a secret is found behind its escapes.

use std::ops::Range;

/// One way to read bytes.
#[derive(Clone, Copy, Debug)]
pub(super) enum View {
    /// `%3D` is `=`.
    Percent,
    /// `\/`, `\n` and `\u0026`, as in the texts of JSON.
    Json,
    /// UTF-16, the low byte first.
    WideLowFirst,
    /// UTF-16, the high byte first.
    WideHighFirst,
}

impl View {
    /// The ways in which these bytes read otherwise than as they are.
    pub(super) fn of(bytes: &[u8]) -> impl Iterator<Item = Self> {
        let [percent, json, wide] = [b'%', b'\\', 0].map(|byte| bytes.contains(&byte));
        [
            percent.then_some(Self::Percent),
            json.then_some(Self::Json),
            wide.then_some(Self::WideLowFirst),
            wide.then_some(Self::WideHighFirst),
        ]
        .into_iter()
        .flatten()
    }

    pub(super) fn bytes(self, bytes: &[u8]) -> Vec<u8> {
        self.steps(bytes).map(|(_, byte)| byte).collect()
    }

    /// Where a part of [`bytes`](Self::bytes) comes from.
    pub(super) fn source(self, bytes: &[u8], part: &Range<usize>) -> Range<usize> {
        let mut steps = self.steps(bytes).map(|(source, _)| source);
        let start = steps.nth(part.start).unwrap_or_default();
        let end = match part.len() {
            0 | 1 => start.end,
            length => steps.nth(length - 2).map_or(start.end, |last| last.end),
        };
        start.start..end
    }

    /// Byte for byte what is read, and from where.
    fn steps(self, bytes: &[u8]) -> impl Iterator<Item = (Range<usize>, u8)> {
        let mut rest = bytes;
        std::iter::from_fn(move || {
            let at = bytes.len() - rest.len();
            let (&first, after) = rest.split_first()?;
            let (taken, byte) = self.read(rest).unwrap_or(match self {
                // What is no ASCII in UTF-16 separates words as a line break does.
                Self::WideLowFirst | Self::WideHighFirst => (1, b'\n'),
                Self::Percent | Self::Json => (1, first),
            });
            rest = rest.get(taken..).unwrap_or(after);
            Some((at..at + taken, byte))
        })
    }

    /// What the first bytes are together, and how many they are.
    fn read(self, bytes: &[u8]) -> Option<(usize, u8)> {
        match (self, bytes) {
            (Self::Percent, [b'%', high, low, ..]) => Some((3, hex(*high)? * 16 + hex(*low)?)),
            (Self::Json, [b'\\', b'u', b'0', b'0', high, low, ..]) => {
                Some((6, hex(*high).filter(|high| *high < 8)? * 16 + hex(*low)?))
            }
            (Self::Json, [b'\\', byte @ (b'/' | b'"' | b'\\'), ..]) => Some((2, *byte)),
            (Self::Json, [b'\\', b'n' | b'r' | b't' | b'b' | b'f', ..]) => Some((2, b'\n')),
            (Self::WideLowFirst, [byte @ 1..=127, 0, ..])
            | (Self::WideHighFirst, [0, byte @ 1..=127, ..]) => Some((2, *byte)),
            // A text may be cut before the last high byte.
            (Self::WideLowFirst, [byte @ 1..=127]) => Some((1, *byte)),
            _ => None,
        }
    }
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}
