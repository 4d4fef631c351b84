//! The macro around a module of laws: see [`macro@laws`].
//!
//! It works on plain tokens: a law module holds nothing but `use`, `struct` and `fn`, which are told apart by their
//! first word, so that no parser of the whole language is needed.

use proc_macro::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};

/// Emits the laws of a module twice: for the host and, with feature `gpu`, for devices.
///
/// The items of the module replace it, so that they belong to the file around it; functions become
/// `#[inline(always)]`. Their device twins stand in a module `device` beside them. There
///
/// - `use path::{…}` reads `use path::device::{…}`: inside the block, imports are laws, while constants, model enums and
///   set-up functions are imported or defined outside of it;
/// - structs become CubeCL types over its `Float`;
/// - functions carry `#[cube]`, and parameters marked `#[comptime]` are known when the device code is generated.
///
/// What devices cannot do is refused in every build: `return`, arrays, macros.
#[proc_macro_attribute]
pub fn laws(_arguments: TokenStream, module: TokenStream) -> TokenStream {
    match expand(module) {
        Ok(tokens) => tokens,
        Err((span, message)) => complaint(span, message),
    }
}

type Refusal = (Span, &'static str);

/// A `use`, a `struct` or a `fn`.
struct Item {
    attributes: Vec<Group>,
    kind: Kind,
    /// Everything after the attributes.
    tokens: Vec<TokenTree>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Use,
    Struct,
    Function,
}

fn expand(module: TokenStream) -> Result<TokenStream, Refusal> {
    let body = module.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
        _ => None,
    });
    let body = body.last().ok_or((Span::call_site(), "`laws` stands before `mod name { … }`"))?;
    let items = split(body.stream())?;
    let (mut host, mut device) = (TokenStream::new(), TokenStream::new());
    for item in &items {
        if item.kind == Kind::Function {
            check(item.tokens.iter().cloned().collect())?;
        }
        host.extend(on_host(item));
        device.extend(on_device(item));
    }
    host.extend(parse(
        "#[cfg(feature = \"gpu\")]
         /// Twins of the laws above for code that runs on devices.
         #[allow(missing_docs, unused_imports, dead_code, clippy::all)]
         pub mod device",
    ));
    let mut inner = parse("use super::*; use cubecl::prelude::*;");
    inner.extend(device);
    host.extend([TokenTree::Group(Group::new(Delimiter::Brace, inner))]);
    Ok(host)
}

fn parse(text: &str) -> TokenStream {
    text.parse().expect("tokens written here are well formed")
}

fn complaint(span: Span, message: &str) -> TokenStream {
    parse(&format!("compile_error!({message:?});"))
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect()
}

fn word(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        _ => None,
    }
}

fn is_sign(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}

/// Items of the body of a module.
fn split(body: TokenStream) -> Result<Vec<Item>, Refusal> {
    let mut items = Vec::new();
    let mut tokens = body.into_iter().peekable();
    while tokens.peek().is_some() {
        let mut attributes = Vec::new();
        while tokens.peek().is_some_and(|token| is_sign(token, '#')) {
            tokens.next();
            if let Some(TokenTree::Group(group)) = tokens.next() {
                attributes.push(group);
            }
        }
        let mut item = Item { attributes, kind: Kind::Use, tokens: Vec::new() };
        let mut kind = None;
        for token in tokens.by_ref() {
            if kind.is_none() {
                kind = match word(&token).as_deref() {
                    Some("use") => Some(Kind::Use),
                    Some("struct") => Some(Kind::Struct),
                    Some("fn") => Some(Kind::Function),
                    Some("pub") => None,
                    Some(_) => {
                        let message =
                            "a law module holds `use`, `struct` and `fn`; the rest stands outside of it";
                        return Err((token.span(), message));
                    }
                    None => None,
                };
            }
            let ends = match kind {
                Some(Kind::Use) => is_sign(&token, ';'),
                _ => is_group(&token, Delimiter::Brace),
            };
            item.tokens.push(token);
            if ends {
                break;
            }
        }
        item.kind = kind.ok_or((Span::call_site(), "an attribute without an item"))?;
        items.push(item);
    }
    Ok(items)
}

