//! Ports for servers that are told theirs: below those the system hands out by itself, so that no
//! connection takes one between its choice and the server's start, and never the same one twice.

use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};

use anyhow::{Result, bail};

/// The first port of ours; the last one lies below what Linux gives to outgoing connections.
const FIRST: u16 = 12_000;
const COUNT: u16 = 18_000;

/// A loopback address nobody listens on.
pub fn free() -> Result<SocketAddr> {
    for _ in 0..COUNT {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, FIRST + next() % COUNT));
        if TcpListener::bind(address).is_ok() {
            return Ok(address);
        }
    }
    bail!("every port from {FIRST} on is taken on loopback")
}

/// Counts on from a number of the process' own, so that two test runs seldom try the same ports.
fn next() -> u16 {
    static COUNTER: OnceLock<AtomicU16> = OnceLock::new();
    let start = || RandomState::new().hash_one(()) % u64::from(COUNT);
    let counter = COUNTER.get_or_init(|| AtomicU16::new(start().try_into().unwrap_or_default()));
    counter.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_port_is_given_twice_and_all_are_below_those_of_connections() {
        let given: BTreeSet<u16> = (0..50).map(|_| free().unwrap().port()).collect();

        assert_eq!(given.len(), 50);
        assert!(given.iter().all(|port| *port < 32_768));
    }

    #[test]
    fn a_port_that_is_taken_is_passed_over() {
        let taken = TcpListener::bind(free().unwrap()).unwrap();

        assert_ne!(free().unwrap(), taken.local_addr().unwrap());
    }
}
