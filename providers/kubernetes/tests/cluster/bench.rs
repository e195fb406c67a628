//! A namespace of a real cluster with credentials for it, and stores that use them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use futures_util::future::BoxFuture;
use lockstep_provider_api::context::{CallOutcome, CallRecorder, Objects, Services, TokenRequest};
use lockstep_provider_api::{
    Ctx, Entry, Error, ErrorKind, Result, Scope, SecretMap, SecretValue, Shared, SharedStore,
    StoreName, Variables,
};
use lockstep_provider_kubernetes::Kubernetes;
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::PATIENCE;
use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::kubeconfig::Access;
use serde_json::{Value, json};

/// Everything upstream's documents tell users to grant.
pub(crate) const ALL_VERBS: [&str; 7] = [
    "get", "list", "watch", "create", "update", "patch", "delete",
];

/// A namespace of its own.
pub(crate) struct Bench {
    pub(crate) cluster: &'static Cluster,
    pub(crate) api: Arc<Api>,
    pub(crate) namespace: String,
}

impl Bench {
    /// A fresh namespace with a ServiceAccount `reader` that has these rights on its Secrets.
    pub(crate) fn new(verbs: &[&str]) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let cluster = Cluster::shared().unwrap();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let bench = Self {
            cluster,
            api: Arc::new(cluster.admin().unwrap()),
            namespace: format!("kubernetes-provider-{}-{number}", std::process::id()),
        };
        let metadata = json!({ "name": bench.namespace });
        bench.apply(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata }));
        bench.apply(json!({
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": { "name": "reader" },
        }));
        if !verbs.is_empty() {
            bench.grant(verbs, json!({ "kind": "ServiceAccount", "name": "reader" }));
        }
        bench
    }

    /// Gives a subject rights on the Secrets of the namespace.
    pub(crate) fn grant(&self, verbs: &[&str], mut subject: Value) {
        let name = format!("r-{}", subject["name"].as_str().unwrap());
        if subject["kind"] == "ServiceAccount" {
            subject["namespace"] = self.namespace.clone().into();
        } else {
            subject["apiGroup"] = "rbac.authorization.k8s.io".into();
        }
        self.apply(json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "Role",
            "metadata": { "name": name },
            "rules": [{ "apiGroups": [""], "resources": ["secrets"], "verbs": verbs }],
        }));
        self.apply(json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": { "name": name },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name },
            "subjects": [subject],
        }));
        self.await_grant(verbs[0], &subject);
    }

    /// Waits until the server's authorizer has seen a new binding.
    fn await_grant(&self, verb: &str, subject: &Value) {
        let name = subject["name"].as_str().unwrap();
        let user = match subject["kind"].as_str() {
            Some("User") => name.to_owned(),
            _ => format!("system:serviceaccount:{}:{name}", self.namespace),
        };
        let wanted = json!({ "namespace": self.namespace, "resource": "secrets", "verb": verb });
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": { "user": user, "resourceAttributes": wanted },
        });
        let deadline = Instant::now() + PATIENCE;
        let path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
        while self.api.post(path, &review).unwrap()["status"]["allowed"] != true {
            assert!(Instant::now() < deadline, "{user} never got its rights");
        }
    }

    pub(crate) fn apply(&self, object: Value) {
        self.api.apply_in(&self.namespace, &object).unwrap();
    }

    /// Stores a Secret of text.
    pub(crate) fn secret(&self, name: &str, data: Value) {
        self.apply(json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": { "name": name },
            "stringData": data,
        }));
    }

    /// A Secret as the server has it.
    pub(crate) fn stored(&self, name: &str) -> Option<Value> {
        let path = format!("/api/v1/namespaces/{}/secrets/{name}", self.namespace);
        self.api.find(&path).unwrap()
    }

    /// How the cluster's administrator reaches it.
    pub(crate) fn admin(&self) -> Access {
        Access::read(&self.cluster.admin_kubeconfig()).unwrap()
    }

    /// A token of the ServiceAccount `reader`.
    pub(crate) fn token(&self) -> String {
        let path = format!(
            "/api/v1/namespaces/{}/serviceaccounts/reader/token",
            self.namespace
        );
        let answer = self.api.post(&path, &json!({ "spec": {} })).unwrap();
        answer["status"]["token"].as_str().unwrap().to_owned()
    }

    /// The server's address and authority, as a manifest has them.
    pub(crate) fn server(&self) -> Value {
        use base64::Engine;
        let admin = self.admin();
        let bundle = base64::engine::general_purpose::STANDARD.encode(admin.ca);
        json!({ "url": admin.server, "caBundle": bundle })
    }

    pub(crate) fn spec(&self, auth: Value) -> Value {
        json!({ "server": self.server(), "auth": auth, "remoteNamespace": self.namespace })
    }

    /// A store that signs in as the ServiceAccount `reader`.
    pub(crate) async fn store(&self) -> SharedStore {
        let auth = json!({ "serviceAccount": { "name": "reader" } });
        self.connect(self.spec(auth)).await.unwrap()
    }

    pub(crate) async fn connect(&self, spec: Value) -> Result<SharedStore> {
        let services = Services {
            objects: Arc::new(ClusterObjects(Arc::clone(&self.api))),
            transports: Arc::new(HttpTransports::new(Settings::default())),
            time: Arc::new(SystemTime),
            calls: Arc::new(NoCount),
            ambient: false,
            variables: Variables::default(),
            shared: Shared::default(),
        };
        let store = StoreName {
            namespace: Some(self.namespace.clone()),
            name: "store".to_owned(),
        };
        let scope = Scope::Namespaced {
            namespace: self.namespace.clone(),
        };
        let ctx = Ctx::new(Arc::new(services), store, scope);
        Entry::of::<Kubernetes>().connect(spec, ctx).await
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let path = format!("/api/v1/namespaces/{}", self.namespace);
        // A namespace that stays behind harms nobody: the next run makes others.
        let _ = self.api.delete(&path);
    }
}

