//! [`Memory`]: buffers that are used again from step to step and from run to run.

use std::ops::{Deref, DerefMut};

/// Numbers of which the first is the first of a cache line: a vector is then never in two of them,
/// of which loading takes twice as long.
#[derive(Default)]
pub(super) struct Buffer<T = f32> {
    numbers: Vec<T>,
    start: usize,
    length: usize,
}

/// Bytes of a cache line.
const LINE: usize = 64;

impl<T: Copy + Default> Buffer<T> {
    /// So many numbers, of any value.
    pub(super) fn resize(&mut self, length: usize) {
        let needed = length + LINE / size_of::<T>();
        if self.numbers.len() < needed {
            // New pages are 0 as they come, and what was here is of no use. Powers of two, so that a
            // buffer that grows a little from run to run seldom does.
            self.numbers = Vec::new();
            self.numbers = vec![T::default(); needed.next_power_of_two()];
            self.start = self.numbers.as_ptr().align_offset(LINE);
        }
        self.length = length;
    }
}

impl<T: Copy + Default> FromIterator<T> for Buffer<T> {
    fn from_iter<N: IntoIterator<Item = T>>(numbers: N) -> Self {
        let numbers: Vec<T> = numbers.into_iter().collect();
        let mut buffer = Self::default();
        buffer.resize(numbers.len());
        buffer.copy_from_slice(&numbers);
        buffer
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.numbers.get(self.start..self.start + self.length).unwrap_or_default()
    }
}

impl<T> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.numbers.get_mut(self.start..self.start + self.length).unwrap_or_default()
    }
}

/// Pages of fresh memory cost as much as a convolution.
#[derive(Default)]
pub(super) struct Memory {
    spare: Vec<Buffer>,
    pub(super) laid_out: Vec<f32>,
    pub(super) bytes: Bytes,
}

/// What a product in bytes is made with.
#[derive(Default)]
pub(super) struct Bytes {
    pub(super) input: Vec<u8>,
    pub(super) laid_out: Vec<u8>,
    pub(super) zeros: Vec<u8>,
    pub(super) sums: Buffer<i32>,
    pub(super) scales: Buffer,
}

impl Memory {
    /// So many numbers, of any value.
    pub(super) fn take(&mut self, count: usize) -> Buffer {
        let sizes = self.spare.iter().map(|buffer| buffer.numbers.len());
        let best = sizes
            .enumerate()
            .min_by_key(|&(_, size)| (count.saturating_sub(size), size))
            .map(|(at, _)| at);
        let mut buffer = best.map(|at| self.spare.swap_remove(at)).unwrap_or_default();
        buffer.resize(count);
        buffer
    }

    pub(super) fn give(&mut self, buffer: Buffer) {
        /// More buffers than that are not wanted at once.
        const MOST: usize = 16;
        if self.spare.len() < MOST {
            self.spare.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LINE, Memory};

    #[test]
    fn buffers_begin_with_a_line() {
        let mut memory = Memory::default();
        for count in [3, 1000, 20, 100_000] {
            let mut buffer = memory.take(count);
            buffer.fill(1.0);
            assert_eq!((buffer.len(), buffer.as_ptr().align_offset(LINE)), (count, 0));
            memory.give(buffer);
        }
    }
}
