//! HTTP for providers: one pooled client for each distinct trust and identity, HTTP/2 where the
//! server offers it, bounded in time and size. Error texts name scheme and host only, because paths
//! and queries may carry credentials.

use std::collections::HashMap;
use std::error::Error as StdError;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::header::{HeaderValue, PROXY_AUTHORIZATION, USER_AGENT};
use http::{Request, Response, Uri};
use http_body_util::Full;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use lockstep_provider_api::error::{Error, Result};
use lockstep_provider_api::http::{Tls, Trailers, Transport, Transports, Verification, server_of};

use crate::connect::{Connector, Proxy};

use parking_lot::Mutex;
use room::{Room, Unread};

mod certificate;
mod room;
mod tls;
mod trust;

#[cfg(test)]
mod tests;

/// Bytes a connection of HTTP/1 buffers; headers must fit.
const BUFFER: usize = 64 * 1024;
/// Bytes a stream of HTTP/2 may be ahead.
const WINDOW: u32 = 256 * 1024;

/// What the client says where a request needs HTTP/2 and the server chose HTTP/1.
const NO_HTTP2: &str = "client error (UserUnsupportedVersion)";

/// Limits of requests to backends.
#[derive(Clone)]
pub struct Settings {
    /// Longest time for a TCP connection to open.
    pub connect_timeout: Duration,
    /// Longest time from a request to the end of its answer.
    pub request_timeout: Duration,
    /// Largest answer in bytes.
    pub answer_limit: usize,
    /// Proxies.
    pub proxy: Proxy,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_mins(1),
            answer_limit: 16 * 1024 * 1024,
            proxy: Proxy::default(),
        }
    }
}

/// Makes and shares HTTP clients.
pub struct HttpTransports {
    settings: Settings,
    connector: Connector,
    /// Room for answers, shared by all clients.
    room: Room,
    hasher: RandomState,
    clients: Mutex<HashMap<u64, Vec<Weak<Client>>>>,
    /// The client everybody without certificates of their own shares stays for good.
    plain: Mutex<Option<Arc<Client>>>,
}

impl HttpTransports {
    /// No client is made before it is asked for.
    pub fn new(settings: Settings) -> Self {
        Self {
            connector: Connector::new(&settings.proxy, settings.connect_timeout),
            settings,
            room: Room::default(),
            hasher: RandomState::new(),
            clients: Mutex::default(),
            plain: Mutex::default(),
        }
    }

    fn client(&self, tls: &Tls) -> Result<Arc<Client>> {
        let hash = self.hash(tls);
        let mut clients = self.clients.lock();
        let known = clients.get(&hash).into_iter().flatten();
        let mut known = known.filter_map(Weak::upgrade);
        if let Some(client) = known.find(|client| client.tls == *tls) {
            return Ok(client);
        }
        let client = Arc::new(Client::new(
            tls,
            &self.settings,
            (&self.connector, &self.room),
        )?);
        clients.retain(|_, same| {
            same.retain(|client| client.strong_count() > 0);
            !same.is_empty()
        });
        clients
            .entry(hash)
            .or_default()
            .push(Arc::downgrade(&client));
        if *tls == Tls::default() {
            *self.plain.lock() = Some(Arc::clone(&client));
        }
        Ok(client)
    }

    fn hash(&self, tls: &Tls) -> u64 {
        let identity = tls.identity.as_ref();
        let identity = identity.map(|own| (&own.certificate, own.key.expose()));
        let name = match &tls.verification {
            Verification::Full => None,
            Verification::ServerName(name) => Some(Some(name)),
            Verification::Off => Some(None),
        };
        self.hasher.hash_one((&tls.ca, identity, name))
    }
}

impl Transports for HttpTransports {
    fn connect(&self, tls: &Tls) -> Result<Arc<dyn Transport>> {
        Ok(self.client(tls)?)
    }

    fn reach<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, Result<()>> {
        async move {
            let opened = tokio::net::TcpStream::connect((host, port)).await;
            opened.map(drop).map_err(|error| {
                let text = format!("cannot reach {host}:{port}: {error}");
                Error::unreachable(text).unconnected()
            })
        }
        .boxed()
    }
}

/// A pooled client with one trust and identity.
struct Client {
    tls: Tls,
    http: legacy::Client<HttpsConnector<Connector>, Full<Bytes>>,
    connector: Connector,
    timeout: Duration,
    limit: usize,
    room: Room,
}

