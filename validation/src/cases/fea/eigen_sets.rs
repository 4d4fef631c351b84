//! Eigenproblems with rows, damping, unsymmetric matrices and several shifts.

use huygens_solve::faer::c64;
use huygens_solve::{EigenRequest, SparseMatrix, sparse_spectrum};

use crate::Context;
use crate::error::{CaseError, Result};
use crate::reference::Reference;
use crate::report::Check;

type Entries = Vec<(usize, usize, f64)>;

const SETS: [(&str, &str); 7] = [
    ("SymAB", ""),
    ("SymKMCq", ""),
    ("SymKMCqChrono", ""),
    ("SymKMCq_multifreq", "_1"),
    ("SymKMCq_multifreq", "_2"),
    ("UnsymKMCq", ""),
    ("KRMCq", ""),
];

/// A matrix of a MatrixMarket file.
struct Stored {
    rows: usize,
    columns: usize,
    entries: Vec<(usize, usize, c64)>,
}

/// One set of files.
struct Set<'a> {
    reference: &'a Reference,
    name: &'a str,
}

impl Set<'_> {
    fn stored(&self, kind: &str) -> Result<Stored> {
        let file = format!("fea/eigensolver/{0}/{0}_{kind}.txt", self.name);
        let text = self.reference.text(&file)?;
        let wrong = |reason: String| CaseError::Reference { file: file.clone(), reason };
        let head = text.lines().next().unwrap_or_default();
        let coordinate = head.contains("coordinate");
        let symmetric = head.contains("symmetric") && coordinate;
        let numbers = |line: &str| -> Result<Vec<f64>> {
            let number = |x: &str| x.parse::<f64>().map_err(|e| wrong(format!("'{x}': {e}")));
            line.split_whitespace().map(number).collect()
        };
        let mut lines = text.lines().filter(|l| !l.starts_with('%') && !l.trim().is_empty());
        let size = numbers(lines.next().ok_or_else(|| wrong("it is empty".into()))?)?;
        let [rows, columns] = [0, 1].map(|k| size.get(k).map_or(0, |x| *x as usize));
        let mut entries = Vec::new();
        for (k, line) in lines.enumerate() {
            let x = numbers(line)?;
            let (r, c, x) = match (coordinate, &x[..]) {
                (true, [r, c, x @ ..]) => (*r as usize - 1, *c as usize - 1, x),
                (_, x) => (k % rows, k / rows, x),
            };
            let value = c64::new(
                x.first().copied().ok_or_else(|| wrong(format!("no number in '{line}'")))?,
                x.get(1).copied().unwrap_or(0.0),
            );
            entries.push((r, c, value));
            if symmetric && r != c {
                entries.push((c, r, value));
            }
        }
        Ok(Stored { rows, columns, entries })
    }

    /// Entries of a real matrix, moved by a row and a column, with the other sign.
    fn part(&self, kind: &str, row: usize, column: usize, scale: f64) -> Result<Entries> {
        let entries = self.stored(kind)?.entries;
        Ok(entries.into_iter().map(|(r, c, v)| (r + row, c + column, scale * v.re)).collect())
    }

    fn number(&self, kind: &str) -> Result<f64> {
        Ok(self.stored(kind)?.entries.first().map_or(f64::NAN, |e| e.2.re))
    }

    /// A and B of A x = s B x: −K, −C, M; with R in first-order form for (x, ẋ, λ); or as stored.
    fn pencil(&self) -> Result<(SparseMatrix, SparseMatrix)> {
        if self.name == "SymAB" {
            let n = self.stored("A")?.rows;
            let whole = |kind: &str| -> Result<SparseMatrix> {
                Ok(SparseMatrix::from_entries(n, n, &self.part(kind, 0, 0, 1.0)?)?)
            };
            return Ok((whole("A")?, whole("B")?));
        }
        let Stored { rows, columns: n, .. } = self.stored("Cq")?;
        let damped = self.name == "KRMCq";
        let first = if damped { n } else { 0 };
        let total = first + n + rows;
        let mut a = self.part("K", first, 0, -1.0)?;
        let joined = self.part("Cq", first + n, 0, -1.0)?;
        // The transposed rows act on the equations of motion, which come after the kinematic ones.
        a.extend(joined.iter().map(|(r, c, v)| (c + first, *r, *v)));
        a.extend(joined);
        let mut b = self.part("M", first, first, 1.0)?;
        if damped {
            a.extend((0..n).map(|k| (k, n + k, 1.0)));
            a.extend(self.part("R", n, n, -1.0)?);
            b.extend((0..n).map(|k| (k, k, 1.0)));
        }
        Ok((SparseMatrix::from_entries(total, total, &a)?, SparseMatrix::from_entries(total, total, &b)?))
    }
}

fn product(m: &SparseMatrix, x: &[c64]) -> Vec<c64> {
    let part = |f: fn(&c64) -> f64| {
        let mut y = vec![0.0; x.len()];
        m.mul(&x.iter().map(f).collect::<Vec<_>>(), &mut y);
        y
    };
    part(|v| v.re).into_iter().zip(part(|v| v.im)).map(|(re, im)| c64::new(re, im)).collect()
}

/// Largest residual |A x − s B x| over 1 + |A x|.
fn residual(a: &SparseMatrix, b: &SparseMatrix, values: &[c64], vectors: &[Vec<c64>]) -> f64 {
    let size = |x: &[c64]| x.iter().map(|v| v.re * v.re + v.im * v.im).sum::<f64>().sqrt();
    let one = |(s, x): (&c64, &Vec<c64>)| {
        let (ax, bx) = (product(a, x), product(b, x));
        let left: Vec<c64> = ax.iter().zip(&bx).map(|(a, b)| *a - *s * *b).collect();
        size(&left) / (1.0 + size(&ax))
    };
    values.iter().zip(vectors).map(one).fold(0.0, f64::max)
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for (name, suffix) in SETS {
        let set = Set { reference: &context.reference, name };
        let (a, b) = set.pencil()?;
        let count = set.number(&format!("reqeigs{suffix}"))? as usize;
        let shift = set.number(&format!("sigma{suffix}"))?;
        let found = sparse_spectrum(&a, &b, &EigenRequest::new(count, shift))?;
        let apart = |x: &c64, y: &c64| (x.re - y.re).hypot(x.im - y.im);
        let sigma = c64::new(shift, 0.0);
        let mut expected: Vec<c64> = set.stored("eigvals_MATLAB")?.entries.iter().map(|e| e.2).collect();
        expected.sort_by(|x, y| apart(x, &sigma).total_cmp(&apart(y, &sigma)));
        let missed = expected.iter().take(count).map(|truth| {
            let off = found.eigenvalues.iter().map(|s| apart(s, truth)).fold(f64::INFINITY, f64::min);
            off / (1.0 + truth.re.hypot(truth.im))
        });
        let what = format!("{name}{suffix}: {count} eigenvalues");
        checks.push(Check::error(format!("{what}, relative"), missed.fold(0.0, f64::max), 1e-3));
        let left = residual(&a, &b, &found.eigenvalues, &found.vectors);
        checks.push(Check::error(format!("{what}, residual"), left, 1e-3));
    }
    Ok(checks)
}
