//! Random grains at a given solid fraction: overlapping ones push one another apart.

use std::f64::consts::PI;
use std::ops::Range;

use huygens_exec::Exec;
use huygens_kernel::Vec3;

use super::patterns::point_in;
use super::random::Random;
use super::region::Region;
use super::sizes::SizeTable;
use super::{check_count, look};
use crate::error::{ParticleError, Result};
use crate::grid::{Grid, Periodic};
use crate::row::Row;

/// Spheres are a little larger while they push, so that they do not overlap when they have nearly come apart.
const SWELLING: f64 = 1.002;

/// Rounds of pushing before a fraction is given up.
const ROUNDS: usize = 4000;

/// Spheres a chunk of the loops.
const CHUNK: usize = 512;

pub(super) fn random(
    ex: &Exec,
    region: &Region,
    sizes: &SizeTable,
    solid_fraction: f64,
    random: &mut Random,
) -> Result<Vec<(Vec3, f64)>> {
    if !(solid_fraction > 0.0 && solid_fraction < 0.95) {
        let what = "the solid fraction of a fill";
        return Err(ParticleError::range(what, solid_fraction, "above 0 and below 0.95"));
    }
    let wanted = solid_fraction * region.volume();
    check_count(wanted / sizes.mean_volume())?;
    let mut place = Vec::new();
    let mut volume = 0.0;
    loop {
        look(ex, place.len())?;
        let radius = sizes.draw(random);
        let more = 4.0 / 3.0 * PI * radius.powi(3);
        // The last one only where it brings the volume nearer.
        if volume + 0.5 * more > wanted {
            break;
        }
        volume += more;
        let Some(x) = point_in(region, radius * SWELLING, random, 100_000) else {
            return Err(ParticleError::FillDense { wanted: solid_fraction, reached: 0.0 });
        };
        place.push(Row::new(x, radius));
    }
    let mut spheres = Pushing::new(region, place);
    match spheres.part(ex)? {
        None => Ok(spheres.place.iter().map(|row| (row.vector(), row.0[3])).collect()),
        Some(share) => {
            // Radii at which nothing overlaps.
            Err(ParticleError::FillDense { wanted: solid_fraction, reached: solid_fraction * share.powi(3) })
        }
    }
}

/// Spheres that push one another apart.
struct Pushing {
    region: Region,
    /// In the order of the grid.
    place: Vec<Row>,
    /// Last step of each, part of which is taken again.
    step: Vec<Vec3>,
    grid: Grid,
    /// Neighbours of each sphere, from both sides.
    starts: Vec<u32>,
    others: Vec<u32>,
    /// Places when the neighbours were found.
    listed: Vec<Vec3>,
    skin: f64,
}

impl Pushing {
    fn new(region: &Region, place: Vec<Row>) -> Self {
        Self {
            region: *region,
            step: vec![Vec3::ZERO; place.len()],
            place,
            grid: Grid::default(),
            starts: Vec::new(),
            others: Vec::new(),
            listed: Vec::new(),
            skin: 0.0,
        }
    }

    /// Pushes until nothing overlaps; else the least distance over the sum of radii.
    fn part(&mut self, ex: &Exec) -> Result<Option<f64>> {
        if self.place.len() < 2 {
            return Ok(None);
        }
        let place = &self.place;
        let least =
            |range: Range<usize>| place[range].iter().map(|row| row.0[3]).fold(f64::INFINITY, f64::min);
        let least = ex.min(place.len(), CHUNK, least);
        self.skin = 0.4 * least;
        let mut pushed = vec![(Vec3::ZERO, 1.0_f64); self.place.len()];
        let mut nearest = 0.0;
        for _ in 0..ROUNDS {
            ex.check_stop()?;
            if self.moved_far() {
                self.list(ex);
            }
            let this = &*self;
            ex.for_each_chunk(&mut pushed, CHUNK, |c, pushed| {
                pushed.iter_mut().enumerate().for_each(|(i, push)| *push = this.push(c * CHUNK + i));
            });
            let shares = |range: Range<usize>| pushed[range].iter().map(|(_, share)| *share);
            let least = ex.min(pushed.len(), CHUNK, |range| shares(range).fold(f64::INFINITY, f64::min));
            nearest = least.max(nearest);
            if least >= 1.0 {
                return Ok(None);
            }
            for (i, (push, _)) in pushed.iter().enumerate() {
                let row = &mut self.place[i];
                let radius = row.0[3] * SWELLING;
                let before = row.vector();
                // Momentum carries crowded spheres on.
                let mut x = before + self.step[i] * 0.75 + *push * 0.6;
                for _ in 0..4 {
                    let missing = radius - self.region.clearance(x);
                    if missing > 0.0 {
                        x += self.region.inward(x) * missing;
                    }
                }
                self.step[i] = (x - before).clamp_length_max(0.25 * row.0[3]);
                *row = Row::new(before + self.step[i], row.0[3]);
            }
        }
        Ok(Some(nearest))
    }

