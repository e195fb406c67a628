//! From the answer to values: the whole body, or what a JSONPath leads to. Unlike upstream, numbers
//! keep their fraction and all their digits.

use lockstep_provider_api::json::{self, Value, to_secret};
use lockstep_provider_api::prelude::*;

use crate::jsonpath::{self, Found};

/// Largest single value taken out of an answer, in bytes: what a Secret can hold.
const MAX_VALUE: usize = 1 << 20;

/// A path into the answer. What is shown of it in errors leaves out Secrets it was made from.
#[derive(Debug)]
pub(crate) struct Path {
    /// The path itself; empty means the whole answer.
    pub(crate) path: String,
    /// The path without values of Secrets.
    pub(crate) shown: String,
}

impl Path {
    /// The one value wanted.
    pub(crate) fn value(&self, answer: SecretValue) -> Result<SecretValue> {
        if self.path.is_empty() {
            return Ok(answer);
        }
        self.follow(&decode(&answer)?, single)
    }

    /// The members of the object wanted; a text may hold that object as JSON.
    pub(crate) fn map(&self, answer: &SecretValue) -> Result<SecretMap> {
        let document = decode(answer)?;
        if self.path.is_empty() {
            return members(&Found::Is(&document));
        }
        self.follow(&document, members)
    }

    fn follow<T>(&self, document: &Value, take: impl FnOnce(&Found<'_>) -> Result<T>) -> Result<T> {
        let found = jsonpath::first(&self.path, document, take).map_err(|error| {
            let shown = &self.shown;
            Error::invalid_data(if self.shown == self.path {
                format!("failed to get response path {shown}: {error}")
            } else {
                format!("failed to get response path {shown}")
            })
        });
        found?
    }
}

fn decode(answer: &SecretValue) -> Result<Value> {
    json::decode(answer).map_err(|error| error.context("failed to parse response json"))
}

/// Of a list the first element counts.
fn single(found: &Found<'_>) -> Result<SecretValue> {
    let none = || Error::invalid_data("filter worked but didn't get any result");
    let mut found = found;
    while let Found::List(places) = found {
        found = places.first().ok_or_else(none)?;
    }
    let mut value = found.value().ok_or_else(none)?;
    while let Value::Array(elements) = value {
        value = elements.first().ok_or_else(none)?;
    }
    capped(value)
}

fn members(found: &Found<'_>) -> Result<SecretMap> {
    let decoded;
    let value = match found.value() {
        None => return Err(wrong_type(&Value::Array(Vec::new()))),
        Some(Value::String(text)) => {
            decoded = json::decode(&text.as_str().into())
                .map_err(|error| error.context("failed to parse response json from jsonpath"))?;
            &decoded
        }
        Some(value) => value,
    };
    let Value::Object(members) = value else {
        return Err(wrong_type(value));
    };
    let members = members.iter();
    members
        .map(|(key, member)| Ok((key.clone(), capped(member)?)))
        .collect()
}

/// The secret a value stands for, unless no Secret could hold it.
fn capped(value: &Value) -> Result<SecretValue> {
    let secret = to_secret(value);
    let length = secret.expose().len();
    if length > MAX_VALUE {
        return Err(Error::invalid_data(format!(
            "the value in the answer has {length} bytes; at most {MAX_VALUE} fit into a Secret"
        )));
    }
    Ok(secret)
}

fn wrong_type(value: &Value) -> Error {
    let name = match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    };
    Error::invalid_data(format!("failed to get response (wrong type: {name})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = r#"{"i":42,"f":1.75,"big":12345678901234567890,"t":true,"z":null,
"o":{"b":1,"a":"<x>"},"l":[{"v":"one"},{"v":"two"}],"s":"{\"a\":\"1\"}","e":[]}"#;

    fn path(path: &str) -> Path {
        Path {
            path: path.to_owned(),
            shown: path.to_owned(),
        }
    }

    fn value(at: &str) -> String {
        let found = path(at).value(ANSWER.into()).unwrap();
        found.expose_utf8().unwrap().to_owned()
    }

    #[test]
    fn values_of_every_type_become_text() {
        assert_eq!(value("$.i"), "42");
        assert_eq!(value("$.f"), "1.75");
        assert_eq!(value("$.big"), "12345678901234567890");
        assert_eq!(value("$.t"), "true");
        assert_eq!(value("$.z"), "");
        assert_eq!(value("$.o"), r#"{"a":"\u003cx\u003e","b":1}"#);
        assert_eq!(value(""), ANSWER);
    }

    #[test]
    fn of_a_list_the_first_element_counts() {
        assert_eq!(value("$.l[*].v"), "one");
        assert_eq!(value("$.l"), r#"{"v":"one"}"#);
        let error = path("$.e").value(ANSWER.into()).unwrap_err();
        assert_eq!(error.to_string(), "filter worked but didn't get any result");
    }

    #[test]
    fn a_path_that_leads_nowhere_is_no_absence() {
        let error = path("$.value").value(ANSWER.into()).unwrap_err();

        assert_eq!(
            error.to_string(),
            "failed to get response path $.value: unknown key value"
        );
        assert_eq!(error.kind(), &ErrorKind::InvalidData);
    }

    #[test]
    fn a_text_that_holds_json_is_a_map_too() {
        let found = path("$.s").map(&ANSWER.into()).unwrap();

        assert_eq!(found.get("a"), Some(&"1".into()));
        let error = path("$.i").map(&ANSWER.into()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "failed to get response (wrong type: float64)"
        );
    }

    #[test]
    fn an_answer_that_is_no_json_is_not_shown() {
        let error = path("$.x").value("hunter2".into()).unwrap_err().to_string();

        assert!(
            error.starts_with("failed to parse response json: "),
            "{error}"
        );
        assert!(!error.contains("hunter"), "{error}");
    }

    #[test]
    fn a_value_that_no_secret_can_hold_is_refused() {
        let answer = format!(r#"{{"v":"{}","w":"x"}}"#, "y".repeat(1 << 20 | 1));

        let error = path("$.v").value(answer.as_str().into()).unwrap_err();

        assert_eq!(
            error.to_string(),
            "the value in the answer has 1048577 bytes; at most 1048576 fit into a Secret"
        );
        assert!(path("$.w").value(answer.as_str().into()).is_ok());
        assert!(path("").map(&answer.as_str().into()).is_err());
    }
}
