//! Goes over all pairs.

#![expect(unsafe_code, reason = "chunks write to disjoint parts of the same fields")]

use std::cell::RefCell;

use huygens_exec::{Disjoint, Exec};
use huygens_kernel::sph::particle::{DensitySums, consistent_density, fluid_gradients, shepard_density};
use huygens_kernel::sph::{AnySmoothing, Rheology, Smoothing};
use huygens_kernel::vector::M3;

use super::{FluidLoopsCpu, FluidParts};
use crate::row::Row;
use crate::sph::fields::is_marker;
use crate::sph::laws::Flow;
use crate::sph::laws_general::{FlowGeneral, Gradients, Moments};
use crate::sph::list::{FluidChunk, FluidList};
use crate::sph::settings::{DensityFilter, FluidSettings};
use crate::sph::sweep::{Desk, PairLaw, Sweep};
use crate::sph::wall::WallAnswer;

thread_local! {
    static DESK: RefCell<Desk> = RefCell::new(Desk::default());
}

impl FluidSettings {
    /// The kernel in this space, with its length.
    fn smoothing(&self) -> AnySmoothing {
        AnySmoothing::new(self.kernel, self.space.dimension(), self.length())
    }

    /// Whether pairs want more than the usual, in a fluid that has a free surface or fills its room.
    pub(crate) fn is_general(&self, open: bool) -> bool {
        self.gradient_correction
            || self.xsph > 0.0
            || self.shifting.is_some_and(|shifting| shifting.acts(open))
            || !matches!(self.rheology, Rheology::Newtonian { .. })
    }
}

impl FluidLoopsCpu {
    /// Sums of all pairs at the present positions, into the outboxes.
    pub(super) fn evaluate(&mut self, ex: &Exec, parts: &mut FluidParts<'_>) {
        let settings = &parts.model.settings;
        if !settings.is_general(parts.open) {
            // A fluid that opened had more in its steps before.
            self.more.clear();
            return self.sweep_flow(ex, parts, Flow::new(settings, settings.rheology.greatest()));
        }
        self.find_corrections(ex, parts);
        let (h, spacing) = (settings.length(), settings.spacing);
        let spacing_value = settings.kernel.value(settings.space.dimension(), h, spacing);
        self.sweep_with(ex, parts, FlowGeneral { flow: Flow::new(settings, 1.0), spacing_value });
    }

    /// Corrections of gradients and viscosities of all particles.
    fn find_corrections(&mut self, ex: &Exec, parts: &mut FluidParts<'_>) {
        let settings = &parts.model.settings;
        let (correct, rheology) = (settings.gradient_correction, settings.rheology);
        let plain = |viscosity| [Row([1.0, 1.0, 1.0, 0.0]), Row([0.0, 0.0, viscosity, 0.0])];
        let flows = !matches!(rheology, Rheology::Newtonian { .. });
        if !correct && !flows {
            self.more.clear();
            self.more.resize(parts.fields.len(), plain(rheology.greatest()));
            return;
        }
        self.more.clear();
        self.sweep_with(ex, parts, Gradients);
        let (mass, normal) = (settings.mass(), settings.space.normal());
        self.more.resize(parts.fields.len(), plain(0.0));
        let more = Disjoint::new(&mut self.more);
        let (list, chunks) = (&*parts.list, &parts.list.chunks);
        ex.for_each(chunks.len(), 1, |c| {
            // SAFETY: every chunk has its own particles.
            let more = unsafe { more.piece(chunks[c].range()) };
            gather::<4>(list, c, |k, sums| {
                let [a, b, c, d] = sums.map(|row| row.0.map(|x| mass * x));
                let moments = symmetric([a[0], a[1], a[2]], [a[3], b[0], b[1]], normal);
                let slopes = M3 {
                    x: [b[2], b[3], c[0]].into(),
                    y: [c[1], c[2], c[3]].into(),
                    z: [d[0], d[1], d[2]].into(),
                };
                let found = fluid_gradients(&moments, &slopes);
                let viscosity = rheology.viscosity(found.shear);
                let [first, mut second] = plain(viscosity);
                more[k] = [first, second];
                if correct {
                    let M3 { x, y, z } = found.correction;
                    second.0[..2].copy_from_slice(&[0.5 * (x.z + z.x), 0.5 * (y.z + z.y)]);
                    more[k] = [Row([x.x, y.y, z.z, 0.5 * (x.y + y.x)]), second];
                }
            });
        });
    }

