//! Modes against closed forms, and against stored reference sets where they are at hand.

use faer::Mat;
use huygens_solve::*;
use huygens_test_support::reference;
use std::path::Path;

/// A chain of n unit masses and springs between walls: ω_k = 2 sin(kπ / 2(n + 1)).
fn spring_chain(n: usize) -> (Mat<f64>, Mat<f64>) {
    let stiffness = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    });
    (Mat::identity(n, n), stiffness)
}

fn exact(n: usize, k: usize) -> f64 {
    2.0 * (k as f64 * std::f64::consts::PI / (2.0 * (n + 1) as f64)).sin()
}

#[test]
fn a_spring_chain_has_its_closed_form_frequencies() {
    let n = 12;
    let (mass, stiffness) = spring_chain(n);
    let system = LinearizedSystem {
        mass: mass.as_ref(),
        damping: None,
        stiffness: stiffness.as_ref(),
        constraints: None,
    };
    let modes = undamped_modes(&system).unwrap();
    let full = constrained_modes(&system).unwrap();
    assert_eq!((modes.eigenvalues.len(), full.eigenvalues.len()), (n, 2 * n));
    for k in 0..n {
        let omega = exact(n, k + 1);
        assert!((modes.frequency_hz[k] * std::f64::consts::TAU - omega).abs() < 1e-12);
        for (member, sign) in [(2 * k, 1.0), (2 * k + 1, -1.0)] {
            assert!((full.eigenvalues[member] - faer::c64::new(0.0, sign * omega)).norm() < 1e-10);
        }
    }
}

#[test]
fn constraints_hold_masses_and_ties_join_them() {
    // Holding the middle mass of 2n + 1 leaves two chains of n; the row is given twice, once scaled.
    let n = 5;
    let (mass, stiffness) = spring_chain(2 * n + 1);
    let hold = Mat::from_fn(2, 2 * n + 1, |r, c| if c == n { 1.0 + r as f64 } else { 0.0 });
    let damping = &stiffness * faer::Scale(0.1);
    let system = LinearizedSystem {
        mass: mass.as_ref(),
        damping: Some(damping.as_ref()),
        stiffness: stiffness.as_ref(),
        constraints: Some(hold.as_ref()),
    };
    let modes = constrained_modes(&system).unwrap();
    assert_eq!(modes.eigenvalues.len(), 4 * n);
    for k in 0..4 * n {
        // Damping proportional to stiffness: ζ = 0.1 ω / 2.
        let omega = exact(n, k / 4 + 1);
        assert!((modes.frequency_hz[k] * std::f64::consts::TAU - omega).abs() < 1e-8);
        assert!((modes.damping_ratio[k] - 0.05 * omega).abs() < 1e-8);
        assert!(modes.shapes[(n, k)].norm() < 1e-12);
    }
    // A pair of masses, one spring to ground, tied rigidly: ω² = k / (m₁ + m₂).
    let mass = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 + 2.0 * i as f64 } else { 0.0 });
    let stiffness = Mat::from_fn(2, 2, |i, j| if i + j == 0 { 9.0 } else { 0.0 });
    let tie = Mat::from_fn(1, 2, |_, c| if c == 0 { 1.0 } else { -1.0 });
    let system = LinearizedSystem {
        mass: mass.as_ref(),
        damping: None,
        stiffness: stiffness.as_ref(),
        constraints: Some(tie.as_ref()),
    };
    let modes = undamped_modes(&system).unwrap();
    assert!((modes.eigenvalues[0].im - 1.5).abs() < 1e-14 && modes.eigenvalues.len() == 1);
}

#[test]
fn unknowns_without_inertia_have_no_mode() {
    // Two springs in series (4 and 12, together 3) through a massless point, and a mass of 3/4: ω = 2.
    let mass = Mat::from_fn(2, 2, |i, j| if i + j == 2 { 0.75 } else { 0.0 });
    let stiffness = Mat::from_fn(2, 2, |i, j| match i + j {
        0 => 16.0,
        1 => -12.0,
        _ => 12.0,
    });
    let system = LinearizedSystem {
        mass: mass.as_ref(),
        damping: None,
        stiffness: stiffness.as_ref(),
        constraints: None,
    };
    let modes = constrained_modes(&system).unwrap();
    assert_eq!(modes.eigenvalues.len(), 2, "{:?}", modes.eigenvalues);
    assert!((modes.eigenvalues[0] - faer::c64::new(0.0, 2.0)).norm() < 1e-7, "{:?}", modes.eigenvalues);
}

