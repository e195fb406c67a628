//! Reads the cluster for the view, explains one object, and asks for a sync with the annotation
//! `force-sync`. Nothing else is written.

use jiff::Timestamp;
use kube::Resource;
use kube::api::{Api, ListParams, Patch, PatchParams, WatchParams};
use kube::core::{DynamicObject, NamespaceResourceScope};
use lockstep_api::keys::ANNOTATION_FORCE_SYNC;
use lockstep_api::{ClusterSecretStore, ExternalSecret, PushSecret, SecretStore};
use lockstep_explain::{Kind, explain, text};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use lockstep_runtime::watch::Guarded;
use lockstep_toolbox::cluster::{Cluster, failure, told};
use lockstep_toolbox::output::Paint;
use serde_json::json;

use crate::facts::Reduce;
use crate::reduced::Reduced;
use crate::seen::{News, Seen};
use crate::view::Named;
use crate::watches::Watches;

/// Objects in one page of a list.
const PAGE: u32 = 500;

/// Where rows come from.
#[derive(Clone)]
pub(crate) struct Source {
    cluster: Cluster,
    everywhere: bool,
}

impl Source {
    pub(crate) fn new(cluster: Cluster, everywhere: bool) -> Self {
        Self {
            cluster,
            everywhere,
        }
    }

    /// Reads everything that is shown, once.
    pub(crate) async fn load(&self) -> anyhow::Result<Seen> {
        let mut seen = Seen::default();
        self.list(self.namespaced::<ExternalSecret>(), &mut seen)
            .await?;
        self.list(self.namespaced::<PushSecret>(), &mut seen)
            .await?;
        self.list(self.namespaced::<SecretStore>(), &mut seen)
            .await?;
        self.list(self.all::<ClusterSecretStore>(), &mut seen)
            .await?;
        Ok(seen)
    }

    /// Fails with the rule to add where something may be listed and not be watched.
    pub(crate) async fn check_watch(&self) -> anyhow::Result<()> {
        may_watch(&self.namespaced::<ExternalSecret>()).await?;
        may_watch(&self.namespaced::<PushSecret>()).await?;
        may_watch(&self.namespaced::<SecretStore>()).await?;
        may_watch(&self.all::<ClusterSecretStore>()).await
    }

    /// Watches everything that is shown.
    pub(crate) fn watch(&self) -> Watches {
        let mut watches = Watches::default();
        watches.add(self.namespaced::<ExternalSecret>());
        watches.add(self.namespaced::<PushSecret>());
        watches.add(self.namespaced::<SecretStore>());
        watches.add(self.all::<ClusterSecretStore>());
        watches
    }

    async fn list<K: Reduce>(
        &self,
        api: Api<Guarded<Reduced<K>>>,
        seen: &mut Seen,
    ) -> anyhow::Result<()> {
        let plural = K::plural(&());
        let mut next = None::<String>;
        loop {
            let mut params = ListParams::default().limit(PAGE);
            if let Some(token) = &next {
                params = params.continue_token(token);
            }
            let page = match api.list(&params).await.map_err(ApiError::from) {
                Ok(page) => page,
                // A cluster without that kind has none of it.
                Err(error) if error.is(ApiErrorKind::NotFound) => return Ok(()),
                Err(error) => return Err(failure(&format!("list {plural}"), &error)),
            };
            // One object that cannot be read must not hide the others.
            for object in page.items.into_iter().filter_map(|object| object.0.ok()) {
                let facts = object.facts;
                seen.take(facts.kind, News::There(Box::new(facts)));
            }
            next = page.metadata.continue_.filter(|token| !token.is_empty());
            if next.is_none() {
                return Ok(());
            }
        }
    }

    fn namespaced<K>(&self) -> Api<Guarded<Reduced<K>>>
    where
        K: Reduce + Resource<Scope = NamespaceResourceScope>,
    {
        if self.everywhere {
            return self.all();
        }
        Api::namespaced(self.cluster.client.clone(), &self.cluster.namespace)
    }

    fn all<K: Reduce>(&self) -> Api<Guarded<Reduced<K>>> {
        Api::all(self.cluster.client.clone())
    }

    /// The report about one object as text.
    pub(crate) async fn explain(&self, named: &Named) -> String {
        let cluster = Cluster {
            client: self.cluster.client.clone(),
            namespace: named.namespace.clone(),
        };
        let report = match Kind::parse(named.kind) {
            Ok(kind) => explain(&cluster, "default", &kind, &named.name).await,
            Err(error) => Err(error),
        };
        match report {
            Ok(report) => text(&report, Paint::OFF),
            Err(error) => format!("{error:#}"),
        }
    }

    /// Asks the operator to sync an object now; says how that went.
    pub(crate) async fn sync(&self, named: &Named, now: Timestamp) -> String {
        let Ok(kind) = Kind::parse(named.kind) else {
            return format!("{} cannot be synced", named.kind);
        };
        let annotation = json!({ANNOTATION_FORCE_SYNC: now.as_second().to_string()});
        let patch = json!({"metadata": {"annotations": annotation}});
        let client = self.cluster.client.clone();
        let api: Api<DynamicObject> =
            Api::namespaced_with(client, &named.namespace, &kind.resource());
        let params = PatchParams::default();
        let patched = api.patch(&named.name, &params, &Patch::Merge(&patch)).await;
        let name = format!("{}/{}", named.namespace, named.name);
        match patched.map_err(ApiError::from) {
            Ok(_) => format!("asked for a sync of {name}"),
            Err(error) => format!("no sync of {name}: {}", told(&error).replace('\n', " ")),
        }
    }
}

/// Opens a watch and leaves it again. Whatever else fails is waited out by the watch itself.
async fn may_watch<K: Reduce>(api: &Api<Guarded<Reduced<K>>>) -> anyhow::Result<()> {
    let params = WatchParams::default().timeout(1);
    match api.watch(&params, "0").await.map(drop) {
        Ok(()) => Ok(()),
        Err(error) => {
            let error = ApiError::from(error);
            if error.is(ApiErrorKind::Forbidden) {
                return Err(failure(&format!("watch {}", K::plural(&())), &error));
            }
            Ok(())
        }
    }
}
