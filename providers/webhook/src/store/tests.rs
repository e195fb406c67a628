//! Calls as the server sees them and answers as users get them.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use lockstep_provider_api::conformance::{
    Fault, Faults, NAMESPACE, TestServices, block_on, response, scripted, services,
};
use serde_json::{Value, json};

use super::*;

type Log = Arc<Mutex<Vec<Request<Bytes>>>>;

fn plugged(
    answer: impl Fn(&Request<Bytes>) -> Response<Bytes> + Send + Sync + 'static,
) -> (TestServices, Log) {
    let log = Log::default();
    let seen = Arc::clone(&log);
    let transport = scripted(move |request| {
        let answer = answer(&request);
        seen.lock().unwrap().push(request);
        answer
    });
    (services().plugged(transport), log)
}

fn open(services: &TestServices, spec: Value) -> Result<WebhookStore> {
    open_in(services, spec, None)
}

fn open_in(services: &TestServices, spec: Value, scope: Option<Scope>) -> Result<WebhookStore> {
    let spec: WebhookSpec = serde_json::from_value(spec).unwrap();
    let ctx = match scope {
        None => services.ctx("hook"),
        Some(scope) => services.ctx_in("hook", scope),
    };
    block_on(WebhookStore::connect(spec, ctx))
}

fn text(value: Result<SecretValue>) -> String {
    value.unwrap().expose_utf8().unwrap().to_owned()
}