    /// Way out of the overlaps of sphere i, and its least distance from another over the sum of radii.
    fn push(&self, i: usize) -> (Vec3, f64) {
        let Row([.., r]) = self.place[i];
        let x = self.place[i].vector();
        let mut push = Vec3::ZERO;
        let mut nearest = f64::INFINITY;
        for &j in &self.others[self.starts[i] as usize..self.starts[i + 1] as usize] {
            let other = &self.place[j as usize];
            let offset = x - other.vector();
            let radii = r + other.0[3];
            let square = offset.length_squared();
            if square < (radii * SWELLING).powi(2) {
                let distance = square.sqrt();
                nearest = nearest.min(distance / radii);
                // Two that coincide part along an axis.
                let normal = match distance > 0.0 {
                    true => offset / distance,
                    false if i < j as usize => Vec3::X,
                    false => Vec3::NEG_X,
                };
                // The smaller one gives way more.
                let share = other.0[3].powi(3) / (r.powi(3) + other.0[3].powi(3));
                push += normal * ((radii * SWELLING - distance) * share);
            }
        }
        // A region's edges may hold a sphere half way.
        let inside = self.region.clearance(x) / r;
        (push, if inside < 1.0 { nearest.min(inside) } else { nearest })
    }

    fn moved_far(&self) -> bool {
        let limit = (0.49 * self.skin).powi(2);
        self.listed.len() != self.place.len()
            || self.place.iter().zip(&self.listed).any(|(a, b)| a.vector().distance_squared(*b) > limit)
    }

    /// Finds the neighbours.
    fn list(&mut self, ex: &Exec) {
        let skin = self.skin;
        self.grid.arrange(
            ex,
            &self.place,
            skin + 2.0 * (SWELLING - 1.0) * self.largest(ex),
            &Periodic::default(),
        );
        let order = &self.grid.order;
        self.place = order.iter().map(|&i| self.place[i as usize]).collect();
        self.step = order.iter().map(|&i| self.step[i as usize]).collect();
        self.grid.fill(&self.place);
        self.listed = self.place.iter().map(Row::vector).collect();
        let mut pairs = Vec::new();
        let mut near = Vec::new();
        let mut search = self.grid.search(&mut near);
        for (i, row) in self.place.iter().enumerate() {
            search.for_each(i, row.0[3], |j| {
                let other = &self.place[j as usize];
                let reach = (row.0[3] + other.0[3]) * SWELLING + skin;
                if row.vector().distance_squared(other.vector()) < reach * reach {
                    pairs.push((i as u32, j));
                }
            });
        }
        self.starts.clear();
        self.starts.resize(self.place.len() + 1, 0);
        for (i, j) in &pairs {
            self.starts[*i as usize + 1] += 1;
            self.starts[*j as usize + 1] += 1;
        }
        for i in 0..self.place.len() {
            self.starts[i + 1] += self.starts[i];
        }
        let mut next = self.starts.clone();
        self.others.clear();
        self.others.resize(2 * pairs.len(), 0);
        for (i, j) in &pairs {
            for (a, b) in [(*i, *j), (*j, *i)] {
                self.others[next[a as usize] as usize] = b;
                next[a as usize] += 1;
            }
        }
    }

    fn largest(&self, ex: &Exec) -> f64 {
        let of = |range: Range<usize>| self.place[range].iter().fold(0.0_f64, |most, row| most.max(row.0[3]));
        ex.max(self.place.len(), CHUNK, of).max(0.0)
    }
}
