//! Writing: a push says what it did, what was pushed can be asked for, what was deleted is gone.

use crate::conformance::CANARY;
use crate::conformance::probe::Probe;
use crate::conformance::subject::Subject;
use crate::conformance::suite::{Findings, Suite, needs};
use crate::request::Pushed;
use crate::value::SecretValue;

pub(super) async fn writes<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    needs(suite.capabilities.write, "write")?;
    let probe = suite.open().await?;
    let mut found = Vec::new();
    let first = SecretValue::from(format!("{CANARY} first"));
    let second = SecretValue::from(format!("{CANARY} second"));
    let pushes = [
        (&first, Pushed::Created),
        (&first, Pushed::Unchanged),
        (&second, Pushed::Updated),
    ];
    for (value, expected) in pushes {
        let did = probe.push(&suite.item("write", value.clone())).await;
        if !matches!(did, Ok(done) if done == expected) {
            found.push(format!("push says {did:?}, {expected:?} expected"));
        }
    }
    if suite.capabilities.read {
        let read = probe.get(&suite.subject.reference("write")).await;
        if !matches!(read, Ok(value) if value == second) {
            found.push("the last pushed value is not what is read".to_owned());
        }
    }
    found.extend(exists(suite, &probe, "write", true).await);
    Ok(found)
}

pub(super) async fn deletes<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    needs(suite.capabilities.write, "write")?;
    needs(suite.capabilities.delete, "delete")?;
    let probe = suite.open().await?;
    let item = suite.item("delete", SecretValue::from(CANARY));
    if let Err(error) = probe.push(&item).await {
        return Ok(vec![format!("push fails: {error}")]);
    }
    let mut found = Vec::new();
    for time in ["first", "second"] {
        if let Err(error) = probe.delete(&item.target).await {
            found.push(format!("the {time} delete of a secret fails: {error}"));
        }
    }
    if suite.capabilities.read {
        match probe.get(&suite.subject.reference("delete")).await {
            Err(error) if error.consequence().absent => {}
            Ok(_) => found.push("a deleted secret can still be read".to_owned()),
            Err(error) => found.push(format!("a deleted secret is {:?}", error.kind())),
        }
    }
    found.extend(exists(suite, &probe, "delete", false).await);
    Ok(found)
}

async fn exists<S: Subject>(
    suite: &Suite<'_, S>,
    probe: &Probe,
    key: &str,
    there: bool,
) -> Option<String> {
    if !suite.capabilities.exists {
        return None;
    }
    let target = suite.subject.target(key);
    let never = suite.subject.target("write-never");
    match (probe.exists(&target).await, probe.exists(&never).await) {
        (Ok(found), Ok(false)) if found == there => None,
        (known, unknown) => Some(format!(
            "exists of a secret that is {}: {known:?}; of one that never was: {unknown:?}",
            if there { "there" } else { "deleted" }
        )),
    }
}
