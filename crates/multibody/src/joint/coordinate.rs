//! Joint and shaft coordinates, and weighted sums of them.

use glam::{DMat3, DVec3};
use huygens_core::Model;
use huygens_core::contract::{NO_BLOCK, StateView};

use crate::columns::PairColumns;
use crate::marker::{Marker, MarkerState};
use crate::rows::{self, AnglePairs, PointFunction, Row, TA, TB};

/// Most columns of a block that a joint attaches to.
const MOST_COLUMNS: usize = 12;

/// What a coordinate measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CoordinateKind {
    /// Angle between the markers' axes [rad], whole turns counted.
    Angle(AnglePairs),
    /// Coordinate of B's point along an axis of A [m].
    Displacement(usize),
    /// Distance of the points [m].
    Length,
    /// Polar angle of B's point in A's x–y plane [rad], whole turns counted.
    Polar,
    /// Angle of a shaft [rad]: its place in `q` and in `v`.
    Shaft(usize, usize),
}

/// One weighted coordinate.
#[derive(Clone, Debug)]
pub(crate) struct CoordinateTerm {
    pub kind: CoordinateKind,
    pub a: Marker,
    pub b: Marker,
    /// Columns of A and B; a shaft is A.
    pub columns: PairColumns,
    pub weight: f64,
    /// Takes the sign of the committed multiplier: the radial push of gear teeth does not pull.
    pub follows_multiplier: bool,
    /// Subtracted from the coordinate [m].
    pub rest: f64,
    /// Angle within half a turn of which it starts [rad].
    pub start: f64,
}

impl CoordinateTerm {
    /// A coordinate with weight one.
    pub fn new(kind: CoordinateKind, a: Marker, b: Marker, columns: PairColumns) -> Self {
        Self { kind, a, b, columns, weight: 1.0, follows_multiplier: false, rest: 0.0, start: 0.0 }
    }

    /// Whether whole turns are counted.
    fn turns(&self) -> bool {
        matches!(self.kind, CoordinateKind::Angle(_) | CoordinateKind::Polar)
    }

    fn row(&self, a: &MarkerState<'_>, b: &MarkerState<'_>) -> Row {
        match &self.kind {
            CoordinateKind::Angle(pairs) => rows::angle(a, b, pairs),
            CoordinateKind::Displacement(k) => {
                rows::point_function::<true>(a, b, &PointFunction::coordinate(rows::relative_point(a, b), *k))
            }
            CoordinateKind::Length => {
                rows::point_function::<true>(a, b, &PointFunction::distance(rows::relative_point(a, b)))
            }
            CoordinateKind::Polar => {
                rows::point_function::<true>(a, b, &PointFunction::polar(rows::relative_point(a, b)))
            }
            CoordinateKind::Shaft(..) => Row::default(),
        }
    }
}

/// A weighted sum of coordinates $\xi = \sum_i c_i\xi_i$ over the column blocks it touches.
#[derive(Clone, Debug)]
pub(crate) struct Combination {
    pub terms: Vec<CoordinateTerm>,
    /// Column blocks, each once.
    pub blocks: Vec<u32>,
    /// Number of columns.
    columns: usize,
    /// Where the columns of each term stand.
    places: Vec<TermPlaces>,
    /// First number of the history: one for each term (last angle, or sign).
    pub history: usize,
}

/// Where the columns of a term stand among those of its combination.
#[derive(Clone, Debug)]
enum TermPlaces {
    /// First columns of two blocks.
    Pair([usize; 2]),
    /// Each of the columns of any number of blocks.
    Columns(Vec<usize>),
}

/// Value, rate and bias acceleration of a [`Combination`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motion1 {
    pub value: f64,
    pub rate: f64,
    pub bias: f64,
}

/// The turn count that brings an angle nearest to the last one.
fn unwrap(raw: f64, last: f64) -> f64 {
    raw + std::f64::consts::TAU * ((last - raw) / std::f64::consts::TAU).round()
}

/// A number of the history; zero where there is no history yet.
fn memory(own: &[f64], at: usize) -> f64 {
    own.get(at).copied().unwrap_or(0.0)
}

impl Combination {
    pub fn new(model: &Model, terms: Vec<CoordinateTerm>, history: usize) -> Self {
        let (mut blocks, mut starts, mut columns) = (Vec::new(), Vec::new(), 0);
        let mut start = |block: u32| match blocks.iter().position(|&b| b == block) {
            Some(k) => starts[k],
            None => {
                blocks.push(block);
                starts.push(columns);
                columns += model.block_size(block);
                columns - model.block_size(block)
            }
        };
        let mut places = Vec::new();
        for term in &terms {
            places.push(match term.columns.pair() {
                Some(pair) => {
                    TermPlaces::Pair(pair.map(|b| if b == NO_BLOCK { usize::MAX } else { start(b) }))
                }
                None => {
                    let own = term.columns.blocks();
                    let all = own.iter().flat_map(|&b| {
                        let first = start(b);
                        first..first + model.block_size(b)
                    });
                    TermPlaces::Columns(all.collect())
                }
            });
        }
        Self { terms, blocks, columns, places, history }
    }

    /// Numbers of history used: one a term, and the start value of terms that follow the multiplier.
    pub fn history_len(&self) -> usize {
        self.terms.len() + self.terms.iter().filter(|t| t.follows_multiplier).count()
    }

