//! What should be known of the density of a fluid: that it starts too full, or is not nearly incompressible for long.
//!
//! Only fluid inside counts, where the support of the kernel is full: at a free surface and in spray the density says
//! little. An impact compresses a fluid until sound has carried the pressure away, so it must last.

use huygens_kernel::Vec3;

use crate::fluid_view::FluidView;
use crate::sph::{Cells, FluidParticle, FluidSettings};

/// Share of the fluid inside that may be compressed for long.
const SHARE: f64 = 0.05;

/// Least sum of the kernel over its neighbours, over that on a lattice, of a particle inside.
const INSIDE: f64 = 0.9;

/// The sum of the kernel, over that on a lattice, above which particles are crowded.
const CROWDED: f64 = 1.1;

/// Most particles that are looked at.
const SAMPLES: usize = 4000;

/// Times that sound needs to cross the fluid for which a fluid of particles must be compressed, and steps for markers.
const CROSSINGS: f64 = 5.0;
const STEPS: f64 = 20.0;

/// Looks in that time.
const LOOKS: f64 = 8.0;

/// Variation of density that a speed of sound is recommended for.
const USUAL: f64 = 0.01;

/// Watches the density of a fluid, step after step.
#[derive(Clone, Debug, Default)]
pub struct DensityWatch {
    /// Since when much of it has been compressed [s].
    since: Option<f64>,
    /// Time of the next look [s].
    next: f64,
}

/// How far the density of the fluid inside is from that at rest.
struct Squeeze {
    /// Share of the fluid inside that is too far from it.
    share: f64,
    /// How far 95 % of it are at most.
    usual: f64,
    /// The farthest: how far, signed, and where [m].
    worst: f64,
    at: Vec3,
    /// Greatest speed inside [m/s].
    speed: f64,
}

/// Sums of a kernel over all neighbours of particles, over that on a lattice.
struct Packing<'a> {
    settings: &'a FluidSettings,
    lattice: f64,
}

impl<'a> Packing<'a> {
    fn new(settings: &'a FluidSettings) -> Self {
        let mut packing = Self { settings, lattice: 1.0 };
        let most = (settings.reach() / settings.spacing).ceil() as i32;
        let range = |k: usize| if settings.space.normal() == Some(k) { 0..=0 } else { -most..=most };
        let mut sum = 0.0;
        for i in range(0) {
            for j in range(1) {
                for k in range(2) {
                    let offset = Vec3::new(i.into(), j.into(), k.into()) * settings.spacing;
                    sum += packing.weight(offset.length());
                }
            }
        }
        packing.lattice = sum;
        packing
    }

    fn weight(&self, distance: f64) -> f64 {
        let FluidSettings { kernel, space, .. } = self.settings;
        kernel.value(space.dimension(), self.settings.length(), distance)
    }

    fn cells<'p>(&self, points: &'p [Vec3]) -> Cells<'p> {
        Cells::new(points, self.settings.reach(), self.settings.periodic)
    }

    fn at(&self, cells: &Cells<'_>, at: Vec3) -> f64 {
        let mut sum = 0.0;
        cells.each_near(at, |_, offset| sum += self.weight(offset.length()));
        sum / self.lattice
    }
}

/// What to say, in words, of a fluid that starts with particles crowded; nothing where they are not. `fluid` are its
/// particles and `markers` those of all solids [m].
pub fn crowding_warning(settings: &FluidSettings, fluid: &[Vec3], markers: &[Vec3]) -> Option<String> {
    let all: Vec<Vec3> = fluid.iter().chain(markers).copied().collect();
    let packing = Packing::new(settings);
    let cells = packing.cells(&all);
    let sampled: Vec<Vec3> = fluid.iter().step_by(fluid.len().div_ceil(SAMPLES).max(1)).copied().collect();
    let sums: Vec<f64> = sampled.iter().map(|at| packing.at(&cells, *at)).collect();
    let crowded = sums.iter().filter(|sum| **sum > CROWDED).count() as f64 / sums.len().max(1) as f64;
    let worst = (0..sums.len()).max_by(|a, b| sums[*a].total_cmp(&sums[*b]))?;
    (crowded > SHARE).then(|| {
        format!(
            "{:.0} % of its particles start crowded: at {} m there are {:.2} times as many as its spacing of {} m stands for, \
             and they will burst apart. List `points` at the spacing, or give a `region`",
            100.0 * crowded,
            shown(sampled[worst]),
            sums[worst],
            settings.spacing,
        )
    })
}

fn shown(at: Vec3) -> String {
    let [x, y, z] = at.to_array();
    format!("[{x:.3}, {y:.3}, {z:.3}]")
}

/// A number rounded up to two digits.
fn rounded_up(value: f64) -> f64 {
    let exponent = value.log10().floor() - 1.0;
    let digits = (value / 10.0_f64.powf(exponent)).ceil();
    // The text is the nearest number to that in decimals.
    format!("{digits}e{exponent}").parse().unwrap_or(value)
}

