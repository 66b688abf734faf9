//! `table to-csv`: a table as CSV.

use std::{fmt, fmt::Write as _, str::FromStr};

use serde::Serialize;
use tapeline::{
    Capabilities, Command, Context, ErrorCode, Failure, Limits, Out, OutFile, Progress,
    Registration, Spec, WorkspacePath, async_trait, clap,
};

use super::{
    block::{Stop, Watch},
    csv_file::{CsvFile, Delimiter},
    grid, input,
    read::STACK_BYTES,
    sheets::{Row, RowSink},
    tables::{Choice, MOST_CELLS, Table, Tables, too_many_cells},
    value::Value,
    warning::Warning,
};

pub(super) const REGISTRATION: Registration = tapeline::registration::<ToCsv>();

tapeline::inventory::submit! { REGISTRATION }

#[derive(Default)]
struct ToCsv;

#[derive(clap::Args, Serialize)]
struct ToCsvArgs {
    /// The document: xlsx, docx or pptx in the workspace; `-` for JSON or Markdown on stdin.
    #[arg(long = "in", value_name = "PATH", allow_hyphen_values = true)]
    #[serde(rename = "in")]
    input: Input,

    #[command(flatten)]
    #[serde(flatten)]
    out: Out,

    /// The sheet of a workbook: its name, or its number from 1.
    #[arg(long, value_name = "NAME|N", conflicts_with = "table")]
    sheet: Option<String>,

    /// Which table, from 1.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_number)]
    table: Option<u32>,

    /// Between the fields of a line.
    #[arg(long, value_name = "NAME", default_value = "comma")]
    delimiter: Delimiter,

    /// So many rows at most.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_number)]
    max_rows: Option<u32>,
}

/// Where the table comes from.
#[derive(Clone, Debug)]
enum Input {
    Stdin,
    File(WorkspacePath),
}

impl Input {
    fn path(&self) -> Option<&WorkspacePath> {
        match self {
            Self::Stdin => None,
            Self::File(path) => Some(path),
        }
    }
}

#[derive(Serialize)]
struct ToCsvOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    sheet: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<usize>,
    rows: u64,
    columns: u32,
    truncated: bool,
    warnings: Vec<Warning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<String>,
    #[serde(skip)]
    preview: String,
}

#[async_trait]
impl Command for ToCsv {
    type Args = ToCsvArgs;
    type Output = ToCsvOutput;

    fn spec() -> Spec {
        Spec::new("table to-csv", "a table of a workbook, document or text as CSV")
            .long_help(
                "\
Writes CSV by RFC 4180 to `--out`, a file named `.csv`, `.tsv` or `.txt`; stdout shows the first
rows. Values are as they are stored, not as they are shown: numbers with all their digits, dates by
ISO 8601, `true` and `false`, errors as their text. Of merged cells the first has the value. Rows
are streamed: a sheet may have a million.

Of several tables one is named: `--sheet NAME` or `--sheet N` of a workbook, `--table N` of others.
Without that, `InvalidArgs` lists them in `result.tables`.

`--in -` reads stdin: a JSON array of flat objects, or a Markdown table.

`warnings` tell of integers over 2^53, which spreadsheets round (`LargeInteger`), and of text that
begins with `=`, `+`, `-` or `@`, which they would compute (`FormulaLikeText`): it is written as it
is. PDF has no tables (`NotSupported`).",
            )
            .example(
                "table to-csv --in inbox/sales.xlsx --sheet Sales --out artifacts/table/sales.csv",
                "a sheet of a workbook",
            )
            .example(
                "table to-csv --in inbox/report.docx --table 1 --delimiter semicolon --out artifacts/table/regions.csv",
                "a table of a text, with semicolons",
            )
            .example(
                "table to-csv --in - --out artifacts/table/rows.csv",
                "JSON or a Markdown table from stdin",
            )
            .capabilities(Capabilities::none().read_files())
            .limits(Limits::UNBOUNDED)
            .takes_stdin_by_dash()
            .error_codes(&[
                ErrorCode::NOT_FOUND,
                ErrorCode::ENCRYPTED,
                ErrorCode::PARSE_ERROR,
            ])
    }

    async fn run(&self, args: ToCsvArgs, door: &Context) -> Result<ToCsvOutput, Failure> {
        let ToCsvArgs { input, out, sheet, table, delimiter, max_rows } = args;
        input::check_out(input.path(), &out, input::TABLE_SUFFIXES)?;
        let source = match &input {
            Input::Stdin => Source::Text(stdin(door)?),
            Input::File(path) => Source::Document(input::read(path, door)?),
        };
        let file = out.open(door).await?;
        let order = Order {
            choice: Choice { sheet, table },
            delimiter,
            max_rows: max_rows.map_or(u64::MAX, u64::from),
            file,
            description: format!("a table of {input} as CSV"),
        };
        let output = door
            .worker(STACK_BYTES, move |door| {
                let mut watch = OnDoor { door, warnings: Vec::new() };
                convert(&source, order, &mut watch)
            })
            .await?
            .map_err(|stop| match stop {
                Stop::Failed(failure) => failure,
                Stop::Cancelled | Stop::Full => {
                    Failure::new(ErrorCode::CANCELLED, "the reading was stopped")
                }
            })?;
        for warning in &output.warnings {
            door.stderr().line(&format!("warning: {warning}"));
        }
        door.stdout().text(&output.preview);
        door.stdout().text(&summary(&output));
        Ok(output)
    }
}

/// What a table is taken from.
enum Source {
    Text(String),
    Document(Vec<u8>),
}

