//! As much of an API server as the provider talks to, in memory: Secrets with resource versions,
//! paged lists, preconditions and access reviews, and refusals as Kubernetes words them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::conformance::{response, scripted};
use lockstep_provider_api::http::Transport;
use serde_json::{Map, Value, json};

/// Limit of the API server for the values of one Secret together.
const MAX_SECRET: usize = 1024 * 1024;

type Name = (String, String);

/// A request that was answered.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: BTreeMap<String, String>,
    pub(crate) authorization: Option<String>,
    pub(crate) body: Value,
}

#[derive(Default)]
struct State {
    secrets: BTreeMap<Name, Value>,
    version: u64,
    /// Verbs on Secrets that are refused.
    denied: BTreeSet<&'static str>,
    /// Secret that somebody makes just before the next create.
    made_first: Option<(Name, Value)>,
    /// Whether rules can be listed.
    hides_rules: bool,
    /// Largest page, whatever the client asks for.
    page: usize,
    /// Number of the page that is asked for too late.
    expired_page: Option<usize>,
    pages: usize,
    /// Secrets in a list above which the answer breaks off.
    largest_answer: Option<usize>,
    seen: Vec<Seen>,
}

/// An API server.
#[derive(Clone, Default)]
pub(crate) struct Server(Arc<Mutex<State>>);

impl Server {
    pub(crate) fn transport(&self) -> Arc<dyn Transport> {
        let server = self.clone();
        scripted(move |request| server.answer(&request))
    }

    /// Stores a Secret: `data` is text, other fields come from `extra`.
    pub(crate) fn put(&self, namespace: &str, name: &str, data: &[(&str, &[u8])]) {
        self.put_with(namespace, name, data, json!({}));
    }

    /// Stores a Secret that a push wrote.
    pub(crate) fn put_pushed(&self, namespace: &str, name: &str, data: &[(&str, &[u8])]) {
        let keys = data.iter().map(|(key, _)| (*key).to_owned());
        let managed = json!([managed_by("external-secrets", keys)]);
        self.put_with(namespace, name, data, json!({ "managedFields": managed }));
    }

    pub(crate) fn put_with(
        &self,
        namespace: &str,
        name: &str,
        data: &[(&str, &[u8])],
        metadata: Value,
    ) {
        let data: Map<String, Value> = data
            .iter()
            .map(|(key, value)| ((*key).to_owned(), encode(value).into()))
            .collect();
        let mut object = json!({ "metadata": metadata, "data": data, "type": "Opaque" });
        let mut state = self.state();
        state.stamp(namespace, name, &mut object);
        state.secrets.insert(named(namespace, name), object);
    }

    /// A Secret as it is stored.
    pub(crate) fn stored(&self, namespace: &str, name: &str) -> Option<Value> {
        self.state().secrets.get(&named(namespace, name)).cloned()
    }

    /// Refuses a verb (`get`, `list`, `create`, `update`, `delete`) from now on.
    pub(crate) fn deny(&self, verb: &'static str) {
        self.state().denied.insert(verb);
    }

    /// Somebody makes a stored Secret again just before the next create; until then it is not there.
    pub(crate) fn make_first(&self, namespace: &str, name: &str) {
        let mut state = self.state();
        let name = named(namespace, name);
        state.made_first = state.secrets.remove_entry(&name);
    }

    pub(crate) fn hide_rules(&self) {
        self.state().hides_rules = true;
    }

    pub(crate) fn page_by(&self, page: usize) {
        self.state().page = page;
    }

    /// The continue token of this page, counted over all lists, has expired.
    pub(crate) fn expire_at(&self, page: usize) {
        self.state().expired_page = Some(page);
    }

