//! A small Keeper: it has the private keys of the server, of the application's owner and of nobody
//! else, so that it can read exactly what Keeper can.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::conformance::response;
use lockstep_provider_keepersecurity::ServerKeys;
use lockstep_provider_kit::base64::{Encoding, decode, encode};
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{DerSignature, VerifyingKey};
use p256::elliptic_curve::sec1::ToSec1Point as _;
use p256::pkcs8::DecodePrivateKey as _;
use p256::{PublicKey, SecretKey, ecdh};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use serde_json::{Value, json};

pub(crate) const FOLDER: &str = "folder";
const CLIENT: &str = "Y2xpZW50";
const APP_KEY: [u8; 32] = [1; 32];
const FOLDER_KEY: [u8; 32] = [2; 32];
const SERVER: [u8; 32] = [3; 32];
const OWNER: [u8; 32] = [4; 32];
/// A device that was made for tests.
const DEVICE: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbCgb4dZTvR+6v6j1xiIQ6XUP2SbL1ftPgU1SFG1Pz3ChRANCAARjezlf7+ZyBxaO29kLjb/iRw3Fiwy4MyY+B9qEdBA5M4bTTDej3vhLnQDMjVWARzXs7P8ckegElabzF+xdtRir";

/// The keys of the small Keeper.
pub(crate) struct TestKeys;

impl ServerKeys for TestKeys {
    fn key(id: &str) -> Option<&'static str> {
        static KEY: OnceLock<String> = OnceLock::new();
        let key = KEY.get_or_init(|| point(SERVER));
        matches!(id, "10" | "11").then_some(key)
    }
}

pub(crate) struct Server {
    records: BTreeMap<String, Record>,
    /// The key that the server wants to be used.
    pub(crate) wanted_key: &'static str,
    /// The keys that were used, in order.
    pub(crate) key_ids: Vec<String>,
}

struct Record {
    key: [u8; 32],
    data: Value,
    revision: i64,
    files: Vec<(String, Vec<u8>)>,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            records: BTreeMap::new(),
            wanted_key: "10",
            key_ids: Vec::new(),
        }
    }
}

fn point(private: [u8; 32]) -> String {
    let key = SecretKey::from_slice(&private).unwrap().public_key();
    encode(Encoding::RawUrl, key.to_sec1_point(false).as_bytes())
}

pub(crate) fn config() -> String {
    let config = json!({
        "hostname": "keeper.test", "clientId": CLIENT, "privateKey": DEVICE,
        "appKey": text(&APP_KEY), "serverPublicKeyId": "10", "appOwnerPublicKey": point(OWNER),
    });
    text(config.to_string().as_bytes())
}

fn text(bytes: &[u8]) -> String {
    encode(Encoding::Standard, bytes)
}

fn bytes(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap().trim_end_matches('=');
    let text = text.replace('+', "-").replace('/', "_");
    decode(Encoding::RawUrl, text.as_bytes()).unwrap()
}

fn cipher(key: &[u8]) -> LessSafeKey {
    LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key).unwrap())
}

fn seal(key: &[u8], plain: &[u8]) -> Vec<u8> {
    let nonce = [9; 12];
    let mut sealed = plain.to_vec();
    let by = Nonce::assume_unique_for_key(nonce);
    let cipher = cipher(key);
    cipher
        .seal_in_place_append_tag(by, Aad::empty(), &mut sealed)
        .unwrap();
    [&nonce[..], &sealed].concat()
}

fn open(key: &[u8], sealed: &[u8]) -> Vec<u8> {
    let (nonce, sealed) = sealed.split_at(12);
    let nonce = Nonce::try_assume_unique_for_key(nonce).unwrap();
    let mut plain = sealed.to_vec();
    let opened = cipher(key).open_in_place(nonce, Aad::empty(), &mut plain);
    opened.unwrap().to_vec()
}

/// Opens what was encrypted to a point.
fn open_for(private: [u8; 32], sealed: &[u8]) -> Vec<u8> {
    let (from, sealed) = sealed.split_at(65);
    let from = PublicKey::from_sec1_bytes(from).unwrap();
    let own = SecretKey::from_slice(&private).unwrap();
    let shared = ecdh::diffie_hellman(own.to_nonzero_scalar(), from.as_affine());
    open(shared.raw_secret_bytes(), sealed)
}

impl Server {
    pub(crate) fn put(&mut self, uid: &str, data: &Value) {
        let record = Record {
            key: [5; 32],
            data: data.clone(),
            revision: 1,
            files: Vec::new(),
        };
        self.records.insert(uid.to_owned(), record);
    }

