//! Cables as a batch: four at a time where they have no damping.

use huygens_core::Subject;
use huygens_core::contract::{ElementBatch, ElementFault, Layout, Slots, StateView, Weights};
use huygens_exec::Exec;
use huygens_exec::lanes::{InstructionSet, Kernel, LANES, Lanes};
use huygens_kernel::cable::{Matrix, StrainMeasure};
use huygens_kernel::three;
use huygens_kernel::triple::{difference, scaled};

use super::batch::{Batch, ElementItem, Elements};
use super::cable::{Cable, Line, LineLaw};
use crate::output::{SolidState, Station};

/// Groups of four that a parallel piece works on.
const CHUNK: usize = 4;

/// Cables.
pub struct Cables {
    elements: Elements<Cable>,
    /// Groups of four; empty where elements are evaluated one by one.
    groups: Vec<Group>,
    measure: StrainMeasure,
    set: InstructionSet,
}

/// Four elements; the last of the batch stands in for those that are missing.
#[derive(Clone, Copy)]
struct Group {
    ea: [f64; LANES],
    ei: [f64; LANES],
    length: [f64; LANES],
    /// First position numbers of the nodes.
    nodes: [[usize; LANES]; 2],
}

impl Cables {
    /// A batch of cables.
    pub fn new(items: impl IntoIterator<Item = ElementItem<Cable>>) -> Self {
        let elements = Elements::new(items);
        let count = elements.len();
        let measure = if count == 0 { StrainMeasure::default() } else { elements.element(0).measure };
        let alike = (0..count).all(|k| elements.element(k).measure == measure);
        let groups = if alike && elements.is_plain() { count.div_ceil(LANES) } else { 0 };
        let groups = (0..groups)
            .map(|group| {
                let at = |lane: usize| (LANES * group + lane).min(count - 1);
                let of = |f: fn(&Cable) -> f64| std::array::from_fn(|lane| f(elements.element(at(lane))));
                Group {
                    ea: of(|cable| cable.stretch),
                    ei: of(|cable| cable.bending),
                    length: of(|cable| cable.length),
                    nodes: [0, 1].map(|n| std::array::from_fn(|lane| elements.nodes(at(lane))[n].q)),
                }
            })
            .collect();
        Self { elements, groups, measure, set: InstructionSet::detect() }
    }

    /// The elements.
    pub fn elements(&self) -> &Elements<Cable> {
        &self.elements
    }
}

impl Group {
    #[inline(always)]
    fn law<L: Lanes>(&self, measure: StrainMeasure) -> LineLaw<L> {
        LineLaw { measure, ea: L::load(&self.ea), ei: L::load(&self.ei), length: L::load(&self.length) }
    }

    /// Position and slope of a node of each element.
    #[inline(always)]
    fn node<L: Lanes>(&self, q: &[f64], node: usize) -> [[L; 3]; 2] {
        let at = &self.nodes[node];
        let [x, y, z, a] = L::transpose_in([four(q, at[0]), four(q, at[1]), four(q, at[2]), four(q, at[3])]);
        let [_, _, b, c] =
            L::transpose_in([four(q, at[0] + 2), four(q, at[1] + 2), four(q, at[2] + 2), four(q, at[3] + 2)]);
        [[x, y, z], [a, b, c]]
    }

    #[inline(always)]
    fn line<L: Lanes>(&self, q: &[f64]) -> Line<L> {
        let [start, end] = [self.node::<L>(q, 0), self.node::<L>(q, 1)];
        let inverse = L::of(1.0) / L::load(&self.length);
        [scaled(inverse, difference(end[0], start[0])), start[1], end[1]]
    }
}

#[inline(always)]
fn four(q: &[f64], at: usize) -> &[f64; LANES] {
    q[at..at + LANES].first_chunk().expect("four numbers")
}

/// Writes components of four elements into their rows, each `stride` numbers from the next; rows that are not there
/// are left out.
#[inline(always)]
fn store<L: Lanes>(components: [L; LANES], out: &mut [f64], at: usize, stride: usize) {
    for (lane, row) in L::transpose(components).into_iter().enumerate() {
        if let Some(out) = out.get_mut(lane * stride + at..).and_then(|out| out.first_chunk_mut()) {
            row.store(out);
        }
    }
}

struct Forces<'a> {
    groups: &'a [Group],
    measure: StrainMeasure,
    q: &'a [f64],
    out: &'a mut [f64],
}

