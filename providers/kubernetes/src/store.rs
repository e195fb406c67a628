//! The connection to one namespace of a cluster. Each operation is a read, a pure step from
//! another file, and at most one write; a push that loses a race with another writer begins again.

use std::collections::BTreeMap;
use std::time::Duration;

use lockstep_api_server::{is_absent, labels};
use lockstep_provider_api::error::NOT_FOUND_TEXT;
use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::json;
use lockstep_provider_api::keys::convert_keys;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::read::mismatch;

use crate::api::{Rule, Secrets};
use crate::mark;
use crate::push::{self, PushMetadata};
use crate::read;
use crate::secret::{Secret, Stored};

/// Races with other writers of one Secret that a push may lose before it fails.
const LOST_RACES: usize = 3;

/// A store that has signed in.
#[derive(Debug)]
pub struct KubernetesStore {
    /// `None` while a store that signs in as its caller is checked without one.
    pub(crate) secrets: Option<Secrets>,
    pub(crate) namespace: String,
    pub(crate) is_referent: bool,
    pub(crate) is_cluster: bool,
    pub(crate) renew_after: Option<Duration>,
}

impl KubernetesStore {
    async fn push_once(
        &self,
        namespace: &str,
        item: &PushItem,
        metadata: &PushMetadata,
    ) -> Result<Pushed> {
        let name = &item.target.remote_key;
        let secrets = self.secrets()?;
        match secrets.get::<Stored>(namespace, name).await {
            Ok(remote) => {
                let wanted = push::pushed(&remote, item, metadata)?;
                if wanted == remote {
                    return Ok(Pushed::Unchanged);
                }
                let updated = secrets.update(namespace, &wanted).await;
                updated.map_err(gone_meanwhile)?;
                Ok(Pushed::Updated)
            }
            Err(error) if is_absent(&error) => {
                let empty = Stored::new(namespace, name);
                let wanted = push::pushed(&empty, item, metadata)?;
                secrets.create(namespace, &wanted).await?;
                Ok(Pushed::Created)
            }
            Err(error) => Err(error),
        }
    }

    fn secrets(&self) -> Result<&Secrets> {
        self.secrets.as_ref().ok_or_else(|| {
            Error::invalid_spec(
                "the store signs in as its caller and cannot be used without one; \
                 set the namespace of the credential to share it",
            )
        })
    }

    async fn read(&self, name: &str) -> Result<Secret> {
        self.secrets()?.get(&self.namespace, name).await
    }

    fn push_namespace<'a>(&'a self, metadata: &'a PushMetadata) -> Result<&'a str> {
        match metadata.remote_namespace.as_str() {
            "" => Ok(&self.namespace),
            other if self.is_cluster => Ok(other),
            _ => Err(Error::invalid_spec(
                "remoteNamespace override is only supported with ClusterSecretStore",
            )),
        }
    }

    async fn may_read(&self, secrets: &Secrets) -> Result<bool> {
        let rules = secrets.rules(&self.namespace).await?;
        if rules.iter().any(Rule::allows_reading_secrets) {
            return Ok(true);
        }
        secrets.may_get_secrets(&self.namespace).await
    }
}

