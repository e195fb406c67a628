//! The readiness probe of a pod: when it is due, and what the process answers.

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::manifest;

pub(super) struct Probe {
    at: SocketAddr,
    path: String,
    delay: Duration,
    period: Duration,
    asked: Option<Instant>,
    passed: bool,
}

impl Probe {
    /// The probe of a container, if it has one.
    pub(super) fn of(container: &Value, ip: IpAddr) -> Result<Option<Self>> {
        let probe = &container["readinessProbe"];
        if probe.is_null() {
            return Ok(None);
        }
        let seconds =
            |key: &str, default| Duration::from_secs(probe[key].as_u64().unwrap_or(default));
        Ok(Some(Self {
            at: SocketAddr::new(ip, port(container, &probe["httpGet"]["port"])?),
            path: manifest::text(probe, "/httpGet/path").to_owned(),
            delay: seconds("initialDelaySeconds", 0),
            period: seconds("periodSeconds", 10),
            asked: None,
            passed: false,
        }))
    }

    /// Asks when it is time; otherwise the last answer counts.
    pub(super) fn passes(&mut self, began: Instant) -> bool {
        if self.rest(began).is_zero() {
            self.asked = Some(Instant::now());
            self.passed = ask(self.at, &self.path).is_ok_and(|status| status == 200);
        }
        self.passed
    }

    /// A new process begins: what the last one answered does not count.
    pub(super) fn reset(&mut self) {
        self.passed = false;
    }

    /// Time until it asks.
    pub(super) fn rest(&self, began: Instant) -> Duration {
        let delay = self.delay.saturating_sub(began.elapsed());
        let period = self.asked.map(|asked| asked.elapsed());
        let period = period.map_or(Duration::ZERO, |passed| self.period.saturating_sub(passed));
        delay.max(period)
    }
}

/// A port by number or by the name it has in the container.
fn port(container: &Value, wanted: &Value) -> Result<u16> {
    let number = match wanted.as_str() {
        None => wanted.as_u64(),
        Some(name) => container["ports"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|port| port["name"] == name)
            .and_then(|port| port["containerPort"].as_u64()),
    };
    let number = number.with_context(|| format!("no port {wanted}"))?;
    Ok(u16::try_from(number)?)
}

fn ask(at: SocketAddr, path: &str) -> Result<u16> {
    let mut stream = TcpStream::connect_timeout(&at, Duration::from_secs(1))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    write!(
        stream,
        "GET {path} HTTP/1.0\r\nHost: {at}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let status = answer.split(' ').nth(1).context("no HTTP answer")?;
    Ok(status.parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(delay: u64) -> Probe {
        let container = serde_json::json!({
            "ports": [{"name": "ready", "containerPort": 8081}],
            "readinessProbe": {
                "httpGet": {"path": "/readyz", "port": "ready"},
                "initialDelaySeconds": delay, "periodSeconds": 600,
            },
        });
        let found = Probe::of(&container, IpAddr::from([127, 0, 0, 1])).unwrap();
        found.unwrap()
    }

    #[test]
    fn nothing_is_asked_before_the_initial_delay() {
        let (mut probe, began) = (probe(600), Instant::now());

        assert!(!probe.passes(began));

        assert!(probe.asked.is_none());
        assert!(probe.rest(began) <= Duration::from_mins(10));
        assert!(probe.rest(began) > Duration::ZERO);
    }

    #[test]
    fn after_the_delay_it_is_asked_once_a_period() {
        let (mut probe, began) = (probe(0), Instant::now());
        assert_eq!(probe.rest(began), Duration::ZERO);

        // Nobody listens there.
        assert!(!probe.passes(began));

        assert!(probe.asked.is_some());
        assert!(probe.rest(began) > Duration::ZERO);
    }
}
