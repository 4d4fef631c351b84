//! Nearest points of walls and the laws of fluids give the same numbers on a device as on the host, and in single
//! precision as in double.

mod probes;

use cubecl::prelude::*;
use huygens_exec::device::Device;
use huygens_kernel::nearest::{self, ConeSide, Nearest, Triangle, on_triangle};
use huygens_kernel::number::Analytic;
use huygens_kernel::sph::StateEquation;
use huygens_kernel::sph::constraint::{
    ball_target, clumping_strength, density_excess, density_push, density_rate, density_target, pair_push,
    pair_rate, smoothed_slip, viscous_compliance, viscous_factor, viscous_softness,
};
use huygens_kernel::sph::particle::{
    DensitySums, FluidNumbers, FluidPoint, FluidRate, consistent_density, corrected, fluid_gradients,
    predicted, shepard_density, shift_velocity,
};
use huygens_kernel::sph::state::{state_density, state_energy, state_pressure};
use huygens_kernel::sph::wall::{SeenFluid, WallFluid, no_wall_sums, wall_state, wall_sums_with};
use huygens_kernel::vector::M3;
use huygens_kernel::{Vec3, nearest::effective_radius_at};
use probes::{Buffer, Dice, Probe, SAMPLES, UNITS, check, count, vector};

mod kernels {
    //! One unit of the device answers one row.

    use crate::probes::transfer::{read, write};
    use cubecl::prelude::*;
    use huygens_kernel::nearest::device::{
        ConeSide, Nearest, Triangle, effective_radius_at, in_cylinder, on_box, on_capsule, on_cone,
        on_cylinder, on_disc, on_inner_face, on_plane, on_rectangle, on_sphere, on_triangle,
    };
    use huygens_kernel::sph::constraint::device::{
        ball_target, clumping_strength, density_excess, density_push, density_rate, density_target,
        pair_push, pair_rate, smoothed_slip, viscous_compliance, viscous_factor, viscous_softness,
    };
    use huygens_kernel::sph::particle::device::{
        DensitySums, FluidNumbers, FluidPoint, FluidRate, consistent_density, corrected, fluid_gradients,
        predicted, shepard_density, shift_velocity,
    };
    use huygens_kernel::sph::state::device::{state_density, state_energy, state_pressure};
    use huygens_kernel::sph::wall::device::{SeenFluid, WallFluid, no_wall_sums, wall_state, wall_sums_with};
    use huygens_kernel::vector::device::M3;

    // CubeCL takes the name for that of a type parameter.
    type Number = f32;

    #[cube]
    fn tell(output: &mut Array<f32>, to: usize, near: Nearest<f32>, radius: f32) {
        output[to] = near.distance;
        write(output, to + 1, near.normal);
        output[to + 4] = near.curvature;
        output[to + 5] = effective_radius_at::<f32>(near.curvature, radius);
    }

