//! The objects of all vaults in memory: what each operation does to them and answers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::token::now;
use super::certificate;
use super::shapes::{Version, bundle, item, level, merge, missing, public_key};
use super::words::{Kind, Refusal};

/// Days that a deleted object can be recovered.
const DAYS: i64 = 90;

/// Largest value of a secret in bytes.
const MAX_VALUE: usize = 25_600;

/// A collection of one vault.
pub(super) struct Place<'a> {
    pub(super) host: &'a str,
    pub(super) kind: Kind,
}

/// Everything in all vaults.
#[derive(Default)]
pub(in super::super) struct Vaults {
    objects: BTreeMap<(String, Kind, String), Object>,
    made: u64,
    /// Whether deleted objects may not be purged.
    pub(in super::super) protected: bool,
}

#[derive(Default)]
struct Object {
    versions: Vec<Version>,
    deleted: Option<i64>,
}

impl Vaults {
    fn entry(&mut self, place: &Place<'_>, name: &str) -> &mut Object {
        let key = (place.host.to_owned(), place.kind, name.to_owned());
        self.objects.entry(key).or_default()
    }

    fn object(&self, place: &Place<'_>, name: &str) -> Option<&Object> {
        let key = (place.host.to_owned(), place.kind, name.to_owned());
        self.objects
            .get(&key)
            .filter(|object| !object.versions.is_empty())
    }

    fn live(&self, place: &Place<'_>, name: &str) -> Result<&Object, Refusal> {
        let live = self
            .object(place, name)
            .filter(|object| object.deleted.is_none());
        live.ok_or_else(|| missing(place, name))
    }

    pub(super) fn read(
        &self,
        place: &Place<'_>,
        name: &str,
        version: &str,
    ) -> Result<Value, Refusal> {
        let object = self.live(place, name)?;
        let found = if version.is_empty() {
            object.versions.last()
        } else {
            object.versions.iter().find(|one| one.id == version)
        };
        let found = found.ok_or_else(|| missing(place, name))?;
        if found.attributes.get("enabled") == Some(&json!(false)) {
            let noun = place.kind.noun();
            let text = format!(
                "Operation get is not allowed on a disabled {}.",
                noun.to_lowercase()
            );
            return Err(Refusal::new(403, "Forbidden", &text).because(&format!("{noun}Disabled")));
        }
        Ok(bundle(place, name, found))
    }

    pub(super) fn put(
        &mut self,
        place: &Place<'_>,
        name: &str,
        body: &Value,
    ) -> Result<Value, Refusal> {
        let mut content = Map::new();
        match place.kind {
            Kind::Secret => {
                let Some(value) = body["value"].as_str() else {
                    return Err(Refusal::new(400, "BadParameter", "The value is missing."));
                };
                if value.len() > MAX_VALUE {
                    let text = "The specified value exceeds the maximum length allowed: 25600.";
                    return Err(Refusal::new(400, "BadParameter", text));
                }
                content.insert("value".to_owned(), value.into());
                if let Some(kind) = body["contentType"].as_str() {
                    content.insert("contentType".to_owned(), kind.into());
                }
            }
            Kind::Key => drop(content.insert("key".to_owned(), public_key(body)?)),
            Kind::Certificate => {
                return Err(Refusal::new(
                    405,
                    "MethodNotAllowed",
                    "Certificates are imported.",
                ));
            }
        }
        self.add(place, name, content, body)
    }

    /// Imports a certificate; the secret and the key behind it come into being with it.
    pub(super) fn import(
        &mut self,
        place: &Place<'_>,
        name: &str,
        body: &Value,
    ) -> Result<Value, Refusal> {
        let value = body["value"].as_str().unwrap_or_default();
        let imported = certificate::of(value).ok_or_else(|| {
            let text = "The specified certificate content can not be read.";
            Refusal::new(400, "BadParameter", text)
        })?;
        let content = Map::from_iter([("cer".to_owned(), Value::from(imported.cer))]);
        let mut wanted = body.clone();
        wanted["attributes"] = json!({ "nbf": imported.from, "exp": imported.until });
        let answer = self.add(place, name, content, &wanted)?;
        let behind = Place {
            host: place.host,
            kind: Kind::Secret,
        };
        let secret =
            json!({ "value": value, "contentType": "application/x-pkcs12", "tags": body["tags"] });
        self.put(&behind, name, &secret)?;
        Ok(answer)
    }

