//! A page read from end to end, with models that a variable of the environment names.
#![expect(clippy::disallowed_methods, reason = "a test reads the models it is pointed at")]

use super::{Engine, Language, Pages, pixels::Pixels};

/// The folder of models in the wheel `rapidocr-onnxruntime`; without it these tests have nothing to read with.
fn engine() -> Option<Engine> {
    let models = std::path::PathBuf::from(std::env::var_os("TAPELINE_OCR_MODELS")?);
    let read = |name: &str| std::fs::read(models.join(name)).unwrap();
    Some(
        Engine::load(
            &read("ch_PP-OCRv4_det_infer.onnx"),
            &read("ch_PP-OCRv4_rec_infer.onnx"),
            Language::Latin,
        )
        .unwrap(),
    )
}

/// Letters of seven rows of five dots: as much of a font as the test needs.
const LETTERS: [(char, [u8; 7]); 8] = [
    ('H', [0b10001, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001]),
    ('E', [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111]),
    ('L', [0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b11111]),
    ('O', [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110]),
    ('T', [0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100]),
    ('A', [0b00100, 0b01010, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001]),
    ('S', [0b01111, 0b10000, 0b10000, 0b01110, 0b00001, 0b00001, 0b11110]),
    (' ', [0; 7]),
];

/// Drawn large and scaled down, so that edges are soft as those of scans are.
fn page(lines: &[&str]) -> Pixels {
    const DOT: usize = 8;
    const MARGIN: usize = 120;
    let columns = lines.iter().map(|line| line.len()).max().unwrap_or_default();
    let (width, height) = (2 * MARGIN + columns * 7 * DOT, 2 * MARGIN + lines.len() * 14 * DOT);
    let mut data = vec![255; width * height * 3];
    for (row, line) in lines.iter().enumerate() {
        for (column, letter) in line.chars().enumerate() {
            let (_, rows) = LETTERS.iter().find(|(known, _)| *known == letter).unwrap();
            for (y, bits) in rows.iter().enumerate() {
                for x in (0..5).filter(|x| bits >> (4 - x) & 1 == 1) {
                    for dot in 0..DOT * DOT {
                        let left = MARGIN + (column * 7 + x) * DOT + dot % DOT;
                        let top = MARGIN + (row * 14 + y) * DOT + dot / DOT;
                        data[(top * width + left) * 3..][..3].fill(20);
                    }
                }
            }
        }
    }
    Pixels::new(width, height, data).unwrap().scaled(width * 2 / 5, height * 2 / 5)
}

fn read(engine: &Engine, page: Pixels) -> Vec<String> {
    let page = engine.read(page, &mut |_, _| Ok::<(), ()>(())).unwrap();
    page.lines.into_iter().map(|line| line.text).collect()
}

#[test]
fn a_page_is_read_however_it_is_turned() {
    let Some(engine) = engine() else { return };
    let lines = ["HELLO TALL HATS", "THE LAST HOTEL SELLS TEA", "SALT AT THE HALL"];
    let upright = page(&lines);
    for quarters in 0..4 {
        assert_eq!(read(&engine, upright.turned(quarters)), lines, "turned by {quarters} quarters");
    }
}

#[test]
fn an_empty_page_gives_no_lines() {
    let Some(engine) = engine() else { return };
    assert_eq!(read(&engine, Pixels::new(300, 400, vec![255; 360_000]).unwrap()), [""; 0]);
}

#[test]
fn reading_stops_when_told() {
    let Some(engine) = engine() else { return };
    let mut asked = 0;
    let outcome = engine.read(page(&["HELLO", "HELLO", "HELLO"]), &mut |_, _| {
        asked += 1;
        if asked > 2 { Err("enough") } else { Ok(()) }
    });
    assert!(matches!(outcome, Err(super::Halt::Stopped("enough"))));
    assert_eq!(asked, 3);
}

#[test]
fn what_is_no_model_is_refused() {
    assert!(matches!(
        Engine::load(b"", b"", Language::Any),
        Err(super::Problem::Model { which: "det", .. })
    ));
}

#[test]
fn bytes_decide_what_a_document_is() {
    assert!(matches!(Pages::open(b"plain text".to_vec()), Err(super::Problem::NotAPicture)));
    assert!(matches!(
        Pages::open(b"II*\0nothing".to_vec()),
        Err(super::Problem::Damaged { what: "tif", .. })
    ));
    let png = Pages::open(
        b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\xff\xff\0\0\xff\xff\x08\x02\0\0\0\x39\x67\x4e\x07"
            .to_vec(),
    )
    .unwrap();
    assert!(matches!(png.page(0), Err(super::Problem::TooLarge { .. })));
}
