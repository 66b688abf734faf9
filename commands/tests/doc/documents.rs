//! Small documents, made from text that can be read: for tests, and for the golden cases.
//!
//! Nothing is compressed, so that the bytes depend on no encoder.

use std::io::{Cursor, Write};

use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// A package of parts, uncompressed.
pub(crate) fn package<'a>(parts: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    package_by(options, parts)
}

/// A package of parts, made as `options` say.
pub(crate) fn package_by<'a>(
    options: SimpleFileOptions,
    parts: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> Vec<u8> {
    let mut package = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        package.start_file(name, options).unwrap();
        package.write_all(content).unwrap();
    }
    package.finish().unwrap().into_inner()
}

/// A package whose parts are text, on its way.
#[derive(Clone, Default)]
pub(crate) struct Parts {
    parts: Vec<(String, Vec<u8>)>,
    types: String,
}

impl Parts {
    /// Adds a part of that content type.
    pub(crate) fn part(mut self, name: &str, content_type: &str, content: &str) -> Self {
        self.types.push_str(&format!(
            "<Override PartName=\"/{name}\" ContentType=\"{content_type}\"/>\n"
        ));
        self.bytes(name, content.as_bytes())
    }

    /// Adds a file without a type of its own.
    pub(crate) fn bytes(mut self, name: &str, content: &[u8]) -> Self {
        self.parts.push((name.to_owned(), content.to_owned()));
        self
    }

    /// With other content in a part that is there.
    pub(crate) fn replaced(mut self, name: &str, content: &[u8]) -> Self {
        let part = self.parts.iter_mut().find(|(part, _)| part == name);
        part.expect("the part is there").1 = content.to_owned();
        self
    }

    /// Without a part that is there.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.parts.retain(|(part, _)| part != name);
        self
    }

    /// With each text in its parts replaced by another.
    pub(crate) fn written_as(mut self, text: &str, other: &str) -> Self {
        for (_, content) in &mut self.parts {
            *content = String::from_utf8_lossy(content).replace(text, other).into_bytes();
        }
        self
    }

    /// What a part holds.
    pub(crate) fn content(&self, name: &str) -> Vec<u8> {
        let part = self.parts.iter().find(|(part, _)| part == name);
        part.expect("the part is there").1.clone()
    }

    /// Adds what `source` refers to: `(id, kind, target)`.
    pub(crate) fn relations(self, source: &str, relations: &[(&str, &str, &str)]) -> Self {
        let (folder, file) = source.rsplit_once('/').unwrap_or(("", source));
        let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut xml = String::from(
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\n",
        );
        for (id, kind, target) in relations {
            let is_outside = target.contains("://") || target.starts_with("mailto:");
            let mode = if is_outside { " TargetMode=\"External\"" } else { "" };
            let kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
            xml.push_str(&format!(
                "<Relationship Id=\"{id}\" Type=\"{kinds}/{kind}\" Target=\"{target}\"{mode}/>\n"
            ));
        }
        xml.push_str("</Relationships>");
        self.bytes(&format!("{folder}_rels/{file}.rels"), xml.as_bytes())
    }

    /// Without compression.
    pub(crate) fn pack(&self) -> Vec<u8> {
        let types = self.content_types();
        package(self.all(&types))
    }

    /// As `options` say.
    pub(crate) fn pack_by(&self, options: SimpleFileOptions) -> Vec<u8> {
        let types = self.content_types();
        package_by(options, self.all(&types))
    }

    fn all<'a>(&'a self, types: &'a str) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        let parts = self.parts.iter().map(|(name, content)| (name.as_str(), content.as_slice()));
        std::iter::once(("[Content_Types].xml", types.as_bytes())).chain(parts)
    }

    fn content_types(&self) -> String {
        format!(
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\n\
             <Default Extension=\"rels\" \
             ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\n\
             <Default Extension=\"xml\" ContentType=\"application/xml\"/>\n{}</Types>",
            self.types
        )
    }
}

const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml";
const SLIDES: &str = "application/vnd.openxmlformats-officedocument.presentationml";
const SHEETS: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml";

const WORD_SPACES: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" \
    xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\"";

/// A text of these block elements, with heading styles, a bullet list (`numId` 1) and a numbered
/// one (`numId` 2), and a link (`rIdLink`).
pub(crate) fn docx(body: &str) -> Vec<u8> {
    docx_parts(body).pack()
}

