//! A serde deserializer over JSON values with Go's rules for struct fields: names match whatever
//! their case, the exact spelling first; `null` leaves a field as if it were absent; a name the
//! struct does not have is an error. Map keys are left alone.

use std::collections::BTreeMap;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Map, Value};

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
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct tuple tuple_struct identifier ignored_any
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
