//! The inequalities of the cones as half-lines and second-order cones, with Nesterov–Todd scaling.
//!
//! Every cone becomes s = A γ + a ∈ 𝒞 with 𝒞 a product of half-lines and cones s₀ ≥ ‖s₁‖; each such element carries
//! its slack s, its dual z and the scaling W with W z = W⁻¹ s = λ (`nesterov1997`).

use crate::cone::Cone;

/// s = sign · γ + offset ≥ 0.
#[derive(Clone, Copy, Debug, Default)]
struct HalfLine {
    row: usize,
    sign: f64,
    offset: f64,
    s: f64,
    z: f64,
    lambda: f64,
    /// W⁻¹ = √(z / s).
    inverse: f64,
    /// Target of W⁻¹ Δs + W Δz, and the two terms of the direction.
    target: f64,
    ds: f64,
    dz: f64,
}

/// s = (k (γ_n + cohesion), γ_t) with s₀ ≥ ‖s₁‖; γ_t has one row (spinning) or two, the missing one being zero.
#[derive(Clone, Copy, Debug, Default)]
struct Disk {
    normal: usize,
    tangent: usize,
    width: usize,
    coefficient: f64,
    cohesion: f64,
    s: [f64; 3],
    z: [f64; 3],
    lambda: [f64; 3],
    /// W = η [w₀ w₁ᵀ; w₁ 1 + w₁ w₁ᵀ / (1 + w₀)], w₀² − ‖w₁‖² = 1.
    w: [f64; 3],
    eta: f64,
    target: [f64; 3],
    ds: [f64; 3],
    dz: [f64; 3],
}

/// s₀² − ‖s₁‖², without cancelling squares.
fn determinant(s: [f64; 3]) -> f64 {
    let size = s[1].hypot(s[2]);
    (s[0] - size) * (s[0] + size)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The product a ∘ b = (a·b, a₀ b₁ + b₀ a₁).
fn product(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [dot(a, b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]]
}

/// u with a ∘ u = b.
fn quotient(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    let first = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / determinant(a);
    [first, (b[1] - first * a[1]) / a[0], (b[2] - first * a[2]) / a[0]]
}

/// Largest step that keeps x + α d inside, by the hyperbolic reflection that takes x to the axis.
fn reach(x: [f64; 3], d: [f64; 3]) -> f64 {
    let size = determinant(x).sqrt();
    let unit = x.map(|x| x / size);
    let along = unit[0] * d[0] - unit[1] * d[1] - unit[2] * d[2];
    let slope = (along + d[0]) / (unit[0] + 1.0);
    let side = (d[1] - slope * unit[1]).hypot(d[2] - slope * unit[2]);
    if side > along { size / (side - along) } else { f64::INFINITY }
}

impl Disk {
    fn read(&self, x: &[f64]) -> [f64; 3] {
        let second = if self.width == 2 { x[self.tangent + 1] } else { 0.0 };
        [self.coefficient * x[self.normal], x[self.tangent], second]
    }

    fn add_transpose(&self, s: [f64; 3], y: &mut [f64]) {
        y[self.normal] += self.coefficient * s[0];
        (0..self.width).for_each(|i| y[self.tangent + i] += s[1 + i]);
    }

    /// W x.
    fn scale(&self, x: [f64; 3]) -> [f64; 3] {
        turn(self.w, x).map(|y| self.eta * y)
    }

    /// W⁻¹ x.
    fn scale_inverse(&self, x: [f64; 3]) -> [f64; 3] {
        turn([self.w[0], -self.w[1], -self.w[2]], x).map(|y| y / self.eta)
    }

    fn update_scaling(&mut self) {
        let (size_s, size_z) = (determinant(self.s).sqrt(), determinant(self.z).sqrt());
        let (s, z) = (self.s.map(|x| x / size_s), self.z.map(|x| x / size_z));
        let half = (0.5 * (1.0 + dot(s, z))).sqrt();
        let (w1, w2) = (0.5 * (s[1] - z[1]) / half, 0.5 * (s[2] - z[2]) / half);
        // w₀ from the other two keeps w₀² − ‖w₁‖² = 1 whatever was rounded.
        self.w = [(1.0 + w1 * w1 + w2 * w2).sqrt(), w1, w2];
        self.eta = (size_s / size_z).sqrt();
        self.lambda = self.scale(self.z);
    }
}

/// [w₀ w₁ᵀ; w₁ 1 + w₁ w₁ᵀ / (1 + w₀)] x.
fn turn(w: [f64; 3], x: [f64; 3]) -> [f64; 3] {
    let along = w[1] * x[1] + w[2] * x[2];
    let factor = x[0] + along / (1.0 + w[0]);
    [w[0] * x[0] + along, x[1] + factor * w[1], x[2] + factor * w[2]]
}

/// The rows of one cone and its elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub first: usize,
    pub rows: usize,
    halves: [usize; 2],
    disks: [usize; 2],
    /// Where the rows × rows root of this group lies.
    pub root: usize,
}

