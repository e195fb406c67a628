//! What is watched: all namespaces or one, which kinds of inputs are wanted, and the tasks that watch.
//! Knows no kind and no row.

mod revision;
mod wanted_inputs;

use std::sync::Arc;

use k8s_openapi::NamespaceResourceScope;
use kube::core::{ApiResource, DynamicResourceScope};
use kube::{Api, Client, Resource};
use lockstep_runtime::background::Background;
use lockstep_runtime::watch::{Guarded, Settings};
use tokio::sync::{Notify, watch};

use revision::Revision;
use wanted_inputs::WantedInputs;

/// Watches of the process.
pub(crate) struct WatchScope {
    /// Keeps watches running.
    pub(crate) background: Background,
    /// Kinds of inputs that wait for their watch.
    pub(crate) wanted: WantedInputs,
    /// Only this namespace, where one is given.
    pub(crate) namespace: Option<String>,
    /// The latest resourceVersion that was shown.
    pub(crate) revision: Revision,
    /// Told of every failure of a watch.
    pub(crate) failed: Arc<Notify>,
    relist: watch::Sender<u64>,
}

impl WatchScope {
    pub(crate) fn new(background: Background, namespace: Option<String>) -> Self {
        Self {
            background,
            wanted: WantedInputs::default(),
            namespace,
            revision: Revision::default(),
            failed: Arc::default(),
            relist: watch::Sender::new(0),
        }
    }

    /// Settings of a watch of everything.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            relist: Some(self.relist.subscribe()),
            failed: Some(Arc::clone(&self.failed)),
            ..Settings::default()
        }
    }

    /// Makes every watch list again.
    pub(crate) fn relist(&self) {
        self.relist
            .send_modify(|asked| *asked = asked.wrapping_add(1));
    }

    /// The objects of a kind: in all namespaces, or in the one the operator is bound to.
    pub(crate) fn scoped<K>(&self, client: &Client) -> Api<Guarded<K>>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
        Guarded<K>: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    {
        match &self.namespace {
            Some(namespace) => Api::namespaced(client.clone(), namespace),
            None => Api::all(client.clone()),
        }
    }

    /// The same for a kind that is found out at run time.
    pub(crate) fn scoped_with<K>(&self, client: &Client, resource: &ApiResource) -> Api<K>
    where
        K: Resource<DynamicType = ApiResource, Scope = DynamicResourceScope>,
    {
        match &self.namespace {
            Some(namespace) => Api::namespaced_with(client.clone(), namespace, resource),
            None => Api::all_with(client.clone(), resource),
        }
    }
}
