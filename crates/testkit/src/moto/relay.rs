//! A relay in front of moto: it notes what was asked for and by whom, answers some requests itself
//! where a test wants a failure, and gives errors of JSON services the shape AWS gives them (moto
//! sends refusals as XML).

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use parking_lot::Mutex;
use serde_json::json;
use ureq::Agent;

use crate::stub::{Answer, Request, Stub};

/// One request that came by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// `GetSecretValue`, `AssumeRole` and so on.
    pub action: String,
    /// Access key id it was signed with; `-` where it was not signed.
    pub key_id: String,
    /// The body as text.
    pub body: String,
}

/// A failure to give in place of an answer.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Which action fails.
    pub action: &'static str,
    /// HTTP status of the answer.
    pub status: u16,
    /// Error code of the answer.
    pub code: &'static str,
    /// Message of the answer.
    pub message: &'static str,
    /// How often it fails.
    pub times: usize,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) seen: Vec<Seen>,
    pub(super) faults: Vec<Fault>,
}

pub(super) fn start(to: String, state: Arc<Mutex<State>>) -> Result<Stub> {
    let config = Agent::config_builder().proxy(None);
    let config = config.http_status_as_error(false);
    let agent: Agent = config
        .timeout_global(Some(Duration::from_mins(1)))
        .build()
        .into();
    Stub::start(move |request| {
        if let Some(answer) = note(&request, &state) {
            return answer;
        }
        forward(&agent, &to, &request).unwrap_or_else(|error| Answer::text(502, error.to_string()))
    })
}

/// Notes a request; an answer if it is to fail.
fn note(request: &Request, state: &Mutex<State>) -> Option<Answer> {
    let body = String::from_utf8_lossy(&request.body).into_owned();
    let target = request.header("x-amz-target");
    let action = match target {
        Some(target) => target.rsplit('.').next().unwrap_or_default().to_owned(),
        None => form_value(&body, "Action").unwrap_or_default(),
    };
    let authorization = request.header("authorization").unwrap_or_default();
    let credential = authorization.split_once("Credential=");
    let key_id = credential.and_then(|(_, rest)| rest.split('/').next());
    let mut state = state.lock();
    let fault = state
        .faults
        .iter_mut()
        .find(|fault| fault.times > 0 && fault.action == action);
    let answer = fault.map(|fault| {
        fault.times -= 1;
        let body = json!({ "__type": fault.code, "message": fault.message });
        Answer {
            content_type: "application/x-amz-json-1.1".to_owned(),
            ..Answer::json(fault.status, &body)
        }
    });
    state.seen.push(Seen {
        action,
        key_id: key_id.unwrap_or("-").to_owned(),
        body,
    });
    answer
}

fn forward(agent: &Agent, to: &str, request: &Request) -> Result<Answer> {
    let mut builder = ureq::http::Request::builder()
        .method(request.method.as_str())
        .uri(format!("{to}{}", request.path));
    for (name, value) in &request.headers {
        if !["connection", "accept-encoding", "content-length"].contains(&name.as_str()) {
            builder = builder.header(name, value);
        }
    }
    let mut answer = agent.run(builder.body(request.body.clone())?)?;
    let status = answer.status().as_u16();
    let content_type = answer.headers().get("content-type");
    let content_type = content_type.and_then(|value| value.to_str().ok());
    let content_type = content_type
        .unwrap_or("application/x-amz-json-1.1")
        .to_owned();
    let body = answer.body_mut().read_to_vec()?;
    if status >= 400 && request.header("x-amz-target").is_some() && body.starts_with(b"<") {
        return Ok(as_json(&String::from_utf8_lossy(&body)));
    }
    Ok(Answer {
        status,
        content_type,
        headers: Vec::new(),
        body,
    })
}

/// A refusal as AWS words it for JSON services.
fn as_json(xml: &str) -> Answer {
    let part = |tag: &str| {
        let (_, rest) = xml.split_once(&format!("<{tag}>"))?;
        rest.split_once("</").map(|(part, _)| part.to_owned())
    };
    let code = part("Code").unwrap_or_default();
    let code = match code.as_str() {
        "AccessDenied" => "AccessDeniedException",
        "InvalidClientTokenId" | "AuthFailure" => "UnrecognizedClientException",
        "SignatureDoesNotMatch" => "InvalidSignatureException",
        other => other,
    };
    let body = json!({ "__type": code, "message": part("Message").unwrap_or_default() });
    Answer {
        content_type: "application/x-amz-json-1.1".to_owned(),
        ..Answer::json(400, &body)
    }
}

fn form_value(body: &str, name: &str) -> Option<String> {
    let mut pairs = body.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.to_owned())
}
