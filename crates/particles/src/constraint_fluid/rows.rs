//! The rows of a fluid in the cone problem.

use std::sync::{Arc, Mutex};

use huygens_core::Subject;
use huygens_core::contract::StateView;
use huygens_core::rows::{RowNumbers, RowSource, RowStage, RowStep};
use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::sph::Smoothing;
use huygens_kernel::sph::constraint::{
    ball_target, density_excess, density_target, viscous_compliance, viscous_factor, viscous_softness,
};
use huygens_kernel::vector::limited;
use huygens_solve::{Cone, RowOperator};

use super::pairs::{NO_PLACE, Outbox, Pairs};
use super::settings::{Clumping, ConstraintFluidSettings, FluidLaw, Lattice};
use super::walls::{Carriage, FluidWall};
use crate::row::Row;

/// Part of the spacing by which a step moves a marker at most against clumping.
const MOST_SHIFT: f64 = 0.1;
/// Markers a parallel chunk works on.
const CHUNK: usize = 4096;
/// Numbers of history a marker: pressure and density.
pub(super) const HISTORY: usize = 2;
/// Numbers of history a wall: force and torque.
pub(super) const WALL_HISTORY: usize = 6;

/// The rows of a fluid, as the model knows them.
pub struct FluidRows {
    pub(super) shared: Arc<Shared>,
}

/// What does not change.
pub(super) struct Shared {
    pub name: String,
    pub settings: ConstraintFluidSettings,
    pub lattice: Lattice,
    /// Fluid markers.
    pub count: usize,
    pub first_q: usize,
    pub first_v: usize,
    pub walls: Vec<FluidWall>,
    /// Σ W of each wall marker over its own wall, no more than that of the lattice.
    pub own_sums: Vec<f64>,
    /// Wall of each wall marker.
    pub wall_of: Vec<u32>,
}

impl Shared {
    fn columns(&self) -> std::ops::Range<usize> {
        self.first_v..self.first_v + 3 * self.count
    }

    fn total(&self) -> usize {
        self.count + self.wall_of.len()
    }

    pub fn history(&self) -> usize {
        HISTORY * self.total() + WALL_HISTORY * self.walls.len()
    }
}

impl RowSource for FluidRows {
    fn name(&self) -> Subject {
        Subject::object("fluid", &self.shared.name)
    }

    fn history(&self) -> usize {
        self.shared.history()
    }

    fn stage(&self) -> Box<dyn RowStage> {
        Box::new(Stage::new(self.shared.clone()))
    }
}

/// Room for products.
#[derive(Default)]
struct Scratch {
    boxes: Vec<Outbox>,
    velocities: Vec<Row>,
    numbers: Vec<f64>,
    sums: Vec<Row>,
}

/// The rows of a step: densities by place in the list, then pairs.
pub(super) struct Stage {
    shared: Arc<Shared>,
    pairs: Pairs,
    carriages: Vec<Carriage>,
    wall_places: Vec<Vec3>,
    /// From the origin of its carrier to each wall marker.
    arms: Vec<Vec3>,
    /// d of each marker by place.
    excess: Vec<f64>,
    /// Divisors of normalized densities, inverted, by place; empty without.
    factors: Vec<f64>,
    density_rows: usize,
    pair_rows: usize,
    scratch: Mutex<Scratch>,
}

impl Stage {
    pub fn new(shared: Arc<Shared>) -> Self {
        let markers: Vec<Vec3> = shared.walls.iter().flat_map(|w| w.points.iter().copied()).collect();
        Self {
            carriages: vec![Carriage::new(shared.settings.space); shared.walls.len()],
            wall_places: markers.clone(),
            arms: markers,
            pairs: Pairs::default(),
            excess: Vec::new(),
            factors: Vec::new(),
            density_rows: 0,
            pair_rows: 0,
            scratch: Mutex::default(),
            shared,
        }
    }

    fn read_walls(&mut self, x: &StateView<'_>, step: &RowStep<'_>) {
        for (wall, carriage) in self.shared.walls.iter().zip(&mut self.carriages) {
            carriage.read(wall.carrier, x, step);
        }
        let mut marker = 0;
        for (wall, carriage) in self.shared.walls.iter().zip(&self.carriages) {
            for local in &wall.points {
                (self.wall_places[marker], self.arms[marker]) =
                    (carriage.place(*local), carriage.arm(*local));
                marker += 1;
            }
        }
        // Bodies may leave the plane of a flow by what else acts on them; their markers may not.
        if let Some(normal) = self.shared.settings.space.normal().filter(|_| self.shared.count > 0) {
            let level = x.q[self.shared.first_q + normal];
            self.wall_places.iter_mut().for_each(|place| place[normal] = level);
        }
    }