impl Kernel for Forces<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (group, out) in self.groups.iter().zip(self.out.chunks_mut(12 * LANES)) {
            let (_, by) = group.law::<L>(self.measure).force(&group.line(self.q));
            let pull = scaled(L::of(1.0) / L::load(&group.length), by[0]);
            let [a, b, c] = three!(k => -by[1][k]);
            let [d, e, f] = three!(k => -by[2][k]);
            store([pull[0], pull[1], pull[2], a], out, 0, 12);
            store([b, c, -pull[0], -pull[1]], out, 4, 12);
            store([-pull[2], d, e, f], out, 8, 12);
        }
    }
}

struct Tangents<'a> {
    groups: &'a [Group],
    measure: StrainMeasure,
    q: &'a [f64],
    weight: f64,
    out: &'a mut [f64],
}

impl Kernel for Tangents<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (group, out) in self.groups.iter().zip(self.out.chunks_mut(144 * LANES)) {
            let [aa, ab, ac, bb, bc, cc] = group.law::<L>(self.measure).stiffness(&group.line(self.q));
            let weight = L::of(self.weight);
            let per = weight / L::load(&group.length);
            let aa = multiplied(per / L::load(&group.length), aa);
            let (ab, ac) = (multiplied(per, ab), multiplied(per, ac));
            let (bb, bc, cc) = (multiplied(weight, bb), multiplied(weight, bc), multiplied(weight, cc));
            let (minus_aa, minus_ab, minus_ac) =
                (multiplied(L::of(-1.0), aa), multiplied(L::of(-1.0), ab), multiplied(L::of(-1.0), ac));
            let (ba, ca, cb) = (transposed(ab), transposed(ac), transposed(bc));
            let (minus_ba, minus_ca) = (transposed(minus_ab), transposed(minus_ac));
            store_rows([&aa, &minus_ab, &minus_aa, &minus_ac], out, 0);
            store_rows([&minus_ba, &bb, &ba, &bc], out, 36);
            store_rows([&minus_aa, &ab, &aa, &ac], out, 72);
            store_rows([&minus_ca, &cb, &ca, &cc], out, 108);
        }
    }
}

#[inline(always)]
fn multiplied<L: Lanes>(by: L, m: Matrix<L>) -> Matrix<L> {
    three!(k => scaled(by, m[k]))
}

#[inline(always)]
fn transposed<L: Lanes>(m: Matrix<L>) -> Matrix<L> {
    three!(k => three!(l => m[l][k]))
}

/// Three rows of the matrix of each element, from `at` on.
#[inline(always)]
fn store_rows<L: Lanes>(blocks: [&Matrix<L>; 4], out: &mut [f64], at: usize) {
    let [a, b, c, d] = blocks;
    for k in 0..3 {
        store([a[k][0], a[k][1], a[k][2], b[k][0]], out, at + 12 * k, 144);
        store([b[k][1], b[k][2], c[k][0], c[k][1]], out, at + 12 * k + 4, 144);
        store([c[k][2], d[k][0], d[k][1], d[k][2]], out, at + 12 * k + 8, 144);
    }
}

impl ElementBatch for Cables {
    fn does_work(&self, _x: &StateView<'_>) -> bool {
        false
    }

    fn layout(&self) -> Layout {
        self.elements.layout()
    }

    fn item_name(&self, item: usize) -> Subject {
        self.elements.item_name(item)
    }

    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        if self.groups.is_empty() {
            return self.elements.evaluate(ex, x, history, slots, values, tangent);
        }
        let (measure, q) = (self.measure, x.q);
        ex.for_each_chunk(values, 12 * LANES * CHUNK, |chunk, out| {
            self.set.run(Forces { groups: &self.groups[CHUNK * chunk..], measure, q, out });
        });
        if let Some((weights, tangent)) = tangent {
            let weight = weights.stiffness;
            ex.for_each_chunk(tangent, 144 * LANES * CHUNK, |chunk, out| {
                self.set.run(Tangents { groups: &self.groups[CHUNK * chunk..], measure, q, weight, out });
            });
        }
    }

    fn energy(&self, ex: &Exec, x: &StateView<'_>, history: &[f64]) -> f64 {
        self.elements.energy(ex, x, history)
    }

    fn mass(&self, slots: &Slots, out: &mut [f64]) -> bool {
        self.elements.mass(slots, out)
    }

    fn check(&self, ex: &Exec, x: &StateView<'_>, history: &[f64]) -> Option<ElementFault> {
        self.elements.check(ex, x, history)
    }
}

impl Batch for Cables {
    fn energy_of(&self, item: usize, q: &[f64], history: &[f64]) -> f64 {
        self.elements.energy_of(item, q, history)
    }

    fn station(&self, item: usize, q: &[f64], t: f64) -> Option<Station> {
        self.elements.station(item, q, t)
    }

    fn solid_state(&self, _item: usize, _q: &[f64], _history: &[f64]) -> Option<SolidState> {
        None
    }
}
