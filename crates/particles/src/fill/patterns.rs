//! Lattices and Poisson-disk points.

use huygens_exec::Exec;
use huygens_kernel::Vec3;

use super::random::Random;
use super::region::Region;
use super::room::Room;
use super::sizes::SizeTable;
use super::{ROUNDING, check_count, look};
use crate::error::{Result, ranges};

type Spheres = Vec<(Vec3, f64)>;

/// Points tried about each point of a Poisson-disk pattern before it is given up.
const TRIES: usize = 30;

fn check_length(what: &str, value: f64, least: f64, expected: &'static str) -> Result<()> {
    ranges("a fill")(what, value, value >= least && value.is_finite(), expected)
}

/// Number of points `spacing` apart on a length, and how far the first is from its start.
fn along(length: f64, spacing: f64) -> Option<(usize, f64)> {
    let steps = length / spacing;
    (steps >= -ROUNDING).then(|| {
        let steps = (steps + ROUNDING).floor().max(0.0);
        (steps as usize + 1, 0.5 * (length - steps * spacing))
    })
}

pub(super) fn cubic(
    ex: &Exec,
    region: &Region,
    sizes: &SizeTable,
    spacing: f64,
    jitter: f64,
    random: &mut Random,
) -> Result<Spheres> {
    check_length("spacing", spacing, f64::MIN_POSITIVE, "finite and above 0")?;
    check_length("jitter", jitter, 0.0, "finite and not below 0")?;
    let [low, high] = region.bounds();
    check_count(((high - low) / spacing).max(Vec3::ONE).element_product())?;
    let margin = sizes.most() + jitter;
    let length = high - low - 2.0 * margin;
    let (Some((nx, x)), Some((ny, y)), Some((nz, z))) =
        (along(length.x, spacing), along(length.y, spacing), along(length.z, spacing))
    else {
        return Ok(Vec::new());
    };
    let first = low + margin + Vec3::new(x, y, z);
    let mut spheres = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            ex.check_stop()?;
            for i in 0..nx {
                let radius = sizes.draw(random);
                let mut at = first + Vec3::new(i as f64, j as f64, k as f64) * spacing;
                if jitter > 0.0 {
                    at += random.point([Vec3::splat(-jitter), Vec3::splat(jitter)]);
                }
                if region.clearance(at) >= radius * (1.0 - ROUNDING) {
                    spheres.push((at, radius));
                }
            }
        }
    }
    Ok(spheres)
}

pub(super) fn hexagonal(
    ex: &Exec,
    region: &Region,
    sizes: &SizeTable,
    spacing: f64,
    random: &mut Random,
) -> Result<Spheres> {
    check_length("spacing", spacing, f64::MIN_POSITIVE, "finite and above 0")?;
    let [low, high] = region.bounds();
    check_count((2.0_f64.sqrt() * ((high - low) / spacing).max(Vec3::ONE)).element_product())?;
    let length = high - low - 2.0 * sizes.most();
    let pitch = Vec3::new(1.0, 0.75_f64.sqrt(), (2.0_f64 / 3.0).sqrt()) * spacing;
    let (Some((nx, x)), Some((ny, y)), Some((nz, z))) =
        (along(length.x, pitch.x), along(length.y, pitch.y), along(length.z, pitch.z))
    else {
        return Ok(Vec::new());
    };
    let first = low + sizes.most() + Vec3::new(x, y, z);
    let mut spheres = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            ex.check_stop()?;
            // Odd rows are half a step on, odd layers a third of a row.
            let shift = Vec3::new(
                if (j + k) % 2 == 1 { 0.5 * pitch.x } else { 0.0 },
                if k % 2 == 1 { pitch.y / 3.0 } else { 0.0 },
                0.0,
            );
            for i in 0..nx {
                let radius = sizes.draw(random);
                let at = first + Vec3::new(i as f64, j as f64, k as f64) * pitch + shift;
                if region.clearance(at) >= radius * (1.0 - ROUNDING) {
                    spheres.push((at, radius));
                }
            }
        }
    }
    Ok(spheres)
}

/// A point of the region for a sphere, all equally likely.
pub(crate) fn point_in(region: &Region, radius: f64, random: &mut Random, tries: usize) -> Option<Vec3> {
    let [low, high] = region.bounds();
    if (high - low).min_element() < 2.0 * radius {
        return None;
    }
    (0..tries).map(|_| random.point([low + radius, high - radius])).find(|x| region.clearance(*x) >= radius)
}

pub(super) fn poisson(
    ex: &Exec,
    region: &Region,
    sizes: &SizeTable,
    gap: f64,
    random: &mut Random,
) -> Result<Spheres> {
    check_length("gap", gap, 0.0, "finite and not below 0")?;
    check_count(0.75 * region.volume() / sizes.mean_volume())?;
    let mut room = Room::new(sizes.least(), sizes.most());
    let mut spheres = Spheres::new();
    let radius = sizes.draw(random);
    let Some(first) = point_in(region, radius, random, 100_000) else { return Ok(spheres) };
    room.add(first, radius);
    spheres.push((first, radius));
    let mut active = vec![0];
    // A size stays until it finds room: else small grains would come too often.
    let mut radius = sizes.draw(random);
    for round in 0.. {
        look(ex, round)?;
        if active.is_empty() {
            break;
        }
        let at = (random.unit() * active.len() as f64) as usize;
        let (centre, size): (Vec3, f64) = spheres[active[at]];
        let least = size + radius + gap;
        // Near points fill better than far ones.
        let found = (0..TRIES)
            .map(|_| centre + random.direction() * (least * (1.0 + random.unit().powi(2))))
            .find(|x| region.clearance(*x) >= radius && room.hit(*x, radius, gap).is_none());
        match found {
            Some(x) => {
                room.add(x, radius);
                active.push(spheres.len());
                spheres.push((x, radius));
                radius = sizes.draw(random);
            }
            None => {
                active.swap_remove(at);
            }
        }
    }
    Ok(spheres)
}
