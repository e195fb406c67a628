//! The configuration of a device, as Keeper's tools write it: JSON, or base64 of it. Says what is wrong
//! with it before anything is sent, and never shows a part of it.

use http::Uri;
use lockstep_provider_api::prelude::*;
use serde_json::{Map, Value};

use crate::crypto::{Device, Key, decode};

const DEFAULT_HOST: &str = "keepersecurity.com";

/// A device of an application.
pub(crate) struct Config {
    pub(crate) host: String,
    pub(crate) client_id: String,
    pub(crate) device: Device,
    pub(crate) app_key: Key,
    /// The key of Keeper's server that the device was told to use.
    pub(crate) server_key: String,
    /// The point that keys of new records are encrypted to.
    pub(crate) owner: Option<Vec<u8>>,
}

impl Config {
    /// Reads a configuration.
    pub(crate) fn parse(text: &SecretValue) -> Result<Self> {
        let parsed = members(text).and_then(|members| Self::from_members(&members));
        parsed.map_err(|problem| {
            Error::invalid_spec(format!(
                "unable to create valid KeeperSecurity config: {problem}"
            ))
        })
    }

    fn from_members(members: &Map<String, Value>) -> std::result::Result<Self, &'static str> {
        let text = |name: &str| {
            let text = members.get(name).and_then(Value::as_str);
            text.map(str::trim).filter(|text| !text.is_empty())
        };
        let client_id = text("clientId").ok_or(
            "it has no clientId; a one-time token cannot be used, make the configuration of a device",
        )?;
        let private = text("privateKey").ok_or("it has no privateKey")?;
        let device = decode(private).and_then(|der| Device::new(&der));
        let app_key = text("appKey").ok_or("app key is missing from the storage")?;
        let app_key = decode(app_key).and_then(|key| Key::new(SecretValue::new(key)));
        Ok(Self {
            host: host(text("hostname").unwrap_or(DEFAULT_HOST)),
            client_id: client_id.to_owned(),
            device: device.ok_or("privateKey is no PKCS #8 key on P-256 in base64")?,
            app_key: app_key.ok_or("appKey is no key of 32 bytes in base64")?,
            server_key: text("serverPublicKeyId").unwrap_or_default().to_owned(),
            owner: text("appOwnerPublicKey").and_then(decode),
        })
    }
}

fn members(text: &SecretValue) -> std::result::Result<Map<String, Value>, &'static str> {
    let decoded = text
        .expose_utf8()
        .ok()
        .and_then(decode)
        .map(SecretValue::new);
    let json = decoded.filter(|decoded| decoded.len() > 2);
    let json = json.unwrap_or_else(|| text.clone());
    match serde_json::from_slice(json.expose()) {
        Ok(Value::Object(members)) if !members.is_empty() => Ok(members),
        _ => Err("it is no JSON object"),
    }
}

/// The name of the host alone: Keeper's tools also write addresses, and ports are not looked at.
fn host(text: &str) -> String {
    let with_scheme = if text.to_ascii_lowercase().starts_with("http") {
        text.to_owned()
    } else {
        format!("https://{text}")
    };
    let parsed: Option<Uri> = with_scheme.parse().ok();
    let host = parsed.as_ref().and_then(Uri::host);
    host.unwrap_or(text).to_owned()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::crypto::encode;

    /// A device that was made for tests.
    pub(crate) const CONFIG: &str = r#"{
        "hostname": "keepersecurity.com",
        "clientId": "+fNLDonzlS525gKqW7R+etmdas2uPTjQxUBbP8Q6YUImCK5bqKKoWYYjj1QroRJJYYnCLl7Ty7V8HmmMKfiYWw==",
        "privateKey": "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbCgb4dZTvR+6v6j1xiIQ6XUP2SbL1ftPgU1SFG1Pz3ChRANCAARjezlf7+ZyBxaO29kLjb/iRw3Fiwy4MyY+B9qEdBA5M4bTTDej3vhLnQDMjVWARzXs7P8ckegElabzF+xdtRir",
        "appKey": "g2kmOonA7xiNEZRLYK3xc/0B4OfIxL46BUzwHlPWrwE=",
        "serverPublicKeyId": "10"
    }"#;

    fn refusal(text: &str) -> String {
        let error = Config::parse(&text.into()).err().unwrap();
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
        error.to_string()
    }

    #[test]
    fn a_configuration_is_json_or_base64_of_it() {
        let plain = Config::parse(&CONFIG.into()).unwrap();
        let encoded = Config::parse(&encode(CONFIG.as_bytes()).into()).unwrap();

        assert_eq!(plain.host, "keepersecurity.com");
        assert_eq!(plain.server_key, "10");
        assert_eq!(encoded.client_id, plain.client_id);
    }

    #[test]
    fn what_cannot_be_used_is_said_without_showing_it() {
        for (text, problem) in [
            ("nonsense", "it is no JSON object"),
            ("{}", "it is no JSON object"),
            (r#"{"clientKey": "hunter2"}"#, "one-time token"),
            (r#"{"clientId": "c", "privateKey": "hunter2"}"#, "app key"),
        ] {
            let refusal = refusal(text);
            assert!(refusal.starts_with("unable to create valid KeeperSecurity config: "));
            assert!(
                refusal.contains(problem) && !refusal.contains("hunter2"),
                "{refusal}"
            );
        }
        let broken = CONFIG.replace("MIGHAgEA", "AAAAAAAA");
        assert!(refusal(&broken).contains("privateKey is no"));
    }

    #[test]
    fn a_host_may_be_an_address_and_its_port_is_dropped() {
        for text in ["eu.example", "eu.example:8443", "https://eu.example:1/x"] {
            assert_eq!(host(text), "eu.example", "{text}");
        }
    }
}
