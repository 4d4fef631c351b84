//! Eigenvalues near a shift against closed forms and, where they are at hand, stored reference sets.

use faer::c64;
use huygens_solve::eigen_sparse::{lanczos, shift_invert_arnoldi};
use huygens_solve::*;
use huygens_test_support::reference;
use std::path::{Path, PathBuf};

type Entries = Vec<(usize, usize, f64)>;

/// `copies` separate chains of n unit masses and springs between walls: ω_k = 2 sin(kπ / 2(n + 1)), each that often.
fn chains(n: usize, copies: usize) -> SparseMatrix {
    let mut entries = Entries::new();
    for k in 0..n * copies {
        entries.push((k, k, 2.0));
        if k % n > 0 {
            entries.push((k, k - 1, -1.0));
            entries.push((k - 1, k, -1.0));
        }
    }
    SparseMatrix::from_entries(n * copies, n * copies, &entries).unwrap()
}

fn exact(n: usize, k: usize) -> f64 {
    (2.0 * (k as f64 * std::f64::consts::PI / (2.0 * (n + 1) as f64)).sin()).powi(2)
}

fn shifted(k: &SparseMatrix, shift: f64) -> SparseCholesky {
    let mut entries: Entries =
        (0..k.columns()).flat_map(|c| k.column(c).map(move |(r, v)| (r, c, v)).collect::<Vec<_>>()).collect();
    entries.extend((0..k.columns()).map(|c| (c, c, -shift)));
    let matrix = SparseMatrix::from_entries(k.rows(), k.rows(), &entries).unwrap();
    let mut factor = SparseCholesky::new(&matrix, SparseParallelism::Serial).unwrap();
    factor.factor(&matrix).unwrap();
    factor
}

