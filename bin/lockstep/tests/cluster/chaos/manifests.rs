//! The model as objects of an API server: stores, credentials, templates, ExternalSecrets and
//! PushSecrets. Puts them there; decides nothing about when.

use lockstep_testkit::api::Api;
use lockstep_testkit::kubeconfig::Access;
use serde_json::{Value, json};

use super::model::{Backing, MAIN, Object, Push, Source, Store, Template, World};

pub(crate) const GROUP: &str = "external-secrets.io/v1";

impl World {
    /// Namespaces, values, and everything that reads them.
    pub(crate) fn put_all(&self, api: &Api, access: &Access) {
        for name in self.namespaces.iter().chain([&self.vault]) {
            apply(
                api,
                &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
            );
        }
        for number in 0..self.templates.len() {
            self.put_template(api, number);
        }
        for number in 0..self.stores.len() {
            self.put_values(api, number);
            self.put_credential(api, number, access);
            self.put_store(api, number);
        }
        for object in &self.objects {
            self.put_foreign_target(api, object);
            self.put_object(api, object);
        }
        for push in &self.pushes {
            self.put_push(api, push);
        }
    }

    /// Makes the remote secrets of a store as the model has them. Those of a fake store are part of
    /// its spec.
    pub(crate) fn put_values(&self, api: &Api, number: usize) {
        let store = &self.stores[number];
        for (key, fields) in &store.values {
            let fields = Some(fields).filter(|_| !store.absent.contains(key));
            match &store.backing {
                Backing::Web { remote, .. } => remote.put(key, fields),
                Backing::Fake => {}
                Backing::Kube { .. } if store.for_pushes => {}
                Backing::Kube { .. } => {
                    let name = key;
                    match fields {
                        Some(fields) => apply(
                            api,
                            &json!({"apiVersion": "v1", "kind": "Secret", "stringData": fields,
                                "metadata": {"name": name, "namespace": self.vault}}),
                        ),
                        None => api.delete(&secret_path(&self.vault, name)).unwrap(),
                    }
                }
            }
        }
    }

    /// The Secret a store signs in with.
    pub(crate) fn put_credential(&self, api: &Api, number: usize, access: &Access) {
        let store = &self.stores[number];
        let data = match store.backing {
            Backing::Fake => return,
            Backing::Web { .. } => json!({"token": store.token}),
            // Any other word than the first is none of the API server's tokens.
            Backing::Kube { .. } if store.token == "first" => {
                json!({"token": access.token, "ca": access.ca})
            }
            Backing::Kube { .. } => json!({"token": store.token, "ca": access.ca}),
        };
        let (namespace, name) = self.credential(number);
        apply(
            api,
            &json!({
                "apiVersion": "v1", "kind": "Secret", "stringData": data,
                "metadata": {"name": name, "namespace": namespace,
                    "labels": {"external-secrets.io/type": "webhook"}},
            }),
        );
    }

    /// Namespace and name of that Secret.
    pub(crate) fn credential(&self, number: usize) -> (&str, String) {
        let store = &self.stores[number];
        let namespace = store.namespace.as_ref().unwrap_or(&self.namespaces[0]);
        (namespace, format!("{}-login", store.name))
    }

    pub(crate) fn put_store(&self, api: &Api, number: usize) {
        let store = &self.stores[number];
        let mut manifest = json!({
            "apiVersion": GROUP, "kind": store.kind(), "metadata": {"name": store.name},
            "spec": {"provider": self.provider(number)},
        });
        if let Some(namespace) = &store.namespace {
            manifest["metadata"]["namespace"] = json!(namespace);
        }
        apply(api, &manifest);
    }

    fn provider(&self, number: usize) -> Value {
        let store = &self.stores[number];
        let (namespace, login) = self.credential(number);
        let key = |key: &str| match store.namespace {
            Some(_) => json!({"name": login, "key": key}),
            None => json!({"name": login, "namespace": namespace, "key": key}),
        };
        match &store.backing {
            Backing::Web { remote, by_field } => {
                // Nobody listens on the other port.
                let server = if store.broken {
                    "http://127.0.0.1:9".to_owned()
                } else {
                    remote.url()
                };
                let mut spec = json!({
                    "url": format!("{server}/{{{{ .remoteRef.key }}}}"), "timeout": "2s",
                    "headers": {"Authorization": "Bearer {{ .login.token }}"},
                    "secrets": [{"name": "login", "secretRef": key("")}],
                });
                spec["secrets"][0]["secretRef"]
                    .as_object_mut()
                    .unwrap()
                    .remove("key");
                if *by_field {
                    spec["result"] = json!({"jsonPath": "$.{{ .remoteRef.property }}"});
                }
                json!({"webhook": spec})
            }
            Backing::Fake => {
                let there = store
                    .values
                    .iter()
                    .filter(|(key, _)| !store.broken && !store.absent.contains(key));
                let mut data: Vec<Value> = there
                    .map(|(key, fields)| {
                        json!({"key": key, "value": serde_json::to_string(fields).unwrap()})
                    })
                    .collect();
                data.push(json!({"key": "always", "value": "there"}));
                json!({"fake": {"data": data}})
            }
            Backing::Kube { wire } => {
                let namespace = if store.broken { "nowhere" } else { &self.vault };
                let ca = match key("ca") {
                    Value::Object(mut ca) => {
                        ca.insert("type".to_owned(), json!("Secret"));
                        ca
                    }
                    _ => unreachable!(),
                };
                json!({"kubernetes": {
                    "remoteNamespace": namespace,
                    "server": {"url": format!("https://{}", wire.address()), "caProvider": ca},
                    "auth": {"token": {"bearerToken": key("token")}},
                }})
            }
        }
    }

