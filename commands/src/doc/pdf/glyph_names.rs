//! Names of glyphs that say nothing: `/g12` may be any letter.

use std::collections::BTreeSet;

use pdf_oxide::fonts::CharacterMapper;

use super::file::File;
use super::object::Object;

/// Codes of a simple font whose names, by its encoding, are known to nobody but the font.
pub(super) fn unknown(file: &File<'_>, encoding: &Object, font_name: &str) -> BTreeSet<u8> {
    let mut unknown = BTreeSet::new();
    // Fonts of signs have names of their own, which are known all the same.
    if ["Dingbats", "Symbol", "Wingdings", "Webdings"].iter().any(|name| font_name.contains(name)) {
        return unknown;
    }
    let Some(encoding) = encoding.dictionary() else { return unknown };
    let differences = file.entry(encoding, "Differences");
    let mapper = CharacterMapper::new();
    let mut code: i64 = 0;
    for item in differences.array().unwrap_or_default() {
        match item {
            Object::Integer(first) => code = *first,
            Object::Name(name) => {
                if let Ok(code) = u8::try_from(code)
                    && !is_known(&mapper, name)
                {
                    unknown.insert(code);
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    unknown
}

/// Whether a TrueType program says of its glyphs which characters they are.
pub(super) fn has_unicode_table(program: &[u8]) -> bool {
    let short = |at: usize| {
        let bytes = program.get(at..at.checked_add(2)?)?;
        Some(bytes.iter().fold(0, |value, &byte| value << 8 | usize::from(byte)))
    };
    let find =
        || {
            let tables = short(4)?;
            let entry = (0..tables)
                .map(|index| 12 + index * 16)
                .find(|&at| program.get(at..at + 4) == Some(b"cmap"))?;
            let cmap = short(entry + 8)? << 16 | short(entry + 10)?;
            let kinds = (0..short(cmap + 2)?).map(|index| cmap + 4 + index * 8);
            Some(kinds.into_iter().any(|at| {
                matches!((short(at), short(at + 2)), (Some(0), _) | (Some(3), Some(1 | 10)))
            }))
        };
    find().unwrap_or(false)
}

fn is_known(mapper: &CharacterMapper, name: &str) -> bool {
    name == ".notdef"
        || mapper.map_glyph_name(name).is_some()
        || name.split(['_', '.']).take(1).all(|part| mapper.map_glyph_name(part).is_some())
        || name.strip_prefix("uni").or_else(|| name.strip_prefix('u')).is_some_and(|number| {
            number.len() >= 4 && number.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}
