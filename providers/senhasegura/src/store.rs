//! An authenticated connection as the rest of the program sees it. One request gives all secrets of
//! the application, so that it serves every read of a store.

use lockstep_provider_api::json::{Value, marshal_escaped};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::read::mismatch;

use crate::api::{Api, Secret, secrets};

/// A connection to a senhasegura server.
pub struct SenhaseguraStore {
    api: Api,
}

impl SenhaseguraStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

fn value(all: &[Secret], reference: &RemoteRef) -> Result<SecretValue> {
    let mut named = all.iter().filter(|secret| secret.identity == reference.key);
    let found = match reference.wanted_property() {
        None => named.next().map(whole),
        Some(property) => {
            let mut parts = named.flat_map(|secret| secret.data.iter().flatten());
            let part = parts.find_map(|part| part.get(property));
            part.map(|text| SecretValue::from(text.clone().unwrap_or_default()))
        }
    };
    found.ok_or_else(Error::not_found)
}

/// The data of a secret as Go writes it.
fn whole(secret: &Secret) -> SecretValue {
    let Some(data) = &secret.data else {
        return SecretValue::from("null");
    };
    let parts = data.iter().map(|part| {
        let members = part.iter().map(|(name, text)| {
            let text = text.clone().unwrap_or_default();
            (name.clone(), Value::String(text))
        });
        Value::Object(members.collect())
    });
    SecretValue::from(marshal_escaped(&Value::Array(parts.collect())))
}

/// All data of an identity. One that is not there has none, as at upstream: the policies for a target
/// without data then decide.
fn members(all: &[Secret], reference: &RemoteRef) -> SecretMap {
    let mut map = SecretMap::new();
    let named = all.iter().filter(|secret| secret.identity == reference.key);
    for (name, text) in named.flat_map(|secret| secret.data.iter().flatten().flatten()) {
        map.insert(name, SecretValue::from(text.clone().unwrap_or_default()));
    }
    map
}

impl Store for SenhaseguraStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        value(&secrets(&self.api.read().await?)?, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        Ok(members(&secrets(&self.api.read().await?)?, reference))
    }

    async fn get_raw(&self, _reference: &RemoteRef) -> Result<SecretValue> {
        self.api.read().await
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        read.reference()?;
        Some(Read::Raw(RemoteRef::default()))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let all = match containing {
            Ok(Payload::Value(all)) => all,
            Ok(Payload::Map(_)) => return Err(mismatch()),
            Err(error) => return Err(error.duplicate()),
        };
        match read {
            Read::Value(reference) => value(&secrets(all)?, reference).map(Payload::Value),
            Read::Map(reference) => Ok(Payload::Map(members(&secrets(all)?, reference))),
            Read::Raw(_) => Ok(Payload::Value(all.clone())),
            Read::Find(_) => Err(mismatch()),
        }
    }

    async fn check(&self) -> Check {
        match self.api.read().await {
            Ok(_) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = r#"{"application": {"secrets": [
        {"identity": "db", "data": [{"USER": "u1", "PASS": "p1"}, {"HOST": "h<1>"}]},
        {"identity": "db", "data": [{"PORT": "5432", "USER": "u2"}]},
        {"identity": "empty", "data": []},
        {"identity": "none"}
    ]}}"#;

    fn all() -> Vec<Secret> {
        secrets(&ALL.into()).unwrap()
    }

    fn text(key: &str, property: &str) -> Option<String> {
        let found = value(&all(), &RemoteRef::key(key).property(property));
        found
            .ok()
            .map(|value| value.expose_utf8().unwrap().to_owned())
    }

    #[test]
    fn without_a_property_the_data_is_go_json() {
        let want = r#"[{"PASS":"p1","USER":"u1"},{"HOST":"h\u003c1\u003e"}]"#;

        assert_eq!(text("db", "").unwrap(), want);
        assert_eq!(text("empty", "").unwrap(), "[]");
        assert_eq!(text("none", "").unwrap(), "null");
    }

    #[test]
    fn a_property_is_looked_for_in_all_data_of_an_identity() {
        assert_eq!(text("db", "HOST").unwrap(), "h<1>");
        assert_eq!(text("db", "PORT").unwrap(), "5432");
        assert_eq!(text("db", "USER").unwrap(), "u1");
        assert_eq!(text("db", "nope"), None);
        assert_eq!(text("nope", ""), None);
    }

    #[test]
    fn later_data_wins_in_a_map_and_an_unknown_identity_has_none() {
        let of = |key: &str| members(&all(), &RemoteRef::key(key));

        let map = of("db");

        assert_eq!(map.len(), 4);
        assert_eq!(map.get("USER").unwrap(), &"u2".into());
        assert!(of("empty").is_empty());
        assert!(of("nope").is_empty());
    }
}
