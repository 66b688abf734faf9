//! [`Chart`]: what a chart part says, its numbers as a table.
//!
//! Plain text has the title of a chart and what its legend names. Its scale and its numbers say
//! nothing without their places: they are in the table, which Markdown has.

use quick_xml::{
    Reader,
    escape::resolve_predefined_entity,
    events::{BytesStart, Event},
};

use super::super::{
    block::{Block, Kind, Place, Rendering},
    markdown::emphasis,
    sheets,
};

/// Bounds on what one chart is read for; real ones stay far below.
const MOST_SERIES: usize = 200;
const MOST_POINTS: usize = 2_000;
const MOST_CHARS: usize = 500;

#[derive(Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Chart {
    /// Its own first, then those of its axes.
    titles: Vec<String>,
    categories: Vec<String>,
    series: Vec<Series>,
    /// Its legend names the slices, which are its categories.
    is_pie: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Series {
    name: String,
    values: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Name,
    Category,
    Value,
    /// The size of bubbles, errors and the like.
    Other,
}

impl Chart {
    /// As far as it is well-formed.
    pub(in super::super) fn read(xml: &str) -> Self {
        let mut reader = Reader::from_str(xml);
        reader.config_mut().check_end_names = false;
        let mut reading = Reading::default();
        loop {
            match reader.read_event() {
                Ok(Event::Start(tag)) => reading.start(&tag),
                Ok(Event::Empty(tag)) => reading.empty(&tag),
                Ok(Event::End(tag)) => reading.end(tag.local_name().as_ref()),
                Ok(Event::Text(text)) => reading.text(&text.xml10_content()),
                Ok(Event::CData(text)) => reading.text(&text.xml10_content()),
                Ok(Event::GeneralRef(reference)) => match reference.resolve_char_ref() {
                    Ok(Some(character)) => reading.text(character.encode_utf8(&mut [0; 4])),
                    _ => reading.text(resolve_predefined_entity(&reference).unwrap_or_default()),
                },
                Ok(Event::Eof) | Err(_) => break,
                Ok(_) => {}
            }
        }
        reading.chart
    }

    pub(in super::super) fn blocks(&self, place: Place, rendering: Rendering) -> Vec<Block> {
        match rendering.is_plain() {
            true => self.words(place).into_iter().collect(),
            false => self
                .title(place, rendering)
                .into_iter()
                .chain(self.table(place, rendering))
                .collect(),
        }
    }

    fn words(&self, place: Place) -> Option<Block> {
        let mut legend: Vec<&str> = match self.is_pie {
            true => self.categories.iter().map(String::as_str).collect(),
            false => self.series.iter().map(|series| series.name.as_str()).collect(),
        };
        legend.retain(|name| !name.is_empty());
        let mut lines = self.titles.clone();
        lines.extend((!legend.is_empty()).then(|| legend.join(", ")));
        (!lines.is_empty()).then(|| Block::new(Kind::Paragraph, place, lines.join("\n")))
    }

    fn title(&self, place: Place, rendering: Rendering) -> Option<Block> {
        let titles: Vec<String> = self.titles.iter().map(|title| rendering.text(title)).collect();
        let titles = titles.join(" / ");
        let text = if rendering.is_markdown() { emphasis(&titles, "**") } else { titles };
        (!text.is_empty()).then(|| Block::new(Kind::Paragraph, place, text))
    }

    fn table(&self, place: Place, rendering: Rendering) -> Option<Block> {
        let longest = self.series.iter().map(|series| series.values.len()).max()?;
        let cell = |cells: &[String], index: usize| {
            rendering.text(cells.get(index).map_or("", String::as_str))
        };
        let mut head = vec![String::new()];
        head.extend(self.series.iter().map(|series| rendering.text(&series.name)));
        let mut rows = vec![head];
        for index in 0..longest.max(self.categories.len()) {
            let mut row = vec![cell(&self.categories, index)];
            row.extend(self.series.iter().map(|series| cell(&series.values, index)));
            rows.push(row);
        }
        Some(Block::table(place, rows))
    }
}

