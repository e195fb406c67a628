//! A namespace per test, so that tests on one cluster do not see each other. It is deleted, not
//! awaited, on drop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Result;
use k8s_openapi::NamespaceResourceScope;
use kube::{Client, Resource};
use serde_json::{Value, json};

use super::TestCluster;
use crate::api::Api;
use crate::manifest;

/// A namespace that lives as long as a test.
pub struct TestNamespace {
    name: String,
    admin: Client,
    api: Arc<Api>,
}

impl TestNamespace {
    pub(super) async fn create(cluster: &TestCluster) -> Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("test-{}-{number}", std::process::id());
        let api = Arc::new(cluster.cluster.admin()?);
        let namespace = Self {
            name: name.clone(),
            admin: cluster.admin.clone(),
            api,
        };
        let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        namespace.blocking(move |api| api.apply(&object)).await?;
        Ok(namespace)
    }

    /// Its name; also a prefix for cluster-scoped names of the test.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A kube API for one kind in this namespace, with all rights.
    pub fn api<K>(&self) -> kube::Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope>,
        K::DynamicType: Default,
    {
        kube::Api::namespaced(self.admin.clone(), &self.name)
    }

    /// Applies every document of a YAML text; objects of namespaced kinds that name no namespace
    /// land here.
    pub async fn apply(&self, yaml: &str) -> Result<Vec<Value>> {
        let objects = manifest::parse(yaml)?;
        let name = self.name.clone();
        self.blocking(move |api| {
            objects
                .iter()
                .map(|object| api.apply_in(&name, object))
                .collect()
        })
        .await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Api) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let api = Arc::clone(&self.api);
        tokio::task::spawn_blocking(move || work(&api)).await?
    }
}

impl Drop for TestNamespace {
    fn drop(&mut self) {
        // Left-overs only cost room on a cluster that ends with the run.
        drop(
            self.api
                .delete(&format!("/api/v1/namespaces/{}", self.name)),
        );
    }
}
