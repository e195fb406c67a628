//! Tracks which objects a connection read its credentials from, so that a change of one of them
//! reconnects at once. Keeps names only; values pass through.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use lockstep_provider_api::context::{LabelledSecret, Objects, TokenRequest};
use lockstep_provider_api::{Result, SecretMap, SecretValue, Services};
use parking_lot::Mutex;

/// Kind of an object credentials come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CredentialKind {
    /// A Secret.
    Secret,
    /// A ConfigMap.
    ConfigMap,
}

/// An object credentials come from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Credential {
    /// Its kind.
    pub kind: CredentialKind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// Wraps the access to objects and remembers which were read.
pub(crate) struct CredentialTracker {
    inner: Arc<dyn Objects>,
    seen: Mutex<BTreeSet<Credential>>,
}

impl CredentialTracker {
    /// Wraps services. Returns them with the tracker of the objects they read.
    pub(crate) fn wrap(services: &Services) -> (Arc<Services>, Arc<Self>) {
        let tracker = Arc::new(Self {
            inner: Arc::clone(&services.objects),
            seen: Mutex::default(),
        });
        let services = Services {
            objects: Arc::clone(&tracker) as Arc<dyn Objects>,
            transports: Arc::clone(&services.transports),
            time: Arc::clone(&services.time),
            calls: Arc::clone(&services.calls),
            ambient: services.ambient,
            variables: services.variables.clone(),
            shared: services.shared.clone(),
        };
        (Arc::new(services), tracker)
    }

    /// The objects that were read so far.
    pub(crate) fn seen(&self) -> BTreeSet<Credential> {
        let seen = self.seen.lock();
        seen.clone()
    }

    fn note(&self, kind: CredentialKind, namespace: &str, name: &str) {
        let mut seen = self.seen.lock();
        seen.insert(Credential {
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        });
    }
}

impl Objects for CredentialTracker {
    fn secret<'a>(&'a self, namespace: &'a str, name: &'a str) -> BoxFuture<'a, Result<SecretMap>> {
        self.note(CredentialKind::Secret, namespace, name);
        self.inner.secret(namespace, name)
    }

    fn labelled_secret<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<LabelledSecret>> {
        self.note(CredentialKind::Secret, namespace, name);
        self.inner.labelled_secret(namespace, name)
    }

    fn config_map<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        self.note(CredentialKind::ConfigMap, namespace, name);
        self.inner.config_map(namespace, name)
    }

    fn service_account<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        self.inner.service_account(namespace, name)
    }

    fn token<'a>(&'a self, request: TokenRequest<'a>) -> BoxFuture<'a, Result<SecretValue>> {
        self.inner.token(request)
    }
}
