//! `#[derive(SceneObject)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

pub(crate) fn derive(input: DeriveInput) -> syn::Result<TokenStream> {
    let (name, (implementation, types, conditions)) = (&input.ident, input.generics.split_for_impl());
    Ok(quote!(impl #implementation ::huygens_spec::SceneObject for #name #types #conditions {}))
}