    /// A list of more Secrets than this breaks off in the middle.
    pub(crate) fn answer_at_most(&self, secrets: usize) {
        self.state().largest_answer = Some(secrets);
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state().seen.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn answer(&self, request: &Request<Bytes>) -> Response<Bytes> {
        let seen = Seen {
            method: request.method().to_string(),
            path: decoded(request.uri().path()),
            query: query(request.uri().query().unwrap_or_default()),
            authorization: request
                .headers()
                .get("authorization")
                .map(|value| value.to_str().unwrap().to_owned()),
            body: serde_json::from_slice(request.body()).unwrap_or_default(),
        };
        let mut state = self.state();
        state.seen.push(seen.clone());
        let (code, body) = state
            .route(request.method(), &seen)
            .unwrap_or_else(|refusal| refusal);
        response(code, body.to_string())
    }
}

impl Seen {
    fn manager(&self) -> &str {
        self.query.get("fieldManager").map_or("", String::as_str)
    }
}

type Answer = Result<(u16, Value), (u16, Value)>;

impl State {
    fn route(&mut self, method: &Method, seen: &Seen) -> Answer {
        let segments: Vec<&str> = seen.path.trim_start_matches('/').split('/').collect();
        match (method.as_str(), segments.as_slice()) {
            ("GET", ["api", "v1", "namespaces", namespace, "secrets"]) => {
                self.list(namespace, &seen.query)
            }
            ("POST", ["api", "v1", "namespaces", namespace, "secrets"]) => {
                self.create(namespace, seen.body.clone(), seen.manager())
            }
            ("GET", ["api", "v1", "namespaces", namespace, "secrets", name]) => {
                self.allowed("get", namespace, name)?;
                Ok((200, self.existing(namespace, name)?))
            }
            ("PUT", ["api", "v1", "namespaces", namespace, "secrets", name]) => {
                self.update(namespace, name, seen.body.clone(), seen.manager())
            }
            ("DELETE", ["api", "v1", "namespaces", namespace, "secrets", name]) => {
                self.delete(namespace, name, &seen.body)
            }
            ("POST", [.., "selfsubjectrulesreviews"]) => Ok((201, self.rules())),
            ("POST", [.., "selfsubjectaccessreviews"]) => {
                let allowed = !self.denied.contains("get");
                Ok((201, json!({ "status": { "allowed": allowed } })))
            }
            _ => Err((404, json!("404 page not found"))),
        }
    }

    fn list(&mut self, namespace: &str, query: &BTreeMap<String, String>) -> Answer {
        self.allowed("list", namespace, "")?;
        self.pages += 1;
        let from = query.get("continue").map_or(0, |at| at.parse().unwrap());
        if self.expired_page == Some(self.pages) {
            return Err(status(
                410,
                "Expired",
                "",
                "The provided continue parameter is too old",
            ));
        }
        let selector = query.get("labelSelector").cloned().unwrap_or_default();
        let matching: Vec<_> = self
            .secrets
            .iter()
            .filter(|((place, _), object)| place == namespace && selected(object, &selector))
            .map(|(_, object)| object.clone())
            .collect();
        let asked: usize = query["limit"].parse().unwrap();
        let page = if self.page == 0 {
            asked
        } else {
            asked.min(self.page)
        };
        let items: Vec<_> = matching.iter().skip(from).take(page).cloned().collect();
        if self
            .largest_answer
            .is_some_and(|largest| items.len() > largest)
        {
            return Ok((200, json!("breaks off")));
        }
        let next = from + items.len();
        let next = if next < matching.len() {
            next.to_string()
        } else {
            String::new()
        };
        Ok((
            200,
            json!({ "kind": "SecretList", "metadata": { "continue": next }, "items": items }),
        ))
    }

    fn create(&mut self, namespace: &str, mut object: Value, manager: &str) -> Answer {
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        self.allowed("create", namespace, "")?;
        self.secrets.extend(self.made_first.take());
        if self.secrets.contains_key(&named(namespace, &name)) {
            let text = format!("secrets {name:?} already exists");
            return Err(status(409, "AlreadyExists", "secrets", &text));
        }
        small_enough(&object)?;
        self.stamp(namespace, &name, &mut object);
        manage(&mut object, &Value::Null, manager);
        self.secrets.insert(named(namespace, &name), object.clone());
        Ok((201, object))
    }

    fn update(&mut self, namespace: &str, name: &str, mut object: Value, manager: &str) -> Answer {
        self.allowed("update", namespace, name)?;
        let old = self.existing(namespace, name)?;
        same_version(name, &object["metadata"], &old)?;
        small_enough(&object)?;
        self.stamp(namespace, name, &mut object);
        object["metadata"]["uid"] = old["metadata"]["uid"].clone();
        manage(&mut object, &old, manager);
        self.secrets.insert(named(namespace, name), object.clone());
        Ok((200, object))
    }

    fn delete(&mut self, namespace: &str, name: &str, options: &Value) -> Answer {
        self.allowed("delete", namespace, name)?;
        let old = self.existing(namespace, name)?;
        same_version(name, &options["preconditions"], &old)?;
        self.secrets.remove(&named(namespace, name));
        Ok((200, json!({ "kind": "Status", "status": "Success" })))
    }

    fn rules(&self) -> Value {
        let verbs: Vec<_> = ["get", "list", "create", "update", "delete"]
            .into_iter()
            .filter(|verb| !self.denied.contains(verb) && !self.hides_rules)
            .collect();
        json!({ "status": { "incomplete": self.hides_rules, "nonResourceRules": [], "resourceRules": [
            { "verbs": ["create"], "apiGroups": ["authorization.k8s.io"], "resources": ["*"] },
            { "verbs": ["get"], "apiGroups": ["apps"], "resources": ["secrets"] },
            { "verbs": verbs, "apiGroups": [""], "resources": ["secrets"] },
        ] } })
    }

