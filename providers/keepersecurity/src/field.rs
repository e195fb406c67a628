//! Fields of a record: their names and their values, as Go reads and writes them. Errors name what is
//! wrong with a record and never show a part of it.

use lockstep_provider_api::json::{Value, marshal_escaped};
use lockstep_provider_api::prelude::*;

/// Fields that are no property.
const NO_PROPERTY: [&str; 2] = ["fileRef", "oneTimeCode"];

/// A field or custom field.
pub(crate) struct Field {
    kind: String,
    pub(crate) label: String,
    value: Option<Vec<Value>>,
}

impl Field {
    pub(crate) fn name(&self) -> &str {
        if self.label.is_empty() {
            &self.kind
        } else {
            &self.label
        }
    }

    /// One-time codes and references to files are shown in whole records alone.
    pub(crate) fn is_property(&self) -> bool {
        !NO_PROPERTY.contains(&&*self.kind)
    }

    pub(crate) fn has_value(&self) -> bool {
        self.value.as_ref().is_some_and(|value| !value.is_empty())
    }

    /// A text as it is, everything else as JSON; several values are a list.
    pub(crate) fn bytes(&self) -> SecretValue {
        let value = self.value.as_deref().unwrap_or_default();
        SecretValue::from(match value {
            [Value::String(text)] => text.clone(),
            [one] => marshal_escaped(one),
            several => marshal_escaped(&Value::Array(several.to_vec())),
        })
    }

    pub(crate) fn json(&self, without_label: bool) -> String {
        let value = self.value.as_ref().map_or_else(
            || "null".to_owned(),
            |value| marshal_escaped(&Value::Array(value.clone())),
        );
        let kind = string(&self.kind);
        if without_label {
            return format!(r#"{{"type":{kind},"value":{value}}}"#);
        }
        let label = string(&self.label);
        format!(r#"{{"type":{kind},"label":{label},"value":{value}}}"#)
    }
}

pub(crate) fn fields(value: Option<&Value>) -> Result<Option<Vec<Field>>> {
    let items = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(invalid("fields are no list")),
    };
    let field = |item: &Value| {
        let Value::Object(members) = item else {
            return Err(invalid("a field is no object"));
        };
        let value = match members.get("value") {
            None | Some(Value::Null) => None,
            Some(Value::Array(values)) => Some(values.clone()),
            Some(_) => return Err(invalid("the value of a field is no list")),
        };
        Ok(Field {
            kind: text(members.get("type"))?,
            label: text(members.get("label"))?,
            value,
        })
    };
    items.iter().map(field).collect::<Result<_>>().map(Some)
}

pub(crate) fn list(fields: Option<&[Field]>, json: impl Fn(&Field) -> String) -> String {
    let Some(fields) = fields else {
        return "null".to_owned();
    };
    let fields: Vec<String> = fields.iter().map(json).collect();
    format!("[{}]", fields.join(","))
}

pub(crate) fn invalid(problem: &str) -> Error {
    Error::invalid_data(format!("invalid secret. Invalid format: {problem}"))
}

pub(crate) fn string(text: &str) -> String {
    marshal_escaped(&Value::String(text.to_owned()))
}

pub(crate) fn text(value: Option<&Value>) -> Result<String> {
    match value {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(invalid("a name is no text")),
    }
}
