//! Comparison of laws on a device with those on the host.
//!
//! Tolerances are relative to the largest term of each sum that leads to a number, which [`Tracked`] finds: where terms
//! cancel, single precision has fewer digits on any machine.

#![expect(unsafe_code, reason = "buffers of a device are handed to a kernel by their addresses")]

use std::f64::consts::PI;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::OnceLock;

use cubecl::prelude::*;
use huygens_exec::device::{Device, DeviceRuntime};
use huygens_kernel::number::Analytic;
use huygens_kernel::{Scalar, V3};

/// Largest difference of device and host, both in single precision.
const DEVICE: f64 = 1e-6;
/// The same where a power enters, which is a library function of its own on each machine.
const DEVICE_POWER: f64 = 1e-5;
/// Largest difference of single and double precision on the host.
const SINGLE: f64 = 1e-5;

/// Random inputs per law.
pub const SAMPLES: usize = 3000;

/// A number with the size of the largest term that it was summed of, carried on to what is made of it.
#[derive(Clone, Copy, Debug)]
pub struct Tracked {
    pub value: f64,
    pub size: f64,
}

impl Tracked {
    /// A function of this number, from its value and its derivative.
    fn chain(self, value: f64, derivative: f64) -> Self {
        Self { value, size: value.abs().max(derivative.abs() * self.size) }
    }
}

impl Add for Tracked {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, size: self.size.max(other.size) }
    }
}

impl Sub for Tracked {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Tracked {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let size = (self.size * other.value.abs()).max(self.value.abs() * other.size);
        Self { value: self.value * other.value, size }
    }
}

impl Div for Tracked {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self {
            value,
            size: (self.size / other.value.abs()).max(value.abs() * other.size / other.value.abs()),
        }
    }
}

impl Neg for Tracked {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, size: self.size }
    }
}

impl Scalar for Tracked {
    fn of(value: f64) -> Self {
        Self { value, size: value.abs() }
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        // At zero the error of a root is the root of the error.
        if root > 0.0 { self.chain(root, 0.5 / root) } else { Self { value: root, size: self.size.sqrt() } }
    }
    fn powf(self, exponent: f64) -> Self {
        self.chain(self.value.powf(exponent), exponent * self.value.powf(exponent - 1.0))
    }
    fn where_greater(self, other: Self, yes: Self, no: Self) -> Self {
        if self.value > other.value { yes } else { no }
    }
    fn any_positive(self) -> bool {
        self.value > 0.0
    }
}

impl Analytic for Tracked {
    fn value(self) -> f64 {
        self.value
    }
    fn sin(self) -> Self {
        self.chain(self.value.sin(), self.value.cos())
    }
    fn cos(self) -> Self {
        self.chain(self.value.cos(), self.value.sin())
    }
    fn tan(self) -> Self {
        let tangent = self.value.tan();
        self.chain(tangent, 1.0 + tangent * tangent)
    }
    fn exp(self) -> Self {
        self.chain(self.value.exp(), self.value.exp())
    }
    fn exp_m1(self) -> Self {
        self.chain(self.value.exp_m1(), self.value.exp())
    }
    fn ln(self) -> Self {
        self.chain(self.value.ln(), 1.0 / self.value)
    }
    fn atan2(self, x: Self) -> Self {
        let square = self.value * self.value + x.value * x.value;
        let size = (x.value * self.size).abs().max((self.value * x.size).abs()) / square;
        let value = self.value.atan2(x.value);
        Self { value, size: value.abs().max(size) }
    }
}

/// Random numbers that are the same on every machine.
pub struct Dice(u64);

impl Dice {
    pub fn new() -> Self {
        Self(0x5eed)
    }

    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Evenly over orders of magnitude.
    pub fn orders(&mut self, low: f64, high: f64) -> f64 {
        (self.between(low.ln(), high.ln())).exp()
    }

    pub fn vector(&mut self, size: f64) -> [f64; 3] {
        [self.between(-size, size), self.between(-size, size), self.between(-size, size)]
    }

    pub fn direction(&mut self) -> [f64; 3] {
        let (z, angle) = (self.between(-1.0, 1.0), self.between(0.0, 2.0 * PI));
        let radius = (1.0 - z * z).sqrt();
        [radius * angle.cos(), radius * angle.sin(), z]
    }
}

