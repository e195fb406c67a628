//! What a path leads to, and how it compares. Values of the document are referred to, not copied.

use std::borrow::Cow;

use lockstep_provider_api::json::{Number, Value};

use super::PathError;
use super::budget::Budget;

/// A value found or computed.
pub(crate) enum Found<'a> {
    /// A value of the document or of the path.
    Is(&'a Value),
    /// A computed value.
    Made(Value),
    /// What several places hold.
    List(Vec<Found<'a>>),
}

impl<'a> Found<'a> {
    /// The value itself; `None` for a list of places.
    pub(crate) fn value(&self) -> Option<&Value> {
        match self {
            Self::Is(value) => Some(value),
            Self::Made(value) => Some(value),
            Self::List(_) => None,
        }
    }

    /// As a value of its own.
    pub(super) fn into_value(self, budget: &Budget) -> Result<Value, PathError> {
        Ok(match self {
            Self::Is(value) => budget.copy(value)?,
            Self::Made(value) => value,
            Self::List(places) => {
                let values = places.into_iter().map(|place| place.into_value(budget));
                Value::Array(values.collect::<Result<_, _>>()?)
            }
        })
    }

    /// A number, or the one that a text spells.
    pub(super) fn number(&self, budget: &Budget) -> Result<Option<f64>, PathError> {
        match self.value() {
            Some(Value::String(text) | Value::Number(Number::Text(text))) => {
                budget.read(text)?;
                Ok(text.parse().ok())
            }
            Some(value) => Ok(as_number(value)),
            None => Ok(None),
        }
    }

    /// The name of a member that it stands for.
    pub(super) fn name(&self) -> Option<Cow<'_, str>> {
        match self.value()? {
            Value::String(text) => Some(Cow::Borrowed(text)),
            Value::Bool(flag) => Some(flag.to_string().into()),
            number @ Value::Number(_) => as_number(number).map(|number| number.to_string().into()),
            _ => None,
        }
    }

    /// Whether both are the same value; numbers compare as numbers.
    pub(super) fn equals(&self, other: &Found<'a>, budget: &Budget) -> Result<bool, PathError> {
        let (left, right) = match (self, other) {
            (Self::List(left), Self::List(right)) => {
                if left.len() != right.len() {
                    return Ok(false);
                }
                return every(left.iter().zip(right), |(left, right)| {
                    left.equals(right, budget)
                });
            }
            (Self::List(places), other) | (other, Self::List(places)) => {
                let Some(Value::Array(elements)) = other.value() else {
                    return Ok(false);
                };
                if places.len() != elements.len() {
                    return Ok(false);
                }
                return every(places.iter().zip(elements), |(place, element)| {
                    place.equals(&Found::Is(element), budget)
                });
            }
            (left, right) => (left.value(), right.value()),
        };
        match (left, right) {
            (Some(left), Some(right)) => equal(left, right, budget),
            _ => Ok(false),
        }
    }
}

fn every<T>(
    pairs: impl IntoIterator<Item = T>,
    mut holds: impl FnMut(T) -> Result<bool, PathError>,
) -> Result<bool, PathError> {
    for pair in pairs {
        if !holds(pair)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn equal(left: &Value, right: &Value, budget: &Budget) -> Result<bool, PathError> {
    budget.step()?;
    match (left, right) {
        (Value::Number(_), Value::Number(_)) => Ok(as_number(left) == as_number(right)),
        (Value::String(text), Value::String(_)) => {
            budget.read(text)?;
            Ok(left == right)
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            every(left.iter().zip(right), |(left, right)| {
                equal(left, right, budget)
            })
        }
        (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
            every(left.iter().zip(right), |((key, left), (other, right))| {
                budget.read(key)?;
                Ok(key == other && equal(left, right, budget)?)
            })
        }
        (Value::Array(_) | Value::Object(_), _) => Ok(false),
        _ => Ok(left == right),
    }
}

/// A number, or the one that a text spells.
fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) | Value::Number(Number::Text(text)) => text.parse().ok(),
        Value::Number(Number::Float(number)) => Some(*number),
        #[expect(
            clippy::cast_precision_loss,
            reason = "numbers compare as Go's float64 do"
        )]
        Value::Number(Number::Int(number)) => Some(*number as f64),
        _ => None,
    }
}
