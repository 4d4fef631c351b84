//! Laws give the same numbers on a device as on the host, and in single precision as in double.

use crate::probes::{Buffer, Dice, Probe, SAMPLES, UNITS, check, count, vector};
use cubecl::prelude::*;
use huygens_exec::device::Device;
use huygens_kernel::contact::{
    AdhesionLaw, CompliantModel, CompliantPair, ContactHistory, DampingLaw, HISTORY_LENGTH, Kinematics,
    NormalLaw, ResistanceLaw, TangentialLaw, respond,
};
use huygens_kernel::number::Analytic;
use huygens_kernel::sph::pair::{FlowCoefficients, FluidGap, FluidSide, WallSide, flow_rates};
use huygens_kernel::sph::smoothing::{smoothing_slope, smoothing_value};
use huygens_kernel::sph::{SmoothingKernel, SmoothingNumbers, SpaceDimension};
use huygens_kernel::{contact, drag, rotation};

mod kernels {
    //! One unit of the device answers one row.

    use crate::probes::transfer::{read, write};
    use cubecl::prelude::*;
    use huygens_kernel::contact::device::{
        CompliantPair, ContactHistory, Kinematics, contact_force, contact_torque, respond,
    };
    use huygens_kernel::contact::friction::device::{capped_force, transported};
    use huygens_kernel::contact::rigid::device::{
        cohesion_impulse, normal_bias, regularized_row, stabilization_bias, tilt_bias,
    };
    use huygens_kernel::drag::device::{
        hamaker_attraction, schiller_naumann_drag, screened_repulsion, stokes_drag,
    };
    use huygens_kernel::rotation::device::{
        inverse_tangent_product, tangent_product, tangent_rate_product, turn_after, turn_by, turn_vector,
        turned,
    };
    use huygens_kernel::sph::pair::device::{FlowCoefficients, FluidGap, FluidSide, WallSide, flow_rates};
    use huygens_kernel::sph::smoothing::device::{SmoothingNumbers, smoothing_slope, smoothing_value};

    // CubeCL takes the name for that of a type parameter.
    type Number = f32;

