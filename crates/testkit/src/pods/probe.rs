//! The readiness probe of a pod: when it is due, and what the process answers.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::http_get::ask;
use crate::manifest;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(5);

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
            self.passed = ask(self.at, &self.path, TIMEOUT).is_ok_and(|(status, _)| status == 200);
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
