//! [`File`]: a PDF file, whose objects are read when somebody asks for them.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use tapeline::{ErrorCode, Failure};

use super::cipher::{Cipher, Locked};
use super::filters::{self, End, Undecoded};
use super::lexer::{Lexer, Token};
use super::object::{Dictionary, Id, Object, Stream};
use super::parse;
use super::resolved::Resolved;
use super::work::{self, Work};
use super::xref::{self, Extent, Place, Places, TooMany};

/// What one stream may unpack to.
pub(super) const MAX_PART_BYTES: usize = 64 << 20;
/// Bytes that are looked through for the end of a stream in one step.
const SEARCHED: usize = 8;
/// Source bytes of objects that are kept.
const MAX_KEPT_BYTES: usize = 4 << 20;
/// Unpacked bytes of streams of objects that are kept.
const MAX_PACKED_BYTES: usize = 24 << 20;
/// References that lead to references.
const MAX_HOPS: usize = 16;

/// Objects by their numbers, from bytes that stay where they are.
#[derive(Debug)]
pub(super) struct File<'a> {
    bytes: &'a [u8],
    header: usize,
    places: RefCell<Places>,
    found: OnceCell<HashMap<u32, Place>>,
    cipher: Option<Cipher>,
    kept: RefCell<Kept>,
    pub(super) work: Work,
}

#[derive(Debug, Default)]
struct Kept {
    objects: HashMap<Id, Rc<Object>>,
    object_bytes: usize,
    packed: Vec<(u32, Rc<Packed>)>,
}

/// What a stream holds.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    /// Nothing of it is cut off or damaged.
    pub(super) is_whole: bool,
}

/// The objects of one stream.
#[derive(Debug)]
struct Packed {
    bytes: Vec<u8>,
    starts: HashMap<u32, usize>,
}

