//! A small blocking client for one API server: enough for tools and set-up, with no async runtime
//! and no kube. It trusts only the CA of its kubeconfig. Tests of shipped code use kube through
//! `client` instead.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, BufReader};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use parking_lot::Mutex;
use serde_json::Value;
use ureq::http::{Request, Response};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body};

use crate::kubeconfig::Access;
use crate::manifest;

const TIMEOUT: Duration = Duration::from_mins(1);
/// The largest answer read: lists of ten thousand objects fit.
const LIMIT: u64 = 512 << 20;
/// The field manager of everything this client applies.
const MANAGER: &str = "lockstep-testkit";

/// A connection to an API server as one user.
pub struct Api {
    agent: Agent,
    access: Access,
    resources: Mutex<BTreeMap<(String, String), Resource>>,
}

/// An answer of the API server that is no success.
#[derive(Debug)]
pub struct Refused {
    /// The HTTP status.
    pub status: u16,
    what: String,
    message: String,
}

#[derive(Clone)]
struct Resource {
    plural: String,
    namespaced: bool,
}

impl Api {
    /// Prepares a client; no request is made.
    pub fn new(access: Access) -> Result<Self> {
        let ca = Certificate::from_pem(access.ca.as_bytes()).context("the CA is no certificate")?;
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::new_with_certs(&[ca]))
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .proxy(None)
            .http_status_as_error(false)
            .timeout_global(Some(TIMEOUT))
            .max_idle_connections(64)
            .max_idle_connections_per_host(64)
            .build();
        Ok(Self {
            agent: Agent::new_with_config(config),
            access,
            resources: Mutex::default(),
        })
    }

    /// The server this client talks to.
    pub fn server(&self) -> &str {
        &self.access.server
    }

    /// Reads an object or list.
    pub fn get(&self, path: &str) -> Result<Value> {
        json(&self.text(path)?, path)
    }

    /// Reads an object that may be absent.
    pub fn find(&self, path: &str) -> Result<Option<Value>> {
        match self.get(path) {
            Ok(found) => Ok(Some(found)),
            Err(error) if status(&error) == Some(404) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads a plain text, such as `/metrics` or `/readyz`.
    pub fn text(&self, path: &str) -> Result<String> {
        let request = self.request("GET", path).body(())?;
        answer(self.agent.run(request), "GET", path)
    }

    /// Creates an object in the list at `path`.
    pub fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.send("POST", path, "application/json", body)
    }

    /// Replaces the object at `path`.
    pub fn put(&self, path: &str, body: &Value) -> Result<Value> {
        self.send("PUT", path, "application/json", body)
    }

    /// Changes the object at `path` by a JSON merge patch.
    pub fn merge(&self, path: &str, body: &Value) -> Result<Value> {
        self.send("PATCH", path, "application/merge-patch+json", body)
    }

    /// Deletes the object at `path`; one that is absent already is fine.
    pub fn delete(&self, path: &str) -> Result<()> {
        let request = self.request("DELETE", path).body(())?;
        match answer(self.agent.run(request), "DELETE", path) {
            Err(error) if status(&error) != Some(404) => Err(error),
            _ => Ok(()),
        }
    }

    /// Creates or changes an object by server-side apply, as `kubectl apply --server-side` does.
    pub fn apply(&self, object: &Value) -> Result<Value> {
        self.apply_with(object, &format!("fieldManager={MANAGER}&force=true"))
    }

    /// Server-side apply with parameters of one's own, for example another manager or a dry run.
    pub fn apply_with(&self, object: &Value, parameters: &str) -> Result<Value> {
        let path = self.path_of(object)?;
        let query = format!("{path}?{parameters}");
        self.send("PATCH", &query, "application/apply-patch+yaml", object)
            .with_context(|| format!("cannot apply {}", manifest::label(object)))
    }

    /// Like [`Api::apply`], with a namespace for an object of a namespaced kind that names none.
    pub fn apply_in(&self, namespace: &str, object: &Value) -> Result<Value> {
        let mut object = object.clone();
        let kind = manifest::text(&object, "/kind");
        let resource = self.resource(manifest::text(&object, "/apiVersion"), kind)?;
        if resource.namespaced && manifest::text(&object, "/metadata/namespace").is_empty() {
            object["metadata"]["namespace"] = namespace.into();
        }
        self.apply(&object)
    }

    /// The path of the object that a manifest names; its kind is looked up in discovery.
    pub fn path_of(&self, object: &Value) -> Result<String> {
        let group = manifest::text(object, "/apiVersion");
        let resource = self.resource(group, manifest::text(object, "/kind"))?;
        let mut path = root(group);
        if resource.namespaced {
            let namespace = manifest::text(object, "/metadata/namespace");
            if namespace.is_empty() {
                bail!("{} names no namespace", manifest::label(object));
            }
            path.push_str("/namespaces/");
            path.push_str(namespace);
        }
        let name = manifest::text(object, "/metadata/name");
        Ok(format!("{path}/{}/{name}", resource.plural))
    }

    /// Follows a watch until the server ends it; `path` carries `watch=true` and where to start.
    pub fn watch(&self, path: &str) -> Result<impl Iterator<Item = Result<Value>> + use<>> {
        let request = self.request("GET", path).body(())?;
        let request = self
            .agent
            .configure_request(request)
            .timeout_global(None)
            .build();
        let response = self
            .agent
            .run(request)
            .with_context(|| format!("GET {path}"))?;
        if !response.status().is_success() {
            bail!(refused(response, "GET", path));
        }
        let lines = BufReader::with_capacity(1 << 16, response.into_body().into_reader()).lines();
        Ok(lines.map(|line| json(&line.context("the watch broke off")?, "watch")))
    }

    fn send(&self, method: &str, path: &str, content: &str, body: &Value) -> Result<Value> {
        let request = self
            .request(method, path)
            .header("content-type", content)
            .body(serde_json::to_vec(body)?)?;
        json(&answer(self.agent.run(request), method, path)?, path)
    }

    fn request(&self, method: &str, path: &str) -> ureq::http::request::Builder {
        Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.access.server))
            .header("accept", "application/json, */*;q=0.5")
            .header("authorization", format!("Bearer {}", self.access.token))
    }

    fn resource(&self, group: &str, kind: &str) -> Result<Resource> {
        let key = (group.to_owned(), kind.to_owned());
        let lock = || self.resources.lock();
        if let Some(known) = lock().get(&key) {
            return Ok(known.clone());
        }
        let listed = self
            .get(&root(group))
            .with_context(|| format!("no API group {group}"))?;
        for entry in listed["resources"].as_array().into_iter().flatten() {
            let plural = manifest::text(entry, "/name");
            if !plural.contains('/') {
                let found = Resource {
                    plural: plural.to_owned(),
                    namespaced: entry["namespaced"] == true,
                };
                lock().insert(
                    (group.to_owned(), manifest::text(entry, "/kind").to_owned()),
                    found,
                );
            }
        }
        let found = lock().get(&key).cloned();
        found.with_context(|| format!("the API server has no kind {kind} in {group}"))
    }
}

