//! What a description says about its fields.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::{Function, KeyPath, Placement, Section};

/// A description of an object of a scene, or of a part of one, that says what its fields are.
///
/// It is derived. Fields of numbers, choices and other descriptions need no mark. Strings, paths, three numbers,
/// `Rotation` and `FrameSpec`, and lists and options of these, do:
///
/// | mark | what the field is |
/// |---|---|
/// | `name` | the name of the object; sub-assemblies put their prefix before it |
/// | `refers(Bodies, Structures)`, `refers(any)` | the name of an object of these [sections](Section) |
/// | `file = found` | a file that is read; the loader writes where it is to the field `found` |
/// | `point` | a position in the world |
/// | `vector` | a direction, velocity or the like in the axes of the world |
/// | `rotation`, `rotation = world` | an orientation in the world; where absent, nothing or that of the world |
/// | `frame`, `frame = world` | a frame in the world; where absent, nothing or that of the world |
/// | `placed` | placed by the function of `place_with` |
/// | `local` | coordinates that do not follow the world |
/// | `text` | none of these |
///
/// What is placed may have a condition: `carried_by(a)` (only if the object that the field `a` names is the ground) or
/// `when = expression of other fields`. The type itself may have `carried_by(body)` for all its fields, `place_with =
/// function` of `(&mut Self, &Placement) -> Result<(), String>` for what no mark tells, called after its fields are
/// placed, `label = function` of `&Self` for what an object without a `name` is called, and `tagged` for an enum whose
/// kind is a key beside its fields, as [`Tagged`](crate::Tagged) writes it.
///
/// ```
/// use huygens_spec::SceneObject;
///
/// #[derive(SceneObject)]
/// struct Lamp {
///     #[scene(name)]
///     name: String,
///     #[scene(refers(Bodies))]
///     body: Option<String>,
///     #[scene(point, carried_by(body))]
///     position: [f64; 3],
///     power: f64,
/// }
/// ```
///
/// A field that may be forgotten is an error of the compiler:
///
/// ```compile_fail
/// use huygens_spec::SceneObject;
///
/// #[derive(SceneObject)]
/// struct Lamp {
///     #[scene(name)]
///     name: String,
///     position: [f64; 3],
/// }
/// ```
pub trait SceneObject {
    /// The name of the object, or what it is called without one.
    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    /// The name of an object that has one, to be changed.
    fn name_mut(&mut self) -> Option<&mut String> {
        None
    }

    /// Shows a visitor all names and references; the object stands at `path`.
    fn visit(&self, path: &KeyPath<'_>, visitor: &mut dyn Visitor) {
        let _ = (path, visitor);
    }

    /// Lets a visitor change all names, references and functions, and shows it all files.
    fn visit_mut(&mut self, path: &KeyPath<'_>, visitor: &mut dyn VisitorMut) {
        let _ = (path, visitor);
    }

    /// Turns and moves everything that is given in world coordinates, or says why that is impossible.
    fn place(&mut self, placement: &Placement) -> Result<(), String> {
        let _ = placement;
        Ok(())
    }
}

/// Looks at the names in an object.
pub trait Visitor {
    /// The name of an object.
    fn name(&mut self, path: &KeyPath<'_>, name: &str) {
        let _ = (path, name);
    }

    /// A reference to an object of one of the sections.
    fn reference(&mut self, path: &KeyPath<'_>, name: &str, sections: &'static [Section]) {
        let _ = (path, name, sections);
    }
}

/// Changes the names and functions in an object, or finds its files.
pub trait VisitorMut {
    /// The name of an object.
    fn name(&mut self, path: &KeyPath<'_>, name: &mut String) {
        let _ = (path, name);
    }

    /// A reference to an object of one of the sections.
    fn reference(&mut self, path: &KeyPath<'_>, name: &mut String, sections: &'static [Section]) {
        let _ = (path, name, sections);
    }

    /// A function of time.
    fn function(&mut self, path: &KeyPath<'_>, function: &mut Function) {
        let _ = (path, function);
    }

    /// A file that is read for the object, and where it is, once that is known.
    fn file(&mut self, path: &KeyPath<'_>, file: &str, found: &mut Option<PathBuf>) {
        let _ = (path, file, found);
    }
}

/// A string, or an option, list or array of strings.
pub trait Texts {
    /// Shows every string.
    fn each(&self, path: &KeyPath<'_>, f: &mut dyn FnMut(&KeyPath<'_>, &str));

    /// Shows every string, to be changed.
    fn each_mut(&mut self, path: &KeyPath<'_>, f: &mut dyn FnMut(&KeyPath<'_>, &mut String));
}

impl Texts for String {
    fn each(&self, path: &KeyPath<'_>, f: &mut dyn FnMut(&KeyPath<'_>, &str)) {
        f(path, self);
    }
    fn each_mut(&mut self, path: &KeyPath<'_>, f: &mut dyn FnMut(&KeyPath<'_>, &mut String)) {
        f(path, self);
    }
}