    #[cube(launch)]
    pub fn surface(input: &Array<f32>, output: &mut Array<f32>, units: u32, #[comptime] kind: usize) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 11;
            let to = ABSOLUTE_POS * 6;
            let x = read(input, at);
            let a = input[at + 4];
            let b = input[at + 5];
            let c = input[at + 6];
            let side = ConeSide::<Number> {
                low_radius: a,
                high_radius: b,
                low: c,
                high: input[at + 7],
                length: input[at + 8],
                widening: input[at + 9],
                rise: input[at + 10],
            };
            let radius = input[at + 3];
            if comptime!(kind == 0) {
                tell(output, to, on_plane::<f32>(read(input, at + 4), input[at + 7], x), radius);
            } else if comptime!(kind == 1) {
                tell(output, to, on_sphere::<f32>(a, false, x), radius);
            } else if comptime!(kind == 2) {
                tell(output, to, on_sphere::<f32>(a, true, x), radius);
            } else if comptime!(kind == 3) {
                tell(output, to, on_cone::<f32>(&side, false, x), radius);
            } else if comptime!(kind == 4) {
                tell(output, to, on_cone::<f32>(&side, true, x), radius);
            } else if comptime!(kind == 5) {
                tell(output, to, on_disc::<f32>(a, x), radius);
            } else if comptime!(kind == 6) {
                tell(output, to, on_rectangle::<f32>(a, b, x), radius);
            } else if comptime!(kind == 7) {
                tell(output, to, on_capsule::<f32>(a, b, x), radius);
            } else if comptime!(kind == 8) {
                tell(output, to, on_box::<f32>(read(input, at + 4), x), radius);
            } else if comptime!(kind == 9) {
                tell(output, to, on_cylinder::<f32>(a, c, input[at + 7], x), radius);
            } else if comptime!(kind == 10) {
                tell(output, to, in_cylinder::<f32>(a, c, input[at + 7], x).side, radius);
            } else if comptime!(kind == 11) {
                tell(output, to, in_cylinder::<f32>(a, c, input[at + 7], x).low, radius);
            } else if comptime!(kind == 12) {
                tell(output, to, in_cylinder::<f32>(a, c, input[at + 7], x).high, radius);
            } else {
                tell(output, to, on_inner_face::<f32>(a, x.y, read(input, at + 5), -1.0f32), radius);
            }
        }
    }

    #[cube(launch)]
    pub fn facet(input: &Array<f32>, output: &mut Array<f32>, units: u32) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 15;
            let to = ABSOLUTE_POS * 8;
            let triangle = Triangle::<Number> {
                a: read(input, at),
                ab: read(input, at + 3),
                ac: read(input, at + 6),
                normal: read(input, at + 9),
            };
            let near = on_triangle::<f32>(&triangle, read(input, at + 12));
            output[to] = near.distance;
            write(output, to + 1, near.normal);
            write(output, to + 4, near.foot);
            output[to + 7] = near.part;
        }
    }

    #[cube(launch)]
    pub fn state(input: &Array<f32>, output: &mut Array<f32>, units: u32, #[comptime] state: usize) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 4;
            let to = ABSOLUTE_POS * 3;
            let state = comptime!(crate::STATES[state]);
            let rest = input[at];
            let sound = input[at + 1];
            output[to] = state_pressure::<f32>(state, rest, sound, input[at + 2]);
            output[to + 1] = state_density::<f32>(state, rest, sound, input[at + 3]);
            output[to + 2] = state_energy::<f32>(state, rest, sound, input[at + 2]);
        }
    }

    #[cube]
    fn seen(input: &Array<f32>, at: usize) -> SeenFluid<f32> {
        SeenFluid::<Number> {
            offset: read(input, at),
            weight: input[at + 3],
            volume: input[at + 4],
            velocity: read(input, at + 5),
            pressure: input[at + 8],
        }
    }

    #[cube(launch)]
    pub fn wall(
        input: &Array<f32>,
        output: &mut Array<f32>,
        units: u32,
        #[comptime] state: usize,
        #[comptime] balanced: bool,
        #[comptime] tension: bool,
    ) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 30;
            let to = ABSOLUTE_POS * 5;
            let state = comptime!(crate::STATES[state]);
            let push = read(input, at + 3);
            let fluid = WallFluid::<Number> { rest: input[at], sound: input[at + 1], least: input[at + 2] };
            let none = no_wall_sums::<f32>();
            let one = wall_sums_with::<f32>(&none, &seen(input, at + 12), push, balanced, balanced);
            let two = wall_sums_with::<f32>(&one, &seen(input, at + 21), push, balanced, balanced);
            let wall = read(input, at + 6);
            let found = wall_state::<f32>(state, &fluid, &two, wall, read(input, at + 9), balanced, tension);
            output[to] = found.pressure;
            output[to + 1] = found.density;
            write(output, to + 2, found.velocity);
        }
    }

    #[cube(launch)]
    pub fn constraint(input: &Array<f32>, output: &mut Array<f32>, units: u32, #[comptime] exponent: u32) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 20;
            let to = ABSOLUTE_POS * 20;
            let offset = read(input, at);
            let slip = read(input, at + 3);
            let third = read(input, at + 6);
            let a = input[at + 9];
            let b = input[at + 10];
            let length = input[at + 11];
            let part = input[at + 12];
            let mass = input[at + 13];
            let excess = density_excess::<f32>(a, b, input[at + 14], input[at + 15]);
            let row = density_target::<f32>(excess, length, part);
            let ball = ball_target::<f32>(input[at + 16], length, part);
            let softness = viscous_softness::<f32>(input[at + 17], input[at + 18], mass, input[at + 19]);
            output[to] = excess;
            output[to + 1] = row.gap;
            output[to + 2] = row.part;
            output[to + 3] = ball.gap;
            output[to + 4] = ball.part;
            output[to + 5] = softness;
            output[to + 6] = viscous_factor::<f32>(softness);
            output[to + 7] = viscous_compliance::<f32>(softness, mass);
            output[to + 8] = pair_rate::<f32>(a, offset, slip);
            write(output, to + 9, pair_push::<f32>(a, b, offset));
            output[to + 12] = density_rate::<f32>(a, b, slip.x, slip.y, slip.z);
            write(output, to + 13, density_push::<f32>(a, offset, slip, third, b, offset, mass));
            write(output, to + 16, smoothed_slip::<f32>(a, slip));
            output[to + 19] = clumping_strength::<f32>(a, b, exponent);
        }
    }

    #[cube(launch)]
    pub fn motion(
        input: &Array<f32>,
        output: &mut Array<f32>,
        units: u32,
        #[comptime] state: usize,
        #[comptime] tension: bool,
    ) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 33;
            let to = ABSOLUTE_POS * 22;
            let state = comptime!(crate::STATES[state]);
            let fluid =
                FluidNumbers::<Number> { rest: input[at], sound: input[at + 1], thinnest: input[at + 2] };
            let point = FluidPoint::<Number> {
                position: read(input, at + 3),
                volume: input[at + 6],
                velocity: read(input, at + 7),
                pressure: input[at + 10],
            };
            let rate = FluidRate::<Number> { acceleration: read(input, at + 11), growth: input[at + 14] };
            let fresh = input[at + 18];
            let stale = input[at + 19];
            let drift = read(input, at + 15);
            let ahead = predicted::<f32>(state, tension, &fluid, &point, &rate, drift, fresh, stale);
            write(output, to, ahead.point.position);
            output[to + 3] = ahead.point.volume;
            write(output, to + 4, ahead.point.velocity);
            output[to + 7] = ahead.point.pressure;
            write(output, to + 8, ahead.way);
            let mass = input[at + 20];
            let push = read(input, at + 21);
            let growth = input[at + 24];
            let gravity = read(input, at + 25);
            let after =
                corrected::<f32>(&point, &rate, push, growth, mass, gravity, fluid.thinnest, fresh, stale);
            write(output, to + 11, after.velocity);
            output[to + 14] = after.density;
            write(output, to + 15, after.rate.acceleration);
            output[to + 18] = after.rate.growth;
            let shift = shift_velocity::<f32>(
                input[at + 28],
                input[at + 29],
                input[at + 30],
                input[at + 31],
                push,
                input[at + 32],
                tension,
            );
            write(output, to + 19, shift);
        }
    }

    #[cube]
    fn matrix(input: &Array<f32>, at: usize) -> M3<f32> {
        M3::<Number> { x: read(input, at), y: read(input, at + 3), z: read(input, at + 6) }
    }

    #[cube(launch)]
    pub fn gradients(input: &Array<f32>, output: &mut Array<f32>, units: u32) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 26;
            let to = ABSOLUTE_POS * 12;
            let moments = matrix(input, at);
            let found = fluid_gradients::<f32>(&moments, &matrix(input, at + 9));
            write(output, to, found.correction.x);
            write(output, to + 3, found.correction.y);
            write(output, to + 6, found.correction.z);
            output[to + 9] = found.shear;
            let sums = DensitySums::<Number> {
                plain: input[at + 18],
                weighted: input[at + 19],
                first: read(input, at + 20),
                moment: read(input, at + 23),
                second: moments,
            };
            output[to + 10] = shepard_density::<f32>(&sums);
            output[to + 11] = consistent_density::<f32>(&sums);
        }
    }
}

