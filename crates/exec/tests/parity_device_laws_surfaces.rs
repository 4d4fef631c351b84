//! Nearest points of walls are the same on a device as on the host, and in single precision as in double.

use crate::probes::{Buffer, Dice, Probe, SAMPLES, UNITS, check, count, vector};
use cubecl::prelude::*;
use huygens_exec::device::Device;
use huygens_kernel::Vec3;
use huygens_kernel::nearest::{self, ConeSide, Nearest, Triangle, effective_radius_at, on_triangle};
use huygens_kernel::number::Analytic;

mod kernels {
    //! One unit of the device answers one row.

    use crate::probes::transfer::{read, write};
    use cubecl::prelude::*;
    use huygens_kernel::nearest::device::{
        ConeSide, Nearest, Triangle, effective_radius_at, in_cylinder, on_box, on_capsule, on_cone,
        on_cylinder, on_disc, on_inner_face, on_plane, on_rectangle, on_sphere, on_triangle,
    };

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
