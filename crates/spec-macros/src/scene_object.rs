//! `#[derive(SceneObject)]`: what names, references, points, vectors, frames and files the fields of an object are.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, Field, Fields, GenericArgument, Lit, Path, PathArguments,
};
use syn::{Result, Token, Type};

/// Types whose fields must say what they are.
const MARKED: [&str; 4] = ["String", "PathBuf", "Rotation", "FrameSpec"];

/// What a field is.
enum Meaning {
    /// The name of the object.
    Name,
    /// The name of another object, of one of these sections.
    Refers(Vec<Ident>),
    /// The name of another object of any section.
    RefersToAny,
    /// Position in the world.
    Point,
    /// Direction, velocity or the like in the axes of the world.
    Vector,
    /// Frame in the world; one that is absent stands for the axes of the world, or for nothing.
    Frame { absent_is_world: bool },
    /// Orientation in the world, likewise.
    Rotation { absent_is_world: bool },
    /// A file, and the field that takes the place where it was found.
    File(Ident),
    /// Taken by another field or by the function of `place_with`.
    Placed,
    /// Nothing of all this: text, or coordinates that do not follow the world.
    Nothing,
    /// A description with fields of its own.
    Inner,
}

/// A field with its marks.
struct Mark {
    meaning: Meaning,
    /// Fields with the names of what may carry it; then it is not placed.
    carried_by: Vec<Ident>,
    /// Condition on the other fields under which it is placed.
    when: Option<TokenStream>,
}

/// A field of a struct or variant.
struct Part {
    mark: Mark,
    /// Its variable in a pattern.
    variable: Ident,
    /// Its name in the pattern; none in a tuple.
    member: Option<Ident>,
    /// Its key in a file; none where it has no key of its own.
    key: Option<String>,
}

/// A struct, or a variant of an enum.
struct Form {
    path: TokenStream,
    /// Key that stands around the fields of an externally tagged variant.
    key: Option<String>,
    parts: Vec<Part>,
}

/// Marks of the type itself.
#[derive(Default)]
struct TypeMarks {
    label: Option<Path>,
    place_with: Option<Path>,
    carried_by: Vec<Ident>,
    /// The kind of an enum is a key beside its fields, as `Tagged` writes it.
    tagged: bool,
}

