//! A serde deserializer over JSON values with Go's rules for struct fields: names match whatever
//! their case, the exact spelling first; `null` leaves a field as if it were absent; a name the
//! struct does not have is an error. Map keys are left alone. Where a text is wanted, numbers and
//! booleans become one, as on the way through Go's YAML library.

use std::collections::BTreeMap;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Map, Value};

use lockstep_golang::float;

pub(super) fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    T::deserialize(Folded(value))
}

struct Folded(Value);

impl IntoDeserializer<'_, Error> for Folded {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Folded {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(members) => {
                visitor.visit_map(MapDeserializer::new(named(members, fields)?.into_iter()))
            }
            // Serde would take its elements for the fields in their order.
            Value::Array(_) => Err(de::Error::custom(
                "json: cannot unmarshal array where an object belongs",
            )),
            other => other.deserialize_struct(name, fields, visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(members) => {
                let entries = members.into_iter().map(|(key, value)| (key, Self(value)));
                visitor.visit_map(MapDeserializer::new(entries))
            }
            other => other.deserialize_map(visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(elements) => {
                visitor.visit_seq(SeqDeserializer::new(elements.into_iter().map(Self)))
            }
            other => other.deserialize_seq(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_string(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match text_of(&self.0) {
            Some(text) => visitor.visit_string(text),
            None => self.0.deserialize_string(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit
        unit_struct tuple tuple_struct identifier ignored_any
    }
}

/// The text that a scalar of another type becomes; floats have the precision of 32 bits, as there.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) if number.is_f64() => number.as_f64().map(float::single),
        Value::Number(number) => Some(number.to_string()),
        Value::String(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The members under the names their struct knows them by.
fn named(
    members: Map<String, Value>,
    fields: &'static [&'static str],
) -> Result<BTreeMap<&'static str, Folded>, Error> {
    let mut found = BTreeMap::new();
    for (key, value) in members {
        let exact = fields.iter().find(|field| **field == key);
        let folded = || {
            fields
                .iter()
                .find(|field| field.to_lowercase() == key.to_lowercase())
        };
        let Some(field) = exact.or_else(folded) else {
            return Err(de::Error::custom(format!("json: unknown field {key:?}")));
        };
        if !value.is_null() {
            found.insert(*field, Folded(value));
        }
    }
    Ok(found)
}