    fn add(
        &mut self,
        place: &Place<'_>,
        name: &str,
        content: Map<String, Value>,
        body: &Value,
    ) -> Result<Value, Refusal> {
        if name.is_empty() || !name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-') {
            let text = format!("The request URI contains an invalid name: {name}");
            return Err(Refusal::new(400, "BadParameter", &text));
        }
        self.made += 1;
        let id = format!("{:032x}", u128::from(self.made) * 0x1234_5678_9abc_def1);
        let protected = self.protected;
        let object = self.entry(place, name);
        if object.deleted.is_some() {
            let text = format!(
                "{} {name} is currently in a deleted but recoverable state, and its name cannot be reused",
                place.kind.noun()
            );
            return Err(
                Refusal::new(409, "Conflict", &text).because("ObjectIsDeletedButRecoverable")
            );
        }
        let mut attributes = Map::from_iter([
            ("enabled".to_owned(), json!(true)),
            ("created".to_owned(), json!(now())),
            ("updated".to_owned(), json!(now())),
            ("recoveryLevel".to_owned(), json!(level(protected))),
            ("recoverableDays".to_owned(), json!(DAYS)),
        ]);
        merge(&mut attributes, &body["attributes"]);
        let version = Version {
            id,
            content,
            tags: body["tags"].clone(),
            attributes,
        };
        object.versions.push(version.clone());
        Ok(bundle(place, name, &version))
    }

    pub(super) fn patch(
        &mut self,
        place: &Place<'_>,
        name: &str,
        version: &str,
        body: &Value,
    ) -> Result<Value, Refusal> {
        self.live(place, name)?;
        let object = self.entry(place, name);
        let found = if version.is_empty() {
            object.versions.last_mut()
        } else {
            object.versions.iter_mut().find(|one| one.id == version)
        };
        let found = found.ok_or_else(|| missing(place, name))?;
        merge(&mut found.attributes, &body["attributes"]);
        found.attributes.insert("updated".to_owned(), json!(now()));
        if body["tags"].is_object() {
            found.tags = body["tags"].clone();
        }
        if let Some(kind) = body["contentType"].as_str() {
            found.content.insert("contentType".to_owned(), kind.into());
        }
        let mut answer = bundle(place, name, found);
        if let Some(members) = answer.as_object_mut() {
            members.remove("value");
        }
        Ok(answer)
    }

    pub(super) fn delete(&mut self, place: &Place<'_>, name: &str) -> Result<Value, Refusal> {
        self.live(place, name)?;
        self.entry(place, name).deleted = Some(now());
        if place.kind == Kind::Certificate {
            let behind = Place {
                host: place.host,
                kind: Kind::Secret,
            };
            if self.live(&behind, name).is_ok() {
                self.entry(&behind, name).deleted = Some(now());
            }
        }
        self.read_deleted(place, name)
    }

    pub(super) fn read_deleted(&self, place: &Place<'_>, name: &str) -> Result<Value, Refusal> {
        let found = self.object(place, name);
        let found = found.and_then(|object| Some((object.versions.last()?, object.deleted?)));
        let (version, at) = found.ok_or_else(|| missing(place, name))?;
        let mut answer = bundle(place, name, version);
        answer["recoveryId"] = json!(format!(
            "https://{}/deleted{}/{name}",
            place.host,
            place.kind.path()
        ));
        answer["deletedDate"] = json!(at);
        answer["scheduledPurgeDate"] = json!(at + DAYS * 86_400);
        answer["attributes"]["recoveryLevel"] = json!(level(self.protected));
        Ok(answer)
    }

    pub(super) fn recover(&mut self, place: &Place<'_>, name: &str) -> Result<Value, Refusal> {
        self.read_deleted(place, name)?;
        self.entry(place, name).deleted = None;
        let object = self.live(place, name)?;
        let last = object.versions.last().cloned().unwrap_or_default();
        let mut answer = bundle(place, name, &last);
        if let Some(members) = answer.as_object_mut() {
            members.remove("value");
        }
        Ok(answer)
    }

    pub(super) fn purge(&mut self, place: &Place<'_>, name: &str) -> Result<Value, Refusal> {
        self.read_deleted(place, name)?;
        if self.protected {
            let text = "Operation purge is not allowed because purge protection is enabled for this vault.";
            return Err(Refusal::new(403, "Forbidden", text).because("ForbiddenByPolicy"));
        }
        *self.entry(place, name) = Object::default();
        Ok(Value::Null)
    }

    /// The objects of a collection, as lists show them.
    pub(super) fn items(&self, place: &Place<'_>, deleted: bool) -> Vec<Value> {
        let of_place = self.objects.iter().filter(|((host, kind, _), object)| {
            host == place.host && *kind == place.kind && object.deleted.is_some() == deleted
        });
        let shown = of_place.filter_map(|((_, _, name), object)| {
            let last = object.versions.last()?;
            let mut item = item(place, name, last);
            let id = format!("https://{}/{}/{name}", place.host, place.kind.path());
            item[if place.kind == Kind::Key { "kid" } else { "id" }] = json!(id);
            if deleted {
                item["recoveryId"] = json!(format!(
                    "https://{}/deleted{}/{name}",
                    place.host,
                    place.kind.path()
                ));
            }
            Some(item)
        });
        shown.collect()
    }

    /// The versions of an object, as lists show them; those of certificates have no tags there.
    pub(super) fn items_of(&self, place: &Place<'_>, name: &str) -> Result<Vec<Value>, Refusal> {
        let versions = self.live(place, name)?.versions.iter().map(|version| {
            let mut item = item(place, name, version);
            if let (Kind::Certificate, Some(members)) = (place.kind, item.as_object_mut()) {
                members.remove("tags");
            }
            item
        });
        Ok(versions.collect())
    }
}
