//! Cones and the projection onto them.

use huygens_kernel::contact::rigid::tilt_bias;

/// The set in which the multipliers of a few consecutive rows must lie.
///
/// Cohesion is an impulse [N·s]: γ_n + cohesion replaces γ_n in every inequality (`hF_c` of a cohesive force).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cone {
    /// One row without limits: a bilateral constraint.
    Free,
    /// One row, γ ≥ 0.
    Nonnegative,
    /// One row, lo ≤ γ ≤ hi: a clutch, a brake, a motor with a limit. Strictly speaking not a cone, but its projection
    /// is as simple, and it is common in machines.
    Box {
        /// Lower limit [N·s or N·m·s].
        lo: f64,
        /// Upper limit [N·s or N·m·s].
        hi: f64,
    },
    /// Three rows (n, u, w): ‖(γ_u, γ_w)‖ ≤ μ γ_n.
    Friction {
        /// Coefficient of friction μ.
        mu: f64,
        /// Cohesive impulse [N·s].
        cohesion: f64,
    },
    /// Six rows (n, u, w, τ_n, τ_u, τ_w): also ‖(τ_u, τ_w)‖ ≤ ρ γ_n and |τ_n| ≤ σ γ_n.
    Rolling {
        /// Coefficient of friction μ.
        mu: f64,
        /// Rolling radius ρ [m].
        rolling: f64,
        /// Spinning radius σ [m].
        spinning: f64,
        /// Cohesive impulse [N·s].
        cohesion: f64,
    },
}

/// The law between the multipliers γ of a cone with friction and the rates u = N γ + r of its rows. Cones without
/// friction do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionLaw {
    /// Coulomb's law: 0 ≤ γ_n ⟂ u_n ≥ 0, and γ_t opposes u_t with μ γ_n while it slides (desaxce1998, acary2011).
    ///
    /// Its solutions are the fixed points of γ = P(γ − ρ u) for any ρ > 0 (alart1991): P restricts the normal part, and
    /// then the tangential part to the disk that the new normal part allows.
    #[default]
    Coulomb,
    /// Anitescu's convex relaxation (anitescu2006): K ∋ γ ⟂ u ∈ K*, so that sliding opens with u_n = μ |u_t|. P is the
    /// projection onto K.
    Relaxed,
}

