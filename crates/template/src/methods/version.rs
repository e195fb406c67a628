//! Methods of `semver.Version` and of the pointer to it.

use std::cmp::Ordering;

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::funcs::{Args, Func, method};
use crate::semver::{Version, VersionError};
use crate::value::{Object, Ty, Value};

/// What both the value and the pointer have.
pub(super) const VALUE: &[Func] = &[
    method("Major", &[], |_, this, _| {
        Ok(Value::Uint64(version(this)?.major))
    }),
    method("Minor", &[], |_, this, _| {
        Ok(Value::Uint64(version(this)?.minor))
    }),
    method("Patch", &[], |_, this, _| {
        Ok(Value::Uint64(version(this)?.patch))
    }),
    method("Prerelease", &[], |_, this, _| {
        Ok(Value::from(version(this)?.pre.as_str()))
    }),
    method("Metadata", &[], |_, this, _| {
        Ok(Value::from(version(this)?.metadata.as_str()))
    }),
    method("String", &[], |_, this, _| {
        Ok(Value::from(version(this)?.to_string()))
    }),
    method("Value", &[], |_, this, _| {
        Ok(Value::from(version(this)?.to_string()))
    }),
    method("MarshalText", &[], |_, this, _| {
        Ok(super::bytes(version(this)?.to_string().as_bytes()))
    }),
    method("MarshalJSON", &[], |_, this, _| {
        let text = version(this)?.to_string();
        Ok(super::bytes(format!("\"{text}\"").as_bytes()))
    }),
    method("IncMajor", &[], |_, this, _| {
        Ok(owned(version(this)?.next_major()))
    }),
    method("IncMinor", &[], |_, this, _| {
        Ok(owned(version(this)?.next_minor()))
    }),
    method("IncPatch", &[], |_, this, _| {
        Ok(owned(version(this)?.next_patch()))
    }),
    method("SetPrerelease", &[Ty::Str], |_, this, args| {
        version(this)?
            .with_prerelease(args.bytes(0))
            .map(owned)
            .map_err(|why| error(&why))
    }),
    method("SetMetadata", &[Ty::Str], |_, this, args| {
        version(this)?
            .with_metadata(args.bytes(0))
            .map(owned)
            .map_err(|why| error(&why))
    }),
];

/// What only the pointer has.
pub(super) const POINTER: &[Func] = &[
    method("Original", &[], |_, this, _| {
        Ok(Value::from(version(this)?.original.as_str()))
    }),
    method("LessThan", &[Ty::Version], |cx, this, args| {
        compare(cx, this, args, |order| order == Ordering::Less)
    }),
    method("LessThanEqual", &[Ty::Version], |cx, this, args| {
        compare(cx, this, args, |order| order != Ordering::Greater)
    }),
    method("GreaterThan", &[Ty::Version], |cx, this, args| {
        compare(cx, this, args, |order| order == Ordering::Greater)
    }),
    method("GreaterThanEqual", &[Ty::Version], |cx, this, args| {
        compare(cx, this, args, |order| order != Ordering::Less)
    }),
    method("Equal", &[Ty::Version], |cx, this, args| {
        if args.is_nil(0) {
            return Ok(Value::Bool(false));
        }
        compare(cx, this, args, |order| order == Ordering::Equal)
    }),
    method("Compare", &[Ty::Version], |_, this, args| {
        let order = version(this)?.order(version(args.value(0))?);
        Ok(Value::Int(order as i64))
    }),
];

fn compare(
    _: &mut Context<'_>,
    this: &Value,
    args: &Args,
    holds: fn(Ordering) -> bool,
) -> Outcome<Value> {
    let order = version(this)?.order(version(args.value(0))?);
    Ok(Value::Bool(holds(order)))
}

fn version(value: &Value) -> Outcome<&Version> {
    match value.as_object() {
        Some(Object::Version(version) | Object::VersionPtr(version)) => Ok(version),
        _ => Err(Failure::new(
            "runtime error: invalid memory address or nil pointer dereference",
        )),
    }
}

fn owned(version: Version) -> Value {
    Value::object(Object::Version(version))
}

/// Go's sentence for a text that is no version.
pub(crate) fn error(why: &VersionError) -> Failure {
    match why {
        VersionError::Invalid => Failure::new("invalid semantic version"),
        VersionError::LeadingZero => Failure::new("version segment starts with 0"),
        VersionError::Prerelease => Failure::new("invalid prerelease string"),
        VersionError::Metadata => Failure::new("invalid metadata string"),
        VersionError::TooLarge(number) => {
            Failure::new("error parsing version segment: strconv.ParseUint: parsing ")
                .value(crate::strconv::quote(number.as_bytes()))
                .text(": value out of range")
        }
    }
}
