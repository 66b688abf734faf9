//! `doc ocr` with its engine: pages of a PDF as pictures, and real scans.
#![expect(clippy::disallowed_methods, reason = "a test reads the folders it is pointed at")]

use std::{env, fs, path::PathBuf};

use serde_json::Value;
use tapeline::audit::{MemorySink, Tape};

use super::documents::{Pdf, lines, locked_pdf, pdf};
use crate::world::World;

const MODELS: [(&str, &str); 2] =
    [("ocr.det", "ch_PP-OCRv4_det_infer.onnx"), ("ocr.rec", "ch_PP-OCRv4_rec_infer.onnx")];

/// The folder that a variable names; says that a test is skipped where it names none.
fn folder(variable: &str) -> Option<PathBuf> {
    let folder = env::var_os(variable).map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: {variable} is not set");
    }
    folder
}

/// A host with the models in the folder of `TAPELINE_OCR_MODELS`, which the wheel
/// `rapidocr-onnxruntime` has, and its log.
fn host() -> Option<(World, MemorySink)> {
    let models = folder("TAPELINE_OCR_MODELS")?;
    let sink = MemorySink::default();
    let world = World::built(|builder| {
        let builder = builder.audit(std::sync::Arc::new(sink.clone()));
        MODELS.into_iter().fold(builder, |builder, (name, file)| {
            builder.model(name, fs::read(models.join(file)).unwrap())
        })
    });
    Some((world, sink))
}

/// Slips of paper instead of the pages that `pdf` makes: less is to be read.
fn slips(pages: &[&[&str]]) -> Vec<u8> {
    let pages: Vec<String> = pages.iter().map(|words| lines(16, 90, words)).collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    small(&pdf(&pages))
}

/// With smaller pages; sizes of one length, so that the table of objects stays true.
fn small(pdf: &[u8]) -> Vec<u8> {
    let (large, small) = (b"[0 0 595 842]", b"[0 0 360 120]");
    let mut pdf = pdf.to_vec();
    while let Some(at) = pdf.windows(large.len()).position(|bytes| bytes == large) {
        pdf[at..at + large.len()].copy_from_slice(small);
    }
    pdf
}

#[test]
fn the_same_page_is_read_as_the_same_text_and_its_record_names_the_models() {
    let Some((world, sink)) = host() else { return };
    world.put("in/scan.pdf", slips(&[&["The board met on the first", "of March, at 10:30."]]));
    for out in ["out/one", "out/two"] {
        let run = world.exec(&format!("doc ocr --in in/scan.pdf --out {out}")).ok();
        let named = "ok command status pages extracted_chars mean_confidence warnings out";
        assert_eq!(run.fields().join(" "), named);
        assert_eq!((&run.result["status"], &run.result["pages"]), (&"extracted".into(), &1.into()));
        assert_eq!(run.result["extracted_chars"], 45);
        let confidence = run.result["mean_confidence"].as_f64().unwrap();
        assert!((0.9..=1.0).contains(&confidence), "{confidence}");
        assert_eq!(run.warnings(), [""; 0]);
        assert_eq!(
            world.read(out).unwrap(),
            "The board met on the first\nof March, at 10:30.\n",
            "{out}"
        );
    }
    let tapes: Vec<Tape> =
        sink.records().iter().map(|record| record.tape.read().unwrap()).collect();
    let models = tapes.iter().map(|tape| {
        assert!(!tape.complete && tape.why.as_ref().unwrap().contains("model"), "{tape:?}");
        let models = tape.events.iter().filter_map(|event| event.model.clone());
        models.map(|model| (model.name, model.sha256.unwrap())).collect::<Vec<_>>()
    });
    let models: Vec<_> = models.collect();
    let names: Vec<&str> = models[0].iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, MODELS.map(|(name, _)| name));
    assert!(models[0][0].1 != models[0][1].1 && models[0].iter().all(|(_, it)| it.len() == 64));
    assert_eq!(models[0], models[1]);
}

