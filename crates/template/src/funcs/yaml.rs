//! YAML in and out, as External Secrets has it: errors are swallowed or become data.

use std::collections::BTreeMap;

use lockstep_golang::json::{self, Number};
use lockstep_golang::yaml;

use super::json::value_of;
use super::{Args, Func, func};
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::value::{Map, Str, Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    func("toYaml", &[Ty::Any], |cx, args| {
        match crate::yaml::encode(&mut cx.meter, args.value(0)) {
            Ok(text) => cx.string(text.strip_suffix('\n').unwrap_or(&text)),
            Err(Failure::Message(_)) => Ok(Value::from("")),
            Err(limit) => Err(limit),
        }
    }),
    func("fromYaml", &[Ty::Str], from_yaml),
];

/// A map; if the document is none, a map that says so.
fn from_yaml(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    cx.meter.step(args.bytes(0).len() as u64 / 16)?;
    reserve_nodes(cx, args.bytes(0))?;
    let problem = match yaml::decode(args.bytes(0)) {
        Ok(json::Value::Null) => return Ok(Value::Map(Map::new(BTreeMap::new()))),
        Ok(decoded @ json::Value::Object(_)) => {
            return Ok(value_of(&mut cx.meter, as_floats(decoded))?);
        }
        Ok(json::Value::Array(_)) => mismatch("array"),
        Ok(json::Value::String(_)) => mismatch("string"),
        Ok(json::Value::Number(_)) => mismatch("number"),
        Ok(json::Value::Bool(_)) => mismatch("bool"),
        Err(error) => error.to_string(),
    };
    let entries = BTreeMap::from([(Str::from("Error"), Value::from(problem))]);
    Ok(Value::Map(Map::new(entries)))
}

/// Counts the tree a document may become before it is read: `[0,0,0]` takes many times its text.
pub(super) fn reserve_nodes(cx: &mut Context<'_>, text: &[u8]) -> Outcome<()> {
    let begins = |byte: &&u8| matches!(byte, b',' | b':' | b'[' | b'{' | b'\n');
    let nodes =
        text.iter().filter(begins).count() + memchr::memmem::find_iter(text, b"- ").count() + 1;
    Ok(cx
        .meter
        .charge(nodes.saturating_mul(size_of::<json::Value>()))?)
}

fn mismatch(kind: &str) -> String {
    format!(
        "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {kind} \
         into Go value of type map[string]interface {{}}"
    )
}

/// On the way through JSON every number becomes a float.
#[expect(
    clippy::cast_precision_loss,
    reason = "Go rounds large integers likewise"
)]
fn as_floats(value: json::Value) -> json::Value {
    match value {
        json::Value::Number(Number::Int(n)) => json::Value::Number(Number::Float(n as f64)),
        json::Value::Array(items) => json::Value::Array(items.into_iter().map(as_floats).collect()),
        json::Value::Object(members) => json::Value::Object(
            members
                .into_iter()
                .map(|(key, member)| (key, as_floats(member)))
                .collect(),
        ),
        other => other,
    }
}
