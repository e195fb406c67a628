//! The calls this provider makes: values by path or by id, and the search. What a failure means is decided
//! in `error`.

use std::sync::Arc;

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Session;
use lockstep_provider_kit::grpc::{Channel, Rpc};

use crate::endpoints::Endpoints;
use crate::messages::{
    AccessSecretRequest, AccessSecretResponse, AccessSecretVersionRequest, BytesValue, SearchName,
    SearchSecretRequest, SearchSecretResponse, Secret, SecretPayload,
};
use crate::spec::SecretRef;
use crate::{auth, error, uuid};

/// The metric's label.
pub(crate) const PROVIDER: &str = "CloudRu/SecretManager";
/// The version that is read where none is asked for.
pub(crate) const LATEST: &str = "latest";
/// Folders below folders, without an end.
const ALL_LEVELS: i32 = -1;
const ACCESS: Rpc = Rpc {
    path: "/cloud.csm.core.v2.SecretService/Access",
    call: "AccessSecret",
};
const SEARCH: Rpc = Rpc {
    path: "/cloud.csm.core.v2.SecretService/Search",
    call: "SearchSecrets",
};
const ACCESS_BY_ID: Rpc = Rpc {
    path: "/sbercloud.secretmanager.v1.SecretManagerService/AccessSecretVersion",
    call: "AccessSecretVersion",
};

/// A connection to Secret Manager.
pub(crate) struct Api {
    channel: Channel,
    session: Arc<Session>,
    project: String,
}

impl Api {
    /// Finds the services and resolves the access key.
    pub(crate) async fn connect(given: &SecretRef, project: &str, ctx: &Ctx) -> Result<Self> {
        let found = Endpoints::find(ctx).await?;
        let channel = |name: &str, address: &str| {
            Channel::new(ctx, PROVIDER, (name, address), &Tls::default())
        };
        let iam = channel("the address of iam", &found.iam)?;
        let session = auth::connect(given, iam, &found.iam, ctx).await?;
        let channel = channel("the address of secret-manager", &found.secrets)?;
        Ok(Self {
            channel: channel.signed(Arc::clone(&session)),
            session,
            project: project.to_owned(),
        })
    }

    /// A version of a secret; a key that is a UUID is an id, every other one a path.
    pub(crate) async fn read(&self, key: &str, version: &str) -> Result<SecretValue> {
        if uuid::is_uuid(key) {
            return self.read_by_id(key, version).await;
        }
        let version = match version {
            "" | LATEST => None,
            number => Some(number.parse().map_err(|_| error::bad_version())?),
        };
        let question = AccessSecretRequest {
            project_id: self.project.clone(),
            path: key.to_owned(),
            version,
        };
        self.sign_in().await?;
        let answer: Result<AccessSecretResponse> = self.channel.call(ACCESS, &question).await;
        let answer = answer.map_err(|error| error::unread(error, &format!("path '{key}'")))?;
        Ok(held(answer.payload))
    }

    async fn read_by_id(&self, id: &str, version: &str) -> Result<SecretValue> {
        let version = if version.is_empty() { LATEST } else { version };
        let question = AccessSecretVersionRequest {
            secret_id: id.to_owned(),
            secret_version_id: version.to_owned(),
        };
        self.sign_in().await?;
        let answer: Result<SecretPayload> = self.channel.call(ACCESS_BY_ID, &question).await;
        let answer =
            answer.map_err(|error| error::unread(error, &format!("id '{id} v{version}'")))?;
        Ok(held(answer.data))
    }

    /// The secrets that a search is for, without their values.
    pub(crate) async fn search(&self, find: &Find) -> Result<Vec<Secret>> {
        let name = find.name.clone().filter(|name| !name.is_empty());
        let question = SearchSecretRequest {
            project_id: self.project.clone(),
            path: find.path.clone().unwrap_or_default(),
            depth: ALL_LEVELS,
            labels: find.tags.clone().unwrap_or_default(),
            name: name.map(SearchName::Regex),
        };
        self.sign_in().await.map_err(error::unlisted)?;
        let answer: Result<SearchSecretResponse> = self.channel.call(SEARCH, &question).await;
        Ok(answer.map_err(error::unlisted)?.secrets)
    }

    /// So that a refused key reads as such and not as a secret that cannot be read.
    async fn sign_in(&self) -> Result<()> {
        let token = self.session.token().await;
        token.map(drop).map_err(error::unauthorized)
    }
}

fn held(payload: Option<BytesValue>) -> SecretValue {
    SecretValue::new(payload.unwrap_or_default().value)
}
