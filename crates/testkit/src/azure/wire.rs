//! An HTTP/1.1 server in threads, plain or over TLS, that keeps connections open. Answers come from
//! a function; bodies have a length.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::stub::{Answer, Request};

/// Longest time a connection may stay silent.
const IDLE: Duration = Duration::from_mins(2);

pub(crate) type Handler = Arc<dyn Fn(Request) -> Answer + Send + Sync>;

/// A listener; it stops when it is dropped.
pub(crate) struct Listener {
    at: SocketAddr,
    stopped: Arc<AtomicBool>,
}

impl Listener {
    /// Listens on an address; with a configuration, over TLS.
    pub(crate) fn start(
        at: SocketAddr,
        tls: Option<Arc<ServerConfig>>,
        handler: Handler,
    ) -> Result<Self> {
        let listener = TcpListener::bind(at).with_context(|| format!("cannot listen on {at}"))?;
        let at = listener.local_addr()?;
        let stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopped);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let (tls, handler, stop) = (tls.clone(), Arc::clone(&handler), Arc::clone(&stop));
                if let Ok(stream) = stream {
                    // A client that hangs up or does not trust us is no concern of ours.
                    std::thread::spawn(move || drop(accept(stream, tls, &*handler, &stop)));
                }
            }
        });
        Ok(Self { at, stopped })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.at
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for a connection.
        drop(TcpStream::connect(self.at));
    }
}

fn accept(
    stream: TcpStream,
    tls: Option<Arc<ServerConfig>>,
    handler: &dyn Fn(Request) -> Answer,
    stop: &AtomicBool,
) -> Result<()> {
    stream.set_read_timeout(Some(IDLE))?;
    stream.set_nodelay(true)?;
    match tls {
        None => serve(stream, handler, stop),
        Some(config) => {
            let session = ServerConnection::new(config)?;
            serve(StreamOwned::new(session, stream), handler, stop)
        }
    }
}

fn serve(
    stream: impl Read + Write,
    handler: &dyn Fn(Request) -> Answer,
    stop: &AtomicBool,
) -> Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader)? {
        let answer = handler(request);
        let stream = reader.get_mut();
        let mut head = format!(
            "HTTP/1.1 {} .\r\nContent-Type: {}\r\nContent-Length: {}\r\n",
            answer.status,
            answer.content_type,
            answer.body.len()
        );
        for (name, value) in &answer.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes())?;
        stream.write_all(&answer.body)?;
        stream.flush()?;
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(())
}

/// The next request; `None` when the client has closed.
fn read(reader: &mut impl BufRead) -> Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut parts = line.split_whitespace().map(str::to_owned);
    let method = parts.next().context("an empty request")?;
    let path = parts.next().context("a request without a path")?;
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length");
    let length = length.and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(Request {
        method,
        path,
        headers,
        body,
    }))
}
