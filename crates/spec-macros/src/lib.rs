//! Derive macros of scene descriptions.

mod scene_object;
mod tagged;

use proc_macro::TokenStream;

/// Reads, writes and describes a table whose keys depend on its `type`.
///
/// It takes the place of `Deserialize`, `Serialize` and `JsonSchema` for three kinds of types:
///
/// - An **enum** lists the types. A variant holds the keys of its type as named fields, or one struct of keys; its name
///   in files is the variant's in snake case. With `#[tagged(object = "force")]` it is a table by itself, whose types share
///   no keys. A last variant marked `#[tagged(types)]` holds another such enum, whose types the table has, too.
/// - A **struct with a field marked `#[tagged(variant)]`** is the table: that field is the enum, the others are keys that
///   all types have.
/// - Any **other struct** is a set of keys, which is written as a table of its own, or among the keys of another one
///   in a field marked `#[tagged(flatten)]`.
///
/// On the type, `#[tagged(object = "joint")]` says what messages call it. `#[tagged(default = "circle")]` on a table is the
/// type of tables without `type`.
///
/// On a field, a key may be absent if it is an `Option`, and is then not written. `#[tagged(default)]` and
/// `#[tagged(default = path)]` give other keys the value they have when absent; `#[tagged(skip_if = path)]` leaves a key
/// out when the function says so. `#[tagged(except = "structure")]` on a key, or keys, that all types have but one names
/// that one; such keys need a default. `#[tagged(skip)]` marks what is not written in files at all.
///
/// `#[tagged(was = "old")]` on a field or a variant is a name it had before: it is refused, and the message says the new
/// one.
///
/// Unknown keys, keys of another type and missing keys are errors that name the type and the key.
#[proc_macro_derive(Tagged, attributes(tagged))]
pub fn tagged(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    tagged::expand(&input).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// Derives `huygens_spec::SceneObject`: see there for the marks of fields.
#[proc_macro_derive(SceneObject, attributes(scene))]
pub fn scene_object(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    scene_object::derive(input).unwrap_or_else(syn::Error::into_compile_error).into()
}
