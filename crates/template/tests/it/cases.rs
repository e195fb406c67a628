//! Runs conformance cases: one JSON object a line, the kind known by the file's name.
//!
//! Templates are run by this crate, paths, patterns and documents by `lockstep-golang`.

use std::collections::BTreeMap;

use lockstep_golang::json::{self, Number};
use lockstep_golang::{gjson, regexp, yaml};
use lockstep_template::{
    Env, Limits, List, Map, MissingKey, Options, Random, RandomError, Str, StrMap, Template, Value,
};
use serde_json::Value as Json;

/// Which error texts will do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Texts {
    /// An error must come, whatever it says.
    Any,
    /// The text must be Go's, except for values that are withheld.
    Go,
}

/// The outcome of a case: its name, and what was wrong if anything.
pub(crate) type Outcome = (String, Result<(), String>);

/// Runs all cases of `text`; `file` names their kind.
pub(crate) fn run(file: &str, text: &str, texts: Texts) -> Result<Vec<Outcome>, String> {
    let stem = file.rsplit('/').next().unwrap_or(file);
    let check: fn(&Json, Texts) -> Result<(), String> = match stem {
        _ if stem.starts_with("template") => template,
        _ if stem.starts_with("gjson") => path,
        _ if stem.starts_with("regexp") => pattern,
        _ if stem.starts_with("yaml") => document,
        _ => return Err(format!("{file}: no kind of cases is known by that name")),
    };
    let mut outcomes = Vec::new();
    for (at, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let case: Json =
            serde_json::from_str(line).map_err(|error| format!("{file}:{}: {error}", at + 1))?;
        let name = case["name"]
            .as_str()
            .map_or_else(|| format!("line {}", at + 1), str::to_owned);
        outcomes.push((name, check(&case, texts)));
    }
    Ok(outcomes)
}

/// Bytes that look random enough for cases that only count them.
struct Counter(std::cell::Cell<u64>);

impl Random for Counter {
    fn fill(&self, buffer: &mut [u8]) -> Result<(), RandomError> {
        for byte in buffer {
            let next = self
                .0
                .get()
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            self.0.set(next);
            *byte = (next >> 56) as u8;
        }
        Ok(())
    }
}

fn template(case: &Json, texts: Texts) -> Result<(), String> {
    let got = execute(case);
    match (&case["output"], &case["output_b64"], &case["error"], got) {
        (Json::String(want), _, _, Ok(got)) if want.as_bytes() == got => Ok(()),
        (_, Json::String(want), _, Ok(got)) if *want == encode(&got) => Ok(()),
        (_, _, Json::String(want), Err(got)) if texts == Texts::Any || same(want, &got) => Ok(()),
        (_, _, Json::String(want), Err(got)) => Err(format!("want error {want}\n got error {got}")),
        (Json::String(want), _, _, Ok(got)) => Err(format!(
            "want {want:?}\n got {:?}",
            String::from_utf8_lossy(&got)
        )),
        (_, _, _, Ok(got)) => Err(format!(
            "want {}{}\n got {:?} = {}",
            case["output_b64"],
            case["error"],
            String::from_utf8_lossy(&got),
            encode(&got)
        )),
        (_, _, _, Err(got)) => Err(format!(
            "want {}{}\n got error {got}",
            case["output"], case["output_b64"]
        )),
    }
}

