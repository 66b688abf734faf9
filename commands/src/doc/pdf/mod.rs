//! PDF documents into blocks, page by page.
//!
//! A PDF says where each character stands, not what is read after what. So the characters of a page
//! are gathered with their places ([`content`]), put into lines ([`line`], [`justified`]), without
//! heads and feet that pages repeat ([`running`], [`page_label`]); the lines into columns and what is
//! read by rows ([`column`], [`rows`]), in the order of reading; and those into paragraphs, headings
//! and lists ([`paragraph`]).
//!
//! The file itself is read here ([`file`] and below), with bounds on everything: depth, sizes,
//! numbers, circles. The library is asked for what takes knowledge instead of care: what the codes
//! of a font mean ([`font`]) and how a key is made ([`cipher`]).

mod accents;
mod annotations;
mod band;
mod bidi;
mod cff;
mod cipher;
mod column;
mod content;
mod damage;
mod dots;
mod file;
mod filters;
mod font;
mod font_file;
mod fonts;
mod glyph_names;
mod inline_image;
mod item;
mod justified;
mod lexer;
mod line;
mod mark;
mod matrix;
mod object;
mod page_label;
mod pages;
mod paragraph;
mod parse;
mod piece;
mod read;
mod remarks;
mod resolved;
mod rows;
mod running;
mod spaces;
mod state;
mod strings;
mod table;
mod unicode_map;
mod widths;
mod work;
mod xref;

#[cfg(test)]
mod tests;

pub(super) use read::read;
