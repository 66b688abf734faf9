//! [`Finish`]: what is done to each number that a convolution gives, before it is stored.

use rten_simd::{
    Isa, SimdOp,
    functional::simd_map,
    ops::{BitOps, NumOps},
};

/// An activation, then `scale` times that and `shift` more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Finish {
    pub(super) activation: Activation,
    pub(super) scale: f32,
    pub(super) shift: f32,
}

/// A function that makes a network more than one big sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Activation {
    Same,
    /// Nothing below 0.
    Relu,
    /// A slope of `alpha` through `beta`, held from 0 to 1.
    HardSigmoid {
        alpha: f32,
        beta: f32,
    },
    /// Each number times its hard sigmoid with a slope of a sixth through a half.
    HardSwish,
}

impl Finish {
    pub(super) const NONE: Self = Self { activation: Activation::Same, scale: 1.0, shift: 0.0 };

    pub(super) fn apply(self, values: &mut [f32]) {
        if self != Self::NONE {
            Over { finish: self, values }.dispatch();
        }
    }

    #[inline(always)]
    pub(super) fn of<I: Isa>(self, isa: I, x: I::F32) -> I::F32 {
        let ops = isa.f32();
        let active = match self.activation {
            Activation::Same => x,
            Activation::Relu => ops.max(x, ops.splat(0.0)),
            Activation::HardSigmoid { alpha, beta } => gate(isa, x, alpha, beta),
            Activation::HardSwish => ops.mul(x, gate(isa, x, 1.0 / 6.0, 0.5)),
        };
        ops.mul_add(active, ops.splat(self.scale), ops.splat(self.shift))
    }
}

#[inline(always)]
fn gate<I: Isa>(isa: I, x: I::F32, alpha: f32, beta: f32) -> I::F32 {
    let ops = isa.f32();
    ops.clamp(ops.mul_add(x, ops.splat(alpha), ops.splat(beta)), ops.splat(0.0), ops.splat(1.0))
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
    use super::{Activation, Finish};

    #[test]
    fn activations_are_what_their_names_say() {
        let of = |activation, x: f32| {
            let mut values = [x; 5];
            Finish { activation, scale: 2.0, shift: 1.0 }.apply(&mut values);
            assert!(
                values.iter().all(|value| value.to_bits() == values[0].to_bits()),
                "{values:?}"
            );
            values[0]
        };
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-5, "{a} {b}");
        near(of(Activation::Same, -3.0), -5.0);
        near(of(Activation::Relu, -3.0), 1.0);
        near(of(Activation::HardSigmoid { alpha: 0.2, beta: 0.5 }, 1.0), 2.4);
        near(of(Activation::HardSwish, 1.0), 1.0 * 4.0 / 6.0 * 2.0 + 1.0);
        near(of(Activation::HardSwish, -4.0), 1.0);
        near(of(Activation::HardSwish, 5.0), 11.0);
    }
}