#[derive(Default)]
struct Reading {
    chart: Chart,
    /// How deep in `c:title`.
    titles: usize,
    title: String,
    series: Option<Series>,
    field: Option<Field>,
    /// The index of the point, where it says one.
    point: Option<usize>,
    /// What is between `v`, `t` or `formatCode` and its end.
    value: Option<String>,
    /// How the numbers of a list are shown, where it is one of numbers.
    format: Option<String>,
    /// Its dates count from 1904.
    is_1904: bool,
    /// The categories are those of the first series that has any.
    has_categories: bool,
}

impl Reading {
    fn start(&mut self, tag: &BytesStart<'_>) {
        match tag.local_name().as_ref() {
            "title" => self.titles += 1,
            "pieChart" | "pie3DChart" | "doughnutChart" | "ofPieChart" => self.chart.is_pie = true,
            "ser" => self.series = Some(Series::default()),
            "tx" if self.titles == 0 => self.field = Some(Field::Name),
            "cat" | "xVal" => self.field = Some(Field::Category),
            "val" | "yVal" => self.field = Some(Field::Value),
            "bubbleSize" | "errBars" | "trendline" | "dLbls" => self.field = Some(Field::Other),
            "pt" => {
                let index = tag.try_get_attribute("idx").ok().flatten();
                self.point = index.and_then(|index| index.value.trim().parse().ok());
            }
            "numCache" | "numLit" => self.format = Some(String::new()),
            "v" | "t" | "formatCode" => self.value = Some(String::new()),
            _ => {}
        }
    }