impl DensityWatch {
    /// Looks at a fluid after a step that ended at a time [s]; says in words, with advice, that much of it has not been nearly
    /// incompressible for long.
    pub fn look(&mut self, fluid: &FluidView<'_>, time: f64, step: f64) -> Option<String> {
        let limit = FluidSettings::COMPRESSED;
        if fluid.is_empty() || fluid.compressibility() <= limit {
            self.since = None;
            return None;
        }
        let window = match fluid {
            FluidView::Particles(system) => {
                let (count, d) = (system.len() as f64, system.settings().spacing);
                let across = d * count.powf(1.0 / system.settings().space.dimension().number() as f64);
                CROSSINGS * across / system.settings().sound
            }
            FluidView::Markers(..) => STEPS * step,
        };
        // A world may go back in time.
        if time < self.next && self.next - time <= window {
            return None;
        }
        self.next = time + window / LOOKS;
        let found = squeeze(fluid, limit).filter(|found| found.share >= SHARE);
        let Some(found) = found else {
            self.since = None;
            return None;
        };
        let since = *self.since.get_or_insert(time);
        if time < since {
            self.since = Some(time);
        }
        (time - since >= window * (1.0 - 1e-9)).then(|| said(fluid, &found, since, time))
    }
}

/// The state of the fluid inside; none where there is none.
fn squeeze(fluid: &FluidView<'_>, limit: f64) -> Option<Squeeze> {
    let sampled = |all: Vec<FluidParticle>| -> Vec<FluidParticle> {
        let every = all.len().div_ceil(SAMPLES).max(1);
        all.into_iter().step_by(every).collect()
    };
    let (inside, rest) = match fluid {
        FluidView::Particles(system) => {
            let settings = system.settings();
            let packing = Packing::new(settings);
            let points: Vec<Vec3> = system.fields.place.read().iter().map(|row| row.vector()).collect();
            let cells = packing.cells(&points);
            let full = |p: &FluidParticle| packing.at(&cells, p.position) >= INSIDE;
            (sampled(fluid.particles()).into_iter().filter(full).collect::<Vec<_>>(), settings.density)
        }
        // Densities are sums of the kernel themselves: those above that at rest are inside.
        FluidView::Markers(place, ..) => (fluid.particles(), place.settings().density),
    };
    let off = |p: &FluidParticle| p.density / rest - 1.0;
    let mut sizes: Vec<f64> = match fluid {
        FluidView::Particles(_) => inside.iter().map(|p| off(p).abs()).collect(),
        FluidView::Markers(..) => inside.iter().map(|p| off(p).max(0.0)).collect(),
    };
    let worst = (0..inside.len()).max_by(|a, b| sizes[*a].total_cmp(&sizes[*b]))?;
    let share = sizes.iter().filter(|size| **size > limit).count() as f64 / sizes.len() as f64;
    let speed = inside.iter().map(|p| p.velocity.length()).fold(0.0, f64::max);
    sizes.sort_by(f64::total_cmp);
    let usual = sizes[(0.95 * (sizes.len() - 1) as f64) as usize];
    Some(Squeeze { share, usual, worst: off(&inside[worst]), at: inside[worst].position, speed })
}

fn said(fluid: &FluidView<'_>, found: &Squeeze, since: f64, time: f64) -> String {
    let Squeeze { share, usual, worst, at, speed } = *found;
    let (how, percent) = (if worst < 0.0 { "stretched" } else { "compressed" }, 100.0 * worst.abs());
    let limit = 100.0 * FluidSettings::COMPRESSED;
    let mut text = format!(
        "{:.0} % of the fluid inside has been off its rest density by more than {limit:.0} % from t = {since:.4} s to \
         {time:.4} s; at {} m it is {how} by {percent:.1} %. ",
        100.0 * share,
        shown(at)
    );
    text += &match fluid {
        FluidView::Particles(system) => {
            let sound = system.settings().sound;
            let better = rounded_up(sound * (usual / USUAL).sqrt());
            format!(
                "The greatest speed inside, {speed:.3} m/s, is {:.3} of the speed of sound, {sound:.3} m/s (Mach number; at most \
                 0.1 is meant). `sound_speed = {better}` would bring the density within about 1 %, in steps {:.1} times \
                 shorter; {}",
                speed / sound,
                better / sound,
                match system.settings().shifting {
                    Some(_) => "a finer `spacing` helps where particles clump",
                    None => "a finer `spacing` or `shifting` helps where particles clump",
                }
            )
        }
        FluidView::Markers(..) => {
            "A shorter dt, more iterations (contact.rigid.max_iterations) or less `compliance` make the \
                                   fluid stiffer"
                .to_owned()
        }
    };
    text
}
