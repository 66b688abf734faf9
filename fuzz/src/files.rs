//! Input as files: mutated as one text, read as many.
//!
//! ```text
//! === some/path
//! content, of which `"sha256 of PATH"` and `"bytes of PATH"` are replaced by hash and length of a
//! file further down: a mutated content is not refused for its hash at once
//! === other/path
//! …
//! ```
//!
//! [`input`] writes seeds in this form.

use std::{ffi::OsStr, fs, io, path::Path};

use sha2::{Digest as _, Sha256};

/// A file of the input.
#[derive(Clone, Debug)]
pub struct File {
    /// Relative, of plain names.
    pub path: String,
    /// With hashes and lengths of the files after it.
    pub content: Vec<u8>,
}

/// Reads the files of an input; those whose path leads elsewhere are left out.
pub fn files(input: &[u8]) -> Vec<File> {
    const HEAD: &[u8] = b"=== ";
    const MOST: usize = 24;

    let mut files: Vec<File> = Vec::new();
    for line in input.split_inclusive(|&byte| byte == b'\n') {
        let head = line.strip_prefix(HEAD).and_then(|head| head.strip_suffix(b"\n"));
        let path = head.and_then(|path| str::from_utf8(path).ok()).filter(|path| is_plain(path));
        match path.filter(|_| files.len() < MOST) {
            Some(path) => files.push(File { path: path.to_owned(), content: Vec::new() }),
            None => files.last_mut().map(|file| file.content.extend(line)).unwrap_or_default(),
        }
    }
    // The newline before a head is the head's.
    let last = files.len().saturating_sub(1);
    for file in files.iter_mut().take(last) {
        file.content.pop();
    }

    for place in (0..files.len()).rev() {
        let (before, after) = files.split_at_mut(place + 1);
        let Some(file) = before.last_mut() else { continue };
        file.content = resolved(&file.content, after);
    }
    files
}

impl File {
    /// Writes it below a folder.
    ///
    /// # Errors
    /// Another file of the input is in its way, or has its name.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let path = folder.join(&self.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, &self.content)
    }
}

/// Writes files as an input that [`files`] reads: what knows hash and length of a later file names
/// that file in their place.
pub fn input(files: &[File]) -> Vec<u8> {
    let mut input = Vec::new();
    for (place, file) in files.iter().enumerate() {
        let later = files.get(place + 1..).unwrap_or_default();
        let content = match str::from_utf8(&file.content) {
            Ok(text) => later.iter().fold(text.to_owned(), named).into_bytes(),
            Err(_) => file.content.clone(),
        };
        input.extend(format!("=== {}\n", file.path).into_bytes());
        input.extend(content);
        input.push(b'\n');
    }
    // The newline before a head is the head's, and none follows.
    input.pop();
    input
}

/// A text with the words for hash and length of a file.
fn named(text: String, file: &File) -> String {
    let File { path, content } = file;
    let mut named =
        text.replace(&format!("\"{}\"", sha256_hex(content)), &format!("\"sha256 of {path}\""));
    // Another length may be the same number, and then reads as the same.
    for (before, after) in [(": ", ","), (": ", "\n"), (":", ","), (":", "}")] {
        let length = format!("\"bytes\"{before}{}{after}", content.len());
        named = named.replace(&length, &format!("\"bytes\"{before}\"bytes of {path}\"{after}"));
    }
    named
}

/// SHA-256 in lower-case hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A content with hashes and lengths in place of the words for them.
fn resolved(content: &[u8], later: &[File]) -> Vec<u8> {
    let mut resolved = Vec::with_capacity(content.len());
    let mut texts = content.split(|&byte| byte == b'"');
    resolved.extend(texts.next().unwrap_or_default());
    // A word that was replaced takes the quote that ends it along, where a length stands.
    let mut is_quote_due = true;
    for text in texts {
        let of = |what: &[u8]| {
            let path = text.strip_prefix(what)?;
            later.iter().find(|file| file.path.as_bytes() == path)
        };
        let quote: &[u8] = if is_quote_due { b"\"" } else { b"" };
        is_quote_due = true;
        if let Some(file) = of(b"sha256 of ") {
            resolved.extend(quote);
            resolved.extend(sha256_hex(&file.content).bytes());
        } else if let Some(file) = of(b"bytes of ") {
            resolved.extend(file.content.len().to_string().bytes());
            is_quote_due = false;
        } else {
            resolved.extend(quote);
            resolved.extend(text);
        }
    }
    resolved
}

/// Whether a path stays below where it is put, whatever it is.
fn is_plain(path: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty() && part.len() <= 100 && !part.starts_with('.') && !part.contains('\0')
    };
    path.len() <= 300 && path.split('/').all(plain) && Path::new(OsStr::new(path)).is_relative()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_know_hash_and_length_of_those_after_them() {
        let input = b"lost\n=== a/1\n[\"sha256 of b\", \"bytes of b\"]\n=== ../c\n=== b\nxyz";
        let files = files(input);
        let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["a/1", "b"]);
        let wanted = format!("[\"{}\", 3]\n=== ../c", sha256_hex(b"xyz"));
        assert_eq!(String::from_utf8_lossy(&files[0].content), wanted);
        assert_eq!(files[1].content, b"xyz");
    }

    #[test]
    fn an_input_reads_as_the_files_it_was_made_of() {
        let hash = sha256_hex(b"{}");
        let file = |path: &str, content: &str| File {
            path: path.to_owned(),
            content: content.as_bytes().to_vec(),
        };
        let made = [
            file("a/b.json", &format!("{{\"bytes\": 2, \"sha256\": \"{hash}\"}}\n")),
            file("c", "{}"),
        ];
        let input = input(&made);
        let text = String::from_utf8_lossy(&input);
        assert!(text.contains(r#"{"bytes": "bytes of c", "sha256": "sha256 of c"}"#), "{text}");
        let read = files(&input);
        let pairs = |files: &[File]| -> Vec<_> {
            files.iter().map(|file| (file.path.clone(), file.content.clone())).collect()
        };
        assert_eq!(pairs(&read), pairs(&made));
    }
}
