//! Requests that need HTTP/2, as gRPC does: trailers come with the answer, and a server that has only
//! HTTP/1 is named as such.

use std::convert::Infallible;

use http::{HeaderMap, Version};
use http_body_util::StreamBody;
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;

use super::*;

/// A body with trailers behind it.
async fn with_trailers(
    request: Request<Incoming>,
) -> std::result::Result<
    Response<
        StreamBody<impl futures_util::Stream<Item = std::result::Result<Frame<Bytes>, Infallible>>>,
    >,
    Infallible,
> {
    assert_eq!(request.version(), Version::HTTP_2);
    assert_eq!(request.headers()["te"], "trailers");
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("5"));
    let frames = [
        Frame::data(Bytes::from_static(b"body")),
        Frame::trailers(trailers),
    ];
    let frames = futures_util::stream::iter(frames.map(Ok));
    Ok(Response::new(StreamBody::new(frames)))
}

fn needs_http2(port: u16) -> Request<Bytes> {
    let request = Request::post(format!("https://localhost:{port}/"));
    let request = request.version(Version::HTTP_2).header("te", "trailers");
    request.body(Bytes::from_static(b"question")).unwrap()
}

async fn send(acceptor: TlsAcceptor, authority: &Authority) -> Result<Response<Bytes>> {
    let (listener, address) = listen().await;
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let stream = TokioIo::new(acceptor.accept(stream).await.unwrap());
        let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
        let _ended = server
            .serve_connection(stream, service_fn(with_trailers))
            .await;
    });
    let tls = Tls {
        ca: Some(authority.pem()),
        ..Tls::default()
    };
    let transport = HttpTransports::new(Settings::default()).connect(&tls)?;
    let answer = transport.send(needs_http2(address.port())).await;
    server.abort();
    answer
}

#[tokio::test]
async fn trailers_come_with_the_answer() {
    let authority = Authority::new();

    let answer = send(
        authority.acceptor_with("localhost", None, &["h2"]),
        &authority,
    )
    .await;

    let answer = answer.unwrap();
    assert_eq!(answer.body(), "body");
    let Trailers(trailers) = answer.extensions().get().unwrap();
    assert_eq!(trailers["grpc-status"], "5");
}

#[tokio::test]
async fn a_server_without_http2_is_named_as_such() {
    let authority = Authority::new();
    let acceptor = authority.acceptor_with("localhost", None, &["http/1.1"]);

    let error = send(acceptor, &authority).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unreachable);
    assert!(
        error.to_string().contains("does not speak HTTP/2"),
        "{error}"
    );
}
