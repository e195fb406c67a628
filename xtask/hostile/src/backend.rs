//! The HTTP server behind every store of a run: paths below `/shared/` are what healthy tenants read,
//! paths below `/ENTRY/` answer as the entry says. Counts what it is asked. One thread a connection,
//! nothing but the standard library, so that a hostile answer can be any bytes.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::answer;
use crate::entry::Route;

/// Longest time a connection may stay silent.
const IDLE: Duration = Duration::from_mins(5);

/// A running backend; its threads end with the process.
#[derive(Clone)]
pub(crate) struct Backend {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    routes: BTreeMap<String, Arc<Route>>,
    asked: BTreeMap<String, u64>,
}

impl Backend {
    /// Starts on a free port.
    pub(crate) fn start() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).context("no free port")?;
        let backend = Self {
            address: listener.local_addr()?,
            shared: Arc::default(),
        };
        let served = backend.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let served = served.clone();
                // A client that breaks off is no fault of the server.
                thread::spawn(move || drop(served.serve(stream)));
            }
        });
        Ok(backend)
    }

    /// Its address, without a final slash.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers paths that begin with the route's as it says.
    pub(crate) fn answer(&self, route: Route) {
        let path = route.path.clone();
        self.lock().routes.insert(path, Arc::new(route));
    }

    /// Forgets the routes and counts below a prefix.
    pub(crate) fn forget(&self, prefix: &str) {
        let mut shared = self.lock();
        shared.routes.retain(|path, _| !path.starts_with(prefix));
        shared.asked.retain(|path, _| !path.starts_with(prefix));
    }

    /// Requests so far for paths with this prefix.
    pub(crate) fn asked(&self, prefix: &str) -> u64 {
        let shared = self.lock();
        let counts = shared.asked.range(prefix.to_owned()..);
        counts
            .take_while(|(path, _)| path.starts_with(prefix))
            .map(|(_, count)| count)
            .sum()
    }

    fn serve(&self, stream: TcpStream) -> Result<()> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(IDLE))?;
        stream.set_write_timeout(Some(IDLE))?;
        let mut writer = stream.try_clone()?;
        let mut reader = BufReader::new(stream);
        while let Some(path) = read_request(&mut reader)? {
            let (route, number) = self.note(&path);
            match route {
                Some(route) => answer::write(&mut writer, &route, &path, number)?,
                None => plain(&mut writer, &path)?,
            }
        }
        Ok(())
    }

    /// Counts a request; gives the route with the longest prefix and how often the path was asked for.
    fn note(&self, path: &str) -> (Option<Arc<Route>>, u64) {
        let mut shared = self.lock();
        let count = shared.asked.entry(path.to_owned()).or_default();
        *count += 1;
        let count = *count;
        let found = shared.routes.iter().rev();
        let mut found = found.filter(|(prefix, _)| path.starts_with(*prefix));
        (found.next().map(|(_, route)| Arc::clone(route)), count)
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a path without a route holds.
fn plain(writer: &mut impl Write, path: &str) -> Result<()> {
    let body = format!("value of {path}");
    write!(
        writer,
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    Ok(())
}

/// The path of the next request, after its body; nothing when the client has closed.
fn read_request(reader: &mut impl BufRead) -> Result<Option<String>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let header = line.trim_end().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
    }
    std::io::copy(&mut reader.take(length), &mut std::io::sink())?;
    Ok(Some(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(value: serde_json::Value) -> Route {
        serde_json::from_value(value).unwrap()
    }

    fn ask(backend: &Backend, path: &str) -> String {
        let mut stream = TcpStream::connect(backend.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn the_longest_prefix_answers_and_requests_are_counted() {
        let backend = Backend::start().unwrap();
        backend.answer(route(serde_json::json!({"path": "/a/", "body": "short"})));
        backend.answer(route(
            serde_json::json!({"path": "/a/b", "status": 503, "body": "@{3*x}@"}),
        ));

        assert!(ask(&backend, "/a/c").ends_with("short"));
        assert!(ask(&backend, "/a/bb").starts_with("HTTP/1.1 503"));
        assert!(ask(&backend, "/a/bb").ends_with("xxx"));
        assert!(ask(&backend, "/shared/k").ends_with("value of /shared/k"));
        assert_eq!(backend.asked("/a/b"), 2);
        assert_eq!(backend.asked("/a/"), 3);
        backend.forget("/a/");
        assert_eq!(backend.asked("/a/"), 0);
    }

    #[test]
    fn a_flapping_route_fails_every_second_time() {
        let backend = Backend::start().unwrap();
        let flap = serde_json::json!({"path": "/f", "status": 500, "fault": "flap"});
        backend.answer(route(flap));

        assert!(ask(&backend, "/f").starts_with("HTTP/1.1 500"));
        assert!(ask(&backend, "/f").starts_with("HTTP/1.1 200"));
    }
}
