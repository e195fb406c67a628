//! Sprig's string functions.
//!
//! Strings are bytes; what works on characters says so, and treats bytes that are not UTF-8 as Go
//! does. Several functions of `goutils` work on single bytes and spoil text beyond ASCII: so do
//! these, because templates rely on what they print.

mod case;
mod slicing;
mod split;
mod words;
mod wrap;

use super::{Args, Func, func, variadic};
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::value::{Elem, List, Ty, Value};

pub(super) use split::{string_of, strings_of};

pub(super) const FUNCS: &[Func] = &[
    func("trim", &[Ty::Str], |cx, args| {
        cx.string(case::trim_space(args.bytes(0)))
    }),
    func("upper", &[Ty::Str], |cx, args| {
        mapped(cx, args, case::upper)
    }),
    func("lower", &[Ty::Str], |cx, args| {
        mapped(cx, args, case::lower)
    }),
    func("title", &[Ty::Str], |cx, args| {
        mapped(cx, args, case::title)
    }),
    func("untitle", &[Ty::Str], |cx, args| {
        mapped(cx, args, case::untitle)
    }),
    func("swapcase", &[Ty::Str], |cx, args| {
        mapped(cx, args, case::swap)
    }),
    func("snakecase", &[Ty::Str], |cx, args| {
        mapped(cx, args, |s| words::separated(s, '_'))
    }),
    func("kebabcase", &[Ty::Str], |cx, args| {
        mapped(cx, args, |s| words::separated(s, '-'))
    }),
    func("camelcase", &[Ty::Str], |cx, args| {
        mapped(cx, args, words::pascal)
    }),
    func("nospace", &[Ty::Str], |cx, args| {
        mapped(cx, args, wrap::without_spaces)
    }),
    func("initials", &[Ty::Str], |cx, args| {
        mapped(cx, args, wrap::initials)
    }),
    func("trimAll", &[Ty::Str, Ty::Str], |cx, args| {
        cx.string(case::trim_set(args.bytes(1), args.bytes(0)))
    }),
    func("trimall", &[Ty::Str, Ty::Str], |cx, args| {
        cx.string(case::trim_set(args.bytes(1), args.bytes(0)))
    }),
    func("trimSuffix", &[Ty::Str, Ty::Str], |cx, args| {
        let text = args.bytes(1);
        cx.string(text.strip_suffix(args.bytes(0)).unwrap_or(text))
    }),
    func("trimPrefix", &[Ty::Str, Ty::Str], |cx, args| {
        let text = args.bytes(1);
        cx.string(text.strip_prefix(args.bytes(0)).unwrap_or(text))
    }),
    func("substr", &[Ty::Int, Ty::Int, Ty::Str], |cx, args| {
        let part = slicing::substring(args.int(0), args.int(1), args.bytes(2))?;
        cx.string(part)
    }),
    func("trunc", &[Ty::Int, Ty::Str], |cx, args| {
        cx.string(slicing::truncate(args.int(0), args.bytes(1)))
    }),
    func("abbrev", &[Ty::Int, Ty::Str], |cx, args| {
        cx.string(slicing::abbreviate(0, args.int(0), args.bytes(1)))
    }),
    func("abbrevboth", &[Ty::Int, Ty::Int, Ty::Str], |cx, args| {
        cx.string(slicing::abbreviate(args.int(0), args.int(1), args.bytes(2)))
    }),
    func("repeat", &[Ty::Int, Ty::Str], |cx, args| {
        let text = repeated(cx, args.bytes(1), args.int(0))?;
        Ok(Value::from(text))
    }),
    func("wrap", &[Ty::Int, Ty::Str], |cx, args| {
        wrap::wrap(cx, args.bytes(1), args.int(0), b"\n", false)
    }),
    func("wrapWith", &[Ty::Int, Ty::Str, Ty::Str], |cx, args| {
        wrap::wrap(cx, args.bytes(2), args.int(0), args.bytes(1), true)
    }),
    func("indent", &[Ty::Int, Ty::Str], |cx, args| {
        indented(cx, args, b"")
    }),
    func("nindent", &[Ty::Int, Ty::Str], |cx, args| {
        indented(cx, args, b"\n")
    }),
    func("replace", &[Ty::Str, Ty::Str, Ty::Str], |cx, args| {
        split::replace(cx, args.bytes(2), args.bytes(0), args.bytes(1))
    }),
    func("plural", &[Ty::Str, Ty::Str, Ty::Int], |_, args| {
        let at = usize::from(args.int(2) != 1);
        Ok(args.take(at))
    }),
    func("contains", &[Ty::Str, Ty::Str], |_, args| {
        Ok(Value::Bool(
            memchr::memmem::find(args.bytes(1), args.bytes(0)).is_some(),
        ))
    }),
    func("hasPrefix", &[Ty::Str, Ty::Str], |_, args| {
        Ok(Value::Bool(args.bytes(1).starts_with(args.bytes(0))))
    }),
    func("hasSuffix", &[Ty::Str, Ty::Str], |_, args| {
        Ok(Value::Bool(args.bytes(1).ends_with(args.bytes(0))))
    }),
    variadic("quote", &[Ty::Any], |cx, args| {
        quoted(cx, args, |text| crate::strconv::quote(text).into_bytes())
    }),
    variadic("squote", &[Ty::Any], |cx, args| {
        quoted(cx, args, |text| [b"'", text, b"'"].concat())
    }),
    variadic("cat", &[Ty::Any], |cx, args| {
        let texts = strings_of(cx, args.rest(0))?;
        split::join(cx, &texts, b" ")
    }),
    func("toString", &[Ty::Any], |cx, args| {
        string_of(cx, args.value(0)).map(Value::Str)
    }),
    func("toStrings", &[Ty::Any], |cx, args| match args.value(0) {
        Value::List(list) if list.elem() == Elem::Str => Ok(args.take(0)),
        value => Ok(Value::List(List::strings(split::string_list(cx, value)?))),
    }),
    func("join", &[Ty::Str, Ty::Any], |cx, args| {
        let texts = split::string_list(cx, args.value(1))?;
        split::join(cx, &texts, args.bytes(0))
    }),
    func("sortAlpha", &[Ty::Any], |cx, args| {
        split::sort_alpha(cx, args.value(0))
    }),
    func("splitList", &[Ty::Str, Ty::Str], |cx, args| {
        let parts = split::split(cx, args.bytes(1), args.bytes(0), -1)?;
        Ok(Value::List(List::strings(parts)))
    }),
    func("split", &[Ty::Str, Ty::Str], |cx, args| {
        let parts = split::split(cx, args.bytes(1), args.bytes(0), -1)?;
        split::numbered(cx, parts)
    }),
    func("splitn", &[Ty::Str, Ty::Int, Ty::Str], |cx, args| {
        let parts = split::split(cx, args.bytes(2), args.bytes(0), args.int(1))?;
        split::numbered(cx, parts)
    }),
];

