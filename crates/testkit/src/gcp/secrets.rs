//! Secrets and their versions with Google's rules: states, etags, delayed destruction, checksums.
//! Times go up by a second with every change, so that tests need no clock.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::calls::Refusal;

const MAX_PAYLOAD: usize = 65_536;

/// Everything that is stored.
#[derive(Default)]
pub(super) struct Secrets {
    pub(super) all: BTreeMap<String, Secret>,
    changes: u32,
}

/// A secret in its JSON form, and its versions in order.
pub(super) struct Secret {
    pub(super) json: Value,
    pub(super) versions: Vec<Version>,
}

pub(super) struct Version {
    pub(super) json: Value,
    data: Vec<u8>,
}

pub(super) fn encode(value: &[u8]) -> String {
    STANDARD.encode(value)
}

impl Secrets {
    /// The moment of the next change, and its etag.
    fn tick(&mut self) -> (String, String) {
        self.changes += 1;
        let (hours, rest) = (self.changes / 3600, self.changes % 3600);
        let time = format!("2026-01-01T{hours:02}:{:02}:{:02}Z", rest / 60, rest % 60);
        (time, format!("\"{:x}\"", self.changes))
    }

    pub(super) fn get(&mut self, name: &str) -> Result<&mut Secret, Refusal> {
        let missing = || Refusal::not_found(&format!("Secret [{name}] not found."));
        self.all.get_mut(name).ok_or_else(missing)
    }

    pub(super) fn create(&mut self, name: &str, mut json: Value) -> Result<Value, Refusal> {
        if self.all.contains_key(name) {
            let text = format!("Secret [{name}] already exists.");
            return Err(Refusal::new(409, "ALREADY_EXISTS", &text));
        }
        let (time, etag) = self.tick();
        json["name"] = name.into();
        json["createTime"] = time.into();
        json["etag"] = etag.into();
        drop_empty(&mut json);
        let secret = Secret {
            json: json.clone(),
            versions: Vec::new(),
        };
        self.all.insert(name.to_owned(), secret);
        Ok(json)
    }

    pub(super) fn update(&mut self, name: &str, new: &Value, mask: &str) -> Result<Value, Refusal> {
        let (_, etag) = self.tick();
        let secret = self.get(name)?;
        check_etag(&secret.json, new["etag"].as_str())?;
        for field in mask.split(',').filter(|field| !field.is_empty()) {
            if ![
                "labels",
                "annotations",
                "topics",
                "versionDestroyTtl",
                "versionAliases",
            ]
            .contains(&field)
            {
                let text = format!("Field [{field}] cannot be updated.");
                return Err(Refusal::invalid(&text));
            }
            secret.json[field] = new[field].clone();
        }
        secret.json["etag"] = etag.into();
        drop_empty(&mut secret.json);
        Ok(secret.json.clone())
    }

    pub(super) fn delete(&mut self, name: &str, etag: Option<&str>) -> Result<Value, Refusal> {
        check_etag(&self.get(name)?.json, etag)?;
        self.all.remove(name);
        Ok(json!({}))
    }

    pub(super) fn add(&mut self, name: &str, body: &Value, strict: bool) -> Result<Value, Refusal> {
        let payload = &body["payload"];
        let data = STANDARD.decode(payload["data"].as_str().unwrap_or_default());
        let data = data.map_err(|_| Refusal::invalid("Invalid base64 in payload.data."))?;
        if (strict && data.is_empty()) || data.len() > MAX_PAYLOAD {
            return Err(Refusal::invalid("Secret Payload has an invalid size."));
        }
        let sum = payload["dataCrc32c"].as_str();
        if sum.is_some_and(|sum| sum != crc32c(&data).to_string()) {
            let text = "The payload does not have the checksum that came with it.";
            return Err(Refusal::invalid(text));
        }
        let (time, etag) = self.tick();
        let secret = self.get(name)?;
        let number = secret.versions.len() + 1;
        let json = json!({
            "name": format!("{name}/versions/{number}"), "createTime": time, "state": "ENABLED",
            "etag": etag, "clientSpecifiedPayloadChecksum": sum.is_some(),
        });
        secret.versions.push(Version {
            json: json.clone(),
            data,
        });
        Ok(json)
    }

