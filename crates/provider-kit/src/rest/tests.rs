//! The client against scripted answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lockstep_provider_api::conformance::{
    ManualTime, TestServices, block_on, response, scripted, services,
};
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};

use super::*;
use crate::auth::{Scheme, StaticHeader};
use crate::error::checked;
use crate::session::Session;

fn plugged(
    answer: impl Fn(&str) -> http::Response<bytes::Bytes> + Send + Sync + 'static,
) -> TestServices {
    services().plugged(scripted(move |request| {
        let token = request.headers().get("authorization");
        answer(token.map_or("", |token| token.to_str().unwrap_or_default()))
    }))
}

fn client(ctx: &Ctx) -> Rest {
    let base = Address::new("url", "https://backend.test/api").unwrap();
    Rest::new(ctx, "Test", base, &Tls::default()).unwrap()
}

fn read(rest: &Rest) -> Result<Answer> {
    let request = rest.get("/x");
    block_on(rest.send("Read", request, |answer| {
        checked(answer, |_| "refused".to_owned())
    }))
}

/// Signs in with a new token each time.
fn session(ctx: &Ctx, logins: &Arc<AtomicUsize>) -> Session {
    let logins = Arc::clone(logins);
    let now = ctx.now();
    Session::new(ctx, Fingerprint::of(["test"]), Scheme::BEARER, move || {
        let n = logins.fetch_add(1, Ordering::Relaxed);
        async move { Ok(AccessToken::lasting(format!("t{n}").into(), 3600, now)) }
    })
}

#[test]
fn a_refused_token_is_renewed_once_and_the_request_repeated() {
    let services = plugged(|token| response(if token == "Bearer t1" { 200 } else { 401 }, "{}"));
    let ctx = services.ctx("s");
    let logins = Arc::default();
    let rest = client(&ctx).signed(session(&ctx, &logins));

    read(&rest).unwrap();
    read(&rest).unwrap();

    assert_eq!(logins.load(Ordering::Relaxed), 2);
}

#[test]
fn a_second_refusal_is_told() {
    let services = plugged(|_| response(401, "{}"));
    let ctx = services.ctx("s");
    let logins = Arc::default();
    let rest = client(&ctx).signed(session(&ctx, &logins));

    let error = read(&rest).unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unauthenticated);
    assert_eq!(error.to_string(), "refused");
    assert_eq!(logins.load(Ordering::Relaxed), 2);
}

#[test]
fn a_fixed_credential_is_not_tried_twice() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let services = plugged(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        response(401, "{}")
    });
    let ctx = services.ctx("s");
    let rest = client(&ctx).signed(StaticHeader::new(Scheme::BEARER, "t".into()));

    read(&rest).unwrap_err();

    assert_eq!(sent.load(Ordering::Relaxed), 1);
}

#[test]
fn an_answer_beyond_the_limit_is_refused() {
    let services = plugged(|_| response(200, "0123456789"));
    let rest = client(&services.ctx("s")).limit(9);

    let error = read(&rest).unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::InvalidData);
}

#[test]
fn a_login_that_is_not_there_is_no_missing_secret() {
    let services = plugged(|_| response(200, "{}"));
    let ctx = services.ctx("s");
    let login = || async { Err(Error::not_found()) };
    let session = Session::new(&ctx, Fingerprint::of(["gone"]), Scheme::BEARER, login);
    let rest = client(&ctx).signed(session);

    let error = read(&rest).unwrap_err();

    assert!(!error.consequence().absent);
}

/// How many requests a read makes while the backend answers `status`.
fn requests_while(status: u16, header: Option<&'static str>, repeat: Repeat) -> usize {
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let services = plugged(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        let mut answer = response(status, "{}");
        if let Some(header) = header {
            let value = http::HeaderValue::from_static(header);
            answer.headers_mut().insert("retry-after", value);
        }
        answer
    });
    let services = services.timed(ManualTime::hasty());
    let rest = client(&services.ctx("s")).repeating(repeat);

    read(&rest).unwrap_err();

    sent.load(Ordering::Relaxed)
}

#[test]
fn a_busy_backend_is_asked_again_as_often_as_the_store_says() {
    let repeat = Repeat::evenly(2, Duration::from_secs(1));

    assert_eq!(requests_while(500, None, repeat), 3);
    let doubling = Repeat::doubling(4, Duration::from_secs(5));
    assert_eq!(requests_while(503, None, doubling), 5);
    assert_eq!(requests_while(429, Some("7"), repeat), 3);
    assert_eq!(requests_while(429, Some("60"), repeat), 1);
    assert_eq!(requests_while(403, None, repeat), 1);
}
