//! A relay in front of a server: it notes what was asked for, and answers some requests itself where
//! a test wants a failure.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use serde_json::json;
use ureq::Agent;

use crate::stub::{Answer, Request, Stub};

/// A failure to give in place of an answer.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Part of the paths that fail.
    pub path: &'static str,
    /// HTTP status of the answer.
    pub status: u16,
    /// What the answer says.
    pub error: &'static str,
    /// How often it fails.
    pub times: usize,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) seen: Vec<String>,
    pub(super) faults: Vec<Fault>,
}

pub(super) fn start(to: String, state: Arc<Mutex<State>>) -> Result<Stub> {
    let config = Agent::config_builder()
        .proxy(None)
        .http_status_as_error(false);
    let config = config.timeout_global(Some(Duration::from_mins(1)));
    let agent: Agent = config.allow_non_standard_methods(true).build().into();
    Stub::start(move |request| {
        if let Some(answer) = note(&request, &state) {
            return answer;
        }
        forward(&agent, &to, &request).unwrap_or_else(|error| Answer::text(502, error.to_string()))
    })
}

/// Notes a request; an answer if it is to fail.
fn note(request: &Request, state: &Mutex<State>) -> Option<Answer> {
    let path = request.path.trim_start_matches("/v1/");
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    state.seen.push(format!("{} {path}", request.method));
    let mut faults = state.faults.iter_mut();
    let fault = faults.find(|fault| fault.times > 0 && path.contains(fault.path))?;
    fault.times -= 1;
    let errors = json!({ "errors": [fault.error] });
    Some(Answer::json(fault.status, &errors))
}

fn forward(agent: &Agent, to: &str, request: &Request) -> Result<Answer> {
    let mut builder = ureq::http::Request::builder()
        .method(request.method.as_str())
        .uri(format!("{to}{}", request.path));
    for (name, value) in &request.headers {
        if !["connection", "accept-encoding", "content-length", "host"].contains(&name.as_str()) {
            builder = builder.header(name, value);
        }
    }
    let mut answer = agent.run(builder.body(request.body.clone())?)?;
    Ok(Answer {
        status: answer.status().as_u16(),
        content_type: "application/json".to_owned(),
        headers: Vec::new(),
        body: answer.body_mut().read_to_vec()?,
    })
}
