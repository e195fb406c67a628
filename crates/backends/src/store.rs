//! Opens the store that the flags name: out of a file, with credentials as local mode finds them, or
//! out of the cluster, with the Secrets that it names there.

use std::sync::Arc;

use lockstep_provider_api::Services;
use lockstep_remote::{Connections, StoreRecord};
use lockstep_toolbox::denied;
use lockstep_toolbox::exit::Failure;

use crate::Environment;
use crate::flags::StoreFlags;
use crate::observe::Backend;

/// Namespace of a file's objects where no other is given.
const NAMESPACE: &str = "default";

/// An open store and how it is named.
pub(crate) struct Opened {
    pub(crate) backend: Backend,
    /// Kind, namespace and name.
    pub(crate) shown: String,
}

/// Connects to the store.
pub(crate) async fn open(flags: &StoreFlags, environment: Environment) -> anyhow::Result<Opened> {
    let (record, services, caller) = if flags.store_file.is_some() {
        from_file(flags, environment)?
    } else {
        Box::pin(from_cluster(flags, environment)).await?
    };
    let shown = shown(&record);
    let connections = Connections::new(services);
    let connected = connections.open(&record, Some(&caller)).await;
    // A Secret with its credentials may be out of reach; then the rule that is missing helps most.
    let connected = connected.map_err(|error| {
        let text = denied::explained(&error.to_string());
        anyhow::anyhow!("{shown}: {text}")
    })?;
    let Some(backend) = Backend::new(connected.store) else {
        return Err(Failure::refused(format!(
            "{shown}: its provider has no deleted or disabled secrets; this command works with AWS \
             Secrets Manager and Parameter Store, Azure Key Vault, Google Secret Manager, Vault and \
             OpenBao"
        )));
    };
    Ok(Opened { backend, shown })
}

/// A store as messages name it.
fn shown(record: &StoreRecord) -> String {
    let key = &record.key;
    match &key.namespace {
        Some(namespace) => format!("{} {namespace}/{}", key.kind, key.name),
        None => format!("{} {}", key.kind, key.name),
    }
}

type Source = (Arc<StoreRecord>, Arc<Services>, String);

fn from_file(flags: &StoreFlags, environment: Environment) -> anyhow::Result<Source> {
    let namespace = namespace(flags).unwrap_or(NAMESPACE).to_owned();
    let path = flags.store_file.clone().unwrap_or_default();
    let name = flags.store.as_deref();
    let found = lockstep_local::store_file::open(&path, name, &namespace, environment.local);
    let found = found.map_err(Failure::usage)?;
    Ok((found.record, found.services, namespace))
}

#[cfg(feature = "cluster")]
fn namespace(flags: &StoreFlags) -> Option<&str> {
    flags.cluster.namespace.as_deref()
}

#[cfg(not(feature = "cluster"))]
fn namespace(flags: &StoreFlags) -> Option<&str> {
    flags.namespace.as_deref()
}

#[cfg(not(feature = "cluster"))]
fn from_cluster(_: &StoreFlags, _: Environment) -> std::future::Ready<anyhow::Result<Source>> {
    std::future::ready(Err(Failure::usage(
        "this build has no cluster; name the manifest of the store with --store-file",
    )))
}

#[cfg(feature = "cluster")]
async fn from_cluster(flags: &StoreFlags, environment: Environment) -> anyhow::Result<Source> {
    use lockstep_api::{ClusterSecretStore, SecretStore};
    use lockstep_runtime::api_error::ApiErrorKind;
    use lockstep_runtime::api_object::ApiObject;
    use lockstep_runtime::objects::ClusterObjects;
    use lockstep_toolbox::cluster;

    use crate::flags::Kind;

    let name = flags.store.clone().unwrap_or_default();
    let cluster = flags.cluster.connect(&environment.local.proxy).await?;
    let read = match flags.kind {
        Kind::SecretStore => {
            let object = ApiObject::of::<SecretStore>(Some(&cluster.namespace), &name);
            let read = object.require::<SecretStore>(&cluster.client).await;
            read.map(StoreRecord::from)
        }
        Kind::ClusterSecretStore => {
            let object = ApiObject::of::<ClusterSecretStore>(None, &name);
            let read = object.require::<ClusterSecretStore>(&cluster.client).await;
            read.map(StoreRecord::from)
        }
    };
    let record = match read {
        Ok(record) => record,
        Err(error) if error.is(ApiErrorKind::NotFound) => {
            return Err(Failure::missing(unknown(flags.kind, &name, &cluster).await));
        }
        Err(error) => {
            let doing = format!("read {} {name}", flags.kind.as_str());
            return Err(cluster::failure(&doing, &error));
        }
    };
    let objects = ClusterObjects::new(cluster.client);
    let services = lockstep_local::services_over(Arc::new(objects), environment.local);
    Ok((Arc::new(record), services, cluster.namespace))
}

/// Says that there is no such store, and which ones there are.
#[cfg(feature = "cluster")]
async fn unknown(
    kind: crate::flags::Kind,
    name: &str,
    cluster: &lockstep_toolbox::cluster::Cluster,
) -> String {
    use lockstep_api::{ClusterSecretStore, SecretStore};
    use lockstep_runtime::api_object::list_all;

    use crate::flags::Kind;

    let namespace = &cluster.namespace;
    let (names, what) = match kind {
        Kind::SecretStore => {
            let stores = list_all::<SecretStore>(&cluster.client, Some(namespace)).await;
            let stores = stores.unwrap_or_default().into_iter();
            let names: Vec<_> = stores.filter_map(|store| store.metadata.name).collect();
            (names, format!("SecretStores in namespace {namespace}"))
        }
        Kind::ClusterSecretStore => {
            let stores = list_all::<ClusterSecretStore>(&cluster.client, None).await;
            let stores = stores.unwrap_or_default().into_iter();
            let names: Vec<_> = stores.filter_map(|store| store.metadata.name).collect();
            (names, "ClusterSecretStores".to_owned())
        }
    };
    let help = lockstep_toolbox::suggest::instead(name, names.iter().map(String::as_str), &what);
    format!("{} {name} does not exist; {help}", kind.as_str())
}
