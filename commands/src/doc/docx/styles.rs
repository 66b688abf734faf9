//! What a paragraph or a run takes from its style.

use std::{cell::RefCell, collections::BTreeMap};

use office_oxide::docx::{
    ParagraphProperties, RunProperties, Style, StyleSheet, formatting::NumberingRef,
};

/// Styles that follow from others in a circle are followed so far.
const MOST_ANCESTORS: usize = 20;

pub(super) struct Styles<'d> {
    sheet: Option<&'d StyleSheet>,
    known: RefCell<BTreeMap<&'d str, Resolved>>,
}

/// A style with what it inherits.
#[derive(Clone, Copy, Debug, Default)]
struct Resolved {
    bold: Option<bool>,
    italic: Option<bool>,
    hidden: Option<bool>,
    heading: Option<u8>,
    /// List and level.
    numbering: Option<(u32, u8)>,
    /// How deep its items lie, by its name.
    depth: Option<u8>,
}

impl<'d> Styles<'d> {
    pub(super) fn new(sheet: Option<&'d StyleSheet>) -> Self {
        Self { sheet, known: RefCell::default() }
    }

    /// 1 to 6, if it is a heading.
    pub(super) fn heading(&self, properties: Option<&ParagraphProperties>) -> Option<u8> {
        let properties = properties?;
        let own = properties.outline_level.map(|level| level.saturating_add(1));
        let level = own.or_else(|| self.style(properties.style_id.as_deref()).heading)?;
        Some(level.clamp(1, 6))
    }

    /// The list (never 0) and the level of an item.
    pub(super) fn numbering(&self, properties: Option<&ParagraphProperties>) -> Option<(u32, u8)> {
        let properties = properties?;
        let inherited = self.style(properties.style_id.as_deref()).numbering;
        let numbering = overlaid(properties.numbering_ref.as_ref(), inherited)?;
        (numbering.0 != 0).then_some(numbering)
    }

    /// How deep an item of a level lies. The lists of Word's own styles have one level each, and
    /// `List Bullet 2` lies below `List Bullet` all the same.
    pub(super) fn depth(&self, properties: Option<&ParagraphProperties>, level: u8) -> u8 {
        let by_style = properties.filter(|found| found.numbering_ref.is_none());
        let named = by_style.and_then(|found| self.style(found.style_id.as_deref()).depth);
        if level == 0 { named.unwrap_or(0) } else { level.min(8) }
    }

    /// Bold and italic, or nothing for text that is not shown. What a paragraph's style makes of all
    /// its text is no emphasis.
    pub(super) fn look(
        &self,
        paragraph: Option<&ParagraphProperties>,
        run: Option<&RunProperties>,
    ) -> Option<(bool, bool)> {
        let of_paragraph =
            self.style(paragraph.and_then(|paragraph| paragraph.style_id.as_deref()));
        let Some(run) = run else {
            return (of_paragraph.hidden != Some(true)).then_some((false, false));
        };
        let style = self.style(run.style_id.as_deref());
        let hidden = run.hidden.or(style.hidden).or(of_paragraph.hidden);
        let bold = run.bold.or(style.bold).unwrap_or(false);
        let italic = run.italic.or(style.italic).unwrap_or(false);
        (hidden != Some(true)).then_some((bold, italic))
    }

    fn style(&self, id: Option<&str>) -> Resolved {
        let found = id.zip(self.sheet).and_then(|(id, sheet)| sheet.styles.get_key_value(id));
        let Some((id, style)) = found else { return Resolved::default() };
        if let Some(known) = self.known.borrow().get(id.as_str()) {
            return *known;
        }
        let resolved = self.resolve(style);
        self.known.borrow_mut().insert(id, resolved);
        resolved
    }

