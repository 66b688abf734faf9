//! [`find`]: the tables in a document, and the one that is meant.

use serde::Serialize;
use tapeline::{ErrorCode, Failure};

use super::{
    block::{Block, Kind, Rendering, Sink, Stop, Watch},
    docx,
    format::Format,
    pptx,
    sheets::{self, Book, Size},
    value::Value,
    warning::Warning,
};

/// Cells of a table, those of its gaps too.
pub(super) const MOST_CELLS: u64 = 20_000_000;

pub(super) fn too_many_cells() -> Failure {
    let message = format!("the table has more than {MOST_CELLS} cells");
    Failure::limit_exceeded("cells", MOST_CELLS, message).hint("`--max-rows` takes the first rows")
}

/// A table that is held whole; rows of any length.
pub(super) type Grid = Vec<Vec<Value>>;

/// Which table is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// A sheet by its name, or its number from 1.
    pub(super) sheet: Option<String>,
    /// From 1.
    pub(super) table: Option<u32>,
}

/// Tables, as far as they are read.
pub(super) enum Tables<'a> {
    /// Read whole.
    Grids(Vec<Grid>),
    /// A workbook: its rows are read one after the other.
    Workbook(Box<Book<'a>>),
}

/// A table and how large it is.
pub(super) struct Table {
    /// From 0, among all.
    pub(super) index: usize,
    /// Of a sheet.
    pub(super) name: Option<String>,
    pub(super) size: Size,
}

/// A row of `result.tables`.
#[derive(Serialize)]
struct Listed<'a> {
    index: usize,
    name: Option<&'a str>,
    rows: u32,
    columns: u32,
}

impl<'a> Tables<'a> {
    /// Reads a document as far as its tables need it.
    ///
    /// # Errors
    /// `NotSupported` for PDF; those of the readers.
    pub(super) fn of(bytes: &'a [u8], watch: &mut dyn Watch) -> Result<Self, Stop> {
        let format = Format::of(bytes)?;
        if format == Format::Pdf {
            let message = "a PDF has no tables, only text that stands as in one";
            return Err(Failure::new(ErrorCode::NOT_SUPPORTED, message)
                .hint(
                    "`doc extract` gives the text; take the table from the document it was made of",
                )
                .detail("platform", std::env::consts::OS)
                .detail("format", "pdf")
                .into());
        }
        let mut gathered = Gathered { watch, grids: Vec::new(), cells: 0 };
        match format {
            Format::Docx => docx::read(bytes, &mut gathered)?,
            Format::Pptx => pptx::read(bytes, &mut gathered)?,
            Format::Xlsx | Format::Pdf => {
                return Ok(Self::Workbook(Box::new(sheets::open(bytes, gathered.watch)?)));
            }
        }
        Ok(Self::Grids(gathered.grids))
    }

    /// The one that is meant.
    ///
    /// # Errors
    /// `InvalidArgs` where it has to be named, with the list in `tables`; `NotFound`.
    pub(super) fn choose(&mut self, choice: &Choice, watch: &mut dyn Watch) -> Result<Table, Stop> {
        match self {
            Self::Grids(grids) => Ok(choose_grid(grids, choice)?),
            Self::Workbook(book) => choose_sheet(book, choice, watch),
        }
    }
}

fn choose_grid(grids: &[Grid], choice: &Choice) -> Result<Table, Failure> {
    if choice.sheet.is_some() {
        return Err(Failure::new(ErrorCode::INVALID_ARGS, "only workbooks have sheets")
            .hint("say which table by `--table N`"));
    }
    let of_grid = |(index, grid): (usize, &Grid)| {
        let columns = grid.iter().map(Vec::len).max().unwrap_or_default();
        let size = Size { rows: limited(grid.len()), columns: limited(columns) };
        Table { index, name: None, size }
    };
    let mut tables = grids.iter().enumerate().map(of_grid);
    let Some(number) = choice.table else { return only(tables.collect(), "--table N") };
    let index = usize::try_from(number).unwrap_or(usize::MAX).checked_sub(1);
    index.and_then(|index| tables.nth(index)).ok_or_else(|| {
        let there = match grids.len() {
            0 => "there is none".to_owned(),
            1 => "there is 1".to_owned(),
            tables => format!("there are {tables}"),
        };
        let hint = match grids.len() {
            0 => "`doc extract` gives the text".to_owned(),
            1 => "leave `--table` away: the only table needs no number".to_owned(),
            tables => format!("`--table` takes a number from 1 to {tables}"),
        };
        Failure::new(ErrorCode::NOT_FOUND, format!("there is no table {number}: {there}"))
            .hint(hint)
    })
}