pub(crate) fn derive(input: DeriveInput) -> Result<TokenStream> {
    let marks = type_marks(&input.attrs)?;
    let forms = forms(&input, &marks)?;
    if marks.place_with.is_none()
        && let Some(part) =
            forms.iter().flat_map(|f| &f.parts).find(|p| matches!(p.mark.meaning, Meaning::Placed))
    {
        let problem = "`placed` needs `#[scene(place_with = …)]` on the type, which places the field";
        return Err(Error::new(part.variable.span(), problem));
    }
    let methods =
        [visits(&forms, false), visits(&forms, true), places(&forms, &marks), names(&forms, &marks)];
    let (name, (implementation, types, _)) = (&input.ident, input.generics.split_for_impl());
    let mut generics = input.generics.clone();
    let conditions = generics.make_where_clause();
    for parameter in input.generics.type_params().map(|p| &p.ident) {
        conditions.predicates.push(syn::parse_quote!(#parameter: ::huygens_spec::SceneObject));
    }
    let conditions = &generics.where_clause;
    Ok(quote! {
        #[automatically_derived]
        impl #implementation ::huygens_spec::SceneObject for #name #types #conditions { #(#methods)* }
    })
}

fn type_marks(attributes: &[Attribute]) -> Result<TypeMarks> {
    let mut marks = TypeMarks::default();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("scene")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("label") {
                marks.label = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("place_with") {
                marks.place_with = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("carried_by") {
                marks.carried_by = list(&meta)?;
            } else if meta.path.is_ident("tagged") {
                marks.tagged = true;
            } else {
                return Err(meta.error("a type takes `label`, `place_with`, `carried_by` and `tagged`"));
            }
            Ok(())
        })?;
    }
    Ok(marks)
}

/// The fields in order, by struct or variant.
fn forms(input: &DeriveInput, marks: &TypeMarks) -> Result<Vec<Form>> {
    let serde = SerdeMarks::of(&input.attrs)?;
    match &input.data {
        Data::Struct(data) => Ok(vec![Form { path: quote!(Self), key: None, parts: parts(&data.fields)? }]),
        Data::Enum(data) => {
            let form = |variant: &syn::Variant| {
                let name = &variant.ident;
                let own = SerdeMarks::of(&variant.attrs)?.rename;
                let key = own.unwrap_or_else(|| snake_case(&name.unraw().to_string()));
                let key = (!serde.tagged_inside && !marks.tagged).then_some(key);
                Ok(Form { path: quote!(Self::#name), key, parts: parts(&variant.fields)? })
            };
            data.variants.iter().map(form).collect()
        }
        Data::Union(_) => Err(Error::new(input.ident.span(), "unions describe no objects")),
    }
}

fn parts(fields: &Fields) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for (k, field) in fields.iter().enumerate() {
        let serde = SerdeMarks::of(&field.attrs)?;
        let key = field.ident.as_ref().filter(|_| !serde.flattened).map(|name| name.unraw().to_string());
        let key = if serde.rename.is_some() { serde.rename } else { key };
        let variable = field.ident.clone().unwrap_or_else(|| format_ident!("field_{k}"));
        parts.push(Part { mark: field_mark(field)?, variable, member: field.ident.clone(), key });
    }
    // A place found belongs to the field of its file.
    let taken: Vec<Ident> = parts.iter().filter_map(|p| p.mark.found().cloned()).collect();
    for name in &taken {
        match parts.iter_mut().find(|p| p.member.as_ref() == Some(name)) {
            Some(part) => part.mark.meaning = Meaning::Nothing,
            None => return Err(Error::new(name.span(), format!("there is no field `{name}`"))),
        }
    }
    for (part, field) in parts.iter().zip(fields) {
        let free = part.member.as_ref().is_none_or(|name| !taken.contains(name));
        if matches!(part.mark.meaning, Meaning::Inner)
            && free
            && let Some(kind) = must_be_marked(&field.ty)
        {
            let name =
                part.member.as_ref().map_or_else(|| "this field".into(), |name| format!("field `{name}`"));
            let problem = format!(
                "{name} holds {kind}: say what it is by #[scene(…)]: `name`, `refers(Section, …)`, `file = found`, \
                 `point`, `vector`, `rotation`, `frame`, `placed`, `local` (coordinates that do not follow the world) \
                 or `text`"
            );
            return Err(Error::new(field.span(), problem));
        }
    }
    Ok(parts)
}

impl Mark {
    fn found(&self) -> Option<&Ident> {
        match &self.meaning {
            Meaning::File(found) => Some(found),
            _ => None,
        }
    }
}

fn field_mark(field: &Field) -> Result<Mark> {
    let mut mark = Mark { meaning: Meaning::Inner, carried_by: Vec::new(), when: None };
    for attribute in field.attrs.iter().filter(|a| a.path().is_ident("scene")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("carried_by") {
                mark.carried_by = list(&meta)?;
                return Ok(());
            }
            if meta.path.is_ident("when") {
                mark.when = Some(condition(meta.value()?)?);
                return Ok(());
            }
            if !matches!(mark.meaning, Meaning::Inner) {
                return Err(meta.error("a field is one thing only"));
            }
            mark.meaning = meaning(&meta)?;
            Ok(())
        })?;
    }
    Ok(mark)
}

fn meaning(meta: &ParseNestedMeta<'_>) -> Result<Meaning> {
    let word = meta.path.require_ident()?.to_string();
    Ok(match word.as_str() {
        "name" => Meaning::Name,
        "refers" => {
            let sections = list(meta)?;
            match sections.as_slice() {
                [any] if any == "any" => Meaning::RefersToAny,
                [] => {
                    return Err(
                        meta.error("`refers` needs a section such as `refers(Bodies)`, or `refers(any)`")
                    );
                }
                _ => Meaning::Refers(sections),
            }
        }
        "point" => Meaning::Point,
        "vector" => Meaning::Vector,
        "frame" => Meaning::Frame { absent_is_world: absent_is_world(meta)? },
        "rotation" => Meaning::Rotation { absent_is_world: absent_is_world(meta)? },
        "file" => Meaning::File(meta.value()?.parse()?),
        "placed" => Meaning::Placed,
        "local" | "text" => Meaning::Nothing,
        _ => return Err(meta.error("this is no mark of a field of a scene")),
    })
}

/// `= world` after `frame` and `rotation`.
fn absent_is_world(meta: &ParseNestedMeta<'_>) -> Result<bool> {
    if !meta.input.peek(Token![=]) {
        return Ok(false);
    }
    let word: Ident = meta.value()?.parse()?;
    if word == "world" { Ok(true) } else { Err(Error::new(word.span(), "only `world` may stand here")) }
}

/// Names in parentheses.
fn list(meta: &ParseNestedMeta<'_>) -> Result<Vec<Ident>> {
    let inside;
    syn::parenthesized!(inside in meta.input);
    Ok(Punctuated::<Ident, Token![,]>::parse_terminated(&inside)?.into_iter().collect())
}

/// Everything up to the next comma.
fn condition(input: ParseStream<'_>) -> Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<proc_macro2::TokenTree>()?]);
    }
    Ok(tokens)
}

