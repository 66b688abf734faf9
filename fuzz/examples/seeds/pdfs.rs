//! PDFs for seeds: small ones, each with something that others do not have, and what is in the
//! streams of real ones, unpacked and each in a small PDF of its own.

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::{Seeds, documents::LONGEST};

/// What a made page has: its content, entries of the page, its font, and objects from 6 on.
type Page<'a> = (&'a str, &'a str, &'a str, &'a [&'a str]);

const HELVETICA: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>";
const TEXT: &str = "BT /F1 12 Tf 50 700 Td (one) Tj 0 -14 Td [(t) -300 (wo)] TJ ET";
const CODES: &str = "BT /F1 12 Tf 50 700 Td <00010002> Tj <01020304> Tj ET";
const EMPTY: &str = "<</Length 0>>stream\n\nendstream";

const PAGES: &[Page<'_>] = &[
    (TEXT, "/Rotate 90/CropBox[0 0 500 800]", HELVETICA, &[]),
    (
        "q 1 0 0 1 10 10 cm BT /F1 9 Tf 80 Tz 2 Tc 3 Tw 12 TL 4 Ts 3 Tr (a) ' 1 2 (b) \" T* 5 0 TD (c) Tj \
         0.7 0.7 -0.7 0.7 9 9 Tm (d) Tj ET Q",
        "",
        HELVETICA,
        &[],
    ),
    ("BI /W 1 /H 1 /BPC 8 /CS /G /F /AHx ID 80> EI BT /F1 9 Tf (after) Tj ET", "", HELVETICA, &[]),
    (
        "/Span <</ActualText (one)>> BDC BT /F1 9 Tf (0ne) Tj ET EMC /OC /O BDC BT /F1 9 Tf (off) Tj ET EMC",
        "/Resources<</Font<</F1 1 0 R>>/Properties<</O 6 0 R>>>>",
        HELVETICA,
        &["<</Type/OCG/Name(layer)>>"],
    ),
    (
        "/X Do q 2 0 0 2 0 0 cm /X Do Q",
        "/Resources<</Font<</F1 1 0 R>>/XObject<</X 6 0 R>>>>",
        HELVETICA,
        &["<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Matrix[1 0 0 1 5 5]/Length 33>>stream\n\
           BT /F1 9 Tf (form) Tj ET /X Do   \nendstream"],
    ),
    (
        TEXT,
        "/Annots[6 0 R 7 0 R 8 0 R 9 0 R]",
        HELVETICA,
        &[
            "<</Type/Annot/Subtype/Link/Rect[50 698 92 710]/A<</S/URI/URI(https://a.example/x)>>>>",
            "<</Type/Annot/Subtype/Widget/FT/Tx/V(filled in)/Rect[50 600 200 620]/AP<</N 10 0 R>>>>",
            "<</Type/Annot/Subtype/Widget/FT/Ch/V(b)/Opt[[(a)(Amber)][(b)(Blue)]]/Rect[50 650 150 662]>>",
            "<</Type/Annot/Subtype/FreeText/Contents(\u{fe}\u{ff}\u{0}f)/Rect[50 500 200 520]/F 4/DA(/F1 9 Tf)>>",
            EMPTY,
        ],
    ),
    (
        CODES,
        "",
        "<</Type/Font/Subtype/Type0/BaseFont/H/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 7 0 R>>",
        &[
            "<</Type/Font/Subtype/CIDFontType2/BaseFont/H/DW 500/W[1[500 600]3 9 400]/DW2[880 -1000]/W2[1 2 3 4 5]>>",
            "<</Length 200>>stream\nbegincmap 1 begincodespacerange <0000> <ffff> endcodespacerange \
             2 beginbfchar <0001> <05D0> <0002> <d83dde00> endbfchar 2 beginbfrange <0003> <0005> <0041> \
             <0102> <0103> [<0061> <00620063>] endbfrange endcmap\nendstream",
        ],
    ),
    (
        CODES,
        "",
        "<</Type/Font/Subtype/Type0/BaseFont/S/Encoding/UniGB-UCS2-V/DescendantFonts[6 0 R]>>",
        &[
            "<</Type/Font/Subtype/CIDFontType0/BaseFont/S/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>>>",
        ],
    ),
    (
        CODES,
        "",
        "<</Type/Font/Subtype/Type0/BaseFont/S/Encoding/90ms-RKSJ-H/DescendantFonts[6 0 R]>>",
        &[
            "<</Type/Font/Subtype/CIDFontType0/BaseFont/S/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)>>>>",
        ],
    ),
    (
        CODES,
        "",
        "<</Type/Font/Subtype/Type0/BaseFont/S/Encoding 7 0 R/DescendantFonts[6 0 R]>>",
        &[
            "<</Type/Font/Subtype/CIDFontType2/BaseFont/S/CIDToGIDMap/Identity>>",
            "<</Type/CMap/WMode 1/UseCMap/Identity-H/Length 90>>stream\nbegincmap 1 begincidrange <0001> <00ff> 7 \
             endcidrange 1 begincidchar <0102> 9 endcidchar endcmap\nendstream",
        ],
    ),
    (
        "BT /F1 12 Tf 50 700 Td (ABCa) Tj ET",
        "",
        "<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+Odd/FirstChar 65/LastChar 67/Widths[500 600 6 0 R]/Encoding\
         <</BaseEncoding/MacRomanEncoding/Differences[65/alpha/uni05D0/g3/f_f_i 97/acutecomb]>>>>",
        &["700"],
    ),
    (
        "BT /F1 12 Tf 50 700 Td (ab) Tj ET",
        "",
        "<</Type/Font/Subtype/Type3/FontMatrix[0.01 0 0 0.01 0 0]/FontBBox[0 0 9 9]/FirstChar 97/LastChar 98\
         /Widths[50 60]/Encoding<</Differences[97/a/b]>>/CharProcs<</a 6 0 R/b 6 0 R>>>>",
        &[EMPTY],
    ),
    (
        "BT /F1 12 Tf 50 700 Td (Heading) Tj /F1 9 Tf 0 -20 Td (\u{95} one) Tj 0 -12 Td (1. two) Tj 0 -12 Td (hy-) Tj \
         0 -12 Td (phen) Tj ET BT /F1 9 Tf 300 680 Td (right) Tj ET",
        "",
        HELVETICA,
        &[],
    ),
];