    fn resolve(&self, style: &Style) -> Resolved {
        let mut resolved = Resolved::default();
        // Below the numbering of a style that says no more than its level.
        let mut level = None;
        let mut is_numbered = false;
        let mut next = Some(style);
        for _ in 0..MOST_ANCESTORS {
            let Some(style) = next else { break };
            if let Some(run) = &style.run_properties {
                resolved.bold = resolved.bold.or(run.bold);
                resolved.italic = resolved.italic.or(run.italic);
                resolved.hidden = resolved.hidden.or(run.hidden);
            }
            let properties = style.paragraph_properties.as_ref();
            let outline = properties.and_then(|properties| properties.outline_level);
            let heading = outline.map(|level| level.saturating_add(1));
            let by_name = || style.name.as_deref().and_then(heading_by_name);
            resolved.heading = resolved.heading.or(heading).or_else(by_name);
            let name = style.name.as_deref().unwrap_or(&style.style_id);
            resolved.depth = resolved.depth.or_else(|| depth_by_name(name));
            if let Some(found) = properties.and_then(|properties| properties.numbering_ref.as_ref())
                && !is_numbered
            {
                let deepest = *level.get_or_insert(found.ilvl);
                is_numbered = found.num_id != 0 || found.ilvl == 0;
                resolved.numbering = is_numbered.then_some((found.num_id, deepest));
            }
            let parent = style.based_on.as_deref();
            next = parent.zip(self.sheet).and_then(|(id, sheet)| sheet.styles.get(id));
        }
        resolved
    }
}

/// A level without a list is a level of the list that the style names; 0 without a level ends it.
fn overlaid(own: Option<&NumberingRef>, inherited: Option<(u32, u8)>) -> Option<(u32, u8)> {
    match own {
        None => inherited,
        Some(own) if own.num_id == 0 && own.ilvl > 0 => inherited.map(|(list, _)| (list, own.ilvl)),
        Some(own) => Some((own.num_id, own.ilvl)),
    }
}

/// Word keeps the names of its own styles in English whatever its language; other programs do not.
fn heading_by_name(name: &str) -> Option<u8> {
    const WORDS: &[&str] = &[
        "heading",
        "überschrift",
        "titre",
        "título",
        "titulo",
        "titolo",
        "kop",
        "rubrik",
        "overskrift",
        "otsikko",
        "nagłówek",
        "nadpis",
        "заголовок",
        "标题",
        "標題",
        "見出し",
        "제목",
    ];
    let name = name.trim().to_lowercase();
    if name.len() > 60 {
        return None;
    }
    if name == "title" {
        return Some(1);
    }
    let rest = WORDS.iter().find_map(|word| name.strip_prefix(word))?;
    rest.trim().parse().ok().filter(|level| (1..=9).contains(level))
}

/// 0 to 4, of Word's own styles for items.
fn depth_by_name(name: &str) -> Option<u8> {
    let name = name.to_ascii_lowercase().replace(' ', "");
    let rest = ["listbullet", "listnumber"].iter().find_map(|kind| name.strip_prefix(kind))?;
    match rest {
        "" => Some(0),
        number => number.parse().ok().filter(|number| (2..=5).contains(number)).map(|n: u8| n - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::{depth_by_name, heading_by_name};

    #[test]
    fn knows_how_deep_items_lie_by_name() {
        let names =
            [("List Bullet", Some(0)), ("ListNumber3", Some(2)), ("list bullet 5", Some(4))];
        let unknown = [("List Bullet 6", None), ("List Bullet 1", None), ("List 2", None)];
        for (name, depth) in names.into_iter().chain(unknown) {
            assert_eq!(depth_by_name(name), depth, "{name}");
        }
    }

    #[test]
    fn knows_headings_by_name() {
        let known =
            [("heading 2", Some(2)), ("标题 1", Some(1)), ("Titre3", Some(3)), ("Title", Some(1))];
        let unknown =
            [("heading", None), ("TOC Heading", None), ("heading 10", None), ("titre", None)];
        for (name, level) in known.into_iter().chain(unknown) {
            assert_eq!(heading_by_name(name), level, "{name}");
        }
    }
}
