//! [`Matrix`]: where things go on a page.

/// `[a b c d e f]` of a PDF: a point `(x, y)` becomes `(ax + cy + e, bx + dy + f)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix {
    pub(super) a: f64,
    pub(super) b: f64,
    pub(super) c: f64,
    pub(super) d: f64,
    pub(super) e: f64,
    pub(super) f: f64,
}

impl Matrix {
    pub(super) const IDENTITY: Self = Self { a: 1.0, b: 0.0, c: 0.0, d: 1.0, e: 0.0, f: 0.0 };

    /// `None` where a number is missing or is none.
    pub(super) fn new(numbers: &[f64]) -> Option<Self> {
        match *numbers {
            [a, b, c, d, e, f] if numbers.iter().all(|number| number.is_finite()) => {
                Some(Self { a, b, c, d, e, f })
            }
            _ => None,
        }
    }

    pub(super) fn shift(e: f64, f: f64) -> Self {
        Self { e, f, ..Self::IDENTITY }
    }

    /// This one first, then `next`.
    pub(super) fn then(self, next: Self) -> Self {
        Self {
            a: self.a * next.a + self.b * next.c,
            b: self.a * next.b + self.b * next.d,
            c: self.c * next.a + self.d * next.c,
            d: self.c * next.b + self.d * next.d,
            e: self.e * next.a + self.f * next.c + next.e,
            f: self.e * next.b + self.f * next.d + next.f,
        }
    }

    pub(super) fn point(self, x: f64, y: f64) -> (f64, f64) {
        (self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f)
    }

    pub(super) fn determinant(self) -> f64 {
        self.a * self.d - self.b * self.c
    }
}
