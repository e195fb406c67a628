//! Batches: `get_many` answers each reference as `get` would, in order, and with fewer requests
//! where the provider says it can.

use crate::conformance::subject::{Faults, Subject};
use crate::conformance::suite::{Findings, Suite, needs};
use crate::error::Result;
use crate::request::RemoteRef;
use crate::value::SecretValue;

pub(super) async fn batches<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    needs(suite.capabilities.read, "read")?;
    let mut references = vec![suite.subject.reference("batch-never")];
    for number in 0..4 {
        let key = format!("batch-{number}");
        suite.seed(&key).await?;
        references.insert(0, suite.subject.reference(&key));
    }
    references.push(suite.subject.reference("batch-2"));
    let probe = suite.open().await?;
    let sent = || suite.faults.as_deref().map_or(0, Faults::sent);
    let before = sent();
    let answers = probe.get_many(&references).await;
    let requests = sent() - before;
    let mut found = Vec::new();
    if answers.len() != references.len() {
        found.push(format!(
            "get_many gives {} answers to {} references",
            answers.len(),
            references.len()
        ));
    }
    for (reference, answer) in references.iter().zip(&answers) {
        let alone = probe.get(reference).await;
        if !same(&alone, answer) {
            found.push(differs(reference, &alone, answer));
        }
    }
    if !probe.get_many(&[]).await.is_empty() {
        found.push("get_many gives answers to no references".to_owned());
    }
    if suite.capabilities.batch > 1 && suite.faults.is_some() && requests >= references.len() {
        found.push(format!(
            "a batch of {} is claimed, but {} references take {requests} requests",
            suite.capabilities.batch,
            references.len()
        ));
    }
    Ok(found)
}

fn same(alone: &Result<SecretValue>, batched: &Result<SecretValue>) -> bool {
    match (alone, batched) {
        (Ok(alone), Ok(batched)) => alone == batched,
        (Err(alone), Err(batched)) => alone.kind() == batched.kind(),
        _ => false,
    }
}

fn differs(
    reference: &RemoteRef,
    alone: &Result<SecretValue>,
    batched: &Result<SecretValue>,
) -> String {
    let told = |answer: &Result<SecretValue>| match answer {
        Ok(_) => "a value".to_owned(),
        Err(error) => format!("{:?}", error.kind()),
    };
    format!(
        "{:?} is {} alone and {} in a batch",
        reference.key,
        told(alone),
        told(batched)
    )
}
