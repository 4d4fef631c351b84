//! The tests of this crate, in one program.

mod analytic_cable;
mod analytic_contact_impact;
mod analytic_contact_laws;
mod analytic_contact_sphere;
mod analytic_corotated;
mod analytic_point_laws;
mod analytic_sph;
mod invariant_contact;
