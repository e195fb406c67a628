//! The client against scripted answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lockstep_provider_api::conformance::{TestServices, response, scripted, services};
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
    futures_util::future::FutureExt::now_or_never(rest.send("Read", request, |answer| {
        checked(answer, |_| "refused".to_owned())
    }))
    .unwrap()
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