pub(crate) fn docx_parts(body: &str) -> Parts {
    docx_beside(body, &[])
}

/// With more that it refers to.
fn docx_beside(body: &str, beside: &[(&str, &str, &str)]) -> Parts {
    let heading = |level: u8| {
        format!(
            "<w:style w:type=\"paragraph\" w:styleId=\"Heading{level}\"><w:name w:val=\"heading \
             {level}\"/><w:pPr><w:outlineLvl w:val=\"{}\"/></w:pPr></w:style>\n",
            level - 1
        )
    };
    let level = |level: u8, format: &str, text: &str| {
        format!(
            "<w:lvl w:ilvl=\"{level}\"><w:start w:val=\"1\"/><w:numFmt w:val=\"{format}\"/>\
             <w:lvlText w:val=\"{text}\"/></w:lvl>\n"
        )
    };
    let numbering = format!(
        "<w:numbering {WORD_SPACES}>\n\
         <w:abstractNum w:abstractNumId=\"0\">{}{}</w:abstractNum>\n\
         <w:abstractNum w:abstractNumId=\"1\">{}{}</w:abstractNum>\n\
         <w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>\n\
         <w:num w:numId=\"2\"><w:abstractNumId w:val=\"1\"/></w:num>\n</w:numbering>",
        level(0, "bullet", "-"),
        level(1, "bullet", "-"),
        level(0, "decimal", "%1."),
        level(1, "lowerLetter", "%2)"),
    );
    Parts::default()
        .part(
            "word/document.xml",
            &format!("{WORD}.document.main+xml"),
            &format!("<w:document {WORD_SPACES}><w:body>\n{body}\n</w:body></w:document>"),
        )
        .part(
            "word/styles.xml",
            &format!("{WORD}.styles+xml"),
            &format!("<w:styles {WORD_SPACES}>\n{}{}</w:styles>", heading(1), heading(2)),
        )
        .part("word/numbering.xml", &format!("{WORD}.numbering+xml"), &numbering)
        .relations("", &[("rId1", "officeDocument", "word/document.xml")])
        .relations(
            "word/document.xml",
            &[
                &[("rId1", "styles", "styles.xml"), ("rId2", "numbering", "numbering.xml")],
                beside,
                &[("rIdLink", "hyperlink", "https://tapeline.example/report")],
            ]
            .concat(),
        )
}

/// A paragraph of plain text.
pub(crate) fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>\n")
}

/// A heading of a level that [`docx`] has a style for.
pub(crate) fn heading(level: u8, text: &str) -> String {
    format!(
        "<w:p><w:pPr><w:pStyle w:val=\"Heading{level}\"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>\n"
    )
}

/// An item of a list of [`docx`].
pub(crate) fn item(list: u8, depth: u8, text: &str) -> String {
    format!(
        "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"{depth}\"/><w:numId w:val=\"{list}\"/></w:numPr>\
         </w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>\n"
    )
}

/// A table of rows of cells.
pub(crate) fn table(rows: &[&[&str]]) -> String {
    let mut xml = String::from("<w:tbl>");
    for row in rows {
        xml.push_str("<w:tr>");
        for cell in *row {
            xml.push_str(&format!("<w:tc>{}</w:tc>", paragraph(cell).trim_end()));
        }
        xml.push_str("</w:tr>\n");
    }
    xml.push_str("</w:tbl>\n");
    xml
}