    /// As [`start`](Self::start), of an element without content.
    fn empty(&mut self, tag: &BytesStart<'_>) {
        if tag.local_name().as_ref() == "date1904" {
            let value = tag.try_get_attribute("val").ok().flatten();
            self.is_1904 = !value.is_some_and(|value| matches!(&*value.value, "0" | "false"));
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(value) = &mut self.value {
            let room = MOST_CHARS.saturating_sub(value.chars().count());
            value.extend(text.chars().take(room));
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "title" => {
                self.titles = self.titles.saturating_sub(1);
                let title = std::mem::take(&mut self.title);
                let title = title.trim();
                if !title.is_empty() && self.chart.titles.len() < 8 {
                    self.chart.titles.push(title.to_owned());
                }
            }
            // Paragraphs of a title.
            "p" if self.titles > 0 && !self.title.is_empty() => self.title.push(' '),
            "ser" => {
                if let Some(series) = self.series.take()
                    && self.chart.series.len() < MOST_SERIES
                {
                    self.chart.series.push(series);
                }
                self.has_categories |= !self.chart.categories.is_empty();
            }
            "tx" | "cat" | "xVal" | "val" | "yVal" | "bubbleSize" | "errBars" | "trendline"
            | "dLbls" => self.field = None,
            "pt" => self.point = None,
            "numCache" | "numLit" => self.format = None,
            "formatCode" => {
                let code = self.value.take();
                self.format = self.format.take().and(code);
            }
            "v" | "t" => {
                if let Some(value) = self.value.take() {
                    self.value(&value);
                }
            }
            _ => {}
        }
    }

    fn value(&mut self, value: &str) {
        if self.titles > 0 {
            if self.title.len() < 4 * MOST_CHARS {
                self.title.push_str(value);
            }
            return;
        }
        let Some(series) = &mut self.series else { return };
        let value = value.trim();
        let format = self.format.as_deref();
        let shown = |format: &str| number(value, format, self.is_1904);
        match self.field {
            Some(Field::Name) if series.name.is_empty() => value.clone_into(&mut series.name),
            Some(Field::Category) if !self.has_categories => {
                let category = format.map_or_else(|| value.to_owned(), shown);
                put(&mut self.chart.categories, self.point, category);
            }
            Some(Field::Value) => {
                put(&mut series.values, self.point, shown(format.unwrap_or_default()))
            }
            _ => {}
        }
    }
}

/// Points without a value are left out of a chart part: their places stay empty. A second level of
/// categories has the same indices and stands before the first.
fn put(values: &mut Vec<String>, index: Option<usize>, value: String) {
    let index = index.unwrap_or(values.len());
    if index >= MOST_POINTS {
        return;
    }
    if values.len() <= index {
        values.resize(index + 1, String::new());
    }
    if let Some(place) = values.get_mut(index) {
        *place = if place.is_empty() { value } else { format!("{value} {place}") };
    }
}

/// A date by ISO 8601, where the format is one of dates. `8.1999999999999993` is how 8.2 is stored.
fn number(value: &str, format: &str, is_1904: bool) -> String {
    let Some(number) = value.parse::<f64>().ok().filter(|number| number.is_finite()) else {
        return value.to_owned();
    };
    if let Some(date) = sheets::date(number, format, is_1904) {
        return date;
    }
    let short = number.to_string();
    if short.len() < value.len() { short } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHART: &str = r#"<c:chart xmlns:c="c" xmlns:a="a"><c:title><c:tx><c:rich>
        <a:p><a:r><a:t>Ducks &amp; geese</a:t></a:r></a:p></c:rich></c:tx></c:title>
        <c:plotArea><c:barChart>
        <c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>Ducks</c:v></c:pt></c:strCache></c:strRef></c:tx>
        <c:cat><c:strCache><c:pt idx="0"><c:v>Q1</c:v></c:pt><c:pt idx="1"><c:v>Q2</c:v></c:pt></c:strCache></c:cat>
        <c:val><c:numCache><c:formatCode>General</c:formatCode><c:pt idx="1"><c:v>8.1999999999999993</c:v></c:pt></c:numCache></c:val></c:ser>
        <c:ser><c:tx><c:v>Geese</c:v></c:tx><c:cat><c:pt idx="0"><c:v>Q1</c:v></c:pt></c:cat>
        <c:val><c:pt idx="0"><c:v>3</c:v></c:pt></c:val></c:ser></c:barChart></c:plotArea></c:chart>"#;

    #[test]
    fn plain_text_has_the_title_and_the_legend() {
        for (xml, words) in [
            (CHART.to_owned(), "Ducks & geese\nDucks, Geese"),
            (CHART.replace("barChart", "pieChart"), "Ducks & geese\nQ1, Q2"),
        ] {
            let blocks = Chart::read(&xml).blocks(Place::Slide(1), Rendering::Plain);
            let texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
            assert_eq!(texts, [words]);
        }
    }

    #[test]
    fn only_markdown_has_marks() {
        let chart = CHART.replace("Ducks", "D*cks");
        for (rendering, title, name) in [
            (Rendering::Markdown, "**D\\*cks & geese**", "D\\*cks"),
            (Rendering::Blocks, "D*cks & geese", "D*cks"),
        ] {
            let blocks = Chart::read(&chart).blocks(Place::Slide(1), rendering);
            let [shown, table] = blocks.as_slice() else { panic!("{blocks:?}") };
            assert_eq!((shown.text.as_str(), table.rows[0][1].as_str()), (title, name));
        }
    }

    #[test]
    fn markdown_has_the_numbers_as_a_table() {
        let blocks = Chart::read(CHART).blocks(Place::Slide(1), Rendering::Markdown);
        let rows = &blocks.last().unwrap().rows;
        assert_eq!(rows, &[["", "Ducks", "Geese"], ["Q1", "", "3"], ["Q2", "8.2", ""]]);
    }

    #[test]
    fn dates_of_an_axis_are_those_of_the_calendar() {
        let of = |before: &str| {
            format!(
                r#"<c>{before}<ser><cat><numRef><numCache><formatCode>yyyy\-mm\-dd</formatCode><pt idx="0"><v>45292.0</v></pt></numCache></numRef></cat>
                <val><numLit><formatCode>General</formatCode><pt idx="0"><v>45292.0</v></pt></numLit></val></ser></c>"#
            )
        };
        for (before, date) in [
            ("", "2024-01-01"),
            (r#"<date1904 val="0"/>"#, "2024-01-01"),
            (r#"<date1904 val="1"/>"#, "2028-01-02"),
        ] {
            let chart = Chart::read(&of(before));
            assert_eq!(
                (chart.categories[0].as_str(), chart.series[0].values[0].as_str()),
                (date, "45292")
            );
        }
    }

    #[test]
    fn a_point_far_out_makes_no_table_of_that_length() {
        let xml = r#"<c><ser><val><pt idx="4000000000"><v>1</v></pt></val></ser></c>"#;
        assert_eq!(Chart::read(xml).series.first().unwrap().values.len(), 0);
    }
}