/// The HTTP status behind an error of this client, when the server answered at all.
pub fn status(error: &anyhow::Error) -> Option<u16> {
    error
        .downcast_ref::<Refused>()
        .map(|refused| refused.status)
}

fn root(group: &str) -> String {
    let prefix = if group.contains('/') { "apis" } else { "api" };
    format!("/{prefix}/{group}")
}

fn json(text: &str, path: &str) -> Result<Value> {
    serde_json::from_str(text).with_context(|| format!("{path}: the answer is no JSON"))
}

fn answer(result: Result<Response<Body>, ureq::Error>, method: &str, path: &str) -> Result<String> {
    let response = result.with_context(|| format!("{method} {path}"))?;
    if !response.status().is_success() {
        bail!(refused(response, method, path));
    }
    read(response).with_context(|| format!("{method} {path}"))
}

fn refused(response: Response<Body>, method: &str, path: &str) -> Refused {
    let status = response.status().as_u16();
    let body = read(response).unwrap_or_default();
    let message = serde_json::from_str::<Value>(&body)
        .ok()
        .and_then(|value| value["message"].as_str().map(str::to_owned));
    Refused {
        status,
        what: format!("{method} {path}"),
        message: message.unwrap_or_else(|| body.chars().take(300).collect()),
    }
}

fn read(response: Response<Body>) -> Result<String, ureq::Error> {
    response
        .into_body()
        .into_with_config()
        .limit(LIMIT)
        .read_to_string()
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: HTTP {}: {}", self.what, self.status, self.message)
    }
}

impl std::error::Error for Refused {}
