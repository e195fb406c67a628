//! The suite for generators on every kind of this crate, with a script in place of each server. A script
//! counts the credentials it holds, so that the suite sees what a clean-up leaves behind.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use lockstep_golang::base64::{Encoding, encode};
use lockstep_provider_api::conformance::generator::{GeneratorSubject, GeneratorTopic};
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, generator, response, scripted,
};
use lockstep_provider_api::http::Transport;
use lockstep_provider_api::{GeneratorEntry, Random};
use serde_json::{Value, json};

use crate::random::SystemRandom;
use crate::testing::Seen;
use crate::{TABLE, lookup};

/// What a scripted server holds: the ids of credentials that were made and not taken back.
#[derive(Default)]
pub(crate) struct Held {
    next: usize,
    ids: Vec<usize>,
}

impl Held {
    /// Makes a credential.
    pub(crate) fn make(&mut self) -> usize {
        self.next += 1;
        self.ids.push(self.next);
        self.next
    }

    /// Takes the credential back whose id ends a path; 404 where there is none.
    pub(crate) fn delete(&mut self, line: &str) -> (u16, String) {
        let id = line.rsplit('/').next().and_then(|id| id.parse().ok());
        let before = self.ids.len();
        self.ids.retain(|known| Some(*known) != id);
        let status = if self.ids.len() < before { 204 } else { 404 };
        (status, String::new())
    }
}

type Script = dyn Fn(&Seen, &mut Held) -> (u16, String) + Send + Sync;

/// A kind under test.
pub(crate) struct Scripted {
    entry: GeneratorEntry,
    spec: Value,
    /// Secrets of the namespace: name, key and value.
    secrets: Vec<(&'static str, &'static str, String)>,
    script: Option<Arc<Script>>,
    held: Arc<Mutex<Held>>,
    /// Keys whose values are not secret.
    public: &'static [&'static str],
    is_fresh: bool,
    waived: &'static [GeneratorTopic],
}

impl Scripted {
    /// A kind that asks nobody.
    pub(crate) fn local(entry: GeneratorEntry, spec: Value) -> Self {
        Self {
            entry,
            spec,
            secrets: Vec::new(),
            script: None,
            held: Arc::default(),
            public: &[],
            is_fresh: true,
            waived: &[],
        }
    }

    /// A kind that asks a server.
    pub(crate) fn remote(
        entry: GeneratorEntry,
        spec: Value,
        script: impl Fn(&Seen, &mut Held) -> (u16, String) + Send + Sync + 'static,
    ) -> Self {
        Self {
            script: Some(Arc::new(script)),
            ..Self::local(entry, spec)
        }
    }

    /// The same kind with a Secret that holds a credential.
    pub(crate) fn secret(mut self, name: &'static str, key: &'static str, value: &str) -> Self {
        self.secrets.push((name, key, value.to_owned()));
        self
    }

    /// The same kind, of which these keys are not secret.
    pub(crate) fn public(mut self, keys: &'static [&'static str]) -> Self {
        self.public = keys;
        self
    }

    fn repeating(mut self) -> Self {
        self.is_fresh = false;
        self
    }

    fn waiving(mut self, topics: &'static [GeneratorTopic]) -> Self {
        self.waived = topics;
        self
    }
}

impl GeneratorSubject for Scripted {
    fn entry(&self) -> GeneratorEntry {
        self.entry
    }

    fn spec(&self) -> Value {
        self.spec.clone()
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_service_account(NAMESPACE, "sa", std::collections::BTreeMap::new());
        for (name, key, value) in &self.secrets {
            objects.put_secret(NAMESPACE, name, key, value.as_str());
        }
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let (script, held) = (Arc::clone(self.script.as_ref()?), Arc::clone(&self.held));
        Some(scripted(
            move |request: Request<Bytes>| -> Response<Bytes> {
                let seen = Seen::of(&request);
                let (status, body) = script(&seen, &mut held.lock().unwrap());
                response(status, body)
            },
        ))
    }

    fn random(&self) -> Box<dyn Random> {
        Box::new(SystemRandom)
    }

    fn held(&self) -> Option<usize> {
        Some(self.held.lock().unwrap().ids.len())
    }

    fn is_secret(&self, key: &str) -> bool {
        !self.public.contains(&key)
    }

    fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    fn waives(&self, topic: GeneratorTopic) -> Option<&'static str> {
        let waived = self.waived.contains(&topic);
        waived.then_some("nothing can be taken back at the server: credentials end by themselves")
    }
}

/// The row of a kind of the table.
fn row(kind: &str) -> GeneratorEntry {
    *lookup(kind).unwrap()
}

