//! A stand-in of Nebius: the token exchange and the payloads of MysteryBox, with messages of its own so
//! that a wrong field number on either side is found.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Request, Response, Uri};
use lockstep_provider_api::Result;
use lockstep_provider_api::http::{Tls, Transport, Transports as _};
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::gcp::{KNOWN, Keys, UNKNOWN};
use lockstep_testkit::grpc::{Call, GrpcServer, Outcome};
use parking_lot::Mutex;
use prost::{Message, Oneof};
use serde_json::{Value, json};

/// What [`Nebius`] takes beside the tokens it hands out.
const FIXED: &str = "fixed-token";
const EXCHANGED: &str = "exchanged-token";

#[derive(Clone, PartialEq, Message)]
struct Exchange {
    #[prost(string, tag = "1")]
    grant: String,
    #[prost(string, tag = "2")]
    wanted: String,
    #[prost(string, tag = "3")]
    proof: String,
    #[prost(string, tag = "4")]
    kind: String,
}

#[derive(Clone, PartialEq, Message)]
struct Granted {
    #[prost(string, tag = "1")]
    access_token: String,
    #[prost(string, tag = "3")]
    token_type: String,
    #[prost(int64, tag = "4")]
    expires_in: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Question {
    #[prost(string, tag = "1")]
    secret: String,
    #[prost(string, tag = "2")]
    version: String,
    #[prost(string, tag = "3")]
    key: String,
}

#[derive(Clone, PartialEq, Message)]
struct Secret {
    #[prost(string, tag = "1")]
    version: String,
    #[prost(message, repeated, tag = "2")]
    data: Vec<Entry>,
}

#[derive(Clone, PartialEq, Message)]
struct Entry {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(oneof = "Held", tags = "12, 13")]
    held: Option<Held>,
}

#[derive(Clone, PartialEq, Oneof)]
enum Held {
    #[prost(string, tag = "12")]
    Text(String),
    #[prost(bytes, tag = "13")]
    Bytes(Vec<u8>),
}

type Secrets = Arc<Mutex<BTreeMap<String, Vec<Entry>>>>;

/// A running stand-in.
pub(crate) struct Nebius {
    server: GrpcServer,
    secrets: Secrets,
}

impl Nebius {
    pub(crate) fn start() -> Self {
        let secrets = Secrets::default();
        let held = Arc::clone(&secrets);
        let server = GrpcServer::start(move |call| answer(call, &held.lock())).unwrap();
        Self { server, secrets }
    }

    pub(crate) fn put(&self, id: &str, entries: &[(&str, &[u8])]) {
        let entries = entries.iter().map(|(key, value)| Entry {
            key: (*key).to_owned(),
            held: Some(match String::from_utf8(value.to_vec()) {
                Ok(text) => Held::Text(text),
                Err(bytes) => Held::Bytes(bytes.into_bytes()),
            }),
        });
        self.secrets.lock().insert(id.to_owned(), entries.collect());
    }

    /// A way to the stand-in whatever name is asked for.
    pub(crate) fn transport(&self) -> Arc<dyn Transport> {
        let tls = Tls {
            ca: Some(self.server.ca().into()),
            ..Tls::default()
        };
        let transports = HttpTransports::new(Settings::default());
        Arc::new(Led {
            inner: transports.connect(&tls).unwrap(),
            to: self.server.address(),
        })
    }
}

/// Leads every request to one server.
struct Led {
    inner: Arc<dyn Transport>,
    to: String,
}

impl Transport for Led {
    fn send(&self, mut request: Request<Bytes>) -> BoxFuture<'_, Result<Response<Bytes>>> {
        let path = request.uri().path();
        let uri: Uri = format!("https://{}{path}", self.to).parse().unwrap();
        *request.uri_mut() = uri;
        self.inner.send(request)
    }
}

/// Credentials of a service account, of one that is known or of another.
pub(crate) fn credentials(known: bool) -> Value {
    json!({"subject-credentials": {
        "type": "JWT", "alg": "RS256", "kid": "publickey-1",
        "iss": "serviceaccount-1", "sub": "serviceaccount-1",
        "private-key": if known { KNOWN } else { UNKNOWN },
    }})
}

fn answer(call: &Call, secrets: &BTreeMap<String, Vec<Entry>>) -> Outcome {
    if call.path == "/nebius.iam.v1.TokenExchangeService/Exchange" {
        let question = Exchange::decode(call.message.clone());
        return exchange(&question.map_err(|error| (3, error.to_string()))?);
    }
    let token = call.metadata("authorization").strip_prefix("Bearer ");
    if token != Some(FIXED) && token != Some(EXCHANGED) {
        return Err((16, "bad token".to_owned()));
    }
    let question = Question::decode(call.message.clone());
    let question = question.map_err(|error| (3, error.to_string()))?;
    let found = secrets.get(&question.secret);
    let found = found.filter(|_| question.version.is_empty());
    let mut data = found.cloned().ok_or((5, "no such secret".to_owned()))?;
    if call.path == "/nebius.mysterybox.v1.PayloadService/GetByKey" {
        data.retain(|entry| entry.key == question.key);
        if data.is_empty() {
            return Err((5, "no such key".to_owned()));
        }
    }
    // One entry and a list of one are the same on the wire.
    let version = "v1".to_owned();
    Ok(Secret { version, data }.encode_to_vec())
}

fn exchange(question: &Exchange) -> Outcome {
    let bad = || (16, "bad proof".to_owned());
    let keys = Keys::of_test_account();
    let (header, claims) = keys.rs256(&question.proof).ok_or_else(bad)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = i64::try_from(now.as_secs()).unwrap();
    let ends = claims["exp"].as_i64().unwrap_or_default();
    let is_good = header["kid"] == "publickey-1"
        && header["alg"] == "RS256"
        && claims["iss"] == "serviceaccount-1"
        && claims["sub"] == "serviceaccount-1"
        && claims["aud"][0] == "token-service.iam.new.nebiuscloud.net"
        && (now..=now + 60).contains(&ends)
        && question.grant == "urn:ietf:params:oauth:grant-type:token-exchange"
        && question.wanted == "urn:ietf:params:oauth:token-type:access_token"
        && question.kind == "urn:ietf:params:oauth:token-type:jwt";
    if !is_good {
        return Err(bad());
    }
    let token = Granted {
        access_token: EXCHANGED.to_owned(),
        token_type: "Bearer".to_owned(),
        expires_in: 43_200,
    };
    Ok(token.encode_to_vec())
}
