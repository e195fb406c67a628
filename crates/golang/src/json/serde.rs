//! Conversion to and from `serde_json`, which the Kubernetes types speak.

use super::{Number, Value};
use crate::float;

impl From<&serde_json::Value> for Value {
    /// Integers become int64 where they fit and float64 otherwise, as in unstructured content.
    #[expect(
        clippy::cast_precision_loss,
        reason = "Go makes a float64 of what int64 cannot hold"
    )]
    fn from(value: &serde_json::Value) -> Self {
        use serde_json::Value as V;
        match value {
            V::Null => Self::Null,
            V::Bool(flag) => Self::Bool(*flag),
            V::Number(number) => Self::Number(match (number.as_i64(), number.as_u64()) {
                (Some(int), _) => Number::Int(int),
                (None, Some(large)) => Number::Float(large as f64),
                (None, None) => Number::Float(number.as_f64().unwrap_or_default()),
            }),
            V::String(text) => Self::String(text.clone()),
            V::Array(elements) => Self::Array(elements.iter().map(Self::from).collect()),
            V::Object(members) => Self::Object(
                members
                    .iter()
                    .map(|(key, member)| (key.clone(), Self::from(member)))
                    .collect(),
            ),
        }
    }
}

impl From<&Value> for serde_json::Value {
    /// A number that JSON cannot hold becomes `null`.
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => number_to_serde(number),
            Value::String(text) => Self::String(text.clone()),
            Value::Array(elements) => Self::Array(elements.iter().map(Self::from).collect()),
            Value::Object(members) => Self::Object(
                members
                    .iter()
                    .map(|(key, member)| (key.clone(), Self::from(member)))
                    .collect(),
            ),
        }
    }
}

fn number_to_serde(number: &Number) -> serde_json::Value {
    match number {
        Number::Int(int) => (*int).into(),
        Number::Float(x) => (*x).into(),
        Number::Text(text) => match text.parse::<i64>() {
            Ok(int) => int.into(),
            Err(_) => float::parse_lossy(text.as_bytes()).into(),
        },
    }
}