    /// Distance up to which pairs are listed [m].
    fn reach(&self, v: &[f64], h: f64) -> f64 {
        let settings = &self.shared.settings;
        match settings.law {
            FluidLaw::Density { .. } => settings.reach(),
            FluidLaw::Spheres => {
                let fluid = v[self.shared.columns()].chunks_exact(3).map(Vec3::from_slice);
                let fastest = fluid.map(|v| v.length()).fold(0.0, f64::max);
                // Both may move; what is faster than a spacing a step is met when it is there.
                settings.spacing * (1.05 + (2.0 * h * fastest / settings.spacing).min(1.0))
            }
        }
    }

    /// Finds densities by place.
    fn measure(&mut self, ex: &Exec) {
        let Shared { settings, lattice, count, own_sums, .. } = &*self.shared;
        let (kernel, count) = (settings.smoothing(), *count);
        let Scratch { boxes, numbers, .. } = self.scratch.get_mut().unwrap_or_else(|e| e.into_inner());
        let scale = -lattice.length / lattice.sum;
        self.pairs.measure(ex, kernel, scale, boxes, &mut self.excess);
        let own = kernel.value(0.0);
        let ids = &self.pairs.numbers;
        let base = |place: usize| match ids[place] as usize {
            fluid if fluid < count => own,
            wall => own_sums[wall - count],
        };
        // A wall that no fluid is near stays out of it.
        let far = |place: usize, sum: f64| ids[place] as usize >= count && sum == 0.0;
        self.factors.clear();
        if matches!(settings.law, FluidLaw::Density { normalized: true, .. }) {
            let sums = &self.excess;
            let inverse: Vec<f64> = (0..sums.len()).map(|k| 1.0 / (sums[k] + base(k))).collect();
            self.pairs.blend(ex, kernel, &inverse, boxes, numbers);
            let divisor = |k: usize| match (ids[k] as usize) < count {
                true => numbers[k] + own * inverse[k],
                false => numbers[k] + base(k) / lattice.sum,
            };
            self.factors.extend((0..sums.len()).map(|k| 1.0 / divisor(k)));
        }
        for (place, sum) in self.excess.iter_mut().enumerate() {
            let factor = self.factors.get(place).copied().unwrap_or(1.0);
            *sum = match far(place, *sum) {
                true => -1.0,
                false => density_excess(*sum, base(place), factor, lattice.sum),
            };
        }
    }

    /// Adds what prescribed walls do to the bias of the rows from `first` on.
    fn add_driven(&self, ex: &Exec, first: usize, out: &mut RowNumbers<'_>) {
        let twists: Vec<[Vec3; 2]> = self.carriages.iter().map(Carriage::driven).collect();
        if twists.iter().all(|twist| *twist == [Vec3::ZERO; 2]) {
            return;
        }
        let mut velocities = vec![Row::ZERO; self.pairs.count()];
        let count = self.shared.count;
        for (k, arm) in self.arms.iter().enumerate() {
            let [velocity, spin] = twists[self.shared.wall_of[k] as usize];
            let place = self.pairs.places[count + k];
            if place != NO_PLACE {
                velocities[place as usize] = Row::new(velocity + spin.cross(*arm), 0.0);
            }
        }
        let mut rates = vec![0.0; self.density_rows + self.pair_rows];
        if let Ok(mut scratch) = self.scratch.lock() {
            self.rates(ex, &velocities, &mut scratch.boxes, &mut rates);
        }
        out.bias[first..].iter_mut().zip(rates).for_each(|(bias, rate)| *bias += rate);
    }

    fn push_density_rows(&self, step: &RowStep<'_>, history: &[f64], out: &mut RowNumbers<'_>) {
        let Shared { settings, lattice, .. } = &*self.shared;
        let FluidLaw::Density { bilateral, .. } = settings.law else { return };
        let compliance = settings.compliance / settings.mass();
        let unit = self.pressure_unit(step.h);
        for (place, excess) in self.excess.iter().enumerate() {
            let number = self.pairs.numbers[place] as usize;
            let row = density_target(*excess, lattice.length, settings.stabilization);
            let factor = self.factors.get(place).copied().unwrap_or(1.0);
            let guess = if step.warm_start { history[HISTORY * number] / (unit * factor) } else { 0.0 };
            let free = bilateral && number < self.shared.count;
            let cone = if free { Cone::Free } else { Cone::Nonnegative };
            out.push(row.gap / step.h, row.part * compliance, cone, guess);
        }
    }

