//! A stand-in of Cloud.ru: tokens for an access key, and both versions of its Secret Manager, with messages of
//! its own so that a wrong field number on either side is found.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lockstep_provider_api::http::{Tls, Transport, Transports as _};
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::grpc::{Call, GrpcServer, Outcome};
use parking_lot::Mutex;
use prost::Message;

pub(crate) const PROJECT: &str = "1111aaaa-22bb-33cc-44dd-555566667777";
pub(crate) const KEY_ID: &str = "key-id";
pub(crate) const KEY_SECRET: &str = "key-secret";
const TOKEN: &str = "a-token";

#[derive(Clone, PartialEq, Message)]
struct Pair {
    #[prost(string, tag = "1")]
    first: String,
    #[prost(string, tag = "2")]
    second: String,
}

#[derive(Clone, PartialEq, Message)]
struct Token {
    #[prost(string, tag = "1")]
    access_token: String,
    #[prost(int32, tag = "4")]
    expires_in: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Access {
    #[prost(string, tag = "1")]
    project: String,
    #[prost(string, tag = "2")]
    path: String,
    #[prost(int32, optional, tag = "3")]
    version: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
struct Search {
    #[prost(string, tag = "1")]
    project: String,
    #[prost(string, tag = "2")]
    path: String,
    #[prost(int32, tag = "3")]
    depth: i32,
    #[prost(btree_map = "string, string", tag = "10")]
    labels: BTreeMap<String, String>,
    #[prost(string, optional, tag = "11")]
    regex: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct Wrapped {
    #[prost(bytes = "vec", tag = "1")]
    value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct First {
    #[prost(message, optional, tag = "1")]
    data: Option<Wrapped>,
}

#[derive(Clone, PartialEq, Message)]
struct Third {
    #[prost(message, optional, tag = "3")]
    payload: Option<Wrapped>,
}

#[derive(Clone, PartialEq, Message)]
struct Found {
    #[prost(message, repeated, tag = "1")]
    secrets: Vec<Named>,
}

#[derive(Clone, PartialEq, Message)]
struct Named {
    #[prost(string, tag = "1")]
    id: String,
    #[prost(string, tag = "10")]
    path: String,
}

#[derive(Default)]
struct Secret {
    id: String,
    labels: BTreeMap<String, String>,
    versions: Vec<Vec<u8>>,
}

#[derive(Default)]
struct State {
    secrets: BTreeMap<String, Secret>,
    denied: BTreeSet<String>,
}

/// A running stand-in.
pub(crate) struct Cloud {
    server: GrpcServer,
    state: Arc<Mutex<State>>,
}

impl Cloud {
    pub(crate) fn start() -> Self {
        let state: Arc<Mutex<State>> = Arc::default();
        let held = Arc::clone(&state);
        let server = GrpcServer::start(move |call| answer(call, &held.lock())).unwrap();
        Self { server, state }
    }

    pub(crate) fn address(&self) -> String {
        self.server.address()
    }

    pub(crate) fn transport(&self) -> Arc<dyn Transport> {
        let tls = Tls {
            ca: Some(self.server.ca().into()),
            ..Tls::default()
        };
        let transports = HttpTransports::new(Settings::default());
        transports.connect(&tls).unwrap()
    }

    /// Adds a version to a secret and returns the secret's id.
    pub(crate) fn put(&self, path: &str, labels: &[(&str, &str)], value: &[u8]) -> String {
        let mut state = self.state.lock();
        let count = state.secrets.len();
        let secret = state.secrets.entry(path.to_owned()).or_default();
        if secret.id.is_empty() {
            secret.id = format!("0000aaaa-22bb-33cc-44dd-{count:012}");
        }
        let labels = labels.iter();
        secret.labels = labels
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        secret.versions.push(value.to_vec());
        secret.id.clone()
    }

    pub(crate) fn deny(&self, path: &str) {
        self.state.lock().denied.insert(path.to_owned());
    }
}

fn decoded<M: Message + Default>(call: &Call) -> Result<M, (u32, String)> {
    M::decode(call.message.clone()).map_err(|error| (3, error.to_string()))
}

fn answer(call: &Call, state: &State) -> Outcome {
    if call.path == "/sbercloud.cp.iam.api.v1.auth.AuthService/GetToken" {
        let key: Pair = decoded(call)?;
        if (key.first.as_str(), key.second.as_str()) != (KEY_ID, KEY_SECRET) {
            return Err((16, "wrong key".to_owned()));
        }
        let token = Token {
            access_token: TOKEN.to_owned(),
            expires_in: 3600,
        };
        return Ok(token.encode_to_vec());
    }
    if call.metadata("authorization") != format!("Bearer {TOKEN}") {
        return Err((16, "wrong token".to_owned()));
    }
    match call.path.as_str() {
        "/cloud.csm.core.v2.SecretService/Access" => {
            let Access {
                project,
                path,
                version,
            } = decoded(call)?;
            if project != PROJECT || state.denied.contains(&path) {
                return Err((7, "no".to_owned()));
            }
            let payload = value(state.secrets.get(&path), version)?;
            Ok(Third { payload }.encode_to_vec())
        }
        "/sbercloud.secretmanager.v1.SecretManagerService/AccessSecretVersion" => {
            let wanted: Pair = decoded(call)?;
            let id = wanted.first.replace('-', "");
            let mut secrets = state.secrets.values();
            let secret = secrets.find(|secret| secret.id.replace('-', "") == id);
            let version = match wanted.second.as_str() {
                "latest" => None,
                number => Some(number.parse().map_err(|_| (3, "version".to_owned()))?),
            };
            let data = value(secret, version)?;
            Ok(First { data }.encode_to_vec())
        }
        "/cloud.csm.core.v2.SecretService/Search" => search(&decoded(call)?, state),
        other => Err((12, format!("unknown method {other}"))),
    }
}

fn value(secret: Option<&Secret>, version: Option<i32>) -> Result<Option<Wrapped>, (u32, String)> {
    let versions = secret.map(|secret| &secret.versions);
    let found = versions.and_then(|versions| match version {
        None => versions.last(),
        Some(number) => versions.get(usize::try_from(number).ok()?.checked_sub(1)?),
    });
    let value = found.cloned().ok_or((5, "no such secret".to_owned()))?;
    Ok(Some(Wrapped { value }))
}

fn search(wanted: &Search, state: &State) -> Outcome {
    if wanted.project != PROJECT || wanted.depth != -1 {
        return Err((3, "project or depth".to_owned()));
    }
    // Of regular expressions the stand-in knows only words and the beginning of a text.
    let is_named = |path: &str| match wanted.regex.as_deref() {
        None => true,
        Some(regex) => match regex.strip_prefix('^') {
            Some(start) => path.starts_with(start),
            None => path.contains(regex),
        },
    };
    let selected = state.secrets.iter().filter(|(path, secret)| {
        let mut labels = wanted.labels.iter();
        path.starts_with(&wanted.path)
            && is_named(path)
            && labels.all(|(name, value)| secret.labels.get(name) == Some(value))
    });
    let secrets = selected.map(|(path, secret)| Named {
        id: secret.id.clone(),
        path: path.clone(),
    });
    let secrets = secrets.collect();
    Ok(Found { secrets }.encode_to_vec())
}
