//! The functions a template can call: Go's builtins, sprig, and those of External Secrets.
//!
//! Each family has a table of names, parameter types and bodies. Bodies may rely on their
//! arguments having the types the table gives; they return Go's error texts.

#[cfg(not(feature = "crypto"))]
mod absent;
mod args;
mod builtin;
#[cfg(feature = "crypto")]
mod certs;
mod dates;
mod dicts;
mod encoding;
mod flow;
mod hashes;
mod json;
#[cfg(feature = "crypto")]
mod keystores;
mod lists;
mod numbers;
#[cfg(feature = "crypto")]
mod passwords;
mod paths;
mod pem;
mod random;
mod reflection;
mod regex;
mod strings;
mod urls;
mod versions;
mod yaml;

use std::fmt;
use std::sync::LazyLock;

pub(crate) use args::Args;
#[cfg(feature = "crypto")]
pub(crate) use json::json_failure;

use crate::context::Context;
use crate::failure::Outcome;
use crate::limits::Meter;
use crate::value::{Ty, Value};

/// A function or method.
pub(crate) struct Func {
    pub(crate) name: &'static str,
    pub(crate) params: &'static [Ty],
    /// The last parameter may be repeated or absent.
    pub(crate) variadic: bool,
    pub(crate) body: Body,
}

type Plain = fn(&mut Context<'_>, &mut Args) -> Outcome<Value>;
type Method = fn(&mut Context<'_>, &Value, &mut Args) -> Outcome<Value>;

/// What a function does.
#[derive(Clone, Copy)]
pub(crate) enum Body {
    Plain(Plain),
    /// Has a receiver.
    Method(Method),
    /// Stops at the first false argument.
    And,
    /// Stops at the first true argument.
    Or,
    /// Calls a function value; there are none.
    Call,
}

impl Func {
    /// The type of the parameter at `position`.
    pub(crate) fn param(&self, position: usize) -> Ty {
        let last = self.params.len().saturating_sub(1);
        self.params
            .get(position.min(last))
            .copied()
            .unwrap_or(Ty::Any)
    }
}

impl fmt::Debug for Func {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

const fn func(name: &'static str, params: &'static [Ty], body: Plain) -> Func {
    Func {
        name,
        params,
        variadic: false,
        body: Body::Plain(body),
    }
}

/// A function whose last parameter may be repeated or absent.
const fn variadic(name: &'static str, params: &'static [Ty], body: Plain) -> Func {
    Func {
        name,
        params,
        variadic: true,
        body: Body::Plain(body),
    }
}

pub(crate) const fn method(name: &'static str, params: &'static [Ty], body: Method) -> Func {
    Func {
        name,
        params,
        variadic: false,
        body: Body::Method(body),
    }
}

/// JSON text of a value, as `toJson` gives it.
pub(crate) fn to_json(meter: &mut Meter, value: &Value) -> Outcome<Vec<u8>> {
    json::to_json(meter, value)
}

/// A decoded document as template values.
pub(crate) fn from_decoded(
    meter: &mut Meter,
    decoded: lockstep_golang::json::Value,
) -> Outcome<Value> {
    Ok(json::value_of(meter, decoded)?)
}

/// All functions, by name.
static TABLE: LazyLock<Vec<&'static Func>> = LazyLock::new(|| {
    let families: &[&'static [Func]] = &[
        #[cfg(not(feature = "crypto"))]
        absent::FUNCS,
        #[cfg(feature = "crypto")]
        certs::FUNCS,
        #[cfg(feature = "crypto")]
        keystores::FUNCS,
        #[cfg(feature = "crypto")]
        passwords::FUNCS,
        pem::FUNCS,
        builtin::FUNCS,
        dates::FUNCS,
        dicts::FUNCS,
        encoding::FUNCS,
        flow::FUNCS,
        hashes::FUNCS,
        json::FUNCS,
        lists::FUNCS,
        numbers::FUNCS,
        paths::FUNCS,
        random::FUNCS,
        reflection::FUNCS,
        regex::FUNCS,
        strings::FUNCS,
        urls::FUNCS,
        versions::FUNCS,
        yaml::FUNCS,
    ];
    let mut table: Vec<&'static Func> = families.iter().flat_map(|family| family.iter()).collect();
    table.sort_by_key(|func| func.name);
    table
});

/// Where the functions are in [`TABLE`], by the hash of their name; zero is nowhere.
static SLOTS: LazyLock<[u16; SLOT_COUNT]> = LazyLock::new(|| {
    let mut slots = [0; SLOT_COUNT];
    for (at, func) in TABLE.iter().enumerate() {
        let mut slot = hash(func.name.as_bytes());
        while slots[slot] != 0 {
            slot = (slot + 1) % SLOT_COUNT;
        }
        slots[slot] = u16::try_from(at + 1).unwrap_or(0);
    }
    slots
});

/// Four times as many as there are functions, so that most are found at once.
const SLOT_COUNT: usize = 1024;

fn hash(name: &[u8]) -> usize {
    let step = |hash: usize, byte: &u8| (hash ^ usize::from(*byte)).wrapping_mul(0x0100_0193);
    let hash = name.iter().fold(0x811c_9dc5, step);
    (hash ^ hash >> 15) % SLOT_COUNT
}

/// The names of all functions, sorted: those of Go, of sprig and of External Secrets.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|func| func.name)
}

/// Why a function of sprig is not there, for those that are left out on purpose.
pub(crate) fn left_out(name: &[u8]) -> Option<&'static str> {
    match name {
        b"env" | b"expandenv" => Some("templates cannot read the environment"),
        b"getHostByName" => Some("templates cannot use the network"),
        _ => None,
    }
}

/// The function whose name is nearest to one that does not exist, if it is near enough to be a slip.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    // Longer words are no functions, and their distance to each would cost.
    const LONGEST: usize = 40;
    if name.len() > LONGEST {
        return None;
    }
    let wanted = name.to_lowercase();
    let rated = names().map(|known| (strsim::osa_distance(&wanted, &known.to_lowercase()), known));
    let (distance, known) = rated.min()?;
    // Of one or two letters every short name is a neighbour.
    (name.len() > 2 && distance <= 1.max(name.len() / 3)).then_some(known)
}

/// The function of that name.
pub(crate) fn lookup(name: &[u8]) -> Option<&'static Func> {
    let (table, slots) = (&*TABLE, &*SLOTS);
    let mut slot = hash(name);
    loop {
        let at = usize::from(slots[slot]).checked_sub(1)?;
        let func = table.get(at)?;
        if func.name.as_bytes() == name {
            return Some(func);
        }
        slot = (slot + 1) % SLOT_COUNT;
    }
}

#[cfg(test)]
mod tests;
