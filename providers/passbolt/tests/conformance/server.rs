//! A small Passbolt: it challenges with a message to the user's key, and gives resources of both
//! versions to who opened it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::conformance::response;
use pgp::composed::{ArmorOptions, Deserializable as _, Message, MessageBuilder, SignedSecretKey};
use pgp::crypto::sym::SymmetricKeyAlgorithm;
use pgp::types::{KeyDetails as _, Password};
use rand_core_06::OsRng;
use serde_json::{Value, json};

const TOKEN: &str = "gpgauthv1.3.0|36|0b2a0f6e-1f3c-4d51-9d0e-2f1f6a3a9b11|gpgauthv1.3.0";
const TYPE: &str = "a28a04cd-6f53-518a-967c-9963bf9cec51";

#[derive(Default)]
pub(crate) struct Server {
    /// Name and password by id.
    pub(crate) secrets: BTreeMap<String, (String, String)>,
    /// Armored metadata by id.
    metadata: BTreeMap<String, String>,
    bundle: Option<String>,
    /// How often session keys were saved.
    pub(crate) saved: usize,
    /// Sessions that are open.
    pub(crate) open: usize,
    seen: Vec<(Method, String)>,
}

/// A UUID for a name.
pub(crate) fn id_of(name: &str) -> String {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let hex = format!("{hash:016x}{:016x}", !hash);
    let part = |from: usize, to: usize| &hex[from..to];
    format!(
        "{}-{}-{}-{}-{}",
        part(0, 8),
        part(8, 12),
        part(12, 16),
        part(16, 20),
        part(20, 32)
    )
}

/// The user's key without its passphrase, which costs time by design.
fn user() -> &'static SignedSecretKey {
    static KEY: OnceLock<SignedSecretKey> = OnceLock::new();
    KEY.get_or_init(|| {
        let armored = include_str!("../user.asc");
        let mut key = SignedSecretKey::from_string(armored).unwrap().0;
        let passphrase = Password::from("case-pass");
        key.primary_key.remove_password(&passphrase).unwrap();
        for subkey in &mut key.secret_subkeys {
            subkey.key.remove_password(&passphrase).unwrap();
        }
        key
    })
}

/// The same, as a user keeps it.
pub(crate) fn armored_key() -> String {
    let options = ArmorOptions::default();
    user().to_armored_string(options).unwrap()
}

fn seal(text: &str) -> String {
    let public = user().to_public_key();
    let mut builder = MessageBuilder::from_bytes("", text.as_bytes().to_vec())
        .seipd_v1(OsRng, SymmetricKeyAlgorithm::AES256);
    builder
        .encrypt_to_key(OsRng, &public.public_subkeys[0].key)
        .unwrap();
    builder
        .to_armored_string(OsRng, ArmorOptions::default())
        .unwrap()
}

fn success(body: Value) -> Response<Bytes> {
    let header = json!({"status": "success", "code": 200});
    response(200, json!({"header": header, "body": body}).to_string())
}

fn refusal(code: u16, message: &str) -> Response<Bytes> {
    let header = json!({"status": "error", "code": code, "message": message});
    response(code, json!({"header": header, "body": ""}).to_string())
}

fn with(mut answer: Response<Bytes>, name: &'static str, value: &str) -> Response<Bytes> {
    answer.headers_mut().insert(name, value.parse().unwrap());
    answer
}

impl Server {
    pub(crate) fn add_v5(&mut self, id: &str, name: &str, password: &str) {
        let metadata = json!({"name": name, "username": "u5", "uris": ["https://five.example"]});
        self.metadata
            .insert(id.to_owned(), seal(&metadata.to_string()));
        let held = (String::new(), password.to_owned());
        self.secrets.insert(id.to_owned(), held);
    }

    /// The name of the secret with a password.
    pub(crate) fn name_of(&self, password: &str) -> String {
        let mut held = self.secrets.values();
        let found = held.find(|(_, held)| held == password);
        found.map(|(name, _)| name.clone()).unwrap_or_default()
    }

    pub(crate) fn count(&self, method: &Method, path: &str) -> usize {
        let same = |seen: &&(Method, String)| seen.0 == method && seen.1 == path;
        self.seen.iter().filter(same).count()
    }

