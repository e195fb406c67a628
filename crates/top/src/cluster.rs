//! Reads the cluster for the view, explains one object, and asks for a sync with the annotation
//! `force-sync`. Nothing else is written.

use jiff::Timestamp;
use kube::api::{Api, ListParams, Patch, PatchParams};
use kube::core::DynamicObject;
use lockstep_api::keys::ANNOTATION_FORCE_SYNC;
use lockstep_api::{ClusterSecretStore, SecretStore};
use lockstep_explain::{Kind, explain, text};
use lockstep_plan::store::StoreRecord;
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use lockstep_toolbox::cluster::{Cluster, failure, told};
use lockstep_toolbox::output::Paint;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::model::{Model, Seen};
use crate::view::Named;

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

    /// Reads everything that is shown.
    pub(crate) async fn load(&self, now: Timestamp) -> anyhow::Result<Model> {
        let stores: Vec<SecretStore> = self.list(&Kind::SecretStore).await?;
        let cluster_stores: Vec<ClusterSecretStore> = self.list(&Kind::ClusterSecretStore).await?;
        let stores = stores.into_iter().map(StoreRecord::from);
        let seen = Seen {
            external_secrets: self.list(&Kind::ExternalSecret).await?,
            push_secrets: self.list(&Kind::PushSecret).await?,
            stores: stores
                .chain(cluster_stores.into_iter().map(StoreRecord::from))
                .collect(),
        };
        Ok(Model::of(&seen, now))
    }

    async fn list<T: DeserializeOwned>(&self, kind: &Kind) -> anyhow::Result<Vec<T>> {
        let api = self.api(kind, None);
        let (mut all, mut next) = (Vec::new(), None::<String>);
        loop {
            let mut params = ListParams::default().limit(PAGE);
            if let Some(token) = &next {
                params = params.continue_token(token);
            }
            let page = match api.list(&params).await.map_err(ApiError::from) {
                Ok(page) => page,
                // A cluster without that kind has none of it.
                Err(error) if error.is(ApiErrorKind::NotFound) => return Ok(all),
                Err(error) => return Err(failure(&format!("list {}", kind.plural()), &error)),
            };
            for object in page.items {
                let value = serde_json::to_value(object)?;
                // One object that cannot be read must not hide the others.
                all.extend(serde_json::from_value(value).ok());
            }
            next = page.metadata.continue_.filter(|token| !token.is_empty());
            if next.is_none() {
                return Ok(all);
            }
        }
    }

    fn api(&self, kind: &Kind, namespace: Option<&str>) -> Api<DynamicObject> {
        let (client, resource) = (self.cluster.client.clone(), kind.resource());
        let own = (!self.everywhere).then_some(self.cluster.namespace.as_str());
        match namespace.or(own).filter(|_| kind.is_namespaced()) {
            Some(namespace) => Api::namespaced_with(client, namespace, &resource),
            None => Api::all_with(client, &resource),
        }
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
        let api = self.api(&kind, Some(&named.namespace));
        let params = PatchParams::default();
        let patched = api.patch(&named.name, &params, &Patch::Merge(&patch)).await;
        let name = format!("{}/{}", named.namespace, named.name);
        match patched.map_err(ApiError::from) {
            Ok(_) => format!("asked for a sync of {name}"),
            Err(error) => format!("no sync of {name}: {}", told(&error).replace('\n', " ")),
        }
    }
}