impl Store for KubernetesStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        read::value(&self.read(&reference.key).await?, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        let secret = self.read(&reference.key).await.map_err(|error| {
            if is_absent(&error) {
                // Upstream's text for a missing secret comes first; `get` has the server's alone.
                error.map_message(|text| format!("{NOT_FOUND_TEXT}: {text}"))
            } else {
                error
            }
        })?;
        read::map(secret, reference)
    }

    /// All keys of a Secret come with one read of it. Labels and annotations are read by themselves.
    fn containing_read(&self, read: &Read) -> Option<Read> {
        let reference = read.reference()?;
        (reference.metadata == MetadataPolicy::None)
            .then(|| Read::Map(RemoteRef::key(&reference.key)))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        match (read, containing) {
            (Read::Value(wanted), Ok(Payload::Map(data))) => {
                read::value_in(data, wanted).map(Payload::Value)
            }
            (Read::Map(wanted), Ok(Payload::Map(data))) => {
                read::map_in(data.clone(), wanted).map(Payload::Map)
            }
            (Read::Value(_), Err(error)) => Err(without_upstreams_text(error.duplicate())),
            (_, Err(error)) => Err(error.duplicate()),
            (_, Ok(_)) => Err(mismatch()),
        }
    }

    /// Reads each Secret once, however many of its keys are wanted.
    async fn get_many(&self, references: &[RemoteRef]) -> Vec<Result<SecretValue>> {
        let mut secrets: BTreeMap<&str, Result<Secret>> = BTreeMap::new();
        for reference in references {
            let key = reference.key.as_str();
            if !secrets.contains_key(key) {
                secrets.insert(key, self.read(key).await);
            }
        }
        references
            .iter()
            .map(|reference| match secrets.get(reference.key.as_str()) {
                Some(Ok(secret)) => read::value(secret, reference),
                Some(Err(error)) => Err(again(error)),
                None => Err(Error::not_found()),
            })
            .collect()
    }

    /// Labels win over a name, as upstream has it; a path means nothing here.
    async fn find(&self, find: &Find) -> Result<SecretMap> {
        let (selector, matcher) = match (&find.tags, &find.name) {
            (Some(tags), None) => (labels::selector(tags)?, None),
            (Some(tags), _) if !tags.is_empty() => (labels::selector(tags)?, None),
            (_, Some(name)) => (String::new(), Some(NameMatcher::new(name)?)),
            (None, None) => {
                return Err(Error::invalid_spec(
                    "unexpected find operator: find needs name or tags",
                ));
            }
        };
        let is_wanted = |name: &str| matcher.as_ref().is_none_or(|matcher| matcher.matches(name));
        let secrets = self
            .secrets()?
            .list(&self.namespace, &selector, is_wanted)
            .await
            .map_err(|error| error.context("unable to list secrets"))?;
        let found = secrets
            .into_iter()
            .map(|secret| (secret.metadata.name, json::to_json_object(&secret.data)))
            .collect();
        convert_keys(found, find.conversion)
    }

    /// Tries again when another store of the same place, or somebody else, was faster.
    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        push::validate(item)?;
        let metadata = PushMetadata::parse(item.metadata.as_ref())?;
        let namespace = self.push_namespace(&metadata)?;
        for _ in 0..LOST_RACES {
            match self.push_once(namespace, item, &metadata).await {
                Err(error) if error.kind() == &ErrorKind::Conflict => {}
                done => return done,
            }
        }
        self.push_once(namespace, item, &metadata).await
    }

    /// Looks where the push wrote to, and deletes only what a push wrote. What somebody else wrote
    /// stays, without an error: it is no longer what the record is about.
    async fn delete(&self, target: &PushTarget) -> Result<()> {
        let metadata = PushMetadata::parse(target.metadata.as_ref())?;
        let namespace = self.push_namespace(&metadata)?;
        let secrets = self.secrets()?;
        let mut remote: Stored = match secrets.get(namespace, &target.remote_key).await {
            Ok(remote) => remote,
            Err(error) if is_absent(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        if !mark::is_pushed(&remote, target.wanted_property()) {
            return Ok(());
        }
        if let Some(property) = target.wanted_property() {
            if remote.data.remove(property).is_none() {
                return Ok(());
            }
            if !remote.data.is_empty() {
                let updated = secrets.update(namespace, &remote).await;
                return updated.map_err(gone_meanwhile);
            }
        }
        match secrets.delete(namespace, &remote).await {
            Err(error) if is_absent(&error) => Ok(()),
            result => result,
        }
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        let metadata = PushMetadata::parse(target.metadata.as_ref())?;
        let namespace = self.push_namespace(&metadata)?;
        let found = self.secrets()?.get::<Secret>(namespace, &target.remote_key);
        match found.await {
            Ok(secret) => Ok(target
                .wanted_property()
                .is_none_or(|property| secret.data.get(property).is_some())),
            Err(error) if is_absent(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn check(&self) -> Check {
        let secrets = match &self.secrets {
            Some(secrets) if !self.is_referent => secrets,
            _ => return Check::Healthy(Health::Unknown),
        };
        match self.may_read(secrets).await {
            Ok(true) => Check::Healthy(Health::Ready),
            Ok(false) => Check::Failed(Error::new(
                ErrorKind::Denied,
                "client is not allowed to get secrets",
            )),
            Err(error) => Check::Undetermined(error.context("could not verify if client is valid")),
        }
    }

    fn renew_after(&self) -> Option<Duration> {
        self.renew_after
    }
}

/// The failure of a value's read, which has the server's text alone, out of that of a map's.
fn without_upstreams_text(error: Error) -> Error {
    if !is_absent(&error) {
        return error;
    }
    error.map_message(|text| {
        let rest = text.strip_prefix(NOT_FOUND_TEXT);
        let rest = rest.and_then(|rest| rest.strip_prefix(": "));
        rest.unwrap_or(text).to_owned()
    })
}

/// The same error once more, for another reference to the same Secret.
fn again(error: &Error) -> Error {
    error.duplicate()
}

/// A Secret that vanished between read and write is a lost race, not an absent secret.
fn gone_meanwhile(error: Error) -> Error {
    if is_absent(&error) {
        return Error::new(ErrorKind::Conflict, error.to_string());
    }
    error
}