/// Refuses what CubeCL cannot do, also in builds without it.
fn check(tokens: TokenStream) -> Result<(), Refusal> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        if word(token).as_deref() == Some("return") {
            return Err((token.span(), "a law has no `return`: devices run all lanes to the end"));
        }
        let next_is_group = matches!(tokens.get(i + 1), Some(TokenTree::Group(_)));
        if is_sign(token, '!') && next_is_group && i > 0 && word(&tokens[i - 1]).is_some() {
            return Err((token.span(), "a law calls no macros: CubeCL does not expand them"));
        }
        if let TokenTree::Group(group) = token {
            let attribute = i > 0 && is_sign(&tokens[i - 1], '#');
            if group.delimiter() == Delimiter::Bracket && !attribute {
                return Err((group.span(), "a law has no arrays: use structs with named fields"));
            }
            if !attribute {
                check(group.stream())?;
            }
        }
    }
    Ok(())
}

fn attribute(group: &Group) -> [TokenTree; 2] {
    [Punct::new('#', Spacing::Alone).into(), group.clone().into()]
}

fn name_of(attribute: &Group) -> Option<String> {
    attribute.stream().into_iter().next().as_ref().and_then(word)
}

fn on_host(item: &Item) -> TokenStream {
    let mut out: TokenStream = item.attributes.iter().flat_map(attribute).collect();
    if item.kind == Kind::Function {
        if !item.attributes.iter().any(|group| name_of(group).as_deref() == Some("inline")) {
            out.extend(parse("#[inline(always)]"));
        }
        let mut seen = false;
        out.extend(item.tokens.iter().cloned().map(|token| {
            seen |= word(&token).as_deref() == Some("fn");
            match token {
                TokenTree::Group(group) if seen && group.delimiter() == Delimiter::Parenthesis => {
                    without_comptime(&group)
                }
                token => token,
            }
        }));
    } else {
        out.extend(item.tokens.iter().cloned());
    }
    out
}

/// The parameters of a function without their marks `#[comptime]`.
fn without_comptime(parameters: &Group) -> TokenTree {
    let mut out: Vec<TokenTree> = Vec::new();
    for token in parameters.stream() {
        let mark = match &token {
            TokenTree::Group(group) => name_of(group).as_deref() == Some("comptime"),
            _ => false,
        };
        if mark && out.last().is_some_and(|last| is_sign(last, '#')) {
            out.pop();
        } else {
            out.push(token);
        }
    }
    let mut group = Group::new(Delimiter::Parenthesis, out.into_iter().collect());
    group.set_span(parameters.span());
    group.into()
}

fn on_device(item: &Item) -> TokenStream {
    let mut out: TokenStream = item
        .attributes
        .iter()
        .filter(|group| matches!(name_of(group).as_deref(), Some("doc" | "cfg")))
        .flat_map(attribute)
        .collect();
    let tokens = seen_by_all(&item.tokens);
    match item.kind {
        Kind::Use => out.extend(imported(tokens)),
        Kind::Struct => {
            out.extend(parse("#[derive(CubeType, CubeTypeMut, Clone, Copy)]"));
            out.extend(bounded(tokens));
        }
        Kind::Function => {
            out.extend(parse("#[cubecl::cube]"));
            match parameter(&tokens) {
                Some(name) => out.extend(typed(tokens, &name)),
                None => out.extend(tokens),
            }
        }
    }
    out
}

/// The item with `pub` for every restricted visibility, which would mean another module here.
fn seen_by_all(tokens: &[TokenTree]) -> Vec<TokenTree> {
    let restricted = word(&tokens[0]).as_deref() == Some("pub")
        && tokens.get(1).is_some_and(|token| is_group(token, Delimiter::Parenthesis));
    let mut out = tokens.to_vec();
    if restricted {
        out.remove(1);
    }
    out
}