    #[cube(launch)]
    pub fn friction(input: &Array<f32>, output: &mut Array<f32>, units: u32) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 11;
            let to = ABSOLUTE_POS * 8;
            let spring = transported::<f32>(read(input, at), read(input, at + 3));
            let capped = capped_force::<f32>(spring, input[at + 6], read(input, at + 7), input[at + 10]);
            write(output, to, spring);
            write(output, to + 3, capped.force);
            output[to + 6] = capped.share;
            output[to + 7] = capped.kept;
        }
    }

    #[cube(launch)]
    pub fn contact(input: &Array<f32>, output: &mut Array<f32>, units: u32, #[comptime] model: usize) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 37;
            let to = ABSOLUTE_POS * 15;
            let model = comptime!(crate::parity_device_laws::models()[model]);
            let pair = CompliantPair::<Number> {
                young: input[at],
                stiffness: input[at + 1],
                tangential_ratio: input[at + 2],
                friction: input[at + 3],
                rolling_friction: input[at + 4],
                spinning_friction: input[at + 5],
                adhesion: input[at + 6],
                loading: input[at + 7],
                tangential_loading: input[at + 8],
                hysteresis: input[at + 9],
                viscous: input[at + 10],
                tangential_viscous: input[at + 11],
            };
            let motion = Kinematics::<Number> {
                depth: input[at + 12],
                normal: read(input, at + 13),
                velocity: read(input, at + 16),
                mean_velocity: read(input, at + 34),
                angular_velocity: read(input, at + 19),
                effective_mass: input[at + 22],
                effective_radius: input[at + 23],
                step: input[at + 24],
            };
            let old = ContactHistory::<Number> {
                tangential: read(input, at + 25),
                rolling: read(input, at + 28),
                spinning: input[at + 31],
                root: input[at + 32],
                impact: input[at + 33],
            };
            let response = respond::<f32>(&model, &pair, &motion, &old);
            write(output, to, contact_force::<f32>(&response, motion.normal));
            write(output, to + 3, contact_torque::<f32>(&response));
            write(output, to + 6, response.history.tangential);
            write(output, to + 9, response.history.rolling);
            output[to + 12] = response.history.spinning;
            output[to + 13] = response.history.root;
            output[to + 14] = response.history.impact;
        }
    }

    #[cube(launch)]
    pub fn flow(
        input: &Array<f32>,
        output: &mut Array<f32>,
        units: u32,
        #[comptime] kernel: usize,
        #[comptime] wall: bool,
    ) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 37;
            let to = ABSOLUTE_POS * 7;
            let kernel = comptime!(crate::parity_device_laws::KERNELS[kernel]);
            let numbers = SmoothingNumbers::<Number> {
                per_length: input[at],
                reach: input[at + 1],
                norm: input[at + 2],
                slope: input[at + 3],
            };
            let law = FlowCoefficients::<Number> {
                softening: input[at + 4],
                morris: input[at + 5],
                laminar: input[at + 6],
                central: input[at + 7],
                artificial: input[at + 8],
                diffusion: input[at + 9],
                hold: input[at + 10],
                hold_slope: input[at + 11],
                rest: read(input, at + 12),
            };
            let one = FluidSide::<Number> {
                volume: input[at + 15],
                velocity: read(input, at + 16),
                pressure: input[at + 19],
            };
            let other = FluidSide::<Number> {
                volume: input[at + 20],
                velocity: read(input, at + 21),
                pressure: input[at + 24],
            };
            let marker = WallSide::<Number> { velocity: read(input, at + 25), grip: input[at + 28] };
            let distance = input[at + 33];
            let slope = smoothing_slope::<f32>(kernel, &numbers, distance);
            let gap = FluidGap::<Number> {
                offset: read(input, at + 29),
                square: input[at + 32],
                distance,
                direction: read(input, at + 34),
                slope,
            };
            let rates = flow_rates::<f32>(&law, &one, &other, &marker, &gap, 1.0f32, wall);
            write(output, to, rates.force);
            output[to + 3] = rates.one;
            output[to + 4] = rates.other;
            output[to + 5] = smoothing_value::<f32>(kernel, &numbers, distance);
            output[to + 6] = slope;
        }
    }

    #[cube(launch)]
    pub fn rotation(input: &Array<f32>, output: &mut Array<f32>, units: u32) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 9;
            let to = ABSOLUTE_POS * 28;
            let x = read(input, at);
            let v = read(input, at + 3);
            let turn = turn_by::<f32>(x);
            write(output, to, turn.vector);
            output[to + 3] = turn.scalar;
            write(output, to + 4, turn_vector::<f32>(&turn));
            write(output, to + 7, turned::<f32>(&turn, v));
            write(output, to + 10, tangent_product::<f32>(x, v, false));
            write(output, to + 13, tangent_product::<f32>(x, v, true));
            write(output, to + 16, inverse_tangent_product::<f32>(x, v, false));
            write(output, to + 19, turn_after::<f32>(&turn, &turn).vector);
            let rate = read(input, at + 6);
            write(output, to + 22, tangent_rate_product::<f32>(x, rate, v, false));
            write(output, to + 25, tangent_rate_product::<f32>(x, rate, v, true));
        }
    }

    #[cube(launch)]
    pub fn row(input: &Array<f32>, output: &mut Array<f32>, units: u32) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 13;
            let to = ABSOLUTE_POS * 6;
            let gap = input[at];
            let step = input[at + 1];
            let recovery = input[at + 2];
            let rest = stabilization_bias::<f32>(gap, step, recovery, input[at + 3], input[at + 4]);
            output[to] = rest;
            let row = regularized_row::<f32>(gap, step, input[at + 5], input[at + 6], recovery);
            output[to + 1] = row.bias;
            output[to + 2] = row.compliance;
            output[to + 3] = normal_bias::<f32>(rest, gap, step, input[at + 7], input[at + 8], input[at + 9]);
            output[to + 4] = tilt_bias::<f32>(input[at + 10], input[at + 11]);
            output[to + 5] = cohesion_impulse::<f32>(input[at + 12], step);
        }
    }

    #[cube(launch)]
    pub fn around(input: &Array<f32>, output: &mut Array<f32>, units: u32) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 11;
            let to = ABSOLUTE_POS * 8;
            let slip = read(input, at + 3);
            write(output, to, stokes_drag::<f32>(input[at + 1], input[at + 2], slip));
            let drag = schiller_naumann_drag::<f32>(input[at], input[at + 1], input[at + 2], slip);
            write(output, to + 3, drag);
            output[to + 6] =
                hamaker_attraction::<f32>(input[at + 6], input[at + 2], input[at + 7], input[at + 8]);
            output[to + 7] = screened_repulsion::<f32>(input[at + 9], input[at + 10], input[at + 7]);
        }
    }
}