const SURFACES: usize = 14;

/// A surface by its number, of random size.
struct Surface(usize);

impl Surface {
    fn nearest<S: Analytic>(&self, x: &[S]) -> Nearest<S> {
        let (at, a, b, c, d) = (vector(x, 0), x[4], x[5], x[6], x[7]);
        let side = ConeSide {
            low_radius: a,
            high_radius: b,
            low: c,
            high: d,
            length: x[8],
            widening: x[9],
            rise: x[10],
        };
        match self.0 {
            0 => nearest::on_plane(vector(x, 4), d, at),
            1 => nearest::on_sphere(a, false, at),
            2 => nearest::on_sphere(a, true, at),
            3 => nearest::on_cone(&side, false, at),
            4 => nearest::on_cone(&side, true, at),
            5 => nearest::on_disc(a, at),
            6 => nearest::on_rectangle(a, b, at),
            7 => nearest::on_capsule(a, b, at),
            8 => nearest::on_box(vector(x, 4), at),
            9 => nearest::on_cylinder(a, c, d, at),
            10 => nearest::in_cylinder(a, c, d, at).side,
            11 => nearest::in_cylinder(a, c, d, at).low,
            12 => nearest::in_cylinder(a, c, d, at).high,
            _ => nearest::on_inner_face(a, at.y, vector(x, 5), S::of(-1.0)),
        }
    }
}

