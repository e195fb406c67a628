//! The channel against scripted answers. What goes over a real wire is tried with the providers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use http::{HeaderMap, Response};
use lockstep_provider_api::conformance::{TestServices, response, scripted, services};
use lockstep_provider_api::http::Trailers;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};

use super::*;
use crate::auth::Scheme;
use crate::session::Session;

const READ: Rpc = Rpc {
    path: "/test.Secrets/Get",
    call: "Read",
};

#[derive(Clone, PartialEq, Message)]
struct Text {
    #[prost(string, tag = "1")]
    text: String,
}

fn text(text: &str) -> Text {
    Text {
        text: text.to_owned(),
    }
}

/// An answer as servers send it: a message, and the status behind it.
fn answered(message: &Text, trailers: &[(&'static str, &'static str)]) -> Response<Bytes> {
    let mut answer = response(200, frame::encode(&message.encode_to_vec()));
    answer.headers_mut().insert(CONTENT_TYPE, GRPC);
    let trailers = trailers.iter().map(|(name, value)| {
        let name = http::HeaderName::from_static(name);
        (name, HeaderValue::from_static(value))
    });
    let trailers = Trailers(trailers.collect::<HeaderMap>());
    answer.extensions_mut().insert(trailers);
    answer
}

/// An answer without a message: the status is in the head.
fn refused(code: &'static str, headers: &[(&'static str, &'static str)]) -> Response<Bytes> {
    let mut answer = response(200, "");
    let all = headers.iter().chain(&[("grpc-status", "")]);
    for (name, value) in all {
        let value = if value.is_empty() { code } else { value };
        let value = HeaderValue::from_static(value);
        answer.headers_mut().insert(*name, value);
    }
    answer
}

fn plugged(answer: impl Fn(&Request) -> Response<Bytes> + Send + Sync + 'static) -> TestServices {
    services().plugged(scripted(move |request| answer(&request)))
}

fn channel(services: &TestServices) -> Channel {
    let target = ("apiEndpoint", "backend.test");
    Channel::new(&services.ctx("s"), "Test", target, &Tls::default()).unwrap()
}

fn call(channel: &Channel) -> Result<Text> {
    let question = text("question");
    channel.call(READ, &question).now_or_never().unwrap()
}

fn failure(answer: Response<Bytes>) -> Error {
    let services = plugged(move |_| answer.clone());
    call(&channel(&services)).unwrap_err()
}

#[test]
fn a_call_is_one_framed_message_each_way() {
    let services = plugged(|request| {
        assert_eq!(request.version(), Version::HTTP_2);
        assert_eq!(request.uri(), "https://backend.test:443/test.Secrets/Get");
        assert_eq!(request.headers()["te"], "trailers");
        assert_eq!(request.headers()["content-type"], "application/grpc");
        assert_eq!(request.headers()["grpc-timeout"], "60S");
        let question = Text::decode(frame::decode(request.body()).unwrap()).unwrap();
        answered(
            &text(&format!("{} answered", question.text)),
            &[("grpc-status", "0")],
        )
    });

    assert_eq!(call(&channel(&services)).unwrap().text, "question answered");
}

#[test]
fn a_status_behind_the_message_counts() {
    let trailers = [("grpc-status", "5"), ("grpc-message", "no%20secret")];

    let error = failure(answered(&text("hunter2"), &trailers));

    assert_eq!(error.kind(), &ErrorKind::NotFound);
    assert_eq!(
        error.to_string(),
        "rpc error: code = NotFound desc = no secret"
    );
}

#[test]
fn a_throttled_call_says_when_to_come_back() {
    let soon = failure(refused("8", &[("grpc-retry-pushback-ms", "1500")]));
    let later = failure(refused("8", &[("retry-after", "7")]));

    assert_eq!(soon.kind(), &ErrorKind::Throttled);
    assert_eq!(soon.retry_after(), Some(Duration::from_millis(1500)));
    assert_eq!(later.retry_after(), Some(Duration::from_secs(7)));
}

#[test]
fn a_server_that_speaks_no_grpc_is_no_absence() {
    let table = [
        (404, ErrorKind::InvalidSpec),
        (403, ErrorKind::Denied),
        (429, ErrorKind::Throttled),
        (503, ErrorKind::Unreachable),
        (200, ErrorKind::InvalidData),
    ];

    for (status, kind) in table {
        let error = failure(response(status, "<html>hunter2"));
        assert_eq!(error.kind(), &kind, "{status}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[test]
fn an_answer_without_its_end_is_not_believed() {
    let error = failure(answered(&text("half"), &[]));

    assert_eq!(error.kind(), &ErrorKind::Unreachable);
    assert!(error.to_string().ends_with("without sending trailers"));
}

#[test]
fn a_refused_token_is_renewed_once_and_the_call_repeated() {
    let services = plugged(|request| match request.headers().get("authorization") {
        Some(token) if token == "Bearer t1" => answered(&text("in"), &[("grpc-status", "0")]),
        _ => refused("16", &[]),
    });
    let ctx = services.ctx("s");
    let logins = Arc::new(AtomicUsize::new(0));
    let now = ctx.now();
    let counter = Arc::clone(&logins);
    let key = Fingerprint::of(["grpc"]);
    let session = Session::new(&ctx, key, Scheme::BEARER, move || {
        let n = counter.fetch_add(1, Ordering::Relaxed);
        async move { Ok(AccessToken::lasting(format!("t{n}").into(), 3600, now)) }
    });

    let answer = call(&channel(&services).signed(session)).unwrap();

    assert_eq!(answer.text, "in");
    assert_eq!(logins.load(Ordering::Relaxed), 2);
}

#[test]
fn an_address_is_a_host_with_an_optional_port() {
    assert_eq!(base("f", "h.test").unwrap(), "https://h.test:443");
    assert_eq!(base("f", "h.test:8443").unwrap(), "https://h.test:8443");
    for target in [
        "",
        "https://h.test",
        "h.test/path",
        "h.test/",
        "u@h.test",
        "h.test?q",
    ] {
        let error = base("f", target).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec, "{target}");
    }
}
