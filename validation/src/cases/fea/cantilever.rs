//! Cantilevers under an end force: small, thick, and far bent.

use huygens::prelude::*;

use super::line::{ROTATING, cantilever, elastic_section, load_path, loaded_end};
use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;

/// Deflection [m] along z for a force [N] at the end of a line along x.
fn deflection(spec: StructureSpec, force: f64) -> Result<f64> {
    let spec = StructureSpec { loads: vec![StructureLoadSpec::force("end", [0.0, 0.0, force])], ..spec };
    Ok(loaded_end(spec, 1)?.position.z)
}

/// Elements for a small error: two-node rods are of second order.
fn pieces(element: ElementType) -> usize {
    if element == ElementType::Rod { 40 } else { 4 }
}

/// 0.4 m long, 25 mm wide, 12 mm high, G = 0.38 E, at loads so small that deflections are linear.
pub fn small(_: &Context) -> Result<Vec<Check>> {
    let (length, width, height) = (0.4, 0.025, 0.012_f64);
    let area = width * height;
    let poisson = 0.5 / 0.38 - 1.0;
    let share = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
    let line = |element: ElementType, young: f64| {
        let shear = share * 0.38 * young * area;
        let (about_y, about_z) =
            (young * width * height.powi(3) / 12.0, young * height * width.powi(3) / 12.0);
        let section = elastic_section([young * area, shear, shear], [about_y, about_y, about_z]);
        cantilever(element, length, pieces(element), section)
    };
    let mut checks = Vec::new();
    for (element, name) in ROTATING {
        let sheared = element != ElementType::Beam;
        let exact = if sheared { 0.2965026 } else { 0.2962963 };
        // The table has 10 N; 0.01 N bends it a thousandth as far, without the change of its shape.
        let got = 1e3 * deflection(line(element, 2e8), 0.01)?;
        let theory = if sheared { "with shear" } else { "without shear" };
        checks.push(Check::value(format!("{name}, {theory}, E = 2e8 Pa [m]"), exact, got, 1e-4));
        for i in [1, 5] {
            let i = f64::from(i);
            let exact = 5.920006e-5 * i + if sheared { 4.1222e-8 * i } else { 0.0 };
            let got = deflection(line(element, 20.02e10), 2.0 * i)?;
            let what = format!("{name}, {theory}, E = 2.002e11 Pa, {} N [m]", 2.0 * i);
            checks.push(Check::value(what, exact, got, 5e-3 * exact));
        }
    }
    Ok(checks)
}

/// 2 m long, 0.5 m high, 0.1 m wide: shear has 5 % of the deflection.
pub fn thick(_: &Context) -> Result<Vec<Check>> {
    let exact = 8.091623235e-4;
    let lines =
        [(ElementType::Rod, "rod"), (ElementType::Rod3, "rod3"), (ElementType::BeamAncf, "beam 3243")];
    let mut checks = Vec::new();
    for (element, name) in lines {
        let spec = StructureSpec {
            material: Some(ElasticSpec::new(2.07e11, 0.3, 2000.0)),
            ..cantilever(element, 2.0, pieces(element).max(16), SectionSpec::rectangle(0.1, 0.5))
        };
        let got = -deflection(spec, -5e5 * 0.125)?;
        checks.push(Check::value(format!("{name}: deflection [m]"), exact, got, 5e-3 * exact));
    }
    Ok(checks)
}

/// 10 m long, 1 m wide, 0.1 m high, E = 1.2e6 Pa, end force up to 4 N: the load path, 16 elements.
pub fn large(context: &Context) -> Result<Vec<Check>> {
    let table = context.reference.table("fea/shells/sze_3_1_cantilever_shear.csv")?;
    let (factor, back, up) = (table.column("P/Pmax")?, table.column("-Utip")?, table.column("Wtip")?);
    let last = factor.len() - 1;
    let lines = [
        (ElementType::Beam, "corotational"),
        (ElementType::Rod, "rod"),
        (ElementType::Rod3, "rod3"),
        (ElementType::Cable, "cable"),
    ];
    let mut checks = Vec::new();
    for (element, name) in lines {
        // A cable bends with one stiffness all ways: here that of the thin way.
        let section = match element {
            ElementType::Cable => elastic_section([1.2e5; 3], [100.0; 3]),
            _ => SectionSpec::rectangle(1.0, 0.1),
        };
        let spec = StructureSpec {
            material: (element != ElementType::Cable).then_some(ElasticSpec::new(1.2e6, 0.0, 1.0)),
            loads: vec![StructureLoadSpec::force("end", [0.0, 0.0, 4.0])],
            ..cantilever(element, 10.0, 16, section)
        };
        let path = load_path(spec, [0.0; 3], 20)?;
        let mut worst: f64 = 0.0;
        let mut found = 0;
        for k in 0..=last {
            for (_, end) in path.iter().filter(|(f, _)| (f - factor[k]).abs() < 1e-9) {
                found += 1;
                let off = (10.0 - end.position.x - back[k]).abs().max((end.position.z - up[k]).abs());
                worst = worst.max(off / up[last]);
            }
        }
        checks.push(Check::error(format!("{name}: worst on the path / end displacement"), worst, 0.01));
        checks.push(Check::at_least(
            format!("{name}: loads of the table on the path"),
            10.0,
            f64::from(found),
        ));
        let end = path[path.len() - 1].1.position;
        checks.push(Check::value(
            format!("{name}: way back [m]"),
            back[last],
            10.0 - end.x,
            0.01 * back[last],
        ));
        checks.push(Check::value(format!("{name}: way up [m]"), up[last], end.z, 0.01 * up[last]));
        if element == ElementType::Rod3 {
            let factors: Vec<f64> = path.iter().map(|p| p.0).collect();
            let ups: Vec<f64> = path.iter().map(|p| p.1.position.z).collect();
            let shown = Comparison { label: "way up [m]", got: (&factors, &ups), reference: (factor, up) };
            context.figures.compare("fea_cantilever_large", "load / largest", &[shown])?;
        }
    }
    Ok(checks)
}
