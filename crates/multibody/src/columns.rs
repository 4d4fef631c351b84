//! The columns of a pair of carriers, and how the pair's rows and tangents are written into them.
//!
//! Two bodies, nodes or shafts have one block each: their columns are consecutive, and [`rows`](crate::rows) writes
//! them directly. A carried frame moves with the columns of any number of blocks; its rows are written by twists: a row
//! with the gradient $(w_x, w_\theta)$ at the carrier's origin has the entry $t_v\cdot w_x + t_\omega\cdot w_\theta$ in
//! a column with the twist $(t_v, t_\omega)$.

use glam::{DMat3, DVec3};
use huygens_core::Model;
use huygens_core::carrier::Twist;
use huygens_core::contract::{Frame, FrameMotion, NO_BLOCK, StateView};
use huygens_kernel::rotation::skew;

use crate::rows::{self, Tangent};

/// Columns of the two carriers of a joint, spring, bushing or load.
#[derive(Clone, Debug)]
pub(crate) struct PairColumns {
    /// Blocks of two carriers with one block each ([`NO_BLOCK`] where there is none).
    pair: [u32; 2],
    /// Positions of the columns if one of the carriers has several blocks.
    places: Option<Box<Places>>,
}

/// Positions of two carriers' columns within those of all their blocks.
#[derive(Clone, Debug)]
struct Places {
    frames: [Option<u32>; 2],
    /// All blocks, each once.
    blocks: Vec<u32>,
    /// Number of columns of all blocks.
    count: usize,
    /// Position of each column of either carrier.
    sides: [Vec<u32>; 2],
}

impl PairColumns {
    /// Columns of two carriers, each with its frame (none for ground and shafts) and block; all frames are in the model.
    pub fn new(model: &Model, frames: [Option<u32>; 2], pair: [u32; 2]) -> Self {
        let carried = frames.map(|f| f.and_then(|f| model.carrier_columns(f)));
        if carried.iter().all(Option::is_none) {
            return Self { pair, places: None };
        }
        let mut places = Places { frames, blocks: Vec::new(), count: 0, sides: [Vec::new(), Vec::new()] };
        let mut starts: Vec<usize> = Vec::new();
        for (side, carried) in carried.into_iter().enumerate() {
            let own: Vec<(u32, u32)> = match carried {
                Some((columns, blocks)) => columns.iter().copied().zip(blocks.iter().copied()).collect(),
                None if pair[side] == NO_BLOCK => Vec::new(),
                None => {
                    let (block, first) = (pair[side], model.block_column(pair[side]) as u32);
                    (first..first + model.block_size(block) as u32).map(|c| (c, block)).collect()
                }
            };
            for (column, block) in own {
                let at = places.blocks.iter().position(|b| *b == block).unwrap_or_else(|| {
                    places.blocks.push(block);
                    starts.push(places.count);
                    places.count += model.block_size(block);
                    starts.len() - 1
                });
                let offset = column as usize - model.block_column(block);
                places.sides[side].push((starts[at] + offset) as u32);
            }
        }
        Self { pair, places: Some(Box::new(places)) }
    }

    /// The same columns with the carriers exchanged.
    pub fn swapped(&self) -> Self {
        let [a, b] = self.pair;
        let places = self.places.as_ref().map(|p| {
            let ([fa, fb], [sa, sb]) = (p.frames, p.sides.clone());
            Box::new(Places { frames: [fb, fa], sides: [sb, sa], ..(**p).clone() })
        });
        Self { pair: [b, a], places }
    }

    /// Blocks of two carriers with one block each; none if one has several.
    pub fn pair(&self) -> Option<[u32; 2]> {
        self.places.is_none().then_some(self.pair)
    }

    /// All blocks, without repetition, if a carrier has several.
    pub fn blocks(&self) -> Vec<u32> {
        match &self.places {
            Some(places) => places.blocks.clone(),
            None => self.pair.into_iter().filter(|b| *b != NO_BLOCK).collect(),
        }
    }

    /// Whether neither carrier is moved by any column.
    pub fn is_empty(&self) -> bool {
        match &self.places {
            Some(places) => places.count == 0,
            None => self.pair == [NO_BLOCK; 2],
        }
    }

    /// Writes a row's gradient over all columns.
    #[inline]
    pub fn store_row(&self, x: &StateView<'_>, a: &Frame, b: &Frame, w: &[DVec3; 4], out: &mut [f64]) {
        match &self.places {
            None => rows::store_row(a, b, w, out),
            Some(places) => {
                out.fill(0.0);
                places.for_each_entry(x, [a, b], w, |column, value| out[column] += value);
            }
        }
    }

