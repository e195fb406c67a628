//! A stand-in of Yandex Cloud: where services are found, tokens for signed proofs of a known key, and
//! the payloads of Lockbox and Certificate Manager. Messages are kept here by hand, apart from those of
//! the providers, so that a wrong field number on one side is found.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use anyhow::Result;
use parking_lot::Mutex;
use prost::Message;
use serde_json::{Value, json};

use crate::grpc::{Call, GrpcServer, Outcome};

mod messages;
mod proof;

use messages::{
    Certificate, CertificateQuestion, CertificateQuestionEx, Endpoint, EndpointQuestion, Endpoints,
    Moment, Payload, PayloadEx, PayloadQuestion, PayloadQuestionEx, Token, TokenQuestion,
};
pub use messages::{Entry, EntryValue};

/// Id of the key that is known.
pub const KEY_ID: &str = "known-key";
/// The service account it belongs to.
pub const ACCOUNT: &str = "reader";
/// The folder that all names are in.
pub const FOLDER: &str = "folder";

const UNAUTHENTICATED: u32 = 16;
const NOT_FOUND: u32 = 5;
const DENIED: u32 = 7;
const UNIMPLEMENTED: u32 = 12;

/// What the cloud holds and what it was asked.
#[derive(Default)]
struct State {
    secrets: BTreeMap<String, Vec<Entry>>,
    certificates: BTreeMap<String, (Vec<String>, String)>,
    /// Tokens handed out; those that were revoked are no longer in it.
    tokens: Vec<String>,
    issued: usize,
    calls: Vec<String>,
    denied: Vec<String>,
    /// Services that are not on the list and only known by their ids.
    unlisted: Vec<String>,
}

/// A running cloud; it stops when it is dropped.
pub struct Yandex {
    server: GrpcServer,
    state: Arc<Mutex<State>>,
}

impl Yandex {
    /// Starts a cloud with nothing in it.
    pub fn start() -> Result<Self> {
        let state: Arc<Mutex<State>> = Arc::default();
        let held = Arc::clone(&state);
        let own: Arc<OnceLock<String>> = Arc::default();
        let at = Arc::clone(&own);
        let server = GrpcServer::start(move |call| {
            let at = at.get().map(String::as_str).unwrap_or_default();
            answer(call, &mut held.lock(), at)
        })?;
        let _first = own.set(server.address());
        Ok(Self { server, state })
    }

    /// Address of its API.
    pub fn address(&self) -> String {
        self.server.address()
    }

    /// Its authority in PEM.
    pub fn ca(&self) -> &str {
        self.server.ca()
    }

    /// The authorized key that it knows, as the cloud hands it out.
    pub fn key() -> Value {
        json!({
            "id": KEY_ID, "service_account_id": ACCOUNT,
            "created_at": "2026-01-01T00:00:00Z", "key_algorithm": "RSA_2048",
            "private_key": format!(
                "PLEASE DO NOT REMOVE THIS LINE! Yandex.Cloud SA Key ID <{KEY_ID}>\n{}",
                crate::gcp::KNOWN
            ),
        })
    }

    /// A key of the same names that it does not know.
    pub fn foreign_key() -> Value {
        let mut key = Self::key();
        key["private_key"] = crate::gcp::UNKNOWN.into();
        key
    }

    /// Puts a secret; its id is also its name in [`FOLDER`].
    pub fn put_secret(&self, id: &str, entries: Vec<Entry>) {
        self.state.lock().secrets.insert(id.to_owned(), entries);
    }

    /// Puts a certificate; its id is also its name in [`FOLDER`].
    pub fn put_certificate(&self, id: &str, chain: &[&str], key: &str) {
        let chain = chain.iter().map(|&part| part.to_owned()).collect();
        let certificate = (chain, key.to_owned());
        let mut state = self.state.lock();
        state.certificates.insert(id.to_owned(), certificate);
    }

    /// Refuses whoever reads this id.
    pub fn deny(&self, id: &str) {
        self.state.lock().denied.push(id.to_owned());
    }

    /// Leaves a service out of the list; it is still found by its id.
    pub fn leave_out(&self, service: &str) {
        self.state.lock().unlisted.push(service.to_owned());
    }

    /// Takes back every token.
    pub fn revoke_tokens(&self) {
        self.state.lock().tokens.clear();
    }

