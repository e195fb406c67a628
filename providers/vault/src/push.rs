//! Writing a secret: made when it is not there, otherwise changed only where it differs. What is not
//! ours is refused, a deleted version included. Foreign custom metadata stays, and a refused first
//! write leaves nothing behind.

use lockstep_provider_api::json::{Number, Value, decode_verbatim};
use lockstep_provider_api::locks::Locks;
use lockstep_provider_api::prelude::*;

use crate::api::{Kv, Members, Secret, Words, member, number, secret, words};
use crate::managed;
use crate::spec::Version;

/// What is at a key before a write.
pub(crate) struct Current {
    /// Members without the mark; `None` where there is no readable version.
    pub(crate) data: Option<Members>,
    pub(crate) custom: Words,
    /// Number of the newest version; 0 for none.
    pub(crate) version: u64,
}

/// Whether writes name the version they replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    Yes,
    No,
}

impl Kv {
    pub(crate) async fn push(&self, item: &PushItem, checked: Checked) -> Result<Pushed> {
        let value = item.value_or_empty();
        let key = &item.target.remote_key;
        // Two pushes of properties would otherwise lose one of them.
        let lock = self
            .connection
            .ctx()
            .shared::<Locks>()
            .of(&self.lock_name(key));
        let _held = lock.lock().await;
        let current = self.current(key).await?;
        let is_new = current.data.is_none();
        if current.version > 0 || !is_new {
            managed::require(&current.custom)?;
        }
        let wanted = match item.target.wanted_property() {
            None => object(&value, "error unmarshalling incoming secret value")?,
            Some(property) => merged(current.data.clone(), property, &value)?,
        };
        if let Some(data) = &current.data
            && same_members(data, &wanted)
        {
            return Ok(Pushed::Unchanged);
        }
        self.replace(key, wanted, &current, checked).await?;
        Ok(if is_new {
            Pushed::Created
        } else {
            Pushed::Updated
        })
    }

    /// Names a secret among all that are written at the same time.
    pub(crate) fn lock_name(&self, key: &str) -> String {
        let (server, namespace) = (self.connection.address(), self.connection.namespace());
        format!("vault {server} {namespace} {}", self.mount.data(key))
    }

    /// What is at a key; nothing only where the engine is known to be the right one.
    pub(crate) async fn current(&self, key: &str) -> Result<Current> {
        let found = match self.read(key, None).await {
            Ok(found) => found,
            Err(failure) if failure.is_missing() => {
                let found = secret(&failure.body, self.version());
                if found.state.version == 0 {
                    return self.untouched(key).await;
                }
                found
            }
            Err(failure) => return Err(self.explained(failure, key).await),
        };
        Ok(self.known(found))
    }

    fn known(&self, found: Secret) -> Current {
        let Secret { mut data, state } = found;
        let custom = match (self.version(), &mut data) {
            (Version::V1, Some(members)) => managed::take(members),
            _ => state.custom,
        };
        Current {
            data,
            custom,
            version: state.version,
        }
    }

    /// Nothing was ever written. Somebody may have set metadata already; it stays.
    async fn untouched(&self, key: &str) -> Result<Current> {
        let absent = self.absent(key).await;
        if *absent.kind() != ErrorKind::NotFound {
            return Err(absent);
        }
        let mut current = Current {
            data: None,
            custom: Words::new(),
            version: 0,
        };
        if self.version() == Version::V2
            && let Ok(metadata) = self.metadata(key).await
        {
            current.custom = member(&metadata, managed::CUSTOM)
                .map(words)
                .unwrap_or_default();
            current.version = member(&metadata, "current_version").map_or(0, number);
        }
        Ok(current)
    }

    /// Writes members in place of what is there.
    pub(crate) async fn replace(
        &self,
        key: &str,
        mut members: Members,
        current: &Current,
        checked: Checked,
    ) -> Result<()> {
        if self.version() == Version::V1 {
            managed::put(&mut members, managed::marked(current.custom.clone()));
            return Ok(self.write(key, members, None).await?);
        }
        let marks = !managed::is_ours(&current.custom);
        if marks {
            let custom = managed::marked(current.custom.clone());
            self.write_metadata(key, &custom).await?;
        }
        let replaces = (checked == Checked::Yes).then_some(current.version);
        let Err(failure) = self.write(key, members, replaces).await else {
            return Ok(());
        };
        if marks && current.version == 0 {
            self.undo(key, &current.custom).await;
        }
        if failure.is_check_and_set() && checked == Checked::No {
            let text = format!(
                "{} (the mount demands check-and-set; set checkAndSet.required: true)",
                failure.error
            );
            return Err(Error::new(ErrorKind::InvalidSpec, text).advised());
        }
        Err(failure.error)
    }

    /// Takes the mark back where the first write was refused. Whatever somebody else wrote meanwhile
    /// stays.
    async fn undo(&self, key: &str, before: &Words) {
        let Ok(metadata) = self.metadata(key).await else {
            return;
        };
        if member(&metadata, "current_version").map_or(0, number) > 0 {
            return;
        }
        // The refusal of the write is what the caller must hear.
        if before.is_empty() {
            drop(self.delete(key).await);
        } else {
            drop(self.write_metadata(key, before).await);
        }
    }
}

/// The members of a value that must be a JSON object.
fn object(value: &SecretValue, what: &str) -> Result<Members> {
    match decode_verbatim(value.expose()) {
        Ok(Value::Object(members)) => Ok(members),
        _ => Err(Error::invalid_spec(format!(
            "{what}: invalid JSON format (push a JSON object, or name a property)"
        ))),
    }
}

/// The present members with one changed.
fn merged(current: Option<Members>, property: &str, value: &SecretValue) -> Result<Members> {
    let mut members = current.unwrap_or_default();
    if let Some(old) = members.get(property)
        && old.as_str().is_none()
    {
        return Err(Error::invalid_data(format!(
            "error converting {property} to string"
        )));
    }
    let text = value.expose_utf8()?.to_owned();
    members.insert(property.to_owned(), Value::String(text));
    Ok(members)
}

fn same_members(one: &Members, other: &Members) -> bool {
    one.len() == other.len()
        && one.iter().all(|(name, value)| {
            let found = other.get(name);
            found.is_some_and(|found| same(value, found))
        })
}

/// Whether two values mean the same; numbers may be spelled differently.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(Number::Text(one)), Value::Number(Number::Text(other))) => {
            let is_integer = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
            if one == other || (is_integer(one) && is_integer(other)) {
                return one == other;
            }
            one.parse::<f64>().ok() == other.parse::<f64>().ok()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => same_members(one, other),
        _ => one == other,
    }
}

#[cfg(test)]
mod tests;