#[test]
fn lanczos_finds_the_frequencies_of_a_long_chain_next_to_the_shift() {
    let n = 3000;
    let k = chains(n, 1);
    // At the low end, and inside the spectrum: between the 1000th and the 1001st.
    for (shift, first) in [(-1e-6, 1), (0.5 * (exact(n, 1000) + exact(n, 1001)), 997)] {
        let mut factor = shifted(&k, shift);
        let request = EigenRequest::new(8, shift);
        let mut solve = |b: &[f64], x: &mut [f64]| {
            x.copy_from_slice(b);
            factor.solve(x)
        };
        let modes = shift_invert_lanczos(n, &request, &mut solve, &|x, y| y.copy_from_slice(x)).unwrap();
        let mut values = modes.eigenvalues.clone();
        values.sort_by(f64::total_cmp);
        for (i, value) in values.iter().enumerate() {
            let truth = exact(n, first + i);
            assert!((value - truth).abs() < 1e-9 * truth, "{shift}: {value} for {truth}");
        }
        for (value, x) in modes.eigenvalues.iter().zip(&modes.vectors) {
            let mut y = vec![0.0; n];
            k.mul(x, &mut y);
            let left: f64 = y.iter().zip(x).map(|(y, x)| (y - value * x).powi(2)).sum();
            assert!(left.sqrt() < 1e-9, "residual {left:e}");
            assert!((x.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn eigenvalues_that_occur_six_times_are_found_six_times() {
    let (n, copies) = (40, 6);
    let k = chains(n, copies);
    let mut factor = shifted(&k, 0.0);
    let mut solve = |b: &[f64], x: &mut [f64]| {
        x.copy_from_slice(b);
        factor.solve(x)
    };
    let modes = shift_invert_lanczos(n * copies, &EigenRequest::new(12, 0.0), &mut solve, &|x, y| {
        y.copy_from_slice(x)
    })
    .unwrap();
    for (i, value) in modes.eigenvalues.iter().enumerate() {
        assert!((value - exact(n, 1 + i / copies)).abs() < 1e-10, "{i}: {value}");
    }
}

#[test]
fn unknowns_without_mass_and_asking_for_more_than_there_is_are_no_trouble() {
    // Two springs in series (4 and 12, together 3) through a massless point, and a mass of 3/4: ω² = 4.
    let mut solve = |b: &[f64], x: &mut [f64]| {
        let det = 16.0 * 12.0 - 144.0;
        (x[0], x[1]) = ((12.0 * b[0] + 12.0 * b[1]) / det, (12.0 * b[0] + 16.0 * b[1]) / det);
        Ok(())
    };
    let mass = |x: &[f64], y: &mut [f64]| (y[0], y[1]) = (0.0, 0.75 * x[1]);
    let modes = shift_invert_lanczos(2, &EigenRequest::new(2, 0.0), &mut solve, &mass).unwrap();
    assert_eq!(modes.eigenvalues.len(), 1);
    assert!((modes.eigenvalues[0] - 4.0).abs() < 1e-12, "{:?}", modes.eigenvalues);
    assert!((modes.vectors[0][0] / modes.vectors[0][1] - 0.75).abs() < 1e-12);
    let mut broken = |_: &[f64], x: &mut [f64]| {
        x.fill(f64::NAN);
        Ok(())
    };
    let error = lanczos(2, &EigenRequest::new(1, 0.0), &mut broken, &mass).unwrap_err();
    assert_eq!(error, SolveError::NonFinite { block: 0 });
}

#[test]
fn arnoldi_finds_complex_pairs_of_a_damped_rotation() {
    // Blocks [a b; −b a] have the eigenvalues a ± ib; the pairs nearest to 0 come first and are complete.
    let n = 400;
    let pair = |k: usize| (-0.01 * (k + 1) as f64, 0.1 * (k + 1) as f64);
    let mut solve = |x: &[f64], y: &mut [f64]| {
        for k in 0..n / 2 {
            let (a, b) = pair(k);
            let d = a * a + b * b;
            (y[2 * k], y[2 * k + 1]) =
                ((a * x[2 * k] - b * x[2 * k + 1]) / d, (b * x[2 * k] + a * x[2 * k + 1]) / d);
        }
        Ok(())
    };
    let found = shift_invert_arnoldi(n, &EigenRequest::new(5, 0.0), &mut solve).unwrap();
    assert_eq!(found.eigenvalues.len(), 6);
    for (k, value) in found.eigenvalues.iter().enumerate() {
        let (a, b) = pair(k / 2);
        assert!((value - c64::new(a, b)).norm().min((value - c64::new(a, -b)).norm()) < 1e-8, "{value}");
    }
}

/// Entries of a MatrixMarket file (real part, imaginary part), symmetric ones expanded, and its size.
fn read(path: &Path) -> (Vec<(usize, usize, c64)>, usize, usize) {
    let text = std::fs::read_to_string(path).unwrap();
    let header = text.lines().next().unwrap();
    let coordinate = header.contains("coordinate");
    let symmetric = header.contains("symmetric") && coordinate;
    let mut lines = text.lines().filter(|l| !l.starts_with('%') && !l.trim().is_empty());
    let numbers = |l: &str| l.split_whitespace().map(|x| x.parse::<f64>().unwrap()).collect::<Vec<_>>();
    let size = numbers(lines.next().unwrap());
    let (rows, columns) = (size[0] as usize, size[1] as usize);
    let mut entries = Vec::new();
    for (k, line) in lines.enumerate() {
        let x = numbers(line);
        let (r, c, x) = if coordinate {
            (x[0] as usize - 1, x[1] as usize - 1, &x[2..])
        } else {
            (k % rows, k / rows, &x[..])
        };
        let value = c64::new(x[0], x.get(1).copied().unwrap_or(0.0));
        entries.push((r, c, value));
        if symmetric && r != c {
            entries.push((c, r, value));
        }
    }
    (entries, rows, columns)
}

struct Set<'a> {
    folder: &'a Path,
    name: &'a str,
}

impl Set<'_> {
    fn path(&self, kind: &str) -> PathBuf {
        self.folder.join(self.name).join(format!("{}_{kind}.txt", self.name))
    }

    /// Entries of a real matrix, moved by (row, column) and scaled.
    fn part(&self, kind: &str, row: usize, column: usize, scale: f64) -> Entries {
        read(&self.path(kind)).0.into_iter().map(|(r, c, v)| (r + row, c + column, scale * v.re)).collect()
    }

    fn size(&self, kind: &str) -> (usize, usize) {
        let (_, rows, columns) = read(&self.path(kind));
        (rows, columns)
    }

    fn number(&self, kind: &str) -> f64 {
        read(&self.path(kind)).0[0].2.re
    }

    /// A and B of A x = s B x: −K, −C, M; with R in first-order form for (x, ẋ, λ); or as stored.
    fn pencil(&self) -> (SparseMatrix, SparseMatrix) {
        let transposed = |e: Entries| e.into_iter().map(|(r, c, v)| (c, r, v)).collect::<Entries>();
        if self.name == "SymAB" {
            let n = self.size("A").0;
            let whole = |kind: &str| SparseMatrix::from_entries(n, n, &self.part(kind, 0, 0, 1.0)).unwrap();
            return (whole("A"), whole("B"));
        }
        let (rows, n) = self.size("Cq");
        let damped = self.name == "KRMCq";
        let first = if damped { n } else { 0 };
        let total = first + n + rows;
        let mut a = self.part("K", first, 0, -1.0);
        a.extend(transposed(self.part("Cq", first + n, first, -1.0)));
        a.extend(self.part("Cq", first + n, 0, -1.0));
        let mut b = self.part("M", first, first, 1.0);
        if damped {
            a.extend((0..n).map(|k| (k, n + k, 1.0)));
            a.extend(self.part("R", n, n, -1.0));
            b.extend((0..n).map(|k| (k, k, 1.0)));
        }
        let matrix = |e: &Entries| SparseMatrix::from_entries(total, total, e).unwrap();
        (matrix(&a), matrix(&b))
    }
}

#[test]
fn spectra_agree_with_the_reference_sets() {
    let Some(folder) = reference("fea/eigensolver") else { return };
    for (name, suffix) in [
        ("SymAB", ""),
        ("SymKMCq", ""),
        ("SymKMCqChrono", ""),
        ("SymKMCq_multifreq", "_1"),
        ("SymKMCq_multifreq", "_2"),
        ("UnsymKMCq", ""),
        ("KRMCq", ""),
    ] {
        let set = Set { folder: &folder, name };
        let (a, b) = set.pencil();
        let count = set.number(&format!("reqeigs{suffix}")) as usize;
        let shift = set.number(&format!("sigma{suffix}"));
        let found = sparse_spectrum(&a, &b, &EigenRequest::new(count, shift)).unwrap();
        let mut expected: Vec<c64> =
            read(&set.path("eigvals_MATLAB")).0.into_iter().map(|(_, _, v)| v).collect();
        expected.sort_by(|x, y| (x - shift).norm().total_cmp(&(y - shift).norm()));
        assert!(found.eigenvalues.len() >= count);
        for truth in expected.iter().take(count) {
            let off = found.eigenvalues.iter().map(|s| (s - truth).norm()).fold(f64::INFINITY, f64::min);
            assert!(off < 1e-6 * (1.0 + truth.norm()), "{name}: {truth} is missed by {off:e}");
        }
        for (s, x) in found.eigenvalues.iter().zip(&found.vectors) {
            let part = |f: fn(&c64) -> f64, m: &SparseMatrix| {
                let mut y = vec![0.0; x.len()];
                m.mul(&x.iter().map(f).collect::<Vec<_>>(), &mut y);
                y
            };
            let complex = |m: &SparseMatrix| {
                let (re, im) = (part(|v| v.re, m), part(|v| v.im, m));
                re.into_iter().zip(im).map(|(a, b)| c64::new(a, b)).collect::<Vec<_>>()
            };
            let (ax, bx) = (complex(&a), complex(&b));
            let size: f64 = ax.iter().map(|v| v.norm_sqr()).sum::<f64>().sqrt();
            let left: f64 = ax.iter().zip(&bx).map(|(a, b)| (a - s * b).norm_sqr()).sum::<f64>().sqrt();
            assert!(left < 1e-6 * (1.0 + size), "{name}: residual {left:e} of {s}");
        }
    }
}

#[test]
fn lanczos_agrees_with_the_reference_set_of_a_constrained_beam() {
    let Some(folder) = reference("fea/eigensolver") else { return };
    let set = Set { folder: &folder, name: "SymKMCqChrono" };
    let (a, b) = set.pencil();
    let (rows, n) = set.size("Cq");
    let (count, shift) = (set.number("reqeigs") as usize, set.number("sigma"));
    let mut entries: Entries = Vec::new();
    for c in 0..n + rows {
        entries.extend(a.column(c).map(|(r, v)| (r, c, v)));
        entries.extend(b.column(c).map(|(r, v)| (r, c, -shift * v)));
    }
    let matrix = SparseMatrix::from_entries(n + rows, n + rows, &entries).unwrap();
    let mut lu = SparseLu::new(&matrix, SparseParallelism::Serial).unwrap();
    lu.factor(&matrix).unwrap();
    let mut whole = vec![0.0; n + rows];
    let mut solve = |f: &[f64], x: &mut [f64]| {
        whole.fill(0.0);
        whole[..n].copy_from_slice(f);
        lu.solve(&mut whole)?;
        x.copy_from_slice(&whole[..n]);
        Ok(())
    };
    let mass = |x: &[f64], y: &mut [f64]| {
        let mut long = vec![0.0; n + rows];
        b.mul(&[x, &vec![0.0; rows][..]].concat(), &mut long);
        y.copy_from_slice(&long[..n]);
    };
    let modes = shift_invert_lanczos(n, &EigenRequest::new(count, shift), &mut solve, &mass).unwrap();
    let expected = read(&set.path("eigvals_MATLAB")).0;
    for (_, _, truth) in expected.iter().take(count) {
        let off = modes.eigenvalues.iter().map(|s| (s - truth.re).abs()).fold(f64::INFINITY, f64::min);
        assert!(off < 1e-6 * (1.0 + truth.re), "{truth} is missed by {off:e}: {:?}", modes.eigenvalues);
    }
}