    /// The saved session keys, opened and with their signature checked.
    pub(crate) fn session_keys(&self) -> Value {
        let key = user();
        let armored = self.bundle.as_deref().unwrap();
        let (message, _) = Message::from_string(armored).unwrap();
        let mut message = message.decrypt(&Password::empty(), key).unwrap();
        let plain = message.as_data_vec().unwrap();
        message.verify(&key.to_public_key().primary_key).unwrap();
        serde_json::from_slice(&plain).unwrap()
    }

    pub(crate) fn answer(&mut self, request: &Request<Bytes>) -> Response<Bytes> {
        let path = request.uri().path().to_owned();
        self.seen.push((request.method().clone(), path.clone()));
        let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
        if path == "/auth/login.json" {
            return self.login(&body["gpg_auth"]);
        }
        let header = |name: &str| {
            let value = request.headers().get(name).map(|value| value.to_str());
            value.and_then(Result::ok).unwrap_or_default()
        };
        if !header("cookie").contains("passbolt_session=s1") {
            return refusal(401, "You need to login.");
        }
        if path == "/users/me.json" {
            return with(
                success(json!({"id": "u"})),
                "set-cookie",
                "csrfToken=c1; path=/",
            );
        }
        if header("x-csrf-token") != "c1" || !header("cookie").contains("csrfToken=c1") {
            return refusal(403, "Missing CSRF token");
        }
        self.signed_in(request.method(), &path, &body)
    }

    fn login(&mut self, sent: &Value) -> Response<Bytes> {
        if sent["keyid"] != user().primary_key.fingerprint().to_string().as_str() {
            return refusal(404, "The user does not exist.");
        }
        match sent["user_token_result"].as_str() {
            None => {
                let escaped: String = seal(TOKEN)
                    .bytes()
                    .map(|byte| match byte {
                        b' ' => "+".to_owned(),
                        b if b.is_ascii_alphanumeric() => char::from(b).to_string(),
                        b => format!("%{b:02X}"),
                    })
                    .collect();
                let header = json!({"status": "error", "code": 400, "message": "The authentication failed."});
                let answer = response(200, json!({"header": header, "body": null}).to_string());
                with(answer, "x-gpgauth-user-auth-token", &escaped)
            }
            Some(TOKEN) => {
                self.open += 1;
                let cookie = "passbolt_session=s1; path=/; secure; HttpOnly";
                with(success(Value::Null), "set-cookie", cookie)
            }
            Some(_) => refusal(400, "The token is wrong."),
        }
    }

    fn signed_in(&mut self, method: &Method, path: &str, body: &Value) -> Response<Bytes> {
        match path {
            "/settings.json" => return success(json!({"passbolt": {"plugins": {}}})),
            "/auth/is-authenticated.json" => return success(Value::Null),
            "/auth/logout.json" => {
                self.open -= 1;
                return success(Value::Null);
            }
            "/metadata/keys.json" => return success(json!([])),
            "/metadata/session-keys.json" if method == Method::POST => {
                self.saved += 1;
                self.bundle = body["data"].as_str().map(str::to_owned);
                return success(json!({"id": id_of("bundle")}));
            }
            "/metadata/session-keys.json" => {
                let held = self
                    .bundle
                    .iter()
                    .map(|data| json!({"id": id_of("bundle"), "data": data}));
                return success(held.collect());
            }
            "/resources.json" => {
                let listed = self.secrets.keys().map(|id| json!({"id": id}));
                return success(listed.collect());
            }
            _ => {}
        }
        let mut parts = path.trim_end_matches(".json").rsplitn(2, '/');
        let (id, folder) = (parts.next().unwrap_or_default(), parts.next());
        if folder == Some("/resource-types") {
            let secret = json!({"type": "object", "required": ["password"]});
            return success(json!({"id": TYPE, "definition": {"resource": {}, "secret": secret}}));
        }
        let Some((name, password)) = self.secrets.get(id) else {
            return refusal(404, "The resource does not exist.");
        };
        match folder {
            Some("/secrets/resource") => {
                success(json!({"data": seal(&json!({"password": password}).to_string())}))
            }
            _ => success(json!({
                "id": id, "name": name, "resource_type_id": TYPE,
                "metadata": self.metadata.get(id), "metadata_key_type": "user_key",
            })),
        }
    }
}
