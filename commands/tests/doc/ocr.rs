//! `doc ocr` where there is nothing to read with, or nothing that it reads.

use super::documents::{compound, docx, lines, paragraph, pdf, sales};
use crate::world::World;

#[test]
fn without_models_it_says_how_to_get_them() {
    let world = World::new();
    world.put("in/scan.pdf", pdf(&[&lines(20, 770, &["Minutes"])]));
    let run = world
        .exec("doc ocr --in in/scan.pdf --out out/text")
        .fails("NotSupported", &["the cargo feature `ocr`, and models", "`doc ocr --help`"]);
    assert_eq!(run.result["format"], "ocr");
    assert_eq!(run.result["platform"], std::env::consts::OS);
    assert_eq!(world.read("out/text"), None, "half a file was left");
    let help = world.exec("doc ocr --help").ok();
    assert!(help.envelope.stdout.contains("rapidocr-onnxruntime"));
}

#[test]
fn arguments_are_looked_at_before_models() {
    let world = World::new();
    world.put("in/scan.pdf", "");
    for (flags, named) in
        [("--max-pages 0", "1 to 500"), ("--max-pages 501", "1 to 500"), ("--lang xx", "chi_sim")]
    {
        world.exec(&format!("doc ocr --in in/scan.pdf {flags}")).fails("InvalidArgs", &[named]);
    }
    world.exec("doc ocr --in in/scan.pdf --out in/scan.pdf").fails("InvalidArgs", &["--out"]);
    world.exec("doc ocr --in in/none.pdf").fails("NotFound", &["in/none.pdf"]);
}

#[test]
fn what_is_no_scan_is_told_by_its_kind() {
    let world = World::new();
    for (content, code, format, hint) in [
        (docx(&paragraph("a")), "NotSupported", Some("docx"), "`doc extract`"),
        (sales(), "NotSupported", Some("xlsx"), "`doc extract`"),
        (compound("WordDocument"), "NotSupported", Some("doc"), "save it as docx"),
        (b"GIF89a".to_vec(), "NotSupported", Some("gif"), "png, jpg or tif"),
        (compound("EncryptedPackage"), "Encrypted", None, "password"),
    ] {
        world.put("in/scan", content);
        let run = world.exec("doc ocr --in in/scan --out out/text").fails(code, &[hint]);
        assert_eq!(run.result["format"].as_str(), format);
    }
}