/// Rows whose part of a surface does not depend on rounding: at the border of two parts either one is right.
fn away_from_borders(
    dice: &mut Dice,
    make: impl Fn(&mut Dice) -> Vec<f64>,
    parts: impl Fn(&[f64]) -> [f64; 4],
) -> Vec<f64> {
    loop {
        let row = make(dice);
        let here = parts(&row);
        let moved = |k: usize, by: f64| {
            let mut row = row.clone();
            row[k] += by;
            parts(&row)
        };
        let at = row.len() - 3;
        let alike =
            |other: [f64; 4]| (0..4).all(|k| (other[k] - here[k]).abs() < 0.1 * here[k].abs().max(0.1));
        if (at..row.len()).all(|k| [-1e-3, 1e-3].into_iter().all(|by| alike(moved(k, by)))) {
            return row;
        }
    }
}

impl Probe for Surface {
    const WIDTHS: [usize; 2] = [11, 6];

    fn name(&self) -> String {
        format!("nearest point of surface {}", self.0)
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        let kind = self.0;
        let make = |dice: &mut Dice| {
            let radii = [dice.between(0.5, 1.5), dice.between(0.2, 1.5)];
            let span = [dice.between(-1.0, -0.2), dice.between(0.2, 1.0)];
            let cone = ConeSide::new(radii, span);
            let mut row = vec![dice.orders(0.05, 0.5), radii[0], radii[1], span[0], span[1]];
            row.extend([cone.length, cone.widening, cone.rise]);
            if kind == 0 {
                row[1..4].copy_from_slice(&dice.direction());
            }
            if kind == 8 {
                row[3] = dice.between(0.3, 1.5);
            }
            if kind == 13 {
                row[2..5].copy_from_slice(&[0.0, 1.0, 0.0]);
            }
            row.extend(dice.vector(2.0));
            row
        };
        let parts = |row: &[f64]| {
            let near = self.nearest(&turned(row));
            let radius = effective_radius_at(near.curvature, row[0]);
            let n = near.normal;
            [radius, n.x, n.y, n.z]
        };
        turned(&away_from_borders(dice, make, parts))
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let near = self.nearest(x);
        let radius = effective_radius_at(near.curvature, x[3]);
        [&[near.distance][..], &near.normal.to_array(), &[near.curvature, radius]].concat()
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        let size = CubeDim::new_1d(UNITS);
        kernels::surface::launch(device.client(), count(units), size, input, output, units as u32, self.0);
    }
}

