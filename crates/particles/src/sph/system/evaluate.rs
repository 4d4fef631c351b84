//! Goes over all pairs.

use std::cell::RefCell;

use huygens_exec::lanes::InstructionSet;
use huygens_exec::{Disjoint, Exec};
use huygens_kernel::sph::{AnySmoothing, Rheology, Smoothing};
use huygens_kernel::{Mat3, Vec3};

use super::FluidSystem;
use crate::row::Row;
use crate::sph::fields::is_marker;
use crate::sph::laws::Flow;
use crate::sph::laws_general::{FlowGeneral, Gradients, Moments};
use crate::sph::list::{FluidChunk, FluidList};
use crate::sph::settings::{DensityFilter, FluidSettings};
use crate::sph::sweep::{Desk, PairLaw, Sweep};
use crate::sph::wall::WallAnswer;

/// Determinant of a correction, 1 inside a fluid, below which a particle has too few neighbours for it.
const LEAST_DETERMINANT: f64 = 0.1;

thread_local! {
    static DESK: RefCell<Desk> = RefCell::new(Desk::default());
}

impl FluidSettings {
    /// Whether pairs want more than the usual.
    pub(crate) fn is_general(&self) -> bool {
        self.gradient_correction
            || self.xsph > 0.0
            || self.shifting.is_some()
            || !matches!(self.rheology, Rheology::Newtonian { .. })
    }
}

impl FluidSystem {
    /// Runs the loops with other instructions than the best of the machine, to compare them.
    pub fn use_instructions(&mut self, instructions: InstructionSet) {
        self.instructions = instructions;
    }

    /// Sums of all pairs at the present positions, into the outboxes.
    pub(super) fn evaluate(&mut self, ex: &Exec) {
        if !self.settings.is_general() {
            return self.sweep_flow(ex, Flow::new(&self.settings, self.settings.rheology.greatest()));
        }
        self.find_corrections(ex);
        let (h, spacing) = (self.settings.length(), self.settings.spacing);
        let spacing_value = self.settings.kernel.value(self.settings.space.dimension(), h, spacing);
        self.sweep_with(ex, FlowGeneral { flow: Flow::new(&self.settings, 1.0), spacing_value });
    }

    /// Corrections of gradients and viscosities of all particles.
    fn find_corrections(&mut self, ex: &Exec) {
        let settings = &self.settings;
        let (correct, rheology) = (settings.gradient_correction, settings.rheology);
        let plain = |viscosity| [Row([1.0, 1.0, 1.0, 0.0]), Row([0.0, 0.0, viscosity, 0.0])];
        let flows = !matches!(rheology, Rheology::Newtonian { .. });
        if !correct && !flows {
            self.more.clear();
            self.more.resize(self.fields.len(), plain(rheology.greatest()));
            return;
        }
        self.more.clear();
        self.sweep_with(ex, Gradients);
        let (mass, normal) = (self.settings.mass(), self.settings.space.normal());
        self.more.resize(self.fields.len(), plain(0.0));
        let more = Disjoint::new(&mut self.more);
        let (list, chunks) = (&self.list, &self.list.chunks);
        ex.for_each(chunks.len(), 1, |c| {
            // SAFETY: every chunk has its own particles.
            let more = unsafe { more.piece(chunks[c].range()) };
            gather::<4>(list, c, |k, sums| {
                let [a, b, c, d] = sums.map(|row| row.0.map(|x| mass * x));
                let mut matrix =
                    Mat3::from_cols_array(&[a[0], a[3], b[0], a[3], a[1], b[1], b[0], b[1], a[2]]);
                if let Some(n) = normal {
                    matrix.col_mut(n)[n] = 1.0;
                }
                let fine = matrix.determinant() > LEAST_DETERMINANT;
                let inverse = if fine { matrix.inverse() } else { Mat3::IDENTITY };
                // Rows are components of the velocity, columns directions.
                let slope = Mat3::from_cols(
                    Vec3::new(b[2], c[1], d[0]),
                    Vec3::new(b[3], c[2], d[1]),
                    Vec3::new(c[0], c[3], d[2]),
                ) * inverse;
                let strain = (slope + slope.transpose()) * 0.5;
                let square: f64 = strain.to_cols_array().iter().map(|x| x * x).sum();
                let viscosity = rheology.viscosity((2.0 * square).sqrt());
                let m = if correct { inverse } else { Mat3::IDENTITY };
                more[k] = [
                    Row([m.x_axis.x, m.y_axis.y, m.z_axis.z, 0.5 * (m.x_axis.y + m.y_axis.x)]),
                    Row([0.5 * (m.x_axis.z + m.z_axis.x), 0.5 * (m.y_axis.z + m.z_axis.y), viscosity, 0.0]),
                ];
            });
        });
    }

