//! A plain HTTP/1.0 read of a process under test: no client, no pool, nothing that outlives it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result};

/// Status and body of the answer to a GET, which may take as long as `patience`.
pub(crate) fn ask(at: SocketAddr, path: &str, patience: Duration) -> Result<(u16, String)> {
    let mut stream = TcpStream::connect_timeout(&at, Duration::from_secs(2))?;
    stream.set_read_timeout(Some(patience))?;
    write!(
        stream,
        "GET {path} HTTP/1.0\r\nHost: {at}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").context("no HTTP answer")?;
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    Ok((status.context("no HTTP status")?, body.to_owned()))
}
