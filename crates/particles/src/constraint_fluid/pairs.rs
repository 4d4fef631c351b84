//! The pairs of a step, in chunks, and sums over them in an order that does not know the number of threads.

use std::cell::RefCell;

use huygens_exec::Exec;
use huygens_exec::lanes::InstructionSet;
use huygens_kernel::Vec3;
use huygens_kernel::sph::{AnySmoothing, Smoothing};

use super::kernels::{
    Around, Blend, Densities, Measure, Moments, PairPush, PairRate, Push, Rate, Smooth, Spread,
};
use super::nearness::Nearness;
use super::settings::ConstraintFluidSettings;
use crate::error::Result;
use crate::row::Row;
use crate::sph::{FluidFields, FluidList, is_marker, marker_tag, number};

/// Padding position: outside every cutoff, and far from overflow when squared.
const NOWHERE: f64 = 1e100;

/// Place of a marker of a wall that no fluid is near.
pub(super) const NO_PLACE: u32 = u32::MAX;

/// What a chunk has beside its list.
#[derive(Default)]
struct Piece {
    /// From its first marker to its markers and those of its halo; the last one is nowhere.
    place: Vec<Row>,
    /// Coefficient $c_{ij}$ of each pair in densities. Seven digits are enough: both products use the same ones, so that
    /// momentum stays, and they are read twice an iteration.
    weights: Vec<f32>,
    /// $\sum_j c_{ij} (x_j, 1)$ of its markers and those of its halo.
    moments: Vec<Row>,
    /// Coefficient of each pair in a row of its own; empty without such rows.
    pair: Vec<f64>,
}

/// Sums of a chunk for its own markers and for its halo.
#[derive(Default)]
pub(super) struct Outbox {
    numbers: Vec<f64>,
    rows: Vec<Row>,
}

/// The pairs of a step. Markers are numbered as they were added, fluid first, then walls; their *places* are the order
/// of the list. Markers of walls that no fluid is near have none.
///
/// Densities change at $\sum_j c_{ij}\,x_{ij}\cdot u_{ij}$, and multipliers push with $\sum_j c_{ij} (l_i + l_j)\,x_{ij}$.
/// Multiplied out, both are sums $z_i = \sum_j c_{ij} r_j$ of four numbers a marker, and what they need of
/// $(X_i, C_i) = \sum_j c_{ij} (x_j, 1)$ does not change in a step:
///
/// $$ \sum_j c_{ij}\,x_{ij}\cdot u_{ij} = C_i\,x_i\cdot u_i - u_i\cdot X_i - x_i\cdot\sum_j c_{ij} u_j + \sum_j c_{ij}\,x_j\cdot u_j, $$
///
/// $$ \sum_j c_{ij} (l_i + l_j)\,x_{ij} = l_i (C_i x_i - X_i) + x_i \sum_j c_{ij} l_j - \sum_j c_{ij} l_j x_j. $$
///
/// Places count from a marker of the chunk, so that little is lost in the differences.
#[derive(Default)]
pub(super) struct Pairs {
    fields: FluidFields,
    list: FluidList,
    pieces: Vec<Piece>,
    /// Place of each marker by number, or [`NO_PLACE`].
    pub places: Vec<u32>,
    /// Number of the marker at each place.
    pub numbers: Vec<u32>,
    /// First place of each chunk, and the end.
    starts: Vec<usize>,
    /// First partner of each chunk, and the end: rows of pairs are numbered so, those that fill up quads included.
    pair_starts: Vec<usize>,
    set: Option<InstructionSet>,
}