/// Numbers on a device.
pub type Buffer = ArrayArg<DeviceRuntime>;

/// A law with its inputs as a row of numbers and its outputs as another.
pub trait Probe {
    /// Numbers in and out.
    const WIDTHS: [usize; 2];
    fn name(&self) -> String;
    fn inputs(&self, dice: &mut Dice) -> Vec<f64>;
    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S>;
    /// Starts the kernel on a row of inputs for each unit.
    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer);
    /// Whether a power, an exponential or an angle enters an output, with a row of inputs.
    fn has_power(&self, _inputs: &[f32], _output: usize) -> bool {
        false
    }
}

fn device() -> &'static Device {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    DEVICE.get_or_init(|| Device::open().unwrap_or_else(|error| panic!("{error}")))
}

/// Units of a group on the device.
pub const UNITS: u32 = 64;

pub fn count(units: usize) -> CubeCount {
    CubeCount::Static((units as u32).div_ceil(UNITS), 1, 1)
}

/// Compares; gives what the host found, for checks of what was covered.
pub fn check<P: Probe>(probe: &P) -> Vec<Vec<f32>> {
    let [wide_in, wide_out] = P::WIDTHS;
    let mut dice = Dice::new();
    let rows: Vec<Vec<f32>> = (0..SAMPLES)
        .map(|_| {
            let row: Vec<f32> = probe.inputs(&mut dice).into_iter().map(|x| x as f32).collect();
            assert_eq!(row.len(), wide_in, "{}", probe.name());
            row
        })
        .collect();
    let device = device();
    let (input, output) = (device.upload(&rows.concat()), device.room(SAMPLES * wide_out));
    // SAFETY: the buffers have the lengths given.
    let arguments = unsafe {
        (
            ArrayArg::from_raw_parts(input, SAMPLES * wide_in),
            ArrayArg::from_raw_parts(output.clone(), SAMPLES * wide_out),
        )
    };
    probe.on_device(device, SAMPLES, arguments.0, arguments.1);
    let found = device.download(output).unwrap();
    let mut worst = [0.0_f64; 2];
    let mut out = Vec::new();
    for (row, found) in rows.iter().zip(found.chunks(wide_out)) {
        let tracked: Vec<Tracked> = row.iter().map(|x| Tracked::of(f64::from(*x))).collect();
        let (single, double) = (probe.on_host(row), probe.on_host(&tracked));
        assert_eq!(single.len(), wide_out, "{}", probe.name());
        for k in 0..wide_out {
            let size = double[k].size.max(1e-30);
            let tolerance = if probe.has_power(row, k) { DEVICE_POWER } else { DEVICE };
            let apart = [f64::from(found[k]) - f64::from(single[k]), f64::from(single[k]) - double[k].value];
            for (apart, (tolerance, what)) in apart
                .into_iter()
                .zip([(tolerance, "device and host"), (SINGLE, "single and double precision")])
            {
                assert!(
                    apart.abs() <= tolerance * size,
                    "{}: number {k} differs by {:.2e} of its largest term {size:.3e} between {what}: \
                     device {:e}, single {:e}, double {:e}; inputs {row:?}",
                    probe.name(),
                    apart.abs() / size,
                    found[k],
                    single[k],
                    double[k].value,
                );
            }
            worst = [worst[0].max(apart[0].abs() / size), worst[1].max(apart[1].abs() / size)];
        }
        out.push(single);
    }
    println!("{:60} device {:.1e}, single {:.1e}", probe.name(), worst[0], worst[1]);
    out
}

/// The vector at `at`.
pub fn vector<S: Copy>(x: &[S], at: usize) -> V3<S> {
    V3 { x: x[at], y: x[at + 1], z: x[at + 2] }
}

pub mod transfer {
    //! Vectors in the rows of a device.

    use cubecl::prelude::*;
    use huygens_kernel::vector::device::{V3, vector};

    #[cube]
    pub fn read(input: &Array<f32>, at: usize) -> V3<f32> {
        vector::<f32>(input[at], input[at + 1], input[at + 2])
    }

    #[cube]
    pub fn write(output: &mut Array<f32>, at: usize, v: V3<f32>) {
        output[at] = v.x;
        output[at + 1] = v.y;
        output[at + 2] = v.z;
    }
}