#[test]
fn json_says_where_each_line_stands() {
    let Some((world, _)) = host() else { return };
    world.put("in/scan.pdf", slips(&[&["Both shops stay open", "until the end"], &[]]));
    let run = world.exec("doc ocr --in in/scan.pdf --mode json --out out/lines.json").ok();
    assert_eq!(run.result["pages"], 2);
    let written: Value = serde_json::from_str(&world.read("out/lines.json").unwrap()).unwrap();
    assert_eq!(written["pages"][1], serde_json::json!({ "page": 2, "lines": [] }));
    let lines = written["pages"][0]["lines"].as_array().unwrap();
    let of = |line: &Value| {
        let [x, y] = [0, 1].map(|axis| line["quad"][0][axis].as_i64().unwrap());
        (line["text"].as_str().unwrap().to_owned(), x, y)
    };
    let [(first, left, top), (second, below_left, below)] = [&lines[0], &lines[1]].map(of);
    assert_eq!([first.as_str(), &second], ["Both shops stay open", "until the end"]);
    // Text begins an inch from the left, at 200 dots to the inch.
    assert!((190..=210).contains(&left) && (190..=210).contains(&below_left), "{lines:?}");
    assert!((30..60).contains(&(below - top)), "{lines:?}");
}

#[test]
fn an_empty_page_is_no_failure() {
    let Some((world, _)) = host() else { return };
    world.put("in/scan.pdf", slips(&[&[]]));
    let run = world.exec("doc ocr --in in/scan.pdf").ok();
    assert_eq!(run.envelope.stdout, ".agents/in/scan.pdf: 1 page, no text\n");
    assert_eq!(run.result["status"], "empty");
}

#[test]
fn pages_that_are_left_out_are_told() {
    let Some((world, _)) = host() else { return };
    world.put("in/scan.pdf", slips(&[&["First"], &["Second"], &["Third"]]));
    let run = world.exec("doc ocr --in in/scan.pdf --max-pages 2 --out out/text").ok();
    assert_eq!(world.read("out/text").unwrap(), "First\n\nSecond\n");
    assert_eq!((&run.result["status"], &run.result["pages"]), (&"truncated".into(), &2.into()));
    assert_eq!(run.warnings(), ["PageLimit"]);
    assert!(run.envelope.stderr.contains("3 pages"), "{:?}", run.envelope);
}