/// All inequalities, and the block-diagonal part of the Newton matrix they make.
#[derive(Clone, Debug, Default)]
pub(super) struct Barrier {
    pub groups: Vec<Group>,
    halves: Vec<HalfLine>,
    disks: Vec<Disk>,
    /// Rows that may change; the others keep a value their cone prescribes.
    pub live: Vec<bool>,
    /// C of each group, row-major, with CᵀC = P⁻¹ on the live rows.
    pub roots: Vec<f64>,
}

impl Barrier {
    /// Translates the cones. `size` is the impulse each row is thought to carry, 0 in rows nothing can move; it
    /// places the first γ well inside, and all s ∘ z at `mean`.
    pub fn start(&mut self, cones: &[Cone], size: &[f64], mean: f64, gamma: &mut [f64]) {
        self.groups.clear();
        self.halves.clear();
        self.disks.clear();
        self.live.clear();
        self.live.resize(size.len(), false);
        let (mut first, mut root) = (0, 0);
        for cone in cones {
            let rows = cone.rows();
            let (half, disk) = (self.halves.len(), self.disks.len());
            gamma[first..first + rows].fill(0.0);
            if size[first..first + rows].iter().any(|&x| x > 0.0) {
                self.translate(cone, first, size[first], gamma);
            } else {
                cone.project(&mut gamma[first..first + rows]);
            }
            let (halves, disks) = ([half, self.halves.len()], [disk, self.disks.len()]);
            self.groups.push(Group { first, rows, halves, disks, root });
            first += rows;
            root += rows * rows;
        }
        self.roots.clear();
        self.roots.resize(root, 0.0);
        self.read_slacks(gamma);
        self.halves.iter_mut().for_each(|h| h.z = mean / h.s);
        self.disks.iter_mut().for_each(|d| d.z = [mean / d.s[0], 0.0, 0.0]);
    }

    fn translate(&mut self, cone: &Cone, first: usize, size: f64, gamma: &mut [f64]) {
        match *cone {
            Cone::Free => self.live[first] = true,
            Cone::Nonnegative => self.push_normal(first, 0.0, size, gamma),
            Cone::Box { lo, hi } if hi - lo <= 1e-12 * lo.abs().min(hi.abs()) => gamma[first] = lo,
            Cone::Box { lo, hi } => {
                self.live[first] = true;
                let inset = size.max(1e-6 * lo.abs().min(hi.abs())).min(0.5 * (hi - lo));
                let clamped = 0.0_f64.max(lo + inset).min(hi - inset);
                gamma[first] = if lo + inset < hi - inset { clamped } else { 0.5 * lo + 0.5 * hi };
                let line = HalfLine { row: first, ..HalfLine::default() };
                if lo.is_finite() {
                    self.halves.push(HalfLine { sign: 1.0, offset: -lo, ..line });
                }
                if hi.is_finite() {
                    self.halves.push(HalfLine { sign: -1.0, offset: hi, ..line });
                }
            }
            Cone::Friction { mu, cohesion } => {
                self.push_contact(first, cohesion, &[(mu, 1, 2)], size, gamma);
            }
            Cone::Rolling { mu, rolling, spinning, cohesion } => {
                let terms = [(mu, 1, 2), (spinning, 3, 1), (rolling, 4, 2)];
                self.push_contact(first, cohesion, &terms, size, gamma);
            }
        }
    }

    fn push_normal(&mut self, row: usize, offset: f64, size: f64, gamma: &mut [f64]) {
        self.live[row] = true;
        gamma[row] = size;
        self.halves.push(HalfLine { row, sign: 1.0, offset, ..HalfLine::default() });
    }

