//! Regular expressions in Go's syntax.
//!
//! Compiling is the expensive part, so a pattern is compiled once in an execution and counted in
//! steps by how large it may become; matching takes time linear in the text.

use std::sync::Arc;

use lockstep_golang::regexp::{self, Regexp, quote_meta};
use parking_lot::Mutex;

use super::{Args, Func, func};
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::value::{Elem, List, Str, Ty, Value};

const FIND: &[Ty] = &[Ty::Str, Ty::Str];
const COUNTED: &[Ty] = &[Ty::Str, Ty::Str, Ty::Int];
const REPLACE: &[Ty] = &[Ty::Str, Ty::Str, Ty::Str];

pub(super) const FUNCS: &[Func] = &[
    func("regexMatch", FIND, |cx, args| match compile(cx, args) {
        Ok(regexp) => Ok(Value::Bool(regexp.is_match(args.bytes(1)))),
        Err(Failure::Message(_)) => Ok(Value::Bool(false)),
        Err(limit) => Err(limit),
    }),
    func("mustRegexMatch", FIND, |cx, args| {
        Ok(Value::Bool(compile(cx, args)?.is_match(args.bytes(1))))
    }),
    func("regexFind", FIND, |cx, args| panicking(find, cx, args)),
    func("mustRegexFind", FIND, find),
    func("regexFindAll", COUNTED, |cx, args| {
        panicking(find_all, cx, args)
    }),
    func("mustRegexFindAll", COUNTED, find_all),
    func("regexSplit", COUNTED, |cx, args| panicking(split, cx, args)),
    func("mustRegexSplit", COUNTED, split),
    func("regexReplaceAll", REPLACE, |cx, args| {
        panicking(replace_all, cx, args)
    }),
    func("mustRegexReplaceAll", REPLACE, replace_all),
    func("regexReplaceAllLiteral", REPLACE, |cx, args| {
        panicking(replace_literal, cx, args)
    }),
    func("mustRegexReplaceAllLiteral", REPLACE, replace_literal),
    func("regexQuoteMeta", &[Ty::Str], |cx, args| {
        cx.string(quote_meta(args.bytes(0)))
    }),
];

type Body = fn(&mut Context<'_>, &mut Args) -> Outcome<Value>;

/// Upstream's functions without `must` panic on a bad pattern, with another sentence.
fn panicking(body: Body, cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    body(cx, args).map_err(|why| match why {
        limit @ Failure::Limit(_) => limit,
        Failure::Message(parts) => {
            let pattern = args.bytes(0);
            let shown = backquoted(pattern).unwrap_or_else(|| crate::strconv::quote(pattern));
            let start = Failure::new("regexp: Compile(").value(shown).text("): ");
            parts.into_iter().fold(start, Failure::with)
        }
    })
}

fn backquoted(text: &[u8]) -> Option<String> {
    crate::strconv::can_backquote(text).then(|| format!("`{}`", String::from_utf8_lossy(text)))
}

/// The first argument compiled, and the second counted as work.
fn compile(cx: &mut Context<'_>, args: &Args) -> Outcome<Arc<Regexp>> {
    let pattern = args.text(0);
    // The work for each byte of the text grows with the pattern.
    let work = (args.bytes(1).len() as u64 / 64).saturating_mul(regexp::weight(&pattern) / 2000);
    cx.meter.step(work)?;
    if let Some((_, regexp)) = cx.regexps.iter().find(|(known, _)| *known == pattern) {
        return Ok(Arc::clone(regexp));
    }
    if let Err(exceeded) = cx.meter.step(regexp::weight(&pattern)) {
        // A pattern that is wrong costs nothing, and to hear that helps more.
        regexp::check(&pattern).map_err(|error| Failure::of_value(error.to_string()))?;
        return Err(exceeded.into());
    }
    let literal = args.first_is_literal();
    if literal && let Some(regexp) = LITERALS.get(&pattern) {
        return Ok(regexp);
    }
    match Regexp::from_bytes(&pattern) {
        Ok(regexp) => {
            let regexp = Arc::new(regexp);
            cx.meter.charge(regexp.memory_usage())?;
            if literal {
                LITERALS.put(&pattern, &regexp);
            }
            cx.remember(pattern, &regexp);
            Ok(regexp)
        }
        Err(error) => Err(Failure::of_value(error.to_string())),
    }
}

/// Patterns that templates spell out, compiled; shared by all executions.
static LITERALS: Literals = Literals(Mutex::new(Vec::new()));

/// The most recently used patterns, the newest last. Patterns made from data never get here.
struct Literals(Mutex<Vec<(Str, Arc<Regexp>)>>);

impl Literals {
    /// How many patterns are kept, and how long and how large when compiled they may be.
    const COUNT: usize = 32;
    const LENGTH: usize = 256;
    const MEMORY: usize = 64 * 1024;

    fn get(&self, pattern: &Str) -> Option<Arc<Regexp>> {
        let mut kept = self.0.lock();
        let at = kept.iter().rposition(|(known, _)| known == pattern)?;
        let entry = kept.remove(at);
        let regexp = Arc::clone(&entry.1);
        kept.push(entry);
        Some(regexp)
    }

    fn put(&self, pattern: &Str, regexp: &Arc<Regexp>) {
        if pattern.len() > Self::LENGTH || regexp.memory_usage() > Self::MEMORY {
            return;
        }
        let mut kept = self.0.lock();
        if kept.len() >= Self::COUNT {
            kept.remove(0);
        }
        kept.push((pattern.clone(), Arc::clone(regexp)));
    }
}

fn find(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let regexp = compile(cx, args)?;
    let text = args.bytes(1);
    let found = regexp
        .find(text)
        .and_then(|range| text.get(range))
        .unwrap_or_default();
    cx.string(found)
}

fn strings<'t>(cx: &mut Context<'_>, parts: impl Iterator<Item = &'t [u8]>) -> Outcome<Value> {
    let mut out = Vec::new();
    for part in parts {
        cx.meter.charge(part.len() + size_of::<Value>())?;
        out.push(Str::from(part));
    }
    Ok(Value::List(List::strings(out)))
}

