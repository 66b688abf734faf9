//! Reading a file of JSON lines without trusting their length.

use std::{
    io::{self, BufRead, Read as _},
    ops::ControlFlow,
};

use crate::audit::MAX_LINE_BYTES;

/// Calls `each` with every line that is not too long, and whether it ends: the last may not.
pub(super) fn for_each_line(
    mut reader: impl BufRead,
    mut each: impl FnMut(&[u8], bool) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = u64::try_from(MAX_LINE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
        if reader.by_ref().take(limit).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let flow = match line.strip_suffix(b"\n") {
            Some(line) => each(line, true),
            None if line.len() <= MAX_LINE_BYTES => each(&line, false),
            None => {
                reader.skip_until(b'\n')?;
                ControlFlow::Continue(())
            }
        };
        if flow.is_break() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_left_out_and_the_last_may_be_torn() {
        let mut text = b"first\n".to_vec();
        text.extend(vec![b'x'; MAX_LINE_BYTES + 1]);
        text.extend(b"\nsecond\n");
        text.extend(vec![b'y'; MAX_LINE_BYTES]);
        text.extend(b"\ntorn");
        let mut lengths = Vec::new();
        for_each_line(&*text, |line, ends| {
            lengths.push((line.len(), ends));
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(lengths, [(5, true), (6, true), (MAX_LINE_BYTES, true), (4, false)]);
    }
}
