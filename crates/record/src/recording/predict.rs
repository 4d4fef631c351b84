//! Frames as what is new in them: each number less what the frames before let expect, cut in byte planes.
//!
//! Numbers of an item change smoothly, so the bits that cannot be foreseen are few and sit in the low bytes; taken
//! together byte by byte, the high planes are nearly constant and compress well. The prediction of x is x₁ (the
//! frame before), or 2x₁ − x₂ in f32, which IEEE 754 makes the same everywhere. Differences are taken between places
//! in the order of all floats, wrap, and are exact for every bit pattern, NaN included.

use std::ops::Range;
use std::sync::Arc;

use super::pack::Layout;

/// How many frames before a prediction uses at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The frame before.
    First,
    /// A straight line through the two frames before.
    Second,
}

/// A whole frame: its words, and where the arrays of each group lie in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    pub words: Vec<u32>,
    spans: Vec<Range<usize>>,
}

impl Past {
    /// The arrays of a group.
    pub fn group(&self, index: usize) -> &[u32] {
        &self.words[self.spans[index].clone()]
    }

    /// Finds the groups in the words of a frame.
    pub fn assign(&mut self, layout: &Layout, words: &[u32]) -> Result<(), String> {
        self.words.clear();
        self.words.extend_from_slice(words);
        self.spans.clear();
        let mut at = 0;
        for index in 0..layout.widths.len() {
            let span = group_span(layout, words, index, at)?;
            at = span.end;
            self.spans.push(span);
        }
        whole(at, words.len())
    }
}

/// Where the arrays of a group lie whose header is at `at`.
fn group_span(layout: &Layout, words: &[u32], index: usize, at: usize) -> Result<Range<usize>, String> {
    let count = *words.get(at).ok_or_else(|| format!("group {index} is missing"))? as usize;
    let start = at + 2;
    let end = count.checked_mul(layout.widths[index]).and_then(|length| start.checked_add(length));
    match end {
        Some(end) if end <= words.len() => Ok(start..end),
        _ => Err(format!("{count} items of group {index} do not fit in {} words", words.len())),
    }
}

fn whole(found: usize, length: usize) -> Result<(), String> {
    if found == length { Ok(()) } else { Err(format!("groups end at word {found}, the frame at {length}")) }
}

/// The frames before, newest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    past: [Arc<Past>; 2],
    count: usize,
}

impl History {
    /// Forgets all frames.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Makes a frame the newest, and hands back the oldest, whose buffers may serve again.
    pub fn push(&mut self, frame: Arc<Past>) -> Arc<Past> {
        self.past.swap(0, 1);
        self.count = (self.count + 1).min(2);
        std::mem::replace(&mut self.past[0], frame)
    }

    /// Numbers of a group in the frames before, as far as they have `length` of them and the order asks for them.
    fn group(&self, index: usize, length: usize, order: Order) -> (Option<&[u32]>, Option<&[u32]>) {
        let of = |age: usize| {
            let past = &self.past[age];
            let span = past.spans[index].clone();
            (age < self.count && span.len() == length).then(|| &past.words[span])
        };
        let newest = if self.count > 0 { of(0) } else { None };
        let older = if newest.is_some() && self.count > 1 && order == Order::Second { of(1) } else { None };
        (newest, older)
    }

    /// Appends what is new in a frame.
    pub fn residuals(&self, layout: &Layout, order: Order, frame: &Past, out: &mut Vec<u32>) {
        for index in 0..layout.widths.len() {
            let span = frame.spans[index].clone();
            out.extend_from_slice(&frame.words[span.start - 2..span.start]);
            let now = &frame.words[span];
            match self.group(index, now.len(), order) {
                (None, _) => out.extend_from_slice(now),
                (Some(a), None) => out.extend(now.iter().zip(a).map(|(x, a)| difference(*x, *a))),
                (Some(a), Some(b)) => {
                    out.extend(now.iter().zip(a).zip(b).map(|((x, a), b)| difference(*x, line(*a, *b))));
                }
            }
        }
    }

