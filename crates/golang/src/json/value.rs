//! A decoded JSON value.
//!
//! Its `Debug` form shows structure only, because values are often secrets.

use std::collections::BTreeMap;
use std::fmt;

/// A JSON value with ordered keys.
#[derive(Clone, PartialEq, Default)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, in the form the decoder was asked for.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object; of duplicate keys the last one counts.
    Object(BTreeMap<String, Value>),
}

/// A number as Go would hold it.
#[derive(Clone, PartialEq)]
pub enum Number {
    /// Go's `int64`, in unstructured Kubernetes content.
    Int(i64),
    /// Go's `float64`, the default of `encoding/json`.
    Float(f64),
    /// Go's `json.Number`: the source text.
    Text(String),
}

impl Value {
    /// The members if this is an object.
    pub fn as_object(&self) -> Option<&BTreeMap<String, Value>> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The elements if this is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The text if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => out.write_str("null"),
            Self::Bool(_) => out.write_str("bool"),
            Self::Number(_) => out.write_str("number"),
            Self::String(text) => write!(out, "string({} bytes)", text.len()),
            Self::Array(elements) => write!(out, "array({} elements)", elements.len()),
            Self::Object(members) => write!(out, "object({} keys)", members.len()),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("number")
    }
}
