//! Methods of Go's types that templates can call: `{{ now.Year }}`, `{{ $v.Major }}`.
//!
//! A method is a [`Func`] with a receiver; arity and argument types are checked as for functions.

mod duration;
mod time;
mod version;

pub(crate) use duration::round;
pub(crate) use version::error as version_error;

use crate::funcs::Func;
use crate::value::{Object, Value};

/// The method `name` of the type of `value`, if it has one.
pub(crate) fn lookup(value: &Value, name: &[u8]) -> Option<&'static Func> {
    let tables: &[&'static [Func]] = match value.as_object()? {
        Object::Time(_) => &[time::READ, time::DERIVE],
        Object::Duration(_) => &[duration::DURATION],
        Object::Month(_) | Object::Weekday(_) => &[duration::NAMED],
        Object::Location(_) => &[time::LOCATION],
        Object::Version(_) => &[version::VALUE],
        Object::VersionPtr(_) => &[version::VALUE, version::POINTER],
        Object::Certificate(_) | Object::Complex { .. } => return None,
    };
    tables
        .iter()
        .flat_map(|table| table.iter())
        .find(|func| func.name.as_bytes() == name)
}