/// Applies a change that at most triples the length.
fn mapped(cx: &mut Context<'_>, args: &Args, change: fn(&[u8]) -> Vec<u8>) -> Outcome<Value> {
    let text = args.bytes(0);
    cx.reserve(text.len().saturating_mul(3))?;
    Ok(Value::from(change(text)))
}

/// `strings.Repeat`
fn repeated(cx: &mut Context<'_>, text: &[u8], count: i64) -> Outcome<Vec<u8>> {
    let count =
        usize::try_from(count).map_err(|_| Failure::new("strings: negative Repeat count"))?;
    cx.reserve(text.len().saturating_mul(count))?;
    Ok(text.repeat(count))
}

fn indented(cx: &mut Context<'_>, args: &Args, before: &[u8]) -> Outcome<Value> {
    let pad = repeated(cx, b" ", args.int(0))?;
    let text = args.bytes(1);
    let lines = memchr::memchr_iter(b'\n', text).count() + 1;
    let size = pad
        .len()
        .saturating_mul(lines)
        .saturating_add(text.len() + before.len());
    cx.reserve(size)?;
    let mut out = Vec::with_capacity(size);
    out.extend_from_slice(before);
    let mut from = 0;
    for newline in memchr::memchr_iter(b'\n', text) {
        out.extend_from_slice(&pad);
        out.extend_from_slice(&text[from..=newline]);
        from = newline + 1;
    }
    out.extend_from_slice(&pad);
    out.extend_from_slice(&text[from..]);
    Ok(Value::from(out))
}

/// The operands that are not nil, each quoted, with spaces between.
fn quoted(cx: &mut Context<'_>, args: &Args, quote: fn(&[u8]) -> Vec<u8>) -> Outcome<Value> {
    let texts = strings_of(cx, args.rest(0))?;
    cx.reserve(texts.iter().map(|text| text.len().saturating_mul(4)).sum())?;
    if let [text] = &texts[..] {
        return Ok(Value::from(quote(text)));
    }
    let quoted: Vec<Vec<u8>> = texts.iter().map(|text| quote(text)).collect();
    Ok(Value::from(quoted.join(&b' ')))
}