/// A report with all that is commonly found in one.
pub(crate) fn report() -> Vec<u8> {
    let body = [
        heading(1, "Quarterly report"),
        "<w:p><w:r><w:t xml:space=\"preserve\">Sales rose by </w:t></w:r><w:r><w:rPr><w:b/></w:rPr>\
         <w:t>12 %</w:t></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r><w:r><w:t \
         xml:space=\"preserve\"> over the year; see </w:t></w:r><w:hyperlink r:id=\"rIdLink\"><w:r>\
         <w:t>the figures</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t></w:r></w:p>\n"
            .to_owned(),
        heading(2, "By region"),
        table(&[&["Region", "Units"], &["North", "120"], &["South", "95"]]),
        heading(2, "What is next"),
        item(2, 0, "Open the second shop"),
        item(2, 1, "find a place"),
        item(2, 0, "Hire"),
        item(1, 0, "two drivers"),
        "<w:p><w:commentRangeStart w:id=\"0\"/><w:r><w:t>Signed in June.</w:t></w:r>\
         <w:commentRangeEnd w:id=\"0\"/><w:r><w:commentReference w:id=\"0\"/></w:r></w:p>\n"
            .to_owned(),
    ];
    let notes = format!(
        "<w:footnotes {WORD_SPACES}>\n<w:footnote w:id=\"2\"><w:p><w:r><w:t>Counted twice.</w:t>\
         </w:r></w:p></w:footnote>\n</w:footnotes>"
    );
    let comments = format!(
        "<w:comments {WORD_SPACES}>\n<w:comment w:id=\"0\" w:author=\"Ana\"><w:p><w:r><w:t>Is this \
         final?</w:t></w:r></w:p></w:comment>\n</w:comments>"
    );
    let beside = [("rId3", "footnotes", "footnotes.xml"), ("rId4", "comments", "comments.xml")];
    docx_beside(&body.concat(), &beside)
        .part("word/footnotes.xml", &format!("{WORD}.footnotes+xml"), &notes)
        .part("word/comments.xml", &format!("{WORD}.comments+xml"), &comments)
        .pack()
}

const SLIDE_SPACES: &str = "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" \
    xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" \
    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";

/// A slide of a presentation.
#[derive(Clone, Copy)]
pub(crate) struct Slide<'a> {
    pub(crate) title: &'a str,
    /// Lines of its body.
    pub(crate) lines: &'a [&'a str],
    /// What the speaker reads.
    pub(crate) notes: Option<&'a str>,
}

pub(crate) fn pptx(slides: &[Slide<'_>]) -> Vec<u8> {
    pptx_parts(slides).pack()
}

pub(crate) fn pptx_parts(slides: &[Slide<'_>]) -> Parts {
    let mut parts =
        Parts::default().relations("", &[("rId1", "officeDocument", "ppt/presentation.xml")]);
    let mut ids = String::new();
    let mut relations = Vec::new();
    for (index, slide) in slides.iter().enumerate() {
        let number = index + 1;
        ids.push_str(&format!("<p:sldId id=\"{}\" r:id=\"rId{number}\"/>", 256 + index));
        relations.push((format!("rId{number}"), format!("slides/slide{number}.xml")));
        let lines: String = slide.lines.iter().map(|line| drawn(line)).collect();
        let shapes = [
            shape(1, "<p:ph type=\"title\"/>", &drawn(slide.title)),
            shape(2, "<p:ph idx=\"1\"/>", &lines),
        ];
        let name = format!("ppt/slides/slide{number}.xml");
        let xml = slide_xml("sld", &shapes.concat());
        parts = parts.part(&name, &format!("{SLIDES}.slide+xml"), &xml);
        if let Some(notes) = slide.notes {
            let notes_name = format!("ppt/notesSlides/notesSlide{number}.xml");
            let xml =
                slide_xml("notes", &shape(1, "<p:ph type=\"body\" idx=\"1\"/>", &drawn(notes)));
            let target = format!("../notesSlides/notesSlide{number}.xml");
            parts = parts
                .part(&notes_name, &format!("{SLIDES}.notesSlide+xml"), &xml)
                .relations(&name, &[("rId1", "notesSlide", &target)]);
        }
    }
    let relations: Vec<_> =
        relations.iter().map(|(id, target)| (id.as_str(), "slide", target.as_str())).collect();
    let xml =
        format!("<p:presentation {SLIDE_SPACES}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>");
    parts
        .part("ppt/presentation.xml", &format!("{SLIDES}.presentation.main+xml"), &xml)
        .relations("ppt/presentation.xml", &relations)
}

fn slide_xml(root: &str, shapes: &str) -> String {
    format!(
        "<p:{root} {SLIDE_SPACES}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id=\"90\" name=\"\"/>\
         <p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>\n{shapes}</p:spTree></p:cSld></p:{root}>"
    )
}

fn shape(id: u8, placeholder: &str, paragraphs: &str) -> String {
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"{id}\" name=\"Shape {id}\"/><p:cNvSpPr/><p:nvPr>{placeholder}\
         </p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>{paragraphs}</p:txBody></p:sp>\n"
    )
}

fn drawn(text: &str) -> String {
    format!("<a:p><a:r><a:t>{text}</a:t></a:r></a:p>")
}

/// A talk with speaker notes.
pub(crate) fn talk() -> Vec<u8> {
    pptx(&[
        Slide {
            title: "Every line on tape",
            lines: &["What an agent did", "What it would do now"],
            notes: Some("Greet the audience."),
        },
        Slide { title: "\u{8c22}\u{8c22}", lines: &["Questions?"], notes: None },
    ])
}

/// A sheet of a workbook: a name, whether it is shown, and the rows of its data as XML.
#[derive(Clone, Copy)]
pub(crate) struct Sheet<'a> {
    pub(crate) name: &'a str,
    pub(crate) is_hidden: bool,
    pub(crate) rows: &'a str,
    /// Elements behind the data, such as merged cells.
    pub(crate) after: &'a str,
}

