//! Derive macros of scene descriptions.

mod scene_object;

use proc_macro::TokenStream;

/// Derives `huygens_spec::SceneObject`: see there for the marks of fields.
#[proc_macro_derive(SceneObject, attributes(scene))]
pub fn scene_object(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    scene_object::derive(input).unwrap_or_else(syn::Error::into_compile_error).into()
}