    /// A normal row with the disks of (coefficient, first tangent row, rows); without any it is a half-line.
    fn push_contact(
        &mut self,
        first: usize,
        cohesion: f64,
        terms: &[(f64, usize, usize)],
        size: f64,
        gamma: &mut [f64],
    ) {
        if terms.iter().all(|t| t.0 == 0.0) {
            return self.push_normal(first, cohesion, size, gamma);
        }
        self.live[first] = true;
        gamma[first] = size;
        for &(coefficient, offset, width) in terms.iter().filter(|t| t.0 > 0.0) {
            let tangent = first + offset;
            self.live[tangent..tangent + width].fill(true);
            self.disks.push(Disk { normal: first, tangent, width, coefficient, cohesion, ..Disk::default() });
        }
    }

    /// Number of elements: the sum of s·z is this many times the mean.
    pub fn degree(&self) -> usize {
        self.halves.len() + self.disks.len()
    }

    /// s ← A γ + a; false where one is not strictly inside.
    pub fn read_slacks(&mut self, gamma: &[f64]) -> bool {
        let mut inside = true;
        for h in &mut self.halves {
            h.s = h.sign * gamma[h.row] + h.offset;
            inside &= h.s > 0.0;
        }
        for d in &mut self.disks {
            d.s = d.read(gamma);
            d.s[0] += d.coefficient * d.cohesion;
            inside &= d.s[0] > 0.0 && determinant(d.s) > 0.0;
        }
        inside
    }

    /// Whether all z are strictly inside.
    pub fn duals_are_inside(&self) -> bool {
        self.halves.iter().all(|h| h.z > 0.0)
            && self.disks.iter().all(|d| d.z[0] > 0.0 && determinant(d.z) > 0.0)
    }

    /// Computes W and λ, and the mean of s·z.
    pub fn update_scaling(&mut self) -> f64 {
        let mut sum = 0.0;
        for h in &mut self.halves {
            h.lambda = (h.s * h.z).sqrt();
            h.inverse = (h.z / h.s).sqrt();
            sum += h.s * h.z;
        }
        for d in &mut self.disks {
            d.update_scaling();
            sum += dot(d.s, d.z);
        }
        sum / self.degree().max(1) as f64
    }

    /// Whether there are second-order cones.
    pub fn has_disks(&self) -> bool {
        !self.disks.is_empty()
    }

    /// y ← y + Aᵀ z.
    pub fn add_duals(&self, y: &mut [f64]) {
        self.halves.iter().for_each(|h| y[h.row] += h.sign * h.z);
        self.disks.iter().for_each(|d| d.add_transpose(d.z, y));
    }

    /// The target of the predictor, −λ, which leads to s ∘ z = 0.
    pub fn aim_at_zero(&mut self) {
        self.halves.iter_mut().for_each(|h| h.target = -h.lambda);
        self.disks.iter_mut().for_each(|d| d.target = d.lambda.map(|x| -x));
    }

    /// The target of the corrector: s ∘ z = `mean`, and the second-order term of the direction before taken off.
    pub fn aim_at_mean(&mut self, mean: f64) {
        for h in &mut self.halves {
            h.target = (mean - h.ds * h.dz) / h.lambda - h.lambda;
        }
        for d in &mut self.disks {
            let (square, second) = (product(d.lambda, d.lambda), product(d.ds, d.dz));
            let mut wanted: [f64; 3] = std::array::from_fn(|i| -square[i] - second[i]);
            wanted[0] += mean;
            d.target = quotient(d.lambda, wanted);
        }
    }

    /// y ← y + Aᵀ W⁻¹ target.
    pub fn add_target(&self, y: &mut [f64]) {
        self.halves.iter().for_each(|h| y[h.row] += h.sign * h.inverse * h.target);
        self.disks.iter().for_each(|d| d.add_transpose(d.scale_inverse(d.target), y));
    }

    /// The scaled direction W⁻¹ Δs = W⁻¹ A Δγ and W Δz = target − W⁻¹ Δs; returns the longest step.
    pub fn set_direction(&mut self, step: &[f64]) -> f64 {
        let mut longest = f64::INFINITY;
        for h in &mut self.halves {
            h.ds = h.inverse * h.sign * step[h.row];
            h.dz = h.target - h.ds;
            let fall = -h.ds.min(h.dz);
            if fall > 0.0 {
                longest = longest.min(h.lambda / fall);
            }
        }
        for d in &mut self.disks {
            d.ds = d.scale_inverse(d.read(step));
            d.dz = std::array::from_fn(|i| d.target[i] - d.ds[i]);
            longest = longest.min(reach(d.lambda, d.ds)).min(reach(d.lambda, d.dz));
        }
        longest
    }

