//! [`mv`]: a case under another name.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    CaseError, CaseName, Json,
    case::{AnyCaseFile, CaseErrorKind, write_at_once},
    cases::list,
};

/// Gives a case another name, and names the cases that are derived from it, whose `base` it is now.
///
/// # Errors
/// There is no such case, there is one of the new name, a case cannot be read (it may be derived
/// from this one), or a file cannot be written. All is then as it was.
pub(crate) fn mv(
    golden: &Path,
    from: &CaseName,
    to: &CaseName,
) -> Result<Vec<CaseName>, CaseError> {
    let [old, new] = [from, to].map(|name| golden.join(name.as_str()));
    let value = |path: &Path, why: &str| Err(CaseError::at(path, CaseErrorKind::Value(why.into())));
    if !old.is_dir() {
        return value(&old, "there is no such case");
    }
    // A link that leads nowhere takes the name, too.
    if new.symlink_metadata().is_ok() {
        return value(&new, "there is a case of that name: choose another, or remove it first");
    }
    let rebased = rebased(golden, from, to)?;
    let group = golden.join(to.group());
    fs::create_dir_all(&group).map_err(CaseError::io(&group))?;
    let done = fs::rename(&old, &new).map_err(CaseError::io(&old)).and_then(|()| {
        let written = write_all(&rebased);
        if written.is_err() {
            let _ = fs::rename(&new, &old);
        }
        written
    });
    // Groups without a case: the new one where it failed, the old one where this was its last.
    for group in [group, golden.join(from.group())] {
        let _ = fs::remove_dir(group);
    }
    done.map(|()| rebased.into_iter().map(|rebased| rebased.name).collect())
}

/// A derived case whose base gets another name.
#[derive(Debug)]
struct Rebased {
    name: CaseName,
    file: PathBuf,
    before: Vec<u8>,
    after: Vec<u8>,
}

/// The cases that are derived from one, as they are once that has another name.
fn rebased(golden: &Path, from: &CaseName, to: &CaseName) -> Result<Vec<Rebased>, CaseError> {
    let mut all = Vec::new();
    for name in list(golden, &[])? {
        let file = golden.join(name.as_str()).join("given/case.json");
        let before = match fs::read(&file) {
            Ok(before) => before,
            // What has no such file has no base.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(CaseError::io(file)(error)),
        };
        let unfit = |error| CaseError::at(&file, CaseErrorKind::Json(error));
        let case: AnyCaseFile = serde_json::from_slice(&before).map_err(unfit)?;
        if case.base.as_deref() != Some(from.as_str()) {
            continue;
        }
        let text = String::from_utf8_lossy(&before);
        let mut document = Json::parse(&text).map_err(unfit)?;
        if let Json::Object(fields) = &mut document {
            let bases = fields.iter_mut().filter(|(field, _)| field == "base");
            bases.for_each(|(_, base)| *base = Json::Text(to.to_string()));
        }
        all.push(Rebased { name, file, before, after: document.pretty().into_bytes() });
    }
    Ok(all)
}

/// Writes all, or none.
fn write_all(all: &[Rebased]) -> Result<(), CaseError> {
    for (count, Rebased { file, after, .. }) in all.iter().enumerate() {
        if let Err(error) = write_at_once(file, after) {
            for Rebased { file, before, .. } in all.iter().take(count) {
                let _ = write_at_once(file, before);
            }
            return Err(CaseError::io(file)(error));
        }
    }
    Ok(())
}
