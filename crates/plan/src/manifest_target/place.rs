//! Puts what templates render to where `templateFrom[].target` says: data, labels, annotations, or
//! any path of the object.

use lockstep_golang::base64::{self, Encoding};
use lockstep_golang::yaml;
use serde_json::{Map, Value};

use super::path;

/// Where rendered texts go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    Data,
    Labels,
    Annotations,
    Path(&'a str),
}

impl<'a> Place<'a> {
    /// The three known words are matched without case; nothing written means the data.
    pub(super) fn of(target: Option<&'a str>) -> Self {
        let target = target.unwrap_or_default();
        match target.to_ascii_lowercase().as_str() {
            "" | "data" => Self::Data,
            "labels" => Self::Labels,
            "annotations" => Self::Annotations,
            _ => Self::Path(target),
        }
    }

    /// The member of the object it changes.
    pub(super) fn root(self) -> &'a str {
        match self {
            Self::Data => "data",
            Self::Labels | Self::Annotations => "metadata",
            Self::Path(path) => path.split(['.', '[']).next().unwrap_or_default(),
        }
    }
}

/// The object while it is made.
pub(super) struct Canvas<'a> {
    pub(super) object: &'a mut Map<String, Value>,
    /// Whether values of `data` are base64.
    pub(super) is_secret: bool,
}

impl Canvas<'_> {
    /// Puts one value.
    pub(super) fn value(&mut self, at: Place<'_>, key: &str, value: Vec<u8>) -> Result<(), String> {
        if at == Place::Data && self.is_secret {
            let encoded = base64::encode(Encoding::Standard, &value);
            return self.member("data", key, encoded.into());
        }
        let text = String::from_utf8(value).map_err(|_| {
            format!("the value for {key} is not valid UTF-8; encode it, for example with b64enc")
        })?;
        match at {
            Place::Data => self.member("data", key, text.into()),
            Place::Labels => self.member("metadata.labels", key, text.into()),
            Place::Annotations => self.member("metadata.annotations", key, text.into()),
            Place::Path(path) if path.eq_ignore_ascii_case("spec") => {
                self.member("spec", key, text.into())
            }
            // The place itself is the value; the key only named the template.
            Place::Path(path) => {
                let value = parsed(text.as_bytes()).unwrap_or(Value::String(text));
                *path::place(self.object, path)? = value;
                Ok(())
            }
        }
    }

    /// Puts a YAML document at a path: a map goes over the map that is there, one level deep.
    pub(super) fn document(&mut self, path: &str, text: &[u8]) -> Result<(), String> {
        let value = parsed(text).ok_or_else(|| {
            format!("what was rendered for target {path:?} is not YAML that JSON can express")
        })?;
        let is_single = !path.contains(['.', '[']);
        let place = path::place(self.object, path)?;
        match (place, value) {
            (Value::Object(held), Value::Object(members)) if !is_single => held.extend(members),
            (place, value) => *place = value,
        }
        Ok(())
    }

    fn member(&mut self, map: &str, key: &str, value: Value) -> Result<(), String> {
        let place = path::place(self.object, map)?;
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        let held = place.as_object_mut();
        held.ok_or_else(|| format!("{map} of the target is not a mapping"))?
            .insert(key.to_owned(), value);
        Ok(())
    }
}

/// A text as YAML; the error would quote it.
fn parsed(text: &[u8]) -> Option<Value> {
    yaml::decode(text).ok().as_ref().map(Value::from)
}