impl<'a> File<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, Failure> {
        let head = bytes.get(..bytes.len().min(1024)).unwrap_or_default();
        let Some(header) = memchr::memmem::find(head, b"%PDF-") else {
            return Err(Failure::new(
                ErrorCode::PARSE_ERROR,
                "not a PDF document: it does not begin with `%PDF-`",
            ));
        };
        let mut file = Self {
            bytes,
            header,
            places: RefCell::default(),
            found: OnceCell::new(),
            cipher: None,
            kept: RefCell::default(),
            work: Work::default(),
        };
        let by_tables = xref::by_tables(bytes, header, &file.work).map_err(too_many)?;
        if let Some(places) = by_tables {
            file.places = RefCell::new(places);
        }
        file.decipher()?;
        if !file.has_root() {
            let places = xref::by_looking(bytes, &file.work).map_err(too_many)?;
            file.found = OnceCell::from(places.by_number.clone());
            file.places = RefCell::new(places);
            file.kept = RefCell::default();
            file.decipher()?;
            if !file.has_root() {
                file.look_for_root();
            }
        }
        file.work.check()?;
        Ok(file)
    }

    fn decipher(&mut self) -> Result<(), Failure> {
        // The dictionary of the key is not enciphered itself.
        self.cipher = None;
        let entry = self.trailer("Encrypt");
        let Some(encrypt) = entry.dictionary() else {
            return Ok(());
        };
        let mut encrypt = encrypt.clone();
        for value in encrypt.values_mut() {
            *value = self.resolve(value).into_owned();
        }
        let ids = self.trailer("ID");
        let first = ids.array().and_then(|ids| ids.first()).map(|id| self.resolve(id));
        let file_id = first.as_ref().and_then(|id| id.string()).unwrap_or_default();
        self.cipher = Some(Cipher::new(&encrypt, file_id).map_err(|locked| {
            let message = match locked {
                Locked::Password => "the document opens only with a password",
                Locked::Unknown => "the document is encrypted in a way that is not known here",
            };
            Failure::new(ErrorCode::ENCRYPTED, message)
                .hint("save a copy without a password, or print it to a PDF, and extract that")
        })?);
        self.kept = RefCell::default();
        Ok(())
    }

    /// The last object that says it is the root, where no trailer names it.
    fn look_for_root(&self) {
        for number in self.numbers().into_iter().rev() {
            let id = Id { number, generation: 0 };
            let object = self.load(id);
            let kind = object.dictionary().and_then(|object| object.get("Type")?.name());
            if kind == Some("Catalog") {
                let root = ("Root".to_owned(), Object::Reference(id));
                self.places.borrow_mut().trailer.extend([root]);
                return;
            }
            if !self.work.is_left() {
                return;
            }
        }
    }

    fn has_root(&self) -> bool {
        let root = self.root();
        let pages =
            root.dictionary().and_then(|root| root.get("Pages")).map(|pages| self.resolve(pages));
        pages
            .as_ref()
            .and_then(|pages| pages.dictionary())
            .is_some_and(|pages| pages.contains_key("Kids"))
    }

    pub(super) fn root(&self) -> Rc<Object> {
        self.trailer("Root")
    }

    /// Entries of the trailer, resolved.
    fn trailer(&self, name: &str) -> Rc<Object> {
        let entry = self.places.borrow().trailer.get(name).cloned();
        entry.map_or_else(|| Rc::new(Object::Null), |entry| self.resolve(&entry).into_shared())
    }

    /// Numbers of all objects that are known, in order.
    pub(super) fn numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.places.borrow().by_number.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }

    /// The file as it is when its tables are not believed; for a page tree that leads nowhere.
    pub(super) fn look_for_objects(&self) -> Result<(), Failure> {
        let found = match self.found.get() {
            Some(found) => found.clone(),
            None => xref::by_looking(self.bytes, &self.work).map_err(too_many)?.by_number,
        };
        self.places.borrow_mut().by_number = found;
        *self.kept.borrow_mut() = Kept::default();
        Ok(())
    }

    /// What a reference leads to; anything else as it is.
    pub(super) fn resolve<'o>(&self, object: &'o Object) -> Resolved<'o> {
        let mut resolved = match object {
            Object::Reference(id) => self.load(*id),
            other => return Resolved::Here(other),
        };
        for _ in 0..MAX_HOPS {
            match *resolved {
                Object::Reference(id) => resolved = self.load(id),
                _ => return Resolved::There(resolved),
            }
        }
        Resolved::Here(&Object::Null)
    }

    /// The entry of a dictionary, resolved; `Null` where there is none.
    pub(super) fn entry<'o>(&self, dictionary: &'o Dictionary, name: &str) -> Resolved<'o> {
        dictionary.get(name).map_or(Resolved::Here(&Object::Null), |entry| self.resolve(entry))
    }

    /// Whether a reference leads to nothing.
    pub(super) fn is_missing(&self, object: &Object) -> bool {
        object.reference().is_some() && matches!(*self.resolve(object), Object::Null)
    }

    /// `Null` for an object that is not there.
    pub(super) fn load(&self, id: Id) -> Rc<Object> {
        if let Some(object) = self.kept.borrow().objects.get(&id) {
            return Rc::clone(object);
        }
        self.work.add(1, work::OBJECT);
        let place = self.places.borrow().by_number.get(&id.number).copied();
        let mut loaded = match place {
            Some(Place::At(start)) => self.load_at(id, start),
            Some(Place::In(stream)) => self.load_packed(id, stream),
            Some(Place::Free) | None => None,
        };
        // The tables are wrong about it, or do not know it.
        if loaded.is_none() && !matches!(place, Some(Place::In(_))) {
            let found = self.found.get_or_init(|| match xref::by_looking(self.bytes, &self.work) {
                Ok(places) => places.by_number,
                Err(TooMany) => HashMap::new(),
            });
            loaded = match found.get(&id.number) {
                Some(found) if Some(*found) == place => None,
                Some(Place::At(start)) => self.load_at(id, *start),
                Some(Place::In(stream)) => self.load_packed(id, *stream),
                Some(Place::Free) | None => None,
            };
        }
        let (object, cost) = loaded.unwrap_or((Object::Null, 16));
        let object = Rc::new(object);
        let mut kept = self.kept.borrow_mut();
        if kept.object_bytes + cost > MAX_KEPT_BYTES {
            kept.objects.clear();
            kept.object_bytes = 0;
        }
        kept.object_bytes += cost + 16;
        kept.objects.insert(id, Rc::clone(&object));
        object
    }

    /// The object whose head stands at this place, or as far behind it as `%PDF-` behind the start.
    fn load_at(&self, id: Id, start: u32) -> Option<(Object, usize)> {
        let start = usize::try_from(start).ok()?;
        let body = |start: usize| {
            let mut lexer = Lexer::new(self.bytes, start);
            let is_head = lexer.next() == Some(Token::Integer(i64::from(id.number)))
                && matches!(lexer.next(), Some(Token::Integer(_)))
                && matches!(lexer.next(), Some(Token::Word(b"obj")));
            is_head.then_some(lexer)
        };
        let mut lexer = match body(start) {
            Some(lexer) => lexer,
            None if self.header > 0 => body(start + self.header)?,
            None => return None,
        };
        let begin = lexer.position();
        let parsed = self.work.is_left().then(|| parse::object(&mut lexer)).flatten();
        let cost = lexer.position() - begin;
        self.work.add(cost, work::PARSE);
        let parsed = parsed.filter(|object| !self.is_cut_off(object, &lexer));
        let object = match parsed.unwrap_or(Object::Null) {
            Object::Dictionary(dictionary) => {
                let length = match dictionary.get("Length") {
                    Some(Object::Reference(other)) if *other != id => self.length(*other),
                    Some(length) => length.integer(),
                    None => None,
                };
                match xref::stream_extent(self.bytes, &mut lexer, length) {
                    Some(Extent { start, end, is_cut }) => {
                        self.work.add((end - start) / SEARCHED, 1);
                        Object::Stream(Box::new(Stream { dictionary, id, start, end, is_cut }))
                    }
                    None => Object::Dictionary(dictionary),
                }
            }
            other => other,
        };
        let object = match &self.cipher {
            Some(cipher) => deciphered(object, cipher, id),
            None => object,
        };
        Some((object, cost))
    }

    /// Whether the file ends within the object.
    fn is_cut_off(&self, object: &Object, lexer: &Lexer<'_>) -> bool {
        let end = match object {
            Object::Dictionary(_) => b">>".as_slice(),
            Object::Array(_) => b"]",
            _ => return false,
        };
        lexer.position() >= self.bytes.len() && !self.bytes.trim_ascii_end().ends_with(end)
    }

    /// A length that stands elsewhere: only a number, so that it leads nowhere else.
    fn length(&self, id: Id) -> Option<i64> {
        match *self.places.borrow().by_number.get(&id.number)? {
            Place::At(start) => {
                let start = usize::try_from(start).ok()?;
                [start, start + self.header].into_iter().find_map(|start| {
                    let mut lexer = Lexer::new(self.bytes, start);
                    match (lexer.next()?, lexer.next()?, lexer.next()?, lexer.next()?) {
                        (
                            Token::Integer(number),
                            Token::Integer(_),
                            Token::Word(b"obj"),
                            Token::Integer(length),
                        ) if number == i64::from(id.number) => Some(length),
                        _ => None,
                    }
                })
            }
            Place::In(_) | Place::Free => None,
        }
    }

    fn load_packed(&self, id: Id, stream: u32) -> Option<(Object, usize)> {
        let packed = self.packed(stream)?;
        let start = *packed.starts.get(&id.number)?;
        let mut lexer = Lexer::new(&packed.bytes, start);
        let object = self.work.is_left().then(|| parse::object(&mut lexer)).flatten()?;
        let cost = lexer.position() - start;
        self.work.add(cost, work::PARSE);
        Some((object, cost))
    }

    fn packed(&self, number: u32) -> Option<Rc<Packed>> {
        let mut kept = self.kept.borrow_mut();
        if let Some(at) = kept.packed.iter().position(|(known, _)| *known == number) {
            let used = kept.packed.remove(at);
            let packed = Rc::clone(&used.1);
            kept.packed.push(used);
            return Some(packed);
        }
        drop(kept);
        // Such a stream stands in the file itself: else two of them could hold each other.
        let id = Id { number, generation: 0 };
        let place = self.places.borrow().by_number.get(&number).copied();
        let Some(Place::At(start)) = place else { return None };
        let (object, _) = self.load_at(id, start)?;
        let stream = object.stream()?;
        let bytes = self.decode(stream).ok()?.bytes;
        let first = stream.dictionary.get("First").and_then(Object::integer);
        let first = first.and_then(|first| usize::try_from(first).ok())?;
        let mut starts = HashMap::new();
        let mut lexer = Lexer::new(bytes.get(..first)?, 0);
        while let (Some(Token::Integer(number)), Some(Token::Integer(start))) =
            (lexer.next(), lexer.next())
        {
            if let (Ok(number), Ok(start)) = (u32::try_from(number), usize::try_from(start)) {
                starts.entry(number).or_insert(first.saturating_add(start));
            }
            if starts.len() > xref::MAX_OBJECTS / 4 {
                break;
            }
        }
        let packed = Rc::new(Packed { bytes, starts });
        let mut kept = self.kept.borrow_mut();
        kept.packed.push((number, Rc::clone(&packed)));
        let mut total: usize = kept.packed.iter().map(|(_, packed)| packed.bytes.len()).sum();
        while total > MAX_PACKED_BYTES && kept.packed.len() > 1 {
            total -= kept.packed.remove(0).1.bytes.len();
        }
        Some(packed)
    }

    /// What a stream holds, deciphered and unpacked.
    pub(super) fn decode(&self, stream: &Stream) -> Result<Decoded, Undecoded> {
        if !self.work.is_left() {
            return Err(Undecoded::TooLarge);
        }
        let raw = self.bytes.get(stream.start..stream.end).unwrap_or_default();
        let is_table = stream.dictionary.get("Type").and_then(Object::name) == Some("XRef");
        let plain = match &self.cipher {
            Some(cipher) if !is_table => cipher.stream(raw, stream.id),
            _ => None,
        };
        let raw = plain.as_deref().unwrap_or(raw);
        let filters::Decoded { bytes, end } = self.decode_raw(&stream.dictionary, raw)?;
        let is_whole = match end {
            End::Marked => true,
            End::Unmarked => !stream.is_cut,
            End::Damaged => false,
        };
        Ok(Decoded { bytes, is_whole })
    }

    fn decode_raw(
        &self,
        dictionary: &Dictionary,
        raw: &[u8],
    ) -> Result<filters::Decoded, Undecoded> {
        // Filters and their parameters may stand elsewhere.
        let is_direct = ["Filter", "DecodeParms"].iter().all(|name| match dictionary.get(*name) {
            Some(Object::Reference(_)) => false,
            Some(Object::Array(items)) => {
                !items.iter().any(|item| matches!(item, Object::Reference(_)))
            }
            _ => true,
        });
        if is_direct {
            return filters::decode(dictionary, raw, MAX_PART_BYTES, &self.work);
        }
        let mut resolved = Dictionary::new();
        for name in ["Filter", "DecodeParms"] {
            let entry = self.entry(dictionary, name);
            let entry = match entry.array() {
                Some(items) => Object::Array(
                    items.iter().map(|item| self.resolve(item).into_owned()).collect(),
                ),
                None => entry.into_owned(),
            };
            resolved.insert(name.to_owned(), entry);
        }
        filters::decode(&resolved, raw, MAX_PART_BYTES, &self.work)
    }
}

fn too_many(TooMany: TooMany) -> Failure {
    let message = format!("the document has more than {} objects", xref::MAX_OBJECTS);
    Failure::limit_exceeded("objects", xref::MAX_OBJECTS as u64, message)
        .hint("print the pages that matter to a new PDF, or split the document")
}

/// The object with its strings deciphered.
fn deciphered(object: Object, cipher: &Cipher, id: Id) -> Object {
    let of_dictionary = |dictionary: Dictionary| {
        dictionary.into_iter().map(|(name, entry)| (name, deciphered(entry, cipher, id))).collect()
    };
    match object {
        Object::String(bytes) => match cipher.string(&bytes, id) {
            Some(plain) => Object::String(plain),
            None => Object::String(bytes),
        },
        Object::Array(items) => {
            Object::Array(items.into_iter().map(|item| deciphered(item, cipher, id)).collect())
        }
        Object::Dictionary(dictionary) => Object::Dictionary(of_dictionary(dictionary)),
        Object::Stream(mut stream) => {
            stream.dictionary = of_dictionary(stream.dictionary);
            Object::Stream(stream)
        }
        other => other,
    }
}
