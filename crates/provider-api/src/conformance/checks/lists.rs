//! Lists: read to their end, or not at all.

use crate::conformance::subject::Subject;
use crate::conformance::suite::{Findings, Stop, Suite, needs};
use crate::conformance::transport::Fault;
use crate::error::ErrorKind;
use crate::value::SecretMap;

/// Requests of one list after which breaking it is tried.
const MAX_BREAKS: usize = 60;

pub(super) async fn paging<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    let seeded = seed(suite, "page").await?;
    let probe = suite.open().await?;
    Ok(match probe.find(&suite.subject.search("page")).await {
        Err(error) => vec![format!("find fails: {error}")],
        Ok(found) if found == seeded => Vec::new(),
        Ok(found) => {
            let missing = seeded.keys().filter(|key| found.get(key).is_none());
            vec![format!(
                "find gives {} of {} secrets; missing: {:?}",
                found.len(),
                seeded.len(),
                missing.collect::<Vec<_>>()
            )]
        }
    })
}

/// Breaks the list at each of its requests in turn.
pub(super) async fn partial<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    let faults = suite.faults()?;
    seed(suite, "partial").await?;
    let probe = suite.open().await?;
    let search = suite.subject.search("partial");
    let before = faults.sent();
    let whole = probe.find(&search).await;
    let requests = faults.sent() - before;
    let Ok(whole) = whole else {
        return Ok(vec!["find fails".to_owned()]);
    };
    let mut found = Vec::new();
    for passing in 0..requests.min(MAX_BREAKS) {
        faults.fail_after(passing, Fault::Answer(suite.subject.refusal(500)));
        match probe.find(&search).await {
            Ok(list) if list == whole => {}
            Ok(list) => found.push(format!(
                "a list that breaks after {passing} of {requests} requests gives {} of {} secrets",
                list.len(),
                whole.len()
            )),
            Err(error) if error.kind() == &ErrorKind::Unreachable => {}
            Err(error) => found.push(format!(
                "a list that breaks after {passing} of {requests} requests is {:?}",
                error.kind()
            )),
        }
        faults.heal();
    }
    Ok(found)
}

async fn seed<S: Subject>(suite: &Suite<'_, S>, prefix: &str) -> Result<SecretMap, Stop> {
    needs(suite.capabilities.find_by_name, "find by name")?;
    let mut seeded = SecretMap::new();
    for number in 0..suite.subject.long_list() {
        let key = format!("{prefix}-{number:03}");
        let value = suite.seed(&key).await?;
        seeded.insert(suite.subject.found_name(&key), suite.subject.found(&value));
    }
    Ok(seeded)
}
