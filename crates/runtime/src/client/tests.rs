//! The client against small servers on loopback.

use http::Request;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::api_error::{ApiError, ApiErrorKind};

/// A server, a kubeconfig that points at it, and the folder that holds it.
struct Place {
    listener: TcpListener,
    settings: Settings,
    _dir: tempfile::TempDir,
}

async fn place() -> Place {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("kubeconfig");
    let text = format!(
        "{{apiVersion: v1, kind: Config, current-context: c,
          clusters: [{{name: c, cluster: {{server: 'http://{address}'}}}}],
          users: [{{name: u, user: {{token: bearer}}}}],
          contexts: [{{name: c, context: {{cluster: c, user: u, namespace: home}}}}]}}"
    );
    std::fs::write(&path, text).unwrap();
    Place {
        listener,
        settings: Settings {
            kubeconfig: Some(path),
            ..Settings::default()
        },
        _dir: dir,
    }
}

/// Reads a request head and answers.
async fn answer(stream: &mut TcpStream, status: &str, body: &str) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let length = body.len();
    let text = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(text.as_bytes()).await.unwrap();
    String::from_utf8(head).unwrap()
}

fn get(path: &str) -> Request<Vec<u8>> {
    Request::get(path).body(Vec::new()).unwrap()
}

#[tokio::test]
async fn a_plea_for_patience_is_heeded_and_every_try_is_counted() {
    let place = place().await;
    let metrics = Arc::new(Metrics::default());
    let client = connect(&place.settings, Arc::clone(&metrics))
        .await
        .unwrap();
    let server = async {
        let (mut stream, _) = place.listener.accept().await.unwrap();
        answer(&mut stream, "429 Too Many Requests", "").await;
        answer(&mut stream, "200 OK", "fine").await
    };

    let (head, text) = tokio::join!(server, client.request_text(get("/api")));

    assert_eq!(text.unwrap(), "fine");
    assert!(head.contains("user-agent: external-secrets\r\n"));
    assert!(head.contains("authorization: Bearer bearer\r\n"));
    assert_eq!(client.default_namespace(), "home");
    let scraped: String = metrics.scrape().collect();
    assert!(scraped.contains(r#"rest_client_requests_total{code="429",method="GET","#));
    assert!(scraped.contains(r#"rest_client_requests_total{code="200",method="GET","#));
}

#[tokio::test]
async fn a_silent_server_is_given_up_and_counted_as_an_error() {
    let mut place = place().await;
    place.settings.timeout = Duration::from_millis(50);
    let metrics = Arc::new(Metrics::default());
    let client = connect(&place.settings, Arc::clone(&metrics))
        .await
        .unwrap();

    for path in ["/api", "/api?watch=true"] {
        let failure = ApiError::from(client.request_text(get(path)).await.unwrap_err());

        assert_eq!(failure.kind(), ApiErrorKind::Unreachable);
        assert!(failure.to_string().contains("no answer"), "{failure}");
    }
    let scraped: String = metrics.scrape().collect();
    assert!(
        scraped.contains(r#"{code="<error>",method="GET","#),
        "{scraped}"
    );
}

#[tokio::test]
async fn an_answer_that_stops_half_way_is_given_up() {
    let mut place = place().await;
    place.settings.timeout = Duration::from_millis(100);
    let client = connect(&place.settings, Arc::default()).await.unwrap();
    let server = async {
        let (mut stream, _) = place.listener.accept().await.unwrap();
        let half = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf";
        stream.write_all(half).await.unwrap();
        stream
    };

    let (_stream, text) = tokio::join!(server, client.request_text(get("/api")));

    let failure = ApiError::from(text.unwrap_err());
    assert_eq!(failure.kind(), ApiErrorKind::Unreachable);
}

#[tokio::test]
async fn a_rate_limit_spreads_requests() {
    let mut place = place().await;
    place.settings.rate = Some(Rate {
        per_second: 20.0,
        burst: 1,
    });
    let client = connect(&place.settings, Arc::default()).await.unwrap();
    let server = async {
        let (mut stream, _) = place.listener.accept().await.unwrap();
        for _ in 0..3 {
            answer(&mut stream, "200 OK", "").await;
        }
    };
    let started = crate::clock::Stopwatch::start();
    let requests = async {
        for _ in 0..3 {
            client.request_text(get("/api")).await.unwrap();
        }
    };

    tokio::join!(server, requests);

    assert!(started.elapsed() >= Duration::from_millis(95));
}

#[tokio::test]
async fn a_kubeconfig_that_cannot_be_used_is_named() {
    let settings = Settings {
        kubeconfig: Some("/nowhere/kubeconfig".into()),
        ..Settings::default()
    };

    let error = connect(&settings, Arc::default()).await.err().unwrap();

    assert!(
        error
            .to_string()
            .starts_with("kubeconfig /nowhere/kubeconfig: ")
    );
}