#[test]
fn wrong_systems_are_errors() {
    let (mass, stiffness) = spring_chain(3);
    let (other, _) = spring_chain(2);
    let negative = &mass * faer::Scale(-1.0);
    let system = |m, k| LinearizedSystem { mass: m, damping: None, stiffness: k, constraints: None };
    assert!(matches!(
        constrained_modes(&system(mass.as_ref(), other.as_ref())),
        Err(SolveError::Size { expected: 3, found: 2, .. })
    ));
    assert!(matches!(
        undamped_modes(&system(negative.as_ref(), stiffness.as_ref())),
        Err(SolveError::Indefinite { .. })
    ));
    let mut broken = stiffness.clone();
    broken[(1, 2)] = f64::NAN;
    assert_eq!(
        constrained_modes(&system(mass.as_ref(), broken.as_ref())).unwrap_err(),
        SolveError::NonFinite { block: 1 }
    );
}

/// A MatrixMarket file, coordinate or array, real, integer or complex (real part and imaginary part), expanded.
fn read_matrix(path: &Path) -> (Mat<f64>, Mat<f64>) {
    let text = std::fs::read_to_string(path).unwrap();
    let header = text.lines().next().unwrap();
    let (coordinate, complex) = (header.contains("coordinate"), header.contains("complex"));
    let symmetric = header.contains("symmetric");
    let mut lines = text.lines().filter(|l| !l.starts_with('%') && !l.trim().is_empty());
    let numbers = |l: &str| l.split_whitespace().map(|x| x.parse::<f64>().unwrap()).collect::<Vec<_>>();
    let size = numbers(lines.next().unwrap());
    let (rows, columns) = (size[0] as usize, size[1] as usize);
    let (mut re, mut im) = (Mat::zeros(rows, columns), Mat::zeros(rows, columns));
    for (k, line) in lines.enumerate() {
        let x = numbers(line);
        let (r, c, x) = if coordinate {
            (x[0] as usize - 1, x[1] as usize - 1, &x[2..])
        } else {
            (k % rows, k / rows, &x[..])
        };
        re[(r, c)] = x[0];
        im[(r, c)] = if complex { x[1] } else { 0.0 };
        if symmetric {
            re[(c, r)] = x[0];
        }
    }
    (re, im)
}

fn matrix(folder: &Path, name: &str, kind: &str) -> Mat<f64> {
    read_matrix(&folder.join(name).join(format!("{name}_{kind}.txt"))).0
}

#[test]
fn modes_agree_with_reference_sets() {
    let Some(folder) = reference("fea/eigensolver") else { return };
    for name in ["SymKMCq", "UnsymKMCq", "SymKMCq_multifreq", "SymKMCqChrono", "KRMCq"] {
        let (k, m, c) = (matrix(&folder, name, "K"), matrix(&folder, name, "M"), matrix(&folder, name, "Cq"));
        let r = (name == "KRMCq").then(|| matrix(&folder, name, "R"));
        let system = LinearizedSystem {
            mass: m.as_ref(),
            damping: r.as_ref().map(|r| r.as_ref()),
            stiffness: k.as_ref(),
            constraints: Some(c.as_ref()),
        };
        let modes = constrained_modes(&system).unwrap();
        let (re, im) = read_matrix(&folder.join(name).join(format!("{name}_eigvals_MATLAB.txt")));
        for i in 0..re.nrows() {
            let expected = faer::c64::new(re[(i, 0)], im[(i, 0)]);
            // The undamped sets list λ = s² of −K x = λ M x.
            let power = |s: &faer::c64| if r.is_some() { *s } else { s * s };
            let nearest =
                modes.eigenvalues.iter().map(|s| (power(s) - expected).norm()).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-7 * (1.0 + expected.norm()), "{name}: {expected} missed by {nearest:e}");
        }
        let satisfied = (Mat::from_fn(c.nrows(), c.ncols(), |i, j| faer::c64::new(c[(i, j)], 0.0))
            * &modes.shapes)
            .norm_max();
        assert!(satisfied < 1e-10);
    }
}