struct Friction;

impl Probe for Friction {
    const WIDTHS: [usize; 2] = [11, 8];

    fn name(&self) -> String {
        "friction cap and turned memory".into()
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        let spring = dice.vector(1.0);
        let normal = dice.direction();
        let damping = dice.between(0.0, 1.0);
        let cap = dice.orders(1e-2, 1e1);
        [&spring[..], &normal, &[damping], &dice.vector(1.0), &[cap]].concat()
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let spring = contact::friction::transported(vector(x, 0), vector(x, 3));
        let capped = contact::friction::capped_force(spring, x[6], vector(x, 7), x[10]);
        [&spring.to_array()[..], &capped.force.to_array(), &[capped.share, capped.kept]].concat()
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        kernels::friction::launch(
            device.client(),
            count(units),
            CubeDim::new_1d(UNITS),
            input,
            output,
            units as u32,
        );
    }
}

#[test]
fn friction_is_capped_alike() {
    let rows = check(&Friction);
    let slipping = rows.iter().filter(|row| row[6] < 1.0).count();
    assert!(slipping > SAMPLES / 10 && slipping < SAMPLES * 9 / 10, "{slipping} of {SAMPLES} slip");
}

const NORMALS: [NormalLaw; 2] = [NormalLaw::Hooke { speed: 1.0 }, NormalLaw::Hertz];
const DAMPINGS: [DampingLaw; 7] = [
    DampingLaw::None,
    DampingLaw::Viscous,
    DampingLaw::Restitution,
    DampingLaw::HuntCrossley,
    DampingLaw::LankaraniNikravesh,
    DampingLaw::Flores,
    DampingLaw::HysteresisExact,
];
const TANGENTIALS: [TangentialLaw; 6] = [
    TangentialLaw::None,
    TangentialLaw::Coulomb { speed: 0.1 },
    TangentialLaw::OneStep,
    TangentialLaw::History,
    TangentialLaw::Mindlin,
    TangentialLaw::MindlinRescaled,
];
const RESISTANCES: [ResistanceLaw; 4] = [
    ResistanceLaw::None,
    ResistanceLaw::Constant { rate: 0.5 },
    ResistanceLaw::Viscous { damping: 1e-3 },
    ResistanceLaw::ElasticPlastic { ratio: 0.3 },
];
const ADHESIONS: [AdhesionLaw; 5] =
    [AdhesionLaw::None, AdhesionLaw::Constant, AdhesionLaw::Dmt, AdhesionLaw::Perko, AdhesionLaw::Sjkr];

/// Models whose parts are drawn together.
const MIXED: usize = 8;

