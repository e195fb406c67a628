//! The fields of a secret as upstream's client knows them: known names alone, without those that are
//! empty, with its spelling of dates. Values and members are taken out of them by the type's rules.

use std::collections::BTreeMap;

use lockstep_provider_api::json::{Value as Json, decode, to_secret};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::dialect::printed;
use lockstep_provider_kit::error::missing;
use lockstep_provider_kit::{Members, Property};

use self::known::{dated, is_kept};
use crate::key::Key;
use crate::kind::{Kind, Value};

mod known;
#[cfg(test)]
mod tests;

const PROPERTY: Property = Property::EscapedDotThenGjson;
const MEMBERS: Members = Members::GoBytes;
/// Fields that are shown among the metadata of every secret, empty where it has none.
const ALWAYS_SHOWN: [&str; 7] = [
    "created_at",
    "created_by",
    "crn",
    "id",
    "secret_group_id",
    "updated_at",
    "versions_total",
];

/// The fields of one secret.
pub(crate) struct Fields(BTreeMap<String, Json>);

impl Fields {
    /// The fields in an answer.
    pub(crate) fn read(body: &SecretValue) -> Result<Self> {
        let Json::Object(all) = decode(body)? else {
            return Err(Error::invalid_data("the secret is no JSON object"));
        };
        let kind = match all.get("secret_type") {
            Some(Json::String(kind)) if !kind.is_empty() => kind,
            _ => {
                return Err(Error::invalid_data(
                    "required discriminator property 'secret_type' not found in JSON object",
                ));
            }
        };
        let Some(kind) = Kind::named(kind) else {
            return Err(Error::invalid_data(format!(
                "unrecognized value for discriminator property 'secret_type': {kind}"
            )));
        };
        let mut fields: BTreeMap<String, Json> = all
            .into_iter()
            .filter(|(name, value)| is_kept(kind, name, value))
            .map(|(name, value)| {
                let value = dated(&name, value);
                (name, value)
            })
            .collect();
        for name in ALWAYS_SHOWN.iter().chain(kind.always_shown()) {
            fields.entry((*name).to_owned()).or_insert(Json::Null);
        }
        Ok(Self(fields))
    }

    /// The value that a reference wants.
    pub(crate) fn value(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let key = Key::parse(&reference.key);
        let kind = key.kind()?;
        match kind.value() {
            Value::Field(field) => Ok(to_secret(self.field(field, key.name)?)),
            Value::Json(field) => Ok(json(self.field(field, key.name)?)),
            Value::Inside(field) => self.inside(field, reference),
            Value::Named => {
                let property = named(kind, reference)?;
                match self.field(property, &reference.key) {
                    Err(_) if kind.may_lack(property) => Ok(SecretValue::default()),
                    field => field.map(to_secret),
                }
            }
        }
    }

    /// The members that a reference wants, with the metadata where it asks for it.
    pub(crate) fn members(&self, reference: &RemoteRef) -> Result<SecretMap> {
        let key = Key::parse(&reference.key);
        let kind = key.kind()?;
        let mut map = SecretMap::new();
        if reference.metadata == MetadataPolicy::Fetch {
            let printed = self
                .0
                .iter()
                .map(|(name, value)| (name.clone(), printed(value)));
            map.extend(printed);
        }
        let Some(members) = kind.members() else {
            let value = self.value(reference)?;
            let inside = MEMBERS.of(&value);
            let inside =
                inside.map_err(|error| error.context("unable to unmarshal secret from JSON"))?;
            map.extend(inside);
            return Ok(map);
        };
        for member in members {
            let value = match self.field(member.field, key.name) {
                Err(_) if member.may_lack => SecretValue::default(),
                field => printed(field?),
            };
            map.insert(member.name, value);
        }
        Ok(map)
    }

    /// What is at the property inside of a field.
    fn inside(&self, field: &str, reference: &RemoteRef) -> Result<SecretValue> {
        let key = Key::parse(&reference.key);
        let Some(held) = self.0.get(field) else {
            return Err(Error::invalid_data(format!(
                "unable to extract the fetched secret {} of type {} while performing GetSecret",
                key.name, key.kind
            )));
        };
        let wanted = PROPERTY.wanted(&json(held), reference);
        wanted.map_err(|error| match reference.wanted_property() {
            Some(property) if error.kind() == &ErrorKind::NotFound => {
                absent(property, &reference.key)
            }
            _ => error,
        })
    }

    fn field(&self, name: &str, secret: &str) -> Result<&Json> {
        let held = self.0.get(name).filter(|value| **value != Json::Null);
        held.ok_or_else(|| absent(name, secret))
    }
}

/// The property that a type cannot do without, told before anything is asked.
pub(crate) fn named(kind: Kind, reference: &RemoteRef) -> Result<&str> {
    reference.wanted_property().ok_or_else(|| {
        Error::invalid_spec(format!(
            "remoteRef.property required for secret type {}",
            kind.name()
        ))
    })
}

/// Upstream does not see a missing field as a missing secret.
fn absent(field: &str, secret: &str) -> Error {
    missing(format!("key {field} does not exist in secret {secret}"))
}

/// A value as JSON with sorted members, texts with their quotes.
fn json(value: &Json) -> SecretValue {
    SecretValue::new(lockstep_provider_api::json::marshal_escaped(value).into())
}