    /// Pressure of a unit of impulse [1/(m²·s)].
    fn pressure_unit(&self, h: f64) -> f64 {
        self.shared.lattice.length / (h * self.shared.settings.volume())
    }

    /// Rows of viscosity: $n\cdot(u_i - u_j) = -\gamma/(hc)$ with the damping c of Monaghan's form, which has no moment.
    fn push_viscous_rows(&mut self, ex: &Exec, h: f64, out: &mut RowNumbers<'_>) {
        let settings = &self.shared.settings;
        let (kernel, volume, mass) = (settings.smoothing(), settings.volume(), settings.mass());
        let dimension = settings.space.dimension().number() as f64;
        let strength = 2.0 * (dimension + 2.0) * settings.viscosity * volume * volume;
        // Softness of a row in units of 1/m, and the factor that makes its diagonal 1/m.
        let softness = move |r: f64| viscous_softness(strength, kernel.slope(r), mass, h);
        self.pairs.make_pair_rows(ex, |r| if r > 0.0 { viscous_factor(softness(r)) / r } else { 0.0 });
        self.pairs.for_each_pair(|r, is_pair| {
            let softness = if is_pair { softness(r) } else { 1.0 };
            out.push(0.0, viscous_compliance(softness, mass), Cone::Free, 0.0);
        });
    }

    /// Rows of balls that do not go into one another.
    fn push_sphere_rows(&mut self, ex: &Exec, h: f64, out: &mut RowNumbers<'_>) {
        let settings = &self.shared.settings;
        let (diameter, part, mass) = (settings.spacing, settings.stabilization, settings.mass());
        let compliance = settings.compliance / mass;
        self.pairs.make_pair_rows(ex, |r| if r > 0.0 { 1.0 / r } else { 0.0 });
        self.pairs.for_each_pair(|r, is_pair| {
            let distance = if is_pair { r } else { 2.0 * diameter };
            let row = ball_target(distance, diameter, part);
            out.push(row.gap / h, row.part * compliance, Cone::Nonnegative, 0.0);
        });
    }

    /// Velocities by place, for the columns `v` and velocities of the walls.
    fn load_velocities(&self, ex: &Exec, v: &[f64], twists: &[[Vec3; 2]], out: &mut Vec<Row>) {
        let (fluid, count) = (&v[self.shared.columns()], self.shared.count);
        out.resize(self.pairs.count(), Row::ZERO);
        ex.for_each_chunk(out, CHUNK, |c, out| {
            for (velocity, number) in out.iter_mut().zip(&self.pairs.numbers[c * CHUNK..]) {
                let number = *number as usize;
                *velocity = if number < count {
                    Row([fluid[3 * number], fluid[3 * number + 1], fluid[3 * number + 2], 0.0])
                } else {
                    let marker = number - count;
                    let [velocity, spin] = twists[self.shared.wall_of[marker] as usize];
                    Row::new(velocity + spin.cross(self.arms[marker]), 0.0)
                };
            }
        });
    }

    /// Velocities of the rows for velocities by place.
    fn rates(&self, ex: &Exec, velocities: &[Row], boxes: &mut [Outbox], y: &mut [f64]) {
        let (densities, pairs) = y.split_at_mut(self.density_rows);
        if !densities.is_empty() {
            self.pairs.rate(ex, velocities, boxes, densities);
            if !self.factors.is_empty() {
                densities.iter_mut().zip(&self.factors).for_each(|(y, factor)| *y *= factor);
            }
        }
        if !pairs.is_empty() {
            self.pairs.pair_rate(ex, velocities, pairs);
        }
    }

    /// Forces by place for multipliers of the rows.
    fn forces(&self, ex: &Exec, l: &[f64], scratch: &mut Scratch) {
        let (densities, pairs) = l.split_at(self.density_rows);
        let Scratch { boxes, numbers, sums, .. } = scratch;
        let densities = if self.factors.is_empty() {
            densities
        } else {
            numbers.clear();
            numbers.extend(densities.iter().zip(&self.factors).map(|(l, factor)| l * factor));
            numbers
        };
        self.pairs.push(ex, densities, pairs, boxes, sums);
    }