thread_local! {
    static ROWS: RefCell<Vec<Row>> = const { RefCell::new(Vec::new()) };
    static NUMBERS: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// Calls `f` with empty room for rows.
fn with_room(f: impl FnOnce(&mut Vec<Row>)) {
    ROWS.with_borrow_mut(|rows| {
        rows.clear();
        f(rows);
    });
}

fn clear(rows: &mut Vec<Row>, count: usize) {
    rows.clear();
    rows.resize(count, Row::ZERO);
}

impl Pairs {
    /// Finds all pairs closer than the cutoff `reach` [m].
    pub fn find(
        &mut self,
        ex: &Exec,
        settings: &ConstraintFluidSettings,
        reach: f64,
        fluid: &[f64],
        walls: &[Vec3],
    ) -> Result<()> {
        self.set.get_or_insert_with(InstructionSet::detect);
        let fields = &mut self.fields;
        let count = fluid.len() / 3;
        // In the order of numbers, so that the list depends on nothing but where markers are.
        fields.place.clear();
        fields.tag.clear();
        fields.place.extend(fluid.chunks_exact(3).map(|x| Row([x[0], x[1], x[2], 0.0])));
        fields.tag.extend(0..count as u32);
        let near = Nearness::of(settings, reach, fluid);
        for (k, x) in walls.iter().enumerate().filter(|(_, x)| near.holds(**x)) {
            fields.place.push(Row::new(*x, 0.0));
            fields.tag.push(marker_tag(k, false));
        }
        self.list.build(ex, fields, settings.space, &settings.periodic, reach)?;
        let id = |tag: u32| if is_marker(tag) { count + number(tag) } else { number(tag) };
        self.numbers.clear();
        self.numbers.extend(fields.tag.read().iter().map(|tag| id(*tag) as u32));
        self.places.clear();
        self.places.resize(count + walls.len(), NO_PLACE);
        for (place, number) in self.numbers.iter().enumerate() {
            self.places[*number as usize] = place as u32;
        }
        self.cut(ex, settings.periods());
        Ok(())
    }

    /// Copies what each chunk works on.
    fn cut(&mut self, ex: &Exec, periods: [f64; 3]) {
        let (chunks, places) = (&self.list.chunks, self.fields.place.read());
        self.pieces.resize_with(chunks.len(), Piece::default);
        ex.for_each_chunk(&mut self.pieces, 1, |c, piece| {
            let (chunk, place) = (&chunks[c], &mut piece[0].place);
            place.clear();
            let own = &places[chunk.range()];
            let first = own.first().map_or(Vec3::ZERO, Row::vector);
            place.extend(own.iter().map(|row| Row::new(row.vector() - first, 0.0)));
            for ghost in &chunk.halo {
                let mut x = places[ghost.index()].vector() - first;
                if let Some(image) = ghost.image() {
                    (0..3).for_each(|k| x[k] += image[k] * periods[k]);
                }
                place.push(Row::new(x, 0.0));
            }
            place.push(Row([NOWHERE, NOWHERE, NOWHERE, 0.0]));
        });
        self.starts.clear();
        self.starts.extend(chunks.iter().map(|chunk| chunk.first));
        self.starts.push(places.len());
        self.pair_starts.clear();
        let mut first = 0;
        for chunk in chunks {
            self.pair_starts.push(first);
            first += chunk.others.len();
        }
        self.pair_starts.push(first);
    }

    /// Number of markers.
    pub fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Number of rows of pairs.
    pub fn pair_count(&self) -> usize {
        self.pair_starts.last().copied().unwrap_or(0)
    }

    /// Makes room for the sums of all chunks.
    pub fn make_boxes(&self, boxes: &mut Vec<Outbox>) {
        boxes.resize_with(self.list.chunks.len(), Outbox::default);
    }

    fn around(&self, c: usize) -> Around<'_> {
        Around { chunk: &self.list.chunks[c], place: &self.pieces[c].place }
    }

    fn densities(&self, c: usize) -> Densities<'_> {
        let Piece { weights, moments, .. } = &self.pieces[c];
        Densities { around: self.around(c), weights, moments }
    }

    fn set(&self) -> InstructionSet {
        self.set.unwrap_or_else(InstructionSet::detect)
    }

    /// Sums of W over partners, by place, and the coefficients `scale` × F of densities.
    pub fn measure(
        &mut self,
        ex: &Exec,
        kernel: AnySmoothing,
        scale: f64,
        boxes: &mut Vec<Outbox>,
        out: &mut Vec<f64>,
    ) {
        let (chunks, set) = (&self.list.chunks, self.set());
        self.make_boxes(boxes);
        let mut both: Vec<(&mut Piece, &mut Outbox)> = self.pieces.iter_mut().zip(&mut *boxes).collect();
        ex.for_each_chunk(&mut both, 1, |c, both| {
            let (piece, outbox) = &mut both[0];
            let Piece { place, weights, moments, .. } = &mut **piece;
            outbox.clear_numbers(place.len());
            weights.resize(chunks[c].others.len(), 0.0);
            let around = Around { chunk: &chunks[c], place };
            let sums = &mut outbox.numbers[..];
            set.run(Measure { around, kernel, scale, weights, sums });
            moments.clear();
            moments.resize(place.len(), Row::ZERO);
            with_room(|room| set.run(Moments { around, weights, room, out: moments }));
        });
        self.gather_numbers(ex, boxes, out);
    }

    /// Makes the coefficients of rows of pairs; `make(distance)` gives the coefficient over the distance.
    pub fn make_pair_rows(&mut self, ex: &Exec, make: impl Fn(f64) -> f64 + Sync) {
        let chunks = &self.list.chunks;
        ex.for_each_chunk(&mut self.pieces, 1, |c, piece| {
            let Piece { place, pair, .. } = &mut piece[0];
            let chunk = &chunks[c];
            pair.clear();
            for (i, ends) in chunk.starts.windows(2).enumerate() {
                for j in &chunk.others[ends[0] as usize..ends[1] as usize] {
                    let distance = place[i].vector().distance(place[*j as usize].vector());
                    pair.push(if usize::from(*j) < chunk.total() { make(distance) } else { 0.0 });
                }
            }
        });
    }

    /// Calls `f(distance, whether it is a pair)` for every partner, in the order of the rows of pairs.
    pub fn for_each_pair(&self, mut f: impl FnMut(f64, bool)) {
        for (chunk, piece) in self.list.chunks.iter().zip(&self.pieces) {
            for (i, ends) in chunk.starts.windows(2).enumerate() {
                for j in &chunk.others[ends[0] as usize..ends[1] as usize] {
                    let other = piece.place[*j as usize].vector();
                    f(piece.place[i].vector().distance(other), usize::from(*j) < chunk.total());
                }
            }
        }
    }

    /// Calls `f(place of one, place of other, number of the row)` for every pair, in order.
    pub fn for_each_partner(&self, mut f: impl FnMut(usize, usize, usize)) {
        for (c, chunk) in self.list.chunks.iter().enumerate() {
            for (i, ends) in chunk.starts.windows(2).enumerate() {
                for k in ends[0] as usize..ends[1] as usize {
                    let j = usize::from(chunk.others[k]);
                    if j < chunk.total() {
                        let other = if j < chunk.count {
                            chunk.first + j
                        } else {
                            chunk.halo[j - chunk.count].index()
                        };
                        f(chunk.first + i, other, self.pair_starts[c] + k);
                    }
                }
            }
        }
    }

    /// Sums of W times `input` of the partner, by place.
    pub fn blend(
        &self,
        ex: &Exec,
        kernel: AnySmoothing,
        input: &[f64],
        boxes: &mut [Outbox],
        out: &mut Vec<f64>,
    ) {
        ex.for_each_chunk(boxes, 1, |c, outbox| {
            let around = self.around(c);
            outbox[0].clear_numbers(around.place.len());
            let sums = &mut outbox[0].numbers[..];
            self.with_numbers(c, input, |input| self.set().run(Blend { around, kernel, input, sums }));
        });
        self.gather_numbers(ex, boxes, out);
    }

    /// Rates of the densities, by place, for velocities by place.
    pub fn rate(&self, ex: &Exec, velocities: &[Row], boxes: &mut [Outbox], out: &mut [f64]) {
        ex.for_each_chunk(boxes, 1, |c, outbox| {
            let Outbox { numbers: out, rows: sums } = &mut outbox[0];
            let densities = self.densities(c);
            clear(sums, densities.around.place.len());
            out.clear();
            with_room(|room| self.set().run(Rate { densities, velocities, room, sums, out }));
        });
        self.gather_into(ex, boxes, out);
    }

    /// Rates of the rows of pairs.
    pub fn pair_rate(&self, ex: &Exec, velocities: &[Row], out: &mut [f64]) {
        ex.for_each_slot(&self.pair_starts, out, 1, |c, out| {
            let (around, weights) = (self.around(c), &self.pieces[c].pair[..]);
            self.with_rows(c, velocities, |input| self.set().run(PairRate { around, weights, input, out }));
        });
    }

    /// Forces of multipliers of densities (by place) and of pairs, by place.
    pub fn push(
        &self,
        ex: &Exec,
        multipliers: &[f64],
        pairs: &[f64],
        boxes: &mut [Outbox],
        out: &mut Vec<Row>,
    ) {
        ex.for_each_chunk(boxes, 1, |c, outbox| {
            let around = self.around(c);
            let sums = &mut outbox[0].rows;
            clear(sums, around.place.len());
            if !multipliers.is_empty() {
                let densities = self.densities(c);
                with_room(|room| self.set().run(Push { densities, multipliers, room, sums }));
            }
            if !pairs.is_empty() {
                let weights = &self.pieces[c].pair[..];
                let input = &pairs[self.pair_starts[c]..self.pair_starts[c + 1]];
                self.set().run(PairPush { around, weights, input, sums });
            }
        });
        self.gather_rows(ex, boxes, out);
    }

    /// Sums of W times the velocity relative to the partner, among fluid markers, by place.
    pub fn smooth(
        &self,
        ex: &Exec,
        kernel: AnySmoothing,
        velocities: &[Row],
        boxes: &mut [Outbox],
        out: &mut Vec<Row>,
    ) {
        ex.for_each_chunk(boxes, 1, |c, outbox| {
            let (around, first) = (self.around(c), self.list.chunks[c].first);
            outbox[0].clear_rows(around.place.len());
            let sums = &mut outbox[0].rows[..];
            let is_wall = &|i: usize| is_marker(self.fields.tag.read()[first + i]);
            self.with_rows(c, velocities, |input| {
                self.set().run(Smooth { around, kernel, input, is_wall, sums });
            });
        });
        self.gather_rows(ex, boxes, out);
    }

    /// Sums against clumping, by place.
    pub fn spread(
        &self,
        ex: &Exec,
        kernel: AnySmoothing,
        distance: f64,
        exponent: u32,
        boxes: &mut [Outbox],
        out: &mut Vec<Row>,
    ) {
        let per_value = 1.0 / kernel.value(distance);
        ex.for_each_chunk(boxes, 1, |c, outbox| {
            let around = self.around(c);
            outbox[0].clear_rows(around.place.len());
            let (sums, weights) = (&mut outbox[0].rows[..], &self.pieces[c].weights);
            self.set().run(Spread { around, kernel, weights, per_value, exponent, sums });
        });
        self.gather_rows(ex, boxes, out);
    }

    /// Rows of a chunk, of its halo, and a zero.
    fn with_rows(&self, c: usize, all: &[Row], f: impl FnOnce(&[Row])) {
        let chunk = &self.list.chunks[c];
        with_room(|rows| {
            rows.extend_from_slice(&all[chunk.range()]);
            rows.extend(chunk.halo.iter().map(|ghost| all[ghost.index()]));
            rows.push(Row::ZERO);
            f(rows);
        });
    }

    fn with_numbers(&self, c: usize, all: &[f64], f: impl FnOnce(&[f64])) {
        let chunk = &self.list.chunks[c];
        NUMBERS.with_borrow_mut(|numbers| {
            numbers.clear();
            numbers.extend_from_slice(&all[chunk.range()]);
            numbers.extend(chunk.halo.iter().map(|ghost| all[ghost.index()]));
            numbers.push(0.0);
            f(numbers);
        });
    }

    fn gather_numbers(&self, ex: &Exec, boxes: &[Outbox], out: &mut Vec<f64>) {
        out.resize(self.count(), 0.0);
        self.gather_into(ex, boxes, out);
    }

    fn gather_into(&self, ex: &Exec, boxes: &[Outbox], out: &mut [f64]) {
        let chunks = &self.list.chunks;
        ex.for_each_slot(&self.starts, out, 1, |c, out| {
            let chunk = &chunks[c];
            out.copy_from_slice(&boxes[c].numbers[..chunk.count]);
            for source in &chunk.sources {
                let other = source.chunk as usize;
                for k in source.from as usize..source.to as usize {
                    let place = chunks[other].halo[k].index() - chunk.first;
                    out[place] += boxes[other].numbers[chunks[other].count + k];
                }
            }
        });
    }

    fn gather_rows(&self, ex: &Exec, boxes: &[Outbox], out: &mut Vec<Row>) {
        let chunks = &self.list.chunks;
        out.resize(self.count(), Row::ZERO);
        ex.for_each_slot(&self.starts, out, 1, |c, out| {
            let chunk = &chunks[c];
            out.copy_from_slice(&boxes[c].rows[..chunk.count]);
            for source in &chunk.sources {
                let other = source.chunk as usize;
                for k in source.from as usize..source.to as usize {
                    let place = chunks[other].halo[k].index() - chunk.first;
                    let row = &boxes[other].rows[chunks[other].count + k];
                    (0..3).for_each(|i| out[place].0[i] += row.0[i]);
                }
            }
        });
    }
}

impl Outbox {
    fn clear_numbers(&mut self, count: usize) {
        self.numbers.clear();
        self.numbers.resize(count, 0.0);
    }

    fn clear_rows(&mut self, count: usize) {
        clear(&mut self.rows, count);
    }
}