/// A JSON web token that ends in 2033, another one for each number.
fn web_token(number: usize) -> String {
    let claims = format!(r#"{{"exp":2000000000,"jti":"{number}"}}"#);
    let claims = encode(Encoding::RawUrl, claims);
    format!("e30.{claims}.{}", encode(Encoding::RawUrl, CANARY))
}

/// A server that trades an identity in for a token.
fn trades(status: u16) -> impl Fn(&Seen, &mut Held) -> (u16, String) + Send + Sync {
    move |_, held| {
        (
            status,
            json!({ "token": web_token(held.make()) }).to_string(),
        )
    }
}

/// Credentials that end by themselves and are not counted.
const ENDS_BY_ITSELF: &[GeneratorTopic] =
    &[GeneratorTopic::CleanUp, GeneratorTopic::BrokenConnections];

fn local_kinds() -> Vec<Scripted> {
    let seed = json!({ "secret": { "name": "creds", "key": "seed" } });
    vec![
        Scripted::local(row("Fake"), json!({ "data": { "a": CANARY } })).repeating(),
        Scripted::local(row("Password"), json!({ "length": 24, "digits": 4 })),
        Scripted::local(row("SSHKey"), json!({ "keyType": "ed25519" })),
        Scripted::local(row("UUID"), json!({})),
        // One code a period.
        Scripted::local(row("MFA"), seed)
            .secret("creds", "seed", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
            .repeating(),
    ]
}

fn traded_kinds() -> Vec<Scripted> {
    let account = json!({ "name": "sa", "audiences": ["a"] });
    let cloudsmith = json!({ "apiUrl": "https://cloudsmith.test", "orgSlug": "acme",
        "serviceSlug": "eso", "serviceAccountRef": account });
    let quay = json!({ "url": "quay.test", "robotAccount": "org+robot",
        "serviceAccountRef": account });
    let github = json!({ "appID": "17", "installID": "42", "url": "https://github.test",
        "auth": { "privateKey": { "secretRef": { "name": "creds", "key": "pem" } } } });
    let token = |_: &Seen, held: &mut Held| {
        let token = format!("{CANARY}{}", held.make());
        let end = "2030-01-01T00:00:00Z";
        (
            201,
            json!({ "token": token, "expires_at": end }).to_string(),
        )
    };
    vec![
        Scripted::remote(row("CloudsmithAccessToken"), cloudsmith, trades(201))
            .waiving(ENDS_BY_ITSELF),
        Scripted::remote(row("QuayAccessToken"), quay, trades(200)).waiving(ENDS_BY_ITSELF),
        Scripted::remote(row("GithubAccessToken"), github, token)
            .secret("creds", "pem", include_str!("testing/rsa.pem"))
            .waiving(ENDS_BY_ITSELF),
    ]
}

fn counted_kinds() -> Vec<Scripted> {
    let token = json!({ "name": "creds", "key": "token" });
    let gitlab = json!({ "url": "https://gitlab.test", "projectID": "1", "name": "eso",
        "scopes": ["read_registry"], "auth": { "token": { "secretRef": token } } });
    let grafana = json!({ "url": "https://grafana.test", "auth": { "token": token },
        "serviceAccount": { "name": "eso", "role": "Viewer" } });
    let beyondtrust = json!({ "provider": { "auth": { "apikey": { "token": token } },
        "server": { "apiUrl": "https://beyondtrust.test",
            "siteId": "12345678-1234-4234-8234-123456789012" }, "folderPath": "team/aws" } });
    vec![
        Scripted::remote(row("GitlabDeployToken"), gitlab, |seen, held| {
            if seen.line.starts_with("DELETE") {
                return held.delete(&seen.line);
            }
            let id = held.make();
            let token = format!("{CANARY}{id}");
            (
                201,
                json!({ "id": id, "username": "user", "token": token }).to_string(),
            )
        })
        .secret("creds", "token", CANARY)
        .public(&["username"]),
        Scripted::remote(row("Grafana"), grafana, |seen, held| match &*seen.line {
            line if line.starts_with("DELETE") => match held.delete(line) {
                (204, _) => (200, "{}".to_owned()),
                missing => missing,
            },
            line if line.contains("/search") => (200, r#"{"serviceAccounts":[]}"#.to_owned()),
            line if line.ends_with("/tokens") => {
                let id = held.make();
                (
                    200,
                    json!({ "id": id, "key": format!("{CANARY}{id}") }).to_string(),
                )
            }
            _ => (201, r#"{"id":5,"name":"eso","login":"sa-5"}"#.to_owned()),
        })
        .secret("creds", "token", CANARY)
        .public(&["login"]),
        Scripted::remote(
            row("BeyondtrustWorkloadCredentialsDynamicSecret"),
            beyondtrust,
            |_, held| {
                let id = held.make();
                let lease = json!({ "accessKeyId": format!("a{id}"), "leaseId": format!("l{id}"),
                    "secretAccessKey": format!("{CANARY}{id}"),
                    "expiration": "2030-01-01T00:00:00Z" });
                (201, json!({ "secret": lease }).to_string())
            },
        )
        .secret("creds", "token", CANARY)
        .waiving(ENDS_BY_ITSELF),
    ]
}

/// A subject for each kind of the table.
fn subjects() -> Vec<Scripted> {
    let mut subjects = local_kinds();
    subjects.extend(traded_kinds());
    subjects.extend(counted_kinds());
    subjects.push(crate::template_token::subject());
    subjects
}

#[test]
fn every_kind_keeps_the_contract() {
    for subject in subjects() {
        generator::assert_conforms(&subject);
    }
}

#[test]
fn every_kind_has_a_subject() {
    let subjects = subjects();
    for entry in TABLE {
        let tested = subjects.iter().any(|one| one.entry.kind() == entry.kind());
        assert!(tested, "{} has no subject", entry.kind());
    }
}