/// What the attributes of serde and `Tagged` say about keys.
#[derive(Default)]
struct SerdeMarks {
    rename: Option<String>,
    flattened: bool,
    /// The kind of an enum is a key beside its fields, or is not written.
    tagged_inside: bool,
}

impl SerdeMarks {
    fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut marks = Self::default();
        let ours = |a: &&Attribute| a.path().is_ident("serde") || a.path().is_ident("tagged");
        for attribute in attributes.iter().filter(ours) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("flatten") || meta.path.is_ident("variant") {
                    marks.flattened = true;
                } else if meta.path.is_ident("tag") || meta.path.is_ident("untagged") {
                    marks.tagged_inside = true;
                }
                if meta.input.peek(Token![=]) {
                    let value: Expr = meta.value()?.parse()?;
                    if let (true, Expr::Lit(literal)) = (meta.path.is_ident("rename"), value)
                        && let Lit::Str(text) = literal.lit
                    {
                        marks.rename = Some(text.value());
                    }
                } else if meta.input.peek(syn::token::Paren) {
                    let inside;
                    syn::parenthesized!(inside in meta.input);
                    inside.parse::<TokenStream>()?;
                }
                Ok(())
            })?;
        }
        Ok(marks)
    }
}

/// What a type holds that only a mark can explain.
fn must_be_marked(kind: &Type) -> Option<String> {
    match kind {
        Type::Array(array) => match (&*array.elem, &array.len) {
            (Type::Path(element), Expr::Lit(length)) if element.path.is_ident("f64") => {
                let three = matches!(&length.lit, Lit::Int(n) if n.base10_digits() == "3");
                three.then(|| "three numbers".to_owned())
            }
            (element, _) => must_be_marked(element),
        },
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            if let Some(name) = MARKED.iter().find(|name| last.ident == *name) {
                return Some(format!("a `{name}`"));
            }
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
            // What names the entries of a map is no fact about the object.
            let keys = usize::from(last.ident == "BTreeMap");
            arguments.args.iter().skip(keys).find_map(|argument| match argument {
                GenericArgument::Type(inner) => must_be_marked(inner),
                _ => None,
            })
        }
        Type::Tuple(tuple) => tuple.elems.iter().find_map(must_be_marked),
        Type::Slice(slice) => must_be_marked(&slice.elem),
        Type::Reference(reference) => must_be_marked(&reference.elem),
        Type::Paren(inner) => must_be_marked(&inner.elem),
        Type::Group(inner) => must_be_marked(&inner.elem),
        _ => None,
    }
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for (k, c) in name.char_indices() {
        if c.is_uppercase() && k > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

impl Form {
    /// `Self::Variant { a, b: field, .. }`, with the fields that `wanted` names.
    fn pattern(&self, wanted: &[&Ident]) -> TokenStream {
        let path = &self.path;
        match self.parts.first().map(|p| p.member.is_some()) {
            Some(false) => {
                let all = self.parts.iter().map(|p| match wanted.contains(&&p.variable) {
                    true => p.variable.clone(),
                    false => Ident::new("_", Span::call_site()),
                });
                quote!(#path(#(#all),*))
            }
            _ => quote!(#path { #(#wanted,)* .. }),
        }
    }
}

/// `match self { … }` over statements by form; nothing if there are none.
fn arms(forms: &[Form], statements: impl Fn(&Form) -> Vec<(Vec<Ident>, TokenStream)>) -> Option<TokenStream> {
    let all: Vec<_> = forms.iter().map(|form| (form, statements(form))).collect();
    if all.iter().all(|(_, statements)| statements.is_empty()) {
        return None;
    }
    let arms = all.iter().map(|(form, statements)| {
        let mut wanted: Vec<&Ident> = Vec::new();
        for name in statements.iter().flat_map(|(names, _)| names) {
            if !wanted.contains(&name) {
                wanted.push(name);
            }
        }
        let (pattern, bodies) = (form.pattern(&wanted), statements.iter().map(|(_, body)| body));
        quote!(#pattern => { #(#bodies)* })
    });
    Some(quote!(match self { #(#arms)* }))
}

/// The method that shows names, references and, where they may be changed, files.
fn visits(forms: &[Form], change: bool) -> Option<TokenStream> {
    let (each, visit) = match change {
        true => (quote!(each_mut), quote!(visit_mut)),
        false => (quote!(each), quote!(visit)),
    };
    let statement = |form: &Form, part: &Part| {
        let variable = &part.variable;
        let outer = match &form.key {
            Some(key) => quote!(&path.key(#key)),
            None => quote!(path),
        };
        let path = match &part.key {
            Some(key) => quote!((#outer).key(#key)),
            None => quote!(*(#outer)),
        };
        let texts = |call: TokenStream| quote!(::huygens_spec::Texts::#each(#variable, &#path, &mut |at, text| visitor.#call););
        let mut names = vec![variable.clone()];
        let body = match &part.mark.meaning {
            Meaning::Name => texts(quote!(name(at, text))),
            Meaning::Refers(sections) => {
                texts(quote!(reference(at, text, &[#(::huygens_spec::Section::#sections),*])))
            }
            Meaning::RefersToAny => texts(quote!(reference(at, text, &::huygens_spec::Section::LISTS))),
            Meaning::File(found) if change => {
                names.push(found.clone());
                quote!(::huygens_spec::Texts::each(#variable, &#path, &mut |at, text| visitor.file(at, text, #found));)
            }
            Meaning::Inner => quote!(::huygens_spec::SceneObject::#visit(#variable, &#path, visitor);),
            _ => return None,
        };
        Some((names, body))
    };
    let body = arms(forms, |form| form.parts.iter().filter_map(|part| statement(form, part)).collect())?;
    Some(match change {
        true => quote! {
            fn visit_mut(&mut self, path: &::huygens_spec::KeyPath<'_>, visitor: &mut dyn ::huygens_spec::VisitorMut) {
                #body
            }
        },
        false => quote! {
            fn visit(&self, path: &::huygens_spec::KeyPath<'_>, visitor: &mut dyn ::huygens_spec::Visitor) {
                #body
            }
        },
    })
}

/// The method that turns and moves.
fn places(forms: &[Form], marks: &TypeMarks) -> Option<TokenStream> {
    let statement = |part: &Part| {
        let variable = &part.variable;
        let body = match &part.mark.meaning {
            Meaning::Point => quote!(::huygens_spec::Triples::each(#variable, &mut |p| placement.point(p));),
            Meaning::Vector => {
                quote!(::huygens_spec::Triples::each(#variable, &mut |v| placement.vector(v));)
            }
            Meaning::Frame { absent_is_world: true } => quote!(placement.frame_or_world(#variable);),
            Meaning::Frame { .. } => quote!(#variable.iter_mut().for_each(|f| placement.frame(f));),
            Meaning::Rotation { absent_is_world: true } => quote!(placement.rotation_or_world(#variable);),
            Meaning::Rotation { .. } => {
                quote!(#variable.iter_mut().for_each(|r| *r = placement.turned(r.0));)
            }
            Meaning::Inner => quote!(::huygens_spec::SceneObject::place(#variable, placement)?;),
            _ => return None,
        };
        let (carriers, condition) = (&part.mark.carried_by, part.mark.when.iter());
        let mut names = vec![variable.clone()];
        names.extend(carriers.iter().cloned());
        let mut conditions: Vec<TokenStream> =
            carriers.iter().map(|name| quote!(!placement.is_carried(&*#name))).collect();
        for tokens in condition {
            names.extend(variables(tokens));
            conditions.push(tokens.clone());
        }
        let body = match conditions.is_empty() {
            true => body,
            false => quote!(if #(#conditions)&&* { #body }),
        };
        Some((names, body))
    };
    // A condition may name any field of the form.
    let fields = arms(forms, |form| {
        let known: Vec<&Ident> = form.parts.iter().map(|p| &p.variable).collect();
        let clean = |(names, body): (Vec<Ident>, TokenStream)| {
            (names.into_iter().filter(|n| known.contains(&n)).collect(), body)
        };
        form.parts.iter().filter_map(statement).map(clean).collect()
    });
    if fields.is_none() && marks.place_with.is_none() {
        return None;
    }
    let carriers = &marks.carried_by;
    let resting = quote!(#(if placement.is_carried(&self.#carriers) { return Ok(()); })*);
    let odd = marks.place_with.iter().map(|function| quote!(#function(self, placement)?;));
    Some(quote! {
        fn place(
            &mut self,
            placement: &::huygens_spec::Placement,
        ) -> ::core::result::Result<(), ::std::string::String> {
            #resting
            #fields
            #(#odd)*
            Ok(())
        }
    })
}

/// All words of a condition.
fn variables(tokens: &TokenStream) -> Vec<Ident> {
    let word = |token| match token {
        proc_macro2::TokenTree::Ident(name) => Some(name),
        _ => None,
    };
    tokens.clone().into_iter().filter_map(word).collect()
}

/// The methods that give the name of the object.
fn names(forms: &[Form], marks: &TypeMarks) -> Option<TokenStream> {
    let of = |form: &Form, method: &TokenStream, own: &dyn Fn(&Ident) -> TokenStream, none: &TokenStream| {
        let named = form.parts.iter().find(|p| matches!(p.mark.meaning, Meaning::Name));
        match (named, form.parts.as_slice()) {
            (Some(part), _) => {
                let (pattern, value) = (form.pattern(&[&part.variable]), own(&part.variable));
                Some(quote!(#pattern => #value,))
            }
            (None, [only]) if only.member.is_none() && matches!(only.mark.meaning, Meaning::Inner) => {
                let (pattern, inner) = (form.pattern(&[&only.variable]), &only.variable);
                Some(quote!(#pattern => ::huygens_spec::SceneObject::#method(#inner),))
            }
            _ => {
                let pattern = form.pattern(&[]);
                Some(quote!(#pattern => #none,))
            }
        }
    };
    let has_name = |form: &Form| match form.parts.as_slice() {
        [only] if only.member.is_none() => matches!(only.mark.meaning, Meaning::Inner | Meaning::Name),
        parts => parts.iter().any(|p| matches!(p.mark.meaning, Meaning::Name)),
    };
    let label = marks.label.as_ref();
    if !forms.iter().any(has_name) && label.is_none() {
        return None;
    }
    let shown = match label {
        Some(label) => quote!(::std::borrow::Cow::from(#label(self))),
        None => {
            let own = |name: &Ident| quote!(::std::borrow::Cow::from(#name.as_str()));
            let arms = forms.iter().filter_map(|form| of(form, &quote!(name), &own, &quote!("".into())));
            quote!(match self { #(#arms)* })
        }
    };
    // What is called by its label has no name that a world gives it.
    let changed = label.is_none().then(|| {
        let own = |name: &Ident| quote!(Some(#name));
        let arms = forms.iter().filter_map(|form| of(form, &quote!(name_mut), &own, &quote!(None)));
        quote! {
            fn name_mut(&mut self) -> ::core::option::Option<&mut ::std::string::String> { match self { #(#arms)* } }
        }
    });
    Some(quote! {
        fn name(&self) -> ::std::borrow::Cow<'_, str> { #shown }
        #changed
    })
}
