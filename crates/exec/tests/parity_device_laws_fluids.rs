//! The laws of fluids give the same numbers on a device as on the host, and in single precision as in double.

use crate::probes::{Buffer, Dice, Probe, SAMPLES, UNITS, check, count, vector};
use cubecl::prelude::*;
use huygens_exec::device::Device;
use huygens_kernel::number::Analytic;
use huygens_kernel::point::Symmetric;
use huygens_kernel::sph::StateEquation;
use huygens_kernel::sph::constraint::{
    ball_target, clumping_strength, density_excess, density_push, density_rate, density_target, pair_push,
    pair_rate, smoothed_slip, viscous_compliance, viscous_factor, viscous_softness,
};
use huygens_kernel::sph::pair::FluidSide;
use huygens_kernel::sph::particle::{
    DensitySums, FluidNumbers, FluidPoint, FluidRate, consistent_density, corrected, fluid_gradients,
    predicted, shepard_density, shift_velocity,
};
use huygens_kernel::sph::state::{state_density, state_energy, state_pressure};
use huygens_kernel::sph::sums::{FlowSide, drift_terms, flow_pair, gradient_terms, moment_terms};
use huygens_kernel::sph::wall::{SeenFluid, WallFluid, no_wall_sums, wall_state, wall_sums_with};
use huygens_kernel::vector::M3;
use huygens_kernel::{V3, Vec3};

mod kernels {
    //! One unit of the device answers one row.

    use crate::probes::transfer::{read, write};
    use cubecl::prelude::*;
    use huygens_kernel::point::device::Symmetric;
    use huygens_kernel::sph::constraint::device::{
        ball_target, clumping_strength, density_excess, density_push, density_rate, density_target,
        pair_push, pair_rate, smoothed_slip, viscous_compliance, viscous_factor, viscous_softness,
    };
    use huygens_kernel::sph::pair::device::FluidSide;
    use huygens_kernel::sph::particle::device::{
        DensitySums, FluidNumbers, FluidPoint, FluidRate, consistent_density, corrected, fluid_gradients,
        predicted, shepard_density, shift_velocity,
    };
    use huygens_kernel::sph::state::device::{state_density, state_energy, state_pressure};
    use huygens_kernel::sph::sums::device::{FlowSide, drift_terms, flow_pair, gradient_terms, moment_terms};
    use huygens_kernel::sph::wall::device::{SeenFluid, WallFluid, no_wall_sums, wall_state, wall_sums_with};
    use huygens_kernel::vector::device::M3;

    // CubeCL takes the name for that of a type parameter.
    type Number = f32;

    #[cube]
    fn flow_side(input: &Array<f32>, at: usize) -> FlowSide<f32> {
        FlowSide::<Number> {
            correction: Symmetric::<Number> {
                xx: input[at],
                yy: input[at + 1],
                zz: input[at + 2],
                xy: input[at + 3],
                yz: input[at + 4],
                zx: input[at + 5],
            },
            viscosity: input[at + 6],
        }
    }

    #[cube]
    fn fluid_side(input: &Array<f32>, at: usize, pressure: f32) -> FluidSide<f32> {
        FluidSide::<Number> { volume: input[at], velocity: read(input, at + 1), pressure }
    }

    #[cube]
    fn tell(output: &mut Array<f32>, to: usize, s: Symmetric<f32>) {
        output[to] = s.xx;
        output[to + 1] = s.yy;
        output[to + 2] = s.zz;
        output[to + 3] = s.xy;
    }

