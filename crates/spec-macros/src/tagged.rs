//! Tables whose keys depend on their `type`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, Fields, Ident, Lit, LitStr, Member, Meta, Path, Result, Type,
};

/// The module that the generated code calls.
fn support() -> TokenStream {
    quote!(::huygens_spec::tagged)
}

/// Code for a type.
pub fn expand(input: &DeriveInput) -> Result<TokenStream> {
    if !input.generics.params.is_empty() && !matches!(input.data, Data::Enum(_)) {
        return Err(Error::new(input.generics.span(), "only an enum of types may have parameters"));
    }
    let marks = Marks::of_type(&input.attrs)?;
    let body = match &input.data {
        Data::Enum(data) => kinds(input, data, &marks)?,
        Data::Struct(data) => {
            let row = Row::new(&data.fields, format_ident!("Read"), &[])?;
            match row.fields.iter().filter(|f| f.role == Role::Variant).count() {
                0 => keys(input, &row, &marks)?,
                1 => table(input, &row, &marks)?,
                _ => return Err(Error::new(data.fields.span(), "only one field can be the variant")),
            }
        }
        Data::Union(data) => {
            return Err(Error::new(data.union_token.span(), "a description is a struct or an enum"));
        }
    };
    Ok(quote!(const _: () = { #body };))
}

/// What attributes say of a type or a field.
#[derive(Default)]
struct Marks {
    object: Option<LitStr>,
    default: Option<DefaultValue>,
    skip_if: Option<Path>,
    rename: Option<LitStr>,
    /// Names that it had before.
    was: Vec<LitStr>,
    except: Option<LitStr>,
    flatten: bool,
    variant: bool,
    skip: bool,
    types: bool,
}

/// What a key is when it is absent.
enum DefaultValue {
    Usual,
    Made(Path),
    Type(LitStr),
}

impl Marks {
    fn read(attributes: &[Attribute], allowed: &[&str]) -> Result<Self> {
        let mut marks = Self::default();
        for attribute in attributes.iter().filter(|a| a.path().is_ident("tagged")) {
            attribute.parse_nested_meta(|meta| {
                let name = meta.path.get_ident().map(Ident::to_string).unwrap_or_default();
                if !allowed.contains(&name.as_str()) {
                    let known = allowed.join(", ");
                    return Err(meta.error(format!("`{name}` is not known here; known are {known}")));
                }
                match name.as_str() {
                    "object" => marks.object = Some(meta.value()?.parse()?),
                    "rename" => marks.rename = Some(meta.value()?.parse()?),
                    "was" => marks.was.push(meta.value()?.parse()?),
                    "except" => marks.except = Some(meta.value()?.parse()?),
                    "skip_if" => marks.skip_if = Some(meta.value()?.parse()?),
                    "default" if !meta.input.peek(syn::Token![=]) => {
                        marks.default = Some(DefaultValue::Usual)
                    }
                    "default" => {
                        let value = meta.value()?;
                        let text = value.peek(LitStr);
                        marks.default = Some(match text {
                            true => DefaultValue::Type(value.parse()?),
                            false => DefaultValue::Made(value.parse()?),
                        });
                    }
                    "flatten" => marks.flatten = true,
                    "variant" => marks.variant = true,
                    "types" => marks.types = true,
                    _ => marks.skip = true,
                }
                Ok(())
            })?;
        }
        Ok(marks)
    }

    fn of_type(attributes: &[Attribute]) -> Result<Self> {
        Self::read(attributes, &["object", "default"])
    }

    fn of_field(attributes: &[Attribute]) -> Result<Self> {
        Self::read(
            attributes,
            &["default", "skip_if", "rename", "was", "except", "flatten", "variant", "skip"],
        )
    }

    fn of_variant(attributes: &[Attribute]) -> Result<Self> {
        Self::read(attributes, &["rename", "was", "types"])
    }

    /// The former names of what is called `name` now, as lists of known names hold them.
    fn renamed(&self, name: &str) -> Vec<String> {
        self.was.iter().map(|old| format!("{} -> {name}", old.value())).collect()
    }
}

/// The text of documentation comments.
fn documentation(attributes: &[Attribute]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("doc")) {
        if let Meta::NameValue(pair) = &attribute.meta
            && let Expr::Lit(literal) = &pair.value
            && let Lit::Str(text) = &literal.lit
        {
            lines.push(text.value().trim().to_owned());
        }
    }
    let paragraphs = lines.split(String::is_empty).map(|p| p.join(" ")).filter(|p| !p.is_empty());
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// A name in snake case.
fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.char_indices() {
        if c.is_uppercase() && i > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// What a field is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Key,
    Keys,
    Variant,
    Skipped,
}

/// A field.
struct Field {
    member: Member,
    /// What it is called while its value is known.
    local: Ident,
    ty: Type,
    key: String,
    /// Marks of the names it had before.
    renamed: Vec<String>,
    documentation: String,
    role: Role,
    optional: bool,
    default: Option<DefaultValue>,
    skip_if: Option<Path>,
    /// The type that does not have it.
    except: Option<LitStr>,
}

impl Field {
    fn new(index: usize, field: &syn::Field) -> Result<Self> {
        let marks = Marks::of_field(&field.attrs)?;
        let role = match (marks.flatten, marks.variant, marks.skip) {
            (false, false, false) if field.ident.is_none() => Role::Keys,
            (false, false, false) => Role::Key,
            (true, false, false) => Role::Keys,
            (false, true, false) => Role::Variant,
            (false, false, true) => Role::Skipped,
            _ => return Err(Error::new(field.span(), "give one of flatten, variant and skip")),
        };
        if let Some(DefaultValue::Type(text)) = &marks.default {
            return Err(Error::new(text.span(), "the default of a field is a function"));
        }
        let local = match &field.ident {
            Some(ident) => ident.clone(),
            None => format_ident!("keys{index}"),
        };
        let member = match &field.ident {
            Some(ident) => Member::Named(ident.clone()),
            None => Member::Unnamed(index.into()),
        };
        let optional =
            matches!(&field.ty, Type::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "Option"));
        let named = || local.to_string().trim_start_matches("r#").to_owned();
        let key = marks.rename.as_ref().map_or_else(named, LitStr::value);
        Ok(Self {
            member,
            renamed: marks.renamed(&key),
            key,
            local,
            ty: field.ty.clone(),
            documentation: documentation(&field.attrs),
            role,
            optional,
            default: marks.default,
            skip_if: marks.skip_if,
            except: marks.except,
        })
    }

    /// The value of a key that is absent, if it may be.
    fn absent(&self) -> Option<TokenStream> {
        let ty = &self.ty;
        match &self.default {
            Some(DefaultValue::Made(path)) => Some(quote!(#path())),
            Some(_) => Some(quote!(<#ty as ::core::default::Default>::default())),
            None if self.optional => Some(quote!(::core::option::Option::None)),
            None => None,
        }
    }
}

/// Fields that are read and written together.
struct Row {
    fields: Vec<Field>,
    /// Name of the struct that holds what has been read of them.
    read: Ident,
    /// Type parameters of the description.
    parameters: Vec<Ident>,
}

impl Row {
    fn new(fields: &Fields, read: Ident, parameters: &[Ident]) -> Result<Self> {
        let fields = fields.iter().enumerate().map(|(i, f)| Field::new(i, f)).collect::<Result<_>>()?;
        Ok(Self { fields, read, parameters: parameters.to_vec() })
    }

    /// The struct that holds what has been read.
    fn declaration(&self) -> TokenStream {
        let (support, read, parameters) = (support(), &self.read, &self.parameters);
        let (names, types): (Vec<_>, Vec<_>) = self
            .fields
            .iter()
            .filter_map(|f| {
                let (local, ty) = (&f.local, &f.ty);
                match f.role {
                    Role::Key => Some((local, quote!(::core::option::Option<#ty>))),
                    Role::Keys => Some((local, quote!(<#ty as #support::Keys>::Read))),
                    Role::Variant | Role::Skipped => None,
                }
            })
            .unzip();
        let bounds = bounds(parameters);
        quote! {
            pub struct #read<#(#parameters),*> #bounds {
                #(#names: #types,)*
                parameters: ::core::marker::PhantomData<(#(#parameters,)*)>,
            }
            impl<#(#parameters),*> ::core::default::Default for #read<#(#parameters),*> #bounds {
                fn default() -> Self {
                    Self {
                        #(#names: ::core::default::Default::default(),)*
                        parameters: ::core::marker::PhantomData,
                    }
                }
            }
        }
    }

    /// The list of keys, with the marks of those that have another name now, after `first`.
    fn keys(&self, first: &[&str]) -> TokenStream {
        let support = support();
        let parts = self.fields.iter().filter_map(|f| {
            let (key, ty, renamed) = (&f.key, &f.ty, &f.renamed);
            match f.role {
                Role::Key => Some(quote!(&[#key, #(#renamed),*])),
                Role::Keys => Some(quote!(<#ty as #support::Keys>::KEYS)),
                Role::Variant | Role::Skipped => None,
            }
        });
        quote!({
            const PARTS: &[&[&str]] = &[&[#(#first),*], #(#parts),*];
            const ALL: [&str; #support::count(PARTS)] = #support::join(PARTS, "");
            &ALL
        })
    }

    /// The types that do not have some keys that all others have, with these keys.
    fn exceptions(&self) -> TokenStream {
        let support = support();
        let lists = self.fields.iter().filter_map(|f| {
            let (key, ty, kind) = (&f.key, &f.ty, f.except.as_ref()?);
            match f.role {
                Role::Key => Some(quote!((#kind, &[#key]))),
                Role::Keys => Some(quote!((#kind, <#ty as #support::Keys>::KEYS))),
                Role::Variant | Role::Skipped => None,
            }
        });
        quote!(&[#(#lists),*])
    }

    /// Reads the value of `key` into `read`.
    fn reading(&self) -> TokenStream {
        let support = support();
        let arms = self.fields.iter().filter_map(|f| {
            let (local, key, ty) = (&f.local, &f.key, &f.ty);
            match f.role {
                Role::Key => Some(quote!(#key => #support::fill(&mut read.#local, #key, value))),
                Role::Keys => Some(quote! {
                    key if <#ty as #support::Keys>::KEYS.contains(&key) =>
                        <#ty as #support::Keys>::read(&mut read.#local, key, value)
                }),
                Role::Variant | Role::Skipped => None,
            }
        });
        quote!(match key { #(#arms,)* _ => #support::stray(key) })
    }

    /// The fields, made of `read`; the variant is `kind`.
    fn made(&self) -> TokenStream {
        let support = support();
        let fields = self.fields.iter().map(|f| {
            let (member, local, key, ty) = (&f.member, &f.local, &f.key, &f.ty);
            let value = match (f.role, f.absent()) {
                (Role::Variant, _) => quote!(kind),
                (Role::Skipped, _) => quote!(<#ty as ::core::default::Default>::default()),
                (Role::Keys, _) => quote!(<#ty as #support::Keys>::made(read.#local, owner)?),
                (Role::Key, None) => quote!(#support::needed(read.#local, #key, owner)?),
                (Role::Key, Some(absent)) => {
                    quote!(match read.#local { Some(value) => value, None => #absent })
                }
            };
            quote!(#member: #value)
        });
        quote!({ #(#fields),* })
    }

    /// A pattern that gives every field its name.
    fn pattern(&self) -> TokenStream {
        let fields = self.fields.iter().map(|f| {
            let (member, local) = (&f.member, &f.local);
            match (f.role, member) {
                (Role::Skipped, _) => quote!(#member: _),
                (_, Member::Named(_)) => quote!(#local),
                (_, Member::Unnamed(_)) => quote!(#member: #local),
            }
        });
        quote!({ #(#fields),* })
    }

    /// Writes the fields to `map`.
    fn writing(&self) -> TokenStream {
        let support = support();
        let variant = self.fields.iter().find(|f| f.role == Role::Variant).map(|f| &f.local);
        let fields = self.fields.iter().filter_map(|f| {
            let (local, key, ty) = (&f.local, &f.key, &f.ty);
            let write = quote!(::serde::ser::SerializeMap::serialize_entry(map, #key, #local)?;);
            let write = match f.role {
                Role::Key => match (&f.skip_if, f.optional) {
                    (Some(skip), _) => quote!(if !#skip(#local) { #write }),
                    (None, true) => quote!(if #local.is_some() { #write }),
                    (None, false) => write,
                },
                Role::Keys => quote!(<#ty as #support::Keys>::write(#local, map)?;),
                Role::Variant => quote!(#support::write_kind(#local, map)?;),
                Role::Skipped => return None,
            };
            Some(match (&f.except, variant) {
                (Some(kind), Some(variant)) => {
                    quote!(if #support::Kinds::type_name(#variant) != #kind { #write })
                }
                _ => write,
            })
        });
        quote!(#(#fields)*)
    }

    /// Adds the fields to a schema.
    fn schema(&self) -> TokenStream {
        let support = support();
        let fields = self.fields.iter().filter_map(|f| {
            let (key, ty, text) = (&f.key, &f.ty, &f.documentation);
            let add = match f.role {
                Role::Key => {
                    let needed = f.absent().is_none();
                    let default = match (f.absent(), &f.skip_if, f.optional) {
                        (Some(absent), None, false) => quote!(#support::json(&(#absent))),
                        _ => quote!(::core::option::Option::None),
                    };
                    quote!(table.key::<#ty>(generator, #key, #text, #needed, #default);)
                }
                Role::Keys => quote!(<#ty as #support::Keys>::describe(generator, table);),
                Role::Variant | Role::Skipped => return None,
            };
            Some(match &f.except {
                Some(kind) => quote!(if kind != #kind { #add }),
                None => add,
            })
        });
        quote!(#(#fields)*)
    }

    /// Refuses exceptions where there are no types.
    fn without_exceptions(&self) -> Result<()> {
        match self.fields.iter().find_map(|f| f.except.as_ref()) {
            Some(kind) => Err(Error::new(kind.span(), "only keys that all types have can have an exception")),
            None => Ok(()),
        }
    }
}

/// What the types that stand for parameters can do.
fn bounds(parameters: &[Ident]) -> Option<TokenStream> {
    let bounds = parameters.iter().map(|parameter| {
        quote!(#parameter: ::serde::Serialize + ::serde::de::DeserializeOwned + ::schemars::JsonSchema)
    });
    (!parameters.is_empty()).then(|| quote!(where #(#bounds),*))
}

/// What messages call an object.
fn object(input: &DeriveInput, marks: &Marks) -> Result<LitStr> {
    let missing = || Error::new(input.ident.span(), "what is it called? say #[tagged(object = \"joint\")]");
    marks.object.clone().ok_or_else(missing)
}

/// The traits of serde and schemars, by functions of the support module.
fn outer_traits(
    name: &Ident,
    parameters: &[Ident],
    [deserialize, serialize, describe]: [&str; 3],
) -> TokenStream {
    let support = support();
    let [deserialize, serialize, describe] =
        [deserialize, serialize, describe].map(|n| Ident::new(n, Span::call_site()));
    let title = name.to_string();
    let bounds = bounds(parameters);
    quote! {
        impl<'de, #(#parameters),*> ::serde::Deserialize<'de> for #name<#(#parameters),*> #bounds {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                #support::#deserialize(deserializer)
            }
        }
        impl<#(#parameters),*> ::serde::Serialize for #name<#(#parameters),*> #bounds {
            fn serialize<Z: ::serde::Serializer>(&self, serializer: Z) -> ::core::result::Result<Z::Ok, Z::Error> {
                #support::#serialize(self, serializer)
            }
        }
        impl<#(#parameters),*> ::schemars::JsonSchema for #name<#(#parameters),*> #bounds {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                #title.into()
            }
            fn json_schema(generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                #support::#describe::<Self>(generator)
            }
        }
    }
}

const TABLE: [&str; 3] = ["read_table", "write_table", "describe_table"];
const KEYS: [&str; 3] = ["read_keys", "write_keys", "describe_keys"];

/// A struct that is a set of keys.
fn keys(input: &DeriveInput, row: &Row, marks: &Marks) -> Result<TokenStream> {
    row.without_exceptions()?;
    let (support, name, read) = (support(), &input.ident, &row.read);
    let (object, text) = (object(input, marks)?, documentation(&input.attrs));
    let (declaration, list, reading, made) = (row.declaration(), row.keys(&[]), row.reading(), row.made());
    let (pattern, writing, schema) = (row.pattern(), row.writing(), row.schema());
    let outer = outer_traits(name, &[], KEYS);
    Ok(quote! {
        #declaration
        impl #support::Keys for #name {
            type Read = #read;
            const OBJECT: &'static str = #object;
            const TEXT: &'static str = #text;
            const KEYS: &'static [&'static str] = #list;
            fn read<'de, D: ::serde::Deserializer<'de>>(
                read: &mut Self::Read, key: &str, value: D,
            ) -> ::core::result::Result<(), D::Error> {
                #reading
            }
            fn made<E: ::serde::de::Error>(
                read: Self::Read, owner: #support::Owner,
            ) -> ::core::result::Result<Self, E> {
                ::core::result::Result::Ok(Self #made)
            }
            fn write<M: ::serde::ser::SerializeMap>(&self, map: &mut M) -> ::core::result::Result<(), M::Error> {
                let Self #pattern = self;
                #writing
                ::core::result::Result::Ok(())
            }
            fn describe(generator: &mut ::schemars::SchemaGenerator, table: &mut #support::Table) {
                #schema
            }
        }
        #outer
    })
}

/// The type of tables that name none.
fn usual(input: &DeriveInput, marks: &Marks) -> Result<TokenStream> {
    match &marks.default {
        None => Ok(quote!(::core::option::Option::None)),
        Some(DefaultValue::Type(text)) => Ok(quote!(::core::option::Option::Some(#text))),
        Some(_) => Err(Error::new(input.ident.span(), "the default is the name of a type, in quotes")),
    }
}

/// A struct with keys that all types have, and the variant.
fn table(input: &DeriveInput, row: &Row, marks: &Marks) -> Result<TokenStream> {
    let (support, name, read) = (support(), &input.ident, &row.read);
    let (object, text) = (object(input, marks)?, documentation(&input.attrs));
    let (declaration, list, reading, made) = (row.declaration(), row.keys(&[]), row.reading(), row.made());
    let (pattern, writing, schema) = (row.pattern(), row.writing(), row.schema());
    let exceptions = row.exceptions();
    let kind = row.fields.iter().find(|f| f.role == Role::Variant).map(|f| &f.ty);
    let usual = usual(input, marks)?;
    let outer = outer_traits(name, &[], TABLE);
    Ok(quote! {
        #declaration
        impl #support::Tagged for #name {
            type Kind = #kind;
            type Read = #read;
            const OBJECT: &'static str = #object;
            const TEXT: &'static str = #text;
            const USUAL: ::core::option::Option<&'static str> = #usual;
            const SHARED: &'static [&'static str] = #list;
            const EXCEPT: &'static [(&'static str, &'static [&'static str])] = #exceptions;
            fn keys(kind: usize) -> &'static [&'static str] {
                static KEYS: ::std::sync::LazyLock<::std::vec::Vec<::std::vec::Vec<&'static str>>> =
                    ::std::sync::LazyLock::new(#support::keys_by_kind::<#name>);
                &KEYS[kind]
            }
            fn read<'de, D: ::serde::Deserializer<'de>>(
                read: &mut Self::Read, key: &str, value: D,
            ) -> ::core::result::Result<(), D::Error> {
                #reading
            }
            fn made<E: ::serde::de::Error>(
                read: Self::Read, kind: Self::Kind, owner: #support::Owner,
            ) -> ::core::result::Result<Self, E> {
                ::core::result::Result::Ok(Self #made)
            }
            fn write<M: ::serde::ser::SerializeMap>(&self, map: &mut M) -> ::core::result::Result<(), M::Error> {
                let Self #pattern = self;
                #writing
                ::core::result::Result::Ok(())
            }
            #[allow(unused_variables)]
            fn describe(generator: &mut ::schemars::SchemaGenerator, kind: &str, table: &mut #support::Table) {
                #schema
            }
        }
        #outer
    })
}

/// An enum of types, which is a table by itself if it says what messages call it.
fn kinds(input: &DeriveInput, data: &syn::DataEnum, marks: &Marks) -> Result<TokenStream> {
    let (support, name) = (support(), &input.ident);
    let parameters: Vec<Ident> = input.generics.type_params().map(|p| p.ident.clone()).collect();
    let bounds = bounds(&parameters);
    let (mut rows, mut names, mut renamed) = (Vec::new(), Vec::new(), Vec::new());
    let mut others = None;
    for variant in &data.variants {
        let mark = Marks::of_variant(&variant.attrs)?;
        if others.is_some() {
            return Err(Error::new(variant.ident.span(), "types of another enum come last"));
        }
        if mark.types {
            match &variant.fields {
                Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                    others = Some((&variant.ident, &fields.unnamed[0].ty));
                    continue;
                }
                _ => return Err(Error::new(variant.ident.span(), "it holds one enum of types")),
            }
        }
        let name = mark.rename.as_ref().map_or_else(|| snake_case(&variant.ident.to_string()), LitStr::value);
        renamed.extend(mark.renamed(&name));
        names.push(name);
        let row = Row::new(&variant.fields, format_ident!("Read{}", variant.ident), &parameters)?;
        row.without_exceptions()?;
        rows.push(row);
    }
    let own = data.variants.iter().take(rows.len());
    let variants: Vec<&Ident> = own.clone().map(|v| &v.ident).collect();
    let texts = own.map(|v| documentation(&v.attrs));
    let titles = variants.iter().map(|v| v.to_string());
    let declarations = rows.iter().map(Row::declaration);
    let reads: Vec<&Ident> = rows.iter().map(|r| &r.read).collect();
    let lists = rows.iter().map(|row| row.keys(&[]));
    let readings = rows.iter().map(Row::reading);
    let mades = rows.iter().map(Row::made);
    let patterns: Vec<TokenStream> = rows.iter().map(Row::pattern).collect();
    let writings = rows.iter().map(Row::writing);
    let schemas = rows.iter().map(Row::schema);
    let places: Vec<usize> = (0..rows.len()).collect();
    // Types of another enum come after its own.
    let first = rows.len();
    let (other, ty): (Vec<_>, Vec<_>) = others.into_iter().unzip();
    let tuple =
        data.variants.iter().find(|v| matches!(&v.fields, Fields::Unnamed(f) if f.unnamed.len() != 1));
    if let Some(variant) = tuple {
        let problem = "a type has named keys, or one struct of keys";
        return Err(Error::new(variant.to_token_stream().span(), problem));
    }
    let alone = match &marks.object {
        Some(object) => Some(table_of_kinds(input, marks, object, &rows, &parameters)?),
        None => None,
    };
    let types = quote!(<#(#parameters),*>);
    Ok(quote! {
        #(#declarations)*
        pub enum Read #types #bounds { #(#variants(#reads #types),)* #(#other(<#ty as #support::Kinds>::Read),)* }
        impl #types #support::Kinds for #name #types #bounds {
            type Read = Read #types;
            const NAMES: &'static [&'static str] = {
                const PARTS: &[&[&str]] = &[&[#(#names),*] #(, <#ty as #support::Kinds>::NAMES)*];
                const ALL: [&str; #support::count(PARTS)] = #support::join(PARTS, "");
                &ALL
            };
            const KNOWN: &'static [&'static str] = {
                const PARTS: &[&[&str]] =
                    &[&[#(#names,)* #(#renamed),*] #(, <#ty as #support::Kinds>::KNOWN)*];
                const ALL: [&str; #support::count(PARTS)] = #support::join(PARTS, "");
                &ALL
            };
            const KINDS: &'static [#support::Kind] = {
                const PARTS: &[&[#support::Kind]] = &[
                    &[#(#support::Kind { title: #titles, text: #texts, keys: #lists }),*],
                    #(<#ty as #support::Kinds>::KINDS,)*
                ];
                const ALL: [#support::Kind; #support::count(PARTS)] = #support::join(PARTS, #support::Kind::NONE);
                &ALL
            };
            fn start(kind: usize) -> Self::Read {
                match kind {
                    #(#places => Read::#variants(::core::default::Default::default()),)*
                    #(kind if kind >= #first => Read::#other(<#ty as #support::Kinds>::start(kind - #first)),)*
                    _ => ::core::unreachable!("types are found by their names"),
                }
            }
            fn kind(&self) -> usize {
                match self {
                    #(Self::#variants { .. } => #places,)*
                    #(Self::#other(other) => #first + #support::Kinds::kind(other),)*
                }
            }
            #[allow(unused_variables)]
            fn read<'de, D: ::serde::Deserializer<'de>>(
                read: &mut Self::Read, key: &str, value: D,
            ) -> ::core::result::Result<(), D::Error> {
                match read {
                    #(Read::#variants(read) => #readings,)*
                    #(Read::#other(read) => <#ty as #support::Kinds>::read(read, key, value),)*
                }
            }
            #[allow(unused_variables)]
            fn made<E: ::serde::de::Error>(
                read: Self::Read, owner: #support::Owner,
            ) -> ::core::result::Result<Self, E> {
                ::core::result::Result::Ok(match read {
                    #(Read::#variants(read) => Self::#variants #mades,)*
                    #(Read::#other(read) => Self::#other(#support::Kinds::made(read, owner)?),)*
                })
            }
            fn write<M: ::serde::ser::SerializeMap>(&self, map: &mut M) -> ::core::result::Result<(), M::Error> {
                match self {
                    #(Self::#variants #patterns => { #writings })*
                    #(Self::#other(other) => <#ty as #support::Kinds>::write(other, map)?,)*
                }
                ::core::result::Result::Ok(())
            }
            #[allow(unused_variables)]
            fn describe(generator: &mut ::schemars::SchemaGenerator, kind: usize, table: &mut #support::Table) {
                match kind {
                    #(#places => { #schemas })*
                    #(kind if kind >= #first => {
                        <#ty as #support::Kinds>::describe(generator, kind - #first, table);
                    })*
                    _ => {}
                }
            }
        }
        #alone
    })
}

/// An enum of types as a table that has no keys but those of its type.
fn table_of_kinds(
    input: &DeriveInput,
    marks: &Marks,
    object: &LitStr,
    rows: &[Row],
    parameters: &[Ident],
) -> Result<TokenStream> {
    let (support, name, text) = (support(), &input.ident, documentation(&input.attrs));
    let (types, bounds, usual) = (quote!(<#(#parameters),*>), bounds(parameters), usual(input, marks)?);
    let lists = rows.iter().map(|row| row.keys(&["type"]));
    let places = 0..rows.len();
    let outer = outer_traits(name, parameters, TABLE);
    Ok(quote! {
        impl #types #support::Tagged for #name #types #bounds {
            type Kind = Self;
            type Read = ();
            const OBJECT: &'static str = #object;
            const TEXT: &'static str = #text;
            const USUAL: ::core::option::Option<&'static str> = #usual;
            const SHARED: &'static [&'static str] = &[];
            const EXCEPT: &'static [(&'static str, &'static [&'static str])] = &[];
            fn keys(kind: usize) -> &'static [&'static str] {
                match kind { #(#places => #lists,)* _ => &[] }
            }
            fn read<'de, D: ::serde::Deserializer<'de>>(
                _read: &mut (), key: &str, _value: D,
            ) -> ::core::result::Result<(), D::Error> {
                #support::stray(key)
            }
            fn made<E: ::serde::de::Error>(
                _read: (), kind: Self, _owner: #support::Owner,
            ) -> ::core::result::Result<Self, E> {
                ::core::result::Result::Ok(kind)
            }
            fn write<M: ::serde::ser::SerializeMap>(&self, map: &mut M) -> ::core::result::Result<(), M::Error> {
                #support::write_kind(self, map)
            }
            fn describe(_: &mut ::schemars::SchemaGenerator, _: &str, _: &mut #support::Table) {}
        }
        #outer
    })
}
