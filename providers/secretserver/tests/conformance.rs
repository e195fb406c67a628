//! Holds the provider to the contract, with a script in place of the server, and checks both products'
//! sign-ins and files as the server sees them.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::Tombstone;
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, Subject, Topic, assert_conforms, block_on, response,
    scripted, services,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::prelude::*;
use lockstep_provider_secretserver::{Secretserver, SecretserverSpec};
use serde_json::{Value, json};

const FIELD: &str = "password";

type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

#[derive(Default)]
struct SecretserverSubject {
    secrets: Secrets,
}

impl Subject for SecretserverSubject {
    type Provider = Secretserver;

    fn spec(&self) -> Value {
        json!({
            "serverURL": "https://ss.test/",
            "username": {"value": "u"},
            "password": {"secretRef": {"name": "c", "key": "pass"}},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "pass", "p&ss");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &["ss.test/oauth2/", "ss.test/api/v1/healthcheck"]
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "fields are text")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    fn holds(&self, value: &SecretValue) -> Result<(), &'static str> {
        value.expose_utf8().map(drop).map_err(|_| "fields are text")
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property(FIELD)
    }

    fn target(&self, key: &str) -> PushTarget {
        PushTarget {
            property: Some(FIELD.to_owned()),
            ..PushTarget::key(format!("folderId:5/{key}"))
        }
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        response(
            status,
            json!({"message": "no", "value": CANARY}).to_string(),
        )
    }

    /// The first request is a search, whose 404 is about the address.
    fn expected(&self, _call: Call, status: u16) -> Option<ErrorKind> {
        match status {
            404 => Some(ErrorKind::InvalidSpec),
            _ => StatusCode::from_u16(status).ok().and_then(kind_of),
        }
    }

    fn waives(&self, topic: Topic) -> Option<&'static str> {
        match topic {
            Topic::Writes | Topic::Deletes => {
                Some("every push writes, and a new secret needs metadata of its entry")
            }
            _ => None,
        }
    }
}

