//! The values a template works on: Go's types as far as templates can meet them.
//!
//! Go types are visible to users (`typeOf`, `%T`, error texts), so each kind keeps its own variant.
//! Nothing here formats or converts; see `print`, `cast` and the functions for that.

mod list;
mod map;
mod object;
mod str;
mod types;

use std::sync::Arc;

pub use list::{Elem, List};
pub use map::{Map, MapKind, StrMap};
#[cfg(feature = "crypto")]
pub(crate) use object::Certificate;
pub(crate) use object::Object;
pub use str::Str;
pub(crate) use types::{Kind, Ty};

/// A template value.
///
/// `Debug` shows kinds and sizes only, never contents.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Value {
    /// The untyped nil.
    #[default]
    Nil,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `int64`
    Int64(i64),
    /// `uint8`
    Uint8(u8),
    /// `uint32`
    Uint32(u32),
    /// `uint64`
    Uint64(u64),
    /// `float64`
    Float(f64),
    /// `string`
    Str(Str),
    /// Any slice.
    List(List),
    /// `map[string]interface {}`, shared and changeable.
    Map(Map),
    /// `map[string]string`
    StrMap(StrMap),
    /// A struct or named type made by a function: times, versions, certificates.
    Object(Opaque),
}

/// A value of a Go struct or named type; only functions make these.
#[derive(Clone)]
pub struct Opaque(pub(crate) Arc<Object>);

impl std::fmt::Debug for Opaque {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.0.type_name())
    }
}

impl Value {
    /// A byte string.
    pub fn string(bytes: impl Into<Str>) -> Self {
        Self::Str(bytes.into())
    }

    pub(crate) fn object(object: Object) -> Self {
        Self::Object(Opaque(Arc::new(object)))
    }

    pub(crate) fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(&object.0),
            _ => None,
        }
    }

    pub(crate) fn is_nil(&self) -> bool {
        matches!(self, Self::Nil)
    }

    /// Whether this value can hold further values and so build deep structures.
    fn holds_values(&self) -> bool {
        matches!(self, Self::List(_) | Self::Map(_))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Str(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Str(text.into())
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Str(bytes.into())
    }
}

impl From<Str> for Value {
    fn from(text: Str) -> Self {
        Self::Str(text)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<StrMap> for Value {
    fn from(map: StrMap) -> Self {
        Self::StrMap(map)
    }
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Self::Map(map)
    }
}

impl From<List> for Value {
    fn from(list: List) -> Self {
        Self::List(list)
    }
}

/// Drops values without recursion: a template can nest lists deeper than the stack is.
fn release(mut pending: Vec<Value>) {
    while let Some(value) = pending.pop() {
        match value {
            Value::List(list) => pending.extend(list.into_values().unwrap_or_default()),
            Value::Map(map) => {
                pending.extend(map.into_values().unwrap_or_default().into_values());
            }
            _ => {}
        }
    }
}
