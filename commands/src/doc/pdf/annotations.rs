//! What lies on a page: fields of a form and remarks, as they look, or as what they hold.

use std::collections::BTreeMap;

use super::super::block::Stop;
use super::content::Painter;
use super::file::File;
use super::mark::Comment;
use super::matrix::Matrix;
use super::object::{Dictionary, Object};
use super::resolved::Resolved;
use super::strings;
use super::work;

/// On one page.
const MAX_ANNOTATIONS: usize = 5_000;
/// Entries of a list.
const MAX_CHOICES: usize = 2_000;
const MAX_CHOSEN: usize = 200;
/// The flag of a field whose value is not shown.
const PASSWORD: i64 = 1 << 13;
const MAX_LINKS: usize = 500;
/// Bytes of an address.
const MAX_ADDRESS: usize = 2_000;
/// Bytes of the remarks of a page.
const MAX_COMMENT_BYTES: usize = 8 << 20;
/// Fields within fields.
const MAX_PARENTS: usize = 16;

/// Draws all annotations that are seen.
pub(super) fn draw(
    file: &File<'_>,
    page: &Dictionary,
    painter: &mut Painter<'_, '_, '_>,
    matrix: Matrix,
) -> Result<(), Stop> {
    let annotations = file.entry(page, "Annots");
    let mut links = 0;
    let mut comment_bytes = 0;
    for annotation in annotations.array().unwrap_or_default().iter().take(MAX_ANNOTATIONS) {
        file.work.add(1, work::ANNOTATION);
        file.work.check()?;
        let annotation = file.resolve(annotation);
        let Some(annotation) = annotation.dictionary() else { continue };
        let subtype = file.entry(annotation, "Subtype");
        if subtype.name() == Some("Link") && links < MAX_LINKS {
            links += usize::from(link(file, annotation, painter, matrix).is_some());
        }
        // A popup repeats the remark that it belongs to; links are drawn by the page.
        if matches!(subtype.name(), Some("Popup" | "Link") | None) {
            continue;
        }
        let flags = file.entry(annotation, "F").integer().unwrap_or(0);
        let (hidden, no_view) = (2, 32);
        if flags & (hidden | no_view) != 0 {
            continue;
        }
        if subtype.name() == Some("FileAttachment") {
            painter.attach();
        }
        if comment_bytes < MAX_COMMENT_BYTES
            && let Some(comment) = comment(file, annotation, subtype.name().unwrap_or_default())
        {
            comment_bytes += comment.text.len();
            painter.comment(comment);
        }
        let Some(rectangle) = rectangle(file, annotation, "Rect") else { continue };
        let drawn = painter.count();
        if let Some(look) = appearance(file, annotation) {
            let placed = placed(file, &look, rectangle);
            painter.form(&look, &Dictionary::new(), placed.then(matrix))?;
        }
        // Many programs leave it to the viewer to draw what was filled in.
        if !painter.has_text_since(drawn) {
            let subtype = subtype.name().unwrap_or_default();
            write(file, annotation, subtype, rectangle, painter, matrix);
        }
    }
    Ok(())
}

/// What somebody wrote on a note, or on the note of another mark: of a text that is struck through,
/// a line, a stamp.
fn comment(file: &File<'_>, annotation: &Dictionary, subtype: &str) -> Option<Comment> {
    let has_note = subtype == "Text" || annotation.contains_key("Popup");
    // Of these the words are on the page, or a state is set and nothing is said.
    let is_shown = matches!(subtype, "FreeText" | "Widget" | "FileAttachment");
    if !has_note || is_shown || annotation.contains_key("StateModel") {
        return None;
    }
    let written = |name: &str| {
        let entry = file.entry(annotation, name);
        let bytes = entry.string()?;
        file.work.add(bytes.len(), work::LOOK);
        let text = strings::decoded(bytes).replace("\r\n", "\n").replace('\r', "\n");
        (!text.trim().is_empty()).then(|| text.trim().to_owned())
    };
    Some(Comment { text: written("Contents")?, author: written("T") })
}

/// Where a link leads, if that is out of the document.
fn link(
    file: &File<'_>,
    annotation: &Dictionary,
    painter: &mut Painter<'_, '_, '_>,
    matrix: Matrix,
) -> Option<()> {
    let action = file.entry(annotation, "A");
    let action = action.dictionary()?;
    if file.entry(action, "S").name() != Some("URI") {
        return None;
    }
    let address = file.entry(action, "URI");
    let address = address.string().filter(|address| address.len() <= MAX_ADDRESS)?;
    let rectangle = rectangle(file, annotation, "Rect")?;
    painter.link(rectangle, matrix, &strings::decoded(address));
    Some(())
}

/// The normal appearance, in the state that is on.
fn appearance(file: &File<'_>, annotation: &Dictionary) -> Option<Object> {
    let looks = file.entry(annotation, "AP");
    let look = file.entry(looks.dictionary()?, "N");
    match look.as_ref() {
        Object::Stream(_) => Some(look.as_ref().clone()),
        Object::Dictionary(states) => {
            let state = file.entry(annotation, "AS");
            let look = file.entry(states, state.name()?);
            look.stream().is_some().then(|| look.as_ref().clone())
        }
        _ => None,
    }
}

