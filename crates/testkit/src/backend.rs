//! An HTTP server that stands for a secret backend: it answers every path with a value of its own
//! after a set time, and counts. One thread a connection, nothing but the standard library, so that
//! it costs little beside what is measured.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use parking_lot::Mutex;

/// Longest time a connection may stay silent.
const IDLE: Duration = Duration::from_mins(5);

/// A backend that counts what it is asked. Ends with the value.
pub struct Backend {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    delay_ms: AtomicU64,
    status: AtomicU16,
    requests: AtomicU64,
    at_once: AtomicU64,
    most_at_once: AtomicU64,
    by_path: Mutex<BTreeMap<String, u64>>,
    value: Mutex<String>,
    ended: AtomicBool,
}

impl Backend {
    /// Starts on a free port; every answer takes `delay`.
    pub fn start(delay: Duration) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).context("no free port")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            delay_ms: AtomicU64::default(),
            status: AtomicU16::new(200),
            requests: AtomicU64::default(),
            at_once: AtomicU64::default(),
            most_at_once: AtomicU64::default(),
            by_path: Mutex::default(),
            value: Mutex::new("8 bytes!".to_owned()),
            ended: AtomicBool::default(),
        });
        let backend = Self { address, shared };
        backend.set_delay(delay);
        let shared = Arc::clone(&backend.shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.ended.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&shared);
                if let Ok(stream) = stream {
                    // A client that breaks off is no fault of the server.
                    thread::spawn(move || drop(shared.serve(stream)));
                }
            }
        });
        Ok(backend)
    }

    /// Its address, without a final slash.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The time every further answer takes.
    pub fn set_delay(&self, delay: Duration) {
        let milliseconds = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self.shared.delay_ms.store(milliseconds, Ordering::Relaxed);
    }

    /// The status of every further answer.
    pub fn set_status(&self, status: u16) {
        self.shared.status.store(status, Ordering::Relaxed);
    }

    /// The value of every further answer; the path is put behind it.
    pub fn set_value(&self, value: &str) {
        value.clone_into(&mut self.shared.value.lock());
    }

    /// Requests so far.
    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::Relaxed)
    }

    /// The most requests that were answered at one time.
    pub fn most_at_once(&self) -> u64 {
        self.shared.most_at_once.load(Ordering::Relaxed)
    }

    /// Requests so far by path.
    pub fn by_path(&self) -> BTreeMap<String, u64> {
        self.shared.by_path.lock().clone()
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        // Wakes the listener, which then ends.
        drop(TcpStream::connect(self.address));
    }
}

impl Shared {
    fn serve(&self, stream: TcpStream) -> Result<()> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(IDLE))?;
        let mut writer = stream.try_clone()?;
        let mut reader = BufReader::new(stream);
        while let Some(path) = read_request(&mut reader)? {
            let now = self.at_once.fetch_add(1, Ordering::Relaxed) + 1;
            self.most_at_once.fetch_max(now, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(self.delay_ms.load(Ordering::Relaxed)));
            self.at_once.fetch_sub(1, Ordering::Relaxed);
            self.requests.fetch_add(1, Ordering::Relaxed);
            let body = format!("{}{path}", self.value.lock());
            *self.by_path.lock().entry(path).or_default() += 1;
            let status = self.status.load(Ordering::Relaxed);
            let answer = format!(
                "HTTP/1.1 {status} Answer\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            writer.write_all(answer.as_bytes())?;
            if self.ended.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(())
    }
}

/// The path of the next request, after its body; `None` when the client has closed.
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
        let header = line.trim_end();
        if header.is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse()?;
        }
    }
    let mut body = reader.take(length);
    std::io::copy(&mut body, &mut std::io::sink())?;
    Ok(Some(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(backend: &Backend, path: &str) -> (u16, String) {
        let agent = ureq::Agent::new_with_config(
            ureq::Agent::config_builder()
                .http_status_as_error(false)
                .build(),
        );
        let url = format!("{}{path}", backend.url());
        let mut answer = agent.post(&url).send("a body").unwrap();
        let status = answer.status().as_u16();
        (status, answer.body_mut().read_to_string().unwrap())
    }

    #[test]
    fn requests_are_counted_by_path() {
        let backend = Backend::start(Duration::ZERO).unwrap();

        assert_eq!(ask(&backend, "/a"), (200, "8 bytes!/a".to_owned()));
        ask(&backend, "/a");
        backend.set_status(503);
        backend.set_value("new");

        assert_eq!(ask(&backend, "/b"), (503, "new/b".to_owned()));
        assert_eq!(backend.requests(), 3);
        let counts = backend.by_path();
        assert_eq!((counts["/a"], counts["/b"]), (2, 1));
    }

    #[test]
    fn an_answer_takes_the_time_that_was_set() {
        let backend = Backend::start(Duration::from_millis(30)).unwrap();
        let began = std::time::Instant::now();

        ask(&backend, "/slow");

        assert!(began.elapsed() >= Duration::from_millis(30));
        assert_eq!(backend.most_at_once(), 1);
    }
}