impl Client {
    fn new(tls: &Tls, settings: &Settings, (connector, room): (&Connector, &Room)) -> Result<Self> {
        let https = tls::connector(tls, connector.clone())?;
        let http = legacy::Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_mins(1))
            .pool_max_idle_per_host(32)
            // Some servers and relays look for `Authorization` and do not find `authorization`.
            .http1_title_case_headers(true)
            // What a server may send ahead of what is read; an answer that waits for room stays there.
            .http1_max_buf_size(BUFFER)
            .http2_initial_stream_window_size(WINDOW)
            .http2_initial_connection_window_size(4 * WINDOW)
            .http2_keep_alive_interval(Duration::from_secs(30))
            .http2_keep_alive_timeout(Duration::from_secs(15))
            .build(https);
        Ok(Self {
            tls: tls.clone(),
            http,
            connector: connector.clone(),
            timeout: settings.request_timeout,
            limit: settings.answer_limit,
            room: room.clone(),
        })
    }

    async fn exchange(&self, mut request: Request<Bytes>) -> Result<Response<Bytes>> {
        let server = self.server(request.uri());
        let authorization = self.connector.proxy_authorization(request.uri());
        let headers = request.headers_mut();
        if let Some(value) = authorization {
            headers.insert(PROXY_AUTHORIZATION, value);
        }
        headers
            .entry(USER_AGENT)
            .or_insert(HeaderValue::from_static("external-secrets"));
        let unreachable = |error: &(dyn StdError + 'static)| {
            Error::unreachable(format!("cannot reach {server}: {}", root_cause(error)))
        };
        let answer = self.http.request(request.map(Full::new)).await;
        let answer = answer.map_err(|error| {
            let mut failure = unreachable(&error);
            if certificate::is_refusal(&error) {
                failure = failure.advised();
            }
            if error.is_connect() {
                failure = failure.unconnected();
            }
            failure
        });
        let (head, body) = answer?.into_parts();
        let body = self.room.read(body, self.limit).await;
        let (body, trailers) = body.map_err(|why| match why {
            Unread::TooLong => {
                let text = format!("{server} answered more than {} bytes", self.limit);
                Error::invalid_data(text)
            }
            Unread::TooSlow => {
                let seconds = room::LONGEST.as_secs();
                let text = format!("a large answer of {server} took more than {seconds} s");
                Error::unreachable(text)
            }
            Unread::Broken(error) => unreachable(&error),
        })?;
        let mut response = Response::from_parts(head, body);
        if let Some(trailers) = trailers {
            response.extensions_mut().insert(Trailers(trailers));
        }
        Ok(response)
    }
}

impl Transport for Client {
    fn server(&self, uri: &Uri) -> String {
        let server = server_of(uri);
        match self.connector.proxy_of(uri) {
            Some(proxy) => format!("{server} through proxy {proxy}"),
            None => server,
        }
    }

    fn send(&self, request: Request<Bytes>) -> BoxFuture<'_, Result<Response<Bytes>>> {
        async move {
            let server = self.server(request.uri());
            let answer = tokio::time::timeout(self.timeout, self.exchange(request)).await;
            answer.unwrap_or_else(|_| {
                let seconds = self.timeout.as_secs();
                let text = format!("no answer from {server} within {seconds} s");
                Err(Error::unreachable(text))
            })
        }
        .boxed()
    }
}

/// Whether a connection ended in the middle of an exchange.
fn is_cut_off(cause: &(dyn StdError + 'static)) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    if let Some(error) = cause.downcast_ref::<std::io::Error>() {
        let cut = [
            BrokenPipe,
            ConnectionAborted,
            ConnectionReset,
            UnexpectedEof,
        ];
        return cut.contains(&error.kind());
    }
    let error = cause.downcast_ref::<hyper::Error>();
    error.is_some_and(hyper::Error::is_incomplete_message)
}

/// The innermost error says what happened; the outer ones only where.
fn root_cause(error: &(dyn StdError + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string();
    if text == NO_HTTP2 {
        return "the server does not speak HTTP/2, which this backend needs".to_owned();
    }
    // Which of these is seen depends on timing alone, and a text that changes from try to try would
    // write a status and an event each time.
    if is_cut_off(cause) {
        return "the server closed the connection without an answer".to_owned();
    }
    // What rustls puts in front of the text of our own verifier.
    let own = text.strip_prefix("other error: ");
    own.map_or_else(|| text.clone(), str::to_owned)
}
