//! [`write_whole`]: a file that is replaced whole or not at all.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

/// Writes a file by the side and puts it in place; makes its folder. What is no file, as a pipe, is
/// written to as it is.
///
/// # Errors
/// The operating system refused; what was there is as it was.
pub(crate) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return fs::write(path, text);
    }
    // Not the link: what it leads to.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let mut beside = tempfile::Builder::new();
    // As any file that is made here, not for its owner alone.
    #[cfg(unix)]
    beside.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut beside = beside.tempfile_in(folder)?;
    beside.write_all(text.as_bytes())?;
    beside.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/report.html");
        write_whole(&file, "one").unwrap();
        write_whole(&file, "two").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "two");
        // A folder is in the way: nothing is left beside it.
        let folder = folder.path().join("deep");
        fs::create_dir(folder.join("taken")).unwrap();
        fs::write(folder.join("taken/inside"), "").unwrap();
        write_whole(&folder.join("taken"), "three").unwrap_err();
        let mut names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["report.html", "taken"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_leads_on_and_the_file_is_for_all_to_read() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        fs::write(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        write_whole(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let plain = folder.path().join("plain");
        fs::write(&plain, "").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&file), mode(&plain));
    }
}
