//! Identities against a scripted metadata server, authentication service and cluster endpoint. Signatures
//! are verified with the public key that the other side knows.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use lockstep_provider_api::conformance::{NAMESPACE, block_on, response, scripted, services};
use lockstep_provider_api::{Scope, StoreName, Variables};
use lockstep_provider_kit::base64::{Encoding, decode, encode};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde_json::{Value, json};

use super::key::SessionKey;
use super::*;

/// Bytes of a `SubjectPublicKeyInfo` before the key of 2048 bits itself.
const HEADER: usize = 24;
/// The end of the tokens, after the clock of the tests.
const END: i64 = 1_767_229_200;

/// What the other side saw of the exchange.
#[derive(Default)]
struct Log(Mutex<Vec<Request<Bytes>>>);

impl Log {
    fn of(&self, host: &str) -> Request<Bytes> {
        let seen = self.0.lock().unwrap();
        let found = seen
            .iter()
            .find(|request| request.uri().host() == Some(host));
        found.unwrap().clone()
    }
}

fn header<'a>(request: &'a Request<Bytes>, name: &str) -> &'a str {
    request.headers().get(name).unwrap().to_str().unwrap()
}

/// The value of a part of the authorization.
fn part<'a>(authorization: &'a str, name: &str) -> &'a str {
    let (_, rest) = authorization.split_once(&format!("{name}=\"")).unwrap();
    rest.split('"').next().unwrap()
}

/// Checks a signature as the backend does, with the public key in base64.
fn verify(request: &Request<Bytes>, public: &str) {
    let authorization = header(request, "authorization");
    let lines: Vec<String> = part(authorization, "headers")
        .split(' ')
        .map(|name| match name {
            "(request-target)" => {
                let method = request.method().as_str().to_lowercase();
                format!(
                    "{name}: {method} {}",
                    request.uri().path_and_query().unwrap()
                )
            }
            "host" => format!("host: {}", request.uri().authority().unwrap()),
            other => format!("{other}: {}", header(request, other)),
        })
        .collect();
    let signature = decode(
        Encoding::Standard,
        part(authorization, "signature").as_bytes(),
    );
    let public = decode(Encoding::Standard, public.as_bytes()).unwrap();
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &public[HEADER..]);
    key.verify(lines.join("\n").as_bytes(), &signature.unwrap())
        .unwrap();
}

fn context(
    log: &Arc<Log>,
    answer: fn(&Request<Bytes>) -> Response<Bytes>,
    variables: Variables,
) -> Ctx {
    let log = Arc::clone(log);
    let services = services().plugged(scripted(move |request| {
        let answered = answer(&request);
        log.0.lock().unwrap().push(request);
        answered
    }));
    services
        .objects
        .put_service_account(NAMESPACE, "app", std::collections::BTreeMap::new());
    let mut services = Arc::into_inner(services.shared()).unwrap();
    services.ambient = true;
    services.variables = variables;
    let store = StoreName {
        namespace: Some(NAMESPACE.to_owned()),
        name: "s".to_owned(),
    };
    let scope = Scope::Namespaced {
        namespace: NAMESPACE.to_owned(),
    };
    Ctx::new(Arc::new(services), store, scope)
}

fn spec(extra: Value) -> OracleSpec {
    let mut spec = json!({"region": "us-ashburn-1", "vault": "v"});
    spec.as_object_mut()
        .unwrap()
        .extend(extra.as_object().unwrap().clone());
    serde_json::from_value(spec).unwrap()
}

/// A token of the form that both services make out.
fn token() -> String {
    let claims = encode(Encoding::RawUrl, json!({ "exp": END }).to_string());
    format!("h.{claims}.s")
}

/// A request signed by an identity.
fn signed(identity: &Arc<dyn Authenticator>) -> Request<Bytes> {
    let mut request = Request::new(Bytes::new());
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = "https://secrets.test/a?b=c".parse().unwrap();
    block_on(identity.authorize(&mut request)).unwrap();
    request
}

#[test]
fn an_instance_exchanges_its_certificate_and_signs_with_the_key_of_the_session() {
    let log = Arc::new(Log::default());
    let variables =
        Variables::from_iter([("OCI_METADATA_BASE_URL", "http://metadata.test/opc/v2")]);
    let ctx = context(&log, metadata, variables);

    let identity = block_on(connect(&spec(json!({})), &ctx)).unwrap();

    let exchange = log.of("auth.us-phoenix-1.oraclecloud.com");
    assert_eq!(exchange.uri().path(), "/v1/x509");
    let authorization = header(&exchange, "authorization");
    assert_eq!(
        part(authorization, "headers"),
        "date (request-target) content-length content-type x-content-sha256"
    );
    assert!(part(authorization, "keyId").starts_with("ocid1.tenancy.t/fed-x509-sha256/"));
    verify(&exchange, &leaf().0.public);
    let body: Value = serde_json::from_slice(exchange.body()).unwrap();
    assert_eq!(body["fingerprintAlgorithm"], "SHA256");
    let request = signed(&identity);
    let id = format!("ST${}", token());
    assert_eq!(part(header(&request, "authorization"), "keyId"), id);
    verify(&request, body["publicKey"].as_str().unwrap());
}

