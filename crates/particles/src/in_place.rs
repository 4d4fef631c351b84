//! Copies that keep the memory they have: a block of the state is copied every few steps.

/// `Clone` for a struct whose `clone_from` goes field by field. A field that is missing does not compile.
macro_rules! clone_in_place {
    ($type:ident { $($field:ident),* $(,)? }) => {
        impl Clone for $type {
            fn clone(&self) -> Self {
                Self { $($field: self.$field.clone()),* }
            }

            fn clone_from(&mut self, other: &Self) {
                $(self.$field.clone_from(&other.$field);)*
            }
        }
    };
}

pub(crate) use clone_in_place;
