//! Decodes JSON into a [`Value`], with a choice of what numbers become.
//!
//! Syntax is checked before anything is built, so a syntax error wins over any other, as in Go.
//! Trees are limited in levels, so that walking and dropping one never exhausts a stack, and in
//! memory, because a tree can take a hundred times as much as its text.

use std::collections::BTreeMap;

use super::members::Cursor;
use super::{Error, Number, Value, validate};
use crate::float;

/// Deepest nesting of a tree. Dropping and copying one recurse, on stacks of 2 MiB.
const MAX_TREE_DEPTH: usize = 400;
/// Most memory one tree may take, in bytes, as estimated below.
const MAX_TREE_BYTES: usize = 32 << 20;
/// What a value takes beside its text.
const VALUE_BYTES: usize = 40;
/// What an object with a member takes, however few it has: a node of its map.
const OBJECT_BYTES: usize = 640;
/// What each further member takes in the map.
const MEMBER_BYTES: usize = 110;

type Convert = fn(&str) -> Result<Number, Error>;

/// Decodes as into Go's `any`: every number is a float64.
pub fn decode(source: &[u8]) -> Result<Value, Error> {
    build(source, as_float)
}

/// Decodes with `UseNumber`: numbers keep their source text.
pub fn decode_numbers_as_text(source: &[u8]) -> Result<Value, Error> {
    build(source, |text| Ok(Number::Text(text.to_owned())))
}

/// Decodes with integers as their source text, which keeps all digits, and other numbers as float64.
pub fn decode_keeping_integers(source: &[u8]) -> Result<Value, Error> {
    build(source, |text| {
        let is_integer = text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        if is_integer {
            return Ok(Number::Text(text.to_owned()));
        }
        let number = float::parse(text.as_bytes());
        number.map(Number::Float).map_err(|_| Error::NumberRange)
    })
}

/// Decodes as Kubernetes does for unstructured content: integers stay int64 where they fit.
pub fn decode_unstructured(source: &[u8]) -> Result<Value, Error> {
    build(source, |text| match text.parse() {
        Ok(number) => Ok(Number::Int(number)),
        Err(_) => as_float(text),
    })
}

fn as_float(text: &str) -> Result<Number, Error> {
    float::parse(text.as_bytes())
        .map(Number::Float)
        .map_err(|_| Error::Type {
            found: format!("number {text}"),
            wanted: "float64",
        })
}

/// A container whose elements are still being read.
enum Open {
    Array(Vec<Value>),
    Object(BTreeMap<String, Value>, String),
}

fn build(source: &[u8], convert: Convert) -> Result<Value, Error> {
    validate(source)?;
    let mut cursor = Cursor::new(source);
    let mut open: Vec<Open> = Vec::new();
    let mut structure = 0_usize;
    loop {
        let mut done = match cursor.peek() {
            Some(b'{') => {
                cursor.skip_byte();
                match cursor.next_key() {
                    Some(key) => {
                        open.push(Open::Object(BTreeMap::new(), key.into_owned()));
                        None
                    }
                    None => Some(Value::Object(BTreeMap::new())),
                }
            }
            Some(b'[') => {
                cursor.skip_byte();
                if cursor.next_element() {
                    open.push(Open::Array(Vec::new()));
                    None
                } else {
                    Some(Value::Array(Vec::new()))
                }
            }
            _ => Some(scalar(&mut cursor, convert)?),
        };
        structure += match (&done, open.last()) {
            (None, Some(Open::Object(..))) => OBJECT_BYTES,
            (_, Some(Open::Object(..))) => MEMBER_BYTES,
            _ => VALUE_BYTES,
        };
        if structure.saturating_add(cursor.position()) > MAX_TREE_BYTES {
            return Err(Error::TooLarge);
        }
        if open.len() > MAX_TREE_DEPTH {
            return Err(Error::InvalidCharacter {
                byte: b'[',
                place: "exceeded max depth",
            });
        }
        // Hand finished values upwards until some container still expects elements.
        while let Some(value) = done {
            match open.pop() {
                None => return Ok(value),
                Some(container) => done = container.add(value, &mut cursor, &mut open),
            }
        }
    }
}

impl Open {
    /// Adds an element and goes back on the stack, or returns the finished container.
    fn add(self, value: Value, cursor: &mut Cursor<'_>, open: &mut Vec<Open>) -> Option<Value> {
        match self {
            Self::Array(mut elements) => {
                elements.push(value);
                if !cursor.next_element() {
                    return Some(Value::Array(elements));
                }
                open.push(Self::Array(elements));
            }
            Self::Object(mut members, key) => {
                members.insert(key, value);
                match cursor.next_key() {
                    None => return Some(Value::Object(members)),
                    Some(key) => open.push(Self::Object(members, key.into_owned())),
                }
            }
        }
        None
    }
}

fn scalar(cursor: &mut Cursor<'_>, convert: Convert) -> Result<Value, Error> {
    let raw = cursor.scalar();
    Ok(match raw.first() {
        Some(b'"') => Value::String(Cursor::text(raw).into_owned()),
        Some(b't') => Value::Bool(true),
        Some(b'f') => Value::Bool(false),
        Some(b'n') | None => Value::Null,
        // Digits, signs and the letter e only: the syntax check saw to that.
        Some(_) => Value::Number(convert(&String::from_utf8_lossy(raw))?),
    })
}
