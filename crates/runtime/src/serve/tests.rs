//! The endpoints over real sockets.

use futures_util::FutureExt;
use lockstep_provider_api::http::{Tls, Transports, Verification};

use super::*;
use crate::health::Readiness;
use crate::metrics::Metrics;
use crate::transport::{HttpTransports, Settings};

/// Status and body of one GET.
async fn get(uri: &str, token: Option<&str>) -> (u16, String) {
    let tls = Tls {
        verification: Verification::Off,
        ..Tls::default()
    };
    let transport = HttpTransports::new(Settings::default())
        .connect(&tls)
        .unwrap();
    let mut request = Request::get(uri);
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let answer = transport
        .send(request.body(Bytes::new()).unwrap())
        .await
        .unwrap();
    let status = answer.status().as_u16();
    (
        status,
        String::from_utf8(answer.into_body().to_vec()).unwrap(),
    )
}

/// Starts a server and returns its host and port.
async fn start(handler: Handler, certificates: Option<Certificates>) -> (String, Shutdown) {
    let mut server = Server::bind("127.0.0.1:0").await.unwrap();
    let address = server.address().unwrap().to_string();
    if let Some(certificates) = certificates {
        server = server.secured(certificates).unwrap();
    }
    let shutdown = Shutdown::default();
    let background = Background::new(Arc::default(), Readiness::default());
    server.spawn("test", handler, (&background, shutdown.clone()));
    (address, shutdown)
}

#[tokio::test]
async fn readiness_names_what_is_waited_for_and_liveness_does_not_care() {
    let readiness = Readiness::default();
    let stores = readiness.register("secretstores");
    stores.waiting("the CRD is not installed");
    readiness.register("secrets").ready();
    let (address, _shutdown) = start(health(readiness), None).await;
    let ask = async |path: &str| get(&format!("http://{address}{path}"), None).await;

    assert_eq!(ask("/healthz").await, (200, "ok".to_owned()));
    let (status, body) = ask("/readyz").await;
    assert_eq!(status, 503);
    assert_eq!(
        body,
        "[+]secrets ok\n[-]secretstores not ready: the CRD is not installed\nreadyz check failed\n"
    );
    assert_eq!(ask("/readyz/secretstores").await.0, 503);
    assert_eq!(ask("/readyz/secrets").await, (200, "ok".to_owned()));
    stores.ready();
    assert_eq!(ask("/readyz").await, (200, "ok".to_owned()));
    let (_, verbose) = ask("/readyz?verbose").await;
    assert!(verbose.ends_with("[+]secretstores ok\nreadyz check passed\n"));
}

#[tokio::test]
async fn upstreams_checks_have_their_paths_and_others_do_not() {
    let (address, _shutdown) = start(health(Readiness::default()), None).await;
    let ask = async |path: &str| get(&format!("http://{address}{path}"), None).await.0;

    assert_eq!(ask("/healthz/healthz").await, 200);
    assert_eq!(ask("/readyz/readyz").await, 200);
    assert_eq!(ask("/readyz/nothing").await, 404);
    assert_eq!(ask("/").await, 404);
}

#[tokio::test]
async fn metrics_are_served_in_prometheus_format() {
    let metrics = Arc::new(Metrics::default());
    metrics.controller("externalsecret");
    let (address, _shutdown) = start(super::metrics(metrics, None), None).await;

    let (status, body) = get(&format!("http://{address}/metrics"), None).await;

    assert_eq!(status, 200);
    assert!(body.contains("# TYPE workqueue_depth gauge\n"));
    assert_eq!(get(&format!("http://{address}/"), None).await.0, 404);
}

/// Knows one token and lets one path be read.
struct Doorkeeper;

impl Authorize for Doorkeeper {
    fn access<'a>(
        &'a self,
        token: &'a str,
        path: &'a str,
    ) -> BoxFuture<'a, Result<Access, String>> {
        let access = match (token, path) {
            ("reader", "/metrics") => Access::Granted,
            ("stranger", _) => Access::Denied,
            _ => Access::Unknown,
        };
        async move { Ok(access) }.boxed()
    }
}

#[tokio::test]
async fn secured_metrics_are_for_those_who_may() {
    let handler = super::metrics(Arc::default(), Some(Arc::new(Doorkeeper)));
    let certificates = Certificates::self_signed().unwrap();
    let (address, _shutdown) = start(handler, Some(certificates)).await;
    let uri = format!("https://{address}/metrics");

    assert_eq!(get(&uri, Some("reader")).await.0, 200);
    assert_eq!(get(&uri, Some("stranger")).await.0, 403);
    assert_eq!(get(&uri, Some("nobody")).await.0, 401);
    assert_eq!(get(&uri, None).await.0, 401);
}

#[tokio::test]
async fn a_port_in_use_is_named() {
    let first = Server::bind("127.0.0.1:0").await.unwrap();
    let address = first.address().unwrap().to_string();

    let error = Server::bind(&address).await.err().unwrap();

    assert!(error.to_string().contains(&address), "{error}");
}
