//! Semantic versions.

use super::{Func, func};
use crate::failure::Failure;
use crate::methods::version_error;
use crate::semver::{ConstraintError, Constraints, Version};
use crate::value::{Object, Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    func("semver", &[Ty::Str], |_, args| {
        match Version::parse(args.bytes(0)) {
            Ok(version) => Ok(Value::object(Object::VersionPtr(version))),
            Err(why) => Err(version_error(&why)),
        }
    }),
    func("semverCompare", &[Ty::Str, Ty::Str], |_, args| {
        let constraints = Constraints::parse(args.bytes(0)).map_err(|why| match why {
            ConstraintError::Improper(part) => Failure::new("improper constraint: ").value(part),
            ConstraintError::NoVersion => Failure::new("constraint parser error"),
        })?;
        let version = Version::parse(args.bytes(1)).map_err(|why| version_error(&why))?;
        Ok(Value::Bool(constraints.check(&version)))
    }),
];
