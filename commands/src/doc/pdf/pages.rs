//! [`Pages`]: the leaves of the page tree in order, each with what it inherits.

use std::collections::HashSet;
use std::rc::Rc;

use super::super::block::Stop;
use super::file::File;
use super::object::{Dictionary, Id, Object};
use super::work;

/// Nodes between two looks at the clock.
const PULSE: usize = 32;
/// Levels of the tree.
const MAX_DEPTH: usize = 64;
const INHERITED: [&str; 4] = ["Resources", "MediaBox", "CropBox", "Rotate"];

/// One page.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) dictionary: Dictionary,
    /// The tree names it, and it is not there.
    pub(super) is_missing: bool,
}

/// Walks the tree once; a node with kids is entered once, so that a circle ends.
#[derive(Debug)]
pub(super) struct Pages<'f, 'a> {
    file: &'f File<'a>,
    open: Vec<Node>,
    entered: HashSet<Id>,
    /// Pages without a tree, found one by one.
    loose: Option<std::vec::IntoIter<u32>>,
    visited: usize,
}

#[derive(Debug)]
struct Node {
    kids: Rc<Object>,
    next: usize,
    inherited: Rc<Dictionary>,
}

impl<'f, 'a> Pages<'f, 'a> {
    pub(super) fn new(file: &'f File<'a>) -> Self {
        let mut pages =
            Self { file, open: Vec::new(), entered: HashSet::new(), loose: None, visited: 0 };
        let root = file.root();
        if let Some(tree) = root.dictionary().and_then(|root| root.get("Pages")) {
            pages.open.push(Node {
                kids: Rc::new(Object::Array(vec![tree.clone()])),
                next: 0,
                inherited: Rc::new(Dictionary::new()),
            });
        }
        pages
    }

    /// All objects that say they are pages, by their numbers: for files whose tree is lost.
    pub(super) fn loose(file: &'f File<'a>) -> Self {
        let numbers = file.numbers();
        Self {
            file,
            open: Vec::new(),
            entered: HashSet::new(),
            loose: Some(numbers.into_iter()),
            visited: 0,
        }
    }

    /// How many pages the tree says it has, where a file of this size can have so many.
    pub(super) fn said(&self) -> Option<u64> {
        let root = self.file.root();
        let tree = self.file.entry(root.dictionary()?, "Pages");
        let said = self.file.entry(tree.dictionary()?, "Count").integer()?;
        u64::try_from(said).ok().filter(|&said| (1..=1 << 22).contains(&said))
    }

    /// Pages that follow, without reading them: what the nodes say of themselves is believed where
    /// the numbers agree.
    pub(super) fn count_rest(
        &mut self,
        pulse: &mut dyn FnMut() -> Result<(), Stop>,
    ) -> Result<u32, Stop> {
        let mut count: u32 = 0;
        loop {
            self.visit(pulse)?;
            let Some(node) = self.open.last_mut() else { return Ok(count) };
            let kids = Rc::clone(&node.kids);
            let Some(kid) = kids.array().and_then(|kids| kids.get(node.next)) else {
                self.open.pop();
                continue;
            };
            node.next += 1;
            let inherited = Rc::clone(&node.inherited);
            let id = kid.reference();
            let kid = self.file.resolve(kid);
            let Some(dictionary) = kid.dictionary() else {
                count = count.saturating_add(u32::from(id.is_some()));
                continue;
            };
            match self.kids_of(dictionary) {
                Some(_) if id.is_some_and(|id| !self.entered.insert(id)) => {}
                None => count = count.saturating_add(1),
                Some(kids) => {
                    let length = kids.array().map_or(0, <[_]>::len);
                    let said = self.file.entry(dictionary, "Count").integer();
                    match u32::try_from(length) {
                        Ok(length) if said == Some(i64::from(length)) => {
                            count = count.saturating_add(length)
                        }
                        _ if self.open.len() < MAX_DEPTH => {
                            self.open.push(Node { kids, next: 0, inherited })
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    fn visit(&mut self, pulse: &mut dyn FnMut() -> Result<(), Stop>) -> Result<(), Stop> {
        self.visited += 1;
        self.file.work.add(1, work::NODE);
        if self.visited.is_multiple_of(PULSE) {
            pulse()?;
            self.file.work.check()?;
        }
        Ok(())
    }

    fn kids_of(&self, dictionary: &Dictionary) -> Option<Rc<Object>> {
        if dictionary.get("Type").and_then(Object::name) == Some("Page")
            || !dictionary.contains_key("Kids")
        {
            return None;
        }
        Some(self.file.entry(dictionary, "Kids").into_shared())
    }

    fn next_loose(
        &mut self,
        pulse: &mut dyn FnMut() -> Result<(), Stop>,
    ) -> Result<Option<Page>, Stop> {
        while let Some(number) = self.loose.as_mut().and_then(Iterator::next) {
            self.visit(pulse)?;
            let object = self.file.load(Id { number, generation: 0 });
            if let Object::Dictionary(dictionary) = object.as_ref()
                && dictionary.get("Type").and_then(Object::name) == Some("Page")
            {
                let mut dictionary = dictionary.clone();
                let parent = self.file.entry(&dictionary, "Parent").into_shared();
                if let Some(parent) = parent.dictionary() {
                    inherit(&mut dictionary, parent);
                }
                return Ok(Some(Page { dictionary, is_missing: false }));
            }
        }
        Ok(None)
    }

    /// `pulse` is asked now and then whether to go on.
    pub(super) fn next(
        &mut self,
        pulse: &mut dyn FnMut() -> Result<(), Stop>,
    ) -> Result<Option<Page>, Stop> {
        if self.loose.is_some() {
            return self.next_loose(pulse);
        }
        loop {
            self.visit(pulse)?;
            let Some(node) = self.open.last_mut() else { return Ok(None) };
            let kids = Rc::clone(&node.kids);
            let inherited = Rc::clone(&node.inherited);
            let Some(kid) = kids.array().and_then(|kids| kids.get(node.next)) else {
                self.open.pop();
                continue;
            };
            node.next += 1;
            let id = kid.reference();
            let kid = self.file.resolve(kid);
            let Some(dictionary) = kid.dictionary() else {
                if id.is_some() {
                    return Ok(Some(Page { dictionary: Dictionary::new(), is_missing: true }));
                }
                continue;
            };
            match self.kids_of(dictionary) {
                Some(_) if id.is_some_and(|id| !self.entered.insert(id)) => {}
                None => {
                    let mut dictionary = dictionary.clone();
                    inherit(&mut dictionary, &inherited);
                    return Ok(Some(Page { dictionary, is_missing: false }));
                }
                Some(kids) if self.open.len() < MAX_DEPTH => {
                    let mut handed_down = Dictionary::new();
                    inherit(&mut handed_down, dictionary);
                    inherit(&mut handed_down, &inherited);
                    self.open.push(Node { kids, next: 0, inherited: Rc::new(handed_down) });
                }
                Some(_) => {}
            }
        }
    }
}

fn inherit(dictionary: &mut Dictionary, from: &Dictionary) {
    for name in INHERITED {
        if let Some(entry) = from.get(name)
            && !dictionary.contains_key(name)
        {
            dictionary.insert(name.to_owned(), entry.clone());
        }
    }
}
