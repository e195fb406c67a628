//! The checks by topic. Each returns the faults it found as sentences; a check that needs a server finds none
//! in a kind without one.

use serde_json::{Value, json};

use super::subject::GeneratorTopic;
use super::{Fault, GeneratorProbe, NAMESPACE};
use crate::conformance::transport::response;
use crate::error::{ErrorKind, Result};
use crate::generator::Generated;
use crate::http::{StatusCode, kind_of};

/// Statuses that servers refuse with.
const REFUSALS: [u16; 6] = [401, 403, 404, 429, 500, 503];
/// Bodies of a success that say nothing.
const NONSENSE: [&str; 4] = ["", "<html>oops</html>", "[]", "null"];
/// Most requests that one generation sends.
const MOST_REQUESTS: usize = 12;

pub(super) async fn run(probe: &GeneratorProbe<'_>, topic: GeneratorTopic) -> Vec<String> {
    match topic {
        GeneratorTopic::Values => values(probe).await,
        GeneratorTopic::BadSpecs => bad_specs(probe).await,
        GeneratorTopic::ErrorKinds => error_kinds(probe).await,
        GeneratorTopic::GarbledAnswers => garbled(probe).await,
        GeneratorTopic::States => states(probe).await,
        GeneratorTopic::CleanUp => clean_up(probe).await,
        GeneratorTopic::BrokenConnections => broken(probe).await,
    }
}

async fn values(probe: &GeneratorProbe<'_>) -> Vec<String> {
    let (first, second) = match (probe.make().await, probe.make().await) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(error), _) | (_, Err(error)) => {
            return vec![format!("the subject's own spec makes nothing: {error}")];
        }
    };
    let mut faults = Vec::new();
    if first.values.is_empty() {
        faults.push("no value was made".to_owned());
    }
    for key in first.values.keys().filter(|key| !is_secret_key(key)) {
        faults.push(format!("a Secret cannot have the key {key:?}"));
    }
    if probe.subject.is_fresh() && texts(&first) == texts(&second) {
        faults.push("the same values were made twice".to_owned());
    }
    faults
}

fn is_secret_key(key: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !key.is_empty() && key.len() <= 253 && key.chars().all(legal)
}

fn texts(made: &Generated) -> Vec<(String, Vec<u8>)> {
    let values = made.values.iter();
    values
        .map(|(key, value)| (key.to_owned(), value.expose().to_vec()))
        .collect()
}

async fn bad_specs(probe: &GeneratorProbe<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    for spec in [json!([1]), json!("text"), json!(7), json!(true)] {
        let mut random = probe.subject.random();
        let made = probe.generate(&spec, random.as_mut()).await;
        match made {
            Ok(_) => faults.push(format!("spec {spec} was accepted")),
            Err(error) if *error.kind() != ErrorKind::InvalidSpec => {
                faults.push(format!("spec {spec} gives {:?}: {error}", error.kind()));
            }
            Err(_) => {}
        }
    }
    if probe.sent() > 0 {
        faults.push("a request was sent for a spec that cannot be read".to_owned());
    }
    faults
}

async fn error_kinds(probe: &GeneratorProbe<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    if probe.wire.is_none() {
        return faults;
    }
    for status in REFUSALS {
        probe.fail_after(0, Fault::Answer(probe.subject.refusal(status)));
        let made = probe.make().await;
        probe.heal();
        faults.extend(refused(status, &made));
    }
    probe.fail_after(0, Fault::Drop);
    match probe.make().await {
        Ok(_) => faults.push("a broken connection makes values".to_owned()),
        Err(error) if *error.kind() != ErrorKind::Unreachable => {
            faults.push(format!(
                "a broken connection is {:?}: {error}",
                error.kind()
            ));
        }
        Err(_) => {}
    }
    probe.heal();
    faults
}

