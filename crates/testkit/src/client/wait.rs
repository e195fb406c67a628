//! Waiting for what an operator does: a watch and a limit instead of sleeps, and a failure that
//! shows the object.

use std::fmt::Debug;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use kube::Api;
use kube::runtime::wait::await_condition;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::PATIENCE;

/// Waits until the object satisfies `condition`, at most for [`PATIENCE`], and returns it; `what`
/// completes the sentence "was not …".
pub async fn until<K>(
    api: &Api<K>,
    name: &str,
    what: &str,
    condition: impl Fn(Option<&K>) -> bool,
) -> Result<Option<K>>
where
    K: Clone + Debug + Send + DeserializeOwned + Serialize + kube::Resource + 'static,
{
    until_within(PATIENCE, api, name, what, condition).await
}

/// [`until`] with a limit of one's own.
pub async fn until_within<K>(
    limit: Duration,
    api: &Api<K>,
    name: &str,
    what: &str,
    condition: impl Fn(Option<&K>) -> bool,
) -> Result<Option<K>>
where
    K: Clone + Debug + Send + DeserializeOwned + Serialize + kube::Resource + 'static,
{
    let waiting = await_condition(api.clone(), name, condition);
    if let Ok(found) = tokio::time::timeout(limit, waiting).await {
        return found.with_context(|| format!("cannot watch {name:?}"));
    }
    let now = match api.get_opt(name).await? {
        Some(object) => serde_json::to_string_pretty(&object)?,
        None => "absent".to_owned(),
    };
    bail!("{name:?} was not {what} within {limit:?}; it is {now}")
}