impl Cone {
    /// Largest number of rows of a cone.
    pub const MAX_ROWS: usize = 6;

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Free | Self::Nonnegative | Self::Box { .. } => 1,
            Self::Friction { .. } => 3,
            Self::Rolling { .. } => 6,
        }
    }

    /// Whether the parameters are valid: no NaN, no negative coefficient, no crossing limits.
    pub fn is_valid(&self) -> bool {
        match *self {
            Self::Free | Self::Nonnegative => true,
            Self::Box { lo, hi } => lo <= hi,
            Self::Friction { mu, cohesion } => mu >= 0.0 && cohesion >= 0.0,
            Self::Rolling { mu, rolling, spinning, cohesion } => {
                mu >= 0.0 && rolling >= 0.0 && spinning >= 0.0 && cohesion >= 0.0
            }
        }
    }

    /// The cone of multipliers measured in units of `unit`.
    pub(crate) fn in_units(&self, unit: f64) -> Self {
        match *self {
            Self::Free => Self::Free,
            Self::Nonnegative => Self::Nonnegative,
            Self::Box { lo, hi } => Self::Box { lo: lo / unit, hi: hi / unit },
            Self::Friction { mu, cohesion } => Self::Friction { mu, cohesion: cohesion / unit },
            Self::Rolling { mu, rolling, spinning, cohesion } => {
                Self::Rolling { mu, rolling, spinning, cohesion: cohesion / unit }
            }
        }
    }

    /// Replaces `g`, as long as [`rows`](Self::rows), by the nearest point of the cone.
    pub fn project(&self, g: &mut [f64]) {
        match *self {
            Self::Free => {}
            Self::Nonnegative => g[0] = g[0].max(0.0),
            Self::Box { lo, hi } => g[0] = g[0].max(lo).min(hi),
            Self::Friction { mu, cohesion } => {
                let slide = g[1].hypot(g[2]);
                let normal = shared_normal(g[0] + cohesion, [(slide, mu)]);
                let shrink = shrinkage(slide, mu * normal);
                g[0] = normal - cohesion;
                g[1] *= shrink;
                g[2] *= shrink;
            }
            Self::Rolling { mu, rolling, spinning, cohesion } => {
                let (slide, roll, spin) = (g[1].hypot(g[2]), g[4].hypot(g[5]), g[3].abs());
                let normal = shared_normal(g[0] + cohesion, [(slide, mu), (roll, rolling), (spin, spinning)]);
                g[0] = normal - cohesion;
                let factors = [
                    shrinkage(slide, mu * normal),
                    shrinkage(slide, mu * normal),
                    shrinkage(spin, spinning * normal),
                    shrinkage(roll, rolling * normal),
                    shrinkage(roll, rolling * normal),
                ];
                g[1..6].iter_mut().zip(factors).for_each(|(g, f)| *g *= f);
            }
        }
    }

    /// Speed with which the relaxed law opens a contact whose rows have the rates `u`: μ |u_t|, and the like for rolling
    /// and spinning. Taken as a bias of the normal row it takes the relaxation back (desaxce1998).
    pub(crate) fn tilt(&self, u: &[f64]) -> f64 {
        match *self {
            Self::Free | Self::Nonnegative | Self::Box { .. } => 0.0,
            Self::Friction { mu, .. } => tilt_bias(mu, u[1].hypot(u[2])),
            Self::Rolling { mu, rolling, spinning, .. } => {
                let slide = tilt_bias(mu, u[1].hypot(u[2]));
                slide + tilt_bias(spinning, u[3].abs()) + tilt_bias(rolling, u[4].hypot(u[5]))
            }
        }
    }

    /// Whether its multipliers are limited by friction.
    pub(crate) fn rubs(&self) -> bool {
        matches!(self, Self::Friction { .. } | Self::Rolling { .. })
    }

    /// Replaces `g` by P(g) of a law: the nearest point, or the restriction of its parts one after the other.
    pub(crate) fn project_by(&self, law: FrictionLaw, g: &mut [f64]) {
        let (mu, rolling, spinning, cohesion) = match (law, *self) {
            (FrictionLaw::Coulomb, Self::Friction { mu, cohesion }) => (mu, 0.0, 0.0, cohesion),
            (FrictionLaw::Coulomb, Self::Rolling { mu, rolling, spinning, cohesion }) => {
                (mu, rolling, spinning, cohesion)
            }
            _ => return self.project(g),
        };
        let normal = (g[0] + cohesion).max(0.0);
        g[0] = normal - cohesion;
        let shrink = shrinkage(g[1].hypot(g[2]), mu * normal);
        g[1..3].iter_mut().for_each(|g| *g *= shrink);
        if let Self::Rolling { .. } = self {
            g[3] *= shrinkage(g[3].abs(), spinning * normal);
            let shrink = shrinkage(g[4].hypot(g[5]), rolling * normal);
            g[4..6].iter_mut().for_each(|g| *g *= shrink);
        }
    }

    /// Replaces `g` by a nearby point of the cone that does not depend on the unit of length: the nearest one in
    /// forces, with couples limited to what its normal force permits. The same as [`project`](Self::project) without
    /// rolling.
    pub(crate) fn restrict(&self, g: &mut [f64]) {
        let Self::Rolling { mu, rolling, spinning, cohesion } = *self else {
            return self.project(g);
        };
        Self::Friction { mu, cohesion }.project(&mut g[..3]);
        let normal = g[0] + cohesion;
        let (roll, spin) = (g[4].hypot(g[5]), g[3].abs());
        g[3] *= shrinkage(spin, spinning * normal);
        let shrink = shrinkage(roll, rolling * normal);
        g[4..6].iter_mut().for_each(|g| *g *= shrink);
    }
}

/// Factor that brings a vector of length `size` to at most `limit`.
fn shrinkage(size: f64, limit: f64) -> f64 {
    if size <= limit { 1.0 } else { limit / size }
}

/// The normal multiplier s ≥ 0 that minimizes (s − g)² + Σ max(a_i − k_i s, 0)², for (a_i, k_i) in `terms`.
///
/// The derivative is increasing and linear between the points a_i / k_i, so terms become active in the order of
/// falling a_i / k_i and the first consistent set is the answer. One term gives the friction cone.
fn shared_normal<const COUNT: usize>(g: f64, mut terms: [(f64, f64); COUNT]) -> f64 {
    // A term with k = 0 never moves the normal, so its place does not matter.
    let reach = |&(a, k): &(f64, f64)| if k > 0.0 { a / k } else { f64::INFINITY };
    terms.sort_by(|x, y| reach(y).total_cmp(&reach(x)));
    let (mut numerator, mut denominator) = (g, 1.0);
    for (a, k) in terms {
        if a * denominator > k * numerator {
            numerator += k * a;
            denominator += k * k;
        }
    }
    (numerator / denominator).max(0.0)
}
