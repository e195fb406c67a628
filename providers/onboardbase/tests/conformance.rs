//! Holds the provider to the contract, with a script in place of the API that seals what it answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use aes::Aes256;
use aes::cipher::{Block, BlockCipherEncrypt as _, KeyInit as _};
use bytes::Bytes;
use http::{Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, assert_conforms, block_on, response, scripted, services,
};
use lockstep_provider_api::http::Transport;
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{Entry, ErrorKind, Find, RemoteRef, SecretValue};
use lockstep_provider_kit::base64::{Encoding, encode};
use lockstep_provider_onboardbase::Onboardbase;
use md5::{Digest as _, Md5};
use serde_json::{Value, json};

/// Sealed entries by name.
type Secrets = Arc<Mutex<BTreeMap<String, Value>>>;

const PASSCODE: &str = "a passcode";
const SALT: [u8; 8] = *b"12345678";

#[derive(Default)]
struct OnboardbaseSubject {
    secrets: Secrets,
}

fn spec() -> Value {
    json!({
        "apiHost": "https://onboardbase.test/api/v1/",
        "project": "shop",
        "environment": "prod",
        "auth": {
            "apiKeyRef": {"name": "c", "key": "key"},
            "passcodeRef": {"name": "other", "key": "pass"},
        },
    })
}

fn prepare(objects: &MemoryObjects) {
    objects.put_secret(NAMESPACE, "c", "key", "a key\n");
    objects.put_secret(NAMESPACE, "other", "pass", format!("{PASSCODE}\n"));
}

impl Subject for OnboardbaseSubject {
    type Provider = Onboardbase;

    fn spec(&self) -> Value {
        spec()
    }

    fn prepare(&self, objects: &MemoryObjects) {
        prepare(objects);
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        if value.is_empty() {
            return Err("an empty value counts as missing");
        }
        let text = value.expose_utf8().map_err(|_| "a value is text")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        let entry = json!({"id": key, "key": sealed(key), "value": sealed(text)});
        secrets.insert(key.to_owned(), entry);
        Ok(())
    }

    /// A 404 is a wrong project.
    fn expected(&self, _call: Call, status: u16) -> Option<ErrorKind> {
        if status == 404 {
            return Some(ErrorKind::InvalidSpec);
        }
        let status = lockstep_provider_api::http::StatusCode::from_u16(status).ok()?;
        lockstep_provider_api::http::kind_of(status)
    }
}

/// What CryptoJS makes of a text: the opposite of the provider's own code.
fn sealed(text: &str) -> String {
    let mut stretched: Vec<u8> = Vec::new();
    let mut last: Vec<u8> = Vec::new();
    while stretched.len() < 48 {
        last = Md5::digest([last.as_slice(), PASSCODE.as_bytes(), &SALT].concat()).to_vec();
        stretched.extend_from_slice(&last);
    }
    let mut open = text.as_bytes().to_vec();
    let missing = 16 - open.len() % 16;
    open.resize(
        open.len() + missing,
        u8::try_from(missing).unwrap_or_default(),
    );
    let (key, iv) = stretched.split_at(32);
    let Ok(cipher) = Aes256::new_from_slice(key) else {
        return String::new();
    };
    let mut before = iv.to_vec();
    let mut out = [b"Salted__".as_slice(), &SALT].concat();
    for chunk in open.chunks_exact(16) {
        let mut block = Block::<Aes256>::default();
        for ((out, plain), mask) in block.iter_mut().zip(chunk).zip(&before) {
            *out = plain ^ mask;
        }
        cipher.encrypt_block(&mut block);
        out.extend_from_slice(&block);
        before = block.to_vec();
    }
    encode(Encoding::Standard, out)
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let signed = request.headers().get("api_key");
    if signed.is_none_or(|header| header != "a key") {
        return response(401, json!({"messages": ["Unauthorized"]}).to_string());
    }
    let target = request
        .uri()
        .path_and_query()
        .map_or("", |path| path.as_str());
    if target != "/api/v1/secrets?environment=prod&project=shop" {
        return response(404, json!({"messages": ["no such project"]}).to_string());
    }
    let Ok(secrets) = secrets.lock() else {
        return response(500, "a check panicked");
    };
    let entries: Vec<&Value> = secrets.values().collect();
    response(200, json!({"data": {"secrets": entries}}).to_string())
}

#[test]
fn onboardbase_keeps_the_contract() {
    assert_conforms(&OnboardbaseSubject::default());
}

#[test]
fn an_entry_that_cannot_be_decrypted_is_no_absence() {
    let sealed = |text| json!({"id": "1", "key": sealed(text), "value": sealed("v")});
    let plain = json!({"id": "2", "key": "cGxhaW4gdGV4dA==", "value": "cGxhaW4gdGV4dA=="});
    let body = json!({"data": {"secrets": [sealed("API"), plain]}}).to_string();
    let services = services().plugged(scripted(move |_| response(200, body.clone())));
    prepare(&services.objects);
    let store = block_on(Entry::of::<Onboardbase>().connect(spec(), services.ctx("s"))).unwrap();

    let found = block_on(store.find(&Find::default())).unwrap_err();
    let read = block_on(store.get(&RemoteRef::key("OTHER"))).unwrap_err();

    assert_eq!(found.kind(), &ErrorKind::InvalidData);
    assert_eq!(read.kind(), &ErrorKind::InvalidData);
    assert_eq!(
        found.to_string(),
        "could not get secrets Onboardbase API Client Error: unable to decrypt secret payload: id \
         \"2\"; is the passcode right?"
    );
}

#[test]
fn a_missing_secret_and_an_empty_one_are_told_in_upstreams_words() {
    let entry = json!({"id": "1", "key": sealed("EMPTY"), "value": sealed("")});
    let body = json!({"data": {"secrets": [entry]}}).to_string();
    let services = services().plugged(scripted(move |_| response(200, body.clone())));
    prepare(&services.objects);
    let store = block_on(Entry::of::<Onboardbase>().connect(spec(), services.ctx("s"))).unwrap();

    for key in ["NONE", "EMPTY"] {
        let error = block_on(store.get(&RemoteRef::key(key))).unwrap_err();

        assert!(!error.consequence().absent);
        assert_eq!(
            error.to_string(),
            format!(
                "could not get secret {key}: Onboardbase API Client Error: secret {key} for project \
                 'shop' and environment 'prod' not found"
            )
        );
    }
}