/// Whether the texts agree where nothing was withheld and nothing added.
fn same(want: &str, got: &str) -> bool {
    const WITHHELD: &str = "[value withheld]";
    if want.ends_with(" not defined") && got.starts_with(want) {
        return true;
    }
    let mut parts = got.split(WITHHELD);
    let Some(mut rest) = parts.next().and_then(|first| want.strip_prefix(first)) else {
        return false;
    };
    for part in parts {
        match rest.rfind(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.is_empty() || got.ends_with(WITHHELD)
}

fn encode(bytes: &[u8]) -> String {
    lockstep_golang::base64::encode(lockstep_golang::base64::Encoding::Standard, bytes)
}

fn execute(case: &Json) -> Result<Vec<u8>, String> {
    let missing_key = match case["missingkey"].as_str() {
        Some("error") => MissingKey::Error,
        Some("zero") => MissingKey::Zero,
        _ => MissingKey::Default,
    };
    let delimiter = |at: usize| case["delims"][at].as_str().unwrap_or_default();
    let options = Options {
        missing_key,
        left_delimiter: delimiter(0),
        right_delimiter: delimiter(1),
    };
    let source = case["template"].as_str().unwrap_or_default();
    let template = Template::parse("k", source, &options).map_err(|error| error.to_string())?;
    let data = match &case["any"] {
        Json::Null => {
            let empty = serde_json::Map::new();
            let entries = case["data"].as_object().unwrap_or(&empty).iter();
            Value::from(
                entries
                    .map(|(k, v)| (k.as_str(), v.as_str().unwrap_or("")))
                    .collect::<StrMap>(),
            )
        }
        any => generic(any),
    };
    let random = Counter(std::cell::Cell::new(1));
    let now = "2026-03-04T05:06:07.089Z"
        .parse()
        .map_err(|error| format!("{error}"))?;
    let env = Env {
        now,
        random: &random,
        limits: Limits::default(),
    };
    template
        .execute(&data, &env)
        .map_err(|error| error.to_string())
}

/// A document as Go decodes it: all numbers are floats.
fn generic(json: &Json) -> Value {
    match json {
        Json::Null => Value::Nil,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => Value::Float(n.as_f64().unwrap_or(0.0)),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::from(List::any(items.iter().map(generic).collect())),
        Json::Object(members) => {
            let entries: BTreeMap<Str, Value> = members
                .iter()
                .map(|(k, v)| (Str::from(k.as_str()), generic(v)))
                .collect();
            Value::from(Map::new(entries))
        }
    }
}

fn path(case: &Json, _: Texts) -> Result<(), String> {
    let json = case["json"].as_str().unwrap_or_default().as_bytes();
    let hit = gjson::get(json, case["path"].as_str().unwrap_or_default());
    if hit.is_some() != case["exists"].as_bool().unwrap_or_default() {
        return Err(format!("exists: {}", hit.is_some()));
    }
    let Some(hit) = hit else {
        return Ok(());
    };
    let string = String::from_utf8_lossy(&hit.string()).into_owned();
    let raw = String::from_utf8_lossy(hit.raw()).into_owned();
    let kind = format!("{:?}", hit.kind());
    for (field, got) in [("string", string), ("raw", raw), ("type", kind)] {
        let want = case[field].as_str().unwrap_or_default();
        if !want.eq_ignore_ascii_case(&got) || field != "type" && want != got {
            return Err(format!("{field}: want {want:?}\n got {got:?}"));
        }
    }
    Ok(())
}

fn pattern(case: &Json, _: Texts) -> Result<(), String> {
    let compiled = regexp::Regexp::new(case["pattern"].as_str().unwrap_or_default());
    let Some(want) = case["output"].as_str() else {
        return compiled
            .err()
            .map(drop)
            .ok_or_else(|| "the pattern was accepted".to_owned());
    };
    let regexp = compiled.map_err(|error| error.to_string())?;
    let text = |field: &str| case[field].as_str().unwrap_or_default().as_bytes().to_vec();
    let got = regexp.replace_all(&text("input"), &text("replacement"));
    if want.as_bytes() == got {
        return Ok(());
    }
    Err(format!(
        "want {want:?}\n got {:?}",
        String::from_utf8_lossy(&got)
    ))
}

fn document(case: &Json, _: Texts) -> Result<(), String> {
    let decoded = yaml::decode(case["yaml"].as_str().unwrap_or_default().as_bytes());
    match (decoded, case.get("error")) {
        (Err(_), Some(Json::String(_))) => Ok(()),
        (Err(error), _) => Err(format!("want {}\n got error {error}", case["value"])),
        (Ok(got), Some(Json::String(want))) => Err(format!("want error {want}\n got {got:?}")),
        (Ok(got), _) if is_same(&got, &case["value"]) => Ok(()),
        (Ok(got), _) => Err(format!(
            "want {}\n got {}",
            case["value"],
            json::marshal(&got)
        )),
    }
}

/// Equality of documents; numbers are compared as floats, as both sides print them.
fn is_same(got: &json::Value, want: &Json) -> bool {
    match (got, want) {
        (json::Value::Null, Json::Null) => true,
        (json::Value::Bool(got), Json::Bool(want)) => got == want,
        (json::Value::String(got), Json::String(want)) => got == want,
        (json::Value::Number(Number::Float(got)), Json::Number(want)) => {
            want.as_f64() == Some(*got)
        }
        (json::Value::Number(Number::Int(got)), Json::Number(want)) => {
            want.as_i64() == Some(*got) || want.as_f64() == got.to_string().parse().ok()
        }
        (json::Value::Array(got), Json::Array(want)) => {
            got.len() == want.len() && got.iter().zip(want).all(|(got, want)| is_same(got, want))
        }
        (json::Value::Object(got), Json::Object(want)) => {
            got.len() == want.len()
                && got
                    .iter()
                    .all(|(key, got)| want.get(key).is_some_and(|want| is_same(got, want)))
        }
        _ => false,
    }
}
