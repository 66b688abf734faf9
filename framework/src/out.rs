//! [`Out`]: the `--out P [--overwrite]` argument group, for every command that writes a file of the
//! caller's choice.

use std::fmt;

use clap::{ArgAction, ArgGroup};
use serde::Serialize;

use crate::{
    Context, ErrorCode, Failure, Written,
    door::{FileWriter, workspace_failure},
    workspace::{IfExists, WorkspaceFaultKind, WorkspacePath},
};

const GROUP: &str = "tapeline-out";

/// Where a file goes that the caller asked for. Flatten it into a command's arguments; the
/// command then declares `WriteFiles` and `HighRisk` by itself.
///
/// An existing target is `OutExists` without `--overwrite`, and asks for approval with it.
///
/// ```
/// use tapeline::clap;
///
/// #[derive(clap::Args, serde::Serialize)]
/// struct SaveArgs {
///     #[command(flatten)]
///     #[serde(flatten)]
///     out: tapeline::Out,
/// }
/// ```
///
/// A command that writes a second file says so in an argument of its own; `--overwrite` counts for
/// both. [`Out::open_also`] opens it, and [`OutFile::finish_all`] writes both or none.
///
/// ```
/// use tapeline::{WorkspacePath, clap};
///
/// #[derive(clap::Args, serde::Serialize)]
/// struct SaveArgs {
///     #[command(flatten)]
///     #[serde(flatten)]
///     out: tapeline::Out,
///     /// Keep the original, too.
///     #[arg(long, value_name = "PATH", group = tapeline::Out::FILES)]
///     raw_out: Option<WorkspacePath>,
/// }
/// ```
#[derive(Clone, Debug, Default, clap::Args, Serialize)]
#[group(id = "tapeline-out")]
// Made here, since clap would make one whose members exclude each other.
#[command(group = ArgGroup::new(Out::FILES).multiple(true))]
pub struct Out {
    /// Write the whole of it to this file in the workspace.
    #[arg(long, value_name = "PATH", group = Out::FILES)]
    pub out: Option<WorkspacePath>,
    /// Replace an existing file; asks for approval.
    #[arg(long, requires = Out::FILES, action = ArgAction::SetTrue)]
    pub overwrite: bool,
}

/// Whether a parser has the group.
pub(crate) fn is_used_by(parser: &clap::Command) -> bool {
    parser.get_groups().any(|group| group.get_id() == GROUP)
}

impl Out {
    /// The group of arguments that name a file: one of them must be there for `--overwrite`.
    pub const FILES: &str = "tapeline-out-files";

    /// Makes sure the file can be written, before any work is done for it; `None` without `--out`.
    ///
    /// # Errors
    /// `OutExists`, `ApprovalRequired`, `ApprovalDenied`, and those of
    /// [`Files::write`](crate::Files::write).
    pub async fn open(&self, door: &Context) -> Result<Option<OutFile>, Failure> {
        match &self.out {
            Some(path) => self.open_also(path, door).await.map(Some),
            None => Ok(None),
        }
    }

    /// As [`open`](Self::open), for another file of the caller's choice.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_also(
        &self,
        path: &WorkspacePath,
        door: &Context,
    ) -> Result<OutFile, Failure> {
        let files = door.workspace()?;
        files.may_write()?;
        match door.run.effect(|| Ok(files.start(path, IfExists::Refuse)))? {
            Ok(writer) => return Ok(OutFile { door: door.clone(), writer, replaces: false }),
            Err(fault) if fault.kind == WorkspaceFaultKind::Exists => {}
            Err(fault) => return Err(workspace_failure(path, "write", &fault)),
        }
        if !self.overwrite {
            return Err(Failure::new(ErrorCode::OUT_EXISTS, format!("`{path}` exists already"))
                .hint("name another file, or add `--overwrite`")
                .detail("path", path));
        }
        door.approve(&format!("overwrite `{path}`")).await?;
        let writer = files.create(path)?;
        Ok(OutFile { door: door.clone(), writer, replaces: true })
    }
}

/// The file of `--out`, ready to be written.
pub struct OutFile {
    door: Context,
    writer: FileWriter,
    /// A file is there already.
    replaces: bool,
}

/// A file of the caller's choice and what goes there.
#[derive(Debug)]
pub struct OutPart<'a> {
    /// Where it goes.
    pub file: OutFile,
    /// All of it.
    pub content: &'a [u8],
    /// Media type.
    pub mime: &'a str,
    /// What it is, for people.
    pub description: &'a str,
}

impl OutFile {
    /// Adds content that is written bit by bit; [`finish`](Self::finish) then adds the rest, or
    /// nothing, and puts the file in place. Dropped before that, it leaves nothing.
    ///
    /// # Errors
    /// As [`Files::write`](crate::Files::write).
    pub fn append(&mut self, content: &[u8]) -> Result<(), Failure> {
        self.writer.append(content)
    }

    /// Writes the content, puts it in place at once and names it an artifact; gives the path for
    /// `result.out`.
    ///
    /// # Errors
    /// As [`Files::write`](crate::Files::write).
    pub fn finish(
        mut self,
        content: &[u8],
        mime: &str,
        description: &str,
    ) -> Result<String, Failure> {
        self.writer.append(content)?;
        let written = self.writer.commit()?;
        let path = written.path.to_string();
        self.door.artifact(written, mime, description);
        Ok(path)
    }

    /// Writes several files; when one cannot be written none is left. Only an older file that was
    /// replaced before another one failed to take its place is not brought back. Gives the paths,
    /// in the order of the parts.
    ///
    /// # Errors
    /// As [`Files::write`](crate::Files::write).
    pub fn finish_all(parts: Vec<OutPart<'_>>) -> Result<Vec<String>, Failure> {
        let mut whole = Vec::new();
        for mut part in parts {
            part.file.writer.append(part.content)?;
            whole.push(part);
        }
        let mut placed = Vec::new();
        for OutPart { file, mime, description, .. } in whole {
            let Self { door, writer, replaces } = file;
            match writer.commit() {
                Ok(written) => placed.push((door, written, replaces, mime, description)),
                Err(failure) => {
                    for (door, written, replaces, ..) in placed {
                        if !replaces {
                            // The failure is told; that a file is left behind shows in the tree.
                            let _ = door.workspace().and_then(|files| files.remove(&written.path));
                        }
                    }
                    return Err(failure);
                }
            }
        }
        let name = |(door, written, _, mime, description): (Context, Written, bool, &str, &str)| {
            let path = written.path.to_string();
            door.artifact(written, mime, description);
            path
        };
        Ok(placed.into_iter().map(name).collect())
    }
}

impl fmt::Debug for OutFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("OutFile").field(&self.writer).finish()
    }
}
