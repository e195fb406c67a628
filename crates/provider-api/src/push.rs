//! The bytes a push writes: one key of the source Secret, or the whole of it as a JSON object.
//! Providers differ only in what a missing key means to them.

use crate::error::{Error, Result};
use crate::json::to_json_object;
use crate::request::PushItem;
use crate::value::SecretValue;

impl PushItem {
    /// The key to push, where one is given and not empty.
    pub fn wanted_key(&self) -> Option<&str> {
        self.secret_key.as_deref().filter(|key| !key.is_empty())
    }

    /// The value to push; a key the source lacks is an error.
    pub fn value(&self) -> Result<SecretValue> {
        let Some(key) = self.wanted_key() else {
            return Ok(to_json_object(&self.source));
        };
        self.source.get(key).cloned().ok_or_else(|| {
            Error::invalid_spec(format!(
                "failed to find secret key in secret with key: {key}"
            ))
        })
    }

    /// The value to push for the providers that push nothing for a key the source lacks.
    pub fn value_or_empty(&self) -> SecretValue {
        match self.wanted_key() {
            None => to_json_object(&self.source),
            Some(key) => self.source.get(key).cloned().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::PushTarget;
    use crate::value::SecretMap;

    fn item(key: Option<&str>) -> PushItem {
        let entries = [("b", "<2>"), ("a", "1")];
        PushItem {
            secret_key: key.map(str::to_owned),
            source: SecretMap::from_iter(entries.map(|(k, v)| (k.to_owned(), v.into()))),
            ..PushItem::whole(PushTarget::key("r"), SecretMap::new())
        }
    }

    #[test]
    fn one_key_is_pushed_as_it_is() {
        assert_eq!(item(Some("b")).value().unwrap(), "<2>".into());
    }

    #[test]
    fn without_a_key_the_whole_secret_is_pushed_as_json() {
        for key in [None, Some("")] {
            assert_eq!(
                item(key).value().unwrap().expose_utf8().unwrap(),
                r#"{"a":"1","b":"<2>"}"#
            );
        }
    }

    #[test]
    fn a_missing_key_is_an_error_or_nothing_as_the_provider_wants() {
        let missing = item(Some("nope"));

        assert_eq!(
            missing.value().unwrap_err().to_string(),
            "failed to find secret key in secret with key: nope"
        );
        assert!(missing.value_or_empty().is_empty());
    }
}