/// Every law of every kind, with both normal laws where it depends on them.
fn models() -> Vec<CompliantModel> {
    let base = CompliantModel { adhesion: AdhesionLaw::None, ..CompliantModel::default() };
    let mut out = Vec::new();
    for normal in NORMALS {
        out.extend(DAMPINGS.map(|damping| CompliantModel { normal, damping, ..base }));
        out.extend(TANGENTIALS.map(|tangential| CompliantModel { normal, tangential, ..base }));
    }
    out.extend(RESISTANCES.map(|law| CompliantModel { rolling: law, spinning: law, ..base }));
    out.extend(ADHESIONS.map(|adhesion| CompliantModel { adhesion, ..base }));
    // And some with every part another than the default, as drawn.
    let mut dice = Dice::new();
    let mut pick = |count: usize| ((dice.unit() * count as f64) as usize).min(count - 1);
    out.extend((0..MIXED).map(|_| CompliantModel {
        normal: NORMALS[pick(NORMALS.len())],
        damping: DAMPINGS[1 + pick(DAMPINGS.len() - 1)],
        tangential: TANGENTIALS[1 + pick(TANGENTIALS.len() - 1)],
        rolling: RESISTANCES[1 + pick(RESISTANCES.len() - 1)],
        spinning: RESISTANCES[1 + pick(RESISTANCES.len() - 1)],
        adhesion: ADHESIONS[1 + pick(ADHESIONS.len() - 1)],
        ..base
    }));
    out
}

struct Contact(usize);

impl Contact {
    fn model(&self) -> CompliantModel {
        models()[self.0]
    }
}

impl Probe for Contact {
    const WIDTHS: [usize; 2] = [12 + 13 + HISTORY_LENGTH + 3, 6 + HISTORY_LENGTH];

    fn name(&self) -> String {
        let model = self.model();
        format!(
            "{:?} {:?} {:?} {:?} {:?}",
            model.normal, model.damping, model.tangential, model.rolling, model.adhesion
        )
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        let radius = dice.orders(1e-3, 1e-1);
        let depth = radius * dice.orders(1e-4, 1e-2);
        let mass = 1e4 * radius.powi(3);
        let young = dice.orders(1e6, 1e9);
        let hertz = self.model().normal == NormalLaw::Hertz;
        let secant = young * (radius * depth).sqrt();
        // Where Hooke's law has no stiffness, it finds one.
        let stiffness = match (hertz, dice.unit() < 0.5) {
            (true, _) => young,
            (false, true) => secant,
            (false, false) => 0.0,
        };
        let step = 0.05 * (mass / secant).sqrt();
        let speed = depth / (10.0 * step);
        let force = secant * depth;
        let length = dice.between(0.0, 0.1) * radius;
        let rate = 0.1 / step;
        let scale = if hertz { (radius * depth).sqrt() } else { 1.0 };
        let pair = [
            young,
            stiffness,
            dice.between(0.5, 1.2),
            dice.between(0.05, 1.0),
            length,
            length,
            dice.between(0.0, 0.3) * force,
            dice.between(0.0, 2.0),
            dice.between(0.0, 1.0),
            dice.between(0.0, 1.5),
            dice.between(0.0, 1.0) * rate / scale,
            dice.between(0.0, 1.0) * rate / scale,
        ];
        let tangential = match self.model().tangential {
            TangentialLaw::Mindlin | TangentialLaw::MindlinRescaled => dice.vector(0.5 * force),
            _ => dice.vector(0.5 * depth),
        };
        let history = [
            &tangential[..],
            &dice.vector(0.5 * force * length),
            &[
                dice.between(-0.5, 0.5) * force * length,
                depth.sqrt() * dice.between(0.5, 2.0),
                speed * dice.between(0.5, 2.0),
            ],
        ];
        let spin = dice.vector(speed / radius);
        let motion =
            [&[depth][..], &dice.direction(), &dice.vector(speed), &spin, &[mass, radius, step]].concat();
        let mean = dice.vector(speed);
        [&pair[..], &motion, &history.concat(), &mean].concat()
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let pair = CompliantPair {
            young: x[0],
            stiffness: x[1],
            tangential_ratio: x[2],
            friction: x[3],
            rolling_friction: x[4],
            spinning_friction: x[5],
            adhesion: x[6],
            loading: x[7],
            tangential_loading: x[8],
            hysteresis: x[9],
            viscous: x[10],
            tangential_viscous: x[11],
        };
        let motion = Kinematics {
            depth: x[12],
            normal: vector(x, 13),
            velocity: vector(x, 16),
            mean_velocity: vector(x, 34),
            angular_velocity: vector(x, 19),
            effective_mass: x[22],
            effective_radius: x[23],
            step: x[24],
        };
        let old = ContactHistory::from_array(std::array::from_fn(|i| x[25 + i]));
        let response = respond(&self.model(), &pair, &motion, &old);
        let (force, torque) = (response.force(motion.normal), response.torque());
        [&force.to_array()[..], &torque.to_array(), &response.history.to_array()].concat()
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        let size = CubeDim::new_1d(UNITS);
        kernels::contact::launch(device.client(), count(units), size, input, output, units as u32, self.0);
    }

