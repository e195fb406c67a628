//! The metadata servers of AWS machines and containers, as far as the SDK asks them: `IMDSv2` with
//! its session token, and container credentials as EKS Pod Identity serves them. Both hand out keys
//! that end after an hour and count how often they did.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use serde_json::{Value, json};

use crate::stub::{Answer, Request, Stub};

const SESSION: &str = "stub-session-token";
const ROLE: &str = "stub-role";
/// Header with the life of a session, in the request and in its answer.
const LIFE: &str = "x-aws-ec2-metadata-token-ttl-seconds";

/// A running metadata server.
pub struct Metadata {
    stub: Stub,
    handed_out: Arc<AtomicUsize>,
}

impl Metadata {
    /// Starts a server that hands out the keys `id`; requests of containers must carry `token`.
    pub fn start(id: &str, token: &str, expires: &str) -> Result<Self> {
        let handed_out = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&handed_out);
        let (id, token) = (id.to_owned(), token.to_owned());
        let keys = json!({
            "Code": "Success",
            "Type": "AWS-HMAC",
            "AccessKeyId": id,
            "SecretAccessKey": "stub-secret",
            "Token": "stub-token",
            "Expiration": expires,
            "LastUpdated": "2026-01-01T00:00:00Z",
        });
        let stub = Stub::start(move |request| {
            let answer = answer(&request, &token, &keys);
            if answer.status == 200 && answer.content_type == "application/json" {
                count.fetch_add(1, Ordering::Relaxed);
            }
            answer
        })?;
        Ok(Self { stub, handed_out })
    }

    /// For `AWS_EC2_METADATA_SERVICE_ENDPOINT`.
    pub fn instance_url(&self) -> String {
        self.stub.url()
    }

    /// For `AWS_CONTAINER_CREDENTIALS_FULL_URI`.
    pub fn container_url(&self) -> String {
        format!("{}/v1/credentials", self.stub.url())
    }

    /// How often keys were handed out.
    pub fn handed_out(&self) -> usize {
        self.handed_out.load(Ordering::Relaxed)
    }
}

fn answer(request: &Request, token: &str, keys: &Value) -> Answer {
    let has_session = request.header("x-aws-ec2-metadata-token") == Some(SESSION);
    let path = request.path.trim_end_matches('/');
    match (request.method.as_str(), path) {
        ("PUT", "/latest/api/token") => {
            let Some(life) = request.header(LIFE) else {
                return Answer::text(400, "no ttl");
            };
            Answer {
                headers: vec![(LIFE, life.to_owned())],
                ..Answer::text(200, SESSION)
            }
        }
        // The second generation of the protocol refuses requests without a session.
        ("GET", path) if path.starts_with("/latest/") && !has_session => {
            Answer::text(401, "no session")
        }
        ("GET", "/latest/meta-data/iam/security-credentials") => Answer::text(200, ROLE),
        ("GET", path) if path.ends_with(ROLE) => Answer::json(200, keys),
        ("GET", "/v1/credentials") => {
            if request.header("authorization") == Some(token) {
                Answer::json(200, keys)
            } else {
                Answer::text(401, "wrong token")
            }
        }
        _ => Answer::text(404, "no such path"),
    }
}
