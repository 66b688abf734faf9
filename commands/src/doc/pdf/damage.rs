//! [`Damage`]: why a page is not given whole.

/// What is wrong with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    /// The tree of pages names it, and it is not there.
    Missing,
    /// What draws it is not there.
    NoContent,
    /// What draws it is cut off or damaged.
    Content,
    /// A form, a font or a field of it is not there, or damaged.
    Part,
    /// It has more characters than are read of one page.
    Crowded,
}

impl Damage {
    /// Whether something is lost that belongs to the page.
    pub(super) fn is_loss(self) -> bool {
        self != Self::Crowded
    }

    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Missing => "the page is not in the file",
            Self::NoContent => "what draws the page is not in the file",
            Self::Content => {
                "what draws the page is cut off or damaged: its text is given as far as it goes"
            }
            Self::Part => "a part of the page, or a font, is missing or damaged",
            Self::Crowded => "the page has more than 300,000 characters: only these are given",
        }
    }
}