    fn existing(&self, namespace: &str, name: &str) -> Result<Value, (u16, Value)> {
        let found = self.secrets.get(&named(namespace, name)).cloned();
        found.ok_or_else(|| {
            status(
                404,
                "NotFound",
                "secrets",
                &format!("secrets {name:?} not found"),
            )
        })
    }

    fn allowed(&self, verb: &str, namespace: &str, name: &str) -> Result<(), (u16, Value)> {
        if !self.denied.contains(verb) {
            return Ok(());
        }
        let object = if name.is_empty() {
            String::new()
        } else {
            format!(" {name:?}")
        };
        let text = format!(
            "secrets{object} is forbidden: User \"reader\" cannot {verb} resource \"secrets\" \
             in API group \"\" in the namespace {namespace:?}"
        );
        Err(status(403, "Forbidden", "secrets", &text))
    }

    fn stamp(&mut self, namespace: &str, name: &str, object: &mut Value) {
        self.version += 1;
        let metadata = &mut object["metadata"];
        metadata["namespace"] = namespace.into();
        metadata["name"] = name.into();
        metadata["uid"] = format!("uid-{}", self.version).into();
        metadata["resourceVersion"] = self.version.to_string().into();
    }
}

/// A refusal as the API server words it.
pub(crate) fn status(code: u16, reason: &str, kind: &str, message: &str) -> (u16, Value) {
    let body = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "message": message,
        "reason": reason,
        "details": { "kind": kind },
        "code": code,
    });
    (code, body)
}

fn same_version(name: &str, given: &Value, old: &Value) -> Result<(), (u16, Value)> {
    for field in ["uid", "resourceVersion"] {
        let differs = given[field].is_string() && given[field] != old["metadata"][field];
        if differs {
            let text = format!("Operation cannot be fulfilled on secrets {name:?}");
            return Err(status(409, "Conflict", "secrets", &text));
        }
    }
    Ok(())
}

/// Notes who wrote the keys that differ from what was there; others keep what is noted.
fn manage(object: &mut Value, old: &Value, manager: &str) {
    let data = object["data"].as_object().cloned().unwrap_or_default();
    let changed = data
        .iter()
        .filter(|(key, value)| old["data"].get(key) != Some(value));
    let changed: Vec<String> = changed.map(|(key, _)| key.clone()).collect();
    let entries = old["metadata"]["managedFields"].as_array();
    let mut entries = entries.cloned().unwrap_or_default();
    for entry in &mut entries {
        if let Some(keys) = entry["fieldsV1"]["f:data"].as_object_mut() {
            keys.retain(|key, _| !changed.iter().any(|name| *key == format!("f:{name}")));
        }
    }
    if !changed.is_empty() {
        entries.push(managed_by(manager, changed));
    }
    object["metadata"]["managedFields"] = entries.into();
}

fn managed_by(manager: &str, keys: impl IntoIterator<Item = String>) -> Value {
    let keys = keys.into_iter().map(|key| (format!("f:{key}"), json!({})));
    let keys: Map<String, Value> = keys.collect();
    json!({ "manager": manager, "operation": "Update", "fieldsV1": { "f:data": keys } })
}

fn small_enough(object: &Value) -> Result<(), (u16, Value)> {
    let data = object["data"].as_object().into_iter().flatten();
    let size: usize = data
        .map(|(_, value)| decode(value.as_str().unwrap()).len())
        .sum();
    if size > MAX_SECRET {
        return Err(status(422, "Invalid", "secrets", "data: Too long"));
    }
    Ok(())
}

fn selected(object: &Value, selector: &str) -> bool {
    selector
        .split(',')
        .filter(|term| !term.is_empty())
        .all(|term| {
            let (key, value) = term.split_once('=').unwrap();
            object["metadata"]["labels"]
                .get(key)
                .is_some_and(|found| found == value)
        })
}

fn named(namespace: &str, name: &str) -> Name {
    (namespace.to_owned(), name.to_owned())
}

fn query(text: &str) -> BTreeMap<String, String> {
    text.split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (key.to_owned(), decoded(value)))
        .collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next().unwrap(), rest.next().unwrap()];
            let digits = std::str::from_utf8(&digits).unwrap();
            bytes.push(u8::from_str_radix(digits, 16).unwrap());
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap()
}

fn encode(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn decode(text: &str) -> Vec<u8> {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .unwrap()
}
