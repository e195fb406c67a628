//! From YAML values to JSON: keys become strings, numbers go through their JSON notation.

use super::Error;
use super::expand::{Key, Yaml};
use super::integer::Integer;
use super::resolve::Resolved;
use crate::float;
use crate::json::{Number, Value};
use crate::unicode::to_valid_utf8;

/// Converts a value, or refuses what JSON cannot express.
pub(super) fn to_json(value: Yaml) -> Result<Value, Error> {
    let value = convert(value)?;
    check(&value)?;
    Ok(value)
}

fn convert(value: Yaml) -> Result<Value, Error> {
    Ok(match value {
        Yaml::Scalar(scalar) => scalar_to_json(scalar),
        Yaml::Sequence(elements) => {
            let elements = elements.into_iter().map(convert);
            Value::Array(elements.collect::<Result<_, _>>()?)
        }
        Yaml::Mapping(members) => {
            let members = members.into_ordered();
            let members = members.map(|(key, value)| Ok((key_text(key)?, convert(value)?)));
            Value::Object(members.collect::<Result<_, _>>()?)
        }
    })
}

fn scalar_to_json(scalar: Resolved) -> Value {
    match scalar {
        Resolved::Null => Value::Null,
        Resolved::Bool(flag) => Value::Bool(flag),
        Resolved::Text(text) => Value::String(to_valid_utf8(&text)),
        Resolved::Integer(Integer::Signed(number)) => Value::Number(Number::Int(number)),
        #[expect(
            clippy::cast_precision_loss,
            reason = "beyond int64 Go holds a float64"
        )]
        Resolved::Integer(Integer::Unsigned(number)) => Value::Number(Number::Float(number as f64)),
        // A float that is written like an integer is read back as one; only a float has a zero with
        // a sign.
        Resolved::Float(number) => {
            let text = float::json(number).filter(|text| text != "-0");
            let integer = text.and_then(|text| text.parse().ok());
            Value::Number(integer.map_or(Number::Float(number), Number::Int))
        }
    }
}

/// Refuses the first number, in the order of keys, that JSON cannot hold.
fn check(value: &Value) -> Result<(), Error> {
    match value {
        Value::Number(Number::Float(number)) if !number.is_finite() => {
            let problem = format!("json: unsupported value: {}", float::fixed(*number));
            Err(Error::Conversion(problem))
        }
        Value::Array(elements) => elements.iter().try_for_each(check),
        Value::Object(members) => members.values().try_for_each(check),
        _ => Ok(()),
    }
}

/// Keys print like scalars, floats with the precision of 32 bits.
pub(super) fn key_text(key: Key) -> Result<String, Error> {
    Ok(match key {
        Key::Text(text) => to_valid_utf8(&text),
        Key::Bool(flag) => flag.to_string(),
        Key::Signed(number) => number.to_string(),
        Key::Float(bits) => match float::single(f64::from_bits(bits)).as_str() {
            "+Inf" => ".inf".to_owned(),
            "-Inf" => "-.inf".to_owned(),
            "NaN" => ".nan".to_owned(),
            text => text.to_owned(),
        },
        Key::Null => return Err(unsupported_key("%!s(<nil>)")),
        Key::Unsigned(_) => return Err(unsupported_key("uint64")),
    })
}

fn unsupported_key(kind: &str) -> Error {
    Error::Conversion(format!("unsupported map key of type: {kind}"))
}