/// What is wanted of it.
struct Order {
    choice: Choice,
    delimiter: Delimiter,
    max_rows: u64,
    file: Option<OutFile>,
    description: String,
}

/// # Errors
/// [`Stop`], which is never [`Stop::Full`].
fn convert(source: &Source, order: Order, watch: &mut OnDoor<'_>) -> Result<ToCsvOutput, Stop> {
    let mut tables = match source {
        Source::Text(text) => Tables::Grids(grid::tables(text)?),
        Source::Document(bytes) => Tables::of(bytes, watch)?,
    };
    let Order { choice, delimiter, max_rows, file, description } = order;
    let Table { index, name, size } = tables.choose(&choice, watch)?;
    let columns = usize::try_from(size.columns).unwrap_or(usize::MAX);
    let csv = CsvFile::new(file, columns, delimiter);
    let total = u64::from(size.rows).min(max_rows);
    if total.saturating_mul(u64::from(size.columns)) > MOST_CELLS {
        return Err(too_many_cells().into());
    }
    let mut rows = Rows { csv, max_rows, total, watch };
    let written = match tables {
        Tables::Workbook(mut book) => book.rows(index, size, &mut rows),
        Tables::Grids(grids) => {
            grids.get(index).into_iter().flatten().try_for_each(|row| rows.push(row))
        }
    };
    let truncated = match written {
        Ok(()) => false,
        Err(Stop::Full) => true,
        Err(stop) => return Err(stop),
    };
    let Rows { csv, .. } = rows;
    let written = csv.finish(&description)?;
    watch.warnings.extend(written.warnings);
    Ok(ToCsvOutput {
        table: name.is_none().then_some(index + 1),
        sheet: name,
        rows: written.rows,
        columns: size.columns,
        truncated,
        warnings: std::mem::take(&mut watch.warnings),
        out: written.out,
        preview: written.preview,
    })
}

/// Rows on their way to the file.
struct Rows<'a, 'b> {
    csv: CsvFile,
    max_rows: u64,
    /// Rows that there will be.
    total: u64,
    watch: &'a mut OnDoor<'b>,
}

impl Rows<'_, '_> {
    fn push(&mut self, row: &[Value]) -> Result<(), Stop> {
        /// The run is asked again after so many rows.
        const ROWS: u64 = 1000;

        let done = self.csv.rows();
        if done >= self.max_rows {
            return Err(Stop::Full);
        }
        if done.is_multiple_of(ROWS) {
            self.watch.tell("rows", done, Some(self.total))?;
        }
        Ok(self.csv.push(row)?)
    }
}

impl Watch for Rows<'_, '_> {
    fn go_on(&mut self, _done: u64, _total: Option<u64>) -> Result<(), Stop> {
        // Rows tell how far it is.
        self.watch.tell("rows", self.csv.rows(), Some(self.total))
    }

    fn warn(&mut self, warning: Warning) {
        self.watch.warn(warning);
    }
}

impl RowSink for Rows<'_, '_> {
    fn take(&mut self, row: Row) -> Result<(), Stop> {
        self.push(&row.cells)
    }
}

/// Tells the door how far it is, and asks it whether to go on.
struct OnDoor<'a> {
    door: &'a Context,
    warnings: Vec<Warning>,
}

impl OnDoor<'_> {
    fn tell(&self, what: &str, done: u64, total: Option<u64>) -> Result<(), Stop> {
        self.door.progress(Progress { done, total, what: what.to_owned() });
        if self.door.cancelled() { Err(Stop::Cancelled) } else { Ok(()) }
    }
}

impl Watch for OnDoor<'_> {
    fn go_on(&mut self, done: u64, total: Option<u64>) -> Result<(), Stop> {
        // Nothing is written yet: it is looked how large the table is.
        self.tell("measuring", done, total)
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}

/// # Errors
/// `InvalidArgs` without stdin.
fn stdin(door: &Context) -> Result<String, Failure> {
    door.stdin().map(str::to_owned).ok_or_else(|| {
        Failure::new(ErrorCode::INVALID_ARGS, "`--in -` reads stdin, and there is none")
            .hint("give the table as stdin, or name a file")
    })
}

/// # Errors
/// It is no number from 1 on.
fn parse_number(text: &str) -> Result<u32, &'static str> {
    text.parse().ok().filter(|number| *number > 0).ok_or("it is no whole number from 1 on")
}

/// What stands below the first rows.
fn summary(output: &ToCsvOutput) -> String {
    let count =
        |number: u64, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    let mut text = match (&output.sheet, output.table) {
        (Some(sheet), _) => format!("{sheet}: "),
        (None, Some(table)) => format!("table {table}: "),
        (None, None) => String::new(),
    };
    let rows = count(output.rows, "row");
    let columns = count(output.columns.into(), "column");
    let first = if output.truncated { "the first " } else { "" };
    let _ = match &output.out {
        Some(out) => writeln!(text, "{first}{rows}, {columns}, in {out}"),
        None => writeln!(text, "{first}{rows}, {columns}; `--out` writes them to a file"),
    };
    text
}

impl FromStr for Input {
    type Err = <WorkspacePath as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "-" => Ok(Self::Stdin),
            path => path.parse().map(Self::File),
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => formatter.write_str("stdin"),
            Self::File(path) => path.fmt(formatter),
        }
    }
}

impl Serialize for Input {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Stdin => serializer.serialize_str("-"),
            Self::File(path) => path.serialize(serializer),
        }
    }
}