/// Makes a secret of every name that is asked for, because the suite's pushes cannot make any. Ids are
/// positions in the order of names.
fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let path = request.uri().path();
    match path {
        "/api/v1/healthcheck" => return response(200, r#"{"Healthy":true}"#),
        "/oauth2/token" => {
            let form = String::from_utf8_lossy(request.body()).into_owned();
            assert_eq!(form, "grant_type=password&password=p%26ss&username=u");
            return response(200, r#"{"access_token":"at","expires_in":1200}"#);
        }
        _ => {}
    }
    let signed = request.headers().get("authorization");
    if signed.is_none_or(|header| header != "Bearer at") {
        return response(401, "{}");
    }
    let mut secrets = secrets.lock().unwrap();
    if path == "/api/v1/secrets" {
        let query = request.uri().query().unwrap_or_default();
        let mut pairs = query.split('&');
        let wanted = pairs.find_map(|pair| pair.strip_prefix("paging.filter.searchText="));
        let wanted = wanted.unwrap();
        secrets.entry(wanted.to_owned()).or_default();
        let at = secrets.keys().position(|name| name == wanted);
        return response(200, json!({"records": [{"id": at}]}).to_string());
    }
    if path == "/api/v1/secret-templates/3" {
        let fields = ["user", FIELD].map(|slug| json!({"fieldSlugName": slug}));
        return response(200, json!({"id": 3, "fields": fields}).to_string());
    }
    let id: Option<usize> = path.rsplit('/').next().and_then(|id| id.parse().ok());
    let found = id.and_then(|id| secrets.iter_mut().nth(id));
    let Some((name, value)) = found else {
        return response(404, r#"{"message":"not found"}"#);
    };
    if request.method() == Method::PUT {
        let body: Value = serde_json::from_slice(request.body()).unwrap();
        assert_eq!(body["SecretTemplateID"], 3);
        body["Items"][1]["ItemValue"]
            .as_str()
            .unwrap()
            .clone_into(value);
    }
    let items = [
        json!({"fieldName": "User", "slug": "user", "itemValue": "bob"}),
        json!({"fieldName": "Password", "slug": FIELD, "itemValue": value}),
    ];
    let secret = json!({
        "id": id, "folderId": 5, "secretTemplateId": 3, "name": name, "items": items,
    });
    response(200, secret.to_string())
}

#[test]
fn secretserver_keeps_the_contract() {
    assert_conforms(&SecretserverSubject::default());
}

/// Requests as the server saw them.
type Seen = Arc<Mutex<Vec<String>>>;

fn store(
    spec: Value,
    script: impl Fn(&Method, &str) -> Response<Bytes> + Send + Sync + 'static,
) -> (impl Store, Seen) {
    let seen = Seen::default();
    let log = Arc::clone(&seen);
    let services = services().plugged(scripted(move |request| {
        let (method, uri) = (request.method().clone(), request.uri().to_string());
        let body = String::from_utf8_lossy(request.body()).into_owned();
        log.lock().unwrap().push(format!("{method} {uri} {body}"));
        script(&method, &uri)
    }));
    let spec: SecretserverSpec = serde_json::from_value(spec).unwrap();
    let store = block_on(Secretserver::connect(spec, services.ctx("s"))).unwrap();
    (store, seen)
}

#[test]
fn a_platform_leads_to_its_default_vault() {
    let spec = json!({
        "serverURL": "https://platform.test",
        "username": {"value": "u"},
        "password": {"value": "p"},
    });
    let (store, seen) = store(spec, |_, uri| match uri {
        "https://platform.test/api/v1/healthcheck" => response(404, "<html>"),
        "https://platform.test/health" => response(200, "Healthy"),
        "https://platform.test/identity/api/oauth2/token/xpmplatform" => {
            response(200, r#"{"access_token":"at","expires_in":60}"#)
        }
        "https://platform.test/vaultbroker/api/vaults" => {
            let vault = json!({"isDefault": true, "isActive": true, "connection": {"url": "https://v.test"}});
            response(
                200,
                json!({"vaults": [{"isDefault": true}, vault]}).to_string(),
            )
        }
        "https://v.test/api/v1/secrets/7" => response(
            200,
            r#"{"id":7,"items":[{"slug":"user","itemValue":"bob"}]}"#,
        ),
        _ => response(500, "{}"),
    });

    let value = block_on(store.get(&RemoteRef::key("7").property("user")));

    assert_eq!(value.unwrap(), "bob".into());
    let seen = seen.lock().unwrap();
    let form = "client_id=u&client_secret=p&grant_type=client_credentials&scope=xpmheadless";
    assert!(seen.iter().any(|line| line.ends_with(form)), "{seen:?}");
}

#[test]
fn a_file_is_downloaded_with_its_secret_and_uploaded_with_a_push() {
    let spec = json!({"serverURL": "https://ss.test", "token": {"value": "t"}});
    let secret = r#"{"id":7,"secretTemplateId":3,"items":[{"slug":"key","isFile":true,"fileAttachmentId":9,"filename":"id_rsa","itemValue":"*"}]}"#;
    let (store, seen) = store(spec, move |method, uri| {
        match (method, uri.trim_start_matches("https://ss.test/api/v1/")) {
            (&Method::GET, "secrets/7/fields/key") => response(200, vec![0, 255]),
            (_, "secrets/7") => response(200, secret),
            (_, "secret-templates/3") => {
                let field =
                    json!({"secretTemplateFieldId": 1, "fieldSlugName": "key", "isFile": true});
                response(200, json!({"id": 3, "fields": [field]}).to_string())
            }
            _ => response(200, "{}"),
        }
    });

    let held = block_on(store.get(&RemoteRef::key("7").property("key")));
    assert_eq!(held.unwrap(), SecretValue::new(vec![0, 255]));

    let source = SecretMap::from_iter([("a".to_owned(), SecretValue::from("new key"))]);
    let item = PushItem {
        secret_key: Some("a".to_owned()),
        ..PushItem::whole(PushTarget::key("7"), source)
    };
    block_on(store.push(&item)).unwrap();
    let seen = seen.lock().unwrap();
    let upload = seen
        .iter()
        .find(|line| line.starts_with("PUT https://ss.test/api/v1/secrets/7/fields/key"));
    let upload = upload.unwrap();
    assert!(upload.contains("filename=\"id_rsa.txt\""), "{upload}");
    assert!(upload.contains("\r\n\r\nnew key\r\n--"), "{upload}");
}

#[test]
fn a_name_that_several_secrets_have_is_read_but_not_written() {
    let spec = json!({"serverURL": "https://ss.test", "token": {"value": "t"}});
    let (store, _) = store(spec, |_, uri| {
        if uri.contains("searchText=db") {
            return response(200, r#"{"records":[{"id":1},{"id":2}]}"#);
        }
        response(
            200,
            r#"{"id":1,"items":[{"slug":"user","itemValue":"bob"}]}"#,
        )
    });

    let read = block_on(store.get(&RemoteRef::key("db").property("user")));
    assert_eq!(read.unwrap(), "bob".into());
    let error = block_on(store.delete(&PushTarget::key("db"))).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Conflict);
    assert!(error.to_string().contains("multiple secrets found"));
}

#[test]
fn a_missing_secret_deletes_nothing() {
    let spec = json!({"serverURL": "https://ss.test", "token": {"value": "t"}});
    let (store, _) = store(spec, |_, uri| {
        if uri.contains("searchText") {
            return response(200, r#"{"records":[]}"#);
        }
        response(404, r#"{"message":"gone"}"#)
    });

    for (key, text) in [
        ("7", "unable to retrieve secret at this time"),
        ("/Team/db", "404 Not Found: {\"message\":\"gone\"}"),
    ] {
        let error = block_on(store.get(&RemoteRef::key(key))).unwrap_err();

        assert_eq!(error.to_string(), text);
        assert!(matches!(
            error.kind(),
            ErrorKind::Tombstoned(Tombstone {
                counts_as_absent: false,
                ..
            })
        ));
    }
    assert!(block_on(store.delete(&PushTarget::key("7"))).is_ok());
}