    /// Sum of the forces on the markers of a wall, and their moment about the origin of its carrier.
    fn wrench(&self, wall: usize, sums: &[Row]) -> [Vec3; 2] {
        let first = self.shared.wall_of.partition_point(|w| (*w as usize) < wall);
        let mut wrench = [Vec3::ZERO; 2];
        for marker in first..first + self.shared.walls[wall].points.len() {
            let place = self.pairs.places[self.shared.count + marker];
            if place != NO_PLACE {
                let force = sums[place as usize].vector();
                wrench[0] += force;
                wrench[1] += self.arms[marker].cross(force);
            }
        }
        wrench
    }

    /// Moves markers apart that have come together.
    fn spread(&self, ex: &Exec, clumping: Clumping, scratch: &mut Scratch, motion: &mut [f64]) {
        let Shared { settings, lattice, .. } = &*self.shared;
        let Clumping { strength, exponent, distance } = clumping;
        let Scratch { boxes, sums, .. } = scratch;
        let distance = distance * settings.reach();
        self.pairs.spread(ex, settings.smoothing(), distance, exponent.unsigned_abs(), boxes, sums);
        let (sums, places) = (&*sums, &self.pairs.places);
        let (scale, most) = (strength * lattice.length, MOST_SHIFT * settings.spacing);
        ex.for_each_chunk(&mut motion[self.shared.columns()], 3 * CHUNK, |c, motion| {
            for (motion, place) in motion.chunks_exact_mut(3).zip(&places[c * CHUNK..]) {
                let shift: Vec3 = limited((scale * sums[*place as usize].vector()).into(), most).into();
                (0..3).for_each(|k| motion[k] += shift[k]);
            }
        });
    }

    /// Pressures of a fluid of balls, from the virial of their contacts.
    fn sphere_pressures(&self, h: f64, impulse: &[f64], history: &mut [f64]) {
        let settings = &self.shared.settings;
        let dimension = settings.space.dimension().number() as f64;
        let scale = 0.5 * settings.spacing / (dimension * h * settings.volume());
        history[..HISTORY * self.shared.total()].chunks_exact_mut(HISTORY).for_each(|x| {
            x.copy_from_slice(&[0.0, settings.density]);
        });
        self.pairs.for_each_partner(|one, other, row| {
            for place in [one, other] {
                history[HISTORY * self.pairs.numbers[place] as usize] += scale * impulse[row];
            }
        });
    }
}

impl RowStage for Stage {
    fn build(
        &mut self,
        ex: &Exec,
        x: &StateView<'_>,
        step: &RowStep<'_>,
        history: &[f64],
        out: &mut RowNumbers<'_>,
    ) -> Result<(), String> {
        let shared = self.shared.clone();
        self.read_walls(x, step);
        let reach = self.reach(x.v, step.h);
        let fluid = &x.q[shared.first_q..shared.first_q + 3 * shared.count];
        self.pairs
            .find(ex, &shared.settings, reach, fluid, &self.wall_places)
            .map_err(|error| error.to_string())?;
        let first = out.bias.len();
        (self.density_rows, self.pair_rows) = (0, 0);
        match shared.settings.law {
            FluidLaw::Density { .. } => {
                self.measure(ex);
                self.push_density_rows(step, history, out);
                self.density_rows = self.pairs.count();
                if shared.settings.viscosity > 0.0 {
                    self.push_viscous_rows(ex, step.h, out);
                    self.pair_rows = self.pairs.pair_count();
                }
            }
            FluidLaw::Spheres => {
                let Scratch { boxes, .. } = self.scratch.get_mut().unwrap_or_else(|e| e.into_inner());
                self.pairs.make_boxes(boxes);
                self.push_sphere_rows(ex, step.h, out);
                self.pair_rows = self.pairs.pair_count();
            }
        }
        self.add_driven(ex, first, out);
        Ok(())
    }

