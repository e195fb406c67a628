//! `/healthz` says that the process runs; `/readyz` says whether everything it waits for is there,
//! and names what is not. Each check has a path of its own below these two.

use std::sync::Arc;

use futures_util::FutureExt;
use http::{Request, Response, StatusCode};

use super::{Body, Handler, reads, text};
use crate::health::Readiness;

/// The health endpoints over a readiness.
pub fn health(readiness: Readiness) -> Handler {
    Arc::new(move |request| {
        let answer = answer(&request.map(drop), &readiness);
        async { answer }.boxed()
    })
}

pub(super) fn answer(request: &Request<()>, readiness: &Readiness) -> Response<Body> {
    if !reads(request.method()) {
        return text(
            StatusCode::METHOD_NOT_ALLOWED,
            "only GET is answered here\n",
        );
    }
    let path = request.uri().path().trim_end_matches('/');
    let query = request.uri().query().unwrap_or_default();
    let verbose = query.split('&').any(|pair| pair.starts_with("verbose"));
    match path.trim_start_matches('/').split_once('/') {
        None if path == "/healthz" && verbose => {
            text(StatusCode::OK, "[+]healthz ok\nhealthz check passed\n")
        }
        None if path == "/healthz" => text(StatusCode::OK, "ok"),
        None if path == "/readyz" => ready(readiness, verbose),
        Some(("healthz", "healthz" | "ping")) => text(StatusCode::OK, "ok"),
        Some(("readyz", "readyz")) => ready(readiness, verbose),
        Some(("readyz", name)) => match readiness.check(name) {
            Some(Ok(())) => text(StatusCode::OK, "ok"),
            Some(Err(reason)) => text(
                StatusCode::SERVICE_UNAVAILABLE,
                format!("{name} not ready: {reason}\n"),
            ),
            None => missing(),
        },
        _ => missing(),
    }
}

fn ready(readiness: &Readiness, verbose: bool) -> Response<Body> {
    if !readiness.is_ready() {
        let report = readiness.report();
        return text(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("{report}readyz check failed\n"),
        );
    }
    if verbose {
        let report = readiness.report();
        return text(StatusCode::OK, format!("{report}readyz check passed\n"));
    }
    text(StatusCode::OK, "ok")
}

fn missing() -> Response<Body> {
    text(StatusCode::NOT_FOUND, "404 page not found\n")
}