/// The content `BT /F1 9 Tf (a) Tj ET` by each filter: entries and data.
const FILTERED: &[(&str, &[u8])] = &[
    ("/Filter/ASCIIHexDecode", b"4254202f463120392054662028612920546a204554>"),
    ("/Filter[/A85]", b"6<#'\\7PQ#G+B2qq-t+PI<,*OE;u~>"),
    ("/Filter/RunLengthDecode", b"\x14BT /F1 9 Tf (a) Tj ET\x80"),
    (
        "/Filter[/AHx/LZW]/DecodeParms[null<</EarlyChange 0>>]",
        b"80108a8201791862201c880a866100a0c229851a840452a404>",
    ),
    (
        "/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 7>>",
        b"x\x01\x01\x18\x00\xe7\xff\x02BT /F1 \x02\xf7\xcc47\xda\xf7A\x02\xf0\x00\x00\x04\x00\x1d\xf3Z\xa1\x07\xc7",
    ),
    (
        "/Filter[/AHx/Fl]",
        b"7801011500eaff4254202f463120392054662028612920546a204554347c04f9>",
    ),
];

/// A table of objects that is a stream, with objects within a stream, before an older one.
const STREAMED: &str = "%PDF-1.5\n4 0 obj <</Type/ObjStm/N 3/First 14/Length 120>>stream\n\
    1 0 2 30 3 66 <</Type/Catalog/Pages 2 0 R>> <</Type/Pages/Kids[3 0 R]/Count 1>>   <</Type/Page/MediaBox[0 0 9 9]>>\n\
    endstream endobj\n5 0 obj <</Type/XRef/Size 6/W[1 1 1]/Index[1 4]/Prev 9/Root 1 0 R/Length 24/Filter/AHx>>stream\n\
    020400020401020402010900>\nendstream endobj\nstartxref\n190\n%%EOF";

/// Small PDFs of many kinds.
pub(super) fn made() -> Seeds {
    let mut made = vec![STREAMED.into()];
    for (content, entries, font, more) in PAGES {
        let more: Vec<_> = more.iter().map(|object| latin(object)).collect();
        made.push(page(&stream("", &latin(content)), entries, font, &more));
    }
    for (entries, data) in FILTERED {
        made.push(page(&stream(entries, data), "", HELVETICA, &[]));
    }
    made
}

