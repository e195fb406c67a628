//! The checks by topic. Each returns the faults it found as sentences, or why it does not apply.

mod batches;
mod cancellation;
mod capabilities;
mod errors;
mod leaks;
mod lists;
mod shared;
mod values;
mod writes;

use super::report::Topic;
use super::subject::Subject;
use super::suite::{Findings, Suite};

/// In the order they run; leaks last, because every check before provokes some.
pub(super) const ALL: [Topic; 14] = [
    Topic::ErrorKinds,
    Topic::RetryAfter,
    Topic::GarbledAnswers,
    Topic::Paging,
    Topic::PartialLists,
    Topic::Values,
    Topic::PushedValues,
    Topic::Writes,
    Topic::Deletes,
    Topic::Capabilities,
    Topic::Batches,
    Topic::SharedReads,
    Topic::Cancellation,
    Topic::Leaks,
];

pub(super) async fn run<S: Subject>(suite: &Suite<'_, S>, topic: Topic) -> Findings {
    match topic {
        Topic::ErrorKinds => errors::kinds(suite).await,
        Topic::RetryAfter => errors::retry_after(suite).await,
        Topic::GarbledAnswers => errors::garbled(suite).await,
        Topic::Paging => lists::paging(suite).await,
        Topic::PartialLists => lists::partial(suite).await,
        Topic::Values => values::seeded(suite).await,
        Topic::PushedValues => values::pushed(suite).await,
        Topic::Writes => writes::writes(suite).await,
        Topic::Deletes => writes::deletes(suite).await,
        Topic::Capabilities => capabilities::capabilities(suite).await,
        Topic::Batches => batches::batches(suite).await,
        Topic::SharedReads => shared::parts(suite).await,
        Topic::Cancellation => cancellation::cancellation(suite).await,
        Topic::Leaks => leaks::leaks(suite).await,
    }
}