/// The type parameter of a function: `S` of `fn name<S: Scalar>`.
fn parameter(tokens: &[TokenTree]) -> Option<Ident> {
    let at = tokens.iter().position(|token| is_sign(token, '<'))?;
    match (tokens.get(at.checked_sub(2)?), tokens.get(at + 1)) {
        (Some(TokenTree::Ident(word)), Some(TokenTree::Ident(name))) if word.to_string() == "fn" => {
            Some(name.clone())
        }
        _ => None,
    }
}

/// The body of a function with `::<S>` after the name of every law called and every struct made.
///
/// CubeCL converts each argument, so that types are not found from arguments as they are on the host.
fn typed(tokens: Vec<TokenTree>, parameter: &Ident) -> Vec<TokenTree> {
    let last = tokens.len() - 1;
    tokens
        .into_iter()
        .enumerate()
        .map(|(i, token)| match token {
            TokenTree::Group(group) if i == last => typed_group(&group, parameter),
            token => token,
        })
        .collect()
}

fn typed_group(group: &Group, parameter: &Ident) -> TokenTree {
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let mut out = TokenStream::new();
    for (i, token) in tokens.iter().enumerate() {
        let next = tokens.get(i + 1);
        match token {
            TokenTree::Group(inner) => out.extend([typed_group(inner, parameter)]),
            TokenTree::Ident(name) => {
                out.extend([token.clone()]);
                let text = name.to_string();
                let capital = text.starts_with(char::is_uppercase);
                let opens = if capital { Delimiter::Brace } else { Delimiter::Parenthesis };
                let called =
                    next.is_some_and(|next| is_group(next, opens)) && !KEYWORDS.contains(&text.as_str());
                // A field whose value is a call reads `name: call(…)`, a path `name::call(…)`.
                let qualified = i > 1 && is_sign(&tokens[i - 1], ':') && is_sign(&tokens[i - 2], ':');
                let method = i > 0 && is_sign(&tokens[i - 1], '.');
                if called && !qualified && !method {
                    out.extend(parse(&format!("::<{parameter}>")));
                }
            }
            token => out.extend([token.clone()]),
        }
    }
    let mut out = Group::new(group.delimiter(), out);
    out.set_span(group.span());
    out.into()
}

const KEYWORDS: [&str; 8] = ["if", "match", "while", "let", "in", "as", "else", "mut"];

/// `use a::b::{c, d};` as `use a::b::device::{c, d};`, with the path as seen from one module further in.
fn imported(tokens: Vec<TokenTree>) -> Vec<TokenTree> {
    let span = tokens[0].span();
    let identifier = |name| TokenTree::from(Ident::new(name, span));
    let colons =
        || [TokenTree::from(Punct::new(':', Spacing::Joint)), Punct::new(':', Spacing::Alone).into()];
    let last = tokens.iter().rposition(|token| is_sign(token, ':')).unwrap_or(0);
    let mut out = Vec::new();
    for (i, token) in tokens.into_iter().enumerate() {
        match word(&token).as_deref() {
            Some("super") if !out.iter().any(|token| is_sign(token, ':')) => {
                out.push(token.clone());
                out.extend(colons());
                out.push(token);
            }
            Some("self") if i == 1 => out.push(identifier("super")),
            _ => out.push(token),
        }
        if i == last && i > 0 {
            out.push(identifier("device"));
            out.extend(colons());
        }
    }
    out
}

/// `struct Name<S>` or `struct Name<S = f64>` as `struct Name<S: Float>`.
fn bounded(tokens: Vec<TokenTree>) -> Vec<TokenTree> {
    let mut out = Vec::new();
    let mut depth = 0;
    let mut skipping = false;
    for token in tokens {
        if is_sign(&token, '<') {
            depth += 1;
        }
        if is_sign(&token, '>') {
            depth -= 1;
            skipping = false;
        }
        if depth > 0 && is_sign(&token, '=') {
            skipping = true;
        }
        if depth > 0 && is_sign(&token, ',') {
            skipping = false;
        }
        if skipping {
            continue;
        }
        let parameter = depth == 1 && word(&token).is_some();
        out.push(token);
        if parameter {
            out.extend(parse(": cubecl::prelude::Float"));
        }
    }
    out
}
