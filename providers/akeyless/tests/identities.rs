//! What each access type sends to sign in, as the server sees it, and where commands go.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use lockstep_provider_akeyless::{Akeyless, AkeylessSpec};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, block_on, response, scripted, services,
};
use lockstep_provider_api::context::{Scope, Services, StoreName};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::{Shared, Variables};
use lockstep_provider_kit::base64::{Encoding, decode};
use serde_json::{Value, json};

/// Requests as the server saw them: URL and body.
type Seen = Arc<Mutex<Vec<(String, String)>>>;

/// A store whose gateway and metadata servers are one script.
struct Bench {
    seen: Seen,
    outcome: Result<SecretValue>,
}

fn bench(url: &str, auth: Value, objects: impl FnOnce(&MemoryObjects)) -> Bench {
    let seen = Seen::default();
    let log = Arc::clone(&seen);
    let test = services().plugged(scripted(move |request| {
        let url = request.uri().to_string();
        let body = String::from_utf8_lossy(request.body()).into_owned();
        log.lock().unwrap().push((url.clone(), body));
        let path = request.uri().path();
        if path.ends_with("/auth") {
            return response(200, r#"{"token":"t-1"}"#);
        }
        if path.ends_with("/describe-item") {
            return response(200, r#"{"item_name":"k","item_type":"STATIC_SECRET"}"#);
        }
        if path.ends_with("/get-secret-value") {
            return response(200, r#"{"k":"v"}"#);
        }
        if path.ends_with("/identity") {
            return response(200, "google-token");
        }
        if path.ends_with("/token") {
            return response(200, r#"{"access_token":"azure-token"}"#);
        }
        response(404, r#"{"error":"page not found"}"#)
    }));
    objects(&test.objects);
    let of_operator = |name: &str| {
        let known = [
            ("AWS_REGION", "eu-west-1"),
            ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
            ("AWS_SECRET_ACCESS_KEY", "hunter2"),
            ("AZURE_TENANT_ID", "tenant-1"),
        ];
        let found = known.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.to_owned())
    };
    let services = Services {
        objects: Arc::clone(&test.objects) as _,
        transports: Arc::new(test.wire.clone()),
        time: Arc::new(test.time.clone()),
        calls: Arc::clone(&test.calls) as _,
        ambient: true,
        variables: Variables::new(of_operator),
        shared: Shared::default(),
    };
    let store = StoreName {
        namespace: Some(NAMESPACE.to_owned()),
        name: "s".to_owned(),
    };
    let scope = Scope::Namespaced {
        namespace: NAMESPACE.to_owned(),
    };
    let ctx = Ctx::new(Arc::new(services), store, scope);
    let spec = json!({"akeylessGWApiURL": url, "authSecretRef": auth});
    let spec: AkeylessSpec = serde_json::from_value(spec).unwrap();
    let outcome = block_on(async {
        let store = Akeyless::connect(spec, ctx).await?;
        store.get(&RemoteRef::key("k")).await
    });
    Bench { seen, outcome }
}

impl Bench {
    fn urls(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        seen.iter().map(|(url, _)| url.clone()).collect()
    }

    fn sign_in(&self) -> Value {
        let seen = self.seen.lock().unwrap();
        let sent = seen.iter().find(|(url, _)| url.ends_with("/auth")).unwrap();
        serde_json::from_str(&sent.1).unwrap()
    }
}

const V2: &str = "https://gw.test/v2";

fn secret_ref() -> Value {
    json!({
        "accessID": {"name": "c", "key": "id"},
        "accessType": {"name": "c", "key": "type"},
    })
}

fn of_type(access_type: &'static str) -> impl FnOnce(&MemoryObjects) {
    move |objects| {
        objects.put_secret(NAMESPACE, "c", "id", "p-1");
        objects.put_secret(NAMESPACE, "c", "type", access_type);
    }
}

fn opened(text: &Value) -> Vec<u8> {
    decode(Encoding::Standard, text.as_str().unwrap().as_bytes()).unwrap()
}

#[test]
fn aws_signs_a_request_that_akeyless_can_send() {
    let bench = bench(V2, json!({"secretRef": secret_ref()}), of_type("aws_iam"));

    assert_eq!(bench.outcome.as_ref().unwrap(), &"v".into());
    let body = bench.sign_in();
    assert_eq!(body["access-type"], "aws_iam");
    let request: Value = serde_json::from_slice(&opened(&body["cloud-id"])).unwrap();
    assert_eq!(request["sts_request_method"], "POST");
    assert_eq!(
        opened(&request["sts_request_url"]),
        b"https://sts.amazonaws.com/"
    );
    assert_eq!(
        opened(&request["sts_request_body"]),
        b"Action=GetCallerIdentity&Version=2011-06-15"
    );
    let headers: Value = serde_json::from_slice(&opened(&request["sts_request_headers"])).unwrap();
    let signed = headers["Authorization"][0].as_str().unwrap();
    assert!(signed.contains("/us-east-1/sts/aws4_request"), "{signed}");
    assert!(!signed.contains("hunter2"));
}

#[test]
fn google_vouches_for_the_audience_of_akeyless() {
    let bench = bench(V2, json!({"secretRef": secret_ref()}), of_type("gcp"));

    assert_eq!(opened(&bench.sign_in()["cloud-id"]), b"google-token");
    let asked = &bench.urls()[0];
    assert!(
        asked.contains("audience=akeyless.io&format=full"),
        "{asked}"
    );
}

#[test]
fn azure_vouches_for_the_machine() {
    let bench = bench(V2, json!({"secretRef": secret_ref()}), of_type("azure_ad"));

    assert_eq!(opened(&bench.sign_in()["cloud-id"]), b"azure-token");
    assert!(bench.urls()[0].starts_with("http://169.254.169.254/metadata/identity/"));
}

#[test]
fn azure_exchanges_the_token_of_a_service_account() {
    let auth = json!({"secretRef": secret_ref(), "serviceAccountRef": {"name": "sa"}});
    let objects = |objects: &MemoryObjects| {
        of_type("azure_ad")(objects);
        let note = ["azure.workload.identity/client-id", "client-1"];
        let [name, value] = note.map(str::to_owned);
        objects.put_service_account(NAMESPACE, "sa", BTreeMap::from([(name, value)]));
    };
    let bench = bench(V2, auth, objects);

    assert_eq!(opened(&bench.sign_in()["cloud-id"]), b"azure-token");
    assert_eq!(
        bench.urls()[0],
        "https://login.microsoftonline.com/tenant-1/oauth2/v2.0/token"
    );
}

#[test]
fn kubernetes_sends_the_token_in_base64() {
    let auth = json!({"kubernetesAuth": {
        "accessID": "p-1", "k8sConfName": "conf", "secretRef": {"name": "jwt"},
    }});
    let bench = bench(V2, auth, |objects| {
        objects.put_secret(NAMESPACE, "jwt", "token", "a.b.c");
    });

    let body = bench.sign_in();
    assert_eq!(body["access-type"], "k8s");
    assert_eq!(body["k8s-auth-config-name"], "conf");
    assert_eq!(opened(&body["k8s-service-account-token"]), b"a.b.c");
}

#[test]
fn a_gateway_keeps_its_path_before_the_version() {
    let bench = bench(
        "https://gw.test/team/",
        json!({"secretRef": secret_ref()}),
        of_type("gcp"),
    );

    let urls = bench.urls();
    assert!(
        urls.contains(&"https://gw.test/team".to_owned()),
        "{urls:?}"
    );
    assert!(urls.contains(&"https://gw.test/team/v2/auth".to_owned()));
}

#[test]
fn faults_of_credentials_are_told_in_upstreams_words() {
    let text = |access_type| {
        let auth = json!({"secretRef": secret_ref()});
        let bench = bench(V2, auth, of_type(access_type));
        bench.outcome.unwrap_err().to_string()
    };

    let key = "missing AccessTypeParam for Akeyless access key auth";
    assert_eq!(text("api_key"), key);
    assert_eq!(text("k8s"), "kubernetes auth configuration is required");
    let unknown = "Require Cloud ID unable to determine provider: moon";
    assert_eq!(text("moon"), unknown);
}