    fn add_impulses(&mut self, ex: &Exec, x: &StateView<'_>, _step: &RowStep<'_>, impulse: &mut [f64]) {
        let shared = self.shared.clone();
        if shared.settings.xsph == 0.0 || self.density_rows == 0 {
            return;
        }
        let mut scratch = std::mem::take(self.scratch.get_mut().unwrap_or_else(|e| e.into_inner()));
        let Scratch { boxes, velocities, sums, .. } = &mut scratch;
        self.load_velocities(ex, x.v, &vec![[Vec3::ZERO; 2]; self.carriages.len()], velocities);
        self.pairs.smooth(ex, shared.settings.smoothing(), velocities, boxes, sums);
        let scale = -shared.settings.xsph * shared.settings.mass() / shared.lattice.sum;
        let (sums, places) = (&*sums, &self.pairs.places);
        ex.for_each_chunk(&mut impulse[shared.columns()], 3 * CHUNK, |c, f| {
            for (f, place) in f.chunks_exact_mut(3).zip(&places[c * CHUNK..]) {
                let sum = &sums[*place as usize].0;
                (0..3).for_each(|k| f[k] += scale * sum[k]);
            }
        });
        self.scratch = Mutex::new(scratch);
    }

    fn operator(&self) -> &dyn RowOperator {
        self
    }

    fn finish(
        &mut self,
        ex: &Exec,
        step: &RowStep<'_>,
        impulse: &[f64],
        motion: &mut [f64],
        history: &mut [f64],
    ) {
        let unit = self.pressure_unit(step.h);
        history[HISTORY * self.shared.count..HISTORY * self.shared.total()].fill(0.0);
        for (place, excess) in self.excess.iter().enumerate().take(self.density_rows) {
            let number = self.pairs.numbers[place] as usize;
            let factor = self.factors.get(place).copied().unwrap_or(1.0);
            history[HISTORY * number] = unit * factor * impulse[place];
            history[HISTORY * number + 1] = self.shared.settings.density * (1.0 + excess);
        }
        if self.density_rows == 0 {
            self.sphere_pressures(step.h, impulse, history);
        }
        let mut scratch = std::mem::take(self.scratch.get_mut().unwrap_or_else(|e| e.into_inner()));
        self.forces(ex, impulse, &mut scratch);
        let first = HISTORY * self.shared.total();
        for (wall, out) in history[first..].chunks_exact_mut(WALL_HISTORY).enumerate() {
            let [force, torque] = self.wrench(wall, &scratch.sums).map(|x| x / step.h);
            out[..3].copy_from_slice(&force.to_array());
            out[3..].copy_from_slice(&torque.to_array());
        }
        if let Some(clumping) = self.shared.settings.clumping
            && self.density_rows > 0
        {
            self.spread(ex, clumping, &mut scratch, motion);
        }
        self.scratch = Mutex::new(scratch);
    }
}

impl RowOperator for Stage {
    fn rows(&self) -> usize {
        self.density_rows + self.pair_rows
    }

    fn apply(&self, ex: &Exec, v: &[f64], y: &mut [f64]) {
        let Ok(mut scratch) = self.scratch.lock() else { return };
        let Scratch { boxes, velocities, .. } = &mut *scratch;
        let twists: Vec<[Vec3; 2]> = self.carriages.iter().map(|carriage| carriage.twist(v)).collect();
        self.load_velocities(ex, v, &twists, velocities);
        self.rates(ex, velocities, boxes, y);
    }

    fn add_transpose(&self, ex: &Exec, l: &[f64], f: &mut [f64]) {
        let Ok(mut scratch) = self.scratch.lock() else { return };
        self.forces(ex, l, &mut scratch);
        let (sums, places) = (&scratch.sums, &self.pairs.places);
        ex.for_each_chunk(&mut f[self.shared.columns()], 3 * CHUNK, |c, f| {
            for (f, place) in f.chunks_exact_mut(3).zip(&places[c * CHUNK..]) {
                let sum = &sums[*place as usize].0;
                (0..3).for_each(|k| f[k] += sum[k]);
            }
        });
        for (wall, carriage) in self.carriages.iter().enumerate().filter(|(_, carriage)| carriage.is_free()) {
            carriage.push(self.wrench(wall, sums), f);
        }
    }

    fn squares(&self, _ex: &Exec, _a: &[f64], y: &mut [f64]) -> bool {
        // Rows are scaled so that their diagonal is that of a marker; those of balls have two of them.
        let mass = self.shared.settings.mass();
        let (densities, pairs) = y.split_at_mut(self.density_rows);
        densities.fill(1.0 / mass);
        pairs.fill(if self.density_rows > 0 { 1.0 / mass } else { 2.0 / mass });
        true
    }
}
