//! Fluids against closed forms: channels, decaying vortices, columns at rest, restart.

use std::f64::consts::PI;

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::sph::{Rheology, SmoothingKernel, StateEquation};
use huygens_particles::sph::{
    DensityFilter, FlowSpace, FluidInlet, FluidOutlet, FluidSettings, FluidSystem, Shifting, SolidId,
    SolidMotion, TimeScheme,
};
use huygens_spec::FluidSpec;

/// Lattice points of a box in the plane y = 0, in the middle of cells.
fn lattice(d: f64, low: [i64; 2], high: [i64; 2]) -> Vec<Vec3> {
    let at = |i: i64, k: i64| Vec3::new((i as f64 + 0.5) * d, 0.0, (k as f64 + 0.5) * d);
    (low[1]..high[1]).flat_map(|k| (low[0]..high[0]).map(move |i| at(i, k))).collect()
}

/// Velocity of plane Poiseuille flow from rest at height z of a channel of height H (morris1997, eq. 22).
fn poiseuille(force: f64, nu: f64, height: f64, z: f64, t: f64) -> f64 {
    let steady = 0.5 * force / nu * z * (height - z);
    let series = |n: i32| {
        let k = PI * f64::from(2 * n + 1) / height;
        4.0 * force / (nu * height * k.powi(3)) * (k * z).sin() * (-nu * k * k * t).exp()
    };
    steady - (0..40).map(series).sum::<f64>()
}

/// Flow between plates, driven by a force, started from the solution at one second.
fn channel(d: f64, scheme: TimeScheme) -> f64 {
    let (nu, force, rows) = (1e-3, 0.05, (0.2 / d).round() as i64);
    let period = 8.0 * d;
    let mut system = FluidSystem::new(FluidSettings {
        space: FlowSpace::Plane { normal: 1 },
        spacing: d,
        sound: 2.0,
        gravity: Vec3::new(force, 0.0, 0.0),
        rheology: Rheology::Newtonian { viscosity: 1.0 },
        state: StateEquation::Linear,
        kernel: SmoothingKernel::QuinticSpline,
        length_ratio: 1.0,
        scheme,
        periodic: [Some([0.0, period]), None, None],
        ..FluidSettings::default()
    })
    .unwrap();
    let height = rows as f64 * d;
    for at in lattice(d, [0, 0], [8, rows]) {
        system.add(at, Vec3::X * poiseuille(force, nu, height, at.z, 1.0)).unwrap();
    }
    let mut plates = lattice(d, [0, -4], [8, 0]);
    plates.extend(lattice(d, [0, rows], [8, rows + 4]));
    system.add_solid("plates", &plates, SolidMotion::default(), false).unwrap();
    system.run_for(&Exec::serial(), 1.0).unwrap();
    let square = |p: huygens_particles::sph::FluidParticle| {
        (p.velocity.x - poiseuille(force, nu, height, p.position.z, 2.0)).powi(2)
    };
    let rms = (system.particles().map(square).sum::<f64>() / system.len() as f64).sqrt();
    rms / poiseuille(force, nu, height, 0.5 * height, 2.0)
}

#[test]
fn flow_between_plates_grows_as_it_should_and_finer_is_better() {
    let [coarse, fine] = [0.02, 0.01].map(|d| channel(d, TimeScheme::Leapfrog));
    assert!(fine < 5e-3, "{coarse} {fine}");
    assert!(coarse / fine > 1.9, "order {}", (coarse / fine).log2());
    let other = channel(0.01, TimeScheme::PredictorCorrector);
    assert!(other < 5e-3, "{other}");
}

/// Decay of the energy of Taylor's vortices over the exact one.
fn vortices(settings: FluidSettings) -> f64 {
    let n = 40;
    let d = 1.0 / n as f64;
    let nu = 0.01;
    let mut system = FluidSystem::new(FluidSettings {
        space: FlowSpace::Plane { normal: 1 },
        spacing: d,
        sound: 10.0,
        gravity: Vec3::ZERO,
        density: 1.0,
        rheology: Rheology::Newtonian { viscosity: nu },
        state: StateEquation::Linear,
        periodic: [Some([0.0, 1.0]), None, Some([0.0, 1.0])],
        ..settings
    })
    .unwrap();
    for at in lattice(d, [0, 0], [n, n]) {
        let (x, z) = (2.0 * PI * at.x, 2.0 * PI * at.z);
        let pressure = -0.25 * ((2.0 * x).cos() + (2.0 * z).cos());
        let velocity = Vec3::new(-x.cos() * z.sin(), 0.0, x.sin() * z.cos());
        system.add_with_pressure(at, velocity, pressure).unwrap();
    }
    let before = system.kinetic_energy();
    let time = 0.4;
    system.run_for(&Exec::serial(), time).unwrap();
    (before / system.kinetic_energy()).ln() / (16.0 * PI * PI * nu * time)
}

#[test]
fn vortices_decay_at_the_rate_of_their_viscosity() {
    let rate = vortices(FluidSettings::default());
    assert!((rate - 1.0).abs() < 0.03, "{rate}");
}