    /// Makes the density anew.
    pub(super) fn filter_density(&mut self, ex: &Exec, filter: DensityFilter) {
        self.more.clear();
        self.sweep_with(ex, Moments);
        let settings = &self.settings;
        let own = settings.kernel.value(settings.space.dimension(), settings.length(), 0.0);
        let normal = settings.space.normal();
        let place = Disjoint::new(&mut self.fields.place);
        let (tag, list, chunks) = (&self.fields.tag, &self.list, &self.list.chunks);
        ex.for_each(chunks.len(), 1, |c| {
            let range = chunks[c].range();
            let tags = &tag[range.clone()];
            // SAFETY: every chunk has its own particles.
            let place = unsafe { place.piece(range) };
            gather::<4>(list, c, |k, sums| {
                if is_marker(tags[k]) {
                    return;
                }
                let [mut plain, mut weighted, second, mixed] = sums.map(|row| row.0);
                plain[0] += own;
                weighted[0] += own * place[k].0[3];
                let shepard = plain[0] / weighted[0];
                let density = match filter {
                    DensityFilter::Shepard => Some(shepard),
                    DensityFilter::Consistent => {
                        let [a, b] = [Vec3::from_slice(&plain[1..]), Vec3::from_slice(&weighted[1..])];
                        let mut m = Mat3::from_cols_array(&[
                            second[0], second[3], mixed[0], second[3], second[1], mixed[1], mixed[0],
                            mixed[1], second[2],
                        ]);
                        if let Some(n) = normal {
                            m.col_mut(n)[n] = 1.0;
                        }
                        consistent([plain[0], weighted[0]], a, b, m)
                    }
                };
                place[k].0[3] = 1.0 / density.unwrap_or(shepard);
            });
        });
    }

    /// Goes over all pairs with the usual law, which is compiled for each kernel.
    fn sweep_flow(&mut self, ex: &Exec, law: Flow) {
        match AnySmoothing::new(self.settings.kernel, self.settings.space.dimension(), self.settings.length())
        {
            AnySmoothing::CubicSpline(kernel) => self.sweep(ex, kernel, law),
            AnySmoothing::QuinticSpline(kernel) => self.sweep(ex, kernel, law),
            AnySmoothing::WendlandC2(kernel) => self.sweep(ex, kernel, law),
            AnySmoothing::WendlandC4(kernel) => self.sweep(ex, kernel, law),
            AnySmoothing::Poly6Spiky(kernel) => self.sweep(ex, kernel, law),
        }
    }

    /// Goes over all pairs with another law.
    fn sweep_with<P: PairLaw<ROWS>, const ROWS: usize>(&mut self, ex: &Exec, law: P) {
        let (h, dimension) = (self.settings.length(), self.settings.space.dimension());
        self.sweep(ex, AnySmoothing::new(self.settings.kernel, dimension, h), law);
    }

    fn sweep<K: Smoothing, P: PairLaw<ROWS>, const ROWS: usize>(&mut self, ex: &Exec, kernel: K, law: P) {
        let (fields, instructions, more) = (&self.fields, self.instructions, &self.more);
        let spins = &self.solids.spins[..];
        let walls = WallAnswer::new(&self.settings);
        let periods = std::array::from_fn(|k| self.settings.periodic[k].map_or(0.0, |p| p[1]));
        self.list.size_outbox(ROWS);
        let chunks = &self.list.chunks;
        let outbox = Disjoint::new(&mut self.list.outbox);
        ex.for_each(chunks.len(), 1, |c| {
            let chunk = &chunks[c];
            // SAFETY: every chunk has its own part.
            let sums = unsafe { outbox.piece(chunk.outbox_range(ROWS)) };
            sums.fill(Row::ZERO);
            DESK.with_borrow_mut(|desk| {
                desk.load(chunk, fields, more, periods);
                let (tags, rates) = (&fields.tag[chunk.range()], &fields.rate[chunk.range()]);
                let sums = sums.as_chunks_mut::<ROWS>().0;
                instructions.run(Sweep { kernel, law, desk, chunk, sums, tags, rates, spins, walls });
            });
        });
    }
}

/// $\sum_j W(\beta_0 + \beta\cdot x)$ with β such that linear fields are exact; none where too few are near.
fn consistent([plain, weighted]: [f64; 2], first: Vec3, moment: Vec3, second: Mat3) -> Option<f64> {
    // [w bᵀ; b M] (β₀, β) = (1, 0), by the complement of M.
    let inverse = second.inverse();
    let turned = inverse * moment;
    let rest = weighted - moment.dot(turned);
    let fine = inverse.is_finite() && rest > 0.1 * weighted && rest.is_finite();
    fine.then(|| (plain - turned.dot(first)) / rest)
}

/// Sums what a chunk and all others have for the particles of chunk c, in a fixed order.
pub(super) fn gather<const ROWS: usize>(
    list: &FluidList,
    c: usize,
    mut take: impl FnMut(usize, [Row; ROWS]),
) {
    thread_local! {
        static SUMS: RefCell<Vec<Row>> = const { RefCell::new(Vec::new()) };
    }
    let chunk = &list.chunks[c];
    let sums_of = |chunk: &FluidChunk| list.outbox[chunk.outbox_range(ROWS)].as_chunks::<ROWS>().0;
    SUMS.with_borrow_mut(|sums| {
        sums.clear();
        sums.extend_from_slice(sums_of(chunk)[..chunk.count].as_flattened());
        let (sums, _) = sums.as_chunks_mut::<ROWS>();
        for source in &chunk.sources {
            let other = &list.chunks[source.chunk as usize];
            let range = source.from as usize..source.to as usize;
            let halo = &sums_of(other)[other.count..];
            for (ghost, rows) in other.halo[range.clone()].iter().zip(&halo[range]) {
                let sum = &mut sums[ghost.index() - chunk.first];
                for (sum, row) in sum.iter_mut().zip(rows) {
                    (0..4).for_each(|k| sum.0[k] += row.0[k]);
                }
            }
        }
        sums.iter().enumerate().for_each(|(k, sum)| take(k, *sum));
    });
}
