//! A name server that knows one name. It listens on an address of the loopback network of its own, on the port of DNS, because a
//! resolver without a configuration asks there and nowhere else.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 53, 53);
const PORT: u16 = 53;
const HEADER: usize = 12;
const TYPE_A: [u8; 2] = [0, 1];

/// The running server; it ends with the process.
pub(crate) struct Names {
    asked: Arc<AtomicUsize>,
}

impl Names {
    /// Where it listens.
    pub(crate) fn ip(&self) -> IpAddr {
        IpAddr::V4(ADDRESS)
    }

    /// How often it was asked for the name.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

/// Answers that `name` is this machine.
pub(crate) fn serve(name: &str) -> Names {
    let socket = UdpSocket::bind((ADDRESS, PORT)).unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let names = Names {
        asked: Arc::clone(&asked),
    };
    let name = encoded(name);
    std::thread::spawn(move || {
        let mut buffer = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut buffer) {
            if let Some(answer) = answer(&buffer[..length], &name) {
                asked.fetch_add(1, Ordering::Relaxed);
                drop(socket.send_to(&answer, from));
            }
        }
    });
    names
}

/// `a.b` as DNS writes it: each part after its length, then a zero.
fn encoded(name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for part in name.split('.') {
        out.push(u8::try_from(part.len()).unwrap());
        out.extend_from_slice(part.as_bytes());
    }
    out.push(0);
    out
}

/// The answer to a question for the name: its IPv4 address, or nothing of another type.
fn answer(question: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let rest = question.get(HEADER..)?;
    let kind = rest.strip_prefix(name)?.get(..2)?;
    let end = HEADER + name.len() + 4;
    let mut out = question.get(..end)?.to_vec();
    let found = u8::from(kind == TYPE_A);
    // A response, without an error, with one question and as many answers.
    out.splice(2..HEADER, [0x81, 0x80, 0, 1, 0, found, 0, 0, 0, 0]);
    if found == 1 {
        // The name is that of the question; type and class; a minute; four bytes.
        out.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
        out.extend(Ipv4Addr::LOCALHOST.octets());
    }
    Some(out)
}
