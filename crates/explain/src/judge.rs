//! The judgement: facts in, a chain of links out. Pure: no clock, no cluster. Each file of this folder
//! judges one link or one kind.

mod answer;
mod external_secret;
mod others;
mod pods;
mod push_secret;
mod schedule;
mod stage;
mod store;
mod target;
#[cfg(test)]
mod tests;

use jiff::Timestamp;

use crate::facts::{Facts, Subject};
use crate::report::Report;

/// What the facts mean.
pub(crate) fn judge(facts: &Facts, now: Timestamp) -> Report {
    let mut schedule = Vec::new();
    let links = match &facts.subject {
        Subject::ExternalSecret(found) => {
            schedule = schedule::external_secret(found, &facts.settings, now);
            external_secret::chain(found, &facts.settings, now)
        }
        Subject::Store(found) => others::store(found, &facts.settings),
        Subject::PushSecret(found) => {
            schedule = schedule::push_secret(&found.object, now);
            push_secret::chain(found, &facts.settings, now)
        }
        Subject::ClusterExternalSecret(object, children) => {
            others::cluster_external_secret(object, children)
        }
        Subject::ClusterPushSecret(object, children) => {
            others::cluster_push_secret(object, children)
        }
        Subject::Generator(found) => others::generator(found),
    };
    Report {
        kind: facts.kind.as_str().to_owned(),
        namespace: facts.namespace.clone(),
        name: facts.name.clone(),
        schedule,
        links,
    }
}
