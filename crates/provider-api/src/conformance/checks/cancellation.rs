//! Cancellation: a call may be dropped at any point, and the store must work on.

use std::future::Future;
use std::pin::Pin;

use crate::conformance::CANARY;
use crate::conformance::patience::poll_once;
use crate::conformance::subject::Subject;
use crate::conformance::suite::{Findings, Suite, needs};
use crate::conformance::transport::Fault;
use crate::value::SecretValue;

/// Points at which a call is dropped: before its first poll, and after each of so many.
const MAX_POLLS: usize = 12;

pub(super) async fn cancellation<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    needs(suite.capabilities.read, "read")?;
    let value = suite.seed("cancel").await?;
    let probe = suite.open().await?;
    // A stalled wire makes every request a point to drop a call at.
    if let Some(faults) = &suite.faults {
        faults.fail_after(0, Fault::Stall);
    }
    let reference = suite.subject.reference("cancel");
    let mut found = Vec::new();
    for polls in 0..=MAX_POLLS {
        let finished = drop_after(polls, Box::pin(probe.store.get(&reference))).await;
        match probe.get(&reference).await {
            Ok(read) if read == value => {}
            Ok(_) => found.push(format!(
                "a read dropped after {polls} polls garbles the next"
            )),
            Err(error) => found.push(format!(
                "after a read dropped after {polls} polls the next fails: {error}"
            )),
        }
        if finished {
            break;
        }
    }
    if suite.capabilities.write {
        found.extend(pushes(suite).await?);
    }
    Ok(found)
}

async fn pushes<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    let probe = suite.open().await?;
    let mut found = Vec::new();
    for polls in 0..=MAX_POLLS {
        let value = SecretValue::from(format!("{CANARY} {polls}"));
        let item = suite.item("cancel-push", value.clone());
        let finished = drop_after(polls, Box::pin(probe.store.push(&item))).await;
        if let Err(error) = probe.push(&item).await {
            found.push(format!(
                "after a push dropped after {polls} polls the next fails: {error}"
            ));
        }
        let read = probe.get(&suite.subject.reference("cancel-push")).await;
        if !matches!(read, Ok(read) if read == value) {
            found.push(format!("a push dropped after {polls} polls loses the next"));
        }
        if finished {
            break;
        }
    }
    Ok(found)
}

/// Polls a call so many times, then drops it. Tells whether it had finished by then.
async fn drop_after<F: Future>(polls: usize, mut call: Pin<Box<F>>) -> bool {
    for _ in 0..polls {
        if poll_once(call.as_mut()).await.is_some() {
            return true;
        }
    }
    false
}
