//! Distances and closest points of pairs of ellipsoids.

use glam::{DQuat, DVec3, EulerRot};
use huygens_geometry::{NarrowScratch, Pose, Shape, narrow, query};

use crate::Context;
use crate::error::Result;
use crate::report::Check;

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let table = context.reference.table("contact/ellipsoid_distances.csv")?;
    let rows = table.column("distance")?.len();
    let mut checks = Vec::new();
    for row in 0..rows {
        let number = |name: &str| table.column(name).map(|c| c[row]);
        let vector = |names: [&str; 3]| -> Result<DVec3> {
            Ok(DVec3::new(number(names[0])?, number(names[1])?, number(names[2])?))
        };
        let pose = |side: &str| -> Result<Pose> {
            let [yaw, pitch, roll] = ["yaw", "pitch", "roll"].map(|n| number(&format!("{side}_{n}")));
            let axes = ["x", "y", "z"].map(|n| format!("{side}{n}"));
            Ok(Pose {
                position: vector([&axes[0], &axes[1], &axes[2]])?,
                rotation: DQuat::from_euler(EulerRot::ZYX, yaw?, pitch?, roll?),
            })
        };
        let a = Shape::ellipsoid(vector(["a1", "a2", "a3"])?)?;
        let b = Shape::ellipsoid(vector(["b1", "b2", "b3"])?)?;
        let (pose_a, pose_b) = (pose("A")?, pose("B")?);
        let expected = number("distance")?;
        let pair = row + 1;
        let got = query::distance(&a, &pose_a, &b, &pose_b);
        checks.push(Check::value(format!("pair {pair}: distance asked for [m]"), expected, got, 1e-8));
        let mut points = Vec::new();
        let mut scratch = NarrowScratch::new();
        narrow::contacts(&a, &pose_a, &b, &pose_b, 10.0, &mut scratch, &mut points);
        let gap = points.first().map_or(f64::NAN, |p| p.gap);
        checks.push(Check::value(format!("pair {pair}: gap of the contact [m]"), expected, gap, 1e-8));
        let (near_a, near_b) = (vector(["pAx", "pAy", "pAz"])?, vector(["pBx", "pBy", "pBz"])?);
        let error = points
            .first()
            .map_or(f64::NAN, |p| (p.point_a - near_a).length().max((p.point_b - near_b).length()));
        checks.push(Check::error(format!("pair {pair}: closest points [m]"), error, 1e-8));
    }
    Ok(checks)
}
