//! Real documents, and hostile ones, where a folder of them is given.
#![expect(clippy::disallowed_methods, reason = "a test reads the folder it is pointed at")]

use std::{env, fs, path::PathBuf};

use crate::world::World;

#[test]
fn every_document_is_read_or_refused_by_a_declared_code() {
    let Some(corpus) = env::var_os("TAPELINE_CORPUS") else {
        println!("skipped: TAPELINE_CORPUS is not set");
        return;
    };
    let folder = PathBuf::from(corpus).join("docs");
    let mut read = 0;
    for format in ["docx", "pdf", "pptx", "xlsx"] {
        for entry in fs::read_dir(folder.join(format)).unwrap() {
            let path = entry.unwrap().path();
            let world = World::new();
            world.put("in/document", fs::read(&path).unwrap());
            for mode in ["text", "md", "json"] {
                let line = format!("doc extract --in in/document --out out/{mode} --mode {mode}");
                // It holds the envelope and its code to what the command declares.
                let run = world.exec(&line);
                let code = run.envelope.error_code.as_deref();
                assert_ne!(code, Some("Internal"), "{} in {mode}", path.display());
                read += usize::from(code.is_none());
            }
        }
    }
    assert!(read > 60 * 3, "only {read} texts");
}
