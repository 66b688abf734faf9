//! [`Finish`]: what is done to each number that a convolution gives, before it is stored.

use rten_simd::{
    Isa, SimdOp,
    functional::simd_map,
    ops::{BitOps, NumOps},
};

/// An activation, a factor and a shift in one formula, so that there is nothing to choose for each
/// number: `(slope * x + offset) * gate + shift`, where `gate` is `gate_slope * x + gate_offset`,
/// held from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Finish {
    slope: f32,
    offset: f32,
    gate_slope: f32,
    gate_offset: f32,
    shift: f32,
}

impl Finish {
    pub(super) const NONE: Self =
        Self { slope: 1.0, offset: 0.0, gate_slope: 0.0, gate_offset: 1.0, shift: 0.0 };

    /// Nothing below 0.
    pub(super) const RELU: Self = {
        /// The gate is open from nearly 0 on.
        const STEEP: f32 = 1e30;
        Self { gate_slope: STEEP, gate_offset: 0.0, ..Self::NONE }
    };

    /// Each number times its hard sigmoid with a slope of a sixth through a half.
    pub(super) const HARD_SWISH: Self =
        Self { gate_slope: 1.0 / 6.0, gate_offset: 0.5, ..Self::NONE };

    /// A slope of `alpha` through `beta`, held from 0 to 1.
    pub(super) const fn hard_sigmoid(alpha: f32, beta: f32) -> Self {
        Self { slope: 0.0, offset: 1.0, gate_slope: alpha, gate_offset: beta, shift: 0.0 }
    }

    /// What it gives, times `factor` and `shift` more.
    pub(super) const fn then(self, factor: f32, shift: f32) -> Self {
        Self {
            slope: self.slope * factor,
            offset: self.offset * factor,
            shift: self.shift * factor + shift,
            ..self
        }
    }

    pub(super) fn apply(self, values: &mut [f32]) {
        if self != Self::NONE {
            Over { finish: self, values }.dispatch();
        }
    }

    #[inline(always)]
    pub(super) fn of<I: Isa>(self, isa: I, x: I::F32) -> I::F32 {
        let ops = isa.f32();
        let line = ops.mul_add(x, ops.splat(self.slope), ops.splat(self.offset));
        let gate = ops.mul_add(x, ops.splat(self.gate_slope), ops.splat(self.gate_offset));
        let gate = ops.min(ops.max(gate, ops.splat(0.0)), ops.splat(1.0));
        ops.mul_add(line, gate, ops.splat(self.shift))
    }
}

struct Over<'a> {
    finish: Finish,
    values: &'a mut [f32],
}

impl SimdOp for Over<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        simd_map(
            isa.f32(),
            self.values,
            #[inline(always)]
            |x| self.finish.of(isa, x),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::Finish;

    #[test]
    fn activations_are_what_their_names_say() {
        let of = |finish: Finish, x: f32| {
            let mut values = [x; 5];
            finish.then(2.0, 1.0).apply(&mut values);
            assert!(
                values.iter().all(|value| value.to_bits() == values[0].to_bits()),
                "{values:?}"
            );
            values[0]
        };
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-5, "{a} {b}");
        near(of(Finish::NONE, -3.0), -5.0);
        near(of(Finish::RELU, -3.0), 1.0);
        near(of(Finish::RELU, 0.0), 1.0);
        near(of(Finish::RELU, 3.0), 7.0);
        near(of(Finish::RELU, 1e20), 2e20);
        near(of(Finish::hard_sigmoid(0.2, 0.5), 1.0), 2.4);
        near(of(Finish::hard_sigmoid(0.2, 0.5), -9.0), 1.0);
        near(of(Finish::HARD_SWISH, 1.0), 1.0 * 4.0 / 6.0 * 2.0 + 1.0);
        near(of(Finish::HARD_SWISH, -4.0), 1.0);
        near(of(Finish::HARD_SWISH, 5.0), 11.0);
    }
}
