//! Splitting, joining and sorting, and the text of any value.

use lockstep_golang::unicode::{decode_rune, runes};

use crate::context::Context;
use crate::failure::Outcome;
use crate::funcs::builtin::cap;
use crate::limits::Exceeded;
use crate::print;
use crate::value::{Elem, List, Str, StrMap, Value};

/// Sprig's `strval`: the text of any value.
pub(in crate::funcs) fn string_of(cx: &mut Context<'_>, value: &Value) -> Outcome<Str> {
    match value {
        Value::Str(text) => Ok(text.clone()),
        Value::List(list) if list.elem() == Elem::Byte => {
            let bytes = list.to_vec();
            cx.reserve(bytes.len())?;
            let byte = |value: &Value| value.as_unsigned().and_then(|n| u8::try_from(n).ok());
            Ok(Str::from(
                bytes.iter().filter_map(byte).collect::<Vec<u8>>(),
            ))
        }
        _ => {
            let text = print::sprint(std::slice::from_ref(value), cap(cx))?;
            cx.reserve(text.len())?;
            Ok(Str::from(text))
        }
    }
}

/// The texts of all values that are not nil.
pub(in crate::funcs) fn strings_of(cx: &mut Context<'_>, values: &[Value]) -> Outcome<Vec<Str>> {
    values
        .iter()
        .filter(|value| !value.is_nil())
        .map(|value| string_of(cx, value))
        .collect()
}

/// Sprig's `strslice`: any list as strings, anything else as a list of one.
pub(super) fn string_list(cx: &mut Context<'_>, value: &Value) -> Outcome<Vec<Str>> {
    match value {
        Value::Nil => Ok(Vec::new()),
        Value::List(list) => {
            cx.meter.charge_items(list.len())?;
            match list.as_strings() {
                Some(strings) => Ok(strings),
                None => strings_of(cx, &list.to_vec()),
            }
        }
        _ => Ok(vec![string_of(cx, value)?]),
    }
}

/// A list of strings is sorted where it lies; every other list is copied first.
pub(super) fn sort_alpha(cx: &mut Context<'_>, value: &Value) -> Outcome<Value> {
    let Value::List(list) = value else {
        return Ok(Value::List(List::strings(vec![string_of(cx, value)?])));
    };
    if list.sort_strings() {
        return Ok(value.clone());
    }
    let mut strings = string_list(cx, value)?;
    strings.sort();
    Ok(Value::List(List::strings(strings)))
}

/// `strings.SplitN`; a negative count means all parts.
pub(super) fn split(
    cx: &mut Context<'_>,
    text: &[u8],
    separator: &[u8],
    count: i64,
) -> Outcome<Vec<Str>> {
    let most = match count {
        0 => return Ok(Vec::new()),
        count => usize::try_from(count).unwrap_or(usize::MAX),
    };
    let mut parts = Vec::new();
    let mut rest = text;
    while parts.len() + 1 < most {
        let found = if separator.is_empty() {
            // One character at a time; the last one is what remains.
            let (_, width) = decode_rune(rest);
            (width < rest.len()).then_some(width)
        } else {
            memchr::memmem::find(rest, separator)
        };
        let Some(end) = found else {
            break;
        };
        parts.push(part(cx, &rest[..end])?);
        rest = &rest[end + separator.len()..];
    }
    if !separator.is_empty() || !rest.is_empty() {
        parts.push(part(cx, rest)?);
    }
    Ok(parts)
}

fn part(cx: &mut Context<'_>, bytes: &[u8]) -> Result<Str, Exceeded> {
    cx.meter.charge(bytes.len() + 2 * size_of::<Value>())?;
    Ok(Str::from(bytes))
}

/// Parts as a map with keys `_0`, `_1`, and so on.
pub(super) fn numbered(cx: &mut Context<'_>, parts: Vec<Str>) -> Outcome<Value> {
    cx.meter.charge_items(parts.len().saturating_mul(2))?;
    let entries = parts.into_iter().enumerate();
    Ok(Value::StrMap(
        entries
            .map(|(at, part)| (format!("_{at}"), part))
            .collect::<StrMap>(),
    ))
}

/// All texts with `separator` between them. A list may hold one text many times, so the length is
/// counted before the text is made.
pub(super) fn join(cx: &mut Context<'_>, texts: &[Str], separator: &[u8]) -> Outcome<Value> {
    let length = |text: &Str| text.len().saturating_add(separator.len());
    let size = texts.iter().map(length).fold(0, usize::saturating_add);
    cx.reserve(size)?;
    Ok(Value::from(texts.join(separator)))
}

/// `strings.ReplaceAll`; an empty `old` stands between all characters.
pub(super) fn replace(cx: &mut Context<'_>, text: &[u8], old: &[u8], new: &[u8]) -> Outcome<Value> {
    let cuts = || -> Box<dyn Iterator<Item = usize> + '_> {
        if old.is_empty() {
            Box::new(runes(text).map(|(at, _)| at).chain([text.len()]))
        } else {
            Box::new(memchr::memmem::find_iter(text, old))
        }
    };
    let size = text
        .len()
        .saturating_add(cuts().count().saturating_mul(new.len()));
    cx.reserve(size)?;
    let mut out = Vec::with_capacity(size);
    let mut at = 0;
    for cut in cuts() {
        out.extend_from_slice(&text[at..cut]);
        out.extend_from_slice(new);
        at = cut + old.len();
    }
    out.extend_from_slice(&text[at..]);
    Ok(Value::from(out))
}
