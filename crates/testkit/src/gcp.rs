//! Google in a test: Secret Manager (REST, v1, global and regional), the OAuth2 token endpoint, the
//! security token services, IAM Credentials and the metadata server, on one port and in memory.
//! Assertions and ServiceAccount tokens are really verified; every request is noted, some can be
//! made to fail. How it answers is held against the vendor's own client in `tests/gcp.rs`.

mod calls;
mod filter;
mod identity;
mod jws;
mod secrets;

use std::sync::Arc;

use anyhow::{Result, bail};
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Value, json};

pub use calls::Refusal;
pub use jws::Keys;

use crate::stub::{Answer, Request, Stub};

/// The project and the account of the metadata server.
pub const META_PROJECT: &str = "meta-project";
/// E-mail address of the account that the metadata server gives tokens of.
pub const NODE: &str = "node@meta-project.iam.gserviceaccount.com";

/// A private key that servers of this crate know, PEM. Made for tests and of no use elsewhere.
pub const KNOWN: &str = include_str!("gcp/known.pem");
/// A private key that they do not know.
pub const UNKNOWN: &str = include_str!("gcp/unknown.pem");

/// A running server.
pub struct Google {
    stub: Stub,
    state: Shared,
}

type Shared = Arc<Mutex<State>>;

/// How strict the server is, and how long its pages are.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether tokens are checked and creation follows Google's rules to the letter. The recorded
    /// cases come from an emulator that does neither.
    pub strict: bool,
    /// Whether names are answered with the project's number in them, as Google does.
    pub numbers: bool,
    /// Items of a page where the request says nothing.
    pub page: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            strict: true,
            numbers: true,
            page: 25_000,
        }
    }
}

/// A request that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// `AccessSecretVersion`, `token key`, `metadata project/project-id` and so on.
    pub call: String,
    /// What it was about: a resource, an account or an audience.
    pub name: String,
    /// Whose token it carried.
    pub who: String,
}

/// Answers that the server gives in place of its own.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The call that fails.
    pub call: &'static str,
    /// Only where the name contains this.
    pub about: String,
    /// HTTP status, Google's word and an explanation.
    pub refusal: Refusal,
    /// How often.
    pub times: usize,
}

pub(crate) struct State {
    settings: Settings,
    secrets: secrets::Secrets,
    identity: identity::Identity,
    seen: Vec<Seen>,
    faults: Vec<Fault>,
}

impl Google {
    /// Starts a strict server.
    pub fn start() -> Result<Self> {
        Self::start_with(Settings::default(), 0)
    }

    /// Starts a server on a port; 0 means any.
    pub fn start_with(settings: Settings, port: u16) -> Result<Self> {
        let state = Arc::new(Mutex::new(State {
            settings,
            secrets: secrets::Secrets::default(),
            identity: identity::Identity::default(),
            seen: Vec::new(),
            faults: Vec::new(),
        }));
        let shared = Arc::clone(&state);
        let stub = Stub::start_on(port, move |request| answer(&shared, &request))?;
        Ok(Self { stub, state })
    }

