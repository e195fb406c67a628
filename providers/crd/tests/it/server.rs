//! As much of an API server as the provider talks to, in memory: ConfigMaps and one kind of the
//! whole cluster, discovery, paged lists and access reviews.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use http::{Request, Response};
use lockstep_provider_api::conformance::{response, scripted};
use lockstep_provider_api::http::Transport;
use serde_json::{Value, json};

#[derive(Default)]
struct State {
    /// Objects by namespace (empty for those of the whole cluster) and name.
    objects: BTreeMap<(String, String), Value>,
    denied: BTreeSet<&'static str>,
    seen: Vec<String>,
    reviews: Vec<Value>,
}

/// An API server.
#[derive(Clone, Default)]
pub(crate) struct Server(Arc<Mutex<State>>);

impl Server {
    pub(crate) fn transport(&self) -> Arc<dyn Transport> {
        let server = self.clone();
        scripted(move |request| server.answer(&request))
    }

    /// Stores a ConfigMap.
    pub(crate) fn put(&self, namespace: &str, name: &str, key: &str, value: &str) {
        let object = json!({
            "metadata": { "name": name, "namespace": namespace, "labels": { "name": name } },
            "data": { key: value },
        });
        let name = (namespace.to_owned(), name.to_owned());
        self.state().objects.insert(name, object);
    }

    /// Stores an object of the whole cluster.
    pub(crate) fn put_cluster_wide(&self, name: &str) {
        let object = json!({ "kind": "Planet", "metadata": { "name": name }, "spec": { "n": 5 } });
        let name = (String::new(), name.to_owned());
        self.state().objects.insert(name, object);
    }

    pub(crate) fn deny(&self, verb: &'static str) {
        self.state().denied.insert(verb);
    }

    /// Paths that were asked for, access reviews left out.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.state().seen.clone()
    }

    /// What the access reviews asked.
    pub(crate) fn reviews(&self) -> Vec<Value> {
        self.state().reviews.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn answer(&self, request: &Request<Bytes>) -> Response<Bytes> {
        let path = request.uri().path().to_owned();
        let mut state = self.state();
        if path.ends_with("selfsubjectaccessreviews") {
            let body: Value = serde_json::from_slice(request.body()).unwrap();
            let wanted = body["spec"]["resourceAttributes"].clone();
            let allowed = !state.denied.contains(wanted["verb"].as_str().unwrap());
            state.reviews.push(wanted);
            let answer = json!({ "status": { "allowed": allowed } });
            return response(201, answer.to_string());
        }
        state.seen.push(path.clone());
        let query = request.uri().query().unwrap_or_default();
        let (code, body) = state.route(&path, query);
        response(code, body.to_string())
    }
}

impl State {
    fn route(&self, path: &str, query: &str) -> (u16, Value) {
        let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        match segments.as_slice() {
            ["api", "v1"] => (200, registered("configmaps", "ConfigMap", true)),
            ["apis", "sky.io", "v1"] => (200, registered("planets", "Planet", false)),
            ["api", "v1", "configmaps"] => (200, self.list(None, query)),
            ["api", "v1", "namespaces", namespace, "configmaps"] => {
                (200, self.list(Some(namespace), query))
            }
            ["api", "v1", "namespaces", namespace, "configmaps", name] => {
                self.get(namespace, name, "configmaps")
            }
            ["apis", "sky.io", "v1", "planets", name] => self.get("", name, "planets"),
            _ => (404, json!("404 page not found")),
        }
    }

    fn get(&self, namespace: &str, name: &str, plural: &str) -> (u16, Value) {
        let found = self.objects.get(&(namespace.to_owned(), name.to_owned()));
        match found {
            Some(object) => (200, object.clone()),
            None => status(404, "NotFound", plural),
        }
    }

    /// Pages of ten.
    fn list(&self, namespace: Option<&str>, query: &str) -> Value {
        let word = |name: &str| {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let mut values = pairs
                .filter(|(key, _)| *key == name)
                .map(|(_, value)| value);
            values.next().unwrap_or_default().replace("%3D", "=")
        };
        let selector = word("labelSelector");
        let objects = self.objects.iter().filter(|((place, _), object)| {
            let labels = &object["metadata"]["labels"];
            let fits = selector.split_once('=');
            namespace.map_or(!place.is_empty(), |wanted| wanted == place)
                && fits.is_none_or(|(key, value)| labels[key] == value)
        });
        let from: usize = word("continue").parse().unwrap_or_default();
        let objects: Vec<_> = objects.map(|(_, object)| object.clone()).collect();
        let items: Vec<_> = objects.iter().skip(from).take(10).cloned().collect();
        let next = from + items.len();
        let next = if next < objects.len() {
            next.to_string()
        } else {
            String::new()
        };
        json!({ "kind": "ConfigMapList", "metadata": { "continue": next }, "items": items })
    }
}

fn registered(plural: &str, kind: &str, namespaced: bool) -> Value {
    json!({ "kind": "APIResourceList", "resources": [
        { "name": format!("{plural}/status"), "kind": kind, "namespaced": namespaced },
        { "name": plural, "kind": kind, "namespaced": namespaced },
    ] })
}

/// A refusal as the API server words it.
pub(crate) fn status(code: u16, reason: &str, plural: &str) -> (u16, Value) {
    let body = json!({
        "kind": "Status",
        "message": "the server says no",
        "reason": reason,
        "details": { "kind": plural },
        "code": code,
    });
    (code, body)
}
