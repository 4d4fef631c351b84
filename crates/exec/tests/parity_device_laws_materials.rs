//! Materials and elastic lines give the same numbers on a device as on the host, and in single precision as in double.

use crate::probes::{Buffer, Dice, Probe, SAMPLES, UNITS, check, count, vector};
use cubecl::prelude::*;
use huygens_exec::device::Device;
use huygens_kernel::cable::{self, StrainMeasure};
use huygens_kernel::number::Analytic;
use huygens_kernel::point::{
    Symmetric, coupling_stress, deviator, kirchhoff_stiffness, kirchhoff_stress, linear_energy,
    stress_change, uncoupled_stress,
};
use huygens_kernel::sph::Rheology;
use huygens_kernel::sph::flow::shear_viscosity;

mod kernels {
    //! One unit of the device answers one row.

    use crate::probes::transfer::{read, write};
    use cubecl::prelude::*;
    use huygens_kernel::cable::device::{
        bending_force, bending_stiffness, curvature, stretch_force, stretch_stiffness,
    };
    use huygens_kernel::point::device::{
        Symmetric, coupling_stress, deviator, kirchhoff_stiffness, kirchhoff_stress, linear_energy,
        stress_change, uncoupled_stress,
    };
    use huygens_kernel::sph::flow::device::shear_viscosity;

    // CubeCL takes the name for that of a type parameter.
    type Number = f32;

    #[cube]
    fn tensor(input: &Array<f32>, at: usize) -> Symmetric<f32> {
        Symmetric::<Number> {
            xx: input[at],
            yy: input[at + 1],
            zz: input[at + 2],
            xy: input[at + 3],
            yz: input[at + 4],
            zx: input[at + 5],
        }
    }

    #[cube]
    fn tell(output: &mut Array<f32>, to: usize, s: Symmetric<f32>) {
        output[to] = s.xx;
        output[to + 1] = s.yy;
        output[to + 2] = s.zz;
        output[to + 3] = s.xy;
        output[to + 4] = s.yz;
        output[to + 5] = s.zx;
    }

    #[cube(launch)]
    pub fn elastic(input: &Array<f32>, output: &mut Array<f32>, units: u32) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 19;
            let to = ABSOLUTE_POS * 31;
            let lambda = input[at];
            let mu = input[at + 1];
            let strain = tensor(input, at + 2);
            let change = tensor(input, at + 8);
            let stress = kirchhoff_stress::<f32>(lambda, mu, strain);
            tell(output, to, stress);
            output[to + 6] = linear_energy::<f32>(strain, stress);
            let stiffness = kirchhoff_stiffness::<f32>(lambda, mu);
            tell(output, to + 7, stress_change::<f32>(&stiffness, change));
            tell(output, to + 13, uncoupled_stress::<f32>(input[at + 14], read(input, at + 15), strain));
            tell(output, to + 19, coupling_stress::<f32>(lambda, input[at + 18], strain));
            tell(output, to + 25, deviator::<f32>(stress));
        }
    }

    #[cube(launch)]
    pub fn line(input: &Array<f32>, output: &mut Array<f32>, units: u32, #[comptime] measure: usize) {
        if ABSOLUTE_POS < units as usize {
            let at = ABSOLUTE_POS * 8;
            let to = ABSOLUTE_POS * 30;
            let measure = comptime!(crate::parity_device_laws_materials::MEASURES[measure]);
            let u = read(input, at + 2);
            let w = read(input, at + 5);
            let stretch = stretch_force::<f32>(measure, input[at], u);
            output[to] = stretch.energy;
            write(output, to + 1, stretch.by_u);
            let bending = bending_force::<f32>(measure, input[at + 1], u, w);
            output[to + 4] = bending.energy;
            write(output, to + 5, bending.by_u);
            write(output, to + 8, bending.by_w);
            write(output, to + 11, curvature::<f32>(measure, u, w));
            let stiffness = bending_stiffness::<f32>(measure, input[at + 1], u, w);
            write(output, to + 14, stiffness.uu.x);
            write(output, to + 17, stiffness.uu.y);
            write(output, to + 20, stiffness.wu.z);
            write(output, to + 23, stiffness.ww.x);
            let stretching = stretch_stiffness::<f32>(measure, input[at], u);
            write(output, to + 26, stretching.x);
            output[to + 29] = stretching.z.z;
        }
    }

    #[cube(launch)]
    pub fn sheared(input: &Array<f32>, output: &mut Array<f32>, units: u32, #[comptime] rheology: usize) {
        if ABSOLUTE_POS < units as usize {
            let rheology = comptime!(crate::parity_device_laws_materials::RHEOLOGIES[rheology]);
            output[ABSOLUTE_POS] = shear_viscosity::<f32>(rheology, input[ABSOLUTE_POS]);
        }
    }
}

/// St. Venant's and Kirchhoff's law, whole and in parts.
struct Elastic;

impl Probe for Elastic {
    const WIDTHS: [usize; 2] = [19, 31];

