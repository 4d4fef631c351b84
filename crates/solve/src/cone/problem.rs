//! The cone problem and the interface of its solvers.

use super::projection::{Cone, FrictionLaw};
use super::rows::RowBlock;
use crate::SolveError;
use huygens_exec::Exec;

/// H⁻¹: block-diagonal for bodies, a factor of M − hR − h²K for implicit elements, a recursion for trees.
pub trait InverseInertia: Sync {
    /// Number of columns.
    fn dimension(&self) -> usize;
    /// v ← H⁻¹ f.
    fn apply(&self, ex: &Exec, f: &[f64], v: &mut [f64]);
    /// The 6 × 6 block of one item, row-major, where H⁻¹ is block-diagonal.
    fn block(&self, item: u32) -> Option<[f64; 36]>;
    /// Writes the diagonal of H⁻¹, or a close upper bound of it, and returns true; false if rows must not be scaled by
    /// it.
    fn diagonal(&self, _out: &mut [f64]) -> bool {
        false
    }
    /// All of H⁻¹, if it consists of bodies only: body i has the columns 6 i … 6 i + 5. Loops over contacts are several
    /// times faster with it.
    fn bodies(&self) -> Option<&[BodyInverse]> {
        None
    }
}

/// H⁻¹ of one rigid body with six columns, velocity of its centre of mass and angular velocity, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyInverse {
    /// Inverse of the mass [1/kg]; 0 for a body that does not move.
    pub inverse_mass: f64,
    /// Inverse of the inertia about the centre of mass, world axes: xx, yy, zz, xy, xz, yz [1/(kg·m²)].
    pub inverse_inertia: [f64; 6],
}

impl BodyInverse {
    /// H⁻¹ (force, torque).
    #[inline(always)]
    pub fn apply(&self, f: [f64; 6]) -> [f64; 6] {
        let (m, [xx, yy, zz, xy, xz, yz]) = (self.inverse_mass, self.inverse_inertia);
        [
            m * f[0],
            m * f[1],
            m * f[2],
            xx * f[3] + xy * f[4] + xz * f[5],
            xy * f[3] + yy * f[4] + yz * f[5],
            xz * f[3] + yz * f[4] + zz * f[5],
        ]
    }
}

/// A block-diagonal H⁻¹ of rigid bodies.
#[derive(Clone, Debug, Default)]
pub struct InverseInertiaBodies {
    bodies: Vec<BodyInverse>,
}

impl InverseInertiaBodies {
    /// Body i has the columns 6 i … 6 i + 5.
    pub fn new(bodies: Vec<BodyInverse>) -> Self {
        Self { bodies }
    }
}

impl InverseInertia for InverseInertiaBodies {
    fn dimension(&self) -> usize {
        6 * self.bodies.len()
    }

    fn apply(&self, ex: &Exec, f: &[f64], v: &mut [f64]) {
        ex.for_each_chunk(v, 6 * 256, |chunk, v| {
            for (k, v) in v.chunks_exact_mut(6).enumerate() {
                let item = 256 * chunk + k;
                let f = std::array::from_fn(|i| f[6 * item + i]);
                v.copy_from_slice(&self.bodies[item].apply(f));
            }
        });
    }

    fn block(&self, item: u32) -> Option<[f64; 36]> {
        let body = self.bodies.get(item as usize)?;
        let mut block = [0.0; 36];
        for c in 0..6 {
            let column = body.apply(std::array::from_fn(|i| f64::from(i == c)));
            (0..6).for_each(|r| block[6 * r + c] = column[r]);
        }
        Some(block)
    }

    fn bodies(&self) -> Option<&[BodyInverse]> {
        Some(&self.bodies)
    }
}

/// A block-diagonal H⁻¹ of equal blocks.
#[derive(Clone, Debug)]
pub struct InverseInertiaBlocks {
    size: usize,
    values: Vec<f64>,
}

impl InverseInertiaBlocks {
    /// Blocks of `size` × `size`, row-major, one after the other; size 1 is a diagonal.
    pub fn new(size: usize, values: Vec<f64>) -> Result<Self, SolveError> {
        let area = size * size;
        if area == 0 || !values.len().is_multiple_of(area) {
            let (expected, found) = (area, values.len());
            return Err(SolveError::Size { what: "values of inverse inertia blocks", expected, found });
        }
        Ok(Self { size, values })
    }

    /// The values, for refilling.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }
}

impl InverseInertia for InverseInertiaBlocks {
    fn dimension(&self) -> usize {
        self.values.len() / self.size
    }

    fn apply(&self, ex: &Exec, f: &[f64], v: &mut [f64]) {
        let n = self.size;
        let chunk = n * 256_usize.div_ceil(n);
        ex.for_each_chunk(v, chunk, |c, v| {
            let at = c * chunk;
            for (k, v) in v.chunks_exact_mut(n).enumerate() {
                let first = at + k * n;
                let block = &self.values[first * n..(first + n) * n];
                for (row, v) in block.chunks_exact(n).zip(v) {
                    *v = crate::dense::dot(row, &f[first..first + n]);
                }
            }
        });
    }

    fn block(&self, item: u32) -> Option<[f64; 36]> {
        let at = 36 * item as usize;
        if self.size != 6 { None } else { self.values.get(at..at + 36)?.try_into().ok() }
    }
}