    /// Where Hooke's law looks for a stiffness.
    fn has_power(&self, inputs: &[f32], _output: usize) -> bool {
        self.model().normal != NormalLaw::Hertz && inputs[1] == 0.0
    }
}

#[test]
fn compliant_contacts_with_memory_answer_alike() {
    for k in 0..models().len() {
        let rows = check(&Contact(k));
        // Contacts push, and not all have lost their memory.
        assert!(rows.iter().filter(|row| row[..3] != [0.0; 3]).count() > SAMPLES / 2);
        let remembers = matches!(
            models()[k].tangential,
            TangentialLaw::History | TangentialLaw::Mindlin | TangentialLaw::MindlinRescaled
        );
        assert_eq!(rows.iter().any(|row| row[6..9] != [0.0; 3]), remembers);
    }
}

const KERNELS: [SmoothingKernel; 5] = [
    SmoothingKernel::CubicSpline,
    SmoothingKernel::QuinticSpline,
    SmoothingKernel::WendlandC2,
    SmoothingKernel::WendlandC4,
    SmoothingKernel::Poly6Spiky,
];

struct Flow {
    kernel: usize,
    wall: bool,
}

impl Probe for Flow {
    const WIDTHS: [usize; 2] = [37, 7];

    fn name(&self) -> String {
        format!("rates of a fluid, {:?}{}", KERNELS[self.kernel], if self.wall { ", wall" } else { "" })
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        let spacing = dice.orders(1e-2, 1e-1);
        let (h, sound, density) = (1.3 * spacing, 40.0, 1000.0);
        let dimension = if dice.unit() < 0.5 { SpaceDimension::Two } else { SpaceDimension::Three };
        let numbers = SmoothingNumbers::new(KERNELS[self.kernel], dimension, h);
        let distance = numbers.reach * dice.between(0.02, 1.05);
        let direction = dice.direction();
        let offset = direction.map(|x| distance * x);
        let mut side = || {
            let density = density * dice.between(0.98, 1.02);
            let pressure = sound * sound * (density - 1000.0) / (density * density);
            [&[1.0 / density][..], &dice.vector(1.0), &[pressure]].concat()
        };
        let sides = [side(), side()].concat();
        let viscosity = dice.orders(1e-3, 1.0);
        let law = [
            0.01 * h * h,
            2.0 * viscosity,
            2.0 * viscosity / density,
            10.0 * viscosity,
            0.1 * h * sound,
            0.2 * h * sound,
            2.0 * sound * sound / density,
            1.0 / (0.85 * spacing),
        ];
        let rest = [0.0, 0.0, -9.81 / (density * sound * sound)];
        let marker = [&dice.vector(1.0)[..], &[f64::from(u8::from(dice.unit() < 0.5))]].concat();
        let corrected = offset.map(|x| x * dice.between(0.9, 1.1));
        [
            &[numbers.per_length, numbers.reach, numbers.norm, numbers.slope][..],
            &law,
            &rest,
            &sides,
            &marker,
            &offset,
            &[distance * distance, distance],
            &corrected,
        ]
        .concat()
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let kernel = KERNELS[self.kernel];
        let numbers = SmoothingNumbers { per_length: x[0], reach: x[1], norm: x[2], slope: x[3] };
        let law = FlowCoefficients {
            softening: x[4],
            morris: x[5],
            laminar: x[6],
            central: x[7],
            artificial: x[8],
            diffusion: x[9],
            hold: x[10],
            hold_slope: x[11],
            rest: vector(x, 12),
        };
        let side = |at: usize| FluidSide { volume: x[at], velocity: vector(x, at + 1), pressure: x[at + 4] };
        let marker = WallSide { velocity: vector(x, 25), grip: x[28] };
        let slope = smoothing_slope(kernel, &numbers, x[33]);
        let gap = FluidGap {
            offset: vector(x, 29),
            square: x[32],
            distance: x[33],
            direction: vector(x, 34),
            slope,
        };
        let rates = flow_rates(&law, &side(15), &side(20), &marker, &gap, S::of(1.0), self.wall);
        let value = smoothing_value(kernel, &numbers, x[33]);
        [&rates.force.to_array()[..], &[rates.one, rates.other, value, slope]].concat()
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        let size = CubeDim::new_1d(UNITS);
        let (kernel, wall) = (self.kernel, self.wall);
        kernels::flow::launch(device.client(), count(units), size, input, output, units as u32, kernel, wall);
    }
}

