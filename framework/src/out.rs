//! [`Out`]: the `--out P [--overwrite]` argument group, for every command that writes a file of the
//! caller's choice.

use std::fmt;

use clap::ArgAction;
use serde::Serialize;

use crate::{
    Context, ErrorCode, Failure,
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
#[derive(Clone, Debug, Default, clap::Args, Serialize)]
#[group(id = "tapeline-out")]
pub struct Out {
    /// Write the whole of it to this file in the workspace.
    #[arg(long, value_name = "PATH")]
    pub out: Option<WorkspacePath>,
    /// Replace an existing file; asks for approval.
    #[arg(long, requires = "out", action = ArgAction::SetTrue)]
    pub overwrite: bool,
}

/// Whether a parser has the group.
pub(crate) fn is_used_by(parser: &clap::Command) -> bool {
    parser.get_groups().any(|group| group.get_id() == GROUP)
}

impl Out {
    /// Makes sure the file can be written, before any work is done for it; `None` without `--out`.
    ///
    /// # Errors
    /// `OutExists`, `ApprovalRequired`, `ApprovalDenied`, and those of
    /// [`Files::write`](crate::Files::write).
    pub async fn open(&self, door: &Context) -> Result<Option<OutFile>, Failure> {
        let Some(path) = &self.out else { return Ok(None) };
        let files = door.workspace()?;
        files.may_write()?;
        match door.run.effect(|| Ok(files.start(path, IfExists::Refuse)))? {
            Ok(writer) => return Ok(Some(OutFile { door: door.clone(), writer })),
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
        Ok(Some(OutFile { door: door.clone(), writer }))
    }
}

/// The file of `--out`, ready to be written.
pub struct OutFile {
    door: Context,
    writer: FileWriter,
}

impl OutFile {
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
}

impl fmt::Debug for OutFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("OutFile").field(&self.writer).finish()
    }
}
