//! Runs generators. Every call makes new values, so nothing is cached and nothing is shared.

use lockstep_generators::{Random, WEBHOOK_KIND};
use lockstep_provider_api::{Result, SecretMap};
use serde_json::Value;

use super::RemoteClient;
use crate::webhook_generator;

impl RemoteClient {
    /// Makes the values of one generator. `named` is its namespace and name, for error messages.
    pub async fn generate(
        &self,
        (kind, spec): (&str, &Value),
        named: (&str, &str),
    ) -> Result<SecretMap> {
        if kind == WEBHOOK_KIND {
            return webhook_generator::generate(self.connections.services(), spec, named).await;
        }
        lockstep_generators::generate(kind, spec, &mut SystemRandom)
    }
}

/// Random bytes of the operating system.
struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&mut self, bytes: &mut [u8]) {
        // The source is there on every system this runs on; without it no secret may be made.
        while getrandom::fill(bytes).is_err() {}
    }
}