#[test]
fn fluids_have_the_same_rates() {
    for kernel in 0..KERNELS.len() {
        for wall in [false, true] {
            let rows = check(&Flow { kernel, wall });
            assert!(rows.iter().filter(|row| row[6] != 0.0).count() > SAMPLES / 2);
        }
    }
}

struct Around;

impl Probe for Around {
    const WIDTHS: [usize; 2] = [11, 8];

    fn name(&self) -> String {
        "drag and forces at a distance".into()
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        loop {
            let (density, viscosity) = (1000.0, 1e-3);
            let radius = dice.orders(1e-5, 1e-2);
            let slip = dice.vector(0.3);
            let reynolds =
                2.0 * density * slip.iter().map(|x| x * x).sum::<f64>().sqrt() * radius / viscosity;
            // The coefficient jumps by a third of a percent at 1000.
            if (reynolds / 1000.0 - 1.0).abs() < 1e-4 {
                continue;
            }
            let gap = dice.between(-1e-9, 1e-7);
            return [&[density, viscosity, radius][..], &slip, &[1e-19, gap, 4e-10, 1e-9, 2e-8]].concat();
        }
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let slip = vector(x, 3);
        let stokes = drag::stokes_drag(x[1], x[2], slip);
        let drag = drag::schiller_naumann_drag(x[0], x[1], x[2], slip);
        let near =
            [drag::hamaker_attraction(x[6], x[2], x[7], x[8]), drag::screened_repulsion(x[9], x[10], x[7])];
        [&stokes.to_array()[..], &drag.to_array(), &near].concat()
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        kernels::around::launch(
            device.client(),
            count(units),
            CubeDim::new_1d(UNITS),
            input,
            output,
            units as u32,
        );
    }

    /// The drag of Schiller and Naumann, and what fades.
    fn has_power(&self, _inputs: &[f32], output: usize) -> bool {
        (3..6).contains(&output) || output == 7
    }
}

#[test]
fn drag_and_forces_at_a_distance_agree() {
    check(&Around);
}

struct Rotation;

impl Probe for Rotation {
    const WIDTHS: [usize; 2] = [9, 28];