    /// A ConfigMap with a template, in every namespace.
    pub(crate) fn put_template(&self, api: &Api, number: usize) {
        let text = format!("{{{{ .{MAIN} }}}}+{}", self.templates[number]);
        for namespace in &self.namespaces {
            apply(
                api,
                &json!({
                    "apiVersion": "v1", "kind": "ConfigMap", "data": {"conf": text},
                    "metadata": {"name": format!("template-{number}"), "namespace": namespace},
                }),
            );
        }
    }

    /// The Secret of others that an object merges into.
    pub(crate) fn put_foreign_target(&self, api: &Api, object: &Object) {
        if object.creation == "Merge" {
            let namespace = &self.namespaces[object.namespace];
            apply(
                api,
                &json!({
                    "apiVersion": "v1", "kind": "Secret", "stringData": {"own": "kept"},
                    "metadata": {"name": object.target, "namespace": namespace},
                }),
            );
        }
    }

    pub(crate) fn put_object(&self, api: &Api, object: &Object) {
        let store = |number: usize| {
            let store = &self.stores[number];
            json!({"name": store.name, "kind": store.kind()})
        };
        let (mut data, mut data_from) = (Vec::new(), Vec::new());
        for source in &object.sources {
            match source {
                Source::Entry {
                    name,
                    store: number,
                    key,
                    field,
                } => {
                    let mut entry = json!({"secretKey": name, "remoteRef": {"key": key},
                        "sourceRef": {"storeRef": store(*number)}});
                    if let Some(field) = field {
                        entry["remoteRef"]["property"] = json!(field);
                    }
                    data.push(entry);
                }
                Source::Extract { store: number, key } => data_from.push(json!({
                    "extract": {"key": key}, "sourceRef": {"storeRef": store(*number)},
                })),
            }
        }
        let mut target = json!({"name": object.target, "creationPolicy": object.creation,
            "deletionPolicy": object.deletion});
        match object.template {
            Template::None => {}
            Template::Inline => {
                let text = format!("{{{{ .{MAIN} }}}}+{}", object.edits);
                target["template"] = json!({"data": {"out": text}});
            }
            Template::From(number) => {
                let name = format!("template-{number}");
                target["template"] = json!({"templateFrom": [
                    {"configMap": {"name": name, "items": [{"key": "conf"}]}},
                ]});
            }
        }
        apply(
            api,
            &json!({
                "apiVersion": GROUP, "kind": "ExternalSecret",
                "metadata": {"name": object.name, "namespace": self.namespaces[object.namespace]},
                "spec": {
                    "refreshInterval": object.interval, "secretStoreRef": store(object.store()),
                    "data": data, "dataFrom": data_from, "target": target,
                },
            }),
        );
    }

    /// A PushSecret, and the Secret it pushes.
    pub(crate) fn put_push(&self, api: &Api, push: &Push) {
        let namespace = &self.namespaces[push.namespace];
        let store = &self.stores[push.store];
        apply(
            api,
            &json!({
                "apiVersion": "v1", "kind": "Secret", "stringData": {"a": push.value},
                "metadata": {"name": format!("{}-source", push.name), "namespace": namespace},
            }),
        );
        apply(
            api,
            &json!({
                "apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret",
                "metadata": {"name": push.name, "namespace": namespace},
                "spec": {
                    "refreshInterval": "1h", "deletionPolicy": push.policy,
                    "secretStoreRefs": [{"name": store.name, "kind": store.kind()}],
                    "selector": {"secret": {"name": format!("{}-source", push.name)}},
                    "data": [{"match": {"secretKey": "a",
                        "remoteRef": {"remoteKey": push.name, "property": "x"}}}],
                },
            }),
        );
    }

    pub(crate) fn object_path(&self, object: &Object) -> String {
        let namespace = &self.namespaces[object.namespace];
        format!(
            "/apis/{GROUP}/namespaces/{namespace}/externalsecrets/{}",
            object.name
        )
    }

    pub(crate) fn push_path(&self, push: &Push) -> String {
        let namespace = &self.namespaces[push.namespace];
        let group = "/apis/external-secrets.io/v1alpha1";
        format!("{group}/namespaces/{namespace}/pushsecrets/{}", push.name)
    }

    pub(crate) fn target_path(&self, object: &Object) -> String {
        secret_path(&self.namespaces[object.namespace], &object.target)
    }
}

impl Store {
    pub(crate) fn kind(&self) -> &'static str {
        if self.namespace.is_some() {
            "SecretStore"
        } else {
            "ClusterSecretStore"
        }
    }

    pub(crate) fn path(&self) -> String {
        match &self.namespace {
            Some(own) => format!("/apis/{GROUP}/namespaces/{own}/secretstores/{}", self.name),
            None => format!("/apis/{GROUP}/clustersecretstores/{}", self.name),
        }
    }
}

pub(crate) fn secret_path(namespace: &str, name: &str) -> String {
    format!("/api/v1/namespaces/{namespace}/secrets/{name}")
}

pub(crate) fn apply(api: &Api, object: &Value) {
    api.apply(object).unwrap();
}