fn choose_sheet(
    book: &mut Book<'_>,
    choice: &Choice,
    watch: &mut dyn Watch,
) -> Result<Table, Stop> {
    let sheets: Vec<_> =
        book.sheets().iter().map(|sheet| (sheet.name.clone(), sheet.has_cells())).collect();
    let number = match (&choice.sheet, choice.table) {
        (Some(sheet), _) => sheet.parse().ok(),
        (None, number) => number,
    };
    let by_number = || usize::try_from(number?).ok()?.checked_sub(1);
    let by_name = |wanted: &String| sheets.iter().position(|(name, _)| name == wanted);
    let meant = choice.sheet.as_ref().and_then(by_name).or_else(by_number);
    if choice.sheet.is_none() && choice.table.is_none() {
        let mut tables = Vec::new();
        for (index, (name, _)) in sheets.into_iter().enumerate().filter(|(_, (_, cells))| *cells) {
            let size = book.size(index, watch)?;
            if size.rows > 0 {
                tables.push(Table { index, name: Some(name), size });
            }
        }
        let table = only(tables, "--sheet NAME")?;
        if let Some(sheet) = book.sheets().get(table.index) {
            sheet.tell_if_hidden(watch);
        }
        return Ok(table);
    }
    let Some((index, (name, has_cells))) =
        meant.and_then(|index| Some((index, sheets.get(index)?)))
    else {
        let wanted = choice.sheet.clone().unwrap_or_else(|| number.unwrap_or_default().to_string());
        let names = sheets.iter().map(|(name, _)| format!("`{name}`"));
        let message = format!("there is no sheet `{wanted}`");
        return Err(Failure::new(ErrorCode::NOT_FOUND, message)
            .hint(format!("the sheets are {}", some_of(names)))
            .into());
    };
    if !has_cells {
        let message = format!("the sheet `{name}` has no cells: it is a chart or a dialog");
        let hint = "name a sheet of cells, or leave `--sheet` away";
        return Err(Failure::new(ErrorCode::NOT_FOUND, message).hint(hint).into());
    }
    if let Some(sheet) = book.sheets().get(index) {
        sheet.tell_if_hidden(watch);
    }
    Ok(Table { index, name: Some(name.clone()), size: book.size(index, watch)? })
}

/// The table, where there is one alone.
fn only(mut tables: Vec<Table>, flag: &str) -> Result<Table, Failure> {
    if tables.len() > 1 {
        let listed: Vec<Listed<'_>> = tables
            .iter()
            .map(|Table { index, name, size }| Listed {
                index: index + 1,
                name: name.as_deref(),
                rows: size.rows,
                columns: size.columns,
            })
            .collect();
        let names = tables.iter().map(|table| match &table.name {
            Some(name) => format!("`{name}`"),
            None => (table.index + 1).to_string(),
        });
        let hint = format!("the tables are {}", some_of(names));
        let message = format!("there are {} tables: say which one by `{flag}`", tables.len());
        return Err(Failure::new(ErrorCode::INVALID_ARGS, message)
            .hint(hint)
            .detail("tables", listed));
    }
    tables.pop().ok_or_else(|| {
        Failure::new(ErrorCode::NOT_FOUND, "there is no table in it")
            .hint("`doc extract` gives the text")
    })
}

/// The first names of a list, each up to a length that a name has, and how many more there are.
fn some_of(names: impl ExactSizeIterator<Item = String>) -> String {
    const MOST_NAMES: usize = 10;
    const MOST_CHARS: usize = 60;

    let more = names.len().saturating_sub(MOST_NAMES);
    let short = |name: String| match name.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name,
    };
    let shown: Vec<String> = names.take(MOST_NAMES).map(short).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn limited(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Keeps the tables of a document, and nothing else of it.
struct Gathered<'a> {
    watch: &'a mut dyn Watch,
    grids: Vec<Grid>,
    cells: u64,
}

impl Watch for Gathered<'_> {
    fn go_on(&mut self, done: u64, total: Option<u64>) -> Result<(), Stop> {
        self.watch.go_on(done, total)
    }

    fn warn(&mut self, warning: Warning) {
        self.watch.warn(warning);
    }
}

impl Sink for Gathered<'_> {
    fn rendering(&self) -> Rendering {
        Rendering::Plain
    }

    fn count(&mut self, _count: u32) {}

    fn take(&mut self, block: Block) -> Result<(), Stop> {
        if block.kind != Kind::Table {
            return Ok(());
        }
        self.cells += block.rows.iter().map(|row| row.len() as u64).sum::<u64>();
        if self.cells > MOST_CELLS {
            return Err(too_many_cells().into());
        }
        let rows = block.rows.into_iter();
        self.grids.push(rows.map(|row| row.into_iter().map(Value::text).collect()).collect());
        Ok(())
    }

    fn room(&self) -> usize {
        usize::MAX
    }
}
