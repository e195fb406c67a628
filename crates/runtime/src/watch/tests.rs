//! Pauses, list strategies, and the fall-back from streamed to paged lists on a scripted server.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bytes::Bytes;
use futures_util::pin_mut;
use futures_util::stream::{Pending, pending};
use http::{Request, Response};
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;

use super::*;
use crate::health::Readiness;

#[test]
fn tries_never_pause_longer_than_a_new_kind_may_wait() {
    let pauses: Vec<u128> = (1..8)
        .map(|failures| pause(failures, 1.0).as_millis())
        .collect();

    assert_eq!(pauses, [100, 200, 400, 800, 1500, 1500, 1500]);
    assert_eq!(pause(1, 0.0), Duration::from_millis(50));
}

#[test]
fn lists_are_streamed_or_paged() {
    let settings = Settings {
        labels: Some("a=b".to_owned()),
        ..Settings::default()
    };

    let (streamed, paged) = (settings.config(true), settings.config(false));

    assert_eq!(
        streamed.initial_list_strategy,
        watcher::InitialListStrategy::StreamingList
    );
    assert_eq!(paged.page_size, Some(500));
    assert_eq!(paged.list_semantic, watcher::ListSemantic::MostRecent);
    assert_eq!(paged.label_selector.as_deref(), Some("a=b"));
}

/// What the scripted server does.
enum Answer {
    Whole(u16, String),
    Silence,
}

fn nothing() -> Pending<Result<Frame<Bytes>, Infallible>> {
    pending()
}

/// A client whose requests are answered by `answer` and noted.
fn scripted(answer: fn(&str) -> Answer) -> (Client, Arc<Mutex<Vec<String>>>) {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&requests);
    let service = tower::service_fn(move |request: Request<Body>| {
        let query = request.uri().query().unwrap_or_default().to_owned();
        let (code, body) = match answer(&query) {
            Answer::Whole(code, text) => (code, Full::from(text).boxed_unsync()),
            Answer::Silence => (200, StreamBody::new(nothing()).boxed_unsync()),
        };
        noted.lock().push(query);
        let response = Response::builder().status(code).body(body).unwrap();
        async { Ok::<_, tower::BoxError>(response) }
    });
    (Client::new(service, "default"), requests)
}

const REFUSED: &str = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","code":422,
    "reason":"Invalid","message":"sendInitialEvents is forbidden"}"#;

fn page(name: &str, more: &str) -> String {
    format!(
        r#"{{"metadata":{{"resourceVersion":"5","continue":"{more}"}},
            "items":[{{"metadata":{{"name":"{name}"}}}}]}}"#
    )
}

fn without_streaming(query: &str) -> Answer {
    if query.contains("sendInitialEvents=true") {
        Answer::Whole(422, REFUSED.to_owned())
    } else if query.contains("watch=true") {
        Answer::Silence
    } else if query.contains("continue=next") {
        Answer::Whole(200, page("b", ""))
    } else {
        Answer::Whole(200, page("a", "next"))
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_streamed_lists_is_read_in_pages() {
    let (client, requests) = scripted(without_streaming);
    let readiness = Readiness::default();
    let component = readiness.register("configmaps");
    let settings = Settings {
        page: 1,
        ..Settings::default()
    };
    let changes = watch::<ConfigMap>(Api::all(client), settings, component);
    pin_mut!(changes);

    let mut names = Vec::new();
    loop {
        match changes.next().await.unwrap() {
            Change::Applied(map) => names.extend(map.metadata.name),
            Change::Synced => break,
            Change::Reset => names.clear(),
            other => panic!("unexpected {other:?}"),
        }
    }

    assert_eq!(names, ["a", "b"]);
    assert!(readiness.is_ready());
    let requests = requests.lock();
    assert!(requests[0].contains("sendInitialEvents=true"));
    assert!(requests[1].contains("limit=1") && !requests[1].contains("resourceVersion=0"));
    assert_eq!(requests.len(), 3);
}

/// Servers that do not know streamed lists never tell the end of one.
fn ignorant_of_streaming(query: &str) -> Answer {
    if query.contains("watch=true") {
        Answer::Silence
    } else {
        Answer::Whole(200, page("a", ""))
    }
}

fn breaking_streams_off(query: &str) -> Answer {
    if query.contains("sendInitialEvents=true") {
        Answer::Whole(200, String::new())
    } else {
        ignorant_of_streaming(query)
    }
}

async fn synced_within(limit: Duration, answer: fn(&str) -> Answer) -> (bool, usize) {
    let (client, requests) = scripted(answer);
    let component = Readiness::default().register("configmaps");
    let changes = watch::<ConfigMap>(Api::all(client), Settings::default(), component);
    pin_mut!(changes);
    let synced = async { while !matches!(changes.next().await, Some(Change::Synced)) {} };
    let synced = tokio::time::timeout(limit, synced).await.is_ok();
    (synced, requests.lock().len())
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ignores_the_wish_for_a_streamed_list_is_found_out() {
    let (synced, requests) = synced_within(SILENCE * 2, ignorant_of_streaming).await;

    assert!(synced);
    assert_eq!(requests, 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_breaks_streams_off_is_not_asked_in_a_tight_loop() {
    let (synced, requests) = synced_within(SILENCE * 2, breaking_streams_off).await;

    assert!(synced);
    assert!(requests < 10, "{requests} requests");
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_server_is_named_and_waited_for() {
    static TRIES: AtomicU32 = AtomicU32::new(0);
    let service = tower::service_fn(|request: Request<Body>| async move {
        if TRIES.fetch_add(1, Ordering::SeqCst) < 12 {
            return Err(tower::BoxError::from("connection refused"));
        }
        let query = request.uri().query().unwrap_or_default();
        let Answer::Whole(_, text) = ignorant_of_streaming(&query.replace("watch=true", "")) else {
            panic!("no list");
        };
        Ok(Response::new(Full::<Bytes>::from(text)))
    });
    let client = Client::new(service, "default");
    let readiness = Readiness::default();
    let component = readiness.register("configmaps");
    let changes = watch::<ConfigMap>(Api::all(client), Settings::default(), component);
    pin_mut!(changes);

    let synced = async { while !matches!(changes.next().await, Some(Change::Synced)) {} };
    assert!(
        tokio::time::timeout(Duration::from_secs(5), synced)
            .await
            .is_err()
    );
    let waiting = readiness.waiting();
    assert_eq!(
        waiting[0].1,
        "cannot reach the API server: connection refused"
    );
    let synced = async { while !matches!(changes.next().await, Some(Change::Synced)) {} };
    assert!(tokio::time::timeout(SILENCE * 3, synced).await.is_ok());
    assert!(readiness.is_ready());
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_asked_to_lists_again() {
    let (client, _) = scripted(without_streaming);
    let (asking, relist) = tokio::sync::watch::channel(0);
    let settings = Settings {
        relist: Some(relist),
        ..Settings::default()
    };
    let component = Readiness::default().register("configmaps");
    let changes = watch::<ConfigMap>(Api::all(client), settings, component);
    pin_mut!(changes);
    while !matches!(changes.next().await, Some(Change::Synced)) {}

    asking.send_replace(1);

    assert!(matches!(changes.next().await, Some(Change::Reset)));
    while !matches!(changes.next().await, Some(Change::Synced)) {}
}
