//! Links made absolute, with a limit: a long base and many short links are small together, and as
//! long as both multiplied once each link has the base in it.

use url::Url;

/// How many bytes may still be made of bases.
#[derive(Debug)]
pub(super) struct Joins {
    left: usize,
}

impl Joins {
    /// For a text of so many bytes.
    pub(super) fn new(length: usize) -> Self {
        /// Beside so much of the text, for feeds that are all links.
        const LEAST: usize = 256 * 1024;
        Self { left: length.saturating_mul(2).saturating_add(LEAST) }
    }

    /// Absolute, `None` where that cannot be, and where too much was made already.
    pub(super) fn join(&mut self, base: Option<&Url>, href: &str) -> Option<Url> {
        match Url::parse(href) {
            Ok(url) => Some(url),
            Err(_) => {
                let base = base?;
                self.left = self.left.checked_sub(base.as_str().len())?;
                base.join(href).ok()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_copied_until_there_is_too_much_of_them() {
        let base = Url::parse(&format!("https://a.example/{}/", "b".repeat(100_000))).unwrap();
        let mut joins = Joins::new(0);
        assert!(joins.join(Some(&base), "c").is_some());
        assert!(joins.join(Some(&base), "c").is_some());
        assert_eq!(joins.join(Some(&base), "c"), None);
        assert_eq!(
            joins.join(Some(&base), "https://c.example").unwrap().as_str(),
            "https://c.example/"
        );
        assert_eq!(joins.join(None, "c"), None);
    }
}
