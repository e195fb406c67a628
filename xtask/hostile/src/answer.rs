//! How a route answers: an ordinary answer, or one of the faults that a hostile backend can have.
//! Writes until the client breaks off where a fault has no end.

use std::io::Write;
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::entry::{Fault, Route};
use crate::expand::{Words, text_of};
use crate::gzip;

const DRIP: Duration = Duration::from_millis(500);
/// How long an answer that never comes is held.
const HOLD: Duration = Duration::from_mins(5);
const BOMB: usize = 1 << 30;

/// Answers one request; an error closes the connection.
pub(crate) fn write(out: &mut TcpStream, route: &Route, path: &str, number: u64) -> Result<()> {
    if route.delay > 0.0 {
        sleep(Duration::from_secs_f64(route.delay));
    }
    let body = text_of(&route.body, &Words::new())?.into_bytes();
    match route.fault {
        Fault::None => whole(out, route, route.status, &body),
        Fault::Flap => {
            let status = if number % 2 == 1 { route.status } else { 200 };
            whole(out, route, status, &body)
        }
        Fault::Drip => {
            out.write_all(&head(route, route.status, body.len()))?;
            drip(out, &body)
        }
        Fault::DripHead => drip(out, &head(route, route.status, body.len())),
        Fault::Endless => endless(out, &body),
        Fault::EndlessHead => endless_head(out),
        Fault::Short => {
            out.write_all(&head(route, route.status, body.len() + 1_000_000))?;
            out.write_all(&body)?;
            sleep(HOLD);
            bail!("held long enough")
        }
        Fault::Noise => {
            out.write_all(&[0xff; 4096])?;
            bail!("nothing more to say")
        }
        Fault::Close => bail!("no answer"),
        Fault::Gzip => {
            let packed = gzip::bomb(BOMB);
            let mut route = route.clone();
            let encoding = ("content-encoding".to_owned(), "gzip".to_owned());
            route.headers.push(encoding);
            whole(out, &route, 200, &packed)
        }
        Fault::Redirect => {
            let mut route = route.clone();
            route
                .headers
                .push(("location".to_owned(), format!("{path}x")));
            whole(out, &route, 302, b"")
        }
    }
}

fn whole(out: &mut TcpStream, route: &Route, status: u16, body: &[u8]) -> Result<()> {
    out.write_all(&head(route, status, body.len()))?;
    Ok(out.write_all(body)?)
}

fn head(route: &Route, status: u16, length: usize) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} Answer\r\ncontent-length: {length}\r\n");
    for (name, value) in &route.headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head.push_str("\r\n");
    head.into_bytes()
}

fn drip(out: &mut TcpStream, bytes: &[u8]) -> Result<()> {
    for byte in bytes {
        out.write_all(&[*byte])?;
        sleep(DRIP);
    }
    Ok(())
}

/// Chunks as fast as they are taken.
fn endless(out: &mut TcpStream, body: &[u8]) -> Result<()> {
    out.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")?;
    let chunk = if body.is_empty() {
        &[b'a'; 16384]
    } else {
        body
    };
    let mut framed = format!("{:x}\r\n", chunk.len()).into_bytes();
    framed.extend_from_slice(chunk);
    framed.extend_from_slice(b"\r\n");
    loop {
        out.write_all(&framed)?;
    }
}

fn endless_head(out: &mut TcpStream) -> Result<()> {
    out.write_all(b"HTTP/1.1 200 OK\r\n")?;
    for number in 0_u64.. {
        write!(out, "x-header-{number}: value\r\n")?;
    }
    Ok(())
}