/// The row with its last three numbers first.
fn turned(row: &[f64]) -> Vec<f64> {
    let (rest, place) = row.split_at(row.len() - 3);
    [place, rest].concat()
}

#[test]
fn surfaces_have_the_same_nearest_points() {
    for kind in 0..SURFACES {
        let rows = check(&Surface(kind));
        // Every kind of place: edges and faces, in front and behind.
        let count = |which: &dyn Fn(&[f32]) -> bool| rows.iter().filter(|row| which(row)).count();
        let edges = count(&|row| row[4] == 0.0);
        assert_eq!(edges > SAMPLES / 20, [3, 4, 5, 6, 8, 9].contains(&kind), "{kind}: {edges} edges");
        let behind = count(&|row| row[0] < 0.0);
        let sided = ![4, 5, 6].contains(&kind);
        assert_eq!(behind > SAMPLES / 50, sided, "{kind}: {behind} behind");
        let hollow = count(&|row| row[4] < 0.0);
        assert_eq!(hollow > SAMPLES / 50, [2, 4, 10].contains(&kind), "{kind}: {hollow} hollow");
    }
}

struct Triangles;

impl Probe for Triangles {
    const WIDTHS: [usize; 2] = [15, 8];

    fn name(&self) -> String {
        "nearest point of a triangle".into()
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        let make = |dice: &mut Dice| {
            loop {
                let corners = [(); 3].map(|()| Vec3::from(dice.vector(1.0)));
                let [a, b, c] = corners;
                // Slivers have normals of few digits.
                if (b - a).cross(c - a).length() > 0.3
                    && let Some(triangle) = Triangle::new(corners)
                {
                    let Triangle { a, ab, ac, normal } = triangle;
                    let row = [a, ab, ac, normal].map(|v| v.to_array()).concat();
                    return [&row[..], &dice.vector(1.5)].concat();
                }
            }
        };
        let parts = |row: &[f64]| {
            let near = nearest_of(row);
            [near.part, near.normal.x, near.normal.y, near.normal.z]
        };
        away_from_borders(dice, make, parts)
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let near = nearest_of(x);
        [&[near.distance][..], &near.normal.to_array(), &near.foot.to_array(), &[near.part]].concat()
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        let size = CubeDim::new_1d(UNITS);
        kernels::facet::launch(device.client(), count(units), size, input, output, units as u32);
    }
}

fn nearest_of<S: Analytic>(x: &[S]) -> nearest::TriangleFoot<S> {
    let triangle = Triangle { a: vector(x, 0), ab: vector(x, 3), ac: vector(x, 6), normal: vector(x, 9) };
    on_triangle(&triangle, vector(x, 12))
}

#[test]
fn triangles_have_the_same_nearest_points() {
    let rows = check(&Triangles);
    for part in 0..7_u8 {
        let met = rows.iter().filter(|row| row[7] == f32::from(part)).count();
        assert!(met > SAMPLES / 50, "part {part}: {met}");
    }
}

const STATES: [StateEquation; 4] = [
    StateEquation::Tait { exponent: 7.0 },
    StateEquation::Tait { exponent: 4.4 },
    StateEquation::Tait { exponent: 1.0 },
    StateEquation::Linear,
];

struct State(usize);

impl Probe for State {
    const WIDTHS: [usize; 2] = [4, 3];

