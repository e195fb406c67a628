//! An authenticated connection as the rest of the program sees it. Searches are in `find`, writes in
//! `push`.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{missing, missing_kept, not_absence};
use lockstep_provider_kit::{Members, Property};

use crate::api::{Api, Seen};
use crate::{find, push};

const PROPERTY: Property = Property::GjsonText;
const MEMBERS: Members = Members::StrictStringMap;
const STAGES: [&str; 5] = ["CURRENT", "PENDING", "LATEST", "PREVIOUS", "DEPRECATED"];

/// A connection to a vault.
pub struct OracleStore {
    api: Api,
}

impl OracleStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

/// The stage that a version is; an unknown one is refused before any request.
fn stage(reference: &RemoteRef) -> Result<Option<&str>> {
    let Some(version) = reference.wanted_version() else {
        return Ok(None);
    };
    let is_stage = |stage: &&str| stage.eq_ignore_ascii_case(version);
    if STAGES.iter().any(is_stage) {
        return Ok(Some(version));
    }
    Err(Error::invalid_spec(format!(
        "unsupported enum value for Stage: {version}. Supported values are: {}.",
        STAGES.join(",")
    )))
}

fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    PROPERTY.wanted(value, reference).map_err(|error| {
        // Upstream does not see a missing property as a missing secret.
        if error.kind() == &ErrorKind::NotFound {
            return missing(format!("missing Key in secret: {}", reference.key));
        }
        error
    })
}

fn members(value: &SecretValue, _: &RemoteRef) -> Result<SecretMap> {
    let members = MEMBERS.of(value);
    members.map_err(|error| error.context("unable to unmarshal secret from JSON"))
}

impl Store for OracleStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let stage = stage(reference)?;
        let bundle = self.api.read(&reference.key, stage).await;
        wanted(&bundle.map_err(missing_kept)?.value, reference)
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
        find::find(&self.api, find).await.map_err(not_absence)
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        push::push(&self.api, item).await.map_err(not_absence)
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        push::delete(&self.api, target).await.map_err(not_absence)
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        push::exists(&self.api, target).await
    }

    async fn check(&self) -> Check {
        match self.api.check().await {
            Ok(Seen::Vault) => Check::Healthy(Health::Ready),
            Ok(Seen::Hidden(error)) => Check::Undetermined(not_absence(error)),
            Err(error) => Check::Failed(not_absence(error)),
        }
    }
}
