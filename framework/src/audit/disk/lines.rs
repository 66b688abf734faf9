//! Reading a file of JSON lines without trusting their length.

use std::{
    io::{self, BufRead, Read as _},
    ops::ControlFlow,
};

use crate::audit::MAX_LINE_BYTES;

/// Calls `each` with every line that ends and is not too long.
pub(super) fn for_each_line(
    mut reader: impl BufRead,
    mut each: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = u64::try_from(MAX_LINE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
        if reader.by_ref().take(limit).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        match line.strip_suffix(b"\n") {
            Some(line) => {
                if each(line).is_break() {
                    return Ok(());
                }
            }
            None => {
                reader.skip_until(b'\n')?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_or_torn_is_left_out() {
        let mut text = b"first\n".to_vec();
        text.extend(vec![b'x'; MAX_LINE_BYTES + 1]);
        text.extend(b"\nsecond\n");
        text.extend(vec![b'y'; MAX_LINE_BYTES]);
        text.extend(b"\ntorn");
        let mut lengths = Vec::new();
        for_each_line(&*text, |line| {
            lengths.push(line.len());
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(lengths, [5, 6, MAX_LINE_BYTES]);
    }
}