    fn name(&self) -> String {
        "finite rotations".into()
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        // Angles on both sides of the border between series and closed forms.
        let angle = dice.orders(1e-4, 2.5);
        let axis = dice.direction();
        [&axis.map(|x| angle * x)[..], &dice.vector(1.0), &dice.vector(1.0)].concat()
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let (x, v, rate) = (vector(x, 0), vector(x, 3), vector(x, 6));
        let turn = rotation::turn_by(x);
        [
            &turn.vector.to_array()[..],
            &[turn.scalar],
            &rotation::turn_vector(&turn).to_array(),
            &rotation::turned(&turn, v).to_array(),
            &rotation::tangent_product(x, v, false).to_array(),
            &rotation::tangent_product(x, v, true).to_array(),
            &rotation::inverse_tangent_product(x, v, false).to_array(),
            &rotation::turn_after(&turn, &turn).vector.to_array(),
            &rotation::tangent_rate_product(x, rate, v, false).to_array(),
            &rotation::tangent_rate_product(x, rate, v, true).to_array(),
        ]
        .concat()
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        kernels::rotation::launch(
            device.client(),
            count(units),
            CubeDim::new_1d(UNITS),
            input,
            output,
            units as u32,
        );
    }

    /// Small angles are series, but for the way back from a quaternion.
    fn has_power(&self, inputs: &[f32], output: usize) -> bool {
        let square: f32 = inputs[..3].iter().map(|x| x * x).sum();
        square > 0.9e-4 || (4..7).contains(&output)
    }
}

#[test]
fn rotations_turn_alike() {
    let rows = check(&Rotation);
    // A rotation vector survives the way through its quaternion.
    assert!(rows.iter().all(|row| row[3] > 0.0));
}

struct RigidRow;

impl Probe for RigidRow {
    const WIDTHS: [usize; 2] = [13, 6];

    fn name(&self) -> String {
        "rows of rigid contact".into()
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        let step = dice.orders(1e-4, 1e-2);
        let gap = dice.between(-1e-3, 1e-3);
        let velocity = dice.between(-1.0, 0.2);
        // Restitution begins with a jump where a gap would just close.
        let gap = if (gap + step * velocity).abs() < 1e-6 { 2e-3 } else { gap };
        let threshold = if (velocity + 0.1).abs() < 1e-4 { 0.2 } else { 0.1 };
        vec![
            gap,
            step,
            dice.between(0.1, 1.0),
            dice.between(0.1, 1.0),
            1e-5,
            dice.orders(1e3, 1e6),
            dice.orders(1.0, 1e2),
            velocity,
            dice.between(0.0, 1.0),
            threshold,
            dice.between(0.0, 1.0),
            dice.orders(1e-3, 1e1),
            dice.orders(1e-2, 1e3),
        ]
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let rest = contact::rigid::stabilization_bias(x[0], x[1], x[2], x[3], x[4]);
        let row = contact::rigid::regularized_row(x[0], x[1], x[5], x[6], x[2]);
        let bias = contact::rigid::normal_bias(rest, x[0], x[1], x[7], x[8], x[9]);
        let (tilt, cohesion) =
            (contact::rigid::tilt_bias(x[10], x[11]), contact::rigid::cohesion_impulse(x[12], x[1]));
        vec![rest, row.bias, row.compliance, bias, tilt, cohesion]
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        kernels::row::launch(
            device.client(),
            count(units),
            CubeDim::new_1d(UNITS),
            input,
            output,
            units as u32,
        );
    }
}

#[test]
fn rows_of_rigid_contact_agree() {
    let rows = check(&RigidRow);
    let bouncing = rows.iter().filter(|row| row[3] != row[0]).count();
    assert!(bouncing > SAMPLES / 10 && bouncing < SAMPLES * 9 / 10, "{bouncing} of {SAMPLES} bounce");
}