    pub(super) fn version(&mut self, secret: &str, version: &str) -> Result<&mut Version, Refusal> {
        let text = format!("Secret [{secret}] not found or has no versions.");
        let missing = || Refusal::not_found(&text);
        let found = self.all.get_mut(secret).ok_or_else(missing)?;
        if version == "latest" {
            return found.versions.last_mut().ok_or_else(missing);
        }
        let alias = found.json["versionAliases"][version].as_str();
        let number = alias.unwrap_or(version).parse::<usize>();
        let number = number.map_err(|_| {
            Refusal::invalid(&format!("[{version}] is not a valid version of a secret."))
        })?;
        let text = format!("Secret Version [{secret}/versions/{number}] not found.");
        let at = number
            .checked_sub(1)
            .ok_or_else(|| Refusal::not_found(&text))?;
        let version = found.versions.get_mut(at);
        version.ok_or_else(|| Refusal::not_found(&text))
    }

    pub(super) fn access(&mut self, secret: &str, version: &str) -> Result<Value, Refusal> {
        let version = self.version(secret, version)?;
        let (name, state) = (&version.json["name"], &version.json["state"]);
        if state != "ENABLED" {
            let (name, state) = (name.as_str(), state.as_str());
            let (name, state) = (name.unwrap_or_default(), state.unwrap_or_default());
            let text = format!("Secret Version [{name}] is in {state} state.");
            return Err(Refusal::new(400, "FAILED_PRECONDITION", &text));
        }
        let sum = crc32c(&version.data).to_string();
        let payload = json!({ "data": encode(&version.data), "dataCrc32c": sum });
        Ok(json!({ "name": name, "payload": payload }))
    }

    /// Enables, disables or destroys a version. With a delay of the secret's, what is destroyed is
    /// disabled first.
    pub(super) fn turn(&mut self, secret: &str, version: &str, to: &str) -> Result<Value, Refusal> {
        let (time, etag) = self.tick();
        let delay = !self.get(secret)?.json["versionDestroyTtl"].is_null();
        let version = self.version(secret, version)?;
        if version.json["state"] == "DESTROYED" {
            let text = "The version is in DESTROYED state.";
            return Err(Refusal::new(400, "FAILED_PRECONDITION", text));
        }
        let members = version.json.as_object_mut();
        let Some(members) = members else {
            return Err(Refusal::invalid("no version"));
        };
        members.remove("scheduledDestroyTime");
        let state = match to {
            "enable" => "ENABLED",
            "destroy" if delay => {
                members.insert("scheduledDestroyTime".into(), "2026-02-01T00:00:00Z".into());
                "DISABLED"
            }
            "destroy" => {
                members.insert("destroyTime".into(), time.into());
                version.data.clear();
                "DESTROYED"
            }
            _ => "DISABLED",
        };
        members.insert("state".into(), state.into());
        members.insert("etag".into(), etag.into());
        Ok(version.json.clone())
    }
}

fn check_etag(there: &Value, given: Option<&str>) -> Result<(), Refusal> {
    match given.filter(|etag| !etag.is_empty()) {
        Some(etag) if there["etag"] != etag => {
            let text = "The etag provided in the request does not match the resource.";
            Err(Refusal::new(400, "FAILED_PRECONDITION", text))
        }
        _ => Ok(()),
    }
}

/// Google's JSON leaves out what is empty.
fn drop_empty(json: &mut Value) {
    if let Some(members) = json.as_object_mut() {
        members.retain(|name, value| {
            name == "replication"
                || !(value.is_null()
                    || value.as_object().is_some_and(serde_json::Map::is_empty)
                    || value.as_array().is_some_and(Vec::is_empty))
        });
    }
}

fn crc32c(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0x82f6_3b78 & 0_u32.wrapping_sub(sum & 1));
        }
    }
    !sum
}
