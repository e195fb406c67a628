//! Slash-separated paths; the `os` twins are the same on the systems this runs on.

use super::{Func, func};
use crate::context::Context;
use crate::failure::Outcome;
use crate::funcs::Args;
use crate::value::{Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    func("base", &[Ty::Str], |cx, args| apply(cx, args, base)),
    func("osBase", &[Ty::Str], |cx, args| apply(cx, args, base)),
    func("clean", &[Ty::Str], |cx, args| apply(cx, args, clean)),
    func("osClean", &[Ty::Str], |cx, args| apply(cx, args, clean)),
    func("dir", &[Ty::Str], |cx, args| apply(cx, args, dir)),
    func("osDir", &[Ty::Str], |cx, args| apply(cx, args, dir)),
    func("ext", &[Ty::Str], |cx, args| apply(cx, args, ext)),
    func("osExt", &[Ty::Str], |cx, args| apply(cx, args, ext)),
    func("isAbs", &[Ty::Str], |_, args| {
        Ok(Value::Bool(args.bytes(0).first() == Some(&b'/')))
    }),
    func("osIsAbs", &[Ty::Str], |_, args| {
        Ok(Value::Bool(args.bytes(0).first() == Some(&b'/')))
    }),
];

fn apply(cx: &mut Context<'_>, args: &Args, change: fn(&[u8]) -> Vec<u8>) -> Outcome<Value> {
    cx.string(change(args.bytes(0)))
}

fn base(path: &[u8]) -> Vec<u8> {
    if path.is_empty() {
        return b".".to_vec();
    }
    let end = path.iter().rposition(|b| *b != b'/').map_or(0, |at| at + 1);
    let path = &path[..end];
    let start = memchr::memrchr(b'/', path).map_or(0, |at| at + 1);
    if path.is_empty() {
        b"/".to_vec()
    } else {
        path[start..].to_vec()
    }
}

fn dir(path: &[u8]) -> Vec<u8> {
    let end = memchr::memrchr(b'/', path).map_or(0, |at| at + 1);
    clean(&path[..end])
}

fn ext(path: &[u8]) -> Vec<u8> {
    let name = memchr::memrchr(b'/', path).map_or(0, |at| at + 1);
    match memchr::memrchr(b'.', &path[name..]) {
        Some(at) => path[name + at..].to_vec(),
        None => Vec::new(),
    }
}

/// The shortest path that names the same place, by text alone.
fn clean(path: &[u8]) -> Vec<u8> {
    let rooted = path.first() == Some(&b'/');
    let mut kept: Vec<&[u8]> = Vec::new();
    for part in path.split(|b| *b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => match kept.last() {
                Some(last) if *last != b".." => {
                    kept.pop();
                }
                None if rooted => {}
                _ => kept.push(part),
            },
            _ => kept.push(part),
        }
    }
    let mut out = if rooted { b"/".to_vec() } else { Vec::new() };
    out.extend(kept.join(&b'/'));
    if out.is_empty() { b".".to_vec() } else { out }
}