    /// Reinitializes the density.
    pub(super) fn filter_density(&mut self, ex: &Exec, parts: &mut FluidParts<'_>, filter: DensityFilter) {
        self.more.clear();
        self.sweep_with(ex, parts, Moments);
        let settings = &parts.model.settings;
        let own = settings.kernel.value(settings.space.dimension(), settings.length(), 0.0);
        let normal = settings.space.normal();
        let place = Disjoint::new(parts.fields.place.write());
        let (tag, list, chunks) = (parts.fields.tag.read(), &*parts.list, &parts.list.chunks);
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
                let [diagonal, rest] = [[second[0], second[1], second[2]], [second[3], mixed[0], mixed[1]]];
                let sums = DensitySums {
                    plain: plain[0],
                    weighted: weighted[0],
                    first: [plain[1], plain[2], plain[3]].into(),
                    moment: [weighted[1], weighted[2], weighted[3]].into(),
                    second: symmetric(diagonal, rest, normal),
                };
                let density = match filter {
                    DensityFilter::Shepard => shepard_density(&sums),
                    DensityFilter::Consistent => consistent_density(&sums),
                };
                place[k].0[3] = 1.0 / density;
            });
        });
    }

    /// Goes over all pairs with the usual law, which is compiled for each kernel.
    fn sweep_flow(&mut self, ex: &Exec, parts: &mut FluidParts<'_>, law: Flow) {
        match parts.model.settings.smoothing() {
            AnySmoothing::CubicSpline(kernel) => self.sweep(ex, parts, kernel, law),
            AnySmoothing::QuinticSpline(kernel) => self.sweep(ex, parts, kernel, law),
            AnySmoothing::WendlandC2(kernel) => self.sweep(ex, parts, kernel, law),
            AnySmoothing::WendlandC4(kernel) => self.sweep(ex, parts, kernel, law),
            AnySmoothing::Poly6Spiky(kernel) => self.sweep(ex, parts, kernel, law),
        }
    }

    /// Goes over all pairs with another law.
    fn sweep_with<P: PairLaw<ROWS>, const ROWS: usize>(
        &mut self,
        ex: &Exec,
        parts: &mut FluidParts<'_>,
        law: P,
    ) {
        self.sweep(ex, parts, parts.model.settings.smoothing(), law);
    }

    fn sweep<K: Smoothing, P: PairLaw<ROWS>, const ROWS: usize>(
        &mut self,
        ex: &Exec,
        parts: &mut FluidParts<'_>,
        kernel: K,
        law: P,
    ) {
        let (fields, instructions, more) = (&*parts.fields, self.instructions, &self.more);
        let (tag, rate, spins) = (fields.tag.read(), fields.rate.read(), &parts.solids.spins[..]);
        let walls = WallAnswer::new(&parts.model.settings);
        let periods = parts.model.periods.to_array();
        let list = &mut *parts.list;
        list.size_outbox(ROWS);
        let chunks = &list.chunks;
        let outbox = Disjoint::new(&mut list.outbox);
        ex.for_each(chunks.len(), 1, |c| {
            let chunk = &chunks[c];
            // SAFETY: every chunk has its own part.
            let sums = unsafe { outbox.piece(chunk.outbox_range(ROWS)) };
            sums.fill(Row::ZERO);
            DESK.with_borrow_mut(|desk| {
                desk.load(chunk, fields, more, periods);
                let (tags, rates) = (&tag[chunk.range()], &rate[chunk.range()]);
                let sums = sums.as_chunks_mut::<ROWS>().0;
                instructions.run(Sweep { kernel, law, desk, chunk, sums, tags, rates, spins, walls });
            });
        });
    }
}

/// A symmetric matrix of the entries (xx, yy, zz) and (xy, xz, yz); in a plane 1 along its normal.
fn symmetric(mut diagonal: [f64; 3], [xy, xz, yz]: [f64; 3], normal: Option<usize>) -> M3<f64> {
    if let Some(n) = normal {
        diagonal[n] = 1.0;
    }
    let [xx, yy, zz] = diagonal;
    M3 { x: [xx, xy, xz].into(), y: [xy, yy, yz].into(), z: [xz, yz, zz].into() }
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
