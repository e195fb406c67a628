//! The evaluated arguments of a call.

use smallvec::SmallVec;

use crate::value::{Str, Value};

/// Arguments whose types have been checked against the function's parameters.
#[derive(Default)]
pub(crate) struct Args {
    values: SmallVec<[Value; 4]>,
    /// Which of the first 64 are a nil in an interface, rather than no value at all.
    nil_interfaces: u64,
    /// The first argument is a literal of the template.
    first_is_literal: bool,
}

static NIL: Value = Value::Nil;

impl Args {
    pub(crate) fn push(&mut self, value: Value, interface: bool) {
        let at = self.values.len();
        if interface && value.is_nil() && at < 64 {
            self.nil_interfaces |= 1 << at;
        }
        self.values.push(value);
    }

    /// Notes that the first argument is a literal of the template.
    pub(crate) fn mark_literal(&mut self) {
        self.first_is_literal = true;
    }

    /// Whether the first argument is written in the template, and so no secret.
    pub(crate) fn first_is_literal(&self) -> bool {
        self.first_is_literal
    }

    /// Steps for going through all arguments once: what most functions do.
    pub(crate) fn work(&self) -> u64 {
        let work = |value: &Value| match value {
            Value::Str(text) => text.len() / 16,
            Value::List(list) => list.len() / 4,
            Value::Map(map) => map.len() / 2,
            Value::StrMap(map) => map.len() / 4,
            _ => 0,
        };
        self.values.iter().map(|value| work(value) as u64).sum()
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn value(&self, at: usize) -> &Value {
        self.values.get(at).unwrap_or(&NIL)
    }

    pub(crate) fn take(&mut self, at: usize) -> Value {
        self.values
            .get_mut(at)
            .map(std::mem::take)
            .unwrap_or_default()
    }

    pub(crate) fn is_nil(&self, at: usize) -> bool {
        self.value(at).is_nil()
    }

    /// Whether the argument is a value that is nil, not the absence of one.
    pub(crate) fn is_nil_interface(&self, at: usize) -> bool {
        at < 64 && self.nil_interfaces & 1 << at != 0
    }

    /// The arguments from `at` on.
    pub(crate) fn rest(&self, at: usize) -> &[Value] {
        self.values.get(at..).unwrap_or_default()
    }

    /// A string parameter.
    pub(crate) fn bytes(&self, at: usize) -> &[u8] {
        match self.value(at) {
            Value::Str(text) => text,
            _ => &[],
        }
    }

    /// A string parameter, shared rather than copied.
    pub(crate) fn text(&self, at: usize) -> Str {
        match self.value(at) {
            Value::Str(text) => text.clone(),
            _ => Str::default(),
        }
    }

    /// A parameter of any integer type.
    pub(crate) fn int(&self, at: usize) -> i64 {
        self.value(at).as_signed().unwrap_or(0)
    }

    pub(crate) fn bool(&self, at: usize) -> bool {
        matches!(self.value(at), Value::Bool(true))
    }
}