/// A column of water in a tank, at its hydrostatic pressure.
fn column(settings: FluidSettings) -> FluidSystem {
    let d = 0.02;
    let (wide, high) = (20, 20);
    let depth = high as f64 * d;
    let sound = 20.0 * (9.81 * depth).sqrt();
    let space = FlowSpace::Plane { normal: 1 };
    let mut system = FluidSystem::new(FluidSettings { space, spacing: d, sound, ..settings }).unwrap();
    for at in lattice(d, [0, 0], [wide, high]) {
        system.add_with_pressure(at, Vec3::ZERO, 1000.0 * 9.81 * (depth - at.z)).unwrap();
    }
    let all = lattice(d, [-3, -3], [wide + 3, high + 8]);
    let inside = |at: &Vec3| at.x > 0.0 && at.x < wide as f64 * d && at.z > 0.0;
    let tank: Vec<Vec3> = all.into_iter().filter(|at| !inside(at)).collect();
    system.add_solid("tank", &tank, SolidMotion::default(), false).unwrap();
    system
}

#[test]
fn a_column_stays_and_its_pressure_is_its_depth() {
    let filters = [None, Some((DensityFilter::Shepard, 30)), Some((DensityFilter::Consistent, 30))];
    for density_filter in filters {
        let mut system =
            column(FluidSettings { artificial: 0.05, density_filter, ..FluidSettings::default() });
        system.run_for(&Exec::serial(), 1.0).unwrap();
        for z in [0.05, 0.1, 0.2, 0.3] {
            let (pressure, _) = system.at(Vec3::new(0.2, 0.0, z)).unwrap();
            let depth = 1000.0 * 9.81 * (0.4 - z);
            assert!(
                (pressure / depth - 1.0).abs() < 0.05,
                "{density_filter:?} at {z}: {pressure} of {depth}"
            );
        }
        let speed = system.range().speed;
        assert!(speed < 0.01 * (9.81_f64 * 0.4).sqrt(), "{density_filter:?}: {speed}");
        let weight = 1000.0 * 9.81 * 0.4 * 0.4;
        let [force, _] = system.solid_wrench(SolidId(0)).unwrap();
        assert!((force.z / -weight - 1.0).abs() < 0.01, "{density_filter:?}: {force}");
    }
}

#[test]
fn a_restart_has_the_same_bits() {
    let settings = FluidSettings {
        xsph: 0.3,
        artificial: 0.1,
        density_filter: Some((DensityFilter::Shepard, 7)),
        ..FluidSettings::default()
    };
    let mut whole = column(settings.clone());
    let ex = Exec::serial();
    whole.run(&ex, 1e-4, 37).unwrap();
    let bytes = whole.save();
    whole.run(&ex, 1e-4, 40).unwrap();
    let mut again = column(settings);
    again.restore(&bytes).unwrap();
    again.run(&ex, 1e-4, 40).unwrap();
    assert!(whole.save() == again.save());
    for cut in [0, 7, 100, bytes.len() / 2, bytes.len() - 1] {
        assert!(again.restore(&bytes[..cut]).is_err());
    }
    let mut torn = bytes.clone();
    for k in (0..torn.len()).step_by(torn.len() / 97) {
        torn[k] ^= 0x55;
        let _ = again.restore(&torn);
        torn[k] ^= 0x55;
    }
}

/// A stream through a channel that slips keeps its speed, and as much goes out as comes in.
#[test]
fn a_stream_comes_in_and_goes_out() {
    // Shifted until it has a surface, and always: particles that come in must drift with the others.
    flows_through(Shifting::default());
    flows_through(Shifting { free_surface: Some(true), ..Shifting::default() });
}

fn flows_through(shifting: Shifting) {
    let d = 0.02;
    let mut system = FluidSystem::new(FluidSettings {
        space: FlowSpace::Plane { normal: 1 },
        spacing: d,
        sound: 10.0,
        gravity: Vec3::ZERO,
        shifting: Some(shifting),
        ..FluidSettings::default()
    })
    .unwrap();
    let stream = Vec3::X * 0.5;
    for at in lattice(d, [0, 0], [20, 10]) {
        system.add(at, stream).unwrap();
    }
    let mut banks = lattice(d, [-6, -3], [30, 0]);
    banks.extend(lattice(d, [-6, 10], [30, 13]));
    system.add_solid("banks", &banks, SolidMotion::default(), true).unwrap();
    system
        .add_inlet(FluidInlet {
            name: "in".into(),
            center: Vec3::new(0.0, 0.0, 5.0 * d),
            velocity: stream,
            along: Vec3::Z,
            sides: [10.0 * d, 0.0],
        })
        .unwrap();
    system
        .add_outlet(FluidOutlet { name: "out".into(), point: Vec3::new(20.0 * d, 0.0, 0.0), normal: Vec3::X })
        .unwrap();
    system.run_for(&Exec::serial(), 1.0).unwrap();
    let [came, went] = [0, 1].map(|k| system.gate_counts()[k].particles);
    // Half a metre is 25 layers of ten.
    assert_eq!(came, 250);
    assert!((240..=260).contains(&went), "{went}");
    let off = system.particles().map(|p| (p.velocity - stream).length()).fold(0.0, f64::max);
    assert!(off < 0.02 * 0.5, "{off}");
}

#[test]
fn scenes_and_the_engine_have_the_same_defaults() {
    let engine = FluidSettings::default();
    let FluidSettings { spacing, sound, gravity, .. } = engine;
    let scene = FluidSettings::described(&FluidSpec::new("water", spacing), gravity, sound);
    assert_eq!(scene, engine);
}