/// Counts the matches and the work of finding them; a short text is not worth counting.
fn count(cx: &mut Context<'_>, regexp: &Regexp, text: &[u8]) -> Outcome<usize> {
    if text.len() < 4096 {
        return Ok(text.len() + 1);
    }
    let mut exceeded = None;
    let counted = regexp.count_matches(text, |left| {
        exceeded = cx.meter.step(1 + left as u64 / 1024).err();
        exceeded.is_none()
    });
    match (counted, exceeded) {
        (Some(counted), _) => Ok(counted),
        (None, Some(exceeded)) => Err(exceeded.into()),
        (None, None) => Ok(0),
    }
}

/// No match at all is the nil slice.
fn find_all(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let regexp = compile(cx, args)?;
    let text = args.bytes(1);
    count(cx, &regexp, text)?;
    let found = regexp.find_all(text, args.int(2));
    if found.is_empty() {
        return Ok(Value::List(List::nil(Elem::Str)));
    }
    strings(cx, found.into_iter().filter_map(|range| text.get(range)))
}

/// A count of zero gives the nil slice.
fn split(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let regexp = compile(cx, args)?;
    if args.int(2) == 0 {
        return Ok(Value::List(List::nil(Elem::Str)));
    }
    count(cx, &regexp, args.bytes(1))?;
    strings(cx, regexp.split(args.bytes(1), args.int(2)).into_iter())
}

fn replace_all(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let regexp = compile(cx, args)?;
    let references = memchr::memchr_iter(b'$', args.bytes(2)).count();
    reserve_replaced(cx, &regexp, args, references)?;
    Ok(Value::from(
        regexp.replace_all(args.bytes(1), args.bytes(2)),
    ))
}

fn replace_literal(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let regexp = compile(cx, args)?;
    reserve_replaced(cx, &regexp, args, 0)?;
    Ok(Value::from(
        regexp.replace_all_literal(args.bytes(1), args.bytes(2)),
    ))
}

/// Counts what a replacement may grow to.
fn reserve_replaced(
    cx: &mut Context<'_>,
    regexp: &Regexp,
    args: &Args,
    references: usize,
) -> Outcome<()> {
    let (text, replacement) = (args.bytes(1), args.bytes(2).len());
    let matches = count(cx, regexp, text)?;
    let groups = text.len().saturating_mul(references);
    let size = text
        .len()
        .saturating_add(matches.saturating_mul(replacement));
    Ok(cx.reserve(size.saturating_add(groups))?)
}
