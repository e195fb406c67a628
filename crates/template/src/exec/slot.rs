//! A value as the evaluator holds it: Go's `reflect.Value`, reduced to what templates can tell
//! apart.

use crate::value::Value;

/// A value, and whether it sits in an `interface {}`.
///
/// A plain nil is Go's invalid value ("no value"); a nil in an interface is a value that is nil.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) value: Value,
    pub(crate) interface: bool,
}

impl Slot {
    pub(crate) fn concrete(value: Value) -> Self {
        Self {
            value,
            interface: false,
        }
    }

    pub(crate) fn interface(value: Value) -> Self {
        Self {
            value,
            interface: true,
        }
    }

    pub(crate) fn invalid() -> Self {
        Self::concrete(Value::Nil)
    }

    pub(crate) fn is_invalid(&self) -> bool {
        !self.interface && self.value.is_nil()
    }

    /// Go's name of the static type.
    pub(crate) fn type_name(&self) -> &'static str {
        if self.interface {
            "interface {}"
        } else {
            self.value.type_name()
        }
    }
}
