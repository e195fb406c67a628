//! Writes YAML the way Go's `yaml.v2` does: block style, two spaces, sequences not indented under
//! their key, quotes only where a plain scalar would mean something else.
//!
//! Values pass through JSON first, as `sigs.k8s.io/yaml` has it, so only what JSON can hold exists
//! here, and what JSON cannot hold makes the whole empty.

mod emitter;
mod keys;
mod scalar;

use lockstep_golang::float;

use crate::failure::{Failure, Outcome};
use crate::limits::{Exceeded, MAX_NESTING, Meter};
use crate::print::Cap;
use crate::value::{Elem, Object, Value};

/// A value reduced to what YAML distinguishes.
#[derive(Debug)]
enum Node {
    /// Written as it is: numbers, booleans, null.
    Word(String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// The document for `value`, with a newline at the end.
pub(crate) fn encode(meter: &mut Meter, value: &Value) -> Outcome<String> {
    let node = match reduce(meter, value, 0)? {
        node if node.has_next_line() => read_again(meter, value)?,
        node => node,
    };
    let room = Cap {
        bytes: meter.left().memory,
        exceeded: Exceeded::Memory(meter.limits().memory),
    };
    Ok(emitter::document(&node, room)?)
}

impl Node {
    /// Whether some text holds the one line break that JSON leaves and YAML reads as such.
    fn has_next_line(&self) -> bool {
        let mut pending = vec![self];
        while let Some(node) = pending.pop() {
            let found = match node {
                Self::Word(_) => false,
                Self::Text(text) => text.contains('\u{85}'),
                Self::List(items) => {
                    pending.extend(items);
                    false
                }
                Self::Map(entries) => {
                    pending.extend(entries.iter().map(|(_, node)| node));
                    entries.iter().any(|(key, _)| key.contains('\u{85}'))
                }
            };
            if found {
                return true;
            }
        }
        false
    }
}

/// Goes through JSON in earnest, where the short way would not give the same.
fn read_again(meter: &mut Meter, value: &Value) -> Outcome<Node> {
    let json = crate::funcs::to_json(meter, value)?;
    let decoded =
        lockstep_golang::yaml::decode(&json).map_err(|error| Failure::new(error.to_string()))?;
    let value = crate::funcs::from_decoded(meter, decoded)?;
    reduce(meter, &value, 0)
}

fn reduce(meter: &mut Meter, value: &Value, depth: usize) -> Outcome<Node> {
    if depth > MAX_NESTING {
        return Err(Exceeded::Nesting.into());
    }
    meter.step(1)?;
    meter.charge(size_of::<Node>())?;
    Ok(match value {
        Value::Nil => Node::Word("null".to_owned()),
        Value::Bool(b) => Node::Word(b.to_string()),
        Value::Float(x) => Node::Word(number(*x)?),
        Value::Str(bytes) => {
            meter.charge(bytes.len())?;
            Node::Text(text(bytes)?)
        }
        Value::List(list) if list.is_nil() => Node::Word("null".to_owned()),
        Value::List(list) if list.elem() == Elem::Byte => {
            let byte = |item: &Value| item.as_unsigned().and_then(|n| u8::try_from(n).ok());
            let bytes: Vec<u8> = list.to_vec().iter().filter_map(byte).collect();
            let encoding = lockstep_golang::base64::Encoding::Standard;
            Node::Text(lockstep_golang::base64::encode(encoding, bytes))
        }
        Value::List(list) => {
            let items = list.to_vec();
            let nodes: Outcome<_> = items
                .iter()
                .map(|item| reduce(meter, item, depth + 1))
                .collect();
            Node::List(nodes?)
        }
        Value::Map(map) if map.is_nil() => Node::Word("null".to_owned()),
        Value::Map(map) => {
            let entries = map.entries().into_iter();
            let nodes: Outcome<_> = entries
                .map(|(key, item)| {
                    meter.charge(key.len())?;
                    Ok((text(&key)?, reduce(meter, &item, depth + 1)?))
                })
                .collect();
            Node::Map(nodes?)
        }
        Value::StrMap(map) => {
            let nodes: Outcome<_> = map
                .iter()
                .map(|(key, item)| {
                    meter.charge(size_of::<Node>() + key.len() + item.len())?;
                    Ok((text(key)?, Node::Text(text(item)?)))
                })
                .collect();
            Node::Map(nodes?)
        }
        Value::Object(object) => named(value, &object.0)?,
        _ => match (value.as_signed(), value.as_unsigned()) {
            (Some(n), _) => Node::Word(n.to_string()),
            (None, n) => Node::Word(n.unwrap_or(0).to_string()),
        },
    })
}

fn named(value: &Value, object: &Object) -> Outcome<Node> {
    Ok(match object {
        Object::Time(time) if (0..=9999).contains(&time.calendar().year) => {
            Node::Text(text(&time.format(b"2006-01-02T15:04:05.999999999Z07:00"))?)
        }
        Object::Version(version) | Object::VersionPtr(version) => Node::Text(version.to_string()),
        Object::Certificate(pair) => Node::Map(vec![
            ("Cert".to_owned(), Node::Text(text(&pair.cert)?)),
            ("Key".to_owned(), Node::Text(text(&pair.key)?)),
        ]),
        Object::Location(_) => Node::Map(Vec::new()),
        Object::Duration(_) | Object::Month(_) | Object::Weekday(_) => {
            Node::Word(value.as_signed().unwrap_or(0).to_string())
        }
        Object::Time(_) | Object::Complex { .. } => {
            return Err(Failure::new(
                "error marshaling into JSON: json: unsupported value",
            ));
        }
    })
}

/// A float in JSON is read again: a whole number becomes an integer if it fits.
fn number(x: f64) -> Outcome<String> {
    let json = float::json(x)
        .ok_or_else(|| Failure::new("error marshaling into JSON: json: unsupported value"))?;
    if let Ok(n) = json.parse::<i64>() {
        return Ok(n.to_string());
    }
    Ok(if json.parse::<u64>().is_ok() {
        json
    } else {
        float::general(x)
    })
}

/// Text as JSON holds it; characters that YAML does not let stand in a document are refused.
fn text(bytes: &[u8]) -> Outcome<String> {
    let text = lockstep_golang::unicode::to_valid_utf8(bytes);
    let control = |c: char| matches!(c, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}');
    let refused = |c: char| control(c) || matches!(c, '\u{fffe}' | '\u{ffff}');
    if text.contains(refused) {
        return Err(Failure::new("yaml: control characters are not allowed"));
    }
    Ok(text)
}
