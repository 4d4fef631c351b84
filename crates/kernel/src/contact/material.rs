//! Materials of compliant contact and how two of them combine.

use super::coefficients::PairRule;
use super::normal::{effective_shear, effective_young};
use crate::NumberRange;

/// Why a material or a law of contact is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ContactError {
    /// A coefficient out of its range.
    #[error("{what} = {value} is not allowed; {range}")]
    Range {
        /// Which coefficient.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Values it may have.
        range: NumberRange,
    },
    /// A law needs a coefficient that neither material gives.
    #[error("{law} needs a {what}, which neither material gives")]
    Missing {
        /// Which coefficient.
        what: &'static str,
        /// The law that asks for it.
        law: &'static str,
    },
}

impl ContactError {
    /// Refuses a number outside of its range.
    pub(super) fn check(what: &'static str, value: f64, range: NumberRange) -> Result<(), Self> {
        match range.contains(value) {
            true => Ok(()),
            false => Err(Self::Range { what, value, range }),
        }
    }
}

macro_rules! surfaces {
    (
        both { $($(#[$doc:meta])* $name:ident [$unit:literal] $range:expr, $default:expr, $rule:ident;)* }
        rigid { $($rigid:tt)* }
        elastic { $($elastic:tt)* }
        compliant {
            $($(#[$doc2:meta])* $name2:ident [$unit2:literal] $range2:expr, $default2:expr, $rule2:ident;)*
        }
    ) => {
        /// Surface of a body for compliant contact.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct CompliantMaterial {
            /// Young's modulus E [Pa]; infinite for a rigid partner.
            pub young: f64,
            /// Poisson's ratio ν.
            pub poisson: f64,
            $($(#[$doc])* pub $name: f64,)*
            $($(#[$doc2])* pub $name2: f64,)*
            /// Normal stiffness given directly: Hooke [N/m], Hertz [Pa] (in place of 4/3 E*).
            pub normal_stiffness: Option<f64>,
            /// Tangential stiffness given directly: Hooke [N/m], Hertz [Pa] (in place of 8 G*).
            pub tangential_stiffness: Option<f64>,
            /// Normal damping per effective mass given directly: Hooke [1/s], Hertz [1/(m·s)].
            pub normal_damping: Option<f64>,
            /// Tangential damping per effective mass given directly: Hooke [1/s], Hertz [1/(m·s)].
            pub tangential_damping: Option<f64>,
        }

        impl CompliantMaterial {
            /// The defaults of the table of coefficients, and elastic constants for steps near 1e-4 s.
            const TABLE: Self = Self {
                young: 2e5,
                poisson: 0.3,
                $($name: $default,)*
                $($name2: $default2,)*
                normal_stiffness: None,
                tangential_stiffness: None,
                normal_damping: None,
                tangential_damping: None,
            };

            /// Refuses coefficients of the table that are out of range or not numbers.
            fn check_table(&self) -> Result<(), ContactError> {
                use NumberRange::{Between, NotNegative};
                $(ContactError::check(stringify!($name), self.$name, $range)?;)*
                $(ContactError::check(stringify!($name2), self.$name2, $range2)?;)*
                Ok(())
            }
        }

        /// Coefficients of two materials together: what a user may change for one pair before it becomes a
        /// [`CompliantPair`](super::CompliantPair).
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct CompliantComposite {
            /// Effective Young's modulus E* [Pa]; infinite where both partners are rigid.
            pub young: f64,
            /// Effective shear modulus by effective Young's modulus, G*/E*.
            pub shear_ratio: f64,
            $($(#[$doc])* pub $name: f64,)*
            $($(#[$doc2])* pub $name2: f64,)*
            /// Normal stiffness given directly: Hooke [N/m], Hertz [Pa].
            pub normal_stiffness: Option<f64>,
            /// Tangential stiffness given directly: Hooke [N/m], Hertz [Pa].
            pub tangential_stiffness: Option<f64>,
            /// Normal damping per effective mass given directly: Hooke [1/s], Hertz [1/(m·s)].
            pub normal_damping: Option<f64>,
            /// Tangential damping per effective mass given directly: Hooke [1/s], Hertz [1/(m·s)].
            pub tangential_damping: Option<f64>,
        }

        impl CompliantComposite {
            fn of(a: &CompliantMaterial, b: &CompliantMaterial) -> Self {
                let poisson = [a.poisson, b.poisson];
                Self {
                    young: effective_young([a.young, b.young], poisson),
                    shear_ratio: shear_ratio([a.young, b.young], poisson),
                    $($name: PairRule::$rule.of(a.$name, b.$name),)*
                    $($name2: PairRule::$rule2.of(a.$name2, b.$name2),)*
                    normal_stiffness: mean(a.normal_stiffness, b.normal_stiffness),
                    tangential_stiffness: mean(a.tangential_stiffness, b.tangential_stiffness),
                    normal_damping: mean(a.normal_damping, b.normal_damping),
                    tangential_damping: mean(a.tangential_damping, b.tangential_damping),
                }
            }
        }
    };
}

crate::contact_coefficients!(surfaces);

impl Default for CompliantMaterial {
    /// Soft enough for steps near 1e-4 s: E = 2·10⁵ Pa, ν = 0.3, e = 0.4, μ = 0.6, nothing else.
    fn default() -> Self {
        Self { restitution: 0.4, ..Self::TABLE }
    }
}

impl CompliantMaterial {
    /// Refuses coefficients that are out of range or not numbers.
    pub fn check(&self) -> Result<(), ContactError> {
        use NumberRange::{AboveToMost, NotNegative, Positive, PositiveOrInfinite};
        ContactError::check("young", self.young, PositiveOrInfinite)?;
        ContactError::check("poisson", self.poisson, AboveToMost(-1.0, 0.5))?;
        self.check_table()?;
        for (what, given, range) in [
            ("normal stiffness", self.normal_stiffness, Positive),
            ("tangential stiffness", self.tangential_stiffness, NotNegative),
            ("normal damping", self.normal_damping, NotNegative),
            ("tangential damping", self.tangential_damping, NotNegative),
        ] {
            given.map_or(Ok(()), |value| ContactError::check(what, value, range))?;
        }
        Ok(())
    }

    /// Coefficients of the pair `a`, `b`: by the rules of the table of coefficients, in series for the moduli, the mean
    /// for coefficients given directly (the one that is given where only one is).
    pub fn combine(a: &Self, b: &Self) -> Result<CompliantComposite, ContactError> {
        a.check()?;
        b.check()?;
        Ok(CompliantComposite::of(a, b))
    }
}

/// Mean of two numbers, or the one that is given.
fn mean(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(0.5 * (a + b)),
        (a, b) => a.or(b),
    }
}

/// G*/E* of a pair; that of equal moduli where both are rigid.
fn shear_ratio(young: [f64; 2], poisson: [f64; 2]) -> f64 {
    let mut young = young;
    if young[0].is_infinite() && young[1].is_infinite() {
        young = [1.0, 1.0];
    }
    effective_shear(young, poisson) / effective_young(young, poisson)
}
