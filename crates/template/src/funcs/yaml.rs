//! YAML in and out.

use super::Func;

pub(super) const FUNCS: &[Func] = &[];
