//! What stands where a block has one text: in a cell, a note, a header, a comment.

use std::collections::BTreeSet;

use office_oxide::docx::BlockElement;

use super::{
    super::block::{Place, Rendering, Stop},
    flow::{Flow, Hanging, Line},
    lists::Marker,
    table::cells,
};

impl<'d> Flow<'d, '_> {
    /// What stands in a cell, a note, a header: its paragraphs as lines. A table in it keeps its
    /// rows as lines, their cells a tab apart.
    pub(super) fn flat(&mut self, elements: &'d [BlockElement]) -> Result<String, Stop> {
        let mut lines = Vec::new();
        let mut numbers = Vec::new();
        self.flat_into(elements, &mut lines, &mut numbers)?;
        // A column of numbers that nobody typed.
        if lines.is_empty() {
            lines = numbers;
        }
        Ok(lines.join("\n"))
    }

    fn flat_into(
        &mut self,
        elements: &'d [BlockElement],
        lines: &mut Vec<String>,
        numbers: &mut Vec<String>,
    ) -> Result<(), Stop> {
        for element in elements {
            let paragraph = match element {
                BlockElement::Paragraph(paragraph) => paragraph,
                BlockElement::Table(table) => {
                    let mut merged = BTreeSet::new();
                    for row in &table.rows {
                        let mut texts = Vec::new();
                        for cell in cells(row, &mut merged).into_iter().flatten() {
                            texts.push(self.flat(&cell.content)?);
                        }
                        texts.retain(|text| !text.is_empty());
                        if !texts.is_empty() {
                            lines.push(texts.join("\t"));
                        }
                    }
                    continue;
                }
            };
            self.tick()?;
            let Line { text, before, after } = self.line(paragraph, false);
            self.flat_hanging(before, lines, numbers)?;
            match self.marker(paragraph.properties.as_ref()) {
                Some((_, Marker::Number(number))) if text.is_empty() => {
                    numbers.push(self.escaped(&number));
                }
                _ if text.is_empty() => {}
                Some((_, Marker::Number(number))) => {
                    lines.push(format!("{} {text}", self.escaped(&number)));
                }
                Some((_, Marker::Bullet)) if !self.rendering.is_plain() => {
                    lines.push(format!("\u{2022} {text}"));
                }
                _ => lines.push(text),
            }
            self.flat_hanging(after, lines, numbers)?;
        }
        Ok(())
    }

    fn flat_hanging(
        &mut self,
        hanging: Vec<Hanging<'d>>,
        lines: &mut Vec<String>,
        numbers: &mut Vec<String>,
    ) -> Result<(), Stop> {
        for hanging in hanging {
            match hanging {
                Hanging::TextBox(elements) => self.flat_into(elements, lines, numbers)?,
                Hanging::Words(words) => lines.extend(words.iter().map(|word| self.escaped(word))),
                Hanging::Chart(relation) => {
                    let chart = self.chart(relation);
                    let words = chart.map(|chart| chart.blocks(Place::Document, Rendering::Plain));
                    let words = words.unwrap_or_default();
                    lines.extend(words.iter().map(|words| self.escaped(&words.text)));
                }
            }
        }
        Ok(())
    }
}