    fn name(&self) -> String {
        format!("equation of state {:?}", STATES[self.0])
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        let (rest, sound) = (dice.between(800.0, 1200.0), dice.orders(10.0, 100.0));
        let pressure = 0.1 * rest * sound * sound * dice.between(-1.0, 5.0);
        vec![rest, sound, rest * dice.between(0.5, 1.5), pressure]
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let state = STATES[self.0];
        vec![
            state_pressure(state, x[0], x[1], x[2]),
            state_density(state, x[0], x[1], x[3]),
            state_energy(state, x[0], x[1], x[2]),
        ]
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        let size = CubeDim::new_1d(UNITS);
        kernels::state::launch(device.client(), count(units), size, input, output, units as u32, self.0);
    }

    fn has_power(&self) -> bool {
        true
    }
}

#[test]
fn equations_of_state_agree() {
    for state in 0..STATES.len() {
        check(&State(state));
    }
}

struct Wall {
    state: usize,
    balanced: bool,
    tension: bool,
}

impl Probe for Wall {
    const WIDTHS: [usize; 2] = [30, 5];

    fn name(&self) -> String {
        format!("wall of a fluid, {:?}, balanced {}", STATES[self.state], self.balanced)
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        let (rest, sound) = (1000.0, 30.0);
        let mut row = vec![rest, sound, 0.1];
        row.extend(dice.vector(10.0));
        row.extend(dice.vector(1.0));
        row.extend(dice.vector(5.0));
        // Some see nobody.
        let scale = if dice.unit() < 0.2 { 1e-3 } else { 1e3 };
        for _ in 0..2 {
            let density = rest * dice.between(0.95, 1.1);
            row.extend(dice.vector(0.1));
            row.extend([scale * dice.unit(), 1.0 / density]);
            row.extend(dice.vector(1.0));
            row.push(sound * sound * (density - rest) / (density * density));
        }
        row
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let fluid = WallFluid { rest: x[0], sound: x[1], least: x[2] };
        let mut sums = no_wall_sums();
        for at in [12, 21] {
            let seen = SeenFluid {
                offset: vector(x, at),
                weight: x[at + 3],
                volume: x[at + 4],
                velocity: vector(x, at + 5),
                pressure: x[at + 8],
            };
            sums = wall_sums_with(&sums, &seen, vector(x, 3), self.balanced, self.balanced);
        }
        let state = STATES[self.state];
        let found = wall_state(state, &fluid, &sums, vector(x, 6), vector(x, 9), self.balanced, self.tension);
        [&[found.pressure, found.density][..], &found.velocity.to_array()].concat()
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        let size = CubeDim::new_1d(UNITS);
        let Self { state, balanced, tension } = *self;
        kernels::wall::launch(
            device.client(),
            count(units),
            size,
            input,
            output,
            units as u32,
            state,
            balanced,
            tension,
        );
    }

    fn has_power(&self) -> bool {
        true
    }
}

#[test]
fn walls_answer_fluids_alike() {
    for (state, balanced, tension) in [(0, true, false), (0, false, true), (3, true, true), (1, true, false)]
    {
        let rows = check(&Wall { state, balanced, tension });
        let alone = rows.iter().filter(|row| row[0] == 0.0).count();
        assert!(alone > SAMPLES / 10 && alone < SAMPLES / 2, "{alone} see nobody or no pressure");
        assert_eq!(rows.iter().any(|row| row[0] < 0.0), tension);
    }
}

struct Constraint(u32);

impl Probe for Constraint {
    const WIDTHS: [usize; 2] = [20, 20];

