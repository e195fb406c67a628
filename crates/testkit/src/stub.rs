//! A plain HTTP server in a thread: answers come from a function. Good for stubs of metadata servers
//! and for relays; one request a connection, bodies with a length only.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};

const TIMEOUT: Duration = Duration::from_mins(1);

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    /// GET, PUT and so on.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Headers by their lower-case names.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// A header, by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// An answer to send.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Value of `Content-Type`.
    pub content_type: String,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// An answer in JSON.
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self {
            status,
            content_type: "application/json".to_owned(),
            headers: Vec::new(),
            body: body.to_string().into_bytes(),
        }
    }

    /// An answer in plain text.
    pub fn text(status: u16, body: impl Into<String>) -> Self {
        Self {
            status,
            content_type: "text/plain".to_owned(),
            headers: Vec::new(),
            body: body.into().into_bytes(),
        }
    }
}

/// A running server; it stops when it is dropped.
pub struct Stub {
    at: SocketAddr,
    stopped: Arc<AtomicBool>,
}

impl Stub {
    /// Starts a server on a free port.
    pub fn start(answer: impl Fn(Request) -> Answer + Send + Sync + 'static) -> Result<Self> {
        Self::start_on(0, answer)
    }

    /// Starts a server on a port; 0 means any that is free.
    pub fn start_on(
        port: u16,
        answer: impl Fn(Request) -> Answer + Send + Sync + 'static,
    ) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).context("cannot bind a port")?;
        let at = listener.local_addr()?;
        let stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopped);
        let answer = Arc::new(answer);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let answer = Arc::clone(&answer);
                if let Ok(stream) = stream {
                    // A client that hangs up is no concern of ours.
                    std::thread::spawn(move || drop(serve(stream, &*answer)));
                }
            }
        });
        Ok(Self { at, stopped })
    }

    /// `http://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        format!("http://{}", self.at)
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for a connection.
        drop(TcpStream::connect(self.at));
    }
}

fn serve(stream: TcpStream, answer: &dyn Fn(Request) -> Answer) -> Result<()> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let mut reader = BufReader::new(stream);
    let request = read(&mut reader)?;
    let answer = answer(request);
    let mut stream = reader.into_inner();
    write!(
        stream,
        "HTTP/1.1 {} .\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n",
        answer.status,
        answer.content_type,
        answer.body.len()
    )?;
    for (name, value) in &answer.headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    stream.write_all(b"\r\n")?;
    stream.write_all(&answer.body)?;
    Ok(stream.flush()?)
}

fn read(reader: &mut impl BufRead) -> Result<Request> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
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
    Ok(Request {
        method,
        path,
        headers,
        body,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_reaches_the_function_whole() {
        let stub = Stub::start(|request| {
            let body = String::from_utf8(request.body.clone()).unwrap();
            let header = request.header("x-test").unwrap_or_default().to_owned();
            Answer::text(
                201,
                format!("{} {} {header} {body}", request.method, request.path),
            )
        })
        .unwrap();

        let mut answer = ureq::put(format!("{}/a?b=c", stub.url()))
            .header("X-Test", "yes")
            .send("body")
            .unwrap();

        assert_eq!(answer.status(), 201);
        let text = answer.body_mut().read_to_string().unwrap();
        assert_eq!(text, "PUT /a?b=c yes body");
    }
}
