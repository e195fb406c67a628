//! An authenticated connection as the rest of the program sees it. GitLab's variables are only read.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{missing_kept, not_absence};
use lockstep_provider_kit::{Members, Property};

use crate::api::{Api, Owner};
use crate::find::{self, Filter};
use crate::lookup;
use crate::spec::GitlabSpec;

const PROPERTY: Property = Property::GjsonText;
const MEMBERS: Members = Members::StrictStringMap;

/// A connection to a GitLab server.
pub struct GitlabStore {
    api: Api,
    spec: GitlabSpec,
}

impl GitlabStore {
    pub(crate) fn new(api: Api, spec: GitlabSpec) -> Self {
        Self { api, spec }
    }

    async fn list_all(&self) -> Result<()> {
        let spec = &self.spec;
        let mut groups = spec.groups().to_vec();
        if !spec.project().is_empty() {
            self.api.try_list(Owner::Project(spec.project())).await?;
            groups = lookup::groups(&self.api, spec).await?;
        }
        for group in &groups {
            self.api.try_list(Owner::Group(group)).await?;
        }
        Ok(())
    }
}

/// The name of a variable: hyphens cannot be in one.
fn name(key: &str) -> String {
    key.replace('-', "_")
}

fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    let name = name(&reference.key);
    let Some(property) = reference.wanted_property() else {
        if value.is_empty() {
            return Err(Error::invalid_data(format!(
                "invalid secret received. no secret string for key: {name}"
            )));
        }
        return Ok(value.clone());
    };
    PROPERTY.extract(value, property).map_err(|error| {
        missing_kept(if error.kind() == &ErrorKind::NotFound {
            error.map_message(|_| format!("key {property} does not exist in secret {name}"))
        } else {
            error
        })
    })
}

fn members(value: &SecretValue, _: &RemoteRef) -> Result<SecretMap> {
    let found = MEMBERS.of(value);
    found.map_err(|error| error.context("unable to unmarshal secret from JSON"))
}

impl Store for GitlabStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let value = self.get_raw(reference).await?;
        wanted(&value, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        let got = self.get(reference).await;
        let key = &reference.key;
        let value = got.map_err(|error| error.context(format!("error getting secret {key}")))?;
        members(&value, reference)
    }

    /// The variable itself: one read serves all properties. An empty one can be part of a read but
    /// is no value.
    async fn get_raw(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let found = lookup::value(&self.api, &self.spec, &name(&reference.key)).await;
        found.map(SecretValue::from).map_err(missing_kept)
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        let reference = read.reference()?;
        Some(Read::Raw(RemoteRef::key(&reference.key)))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let whole = match containing {
            Ok(Payload::Value(whole)) => Ok(whole),
            Ok(Payload::Map(_)) => return Err(lockstep_provider_api::read::mismatch()),
            Err(error) => Err(error.duplicate()),
        };
        match read {
            Read::Raw(_) => whole.map(|value| Payload::Value(value.clone())),
            Read::Value(reference) => wanted(whole?, reference).map(Payload::Value),
            Read::Map(reference) => {
                let key = &reference.key;
                let value = whole.and_then(|value| wanted(value, reference));
                let value =
                    value.map_err(|error| error.context(format!("error getting secret {key}")))?;
                members(&value, reference).map(Payload::Map)
            }
            Read::Find(_) => Err(lockstep_provider_api::read::mismatch()),
        }
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        let filter = Filter::new(find, &self.spec)?;
        find::find(&self.api, &self.spec, &filter)
            .await
            .map_err(not_absence)
    }

    async fn check(&self) -> Check {
        match self.list_all().await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(not_absence(error).map_message(|text| {
                format!("could not verify whether the gitlabClient is valid: {text}")
            })),
        }
    }
}