    fn name(&self) -> String {
        "rows of a fluid of constraints".into()
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        let mut row = dice.vector(0.1).to_vec();
        row.extend(dice.vector(1.0));
        row.extend(dice.vector(1.0));
        let spacing = dice.orders(1e-2, 1e-1);
        row.extend([dice.between(0.1, 1.0), dice.between(0.1, 0.5), spacing, dice.between(0.1, 1.0)]);
        row.extend([1000.0 * spacing.powi(3), dice.between(0.9, 1.1), dice.between(0.5, 1.5)]);
        row.push(spacing * dice.between(0.5, 1.5));
        let slope = if dice.unit() < 0.05 { -1e-20 } else { -dice.orders(1e-3, 1e3) };
        row.extend([dice.orders(1e-6, 1e-2), slope, dice.orders(1e-4, 1e-2)]);
        row
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let (offset, slip, third) = (vector(x, 0), vector(x, 3), vector(x, 6));
        let (a, b, length, part, mass) = (x[9], x[10], x[11], x[12], x[13]);
        let excess = density_excess(a, b, x[14], x[15]);
        let row = density_target(excess, length, part);
        let ball = ball_target(x[16], length, part);
        let softness = viscous_softness(x[17], x[18], mass, x[19]);
        let mut out = vec![excess, row.gap, row.part, ball.gap, ball.part, softness];
        out.extend([viscous_factor(softness), viscous_compliance(softness, mass)]);
        out.push(pair_rate(a, offset, slip));
        out.extend(pair_push(a, b, offset).to_array());
        out.push(density_rate(a, b, slip.x, slip.y, slip.z));
        out.extend(density_push(a, offset, slip, third, b, offset, mass).to_array());
        out.extend(smoothed_slip(a, slip).to_array());
        out.push(clumping_strength(a, b, self.0));
        out
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        let size = CubeDim::new_1d(UNITS);
        kernels::constraint::launch(device.client(), count(units), size, input, output, units as u32, self.0);
    }
}

#[test]
fn fluids_of_constraints_have_the_same_rows() {
    for exponent in [1, 4] {
        let rows = check(&Constraint(exponent));
        let excess = rows.iter().filter(|row| row[2] < 1.0).count();
        assert!(excess > SAMPLES / 10 && excess < SAMPLES * 9 / 10, "{excess} have an excess");
        assert!(rows.iter().any(|row| row[5] == 1e12) && rows.iter().any(|row| row[5] < 1e3));
    }
}

struct Motion {
    state: usize,
    tension: bool,
}

impl Probe for Motion {
    const WIDTHS: [usize; 2] = [33, 22];

    fn name(&self) -> String {
        format!("motion of a particle, {:?}", STATES[self.state])
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        let (rest, sound, step) = (1000.0, 30.0, 1e-3);
        let density = rest * dice.between(0.2, 1.1);
        let mut row = vec![rest, sound, 0.25 * rest];
        row.extend(dice.vector(1.0));
        row.push(1.0 / density);
        row.extend(dice.vector(1.0));
        row.push(0.0);
        row.extend(dice.vector(100.0));
        row.push(dice.between(-1e5, 1e5));
        row.extend(dice.vector(0.1));
        let mass = dice.orders(1e-3, 1.0);
        row.extend([step, 0.5 * step, mass]);
        row.extend(dice.vector(10.0).map(|x| x / mass));
        row.push(dice.between(-10.0, 10.0));
        row.extend([0.0, 0.0, -9.81]);
        row.extend([dice.orders(1e-2, 1.0), 0.1, dice.between(0.1, 2.0), mass, dice.between(0.6, 1.0)]);
        row
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let fluid = FluidNumbers { rest: x[0], sound: x[1], thinnest: x[2] };
        let point =
            FluidPoint { position: vector(x, 3), volume: x[6], velocity: vector(x, 7), pressure: x[10] };
        let rate = FluidRate { acceleration: vector(x, 11), growth: x[14] };
        let (fresh, stale) = (x[18], x[19]);
        let state = STATES[self.state];
        let ahead = predicted(state, self.tension, &fluid, &point, &rate, vector(x, 15), fresh, stale);
        let (push, growth, gravity) = (vector(x, 21), x[24], vector(x, 25));
        let after = corrected(&point, &rate, push, growth, x[20], gravity, x[2], fresh, stale);
        let shift = shift_velocity(x[28], x[29], x[30], x[31], push, x[32], self.tension);
        [
            &ahead.point.position.to_array()[..],
            &[ahead.point.volume],
            &ahead.point.velocity.to_array(),
            &[ahead.point.pressure],
            &ahead.way.to_array(),
            &after.velocity.to_array(),
            &[after.density],
            &after.rate.acceleration.to_array(),
            &[after.rate.growth],
            &shift.to_array(),
        ]
        .concat()
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        let size = CubeDim::new_1d(UNITS);
        let Self { state, tension } = *self;
        kernels::motion::launch(
            device.client(),
            count(units),
            size,
            input,
            output,
            units as u32,
            state,
            tension,
        );
    }