    #[cube(launch)]
    pub fn sums(input: &Array<f32>, output: &mut Array<f32>, units: u32, #[comptime] wall: bool) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 31;
            let to = ABSOLUTE_POS * 45;
            let offset = read(input, at + 22);
            let value = input[at + 26];
            let slope = input[at + 27];
            let pair = flow_pair::<f32>(&flow_side(input, at), &flow_side(input, at + 7), offset, wall);
            write(output, to, pair.direction);
            output[to + 3] = pair.viscosity;
            let one = fluid_side(input, at + 14, input[at + 30]);
            let other = fluid_side(input, at + 18, input[at + 30]);
            let drift =
                drift_terms::<f32>(&one, &other, offset, input[at + 25], value, slope, input[at + 28], wall);
            write(output, to + 4, drift.carry);
            output[to + 7] = drift.one.weight;
            write(output, to + 8, drift.one.crowd);
            output[to + 11] = drift.one.spread;
            output[to + 12] = drift.other.weight;
            write(output, to + 13, drift.other.crowd);
            output[to + 16] = drift.other.spread;
            let gradient = gradient_terms::<f32>(input[at + 14], read(input, at + 15), offset, slope);
            tell(output, to + 17, gradient.moment);
            output[to + 21] = gradient.moment.yz;
            output[to + 22] = gradient.moment.zx;
            write(output, to + 23, gradient.slopes.x);
            write(output, to + 26, gradient.slopes.y);
            write(output, to + 29, gradient.slopes.z);
            let moments = moment_terms::<f32>(input[at + 18], value, offset);
            output[to + 32] = moments.plain;
            write(output, to + 33, moments.first);
            output[to + 36] = moments.weighted;
            write(output, to + 37, moments.moment);
            tell(output, to + 40, moments.second);
            output[to + 44] = moments.second.zx;
        }
    }

    #[cube(launch)]
    pub fn state(input: &Array<f32>, output: &mut Array<f32>, units: u32, #[comptime] state: usize) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 4;
            let to = ABSOLUTE_POS * 3;
            let state = comptime!(crate::parity_device_laws_fluids::STATES[state]);
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
            let state = comptime!(crate::parity_device_laws_fluids::STATES[state]);
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
            let state = comptime!(crate::parity_device_laws_fluids::STATES[state]);
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

/// Terms of sums over neighbours.
struct Sums {
    wall: bool,
}

impl Probe for Sums {
    const WIDTHS: [usize; 2] = [31, 45];

    fn name(&self) -> String {
        format!("sums over neighbours{}", if self.wall { ", wall" } else { "" })
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        let mut row = Vec::new();
        for _ in 0..2 {
            row.extend((0..3).map(|_| dice.between(0.7, 1.3)));
            row.extend(dice.vector(0.3));
            row.push(dice.orders(1e-3, 1.0));
        }
        for _ in 0..2 {
            row.push(1.0 / dice.between(950.0, 1050.0));
            row.extend(dice.vector(1.0));
        }
        let offset = dice.vector(0.05);
        row.extend(offset);
        row.push(offset.iter().map(|x| x * x).sum());
        let value = dice.orders(1.0, 1e3);
        row.extend([value, -dice.orders(1e3, 1e6), 1.0 / (value * dice.between(0.5, 2.0))]);
        row.extend([0.0, 0.0]);
        row
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let flow = |at: usize| FlowSide {
            correction: Symmetric {
                xx: x[at],
                yy: x[at + 1],
                zz: x[at + 2],
                xy: x[at + 3],
                yz: x[at + 4],
                zx: x[at + 5],
            },
            viscosity: x[at + 6],
        };
        let side = |at: usize| FluidSide { volume: x[at], velocity: vector(x, at + 1), pressure: x[30] };
        let (offset, value, slope) = (vector(x, 22), x[26], x[27]);
        let pair = flow_pair(&flow(0), &flow(7), offset, self.wall);
        let drift = drift_terms(&side(14), &side(18), offset, x[25], value, slope, x[28], self.wall);
        let gradient = gradient_terms(x[14], vector(x, 15), offset, slope);
        let moments = moment_terms(x[18], value, offset);
        let tensor = |s: Symmetric<S>| [s.xx, s.yy, s.zz, s.xy, s.yz, s.zx];
        let triple = |v: V3<S>| v.to_array();
        [
            &triple(pair.direction)[..],
            &[pair.viscosity],
            &triple(drift.carry),
            &[drift.one.weight],
            &triple(drift.one.crowd),
            &[drift.one.spread, drift.other.weight],
            &triple(drift.other.crowd),
            &[drift.other.spread],
            &tensor(gradient.moment),
            &gradient.slopes.to_array().concat(),
            &[moments.plain],
            &triple(moments.first),
            &[moments.weighted],
            &triple(moments.moment),
            &tensor(moments.second)[..4],
            &[moments.second.zx],
        ]
        .concat()
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        let size = CubeDim::new_1d(UNITS);
        kernels::sums::launch(device.client(), count(units), size, input, output, units as u32, self.wall);
    }
}

#[test]
fn sums_over_neighbours_have_the_same_terms() {
    for wall in [false, true] {
        let rows = check(&Sums { wall });
        assert_eq!(rows.iter().all(|row| row[4..7] == [0.0; 3]), wall);
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

    fn has_power(&self, _inputs: &[f32], output: usize) -> bool {
        STATES[self.0] != StateEquation::Linear || output == 2
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

    fn has_power(&self, _inputs: &[f32], _output: usize) -> bool {
        STATES[self.state] != StateEquation::Linear
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
        row.extend([dice.orders(1e-2, 1.0), 0.1, dice.between(0.1, 2.0), mass, dice.between(0.9, 1.05)]);
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

    fn has_power(&self, _inputs: &[f32], _output: usize) -> bool {
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