    /// Where a term that follows the multiplier keeps its start value: it counts from there, so that the sum does
    /// not jump when the sign of the term changes.
    fn start_slot(&self, term: usize) -> usize {
        self.terms.len() + self.terms[..term].iter().filter(|t| t.follows_multiplier).count()
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Its own part of the batch's history; none where there is no history yet.
    fn own<'a>(&self, history: &'a [f64]) -> &'a [f64] {
        history.get(self.history..).unwrap_or_default()
    }

    fn weight(&self, own: &[f64], term: usize) -> f64 {
        let t = &self.terms[term];
        if t.follows_multiplier && memory(own, term) < 0.0 { -t.weight } else { t.weight }
    }

    /// Value, rate and bias; adds the gradient to `jacobian` when given. `history` is the batch's.
    pub fn evaluate(&self, x: &StateView<'_>, history: &[f64], jacobian: Option<&mut [f64]>) -> Motion1 {
        self.evaluate_own(x, self.own(history), jacobian)
    }

    /// As [`Combination::evaluate`], with its own part of the history.
    pub fn evaluate_own(&self, x: &StateView<'_>, own: &[f64], mut jacobian: Option<&mut [f64]>) -> Motion1 {
        if let Some(j) = jacobian.as_deref_mut() {
            j.fill(0.0);
        }
        let mut sum = Motion1::default();
        for (i, term) in self.terms.iter().enumerate() {
            let weight = self.weight(own, i);
            if let CoordinateKind::Shaft(q, v) = term.kind {
                sum.value += weight * x.q[q];
                sum.rate += weight * x.v[v];
                if let (Some(j), TermPlaces::Pair([first, _])) = (jacobian.as_deref_mut(), &self.places[i]) {
                    j[*first] += weight;
                }
                continue;
            }
            let (a, b) = (term.a.at(x), term.b.at(x));
            let mut row = term.row(&a, &b);
            row.value -= term.rest;
            if term.turns() {
                row.value = unwrap(row.value, memory(own, i));
            }
            if term.follows_multiplier {
                row.value -= memory(own, self.start_slot(i));
            }
            sum.value += weight * row.value;
            sum.rate += weight * row.rate;
            sum.bias += weight * row.bias;
            let Some(j) = jacobian.as_deref_mut() else { continue };
            match &self.places[i] {
                TermPlaces::Pair(first) => {
                    let mut columns = [0.0; 2 * MOST_COLUMNS];
                    rows::store_row(a.carrier, b.carrier, &row.w, &mut columns);
                    let na = a.carrier.columns();
                    (0..na).for_each(|c| j[first[0] + c] += weight * columns[c]);
                    (0..b.carrier.columns()).for_each(|c| j[first[1] + c] += weight * columns[na + c]);
                }
                TermPlaces::Columns(places) => {
                    term.columns.for_each_entry(x, [a.carrier, b.carrier], &row.w, |column, value| {
                        j[places[column]] += weight * value;
                    });
                }
            }
        }
        sum
    }

    /// Adds `l` × Hessian of ξ to a row-major matrix over the columns.
    pub fn add_tangent(&self, x: &StateView<'_>, history: &[f64], l: f64, out: &mut [f64]) {
        for (i, term) in self.terms.iter().enumerate() {
            let l = l * self.weight(self.own(history), i);
            let (a, b) = (term.a.at(x), term.b.at(x));
            let mut t = [[DMat3::ZERO; 4]; 4];
            match &term.kind {
                CoordinateKind::Shaft(..) => continue,
                CoordinateKind::Angle(pairs) => rows::angle_tangent(&a, &b, pairs, l, &mut t),
                CoordinateKind::Displacement(k) => {
                    let p = PointFunction::coordinate(rows::relative_point(&a, &b), *k);
                    rows::point_function_tangent(&a, &b, &p, l, &mut t);
                }
                CoordinateKind::Length => {
                    let p = PointFunction::distance(rows::relative_point(&a, &b));
                    rows::point_function_tangent(&a, &b, &p, l, &mut t);
                }
                CoordinateKind::Polar => {
                    let p = PointFunction::polar(rows::relative_point(&a, &b));
                    rows::point_function_tangent(&a, &b, &p, l, &mut t);
                }
            }
            let row = term.row(&a, &b);
            let torque: [DVec3; 2] = [row.w[TA] * l, row.w[TB] * l];
            let first = match &self.places[i] {
                TermPlaces::Pair(first) => first,
                TermPlaces::Columns(places) => {
                    let frames = [a.carrier, b.carrier];
                    term.columns.for_each_tangent(x, frames, &t, torque, |r, c, value| {
                        out[places[r] * self.columns + places[c]] += value;
                    });
                    continue;
                }
            };
            let (na, nb) = (a.carrier.columns(), b.carrier.columns());
            let n = na + nb;
            let mut local = [0.0; 4 * MOST_COLUMNS * MOST_COLUMNS];
            rows::store_tangent(a.carrier, b.carrier, &t, torque, 1.0, &mut local[..n * n]);
            let global = |c: usize| if c < na { first[0] + c } else { first[1] + c - na };
            for r in 0..n {
                for c in 0..n {
                    out[global(r) * self.columns + global(c)] += local[r * n + c];
                }
            }
        }
    }

    /// Stores the last angles (at the start: within half a turn of the term's start) and the sign of `multiplier` in its
    /// own part of the history.
    pub fn remember(&self, x: &StateView<'_>, multiplier: f64, first: bool, own: &mut [f64]) {
        for (i, term) in self.terms.iter().enumerate() {
            if term.follows_multiplier {
                own[i] = multiplier;
                if first {
                    own[self.start_slot(i)] = term.row(&term.a.at(x), &term.b.at(x)).value - term.rest;
                }
            } else if term.turns() {
                let raw = term.row(&term.a.at(x), &term.b.at(x)).value;
                own[i] = unwrap(raw, if first { term.start } else { own[i] });
            }
        }
    }
}