    /// Makes the frame of which `residuals` are new the newest, and gives it.
    pub fn restore(&mut self, layout: &Layout, order: Order, residuals: &[u32]) -> Result<Arc<Past>, String> {
        // Headers are not predicted, so the groups of the residuals lie as those of the frame.
        let mut frame = Past::default();
        frame.assign(layout, residuals)?;
        for index in 0..layout.widths.len() {
            let now = &mut frame.words[frame.spans[index].clone()];
            match self.group(index, now.len(), order) {
                (None, _) => {}
                (Some(a), None) => now.iter_mut().zip(a).for_each(|(x, a)| *x = sum(*x, *a)),
                (Some(a), Some(b)) => {
                    now.iter_mut().zip(a).zip(b).for_each(|((x, a), b)| *x = sum(*x, line(*a, *b)));
                }
            }
        }
        let frame = Arc::new(frame);
        self.push(Arc::clone(&frame));
        Ok(frame)
    }

    /// The order that leaves fewer bits, judged by a sample of the numbers of a frame.
    pub fn better_order(&self, layout: &Layout, frame: &Past) -> Order {
        const EVERY: usize = 61;
        let mut bits = [0u64; 2];
        for index in 0..layout.widths.len() {
            let now = &frame.words[frame.spans[index].clone()];
            if let (Some(a), Some(b)) = self.group(index, now.len(), Order::Second) {
                for ((x, a), b) in now.iter().zip(a).zip(b).step_by(EVERY) {
                    bits[0] += u64::from(32 - difference(*x, *a).leading_zeros());
                    bits[1] += u64::from(32 - difference(*x, line(*a, *b)).leading_zeros());
                }
            }
        }
        if bits[1] <= bits[0] { Order::Second } else { Order::First }
    }
}

/// Place in the order of all floats.
fn place(bits: u32) -> i32 {
    let bits = bits as i32;
    bits ^ ((bits >> 31) & i32::MAX)
}

/// Straight line through the values one and two frames ago; the newer where that is not a number, since the bits of
/// a computed NaN differ between machines.
fn line(newer: u32, older: u32) -> u32 {
    let value = 2.0 * f32::from_bits(newer) - f32::from_bits(older);
    if value.is_nan() { newer } else { value.to_bits() }
}

/// Steps from the prediction to the value, small ones small whatever their sign.
fn difference(value: u32, prediction: u32) -> u32 {
    let steps = place(value).wrapping_sub(place(prediction));
    ((steps << 1) ^ (steps >> 31)) as u32
}

/// Inverse of [`difference`].
fn sum(steps: u32, prediction: u32) -> u32 {
    let steps = (steps >> 1) as i32 ^ -((steps & 1) as i32);
    place(place(prediction).wrapping_add(steps) as u32) as u32
}

/// Replaces `planes` by the lowest bytes of all words, then the next ones …
pub(crate) fn split_planes(words: &[u32], planes: &mut Vec<u8>) {
    let count = words.len();
    planes.clear();
    planes.resize(4 * count, 0);
    let (low, high) = planes.split_at_mut(2 * count);
    let (first, second) = low.split_at_mut(count);
    let (third, fourth) = high.split_at_mut(count);
    for (index, word) in words.iter().enumerate() {
        let [a, b, c, d] = word.to_le_bytes();
        first[index] = a;
        second[index] = b;
        third[index] = c;
        fourth[index] = d;
    }
}

/// Inverse of [`split_planes`].
pub(crate) fn join_planes(planes: &[u8]) -> Vec<u32> {
    let count = planes.len() / 4;
    let (low, high) = planes[..4 * count].split_at(2 * count);
    let (first, second) = low.split_at(count);
    let (third, fourth) = high.split_at(count);
    (0..count)
        .map(|index| u32::from_le_bytes([first[index], second[index], third[index], fourth[index]]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_any_bits_are_undone() {
        let mut values: Vec<u32> =
            [0.0, -0.0, 1.0, -1.0, 1e-45, f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY]
                .map(f32::to_bits)
                .to_vec();
        values.extend([0x7FC0_0001, 0xFFC0_1234, 0x7F80_0001, u32::MAX, 0x8000_0001]);
        for a in &values {
            for b in &values {
                assert_eq!(sum(difference(*a, *b), *b), *a);
                let straight = line(*a, *b);
                assert_eq!(sum(difference(*b, straight), straight), *b);
            }
        }
        assert_eq!(difference(1.0f32.to_bits(), 1.0f32.to_bits()), 0);
        assert_eq!(difference((-0.0f32).to_bits(), 0.0f32.to_bits()), 1);
    }
}