/// From the form's own box into the rectangle of the annotation.
fn placed(file: &File<'_>, look: &Object, [left, bottom, right, top]: [f64; 4]) -> Matrix {
    let Some(dictionary) = look.dictionary() else { return Matrix::IDENTITY };
    let Some(own) = rectangle(file, dictionary, "BBox") else { return Matrix::shift(left, bottom) };
    let numbers: Vec<f64> = match file.entry(dictionary, "Matrix").array() {
        Some(items) => items.iter().filter_map(Object::number).collect(),
        None => Vec::new(),
    };
    let matrix = Matrix::new(&numbers).unwrap_or(Matrix::IDENTITY);
    let corners = [(own[0], own[1]), (own[2], own[1]), (own[0], own[3]), (own[2], own[3])];
    let corners = corners.map(|(x, y)| matrix.point(x, y));
    let least =
        |pick: fn(&(f64, f64)) -> f64| corners.iter().map(pick).fold(f64::INFINITY, f64::min);
    let most =
        |pick: fn(&(f64, f64)) -> f64| corners.iter().map(pick).fold(f64::NEG_INFINITY, f64::max);
    let (own_left, own_bottom) = (least(|corner| corner.0), least(|corner| corner.1));
    let (own_width, own_height) =
        (most(|corner| corner.0) - own_left, most(|corner| corner.1) - own_bottom);
    let scale = |length: f64, own: f64| if own > 1e-6 { length / own } else { 1.0 };
    let (a, d) = (scale(right - left, own_width), scale(top - bottom, own_height));
    Matrix { a, b: 0.0, c: 0.0, d, e: left - own_left * a, f: bottom - own_bottom * d }
}

/// What a field or a remark holds, where nothing shows it.
fn write(
    file: &File<'_>,
    annotation: &Dictionary,
    subtype: &str,
    [left, bottom, _, top]: [f64; 4],
    painter: &mut Painter<'_, '_, '_>,
    matrix: Matrix,
) {
    let value = match subtype {
        "FreeText" => file.entry(annotation, "Contents"),
        "Widget" => {
            let is_password =
                inherited(file, annotation, "Ff").integer().unwrap_or(0) & PASSWORD != 0;
            let kind = inherited(file, annotation, "FT");
            match kind.name() {
                Some("Tx") if is_password => return,
                Some("Tx" | "Ch") | None => inherited(file, annotation, "V"),
                _ => return,
            }
        }
        _ => return,
    };
    let values: Vec<Vec<u8>> = match value.as_ref() {
        Object::String(bytes) => vec![bytes.clone()],
        // A long text may be a stream.
        Object::Stream(stream) => {
            file.decode(stream).map(|decoded| decoded.bytes).into_iter().collect()
        }
        Object::Array(items) => items
            .iter()
            .take(MAX_CHOSEN)
            .filter_map(|item| file.resolve(item).string().map(<[u8]>::to_vec))
            .collect(),
        _ => return,
    };
    let names = choices(file, annotation);
    let named = |value: &Vec<u8>| strings::decoded(names.get(value).unwrap_or(value));
    let text = values.iter().map(named).collect::<Vec<String>>().join("\n");
    let lines = || text.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).take(200);
    #[expect(clippy::cast_precision_loss, reason = "at most 200")]
    let count = lines().count().max(1) as f64;
    // All of them within the box, however small.
    let size = ((top - bottom) * 0.75 / count).clamp(1.0, 10.0);
    let mut base = top - size;
    for line in lines() {
        painter.write(line, matrix, left + 2.0, base, size);
        base -= size * 1.2;
    }
}

/// What the entries of a list are called, where that is not what they stand for.
fn choices(file: &File<'_>, field: &Dictionary) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut names = BTreeMap::new();
    let choices = inherited(file, field, "Opt");
    for choice in choices.array().unwrap_or_default().iter().take(MAX_CHOICES) {
        file.work.add(1, work::ANNOTATION);
        let choice = file.resolve(choice);
        if let Some([value, name]) = choice.array()
            && let (Some(value), Some(name)) =
                (file.resolve(value).string(), file.resolve(name).string())
        {
            names.insert(value.to_vec(), name.to_vec());
        }
    }
    names
}

/// An entry of a field, or of the field that it is a part of.
fn inherited<'o>(file: &File<'_>, field: &'o Dictionary, name: &str) -> Resolved<'o> {
    if field.contains_key(name) {
        return file.entry(field, name);
    }
    let mut parent = file.entry(field, "Parent").into_shared();
    for _ in 0..MAX_PARENTS {
        let Some(dictionary) = parent.dictionary() else { break };
        if dictionary.contains_key(name) {
            return Resolved::There(file.entry(dictionary, name).into_shared());
        }
        let next = file.entry(dictionary, "Parent").into_shared();
        parent = next;
    }
    Resolved::Here(&Object::Null)
}

/// Left, bottom, right and top, in this order whatever the file says.
pub(super) fn rectangle(file: &File<'_>, dictionary: &Dictionary, name: &str) -> Option<[f64; 4]> {
    let entry = file.entry(dictionary, name);
    let numbers: Vec<f64> =
        entry.array()?.iter().filter_map(|item| file.resolve(item).number()).collect();
    let [x, y, other_x, other_y] = *numbers.as_slice() else { return None };
    let is_finite = numbers.iter().all(|number| number.is_finite());
    is_finite.then(|| [x.min(other_x), y.min(other_y), x.max(other_x), y.max(other_y)])
}
