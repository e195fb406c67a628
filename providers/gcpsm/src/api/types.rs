//! The messages of Secret Manager that are used, in their JSON form, and the payload with its
//! checksum. A payload leaves here only after its checksum was found right.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use crate::checksum::crc32c;
use crate::managed::Words;

/// A secret without its versions.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Secret {
    /// `projects/123/secrets/s`: Google has the project's number in it.
    pub(crate) name: String,
    pub(crate) labels: Words,
    pub(crate) annotations: Words,
    pub(crate) etag: Option<String>,
}

impl Secret {
    /// The last part of its name, which is the key that reads it.
    pub(crate) fn key(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }
}

/// A version without its payload.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Version {
    pub(crate) name: String,
    pub(crate) state: String,
    pub(crate) create_time: Option<Timestamp>,
    pub(crate) scheduled_destroy_time: Option<Timestamp>,
}

impl Version {
    /// The last part of its name.
    pub(crate) fn number(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Secrets {
    #[serde(default)]
    pub(super) secrets: Vec<Secret>,
    #[serde(default)]
    pub(super) next_page_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Versions {
    #[serde(default)]
    pub(super) versions: Vec<Version>,
    #[serde(default)]
    pub(super) next_page_token: Option<String>,
}

/// The answer to a new version; nothing of it is used, but it must be one.
#[derive(Deserialize)]
pub(super) struct Added {
    #[serde(rename = "name")]
    _name: String,
}

/// The answer to a read.
#[derive(Deserialize)]
pub(super) struct Accessed {
    pub(super) payload: Payload,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Payload {
    #[serde(default)]
    data: String,
    /// An int64, which JSON has as text.
    #[serde(default)]
    data_crc32c: Option<Value>,
}

impl Payload {
    /// The bytes, if they are those that were stored.
    pub(super) fn value(self, name: &str) -> Result<SecretValue> {
        let data = SecretValue::from(self.data);
        let bytes = STANDARD.decode(data.expose()).map_err(|_| {
            Error::invalid_data(format!("the payload of {name} is not valid base64"))
        })?;
        let value = SecretValue::new(bytes);
        let wanted = match &self.data_crc32c {
            Some(Value::String(text)) => text.parse().ok(),
            Some(number) => number.as_i64(),
            None => return Ok(value),
        };
        if wanted == Some(i64::from(crc32c(value.expose()))) {
            return Ok(value);
        }
        Err(Error::invalid_data(format!(
            "the payload of {name} does not have the checksum (CRC-32C) that came with it: it was \
             damaged on its way and is not used"
        )))
    }
}

/// The body of a new version.
pub(super) fn payload(value: &SecretValue) -> String {
    format!(
        r#"{{"payload":{{"data":"{}","dataCrc32c":"{}"}}}}"#,
        STANDARD.encode(value.expose()),
        crc32c(value.expose())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload_of(json: &str) -> Result<SecretValue> {
        let payload: Payload = serde_json::from_str(json).unwrap();
        payload.value("projects/p/secrets/s/versions/1")
    }

    #[test]
    fn a_payload_with_its_checksum_or_without_one_is_taken() {
        let sum = crc32c(b"hello");

        let with = payload_of(&format!(r#"{{"data":"aGVsbG8=","dataCrc32c":"{sum}"}}"#));
        let number = payload_of(&format!(r#"{{"data":"aGVsbG8=","dataCrc32c":{sum}}}"#));
        let without = payload_of(r#"{"data":"aGVsbG8="}"#);

        for value in [with, number, without] {
            assert_eq!(value.unwrap(), "hello".into());
        }
    }

    #[test]
    fn a_payload_with_another_checksum_is_refused_without_showing_it() {
        for sum in ["\"1\"", "1", "\"x\"", "null"] {
            let json = format!(r#"{{"data":"aHVudGVyMg==","dataCrc32c":{sum}}}"#);
            if sum == "null" {
                assert!(payload_of(&json).is_ok());
                continue;
            }
            let error = payload_of(&json).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::InvalidData);
            assert!(error.to_string().contains("CRC-32C"), "{error}");
            assert!(!error.to_string().contains("hunter2"));
        }
    }

    #[test]
    fn what_is_sent_carries_the_checksum_that_a_reader_finds() {
        let sent: Value = serde_json::from_str(&payload(&"hello".into())).unwrap();

        assert_eq!(
            payload_of(&sent["payload"].to_string()).unwrap(),
            "hello".into()
        );
    }
}
