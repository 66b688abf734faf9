//! Pictures that stand in the content of a page itself.

use super::lexer::{Lexer, Token, is_white};

/// Past the picture that stands in the content itself.
pub(super) fn skip(lexer: &mut Lexer<'_>) {
    loop {
        match lexer.next() {
            Some(Token::Word(b"ID")) => break,
            Some(Token::Word(b"EI")) | None => return,
            Some(_) => {}
        }
    }
    let rest = lexer.rest();
    for found in memchr::memmem::find_iter(rest, b"EI") {
        let before = found.checked_sub(1).and_then(|at| rest.get(at)).copied();
        let after = rest.get(found + 2..).unwrap_or_default();
        // In the picture itself the two letters stand among bytes that are no text.
        let is_text =
            after.iter().take(12).all(|&byte| is_white(byte) || (b' '..=b'~').contains(&byte));
        if before.is_some_and(is_white)
            && after.first().is_none_or(|&byte| is_white(byte))
            && is_text
        {
            lexer.seek(lexer.position() + found + 2);
            return;
        }
    }
    lexer.seek(lexer.position() + rest.len());
}
