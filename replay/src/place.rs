//! [`resolved`] and [`default_pending`]: where folders lie.

use std::path::{Component, Path, PathBuf};

/// A path without links, as far as there is something.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let found = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let Some((above, mut resolved)) = found else { return path };
    for component in path.strip_prefix(above).unwrap_or(Path::new("")).components() {
        match component {
            Component::ParentDir => drop(resolved.pop()),
            component => resolved.push(component),
        }
    }
    resolved
}

/// `target/replay-pending` beside the folder of the cases.
pub(crate) fn default_pending(golden: &Path) -> PathBuf {
    // Of `.` the path alone does not tell what is beside it.
    let golden = match golden.file_name() {
        Some(_) => golden.to_owned(),
        None => golden.canonicalize().unwrap_or_else(|_| golden.to_owned()),
    };
    golden.parent().unwrap_or(Path::new("")).join("target/replay-pending")
}