    /// Calls `add(column, value)` for the entries of a row where a carrier has several blocks.
    pub fn for_each_entry(
        &self,
        x: &StateView<'_>,
        [a, b]: [&Frame; 2],
        w: &[DVec3; 4],
        add: impl FnMut(usize, f64),
    ) {
        if let Some(places) = &self.places {
            places.for_each_entry(x, [a, b], w, add);
        }
    }

    /// Adds a tangent (scaled) to a row-major matrix over all columns, as [`rows::store_tangent`] does.
    ///
    /// Twists of carried frames change with the positions; that part of the tangent is neglected. Attached points of
    /// frames whose points are linear in the coordinates have constant velocities per column: rows that fix points are
    /// exact.
    pub fn store_tangent(
        &self,
        x: &StateView<'_>,
        [a, b]: [&Frame; 2],
        t: &Tangent,
        torque: [DVec3; 2],
        scale: f64,
        out: &mut [f64],
    ) {
        match &self.places {
            None => rows::store_tangent(a, b, t, torque, scale, out),
            Some(places) => {
                let n = places.count;
                places.for_each_tangent(x, [a, b], t, torque, |r, c, value| out[r * n + c] += scale * value);
            }
        }
    }

    /// Calls `add(row, column, value)` for the entries of a tangent where a carrier has several blocks.
    pub fn for_each_tangent(
        &self,
        x: &StateView<'_>,
        frames: [&Frame; 2],
        t: &Tangent,
        torque: [DVec3; 2],
        add: impl FnMut(usize, usize, f64),
    ) {
        if let Some(places) = &self.places {
            places.for_each_tangent(x, frames, t, torque, add);
        }
    }
}

/// Twist of the column `k` of a frame with one block.
fn own_twist(frame: &Frame, k: usize) -> Twist {
    match frame.motion {
        FrameMotion::Rigid if k >= 3 => Twist { velocity: DVec3::ZERO, omega: frame.axes.col(k - 3) },
        FrameMotion::Rigid | FrameMotion::Point { .. } if k < 3 => {
            Twist { velocity: DVec3::AXES[k], omega: DVec3::ZERO }
        }
        _ => Twist::default(),
    }
}

impl Places {
    /// Position and twist of each column of one side.
    fn columns<'a>(
        &'a self,
        x: &StateView<'a>,
        frame: &'a Frame,
        side: usize,
    ) -> impl Iterator<Item = (usize, Twist)> + Clone + 'a {
        let row = self.frames[side].map_or(&[][..], |f| x.twists.row(f).1);
        let twist = move |k: usize| row.get(k).copied().unwrap_or_else(|| own_twist(frame, k));
        self.sides[side].iter().enumerate().map(move |(k, &place)| (place as usize, twist(k)))
    }

    fn for_each_entry(
        &self,
        x: &StateView<'_>,
        frames: [&Frame; 2],
        w: &[DVec3; 4],
        mut add: impl FnMut(usize, f64),
    ) {
        for (side, frame) in frames.into_iter().enumerate() {
            for (place, twist) in self.columns(x, frame, side) {
                add(place, twist.power(w[2 * side], w[2 * side + 1]));
            }
        }
    }

    fn for_each_tangent(
        &self,
        x: &StateView<'_>,
        frames: [&Frame; 2],
        t: &Tangent,
        torque: [DVec3; 2],
        mut add: impl FnMut(usize, usize, f64),
    ) {
        for j in 0..2 {
            for (column, by) in self.columns(x, frames[j], j) {
                for i in 0..2 {
                    let pushed =
                        |k: usize| t[2 * i + k][2 * j] * by.velocity + t[2 * i + k][2 * j + 1] * by.omega;
                    let (force, couple) = (pushed(0), pushed(1));
                    for (row, twist) in self.columns(x, frames[i], i) {
                        add(row, column, twist.power(force, couple));
                    }
                }
            }
        }
        for (side, frame) in frames.into_iter().enumerate() {
            if frame.motion == FrameMotion::Rigid {
                // Turning a body turns the axes its torque columns are written in.
                let turn: DMat3 = skew(frame.axes.transpose() * torque[side]);
                let place = |k: usize| self.sides[side][3 + k] as usize;
                for (c, column) in turn.to_cols_array_2d().iter().enumerate() {
                    for (r, value) in column.iter().enumerate() {
                        add(place(r), place(c), *value);
                    }
                }
            }
        }
    }
}
