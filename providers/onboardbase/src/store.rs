//! An authenticated connection as the rest of the program sees it. One request answers every read of the
//! environment.

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::read::mismatch;
use lockstep_provider_kit::error::missing;
use lockstep_provider_kit::{Members, Property};

use crate::api::Api;
use crate::entries::Entries;
use crate::error::CLIENT_ERROR;
use crate::spec::OnboardbaseSpec;

const PROPERTY: Property = Property::GjsonRaw;
const MEMBERS: Members = Members::UnquoteStrings;

/// A connection to an environment.
pub struct OnboardbaseStore {
    api: Api,
    spec: OnboardbaseSpec,
    passcode: SecretValue,
}

impl OnboardbaseStore {
    pub(crate) fn new(api: Api, spec: OnboardbaseSpec, passcode: SecretValue) -> Self {
        Self {
            api,
            spec,
            passcode,
        }
    }

    /// The value that a reference wants. An empty one counts as missing, as at upstream.
    fn value(&self, body: Result<SecretValue>, reference: &RemoteRef) -> Result<SecretValue> {
        let key = &reference.key;
        let found = body.and_then(|body| Entries::open(&body, &self.passcode)?.value(key));
        let found = found.and_then(|value| self.there(value, key));
        let value = found.map_err(|error| error.context(format!("could not get secret {key}")))?;
        PROPERTY
            .wanted(&value, reference)
            .map_err(|error| match reference.wanted_property() {
                Some(property) if error.kind() == &ErrorKind::NotFound => missing(format!(
                    "cannot find property {property} in secret data for key: {key:?}"
                )),
                _ => error,
            })
    }

    fn there(&self, value: Option<SecretValue>, key: &str) -> Result<SecretValue> {
        value.filter(|value| !value.is_empty()).ok_or_else(|| {
            let (project, environment) = (&self.spec.project, &self.spec.environment);
            missing(format!(
                "{CLIENT_ERROR}: secret {key} for project '{project}' and environment \
                 '{environment}' not found"
            ))
        })
    }

    fn members(&self, body: Result<SecretValue>, reference: &RemoteRef) -> Result<SecretMap> {
        let members = MEMBERS.of(&self.value(body, reference)?);
        let key = &reference.key;
        members.map_err(|error| error.context(format!("unable to unmarshal secret {key}")))
    }

    fn search(&self, body: Result<SecretValue>, find: &Find) -> Result<SecretMap> {
        let matcher = matcher(find)?;
        let path = find.path.as_deref().unwrap_or_default();
        let wanted = |name: &str| {
            let named = matcher.as_ref().is_none_or(|matcher| matcher.matches(name));
            named && name.starts_with(path)
        };
        let found = body.and_then(|body| Entries::open(&body, &self.passcode)?.select(wanted));
        found.map_err(|error| error.map_message(|text| format!("could not get secrets {text}")))
    }
}

/// The pattern of a search that can be made.
fn matcher(find: &Find) -> Result<Option<NameMatcher>> {
    if find.tags.as_ref().is_some_and(|tags| !tags.is_empty()) {
        return Err(Error::unsupported("find by tags not supported"));
    }
    find.name.as_deref().map(NameMatcher::new).transpose()
}

impl Store for OnboardbaseStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        self.value(self.api.entries().await, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        self.members(self.api.entries().await, reference)
    }

    async fn get_raw(&self, _reference: &RemoteRef) -> Result<SecretValue> {
        self.api.entries().await
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        if let Read::Find(find) = read {
            matcher(find).ok()?;
        }
        Some(Read::Raw(RemoteRef::default()))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let body = match containing {
            Ok(Payload::Value(body)) => Ok(body.clone()),
            Ok(Payload::Map(_)) => return Err(mismatch()),
            Err(error) => Err(error.duplicate()),
        };
        match read {
            Read::Raw(_) => body.map(Payload::Value),
            Read::Value(reference) => self.value(body, reference).map(Payload::Value),
            Read::Map(reference) => self.members(body, reference).map(Payload::Map),
            Read::Find(find) => self.search(body, find).map(Payload::Map),
        }
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        matcher(find)?;
        self.search(self.api.entries().await, find)
    }

    async fn check(&self) -> Check {
        match self.api.check().await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error),
        }
    }
}
