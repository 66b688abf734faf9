//! [`load`] and [`store`]: vectors of floats of which there may be too few.

use rten_simd::{Isa, Simd, ops::BitOps};

/// The first of these numbers, and 0 where there are no more.
#[inline(always)]
pub(super) fn load<I: Isa>(isa: I, from: &[f32]) -> I::F32 {
    let ops = isa.f32();
    if from.len() < ops.len() { ops.load_pad(from).0 } else { ops.load(from) }
}

/// As many as there is place for.
#[inline(always)]
pub(super) fn store<I: Isa>(isa: I, values: I::F32, to: &mut [f32]) {
    let ops = isa.f32();
    if to.len() < ops.len() {
        for (place, value) in to.iter_mut().zip(values.to_array()) {
            *place = value;
        }
    } else {
        ops.store(values, to);
    }
}
