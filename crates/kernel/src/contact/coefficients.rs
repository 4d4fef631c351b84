//! The table of coefficients of contact materials.
//!
//! A row of [`contact_coefficients!`](crate::contact_coefficients) is all that a coefficient needs: its key and field,
//! unit, range, default, the rule by which two materials combine, and its meaning. From the table follow
//! [`CompliantMaterial`](super::CompliantMaterial) and [`CompliantComposite`](super::CompliantComposite) here, materials
//! and exceptions for pairs of materials in `huygens-spec` with their schema and checks, and the composites of
//! `huygens-core`.

/// How the numbers of two materials become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairRule {
    /// The lesser of the two.
    Lesser,
    /// The greater of the two.
    Greater,
    /// The arithmetic mean.
    Mean,
    /// The harmonic mean, zero where both are zero.
    Harmonic,
    /// The sum: compliances in series.
    Sum,
}

impl PairRule {
    /// The number of the pair.
    pub fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Lesser => a.min(b),
            Self::Greater => a.max(b),
            Self::Mean => 0.5 * (a + b),
            Self::Harmonic if a + b > 0.0 => 2.0 * a * b / (a + b),
            Self::Harmonic => 0.0,
            Self::Sum => a + b,
        }
    }
}

/// Calls the macro `$then` with the table of coefficients.
///
/// A row reads `key [unit] range, default, rule;` under its documentation: `key` is the name in scene files and in
/// [`CompliantMaterial`](crate::contact::CompliantMaterial); `range` is a [`NumberRange`](crate::NumberRange), `rule` a [`PairRule`](crate::contact::PairRule). All but the elastic ones may be
/// given for a pair of materials. The groups keep the order of the keys:
///
/// - `both`: coefficients of both contact laws;
/// - `rigid`: those of the rigid law only;
/// - `elastic`: moduli, which combine as elastic bodies in series do, not by a rule;
/// - `compliant`: those of the compliant law only. **New coefficients of compliant sub-models go here.**
#[macro_export]
macro_rules! contact_coefficients {
    ($then:ident) => {
        $then! {
            both {
                /// Coefficient of friction.
                friction ["1"] NotNegative, 0.6, Lesser;
                /// Coefficient of restitution, 0 to 1.
                restitution ["1"] Between(0.0, 1.0), 0.0, Lesser;
                /// Rolling friction [m]: the arm by which the normal force resists rolling.
                rolling_friction ["m"] NotNegative, 0.0, Lesser;
                /// Spinning friction [m].
                spinning_friction ["m"] NotNegative, 0.0, Lesser;
                /// Force that must be overcome to part two surfaces [N].
                cohesion ["N"] NotNegative, 0.0, Lesser;
            }
            rigid {
                /// Normal compliance of the rigid law [m/N]; zero is perfectly rigid.
                compliance ["m/N"] NotNegative, 0.0, Sum;
                /// Normal damping of the rigid law [N·s/m], where `compliance` is not zero.
                damping ["N·s/m"] NotNegative, 0.0, Harmonic;
            }
            elastic {
                /// Young's modulus [Pa], compliant law; infinite for a rigid partner.
                young ["Pa"] PositiveOrInfinite, 2e7;
                /// Poisson's ratio, compliant law.
                poisson ["1"] AboveToMost(-1.0, 0.5), 0.3;
            }
            compliant {
                /// Multiplier of the adhesive force of derjaguin1975 [N/√m], compliant law with `adhesion = "dmt"`.
                adhesion_dmt ["N/√m"] NotNegative, 0.0, Lesser;
                /// Cleanliness of the surface, 0 to 1, compliant law with the adhesion of perko2001.
                cleanliness ["1"] Between(0.0, 1.0), 0.0, Lesser;
                /// Energy density of adhesion that grows with the area of contact [J/m³], compliant law with
                /// `adhesion = "sjkr"`.
                cohesion_density ["J/m³"] NotNegative, 0.0, Lesser;
            }
        }
    };
}