struct NoCount;

impl CallRecorder for NoCount {
    fn record(&self, _: &'static str, _: &'static str, _: CallOutcome) {}
}

/// Credentials from the cluster itself.
struct ClusterObjects(Arc<Api>);

impl Objects for ClusterObjects {
    fn secret<'a>(&'a self, namespace: &'a str, name: &'a str) -> BoxFuture<'a, Result<SecretMap>> {
        use base64::Engine;
        Box::pin(async move {
            let found = self.find(&format!("/api/v1/namespaces/{namespace}/secrets/{name}"))?;
            let data = found["data"].as_object().into_iter().flatten();
            let values = data.map(|(key, value)| {
                let bytes = base64::engine::general_purpose::STANDARD
                    .decode(value.as_str().unwrap())
                    .unwrap();
                (key.clone(), SecretValue::from(bytes))
            });
            Ok(values.collect())
        })
    }

    fn config_map<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        Box::pin(async move {
            let found = self.find(&format!("/api/v1/namespaces/{namespace}/configmaps/{name}"))?;
            Ok(serde_json::from_value(found["data"].clone()).unwrap())
        })
    }

    fn service_account<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        Box::pin(async { Ok(BTreeMap::new()) })
    }

    fn token<'a>(&'a self, request: TokenRequest<'a>) -> BoxFuture<'a, Result<SecretValue>> {
        Box::pin(async move {
            let spec = json!({
                "audiences": request.audiences,
                "expirationSeconds": request.lifetime.as_secs(),
            });
            let path = format!(
                "/api/v1/namespaces/{}/serviceaccounts/{}/token",
                request.namespace, request.name
            );
            let made = self.0.post(&path, &json!({ "spec": spec }));
            let made = made.map_err(|error| missing(&error))?;
            Ok(made["status"]["token"].as_str().unwrap().into())
        })
    }
}

impl ClusterObjects {
    fn find(&self, path: &str) -> Result<Value> {
        self.0.get(path).map_err(|error| missing(&error))
    }
}

fn missing(error: &impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::NotFound, error.to_string())
}