impl<T: Texts> Texts for Option<T> {
    fn each(&self, path: &KeyPath<'_>, f: &mut dyn FnMut(&KeyPath<'_>, &str)) {
        self.iter().for_each(|text| text.each(path, f));
    }
    fn each_mut(&mut self, path: &KeyPath<'_>, f: &mut dyn FnMut(&KeyPath<'_>, &mut String)) {
        self.iter_mut().for_each(|text| text.each_mut(path, f));
    }
}

impl<T: Texts> Texts for [T] {
    fn each(&self, path: &KeyPath<'_>, f: &mut dyn FnMut(&KeyPath<'_>, &str)) {
        self.iter().enumerate().for_each(|(k, text)| text.each(&path.index(k), f));
    }
    fn each_mut(&mut self, path: &KeyPath<'_>, f: &mut dyn FnMut(&KeyPath<'_>, &mut String)) {
        self.iter_mut().enumerate().for_each(|(k, text)| text.each_mut(&path.index(k), f));
    }
}

/// Three numbers, or an option, list or array of such.
pub trait Triples {
    /// Shows all of them, to be changed.
    fn each(&mut self, f: &mut dyn FnMut(&mut [f64; 3]));
}

impl Triples for [f64; 3] {
    fn each(&mut self, f: &mut dyn FnMut(&mut [f64; 3])) {
        f(self);
    }
}

impl<T: Triples> Triples for Option<T> {
    fn each(&mut self, f: &mut dyn FnMut(&mut [f64; 3])) {
        self.iter_mut().for_each(|inner| inner.each(f));
    }
}

impl<T: Triples> Triples for Vec<T> {
    fn each(&mut self, f: &mut dyn FnMut(&mut [f64; 3])) {
        self.iter_mut().for_each(|inner| inner.each(f));
    }
}

impl<T: Triples, const N: usize> Triples for [T; N] {
    fn each(&mut self, f: &mut dyn FnMut(&mut [f64; 3])) {
        self.iter_mut().for_each(|inner| inner.each(f));
    }
}

impl<T: SceneObject> SceneObject for Option<T> {
    fn visit(&self, path: &KeyPath<'_>, visitor: &mut dyn Visitor) {
        self.iter().for_each(|inner| inner.visit(path, visitor));
    }
    fn visit_mut(&mut self, path: &KeyPath<'_>, visitor: &mut dyn VisitorMut) {
        self.iter_mut().for_each(|inner| inner.visit_mut(path, visitor));
    }
    fn place(&mut self, placement: &Placement) -> Result<(), String> {
        self.iter_mut().try_for_each(|inner| inner.place(placement))
    }
}

impl<T: SceneObject> SceneObject for Box<T> {
    fn visit(&self, path: &KeyPath<'_>, visitor: &mut dyn Visitor) {
        (**self).visit(path, visitor);
    }
    fn visit_mut(&mut self, path: &KeyPath<'_>, visitor: &mut dyn VisitorMut) {
        (**self).visit_mut(path, visitor);
    }
    fn place(&mut self, placement: &Placement) -> Result<(), String> {
        (**self).place(placement)
    }
}

impl<T: SceneObject> SceneObject for [T] {
    fn visit(&self, path: &KeyPath<'_>, visitor: &mut dyn Visitor) {
        self.iter().enumerate().for_each(|(k, inner)| inner.visit(&path.index(k), visitor));
    }
    fn visit_mut(&mut self, path: &KeyPath<'_>, visitor: &mut dyn VisitorMut) {
        self.iter_mut().enumerate().for_each(|(k, inner)| inner.visit_mut(&path.index(k), visitor));
    }
    fn place(&mut self, placement: &Placement) -> Result<(), String> {
        self.iter_mut().try_for_each(|inner| inner.place(placement))
    }
}

/// Lists and arrays are what their slices are.
macro_rules! sliced {
    ($([$($parameters:tt)*] $list:ty;)*) => { $(
        impl<T: Texts, $($parameters)*> Texts for $list {
            fn each(&self, path: &KeyPath<'_>, f: &mut dyn FnMut(&KeyPath<'_>, &str)) {
                self.as_slice().each(path, f);
            }
            fn each_mut(&mut self, path: &KeyPath<'_>, f: &mut dyn FnMut(&KeyPath<'_>, &mut String)) {
                self.as_mut_slice().each_mut(path, f);
            }
        }

        impl<T: SceneObject, $($parameters)*> SceneObject for $list {
            fn visit(&self, path: &KeyPath<'_>, visitor: &mut dyn Visitor) {
                self.as_slice().visit(path, visitor);
            }
            fn visit_mut(&mut self, path: &KeyPath<'_>, visitor: &mut dyn VisitorMut) {
                self.as_mut_slice().visit_mut(path, visitor);
            }
            fn place(&mut self, placement: &Placement) -> Result<(), String> {
                self.as_mut_slice().place(placement)
            }
        }
    )* };
}

sliced! { [] Vec<T>; [const N: usize] [T; N]; }

macro_rules! plain {
    ($($number:ty),*) => { $(impl SceneObject for $number {})* };
}

plain!(bool, u8, u16, u32, u64, usize, i32, i64, f64);