    fn name(&self) -> String {
        "law of St. Venant and Kirchhoff".into()
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        let (mu, poisson) = (dice.orders(1e6, 1e11), dice.between(0.0, 0.45));
        let size = dice.orders(1e-4, 0.3);
        let mut row = vec![2.0 * mu * poisson / (1.0 - 2.0 * poisson), mu];
        (0..4).for_each(|_| row.extend(dice.vector(size)));
        row.push(2.0 * mu * (1.0 + poisson));
        row.extend((0..3).map(|_| mu * dice.between(0.5, 1.0)));
        row.push(poisson);
        row
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let tensor = |at: usize| Symmetric {
            xx: x[at],
            yy: x[at + 1],
            zz: x[at + 2],
            xy: x[at + 3],
            yz: x[at + 4],
            zx: x[at + 5],
        };
        let (strain, change) = (tensor(2), tensor(8));
        let stress = kirchhoff_stress(x[0], x[1], strain);
        let parts = [
            stress_change(&kirchhoff_stiffness(x[0], x[1]), change),
            uncoupled_stress(x[14], vector(x, 15), strain),
            coupling_stress(x[0], x[18], strain),
            deviator(stress),
        ];
        let flat = |s: Symmetric<S>| [s.xx, s.yy, s.zz, s.xy, s.yz, s.zx];
        let mut out = flat(stress).to_vec();
        out.push(linear_energy(strain, stress));
        out.extend(parts.into_iter().flat_map(flat));
        out
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        let size = CubeDim::new_1d(UNITS);
        kernels::elastic::launch(device.client(), count(units), size, input, output, units as u32);
    }
}

#[test]
fn elastic_points_answer_alike() {
    let rows = check(&Elastic);
    assert!(rows.iter().all(|row| row[6] > 0.0), "energy is above zero at any strain");
}

const RHEOLOGIES: [Rheology; 6] = [
    Rheology::Newtonian { viscosity: 0.3 },
    Rheology::PowerLaw { consistency: 2.0, exponent: 1.0, most: 50.0 },
    Rheology::PowerLaw { consistency: 2.0, exponent: 0.4, most: 50.0 },
    Rheology::PowerLaw { consistency: 2.0, exponent: 1.6, most: 50.0 },
    Rheology::HerschelBulkley {
        consistency: 0.5,
        exponent: 1.0,
        yield_stress: 20.0,
        sharpness: 30.0,
        most: 500.0,
    },
    Rheology::HerschelBulkley {
        consistency: 0.5,
        exponent: 0.6,
        yield_stress: 20.0,
        sharpness: 30.0,
        most: 500.0,
    },
];

struct Sheared(usize);

impl Probe for Sheared {
    const WIDTHS: [usize; 2] = [1, 1];

    fn name(&self) -> String {
        format!("viscosity {:?}", RHEOLOGIES[self.0])
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        vec![dice.orders(1e-8, 1e4)]
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        vec![shear_viscosity(RHEOLOGIES[self.0], x[0])]
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        let size = CubeDim::new_1d(UNITS);
        kernels::sheared::launch(device.client(), count(units), size, input, output, units as u32, self.0);
    }

    fn has_power(&self, _inputs: &[f32], _output: usize) -> bool {
        self.0 > 1
    }
}

#[test]
fn sheared_fluids_have_the_same_viscosity() {
    for (k, rheology) in RHEOLOGIES.iter().enumerate() {
        let rows = check(&Sheared(k));
        let cut = rows.iter().filter(|row| row[0] == rheology.greatest() as f32).count();
        let (all, some) = (cut == SAMPLES, cut > SAMPLES / 100);
        assert_eq!((all, some), (k == 0, k != 1), "{rheology:?}: {cut} cut off");
    }
}

const MEASURES: [StrainMeasure; 2] = [StrainMeasure::Material, StrainMeasure::Green];

struct Line(usize);

impl Probe for Line {
    const WIDTHS: [usize; 2] = [8, 30];

    fn name(&self) -> String {
        format!("elastic line, {:?}", MEASURES[self.0])
    }

    fn inputs(&self, dice: &mut Dice) -> Vec<f64> {
        let stretch = dice.between(0.8, 1.2);
        let u = dice.direction().map(|x| stretch * x);
        let curve = dice.orders(1e-2, 1e1);
        [&[dice.orders(1e2, 1e4), dice.orders(1e-2, 1e1)][..], &u, &dice.vector(curve)].concat()
    }

    fn on_host<S: Analytic>(&self, x: &[S]) -> Vec<S> {
        let measure = MEASURES[self.0];
        let (u, w) = (vector(x, 2), vector(x, 5));
        let stretch = cable::stretch_force(measure, x[0], u);
        let bending = cable::bending_force(measure, x[1], u, w);
        let stiffness = cable::bending_stiffness(measure, x[1], u, w);
        let stretching = cable::stretch_stiffness(measure, x[0], u);
        [
            &[stretch.energy][..],
            &stretch.by_u.to_array(),
            &[bending.energy],
            &bending.by_u.to_array(),
            &bending.by_w.to_array(),
            &cable::curvature(measure, u, w).to_array(),
            &stiffness.uu.x.to_array(),
            &stiffness.uu.y.to_array(),
            &stiffness.wu.z.to_array(),
            &stiffness.ww.x.to_array(),
            &stretching.x.to_array(),
            &[stretching.z.z],
        ]
        .concat()
    }

    fn on_device(&self, device: &Device, units: usize, input: Buffer, output: Buffer) {
        let size = CubeDim::new_1d(UNITS);
        kernels::line::launch(device.client(), count(units), size, input, output, units as u32, self.0);
    }
}

#[test]
fn elastic_lines_answer_alike() {
    (0..MEASURES.len()).for_each(|measure| drop(check(&Line(measure))));
}
