//! An authenticated connection as the rest of the program sees it. Writes are in `push`.

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Members, Property};

use crate::address::SecretAddress;
use crate::api::{Api, Imports};
use crate::push::{self, Projects};

/// Anything but a string at a property comes out empty, as upstream has it.
const PROPERTY: Property = Property::GjsonStrOnly;
const MEMBERS: Members = Members::UnquoteStrings;

/// A connection to an Infisical project.
pub struct InfisicalStore {
    pub(crate) api: Api,
    pub(crate) projects: Projects,
}

impl InfisicalStore {
    pub(crate) fn new(api: Api) -> Self {
        Self {
            api,
            projects: Projects::default(),
        }
    }

    pub(crate) fn address(&self, key: &str) -> SecretAddress {
        SecretAddress::of(&self.api.scope.secrets_path, key)
    }
}

fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    let Some(property) = reference.wanted_property() else {
        return Ok(value.clone());
    };
    PROPERTY.extract(value, property).map_err(|error| {
        if error.kind() != &ErrorKind::NotFound {
            return error;
        }
        // Upstream does not see a missing property as a missing secret.
        let key = &reference.key;
        Error::invalid_data(format!(
            "property {property} does not exist in secret {key}"
        ))
    })
}

fn members(value: &SecretValue, reference: &RemoteRef) -> Result<SecretMap> {
    let found = MEMBERS.of(value);
    found.map_err(|error| error.context(format!("unable to unmarshal secret {}", reference.key)))
}

impl Store for InfisicalStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let address = self.address(&reference.key);
        let value = self.api.read(&address, Imports::Included).await?;
        wanted(&value, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.get(reference).await?, reference)
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        read.value_read()
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        read.extract_from_value(containing, wanted, members)
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        if find.tags.is_some() {
            return Err(Error::unsupported("find by tags not supported"));
        }
        let matcher = find.name.as_deref().map(NameMatcher::new).transpose()?;
        let path = find.path.as_deref().unwrap_or_default();
        let selected = self.api.list().await?.filter(|secret| {
            let named = matcher.as_ref().is_none_or(|m| m.matches(&secret.name));
            named && secret.folder.starts_with(path)
        });
        Ok(selected
            .map(|secret| (secret.name, SecretValue::from(secret.value)))
            .collect())
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        push::push(self, item).await
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        push::delete(self, target).await
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        push::exists(self, target).await
    }

    async fn check(&self) -> Check {
        let scope = &self.api.scope;
        match self.api.check().await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error.map_message(|text| {
                format!(
                    "cannot read secrets with provided project scope project:{} environment:{} \
                     secret-path:{} recursive:{}, {text}",
                    scope.project_slug, scope.environment_slug, scope.secrets_path, scope.recursive
                )
            })),
        }
    }
}