    pub(crate) fn attach(&mut self, uid: &str, title: &str, content: &[u8]) {
        let file = (title.to_owned(), content.to_vec());
        self.records.get_mut(uid).unwrap().files.push(file);
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// The title of the record whose custom field has a value.
    pub(crate) fn title_of(&self, value: &str) -> String {
        let mut all = self.records.values();
        let found = all.find(|record| record.data["custom"][0]["value"][0] == value);
        let title = found.and_then(|record| record.data["title"].as_str());
        title.unwrap_or_default().to_owned()
    }

    pub(crate) fn answer(&mut self, request: &Request<Bytes>) -> Response<Bytes> {
        if request.method() == Method::GET {
            let uid = request.uri().path().trim_start_matches('/');
            let (_, content) = &self.records[uid].files[0];
            return response(200, seal(&[6; 32], content));
        }
        let header = |name: &str| {
            let value = request.headers().get(name);
            value
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default()
                .to_owned()
        };
        self.key_ids.push(header("publickeyid"));
        if header("publickeyid") != self.wanted_key {
            let id: u8 = self.wanted_key.parse().unwrap();
            return response(401, json!({"error": "key", "key_id": id}).to_string());
        }
        let sealed_key = bytes(&json!(header("transmissionkey")));
        let signature = header("authorization").replace("Signature ", "");
        let signature = DerSignature::try_from(&bytes(&json!(signature))[..]).unwrap();
        let device = SecretKey::from_pkcs8_der(&bytes(&json!(DEVICE))).unwrap();
        let signed = [&sealed_key[..], request.body()].concat();
        VerifyingKey::from(device.public_key())
            .verify(&signed, &signature)
            .unwrap();
        let key = open_for(SERVER, &sealed_key);
        let payload: Value = serde_json::from_slice(&open(&key, request.body())).unwrap();
        assert_eq!(payload["clientId"], CLIENT);
        let call = request.uri().path().trim_start_matches("/api/rest/sm/v1/");
        let answer = self.carry_out(call, &payload);
        if answer.is_null() {
            return response(200, "");
        }
        response(200, seal(&key, answer.to_string().as_bytes()))
    }

    fn carry_out(&mut self, call: &str, payload: &Value) -> Value {
        let uid = payload["recordUid"].as_str().unwrap_or_default().to_owned();
        match call {
            "get_secret" => {
                let wanted = &payload["requestedRecords"][0];
                let all = self.records.iter();
                let shown = all.filter(|(uid, _)| wanted.is_null() || wanted == uid.as_str());
                let records: Vec<Value> = shown.map(|(uid, record)| sealed(uid, record)).collect();
                let folder = json!({
                    "folderUid": FOLDER, "folderKey": text(&seal(&APP_KEY, &FOLDER_KEY)),
                    "records": records,
                });
                json!({"folders": [folder], "records": null})
            }
            "create_secret" => {
                let key = open(&FOLDER_KEY, &bytes(&payload["folderKey"]));
                assert_eq!(open_for(OWNER, &bytes(&payload["recordKey"])), key);
                let data = open(&key, &bytes(&payload["data"]));
                let record = Record {
                    key: key.try_into().unwrap(),
                    data: serde_json::from_slice(&data).unwrap(),
                    revision: 1,
                    files: Vec::new(),
                };
                assert_eq!(payload["folderUid"], FOLDER);
                self.records.insert(uid, record);
                Value::Null
            }
            "update_secret" => {
                let record = self.records.get_mut(&uid).unwrap();
                assert_eq!(payload["revision"], record.revision);
                let data = open(&record.key, &bytes(&payload["data"]));
                record.data = serde_json::from_slice(&data).unwrap();
                record.revision += 1;
                Value::Null
            }
            "delete_secret" => {
                let uid = payload["recordUids"][0].as_str().unwrap();
                self.records.remove(uid);
                json!({"records": [{"recordUid": uid, "responseCode": "ok"}]})
            }
            _ => Value::Null,
        }
    }
}

fn sealed(uid: &str, record: &Record) -> Value {
    let files = record.files.iter().map(|(title, _)| {
        let meta = json!({"title": title}).to_string();
        json!({
            "fileUid": "f", "fileKey": text(&seal(&record.key, &[6; 32])),
            "data": text(&seal(&[6; 32], meta.as_bytes())),
            "url": format!("https://files.test/{uid}"),
        })
    });
    json!({
        "recordUid": uid, "revision": record.revision,
        "recordKey": text(&seal(&FOLDER_KEY, &record.key)),
        "data": text(&seal(&record.key, record.data.to_string().as_bytes())),
        "files": files.collect::<Vec<_>>(),
    })
}
