//! Credential objects for providers, as they would be: a Secret of the manifests counts before the one that
//! is there. Tokens of ServiceAccounts are made by the API server, which stores nothing of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lockstep_index::ObjectKey;
use lockstep_provider_api::context::{LabelledSecret, Objects, TokenRequest};
use lockstep_provider_api::{Error, ErrorKind, Result, SecretMap, SecretValue};
use lockstep_runtime::objects::ClusterObjects;

use crate::read_only::data_of;
use crate::scene::Scene;

/// Credential objects of a scene.
pub(crate) struct SceneObjects {
    scene: Arc<Scene>,
    /// The API server; `None` for a folder.
    cluster: Option<ClusterObjects>,
}

impl SceneObjects {
    pub(crate) fn new(scene: Arc<Scene>) -> Self {
        let client = scene.present.client.clone();
        Self {
            cluster: client.map(ClusterObjects::new),
            scene,
        }
    }

    async fn labelled(&self, namespace: &str, name: &str) -> Result<LabelledSecret> {
        let secret = self.scene.secret(&ObjectKey::new(namespace, name)).await?;
        let secret = secret.ok_or_else(|| missing("secrets", name))?;
        Ok(LabelledSecret {
            labels: secret.metadata.labels.unwrap_or_default(),
            data: data_of(secret.data),
        })
    }
}

impl Objects for SceneObjects {
    fn secret<'a>(&'a self, namespace: &'a str, name: &'a str) -> BoxFuture<'a, Result<SecretMap>> {
        async move { Ok(self.labelled(namespace, name).await?.data) }.boxed()
    }

    fn labelled_secret<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<LabelledSecret>> {
        self.labelled(namespace, name).boxed()
    }

    fn config_map<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        async move {
            let key = ObjectKey::new(namespace, name);
            let map = self.scene.config_map(&key).await?;
            let map = map.ok_or_else(|| missing("configmaps", name))?;
            Ok(map.data.unwrap_or_default())
        }
        .boxed()
    }

    fn service_account<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        async move {
            let key = ObjectKey::new(namespace, name);
            let held = [&self.scene.given, &self.scene.present.objects];
            let held = held.iter().find_map(|held| held.service_accounts.get(&key));
            match (held, &self.cluster) {
                (Some(annotations), _) => Ok(annotations.clone()),
                (None, Some(cluster)) => cluster.service_account(namespace, name).await,
                (None, None) => Err(missing("serviceaccounts", name)),
            }
        }
        .boxed()
    }

    fn token<'a>(&'a self, request: TokenRequest<'a>) -> BoxFuture<'a, Result<SecretValue>> {
        match &self.cluster {
            Some(cluster) => cluster.token(request),
            None => async move {
                Err(Error::invalid_spec(format!(
                    "there is no cluster to make a token of ServiceAccount {}/{}; plan against a \
                     cluster, or use another kind of authentication",
                    request.namespace, request.name
                )))
            }
            .boxed(),
        }
    }
}

fn missing(plural: &str, name: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("{plural} {name:?} not found"))
}