    /// `http://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        self.stub.url()
    }

    /// Variables that lead an operator here and nowhere else.
    pub fn environment(&self) -> Vec<(String, String)> {
        let services = [
            "ESO_GCP_SM_ENDPOINT",
            "ESO_GCP_STS_ENDPOINT",
            "ESO_GCP_IAMCREDENTIALS_ENDPOINT",
            "ESO_GCP_SECURETOKEN_ENDPOINT",
        ];
        let mut variables: Vec<_> = services
            .map(|name| (name.to_owned(), self.url()))
            .into_iter()
            .collect();
        let host = self.url().replace("http://", "");
        variables.push(("GCE_METADATA_HOST".to_owned(), host));
        // Not the files of whoever runs the tests.
        variables.push(("CLOUDSDK_CONFIG".to_owned(), "/nonexistent".to_owned()));
        variables
    }

    /// A service account key that the server knows, as JSON.
    pub fn key(&self, email: &str) -> String {
        self.state().identity.know_account(email, KNOWN);
        self.key_of(email, KNOWN)
    }

    /// A key of an account that the server knows, but not this key.
    pub fn unknown_key(&self, email: &str) -> String {
        self.state().identity.know_account(email, KNOWN);
        self.key_of(email, UNKNOWN)
    }

    fn key_of(&self, email: &str, pem: &str) -> String {
        json!({
            "type": "service_account", "project_id": "p", "private_key_id": "0", "client_id": "1",
            "client_email": email, "private_key": pem, "token_uri": format!("{}/token", self.url()),
        })
        .to_string()
    }

    /// Believes tokens that these keys signed, such as those of an API server (`/openid/v1/jwks`).
    pub fn trust(&self, keys: Keys) {
        self.state().identity.trust(keys);
    }

    /// Refuses a call to an account from now on.
    pub fn deny(&self, who: &str, call: &str) {
        self.state().identity.deny(who, call);
    }

    /// Makes every token that was given out useless.
    pub fn revoke_tokens(&self) {
        self.state().identity.revoke();
    }

    /// One call past all checks; a refusal is an error.
    pub fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let request = Request {
            method: method.to_owned(),
            path: format!("/v1/{path}"),
            headers: std::collections::BTreeMap::new(),
            body: body.to_string().into_bytes(),
        };
        let mut state = self.state();
        let answered = match calls::route(&request) {
            Some(call) => calls::perform(&mut state, &call),
            None => bail!("{method} {path}: no such call"),
        };
        answered.map_err(|refusal| anyhow::anyhow!("{method} {path}: {refusal:?}"))
    }

    /// Makes a secret with versions and labels. `place` is `projects/p` or has a location behind.
    pub fn seed(&self, place: &str, name: &str, values: &[&[u8]], labels: &Value) -> Result<()> {
        let mut secret = json!({ "labels": labels });
        if !place.contains("/locations/") {
            secret["replication"] = json!({ "automatic": {} });
        }
        self.call("POST", &format!("{place}/secrets?secretId={name}"), &secret)?;
        for value in values {
            self.add(place, name, value)?;
        }
        Ok(())
    }

    /// Adds a version.
    pub fn add(&self, place: &str, name: &str, value: &[u8]) -> Result<()> {
        let body = json!({ "payload": { "data": secrets::encode(value) } });
        let path = format!("{place}/secrets/{name}:addVersion");
        self.call("POST", &path, &body).map(drop)
    }

    /// Requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.state().seen.clone()
    }

    /// Requests since the last time this was asked.
    pub fn take_seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.state().seen)
    }

    /// Lets some requests fail.
    pub fn inject(&self, fault: Fault) {
        self.state().faults.push(fault);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

fn answer(shared: &Shared, request: &Request) -> Answer {
    let mut state = shared.lock();
    if let Some(answer) = identity::answer(&mut state, request) {
        return answer;
    }
    let Some(call) = calls::route(request) else {
        return Answer::text(404, "The requested URL was not found on this server.");
    };
    let bearer = identity::bearer(request);
    let who = state.identity.holder(bearer);
    let who = match who {
        Some(who) => who,
        None if !state.settings.strict => String::new(),
        None => return calls::unauthenticated().answer(),
    };
    state.seen.push(Seen {
        call: call.rpc.to_owned(),
        name: call.name.clone(),
        who: who.clone(),
    });
    let fault = state.faults.iter_mut().find(|fault| {
        fault.times > 0 && fault.call == call.rpc && call.name.contains(&fault.about)
    });
    if let Some(fault) = fault {
        fault.times -= 1;
        return fault.refusal.clone().answer();
    }
    if state.identity.is_denied(&who, call.rpc) {
        return calls::denied(&call).answer();
    }
    match calls::perform(&mut state, &call) {
        Ok(body) => Answer::json(200, &body),
        Err(refusal) => refusal.answer(),
    }
}