impl<'a> Sheet<'a> {
    pub(crate) fn new(name: &'a str, rows: &'a str) -> Self {
        Self { name, is_hidden: false, rows, after: "" }
    }
}

pub(crate) fn xlsx(sheets: &[Sheet<'_>]) -> Vec<u8> {
    xlsx_parts(sheets).pack()
}

/// Style 1 shows a date, style 2 a time.
pub(crate) fn xlsx_parts(sheets: &[Sheet<'_>]) -> Parts {
    const SPACES: &str = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
        xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";
    let mut parts =
        Parts::default().relations("", &[("rId1", "officeDocument", "xl/workbook.xml")]);
    let mut list = String::new();
    let mut relations = vec![("rIdStyles".to_owned(), "styles", "styles.xml".to_owned())];
    for (index, sheet) in sheets.iter().enumerate() {
        let number = index + 1;
        let state = if sheet.is_hidden { " state=\"hidden\"" } else { "" };
        list.push_str(&format!(
            "<sheet name=\"{}\" sheetId=\"{number}\"{state} r:id=\"rId{number}\"/>",
            sheet.name
        ));
        relations.push((
            format!("rId{number}"),
            "worksheet",
            format!("worksheets/sheet{number}.xml"),
        ));
        let xml = format!(
            "<worksheet {SPACES}><sheetData>\n{}</sheetData>{}</worksheet>",
            sheet.rows, sheet.after
        );
        let name = format!("xl/worksheets/sheet{number}.xml");
        parts = parts.part(&name, &format!("{SHEETS}.worksheet+xml"), &xml);
    }
    let relations: Vec<_> =
        relations.iter().map(|(id, kind, target)| (id.as_str(), *kind, target.as_str())).collect();
    let styles = format!(
        "<styleSheet {SPACES}><cellXfs count=\"3\"><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf \
         numFmtId=\"20\"/></cellXfs></styleSheet>"
    );
    parts
        .part(
            "xl/workbook.xml",
            &format!("{SHEETS}.sheet.main+xml"),
            &format!("<workbook {SPACES}><sheets>{list}</sheets></workbook>"),
        )
        .part("xl/styles.xml", &format!("{SHEETS}.styles+xml"), &styles)
        .relations("xl/workbook.xml", &relations)
}

/// A row of cells, each written as its XML; places are by order.
pub(crate) fn row(cells: &[String]) -> String {
    format!("<row>{}</row>\n", cells.concat())
}

/// A cell of text.
pub(crate) fn text(text: &str) -> String {
    format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>")
}

/// A cell of a number.
pub(crate) fn number(number: &str) -> String {
    format!("<c><v>{number}</v></c>")
}

/// A number that is shown as a date.
pub(crate) fn date(day: u32) -> String {
    format!("<c s=\"1\"><v>{day}</v></c>")
}

/// Sales on one sheet.
pub(crate) fn sales() -> Vec<u8> {
    let rows = [
        row(&[text("Day"), text("Shop"), text("Units"), text("Open")]),
        row(&[date(45_352), text("North"), number("120"), "<c t=\"b\"><v>1</v></c>".to_owned()]),
        row(&[
            date(45_353),
            text("S\u{fc}d | 2"),
            number("0.5"),
            "<c t=\"b\"><v>0</v></c>".to_owned(),
        ]),
        row(&[date(45_354), "<c t=\"e\"><v>#DIV/0!</v></c>".to_owned(), "<c/>".to_owned()]),
    ];
    xlsx(&[Sheet::new("Sales", &rows.concat())])
}

/// A PDF on its way: objects by number, from 1.
#[derive(Default)]
pub(crate) struct Pdf {
    objects: Vec<Vec<u8>>,
}

impl Pdf {
    /// Adds an object and gives its number.
    pub(crate) fn object(&mut self, content: impl AsRef<[u8]>) -> usize {
        self.objects.push(content.as_ref().to_vec());
        self.objects.len()
    }

    /// Adds a stream and gives its number.
    pub(crate) fn stream(&mut self, entries: &str, content: &[u8]) -> usize {
        let mut object =
            format!("<< {entries} /Length {} >>\nstream\n", content.len()).into_bytes();
        object.extend(content);
        object.extend(b"\nendstream");
        self.object(object)
    }

    /// The file, with `trailer` beside `/Root` and `/Size`.
    pub(crate) fn finish(&self, root: usize, trailer: &str) -> Vec<u8> {
        let mut file = b"%PDF-1.7\n".to_vec();
        let mut offsets = Vec::new();
        for (index, object) in self.objects.iter().enumerate() {
            offsets.push(file.len());
            file.extend(format!("{} 0 obj\n", index + 1).bytes());
            file.extend(object);
            file.extend(b"\nendobj\n");
        }
        let start = file.len();
        let size = self.objects.len() + 1;
        file.extend(format!("xref\n0 {size}\n0000000000 65535 f \n").bytes());
        for offset in offsets {
            file.extend(format!("{offset:010} 00000 n \n").bytes());
        }
        let end = format!(
            "trailer\n<< /Size {size} /Root {root} 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n"
        );
        file.extend(end.bytes());
        file
    }
}

/// A PDF of pages, each a content stream; `/F1` is Helvetica, `/Im1` a picture of one grey dot.
pub(crate) fn pdf(pages: &[&str]) -> Vec<u8> {
    let mut pdf = Pdf::default();
    let font = pdf.object(
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    );
    let picture = pdf.stream(
        "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray \
         /BitsPerComponent 8",
        b"\x80",
    );
    let tree = pages.len() * 2 + 3;
    let mut kids = String::new();
    for page in pages {
        let content = pdf.stream("", page.as_bytes());
        let number = pdf.object(format!(
            "<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R \
             /Resources << /Font << /F1 {font} 0 R >> /XObject << /Im1 {picture} 0 R >> >> >>"
        ));
        kids.push_str(&format!("{number} 0 R "));
    }
    let count = pages.len();
    let tree = pdf.object(format!("<< /Type /Pages /Kids [{kids}] /Count {count} >>"));
    let root = pdf.object(format!("<< /Type /Catalog /Pages {tree} 0 R >>"));
    pdf.finish(root, "")
}

/// Lines of text in one size, the first at the top of a page.
pub(crate) fn lines(size: u32, top: u32, lines: &[&str]) -> String {
    let mut content = format!("BT /F1 {size} Tf {} TL 72 {top} Td\n", size * 5 / 4);
    for line in lines {
        let escaped = line.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
        content.push_str(&format!("({escaped}) Tj T*\n"));
    }
    content.push_str("ET\n");
    content
}

/// A page that is a picture.
pub(crate) fn scan() -> String {
    "q 400 0 0 600 100 100 cm /Im1 Do Q\n".to_owned()
}

/// A letter of two pages.
pub(crate) fn letter() -> Vec<u8> {
    let first = [
        lines(20, 770, &["Minutes"]),
        lines(11, 730, &["The board met on the first of March and took note of", "the report."]),
        lines(11, 680, &["Both shops stay open."]),
    ];
    pdf(&[&first.concat(), &lines(11, 770, &["Signed: the chair."])])
}

/// A PDF that only a password opens: its keys are of another one than the empty password.
pub(crate) fn locked_pdf() -> Vec<u8> {
    let mut pdf = Pdf::default();
    let tree = pdf.object("<< /Type /Pages /Kids [] /Count 0 >>");
    let root = pdf.object(format!("<< /Type /Catalog /Pages {tree} 0 R >>"));
    let key = "00".repeat(32);
    let encrypt = pdf.object(format!(
        "<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <{key}> /U <{key}> >>"
    ));
    pdf.finish(root, &format!("/Encrypt {encrypt} 0 R /ID [<00> <00>]"))
}

/// Bytes as `/FlateDecode` has them.
pub(crate) fn flate(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// A PDF of one page whose content unpacks to 65 MiB.
pub(crate) fn bomb_pdf() -> Vec<u8> {
    page_pdf("/Filter /FlateDecode", &flate(&vec![b' '; 65 << 20]), "", &[])
}

/// A PDF of one page: `/F1` is Helvetica; `stream` and `content` are what draws it, `page` stands
/// in its dictionary, and `objects` are numbered from 10.
pub(crate) fn page_pdf(stream: &str, content: &[u8], page: &str, objects: &[Vec<u8>]) -> Vec<u8> {
    let mut pdf = Pdf::default();
    let root = pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    pdf.object(format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font \
         << /F1 5 0 R >> /XObject << /X1 10 0 R >> >> {page} >>"
    ));
    pdf.stream(stream, content);
    pdf.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
    while pdf.objects.len() < 9 {
        pdf.object("null");
    }
    for object in objects {
        pdf.object(object);
    }
    pdf.finish(root, "")
}

/// A PDF of so many pages that show the same.
pub(crate) fn long_pdf(pages: usize) -> Vec<u8> {
    let mut pdf = Pdf::default();
    let font = pdf.object(
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    );
    let content = pdf.stream("", lines(11, 700, &["page"]).as_bytes());
    let tree = content + pages + 1;
    let mut kids = String::new();
    for _ in 0..pages {
        let page = format!("<</Type/Page/Parent {tree} 0 R/Contents {content} 0 R>>");
        kids.push_str(&format!("{} 0 R ", pdf.object(page)));
    }
    pdf.object(format!(
        "<< /Type /Pages /Kids [{kids}] /Count {pages} /MediaBox [0 0 595 842] /Resources << /Font \
         << /F1 {font} 0 R >> >> >>"
    ));
    let root = pdf.object(format!("<< /Type /Catalog /Pages {tree} 0 R >>"));
    pdf.finish(root, "")
}

/// A PDF with a font whose glyphs have names that nobody knows.
pub(crate) fn unmapped() -> Vec<u8> {
    let mut pdf = Pdf::default();
    let program = pdf.stream("/Length1 4", b"\0\x01\0\0");
    let descriptor = pdf.object(format!(
        "<< /Type /FontDescriptor /FontName /ABCDEF+Odd /Flags 4 /FontFile2 {program} 0 R >>"
    ));
    let font = pdf.object(format!(
        "<< /Type /Font /Subtype /TrueType /BaseFont /ABCDEF+Odd /FirstChar 1 /LastChar 3 \
         /Widths [500 500 500] /FontDescriptor {descriptor} 0 R /Encoding << /Type /Encoding \
         /Differences [1 /g001 /g002 /g003] >> >>"
    ));
    let content = pdf.stream("", b"BT /F1 12 Tf 72 700 Td <010203> Tj ET");
    let tree = content + 2;
    let page = pdf.object(format!(
        "<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R \
         /Resources << /Font << /F1 {font} 0 R >> >> >>"
    ));
    pdf.object(format!("<< /Type /Pages /Kids [{page} 0 R] /Count 1 >>"));
    let root = pdf.object(format!("<< /Type /Catalog /Pages {tree} 0 R >>"));
    pdf.finish(root, "")
}

/// A compound file with a stream of that name: the container of Office up to 2003.
pub(crate) fn compound(stream: &str) -> Vec<u8> {
    let mut bytes = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    bytes.extend([0; 512]);
    bytes.extend(stream.encode_utf16().flat_map(u16::to_le_bytes));
    bytes
}

/// A text of one paragraph whose part begins with a document type declaration.
pub(crate) fn with_doctype(doctype: &str, text: &str) -> Vec<u8> {
    let xml = format!(
        "<?xml version=\"1.0\"?>{doctype}<w:document {WORD_SPACES}><w:body>{}</w:body></w:document>",
        paragraph(text)
    );
    Parts::default()
        .part("word/document.xml", &format!("{WORD}.document.main+xml"), &xml)
        .relations("", &[("rId1", "officeDocument", "word/document.xml")])
        .pack()
}
