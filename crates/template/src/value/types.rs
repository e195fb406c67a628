//! Go's type names and kinds, and the parameter types of functions and methods.
//!
//! The names reach users through `typeOf`, `%T` and error texts, so they are Go's to the letter.

use super::{Elem, MapKind, Object, Value};

/// Go's `reflect.Kind`, as far as template values reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Invalid,
    Bool,
    Int,
    Int64,
    Uint8,
    Uint32,
    Uint64,
    Float64,
    Complex128,
    String,
    Slice,
    Map,
    Struct,
    Ptr,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Int64 => "int64",
            Self::Uint8 => "uint8",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
            Self::Float64 => "float64",
            Self::Complex128 => "complex128",
            Self::String => "string",
            Self::Slice => "slice",
            Self::Map => "map",
            Self::Struct => "struct",
            Self::Ptr => "ptr",
        }
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::Int | Self::Int64)
    }

    pub(crate) fn is_unsigned(self) -> bool {
        matches!(self, Self::Uint8 | Self::Uint32 | Self::Uint64)
    }
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ty {
    /// `interface {}`
    Any,
    /// `reflect.Value`: takes everything, and sees an absent value as absent.
    Reflect,
    Bool,
    Int,
    Uint32,
    Float64,
    Str,
    ListAny,
    MapAny,
    Time,
    Duration,
    Location,
    Version,
    Certificate,
    /// Sprig's own string type, which only a literal can have.
    HashAlgorithm,
}

impl Ty {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Any => "interface {}",
            Self::Reflect => "reflect.Value",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint32 => "uint32",
            Self::Float64 => "float64",
            Self::Str => "string",
            Self::ListAny => "[]interface {}",
            Self::MapAny => "map[string]interface {}",
            Self::Time => "time.Time",
            Self::Duration => "time.Duration",
            Self::Location => "*time.Location",
            Self::Version => "*semver.Version",
            Self::Certificate => "sprig.certificate",
            Self::HashAlgorithm => "sprig.HashAlgorithm",
        }
    }

    /// Whether the untyped nil may stand for a value of this type.
    pub(crate) fn takes_nil(self) -> bool {
        matches!(
            self,
            Self::Any
                | Self::Reflect
                | Self::ListAny
                | Self::MapAny
                | Self::Location
                | Self::Version
        )
    }

    /// Whether `value` has this type; nil has none.
    pub(crate) fn accepts(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Any | Self::Reflect, _)
            | (Self::Bool, Value::Bool(_))
            | (Self::Int, Value::Int(_))
            | (Self::Uint32, Value::Uint32(_))
            | (Self::Float64, Value::Float(_))
            | (Self::Str, Value::Str(_)) => true,
            (Self::ListAny, Value::List(list)) => list.elem() == Elem::Any,
            (Self::MapAny, Value::Map(map)) => map.kind() == MapKind::Any,
            (_, Value::Object(object)) => self.accepts_object(&object.0),
            _ => false,
        }
    }

    fn accepts_object(self, object: &Object) -> bool {
        matches!(
            (self, object),
            (Self::Time, Object::Time(_))
                | (Self::Duration, Object::Duration(_))
                | (Self::Location, Object::Location(_))
                | (Self::Version, Object::VersionPtr(_))
                | (Self::Certificate, Object::Certificate(_))
        )
    }
}

impl Value {
    /// Go's name of the type, as `%T` prints it.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Nil => "<nil>",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Int64(_) => "int64",
            Self::Uint8(_) => "uint8",
            Self::Uint32(_) => "uint32",
            Self::Uint64(_) => "uint64",
            Self::Float(_) => "float64",
            Self::Str(_) => "string",
            Self::List(list) => match list.elem() {
                Elem::Any => "[]interface {}",
                Elem::Str => "[]string",
                Elem::Int => "[]int",
                Elem::List => "[][]interface {}",
                Elem::Byte => "[]uint8",
            },
            Self::Map(map) => match map.kind() {
                MapKind::Any => "map[string]interface {}",
                MapKind::StringMaps => "map[string]map[string]string",
            },
            Self::StrMap(_) => "map[string]string",
            Self::Object(object) => object.0.type_name(),
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Nil => Kind::Invalid,
            Self::Bool(_) => Kind::Bool,
            Self::Int(_) => Kind::Int,
            Self::Int64(_) => Kind::Int64,
            Self::Uint8(_) => Kind::Uint8,
            Self::Uint32(_) => Kind::Uint32,
            Self::Uint64(_) => Kind::Uint64,
            Self::Float(_) => Kind::Float64,
            Self::Str(_) => Kind::String,
            Self::List(_) => Kind::Slice,
            Self::Map(_) | Self::StrMap(_) => Kind::Map,
            Self::Object(object) => object.0.kind(),
        }
    }

    /// The value of any signed integer kind.
    pub(crate) fn as_signed(&self) -> Option<i64> {
        match self {
            Self::Int(n) | Self::Int64(n) => Some(*n),
            Self::Object(object) => object.0.as_signed(),
            _ => None,
        }
    }

    /// The value of any unsigned integer kind.
    pub(crate) fn as_unsigned(&self) -> Option<u64> {
        match self {
            Self::Uint8(n) => Some(u64::from(*n)),
            Self::Uint32(n) => Some(u64::from(*n)),
            Self::Uint64(n) => Some(*n),
            _ => None,
        }
    }

    /// Go's notion of truth: not the zero value of its type.
    pub(crate) fn is_true(&self) -> bool {
        match self {
            Self::Nil => false,
            Self::Bool(b) => *b,
            Self::Int(n) | Self::Int64(n) => *n != 0,
            Self::Uint8(n) => *n != 0,
            Self::Uint32(n) => *n != 0,
            Self::Uint64(n) => *n != 0,
            Self::Float(x) => *x != 0.0,
            Self::Str(text) => !text.is_empty(),
            Self::List(list) => !list.is_empty(),
            Self::Map(map) => !map.is_empty(),
            Self::StrMap(map) => !map.is_empty(),
            Self::Object(object) => object.0.is_true(),
        }
    }
}
