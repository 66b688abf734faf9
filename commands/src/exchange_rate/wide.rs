//! [`Wide`]: a 256-bit unsigned integer, wide enough for the exact product of two decimals.

/// Eight limbs of 32 bits, the lowest first. Each is kept in a `u64`, so that a product of two
/// limbs and its carry need no cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide([u64; 8]);

const LIMB_BITS: u32 = 32;
const LIMB_MAX: u64 = (1 << LIMB_BITS) - 1;

impl Wide {
    const ZERO: Self = Self([0; 8]);
    const BITS: u32 = 8 * LIMB_BITS;

    /// 10 to the power of `exponent`; `None` past 256 bits.
    pub(super) fn power_of_ten(exponent: u32) -> Option<Self> {
        let ten = Self::from(10);
        (0..exponent).try_fold(Self::from(1), |power, _| power.times(&ten))
    }

    /// The product; `None` past 256 bits.
    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::ZERO;
        for (shift, factor) in self.0.iter().enumerate() {
            let mut carry = 0;
            for (position, limb) in other.0.iter().enumerate() {
                let Some(sum) = product.0.get_mut(shift + position) else {
                    if factor * limb + carry != 0 {
                        return None;
                    }
                    continue;
                };
                let total = *sum + factor * limb + carry;
                *sum = total & LIMB_MAX;
                carry = total >> LIMB_BITS;
            }
            if carry != 0 {
                return None;
            }
        }
        Some(product)
    }

    /// The quotient as a whole number, half away from zero; `None` for a divisor of zero, of more
    /// than 255 bits, or a quotient of 2^256.
    pub(super) fn divided_by(&self, divisor: &Self) -> Option<Self> {
        let top_bit = divisor.clone().shift_in(0);
        if *divisor == Self::ZERO || top_bit == 1 {
            return None;
        }
        let (mut numerator, mut quotient, mut remainder) = (*self, Self::ZERO, Self::ZERO);
        for _ in 0..Self::BITS {
            remainder.shift_in(numerator.shift_in(0));
            let fits = remainder.is_at_least(divisor);
            if fits {
                remainder = remainder.less(divisor);
            }
            quotient.shift_in(u64::from(fits));
        }
        let is_half_or_more = remainder.is_at_least(&divisor.less(&remainder));
        if is_half_or_more { quotient.plus_one() } else { Some(quotient) }
    }

    /// The value, where 128 bits hold it.
    pub(super) fn to_u128(self) -> Option<u128> {
        self.0.iter().rev().try_fold(0_u128, |value, limb| {
            value.checked_mul(1 << LIMB_BITS)?.checked_add(u128::from(*limb))
        })
    }

    /// Shifts all bits up by one, puts `bit` in at the bottom and gives the one that fell out.
    fn shift_in(&mut self, bit: u64) -> u64 {
        self.0.iter_mut().fold(bit, |bit, limb| {
            let shifted = *limb << 1 | bit;
            *limb = shifted & LIMB_MAX;
            shifted >> LIMB_BITS
        })
    }

    fn is_at_least(&self, other: &Self) -> bool {
        self.0.iter().rev().ge(other.0.iter().rev())
    }

    /// The difference; `other` is not the greater one.
    fn less(&self, other: &Self) -> Self {
        let mut difference = *self;
        difference.0.iter_mut().zip(other.0).fold(0, |borrow, (limb, other)| {
            let rest = *limb + LIMB_MAX + 1 - other - borrow;
            *limb = rest & LIMB_MAX;
            1 - (rest >> LIMB_BITS)
        });
        difference
    }

    fn plus_one(mut self) -> Option<Self> {
        for limb in &mut self.0 {
            *limb = (*limb + 1) & LIMB_MAX;
            if *limb != 0 {
                return Some(self);
            }
        }
        None
    }
}

impl From<u128> for Wide {
    fn from(value: u128) -> Self {
        let mut wide = Self::ZERO;
        let bits = (0..u128::BITS).rev().map(|position| u64::from(value >> position & 1 == 1));
        bits.for_each(|bit| {
            wide.shift_in(bit);
        });
        wide
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MAX: Wide = Wide([LIMB_MAX; 8]);

    #[test]
    fn refuses_what_256_bits_cannot_hold() {
        let half = Wide::from(u128::MAX);
        assert!(half.times(&half).is_some());
        assert!(MAX.times(&Wide::from(1)).is_some());
        assert!(MAX.times(&Wide::from(2)).is_none());
        assert!(Wide::power_of_ten(77).is_some());
        assert!(Wide::power_of_ten(78).is_none());
        assert!(MAX.plus_one().is_none());
        assert_eq!(MAX.to_u128(), None);
    }

    #[test]
    fn refuses_division_by_zero_and_by_more_than_255_bits() {
        assert_eq!(MAX.divided_by(&Wide::from(0)), None);
        assert_eq!(MAX.divided_by(&MAX), None);
    }

    proptest! {
        #[test]
        fn holds_any_u128(value: u128) {
            prop_assert_eq!(Wide::from(value).to_u128(), Some(value));
        }

        #[test]
        fn multiplies_and_divides_like_u128(left: u64, right in 1..=u64::MAX) {
            let (wide_left, wide_right) = (Wide::from(u128::from(left)), Wide::from(u128::from(right)));
            let product = wide_left.times(&wide_right).unwrap();
            prop_assert_eq!(product.to_u128(), Some(u128::from(left) * u128::from(right)));
            let rounded = (u128::from(left) * 2 + u128::from(right)) / (u128::from(right) * 2);
            prop_assert_eq!(wide_left.divided_by(&wide_right).unwrap().to_u128(), Some(rounded));
        }

        #[test]
        fn division_undoes_multiplication(left: u128, right in 1..=u128::MAX >> 1) {
            let product = Wide::from(left).times(&Wide::from(right)).unwrap();
            prop_assert_eq!(product.divided_by(&Wide::from(right)).unwrap().to_u128(), Some(left));
        }
    }
}