fn refused(status: u16, made: &Result<Generated>) -> Option<String> {
    let Err(error) = made else {
        return Some(format!("status {status} makes values"));
    };
    if error.consequence().absent {
        return Some(format!("status {status} reads as absence: {error}"));
    }
    let expected = StatusCode::from_u16(status).ok().and_then(kind_of)?;
    // Absence is never said of a generator, so 404 may be any error but that.
    let right = expected == ErrorKind::NotFound || *error.kind() == expected;
    (!right).then(|| {
        format!(
            "status {status} is {:?}, not {expected:?}: {error}",
            error.kind()
        )
    })
}

async fn garbled(probe: &GeneratorProbe<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    if probe.wire.is_none() {
        return faults;
    }
    for status in [200, 201] {
        for body in NONSENSE {
            probe.fail_after(0, Fault::Answer(response(status, body)));
            let made = probe.make().await;
            probe.heal();
            match made {
                Ok(_) => faults.push(format!("{status} with the body {body:?} makes values")),
                Err(error) if error.consequence().absent => {
                    faults.push(format!("the body {body:?} reads as absence: {error}"));
                }
                Err(_) => {}
            }
        }
    }
    faults
}

async fn states(probe: &GeneratorProbe<'_>) -> Vec<String> {
    let Ok(made) = probe.make().await else {
        // Another check says so.
        return Vec::new();
    };
    let mut faults = Vec::new();
    match (&made.state, probe.keeps_state()) {
        (Some(_), false) => faults.push("there is a state though KEEPS_STATE is false".to_owned()),
        (None, true) => faults.push("there is no state though KEEPS_STATE is true".to_owned()),
        _ => {}
    }
    let state = made
        .state
        .as_ref()
        .map(Value::to_string)
        .unwrap_or_default();
    for (key, value) in made.values.iter() {
        let secret = value.expose_utf8().unwrap_or_default();
        if probe.subject.is_secret(key) && secret.len() > 3 && state.contains(secret) {
            faults.push(format!("the state holds the value of {key:?}"));
        }
    }
    let cleans_up = probe.subject.waives(GeneratorTopic::CleanUp).is_none();
    if probe.keeps_state() && cleans_up && probe.subject.held().is_none() {
        faults.push("the subject does not say what its server holds".to_owned());
    }
    faults
}

async fn clean_up(probe: &GeneratorProbe<'_>) -> Vec<String> {
    if !probe.keeps_state() {
        return Vec::new();
    }
    let Ok(Some(state)) = probe.make().await.map(|made| made.state) else {
        return Vec::new();
    };
    let held = probe.subject.held();
    let mut faults = Vec::new();
    for status in [401, 403, 500] {
        probe.fail_after(0, Fault::Answer(probe.subject.refusal(status)));
        if probe.clean_up(state.clone()).await.is_ok() {
            faults.push(format!("status {status} counts as taken back"));
        }
        probe.heal();
    }
    if probe.subject.held() != held {
        faults.push("a refused clean-up took something back".to_owned());
    }
    for attempt in ["first", "second"] {
        if let Err(error) = probe.clean_up(state.clone()).await {
            faults.push(format!(
                "the {attempt} clean-up fails in {NAMESPACE}: {error}"
            ));
        }
        if probe
            .subject
            .held()
            .is_some_and(|now| Some(now + 1) != held)
        {
            faults.push(format!(
                "the {attempt} clean-up leaves {:?} of {held:?}",
                probe.subject.held()
            ));
        }
    }
    faults
}

async fn broken(probe: &GeneratorProbe<'_>) -> Vec<String> {
    let Some(held) = probe.subject.held().filter(|_| probe.wire.is_some()) else {
        return Vec::new();
    };
    let mut faults = Vec::new();
    for passing in 0..MOST_REQUESTS {
        probe.fail_after(passing, Fault::Drop);
        let made = probe.make().await;
        probe.heal();
        if let Ok(made) = made {
            if let Some(state) = made.state {
                drop(probe.clean_up(state).await);
            }
            break;
        }
        if probe.subject.held() != Some(held) {
            faults.push(format!(
                "a break after {passing} requests leaves a credential"
            ));
            break;
        }
    }
    faults
}