    fn has_power(&self) -> bool {
        self.state == 1
    }
}

#[test]
fn particles_move_alike() {
    for (state, tension) in [(0, false), (0, true), (1, true), (3, true)] {
        let rows = check(&Motion { state, tension });
        assert!(rows.iter().any(|row| row[3] == 0.004) && rows.iter().any(|row| row[3] < 0.001));
        let limited = |row: &&Vec<f32>| row[19..22].iter().map(|x| x * x).sum::<f32>() > 0.0;
        assert!(rows.iter().filter(limited).count() > SAMPLES / 2);
    }
}

struct Gradients;

impl Probe for Gradients {
    const WIDTHS: [usize; 2] = [26, 12];

    fn name(&self) -> String {
        "corrected gradients and filtered densities".into()
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        loop {
            // Some have too few neighbours.
            let full = if dice.unit() < 0.2 { 0.3 } else { 1.0 };
            let [xx, yy, zz] = [(); 3].map(|()| full * dice.between(0.7, 1.2));
            let [xy, xz, yz] = dice.vector(0.2 * full);
            let mut row = vec![xx, xy, xz, xy, yy, yz, xz, yz, zz];
            (0..3).for_each(|_| row.extend(dice.vector(10.0)));
            row.extend([dice.between(0.5, 1.5), dice.between(0.5, 1.5)]);
            row.extend(dice.vector(0.5));
            row.extend(dice.vector(0.5));
            // At the borders of what counts as enough either side is right.
            let (moments, sums) = (moments_of(&row), sums_of(&row));
            let determinant = glam_matrix(&moments).determinant();
            let turned = glam_matrix(&moments).inverse() * Vec3::from(sums.moment);
            let rest = (sums.weighted - Vec3::from(sums.moment).dot(turned)) / sums.weighted;
            if (determinant - 0.1).abs() > 1e-2 && (rest - 0.1).abs() > 1e-2 {
                return row;
            }
        }
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let slopes = M3 { x: vector(x, 9), y: vector(x, 12), z: vector(x, 15) };
        let found = fluid_gradients(&moments_of(x), &slopes);
        let sums = sums_of(x);
        [
            &found.correction.to_array().concat()[..],
            &[found.shear, shepard_density(&sums), consistent_density(&sums)],
        ]
        .concat()
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        let size = CubeDim::new_1d(UNITS);
        kernels::gradients::launch(device.client(), count(units), size, input, output, units as u32);
    }
}

fn moments_of<S: Copy>(x: &[S]) -> M3<S> {
    M3 { x: vector(x, 0), y: vector(x, 3), z: vector(x, 6) }
}

fn sums_of<S: Copy>(x: &[S]) -> DensitySums<S> {
    DensitySums {
        plain: x[18],
        weighted: x[19],
        first: vector(x, 20),
        moment: vector(x, 23),
        second: moments_of(x),
    }
}

fn glam_matrix(m: &M3<f64>) -> huygens_kernel::Mat3 {
    huygens_kernel::Mat3::from_cols(m.x.into(), m.y.into(), m.z.into())
}

#[test]
fn gradients_and_densities_agree() {
    let rows = check(&Gradients);
    let plain = rows.iter().filter(|row| row[0] == 1.0 && row[1] == 0.0).count();
    assert!(plain > SAMPLES / 20 && plain < SAMPLES / 2, "{plain} are not corrected");
    let filtered = rows.iter().filter(|row| row[10] != row[11]).count();
    assert!(filtered > SAMPLES / 4 && filtered < SAMPLES, "{filtered} have a consistent density");
}
