//! [`Bounded`]: texts that are gathered while anybody still wants them.

/// What a text costs besides its characters: a part may be full of empty ones.
const EACH: usize = 16;

pub(super) struct Bounded<T> {
    items: Vec<T>,
    room: usize,
    is_cut: bool,
}

impl<T> Bounded<T> {
    /// `room`: the characters that are wanted.
    pub(super) fn new(room: usize) -> Self {
        Self { items: Vec::new(), room, is_cut: false }
    }

    /// Adds one, even one that is longer than the room, so that whoever takes them sees the end.
    pub(super) fn push(&mut self, item: T, characters: usize) {
        if self.is_cut {
            return;
        }
        self.items.push(item);
        match self.room.checked_sub(characters.saturating_add(EACH)) {
            Some(room) => self.room = room,
            None => self.is_cut = true,
        }
    }

    /// Whether no more are wanted.
    pub(super) fn is_full(&self) -> bool {
        self.is_cut
    }

    pub(super) fn into_items(self) -> Vec<T> {
        self.items
    }
}
