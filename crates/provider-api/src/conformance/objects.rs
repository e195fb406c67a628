//! Kubernetes objects in memory, for stores whose credentials live in a cluster.

use std::collections::BTreeMap;

use futures_util::future::BoxFuture;
use parking_lot::{Mutex, MutexGuard};

use crate::context::{LabelledSecret, Objects, TokenRequest};
use crate::error::{Error, ErrorKind, Result};
use crate::value::{SecretMap, SecretValue};

type Name = (String, String);

/// Secrets, ConfigMaps and ServiceAccounts by namespace and name.
#[derive(Default)]
pub struct MemoryObjects(Mutex<Content>);

#[derive(Default)]
struct Content {
    secrets: BTreeMap<Name, LabelledSecret>,
    config_maps: BTreeMap<Name, BTreeMap<String, String>>,
    service_accounts: BTreeMap<Name, BTreeMap<String, String>>,
}

impl MemoryObjects {
    /// Stores a key of a Secret.
    pub fn put_secret(
        &self,
        namespace: &str,
        name: &str,
        key: &str,
        value: impl Into<SecretValue>,
    ) {
        let mut content = self.content();
        let secret = content.secrets.entry(named(namespace, name)).or_default();
        secret.data.insert(key, value.into());
    }

    /// Labels a Secret.
    pub fn label_secret(&self, namespace: &str, name: &str, key: &str, value: &str) {
        let mut content = self.content();
        let secret = content.secrets.entry(named(namespace, name)).or_default();
        secret.labels.insert(key.to_owned(), value.to_owned());
    }

    /// Stores a key of a ConfigMap.
    pub fn put_config_map(&self, namespace: &str, name: &str, key: &str, value: &str) {
        let mut content = self.content();
        let map = content.config_maps.entry(named(namespace, name));
        map.or_default().insert(key.to_owned(), value.to_owned());
    }

    /// Stores a ServiceAccount with its annotations.
    pub fn put_service_account(
        &self,
        namespace: &str,
        name: &str,
        annotations: BTreeMap<String, String>,
    ) {
        let account = named(namespace, name);
        self.content().service_accounts.insert(account, annotations);
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        self.0.lock()
    }
}

impl Objects for MemoryObjects {
    fn secret<'a>(&'a self, namespace: &'a str, name: &'a str) -> BoxFuture<'a, Result<SecretMap>> {
        let found = self.labelled_secret(namespace, name);
        Box::pin(async move { Ok(found.await?.data) })
    }

    fn labelled_secret<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<LabelledSecret>> {
        let found = self.content().secrets.get(&named(namespace, name)).cloned();
        Box::pin(async move { found.ok_or_else(|| missing("secrets", name)) })
    }

    fn config_map<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        let wanted = named(namespace, name);
        let found = self.content().config_maps.get(&wanted).cloned();
        Box::pin(async move { found.ok_or_else(|| missing("configmaps", name)) })
    }

    fn service_account<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        let wanted = named(namespace, name);
        let found = self.content().service_accounts.get(&wanted).cloned();
        Box::pin(async move { found.ok_or_else(|| missing("serviceaccounts", name)) })
    }

    /// A token that spells out what it was made for: `token:namespace/name:audience,audience`.
    fn token<'a>(&'a self, request: TokenRequest<'a>) -> BoxFuture<'a, Result<SecretValue>> {
        Box::pin(async move {
            self.service_account(request.namespace, request.name)
                .await?;
            Ok(SecretValue::from(format!(
                "token:{}/{}:{}",
                request.namespace,
                request.name,
                request.audiences.join(",")
            )))
        })
    }
}

fn named(namespace: &str, name: &str) -> Name {
    (namespace.to_owned(), name.to_owned())
}

fn missing(resource: &str, name: &str) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!("{resource} {name:?} not found"),
    )
}