/// The key and the certificate of the instance.
fn leaf() -> &'static (SessionKey, String) {
    static LEAF: std::sync::OnceLock<(SessionKey, String)> = std::sync::OnceLock::new();
    LEAF.get_or_init(|| {
        let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
        let unit = rcgen::DnType::OrganizationalUnitName;
        params
            .distinguished_name
            .push(unit, "opc-tenant:ocid1.tenancy.t");
        let pair = rcgen::KeyPair::generate().unwrap();
        let certificate = params.self_signed(&pair).unwrap().pem();
        (SessionKey::generate().unwrap(), certificate)
    })
}

fn metadata(request: &Request<Bytes>) -> Response<Bytes> {
    let (key, certificate) = leaf();
    if request.uri().host() != Some("metadata.test") {
        return response(200, json!({ "token": token() }).to_string());
    }
    if header(request, "authorization") != "Bearer Oracle" {
        return response(401, "");
    }
    match request.uri().path() {
        "/opc/v2/instance/region" => response(200, "phx"),
        "/opc/v2/identity/key.pem" => response(200, key.private.expose_utf8().unwrap().to_owned()),
        _ => response(200, certificate.clone()),
    }
}

#[test]
fn a_workload_exchanges_the_token_of_its_service_account() {
    let log = Arc::new(Log::default());
    let variables = Variables::from_iter([
        ("KUBERNETES_SERVICE_HOST", "10.0.0.1"),
        ("OCI_KUBERNETES_SERVICE_ACCOUNT_CERT_PATH", "Cargo.toml"),
    ]);
    let ctx = context(&log, cluster, variables);
    let spec = spec(json!({
        "principalType": "Workload",
        "serviceAccountRef": {"name": "app", "audiences": ["more"]},
    }));

    let identity = block_on(connect(&spec, &ctx)).unwrap();

    let exchange = log.of("10.0.0.1");
    assert_eq!(exchange.uri().port_u16(), Some(12250));
    assert_eq!(
        header(&exchange, "authorization"),
        format!("Bearer token:{NAMESPACE}/app:api,more")
    );
    let body: Value = serde_json::from_slice(exchange.body()).unwrap();
    let public = body["podKey"].as_str().unwrap();
    assert!(public.starts_with("-----BEGIN PUBLIC KEY-----\n"));
    let public: String = public
        .lines()
        .filter(|line| !line.starts_with('-'))
        .collect();
    verify(&signed(&identity), &public);
}

fn cluster(_: &Request<Bytes>) -> Response<Bytes> {
    let body = json!({ "token": format!("ST${}", token()) }).to_string();
    response(200, json!(encode(Encoding::Standard, body)).to_string())
}

#[test]
fn the_operators_own_identity_is_used_only_where_it_may_be() {
    let services = services();
    let ctx = services.ctx("s");

    for extra in [json!({}), json!({"principalType": "Workload"})] {
        let refused = block_on(connect(&spec(extra), &ctx)).err().unwrap();

        assert_eq!(refused.kind(), &ErrorKind::InvalidSpec);
        assert!(
            refused.to_string().ends_with("is switched off"),
            "{refused}"
        );
    }
}

#[test]
fn a_user_without_key_fingerprint_or_name_is_told_so() {
    let services = services();
    services.objects.put_secret(NAMESPACE, "c", "key", "k");
    services.objects.put_secret(NAMESPACE, "c", "empty", "");
    let ctx = services.ctx("s");
    let refusal = |key: &str, fingerprint: &str, user: &str| {
        let spec = spec(json!({"auth": {
            "tenancy": "t",
            "user": user,
            "secretRef": {
                "privatekey": {"name": "c", "key": key},
                "fingerprint": {"name": "c", "key": fingerprint},
            },
        }}));
        block_on(connect(&spec, &ctx)).err().unwrap().to_string()
    };

    assert_eq!(refusal("empty", "key", "u"), "missing PrivateKey");
    assert_eq!(refusal("key", "empty", "u"), "missing Fingerprint");
    assert_eq!(refusal("key", "key", ""), "missing User ID");
    assert!(refusal("no", "key", "u").starts_with("could not fetch SecretAccessKey secret: "));
    assert!(refusal("key", "key", "u").starts_with("can not create client, bad configuration: "));
}