/// The input of a cone solver.
#[derive(Clone, Copy)]
pub struct ConeProblem<'a> {
    /// H⁻¹.
    pub inverse: &'a dyn InverseInertia,
    /// Velocity without multipliers, v_free.
    pub free_velocity: &'a [f64],
    /// b of every row: Φ/h, stabilization, prescribed motion.
    pub bias: &'a [f64],
    /// Diagonal of E; empty for rigid rows.
    pub compliance: &'a [f64],
    /// D, block after block.
    pub rows: &'a [RowBlock<'a>],
    /// Cones of consecutive rows, covering all of them.
    pub cones: &'a [Cone],
    /// Law of the cones with friction.
    pub friction: FrictionLaw,
}

impl ConeProblem<'_> {
    /// Number of rows.
    pub fn row_count(&self) -> usize {
        self.rows.iter().map(|b| b.operator().rows()).sum()
    }

    /// The law of friction, which is the relaxed one where nothing rubs: solvers then need not care.
    pub(crate) fn law(&self) -> FrictionLaw {
        if self.cones.iter().any(Cone::rubs) { self.friction } else { FrictionLaw::Relaxed }
    }

    /// Checks that all sizes agree and all cones and numbers are valid.
    pub fn check(&self) -> Result<(), SolveError> {
        let rows = self.row_count();
        let columns = self.inverse.dimension();
        let covered = self.cones.iter().map(Cone::rows).sum();
        let compliance = if self.compliance.is_empty() { rows } else { self.compliance.len() };
        for (what, expected, found) in [
            ("rows of the cones", rows, covered),
            ("bias", rows, self.bias.len()),
            ("compliance", rows, compliance),
            ("free velocity", columns, self.free_velocity.len()),
        ] {
            if expected != found {
                return Err(SolveError::Size { what, expected, found });
            }
        }
        for block in self.rows {
            let (what, found) = match block {
                RowBlock::Pair(pair) => {
                    if let Some((contact, item)) = pair.wrong_item() {
                        return Err(SolveError::Item { contact, item, count: pair.item_count() });
                    }
                    ("columns of contacts", pair.first_column() + 6 * pair.item_count())
                }
                RowBlock::Sparse(sparse) => ("columns of sparse rows", sparse.column_count()),
                RowBlock::Operator(_) => continue,
            };
            if found > columns {
                return Err(SolveError::Size { what, expected: columns, found });
            }
        }
        if let Some(block) = self.bias.iter().chain(self.compliance).position(|x| !x.is_finite()) {
            return Err(SolveError::NonFinite { block: block % rows.max(1) });
        }
        match self.cones.iter().position(|c| !c.is_valid()) {
            Some(index) => Err(SolveError::Cone { index }),
            None => Ok(()),
        }
    }

    /// [`check`](Self::check), and that velocity and multipliers have the right size.
    pub fn check_with(&self, v: &[f64], l: &[f64]) -> Result<(), SolveError> {
        self.check()?;
        for (what, expected, found) in
            [("velocity", self.inverse.dimension(), v.len()), ("multipliers", self.row_count(), l.len())]
        {
            if expected != found {
                return Err(SolveError::Size { what, expected, found });
            }
        }
        Ok(())
    }

    /// y ← D v.
    pub fn apply_rows(&self, ex: &Exec, v: &[f64], y: &mut [f64]) {
        let mut rest = y;
        for block in self.rows {
            let (part, tail) = rest.split_at_mut(block.operator().rows());
            block.operator().apply(ex, v, part);
            rest = tail;
        }
    }

    /// f ← Dᵀ l.
    pub fn apply_transpose(&self, ex: &Exec, l: &[f64], f: &mut [f64]) {
        f.fill(0.0);
        let mut rest = l;
        for block in self.rows {
            let (part, tail) = rest.split_at(block.operator().rows());
            block.operator().add_transpose(ex, part, f);
            rest = tail;
        }
    }
}

/// Outcome of a cone solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConeReport {
    /// Number of iterations.
    pub iterations: usize,
    /// Products with N.
    pub products: usize,
    /// Residual of the result, a velocity.
    pub residual: f64,
    /// Whether the tolerance was met.
    pub converged: bool,
}

/// A solver of cone problems.
pub trait ConeSolver: Send {
    /// Name of the solver in settings and in the [list of solvers](super::SOLVERS).
    fn name(&self) -> &'static str;

    /// Sets the residual at which to stop [m/s].
    fn set_tolerance(&mut self, tolerance: f64);

    /// The property of the problem that the solver cannot handle, if any: a Gauss–Seidel sweep, for example, needs an
    /// inverse inertia that consists of bodies. [`ConeSolver::solve`] detects invalid numbers.
    fn refusal(&self, problem: &ConeProblem<'_>) -> Option<&'static str>;

    /// Whether the solver can handle the problem, determined before it starts.
    fn supports(&self, problem: &ConeProblem<'_>) -> bool {
        self.refusal(problem).is_none()
    }

    /// Whether the solver works on the blocks of H⁻¹ ([`InverseInertia::block`]), so that couplings between blocks,
    /// such as joints, are better given as rows of the problem than as part of H⁻¹.
    fn needs_blocks(&self) -> bool {
        false
    }

    /// Finds the multipliers `l`, starting from those given, and the velocity `v`.
    fn solve(
        &mut self,
        ex: &Exec,
        problem: &ConeProblem<'_>,
        v: &mut [f64],
        l: &mut [f64],
    ) -> Result<ConeReport, SolveError>;
}
