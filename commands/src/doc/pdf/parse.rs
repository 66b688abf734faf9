//! Tokens into [`Object`]s, with bounds on depth and number.

use super::lexer::{Lexer, Token};
use super::object::{Dictionary, Id, Object};

/// Deeper nesting is not read: nothing that a page needs is nested so.
const MAX_DEPTH: usize = 200;
/// Values in one object. A page tree of a hundred thousand pages has fewer.
const MAX_VALUES: usize = 600_000;

/// The object that begins here; `None` where there is none, or more than the bounds allow.
pub(super) fn object(lexer: &mut Lexer<'_>) -> Option<Object> {
    let token = lexer.next()?;
    value(lexer, token, 0, &mut Bounds { values: 0, has_references: true })
}

/// The operand of a page that begins with this token: there are no references among them.
pub(super) fn operand(lexer: &mut Lexer<'_>, token: Token<'_>) -> Option<Object> {
    value(lexer, token, 0, &mut Bounds { values: 0, has_references: false })
}

struct Bounds {
    values: usize,
    has_references: bool,
}

fn value(
    lexer: &mut Lexer<'_>,
    token: Token<'_>,
    depth: usize,
    bounds: &mut Bounds,
) -> Option<Object> {
    bounds.values += 1;
    if depth > MAX_DEPTH || bounds.values > MAX_VALUES {
        return None;
    }
    Some(match token {
        Token::Integer(number) if bounds.has_references => integer_or_reference(lexer, number),
        Token::Integer(number) => Object::Integer(number),
        Token::Real(number) => Object::Real(number),
        Token::String(string) => Object::String(string),
        Token::Name(name) => Object::Name(name),
        Token::ArrayStart => {
            let mut items = Vec::new();
            loop {
                let before = lexer.position();
                match lexer.next()? {
                    Token::ArrayEnd => break,
                    Token::DictionaryEnd => continue,
                    Token::Word(b"endobj" | b"endstream" | b"obj") => {
                        lexer.seek(before);
                        break;
                    }
                    token => items.push(value(lexer, token, depth + 1, bounds)?),
                }
            }
            Object::Array(items)
        }
        Token::DictionaryStart => Object::Dictionary(dictionary(lexer, depth, bounds)?),
        Token::Word(b"true") => Object::Boolean(true),
        Token::Word(b"false") => Object::Boolean(false),
        Token::Word(_) | Token::ArrayEnd | Token::DictionaryEnd => Object::Null,
    })
}

/// What follows `<<`.
fn dictionary(lexer: &mut Lexer<'_>, depth: usize, bounds: &mut Bounds) -> Option<Dictionary> {
    let mut dictionary = Dictionary::new();
    loop {
        let before = lexer.position();
        match lexer.next() {
            Some(Token::DictionaryEnd) => break,
            Some(Token::Name(name)) => {
                let before = lexer.position();
                let item = match lexer.next() {
                    Some(Token::DictionaryEnd) | None => break,
                    Some(Token::Word(b"endobj" | b"obj" | b"stream")) => {
                        lexer.seek(before);
                        break;
                    }
                    Some(token) => value(lexer, token, depth + 1, bounds)?,
                };
                dictionary.insert(name, item);
            }
            // Never closed.
            Some(Token::Word(b"endobj" | b"obj" | b"stream")) => {
                lexer.seek(before);
                break;
            }
            Some(_) => bounds.values += 1,
            None => break,
        }
        if bounds.values > MAX_VALUES {
            return None;
        }
    }
    Some(dictionary)
}

fn integer_or_reference(lexer: &mut Lexer<'_>, number: i64) -> Object {
    let before = lexer.position();
    lexer.skip_white();
    if lexer.peek().is_some_and(|byte| byte.is_ascii_digit())
        && let Ok(number) = u32::try_from(number)
        && let Some(Token::Integer(generation)) = lexer.next()
        && let Ok(generation) = u16::try_from(generation)
        && let Some(Token::Word(b"R")) = lexer.next()
    {
        return Object::Reference(Id { number, generation });
    }
    lexer.seek(before);
    Object::Integer(number)
}