#[test]
fn templates_see_the_reference_and_labelled_secrets() {
    let (services, log) = plugged(|_| response(200, r#"{"p q":{"v":"found"}}"#));
    services
        .objects
        .put_secret(NAMESPACE, "auth", "token", "t0ken");
    services
        .objects
        .label_secret(NAMESPACE, "auth", "external-secrets.io/type", "webhook");
    let store = open(
        &services,
        json!({
            "url": "https://hook.test/{{ .remoteRef.key }}?v={{ .remoteRef.version }}&n={{ .remoteRef.namespace }}",
            "method": "POST",
            "headers": {"Authorization": "Bearer {{ .auth.token }}", "X-Key": "{{ .remoteRef.key }}"},
            "body": "{\"k\":\"{{ .remoteRef.key }}\"}",
            "result": {"jsonPath": "$['{{ .remoteRef.property }}'].v"},
            "secrets": [{"name": "auth", "secretRef": {"name": "auth"}}],
        }),
    )
    .unwrap();
    let reference = RemoteRef {
        version: Some("1&2".to_owned()),
        ..RemoteRef::key("a b/c").property("p q")
    };

    assert_eq!(text(block_on(store.get(&reference))), "found");

    let log = log.lock().unwrap();
    let request = log.first().unwrap();
    assert_eq!(request.method(), "POST");
    assert_eq!(
        request.uri(),
        "https://hook.test/a+b%2Fc?v=1%262&n=conformance"
    );
    assert_eq!(request.headers()["authorization"], "Bearer t0ken");
    assert_eq!(request.headers()["x-key"], "a b/c");
    assert_eq!(request.body(), r#"{"k":"a b/c"}"#);
    assert!(!request.headers().contains_key("content-type"));
}

#[test]
fn secrets_without_the_label_are_not_sent() {
    let (services, log) = plugged(|_| response(200, "x"));
    services
        .objects
        .put_secret(NAMESPACE, "auth", "token", "t0ken");
    let spec = json!({
        "url": "https://hook.test/{{ .auth.token }}",
        "secrets": [{"name": "auth", "secretRef": {"name": "auth"}}],
    });
    let store = open(&services, spec).unwrap();

    let error = block_on(store.get(&RemoteRef::key("k"))).unwrap_err();

    assert!(
        error.to_string().starts_with(
            "secret does not contain needed label 'external-secrets.io/type: webhook'"
        ),
        "{error}"
    );
    assert!(log.lock().unwrap().is_empty());
    // Once it is marked, the same connection works.
    services
        .objects
        .label_secret(NAMESPACE, "auth", "external-secrets.io/type", "webhook");
    assert_eq!(text(block_on(store.get(&RemoteRef::key("k")))), "x");
}

#[test]
fn a_cluster_store_must_say_where_its_secrets_are() {
    let (services, _) = plugged(|_| response(200, "x"));
    let scope = Scope::Cluster {
        caller: Some("app".to_owned()),
    };
    let spec = json!({
        "url": "https://hook.test/",
        "secrets": [{"name": "auth", "secretRef": {"name": "auth"}}],
    });
    let store = open_in(&services, spec, Some(scope)).unwrap();

    let error = block_on(store.get(&RemoteRef::key("k"))).unwrap_err();

    assert_eq!(
        error.to_string(),
        "no namespace on ClusterScoped webhook secret auth"
    );
}

#[test]
fn a_cluster_store_is_shared_unless_it_looks_at_the_caller() {
    let depends = |url: &str| {
        let (services, _) = plugged(|_| response(200, "x"));
        let scope = Scope::Cluster {
            caller: Some("app".to_owned()),
        };
        let ctx = services.ctx_in("hook", scope);
        let spec: WebhookSpec = serde_json::from_value(json!({ "url": url })).unwrap();
        block_on(WebhookStore::connect(spec, ctx.clone())).unwrap();
        ctx.depends_on_caller()
    };

    assert!(!depends("https://hook.test/{{ .remoteRef.key }}"));
    assert!(depends("https://hook.test/{{ .remoteRef.namespace }}"));
}

#[test]
fn failures_on_the_wire_name_the_server_and_not_the_path() {
    let (services, _) = plugged(|_| response(200, "x"));
    let store = open(&services, json!({"url": "https://hook.test/t0ken/x"})).unwrap();
    services.wire.fail_after(0, Fault::Drop);

    let error = block_on(store.get(&RemoteRef::key("k"))).unwrap_err();

    assert_eq!(
        error.to_string(),
        "failed to call endpoint: connection reset by peer"
    );
    assert_eq!(error.kind(), &ErrorKind::Unreachable);
}

#[test]
fn redirects_are_followed_to_an_end() {
    let (services, log) = plugged(|request| {
        let mut answer = response(302, "");
        if request.uri().path() == "/end" {
            return response(200, "there");
        }
        let to = if request.uri().path() == "/loop" {
            "/loop"
        } else {
            "/end"
        };
        let to = http::HeaderValue::from_static(to);
        answer.headers_mut().insert("location", to);
        answer
    });
    let store = |path: &str| {
        open(
            &services,
            json!({"url": format!("https://hook.test/{path}")}),
        )
        .unwrap()
    };

    assert_eq!(
        text(block_on(store("a").get(&RemoteRef::key("k")))),
        "there"
    );
    let error = block_on(store("loop").get(&RemoteRef::key("k"))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to call endpoint: stopped after 10 redirects"
    );
    assert_eq!(log.lock().unwrap().len(), 2 + 11);
}

#[test]
fn one_answer_serves_all_paths_into_it_unless_the_request_names_the_property() {
    let (services, log) = plugged(|_| response(200, r#"{"a":"1","o":{"b":"2"}}"#));
    let path = json!({"jsonPath": "$.{{ .remoteRef.property }}"});
    let spec = json!({"url": "https://hook.test/{{ .remoteRef.key }}", "result": path});
    let store = open(&services, spec).unwrap();
    let by_property = "https://hook.test/{{ .remoteRef.key }}/{{ .remoteRef.property }}";
    let apart = open(&services, json!({"url": by_property})).unwrap();
    let reference = |property| RemoteRef::key("k").property(property);
    let reads = [
        Read::Value(reference("a")),
        Read::Map(reference("o")),
        Read::Value(reference("o.b")),
        Read::Value(reference("nope")),
    ];

    let wholes: Vec<_> = reads
        .iter()
        .map(|read| store.containing_read(read).unwrap())
        .collect();
    let Read::Raw(raw) = &wholes[0] else {
        panic!("{wholes:?}");
    };
    let answer = block_on(store.get_raw(raw)).map(Payload::Value);
    let asked = log.lock().unwrap().len();

    assert!(wholes.iter().all(|whole| *whole == wholes[0]));
    assert_eq!(asked, 1);
    for read in &reads {
        let part = store.extract_from(read, &answer);
        let alone = block_on(lockstep_provider_api::erased::perform(&store, read));
        match (part, alone) {
            (Ok(part), Ok(alone)) => assert_eq!(part, alone),
            (part, alone) => assert_eq!(
                part.unwrap_err().to_string(),
                alone.unwrap_err().to_string()
            ),
        }
    }
    assert_eq!(apart.containing_read(&reads[0]), None);
}

#[test]
fn a_bad_template_fails_the_reads_that_need_it() {
    let (services, _) = plugged(|_| response(200, "x"));
    let store = open(&services, json!({"url": "https://hook.test/{{ .remoteRef"})).unwrap();

    let error = block_on(store.get(&RemoteRef::key("k"))).unwrap_err();

    assert!(
        error
            .to_string()
            .starts_with("failed to parse url: template: webhooktemplate:1:"),
        "{error}"
    );
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
}

#[test]
fn a_push_sends_the_value_where_the_store_has_no_body() {
    let (services, log) = plugged(|_| response(200, "ok"));
    let spec = json!({"url": "https://hook.test/{{ .remoteRef.remoteKey }}"});
    let store = open(&services, spec).unwrap();
    let source = SecretMap::from_iter([("a".to_owned(), "1 2".into())]);
    let mut item = PushItem::whole(PushTarget::key("my-key"), source);
    item.secret_key = Some("a".to_owned());

    assert_eq!(block_on(store.push(&item)).unwrap(), Pushed::Updated);
    block_on(store.delete(&item.target)).unwrap();

    let log = log.lock().unwrap();
    let seen: Vec<_> = log
        .iter()
        .map(|request| (request.method().as_str(), request.body().clone()))
        .collect();
    assert_eq!(
        seen,
        [("POST", Bytes::from("1 2")), ("DELETE", Bytes::new())]
    );
    assert_eq!(log[0].uri(), "https://hook.test/my-key");
}

#[test]
fn a_refused_push_reads_as_upstream_has_it() {
    let (services, _) = plugged(|_| response(403, "no"));
    let store = open(&services, json!({"url": "https://hook.test/"})).unwrap();
    let item = PushItem::whole(PushTarget::key("rk"), SecretMap::new());

    let error = block_on(store.push(&item)).unwrap_err();

    assert_eq!(
        error.to_string(),
        "failed to push webhook data: failed to push webhook data: endpoint gave error 403 Forbidden"
    );
    assert_eq!(error.kind(), &ErrorKind::Denied);
}

#[test]
fn a_push_that_meets_no_endpoint_reads_as_upstream_has_it_and_is_no_absence() {
    let (services, _) = plugged(|_| response(404, "no"));
    let store = open(&services, json!({"url": "https://hook.test/"})).unwrap();
    let item = PushItem::whole(PushTarget::key("rk"), SecretMap::new());

    let error = block_on(store.push(&item)).unwrap_err();

    assert_eq!(
        error.to_string(),
        "failed to push webhook data: failed to push webhook data: Secret does not exist: endpoint \
         gave error 404 Not Found"
    );
    assert!(!error.consequence().absent);
}

#[test]
fn the_check_reaches_for_the_server_as_written() {
    let host = |url: &str| server(url);

    assert_eq!(host("http://a.test/x"), Some(("a.test".to_owned(), 443)));
    assert_eq!(
        host("https://a.test:8443?k={{ .remoteRef.key }}"),
        Some(("a.test".to_owned(), 8443))
    );
    assert_eq!(host("http://[::1]:80/"), Some(("::1".to_owned(), 80)));
    assert_eq!(host("http://{{ .x.host }}/"), None);
}

#[test]
fn an_unreachable_server_fails_the_check() {
    let (services, log) = plugged(|_| response(200, "x"));
    let store = open(&services, json!({"url": "https://hook.test/"})).unwrap();

    assert!(matches!(
        block_on(store.check()),
        Check::Healthy(Health::Ready)
    ));
    services.wire.fail_after(0, Fault::Drop);
    let Check::Failed(error) = block_on(store.check()) else {
        panic!("the check passes");
    };

    assert_eq!(
        error.to_string(),
        "error accessing external store: connection refused"
    );
    assert!(log.lock().unwrap().is_empty(), "a check sends no request");
}

#[test]
fn ntlm_is_refused_with_a_remedy() {
    let spec: WebhookSpec = serde_json::from_value(json!({
        "url": "https://hook.test/",
        "auth": {"ntlm": {"usernameSecret": {"name": "n", "key": "u"},
                          "passwordSecret": {"name": "n", "key": "p"}}},
    }))
    .unwrap();

    let error = spec.validate().unwrap_err();

    assert_eq!(
        error.to_string(),
        "auth.ntlm is not supported by this build; send credentials in headers"
    );
}