/// A page that shows what takes for ever, and one of text. `show` adds what is shown, and gives the
/// resources and the content of the first page; it is given a form that holds others, seven deep.
fn after_an_endless_page(show: impl FnOnce(&mut Pdf, usize) -> (String, &'static str)) -> Vec<u8> {
    let mut document = Pdf::default();
    let mut form = document.stream(FORM, b"0 0 9 9 re f\n");
    for _ in 0..7 {
        let held = format!("{FORM} /Resources << /XObject << /F {form} 0 R >> >>");
        form = document.stream(&held, "/F Do\n".repeat(10).as_bytes());
    }
    let (endless, content) = show(&mut document, form);
    let font = document.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
    let text = lines(16, 90, &["The second page"]);
    let pages = [(endless, content), (format!("/Font << /F1 {font} 0 R >>"), text.as_str())];
    let contents =
        pages.map(|(resources, content)| (resources, document.stream("", content.as_bytes())));
    let tree = contents[1].1 + 3;
    let kids = contents.map(|(resources, content)| {
        let number = document.object(format!(
            "<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 360 120] /Contents {content} 0 R \
             /Resources << {resources} >> >>"
        ));
        format!("{number} 0 R")
    });
    document.object(format!("<< /Type /Pages /Kids [{}] /Count 2 >>", kids.join(" ")));
    let root = document.object(format!("<< /Type /Catalog /Pages {tree} 0 R >>"));
    document.finish(root, "")
}

const FORM: &str = "/Type /XObject /Subtype /Form /BBox [0 0 360 120] \
                    /Group << /S /Transparency /CS /DeviceGray >>";

#[test]
fn a_page_that_would_be_drawn_for_ever_costs_the_others_nothing() {
    let Some((world, _)) = host() else { return };
    let forms =
        after_an_endless_page(|_, form| (format!("/XObject << /F {form} 0 R >>"), "/F Do\n"));
    let mask = after_an_endless_page(|_, form| {
        let state = format!("/E << /SMask << /S /Luminosity /G {form} 0 R >> >>");
        (format!("/ExtGState << {state} >>"), "/E gs 0 0 9 9 re f\n")
    });
    let glyph = after_an_endless_page(|document, form| {
        let drawing = document.stream("", b"9 0 d0 /F Do\n");
        let font = document.object(format!(
            "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] \
             /FirstChar 65 /LastChar 65 /Widths [9] /CharProcs << /A {drawing} 0 R >> \
             /Encoding << /Differences [65 /A] >> /Resources << /XObject << /F {form} 0 R >> >> >>"
        ));
        (format!("/Font << /T {font} 0 R >>"), "BT /T 1 Tf (A) Tj ET\n")
    });
    let tile = after_an_endless_page(|document, _| {
        let tile = "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] \
                    /XStep 0.005 /YStep 0.005 /Resources << >>";
        let tile = document.stream(tile, b"0 0 9 9 re f\n");
        let content = "/Pattern cs /P scn 0 0 360 120 re f\n";
        (format!("/Pattern << /P {tile} 0 R >>"), content)
    });
    for (what, document) in [("forms", forms), ("mask", mask), ("glyph", glyph), ("tile", tile)] {
        world.put("in/scan.pdf", document);
        let run = world.exec(&format!("doc ocr --in in/scan.pdf --out out/{what}")).ok();
        assert_eq!(run.warnings(), ["DamagedPart"], "{what}");
        assert_eq!(run.result["warnings"][0]["where"], "page 1");
        assert_eq!(world.read(&format!("out/{what}")).unwrap(), "The second page\n", "{what}");
    }
    let alone = world.exec("doc ocr --in in/scan.pdf --max-pages 1");
    alone.fails("ParseError", &["too intricate"]);
}

#[test]
fn what_cannot_be_read_is_refused_by_its_code() {
    let Some((world, _)) = host() else { return };
    let wide =
        b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\xff\xff\0\0\xff\xff\x08\x02\0\0\0\x39\x67\x4e\x07";
    for (content, code, named) in [
        (b"plain text".to_vec(), "ParseError", "neither a PDF nor"),
        (b"II*\0\x08\0\0\0".to_vec(), "ParseError", "tif"),
        (locked_pdf(), "Encrypted", "password"),
        (wide.to_vec(), "LimitExceeded", "megapixels"),
    ] {
        world.put("in/scan", content);
        world.exec("doc ocr --in in/scan --out out/text").fails(code, &[named]);
        assert_eq!(world.read("out/text"), None, "half a file was left");
    }
}

#[test]
fn files_that_are_no_models_are_told_by_name() {
    let world = World::built(|builder| {
        MODELS.into_iter().fold(builder, |builder, (name, _)| builder.model(name, *b"no model"))
    });
    world.put("in/scan.pdf", slips(&[&["text"]]));
    let run = world.exec("doc ocr --in in/scan.pdf");
    run.fails("NotSupported", &["`det`", "`doc ocr --help`"]);
}

/// Nine words in ten of real scans are read: a png, a jpg, a tif and a PDF are among them.
#[test]
fn real_scans_are_read() {
    let Some(corpus) = folder("TAPELINE_CORPUS") else { return };
    let Some((world, _)) = host() else { return };
    let folder = corpus.join("ocr");
    let mut read = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let truth = fs::read_to_string(path.with_extension("truth.txt")).unwrap_or_default();
        if truth.trim().is_empty() {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        let lang = if name.contains("zh") { "chi_sim" } else { "eng" };
        world.put("in/scan", fs::read(&path).unwrap());
        let line = format!("doc ocr --in in/scan --out out/{name}.txt --lang {lang}");
        world.exec(&line).ok();
        let recall = recall(&world.read(&format!("out/{name}.txt")).unwrap(), &truth);
        assert!(recall >= 0.9, "{name}: {recall:.3} of the words");
        read += 1;
    }
    assert!(read >= 8, "only {read} scans");
}

/// The share of the words of `truth` that are in `text`, each as often. A Chinese character is a word.
fn recall(text: &str, truth: &str) -> f64 {
    let words = |text: &str| -> Vec<String> {
        let is_chinese = |letter: &char| ('\u{4e00}'..='\u{9fff}').contains(letter);
        let chinese = text.chars().filter(is_chinese).map(String::from);
        let others = text.split(|letter: char| !letter.is_alphanumeric() || is_chinese(&letter));
        let others = others.filter(|word| !word.is_empty()).map(str::to_lowercase);
        chinese.chain(others).collect()
    };
    let (mut read, wanted) = (words(text), words(truth));
    let found = wanted.iter().filter(|word| {
        let at = read.iter().position(|other| other == *word);
        at.map(|at| read.swap_remove(at)).is_some()
    });
    found.count() as f64 / wanted.len().max(1) as f64
}
