//! A server with vaults, and a store that reaches it.

use std::sync::Arc;

use lockstep_provider_api::conformance::{CallLog, ManualTime, MemoryObjects, NAMESPACE};
use lockstep_provider_api::context::Services;
use lockstep_provider_api::{
    Ctx, Entry, PushItem, PushTarget, Scope, SecretMap, SecretValue, Shared, SharedStore,
    StoreName, Variables,
};
use lockstep_provider_onepassword::Onepassword;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::onepassword::{Connect, TOKEN};
use serde_json::{Value, json};

/// A server with the vaults `first` and `second`, in this order in the store.
pub(crate) struct Bench {
    pub(crate) connect: Connect,
    pub(crate) first: String,
    pub(crate) second: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let connect = Connect::start().unwrap();
        let (first, second) = (connect.vault("first"), connect.vault("second"));
        Self {
            connect,
            first,
            second,
        }
    }

    /// A store of both vaults.
    pub(crate) async fn store(&self) -> SharedStore {
        self.store_of(json!({ "second": 20, "first": 3 }), TOKEN)
            .await
    }

    /// A store of any vaults, with any token.
    pub(crate) async fn store_of(&self, vaults: Value, token: &str) -> SharedStore {
        let objects: Arc<MemoryObjects> = Arc::default();
        objects.put_secret(NAMESPACE, "creds", "token", token);
        let services = Services {
            objects,
            transports: Arc::new(HttpTransports::new(Settings::default())),
            time: Arc::new(ManualTime::hasty()),
            calls: Arc::<CallLog>::default(),
            ambient: false,
            variables: Variables::default(),
            shared: Shared::default(),
        };
        let namespace = NAMESPACE.to_owned();
        let name = StoreName {
            namespace: Some(namespace.clone()),
            name: "store".to_owned(),
        };
        let ctx = Ctx::new(Arc::new(services), name, Scope::Namespaced { namespace });
        let spec = spec(&self.connect, &vaults);
        Entry::of::<Onepassword>().connect(spec, ctx).await.unwrap()
    }
}

/// A store's manifest.
pub(crate) fn spec(connect: &Connect, vaults: &Value) -> Value {
    json!({
        "connectHost": format!("{}/", connect.url()),
        "vaults": vaults,
        "auth": { "secretRef": { "connectTokenSecretRef": { "name": "creds", "key": "token" } } },
    })
}

/// A push of one value.
pub(crate) fn item(
    key: &str,
    property: Option<&str>,
    value: &str,
    metadata: Option<Value>,
) -> PushItem {
    let target = PushTarget {
        property: property.map(str::to_owned),
        ..PushTarget::key(key)
    };
    let source = SecretMap::from_iter([("a".to_owned(), SecretValue::from(value))]);
    let metadata = metadata.map(|spec| {
        json!({
            "apiVersion": "kubernetes.external-secrets.io/v1alpha1",
            "kind": "PushSecretMetadata",
            "spec": spec,
        })
    });
    PushItem {
        secret_key: Some("a".to_owned()),
        metadata,
        ..PushItem::whole(target, source)
    }
}
