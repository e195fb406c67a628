//! Random strings and numbers, from the source the execution was given.

use lockstep_golang::base64::{self, Encoding};
use uuid::Builder;

use super::{Args, Func, func};
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::value::{Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    func("randAlphaNum", &[Ty::Int], |cx, args| {
        text(cx, args, u8::is_ascii_alphanumeric)
    }),
    func("randAlpha", &[Ty::Int], |cx, args| {
        text(cx, args, u8::is_ascii_alphabetic)
    }),
    func("randNumeric", &[Ty::Int], |cx, args| {
        text(cx, args, u8::is_ascii_digit)
    }),
    func("randAscii", &[Ty::Int], |cx, args| {
        text(cx, args, |byte| (b' '..=b'~').contains(byte))
    }),
    func("randBytes", &[Ty::Int], |cx, args| {
        let count = usize::try_from(args.int(0))
            .map_err(|_| Failure::new("runtime error: makeslice: len out of range"))?;
        let bytes = cx.random(count)?;
        cx.string(base64::encode(Encoding::Standard, bytes))
    }),
    func("randInt", &[Ty::Int, Ty::Int], |cx, args| {
        let (min, max) = (args.int(0), args.int(1));
        match u64::try_from(max.wrapping_sub(min)) {
            Ok(span) if span > 0 => {
                let offset = below(cx, span)?;
                Ok(Value::Int(min.wrapping_add_unsigned(offset)))
            }
            _ => Err(Failure::new("invalid argument to Intn")),
        }
    }),
    func("shuffle", &[Ty::Str], |cx, args| {
        let text = lockstep_golang::unicode::to_valid_utf8(args.bytes(0));
        let mut runes: Vec<char> = text.chars().collect();
        cx.meter.step(runes.len() as u64)?;
        for at in (1..runes.len()).rev() {
            let other = below(cx, at as u64 + 1)?;
            runes.swap(at, usize::try_from(other).unwrap_or(at));
        }
        cx.string(runes.into_iter().collect::<String>())
    }),
    func("uuidv4", &[], |cx, _| {
        let mut bytes = [0; 16];
        cx.fill(&mut bytes)?;
        let uuid = Builder::from_random_bytes(bytes).into_uuid();
        Ok(Value::from(uuid.to_string()))
    }),
];

/// A number below `bound`, each as likely as any other.
fn below(cx: &mut Context<'_>, bound: u64) -> Outcome<u64> {
    // Numbers in the last, incomplete round are thrown away.
    let rounds = u64::MAX / bound * bound;
    loop {
        let mut bytes = [0; 8];
        cx.meter.step(1)?;
        cx.fill(&mut bytes)?;
        let number = u64::from_be_bytes(bytes);
        if number < rounds {
            return Ok(number % bound);
        }
    }
}

/// So many characters of the set, or none if the count is negative.
fn text(cx: &mut Context<'_>, args: &Args, set: fn(&u8) -> bool) -> Outcome<Value> {
    let count = usize::try_from(args.int(0)).unwrap_or(0);
    cx.reserve(count)?;
    let alphabet: Vec<u8> = (b' '..=b'~').filter(set).collect();
    let rounds = 256 / alphabet.len() * alphabet.len();
    let mut out = Vec::with_capacity(count);
    let mut pool = [0; 64];
    while out.len() < count {
        cx.meter.step(1)?;
        cx.fill(&mut pool)?;
        let usable = pool
            .iter()
            .map(|byte| usize::from(*byte))
            .filter(|n| *n < rounds);
        out.extend(
            usable
                .map(|n| alphabet[n % alphabet.len()])
                .take(count - out.len()),
        );
    }
    Ok(Value::from(out))
}
