//! `doc ocr` where there is nothing to read with: the same with its engine and without.

use super::documents::{lines, pdf};
use crate::world::World;

#[test]
fn without_models_it_says_how_to_get_them() {
    let world = World::new();
    world.put("in/scan.pdf", pdf(&[&lines(20, 770, &["Minutes"])]));
    let run = world
        .exec("doc ocr --in in/scan.pdf --out out/text")
        .fails("NotSupported", &["no models", "feature `ocr`", "`doc ocr --help`"]);
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