/// The first streams of a PDF that say something of text, each in a small PDF that uses it.
pub(super) fn taken_apart(pdf: &[u8]) -> Seeds {
    const MOST: usize = 40;

    let mut seeds = Seeds::new();
    for object in pieces(pdf, b"endobj") {
        if seeds.len() == MOST {
            break;
        }
        let mut halves = pieces(object, b"stream");
        let (Some(head), Some(data)) = (halves.next(), halves.next()) else { continue };
        let head =
            String::from_utf8_lossy(head.get(head.len().saturating_sub(400)..).unwrap_or(head));
        let data = data.strip_prefix(b"\r").unwrap_or(data);
        let data = data.strip_prefix(b"\n").unwrap_or(data);
        let mut unpacked = Vec::new();
        if head.contains("/FlateDecode") {
            // What comes before an error is of use, too.
            let _ = ZlibDecoder::new(data).take(LONGEST as u64 / 2).read_to_end(&mut unpacked);
        } else {
            unpacked.extend(data.iter().take(LONGEST / 2));
        }
        let has = |what: &[u8]| unpacked.windows(what.len()).any(|window| window == what);
        let program = |key: &str, entries: &str| {
            let font = "<</Type/Font/Subtype/TrueType/BaseFont/A/FirstChar 0/LastChar 2/Widths[500 500 500]/FontDescriptor 6 0 R>>";
            let descriptor = format!("<</Type/FontDescriptor/FontName/A/Flags 4/{key} 7 0 R>>");
            let more = [descriptor.into_bytes(), stream(entries, &unpacked)];
            page(&stream("", b"BT /F1 9 Tf 50 700 Td (abc\\000\\001) Tj ET"), "", font, &more)
        };
        if has(b"begincmap") || has(b"beginbf") {
            let font = "<</Type/Font/Subtype/Type0/BaseFont/H/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 7 0 R>>";
            let descendant = b"<</Type/Font/Subtype/CIDFontType2/BaseFont/H/DW 500>>".to_vec();
            let more = [descendant, stream("", &unpacked)];
            seeds.push(page(&stream("", CODES.as_bytes()), "", font, &more));
        } else if has(b" Tf") && (has(b"Tj") || has(b"TJ")) {
            let fonts = "/Resources<</Font<</F1 1 0 R/F2 1 0 R/F3 1 0 R/R7 1 0 R/TT0 1 0 R>>>>";
            seeds.push(page(&stream("", &unpacked), fonts, HELVETICA, &[]));
        } else if head.contains("Type1C")
            || head.contains("CIDFontType0C")
            || head.contains("OpenType")
        {
            seeds.push(program("FontFile3", "/Subtype/Type1C"));
        } else if head.contains("/Length2") {
            seeds.push(program("FontFile", "/Length1 400/Length2 99/Length3 0"));
        } else if head.contains("/Length1") {
            seeds.push(program("FontFile2", ""));
        }
    }
    seeds
}

/// A PDF of one page: its font is object 1, its content 2, and `more` comes from 6 on.
fn page(content: &[u8], entries: &str, font: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let resources = match entries.contains("/Resources") {
        true => "",
        false => "/Resources<</Font<</F1 1 0 R>>>>",
    };
    let page = format!(
        "<</Type/Page/Parent 4 0 R/MediaBox[0 0 595 842]/Contents 2 0 R{resources}{entries}>>"
    );
    let objects = [
        font.as_bytes(),
        content,
        page.as_bytes(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Catalog/Pages 4 0 R/OCProperties<</D<</OFF[6 0 R]>>>>>>",
    ];
    let mut pdf = b"%PDF-1.7\n".to_vec();
    let mut table = String::new();
    for (index, object) in objects.into_iter().chain(more.iter().map(Vec::as_slice)).enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", pdf.len()));
        pdf.extend(format!("{} 0 obj\n", index + 1).bytes());
        pdf.extend(object);
        pdf.extend(b"\nendobj\n");
    }
    let (size, start) = (objects.len() + more.len() + 1, pdf.len());
    pdf.extend(format!("xref\n0 {size}\n0000000000 65535 f \n{table}").bytes());
    pdf.extend(
        format!("trailer\n<</Size {size}/Root 5 0 R>>\nstartxref\n{start}\n%%EOF\n").bytes(),
    );
    pdf
}

fn stream(entries: &str, data: &[u8]) -> Vec<u8> {
    let head = format!("<<{entries}/Length {}>>\nstream\n", data.len());
    [head.as_bytes(), data, b"\nendstream"].concat()
}

/// The bytes of a text of characters up to U+00FF.
fn latin(text: &str) -> Vec<u8> {
    text.chars().filter_map(|character| u8::try_from(character).ok()).collect()
}

/// What stands between the marks.
fn pieces<'a>(bytes: &'a [u8], mark: &'static [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let bytes = rest?;
        let at = bytes.windows(mark.len()).position(|window| window == mark);
        rest = at.and_then(|at| bytes.get(at + mark.len()..));
        bytes.get(..at.unwrap_or(bytes.len()))
    })
}
