//! [`Mark`]: a character, or a few that belong together, at its place on a page.

use std::rc::Rc;

use super::damage::Damage;

/// What was drawn by one code of a font.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) text: Rc<str>,
    /// On the line that letters stand on, in points from the lower left corner of the page as it is
    /// looked at.
    pub(super) x: f64,
    pub(super) y: f64,
    /// How long it is in the direction of writing.
    pub(super) width: f64,
    /// The word spacing that follows a blank, in points: what comes next is the next word.
    pub(super) word_space: f64,
    pub(super) size: f64,
    /// Degrees against the clock from left to right; text that is written downwards has 270.
    pub(super) angle: u16,
    pub(super) is_bold: bool,
}

/// A rectangle of a page that leads elsewhere.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) left: f64,
    pub(super) right: f64,
    /// From the lower edge of the page upwards, as marks have it.
    pub(super) bottom: f64,
    pub(super) top: f64,
    pub(super) address: Rc<str>,
}

/// What somebody wrote beside the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    pub(super) author: Option<String>,
    pub(super) text: String,
}

/// Marks of a page in the order of drawing, and what else was seen.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    pub(super) marks: Vec<Mark>,
    pub(super) links: Vec<Link>,
    pub(super) comments: Vec<Comment>,
    /// A file is attached to the page.
    pub(super) has_attachment: bool,
    /// Of the page, in points.
    pub(super) height: f64,
    /// In square points, the sum of all pictures.
    pub(super) picture_area: f64,
    /// Something was left out, since it cannot be read: the first that was met.
    pub(super) damage: Option<Damage>,
}

impl Sheet {
    pub(super) fn damage(&mut self, damage: Damage) {
        self.damage.get_or_insert(damage);
    }
}
