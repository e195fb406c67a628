//! Secrets that are entries, each a text or bytes: all of them as JSON, where bytes are base64 as Go
//! writes them, or one by one, where bytes are themselves.

use lockstep_golang::base64::{Encoding, encode};
use lockstep_provider_api::json::to_json_object_escaped;
use lockstep_provider_api::prelude::*;

/// The value of an entry.
pub enum EntryValue {
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl EntryValue {
    /// The text or the bytes.
    pub fn into_secret(self) -> SecretValue {
        match self {
            Self::Text(text) => SecretValue::from(text),
            Self::Bytes(bytes) => SecretValue::new(bytes),
        }
    }

    fn into_json_text(self) -> SecretValue {
        match self {
            Self::Text(text) => SecretValue::from(text),
            Self::Bytes(bytes) => {
                let bytes = SecretValue::new(bytes);
                SecretValue::from(encode(Encoding::Standard, bytes.expose()))
            }
        }
    }
}

/// All entries as a JSON object with sorted keys; of equal keys the last one counts.
pub fn to_json(entries: impl IntoIterator<Item = (String, EntryValue)>) -> SecretValue {
    let entries = entries.into_iter();
    let texts: SecretMap = entries
        .map(|(key, value)| (key, value.into_json_text()))
        .collect();
    to_json_object_escaped(&texts)
}

/// All entries as they are.
pub fn to_map(entries: impl IntoIterator<Item = (String, EntryValue)>) -> SecretMap {
    let entries = entries.into_iter();
    entries
        .map(|(key, value)| (key, value.into_secret()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both() -> [(String, EntryValue); 2] {
        [
            ("t".to_owned(), EntryValue::Text("a<b".to_owned())),
            ("b".to_owned(), EntryValue::Bytes(vec![0xff, 0])),
        ]
    }

    #[test]
    fn a_whole_secret_is_json_with_bytes_in_base64() {
        assert_eq!(to_json(both()), r#"{"b":"/wA=","t":"a\u003cb"}"#.into());
    }

    #[test]
    fn a_map_has_the_bytes_themselves() {
        let map = to_map(both());

        assert_eq!(map.get("b").unwrap().expose(), [0xff, 0]);
        assert_eq!(map.get("t"), Some(&"a<b".into()));
    }
}
