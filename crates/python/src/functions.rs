//! Callables in the place of functions of time.
//!
//! Functions of a scene file are numbers and objects, and their structures come from there. A callable travels
//! through as a number no user would write, and takes its place again once the structure is made.

use std::sync::Arc;

use huygens::prelude::*;
use huygens::spec::{KeyPath, VisitorMut};

use crate::callable::Callable;

/// Upper half of the bits of a number that stands for a callable; about 6e307, still finite.
const MARK: u64 = 0x7fd5_c0de_0000_0000;

/// A callable found in the arguments.
pub struct Found {
    /// The callable.
    pub callable: Arc<Callable>,
    /// Whether it returns derivatives too.
    pub with_derivatives: bool,
    /// Key it was given for.
    pub path: String,
}

/// The number that stands for the callable `index`.
pub fn stand_in(index: usize) -> f64 {
    f64::from_bits(MARK | index as u64)
}

/// Puts callables back into structures.
pub struct Binder<'a> {
    found: &'a [Found],
    bound: Vec<bool>,
}

impl<'a> Binder<'a> {
    /// A binder of the callables found in the arguments.
    pub fn new(found: &'a [Found]) -> Self {
        Self { found, bound: vec![false; found.len()] }
    }

    /// The first callable that stood where no function can be.
    pub fn unbound(&self) -> Option<&'a Found> {
        self.bound.iter().position(|b| !b).map(|i| &self.found[i])
    }

    /// Puts callables in the place of their numbers.
    fn put_back(&mut self, function: &mut Function) {
        match function {
            Function::Constant { value } => {
                let bits = value.to_bits();
                let index = (bits & 0xffff_ffff) as usize;
                if bits & !0xffff_ffff != MARK || index >= self.found.len() {
                    return;
                }
                self.bound[index] = true;
                let (callable, name) = (self.found[index].callable.clone(), self.found[index].path.as_str());
                *function = if self.found[index].with_derivatives {
                    Function::custom_with_derivatives(name, move |t| callable.derivatives(t))
                } else {
                    Function::custom(name, move |t| callable.number([t]))
                };
            }
            Function::Sum { terms } => terms.iter_mut().for_each(|f| self.put_back(f)),
            Function::Product { factors } => factors.iter_mut().for_each(|f| self.put_back(f)),
            Function::Composition { outer, inner } => {
                self.put_back(outer);
                self.put_back(inner);
            }
            _ => {}
        }
    }
}

impl VisitorMut for Binder<'_> {
    fn function(&mut self, _: &KeyPath<'_>, function: &mut Function) {
        self.put_back(function);
    }
}
