//! A folder over HTTP, for controllers that fetch charts and archives. One thread, GET only, until
//! the value is dropped.

use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;

/// A served folder.
pub struct FileServer {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
}

impl FileServer {
    /// Serves `dir` on a free port of `ip`.
    pub fn start(ip: IpAddr, dir: &Path) -> Result<Self> {
        let listener = TcpListener::bind((ip, 0))?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let (ended, dir) = (Arc::clone(&stop), dir.to_owned());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                if let Ok(stream) = stream {
                    // Whoever goes away before the end is on its own.
                    drop(answer(&stream, &dir));
                }
            }
        });
        Ok(Self { address, stop })
    }

    /// The address of a file.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }
}

impl Drop for FileServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // Wakes the thread up.
        drop(TcpStream::connect_timeout(
            &self.address,
            Duration::from_secs(1),
        ));
    }
}

fn answer(mut stream: &TcpStream, dir: &Path) -> Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = first.split(' ').nth(1).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let file: PathBuf = dir.join(path.trim_start_matches('/'));
    let (status, body) = match std::fs::read(&file) {
        Ok(body) if !path.contains("..") => ("200 OK", body),
        _ => ("404 Not Found", Vec::new()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(&body)?;
    Ok(())
}
