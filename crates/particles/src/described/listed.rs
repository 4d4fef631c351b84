//! Grains listed in a CSV file: `x, y, z, radius` and, if they move, `vx, vy, vz`.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use huygens_geometry::{Pose, input_file};
use huygens_kernel::Vec3;
use huygens_spec::{MAX_GRAINS, ParticlesSpec};

use super::Wrong;

/// The grains of a file, in axes at a pose, with all else that is described; nothing where no file is named.
pub fn read_listed(spec: &ParticlesSpec, pose: &Pose) -> Result<Option<ParticlesSpec>, Wrong> {
    let Some(file) = &spec.file else {
        return match spec.frame {
            Some(_) => Err(("frame", "only a `file` has a frame".into())),
            None => Ok(None),
        };
    };
    let wrong = |problem: String| ("file", problem);
    for (key, given) in [
        ("positions", !spec.positions.is_empty()),
        ("radii", !spec.radii.is_empty()),
        ("velocities", !spec.velocities.is_empty()),
    ] {
        if given {
            return Err((key, format!("give `file` or `{key}`, not both")));
        }
    }
    let path = spec.found.clone().unwrap_or_else(|| PathBuf::from(file));
    let opened =
        input_file::open(&path).map_err(|e| wrong(format!("the file '{file}' cannot be read: {e}")))?;
    let mut made = ParticlesSpec { file: None, found: None, frame: None, ..spec.clone() };
    let mut width = None;
    for (number, line) in (1_usize..).zip(BufReader::new(opened).lines()) {
        let line = line.map_err(|e| wrong(format!("line {number} of '{file}' cannot be read: {e}")))?;
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let numbers: Result<Vec<f64>, _> = text.split([',', ';']).map(|word| word.trim().parse()).collect();
        let numbers = match numbers {
            Ok(numbers) => numbers,
            // The names of the columns.
            Err(_) if width.is_none() && made.positions.is_empty() => {
                width = Some(0);
                continue;
            }
            Err(_) => {
                return Err(wrong(format!(
                    "line {number} of '{file}' contains something other than numbers: '{text}'"
                )));
            }
        };
        let expected = width.filter(|w| *w > 0).unwrap_or(numbers.len());
        width = Some(expected);
        let own_radius = spec.radius.is_none();
        let (least, most) = if own_radius { (4, 7) } else { (3, 6) };
        if numbers.len() != expected || (expected != least && expected != most) {
            let columns = if own_radius { "x, y, z, radius" } else { "x, y, z" };
            return Err(wrong(format!(
                "line {number} of '{file}' has {} numbers; {columns} are needed, or these and vx, vy, vz",
                numbers.len()
            )));
        }
        let place = Vec3::new(numbers[0], numbers[1], numbers[2]);
        made.positions.push(pose.point(place).to_array());
        if own_radius {
            made.radii.push(numbers[3]);
        }
        if let [vx, vy, vz] = numbers[least..] {
            made.velocities.push((pose.rotation * Vec3::new(vx, vy, vz)).to_array());
        }
        if made.positions.len() > MAX_GRAINS {
            return Err(wrong(format!("'{file}' has more than {MAX_GRAINS} grains")));
        }
    }
    match made.positions.is_empty() {
        true => Err(wrong(format!("'{file}' has no grains"))),
        false => Ok(Some(made)),
    }
}