    /// Paths of the calls since the last time this was asked.
    pub fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().calls)
    }
}

fn answer(call: &Call, state: &mut State, own: &str) -> Outcome {
    state.calls.push(call.path.clone());
    match call.path.as_str() {
        "/yandex.cloud.endpoint.ApiEndpointService/List" => {
            Ok(endpoints(own, &state.unlisted).encode_to_vec())
        }
        "/yandex.cloud.iam.v1.IamTokenService/Create" => create_token(call, state),
        path => {
            let token = call.metadata("authorization").strip_prefix("Bearer ");
            let is_known = token.is_some_and(|token| state.tokens.iter().any(|one| one == token));
            if !is_known {
                return Err((UNAUTHENTICATED, "The token is invalid".to_owned()));
            }
            match path {
                "/yandex.cloud.endpoint.ApiEndpointService/Get" => {
                    let EndpointQuestion { id } = decoded(call)?;
                    let address = own.to_owned();
                    Ok(Endpoint { id, address }.encode_to_vec())
                }
                path => read(path, call, state),
            }
        }
    }
}

fn endpoints(own: &str, unlisted: &[String]) -> Endpoints {
    let ids = [
        "endpoint",
        "iam",
        "lockbox-payload",
        "certificate-manager-data",
    ];
    let listed = ids.map(str::to_owned).into_iter();
    let listed = listed.filter(|id| !unlisted.contains(id));
    let endpoints = listed.map(|id| Endpoint {
        id,
        address: own.to_owned(),
    });
    Endpoints {
        endpoints: endpoints.collect(),
    }
}

fn create_token(call: &Call, state: &mut State) -> Outcome {
    let question: TokenQuestion = decoded(call)?;
    let account = proof::account(&question.jwt).map_err(|why| (UNAUTHENTICATED, why))?;
    state.issued += 1;
    let token = format!("token-{}-of-{account}", state.issued);
    state.tokens.push(token.clone());
    let answer = Token {
        iam_token: token,
        expires_at: Some(Moment {
            seconds: proof::now() + 12 * 3600,
        }),
    };
    Ok(answer.encode_to_vec())
}

fn read(path: &str, call: &Call, state: &State) -> Outcome {
    let secret = |id: &str, version: &str| {
        let found = state.secrets.get(id).filter(|_| version.is_empty());
        checked(id, state, found).cloned()
    };
    let certificate = |id: &str, version: &str| {
        let found = state.certificates.get(id).filter(|_| version.is_empty());
        let (chain, private_key) = checked(id, state, found)?.clone();
        let answer = Certificate { chain, private_key };
        Ok(answer.encode_to_vec())
    };
    match path {
        "/yandex.cloud.lockbox.v1.PayloadService/Get" => {
            let question: PayloadQuestion = decoded(call)?;
            let entries = secret(&question.secret_id, &question.version_id)?;
            Ok(Payload { entries }.encode_to_vec())
        }
        "/yandex.cloud.lockbox.v1.PayloadService/GetEx" => {
            let question: PayloadQuestionEx = decoded(call)?;
            let name = question.name_in(FOLDER)?;
            let entries = secret(name, &question.version_id)?;
            let entries = entries.into_iter().map(Entry::into_bytes).collect();
            Ok(PayloadEx { entries }.encode_to_vec())
        }
        "/yandex.cloud.certificatemanager.v1.CertificateContentService/Get" => {
            let question: CertificateQuestion = decoded(call)?;
            certificate(&question.certificate_id, &question.version_id)
        }
        "/yandex.cloud.certificatemanager.v1.CertificateContentService/GetEx" => {
            let question: CertificateQuestionEx = decoded(call)?;
            certificate(question.name_in(FOLDER)?, &question.version_id)
        }
        other => Err((UNIMPLEMENTED, format!("unknown method {other}"))),
    }
}

fn checked<'a, T>(
    id: &str,
    state: &State,
    found: Option<&'a T>,
) -> std::result::Result<&'a T, (u32, String)> {
    if state.denied.iter().any(|denied| denied == id) {
        return Err((DENIED, "Permission denied".to_owned()));
    }
    found.ok_or_else(|| (NOT_FOUND, format!("{id} not found")))
}

fn decoded<M: Message + Default>(call: &Call) -> std::result::Result<M, (u32, String)> {
    M::decode(call.message.clone()).map_err(|error| (3, error.to_string()))
}