    /// The mean of s·z after a step.
    pub fn mean_after(&self, length: f64) -> f64 {
        let halves = self.halves.iter().map(|h| (h.lambda + length * h.ds) * (h.lambda + length * h.dz));
        let moved = |x: [f64; 3], d: [f64; 3]| std::array::from_fn(|i| x[i] + length * d[i]);
        let disks = self.disks.iter().map(|d| dot(moved(d.lambda, d.ds), moved(d.lambda, d.dz)));
        (halves.sum::<f64>() + disks.sum::<f64>()) / self.degree().max(1) as f64
    }

    /// z ← z + length · Δz.
    pub fn advance_duals(&mut self, length: f64) {
        self.halves.iter_mut().for_each(|h| h.z += length * h.inverse * h.dz);
        for d in &mut self.disks {
            let dz = d.scale_inverse(d.dz);
            (0..3).for_each(|i| d.z[i] += length * dz[i]);
        }
    }

    /// y ← y + Aᵀ W⁻² A x.
    pub fn add_product(&self, x: &[f64], y: &mut [f64]) {
        self.halves.iter().for_each(|h| y[h.row] += h.inverse * h.inverse * x[h.row]);
        for d in &self.disks {
            d.add_transpose(d.scale_inverse(d.scale_inverse(d.read(x))), y);
        }
    }

    /// Finds C with CᵀC = (Aᵀ W⁻² A + F)⁻¹ for every group, F being the diagonal `softness`.
    pub fn update_roots(&mut self, softness: &[f64]) {
        for group in &self.groups {
            let n = group.rows;
            let root = &mut self.roots[group.root..group.root + n * n];
            root.fill(0.0);
            if !self.live[group.first] {
                continue;
            }
            let mut normal = softness[group.first];
            for h in &self.halves[group.halves[0]..group.halves[1]] {
                normal += h.inverse * h.inverse;
            }
            for d in &self.disks[group.disks[0]..group.disks[1]] {
                let parts = d.eliminate_tangents(&softness[d.tangent..d.tangent + d.width]);
                normal += parts.normal;
                let at = d.tangent - group.first;
                for i in 0..d.width {
                    root[at + i] = parts.gain[i];
                    (0..d.width).for_each(|j| root[(at + i) * n + at + j] = parts.roots[i][j]);
                }
            }
            let factor = normal.sqrt().recip();
            root[0] = 1.0;
            root[..n].iter_mut().for_each(|x| *x *= factor);
        }
    }
}

/// The block of one disk after its tangents are eliminated.
struct Eliminated {
    /// Remainder on the normal.
    normal: f64,
    /// Tangential multipliers that go with one of the normal.
    gain: [f64; 2],
    /// Rows whose squares add up to the inverse of the tangential block.
    roots: [[f64; 2]; 2],
}

impl Disk {
    /// Block elimination of W⁻² + F, F = diag(f) on the tangents.
    ///
    /// Along w₁ and across it, W⁻² is η⁻² [a −b; −b a] in the plane of the normal and η⁻² outside, with a² − b² = 1.
    /// Eliminating the tangent across, then that along, leaves k² η⁻² (η⁻² + a φ) / (η⁻² a + φ) on the normal, with
    /// φ = (f_along η⁻² + f_u f_w) / (η⁻² + f_across): no term cancels, however close to the boundary s and z are.
    fn eliminate_tangents(&self, f: &[f64]) -> Eliminated {
        let (scale, k) = (1.0 / (self.eta * self.eta), self.coefficient);
        let length = self.w[1].hypot(self.w[2]);
        let (a, b) = (self.w[0] * self.w[0] + length * length, 2.0 * self.w[0] * length);
        let [x, y] = if length > 0.0 { [self.w[1] / length, self.w[2] / length] } else { [1.0, 0.0] };
        let (softness, across, slant) = match *f {
            [u, w] => {
                let across = scale + u * y * y + w * x * x;
                (((u * x * x + w * y * y) * scale + u * w) / across, across, (u - w) * x * y / across)
            }
            _ => (f.iter().sum(), 1.0, 0.0),
        };
        let along = scale * a + softness;
        let direction = [x - slant * y, y + slant * x];
        let (root, side) = (along.sqrt().recip(), across.sqrt().recip());
        Eliminated {
            normal: k * k * scale * (scale + a * softness) / along,
            gain: direction.map(|x| k * scale * b / along * x),
            roots: [direction.map(|x| root * x), [-side * y, side * x]],
        }
    }
}
