//! The line grammar: what parses is printed and parses alike, what does not says where and why.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tapeline::line::{MAX_LINE_BYTES, is_refused_everywhere, parse, print};

fuzz_target!(|input: &[u8]| {
    // Whatever came in as a line is text; the invalid parts of it are one character each.
    let line = String::from_utf8_lossy(input);
    match parse(&line) {
        Ok(words) => {
            assert!(!words.is_empty() && line.len() <= MAX_LINE_BYTES);
            assert!(!line.contains(is_refused_everywhere));
            // Blanks around words mean nothing, but for what a backslash before one is taken for.
            let end = if line.ends_with('\\') { "" } else { "\t" };
            let wide = format!(" \t{line}{end}");
            assert!(wide.len() > MAX_LINE_BYTES || parse(&wide).as_ref() == Ok(&words));
            match print(&words) {
                Ok(printed) => {
                    assert_eq!(parse(&printed).as_ref(), Ok(&words), "printed as {printed:?}");
                    assert_eq!(print(&words).as_ref(), Ok(&printed));
                }
                // Quotes can make a line too long, and nothing else can go wrong.
                Err(error) => assert!(error.message.contains("is longer than"), "{error}"),
            }
        }
        Err(error) => {
            assert!((1..=line.chars().count().max(1)).contains(&error.column), "{error:?}");
            for text in [Some(&error.message), error.hint.as_ref()].into_iter().flatten() {
                assert!(!text.is_empty() && !text.contains(is_refused_everywhere), "{text:?}");
            }
            // A line that is too long is refused before it is read.
            if line.len() > MAX_LINE_BYTES {
                assert!(error.message.contains("is longer than"), "{error:?}");
                return;
            }
            // What is before the column is not at fault, unless it is an open quote's.
            let before: String = line.chars().take(error.column - 1).collect();
            if let Err(earlier) = parse(&before) {
                let is_cut = earlier.message.contains("never closed");
                assert!(is_cut || before.trim_matches([' ', '\t']).is_empty(), "{earlier:?}");
            }
        }
    }
});
