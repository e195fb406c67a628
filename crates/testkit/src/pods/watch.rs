//! Where the pod runner learns of pods: a list, then a watch, and both again when the watch ends. It
//! decides nothing about a pod.

use std::sync::mpsc::Sender;
use std::time::Duration;

use anyhow::{Result, bail};
use serde_json::Value;

use crate::api::Api;
use crate::manifest;

const PODS: &str = "/api/v1/pods";
/// Pause after a failure of the API server.
const PAUSE: Duration = Duration::from_millis(200);

/// What the pod runner is told.
pub(super) enum News {
    /// Every pod there is.
    All(Vec<Value>),
    /// A pod that is new or changed.
    Seen(Value),
    /// A pod that was deleted.
    Gone(Value),
    /// The API server did not answer as it should; it is asked again.
    Failed(anyhow::Error),
    /// The runner is to end.
    End,
}

/// Tells of pods until nobody listens.
pub(super) fn follow(api: &Api, to: &Sender<News>) {
    loop {
        if let Err(error) = once(api, to) {
            if to.send(News::Failed(error)).is_err() {
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }
}

fn once(api: &Api, to: &Sender<News>) -> Result<()> {
    let mut list = api.get(PODS)?;
    let version = manifest::text(&list, "/metadata/resourceVersion").to_owned();
    let all = list["items"].as_array_mut().map(std::mem::take);
    to.send(News::All(all.unwrap_or_default()))?;
    for event in api.watch(&format!("{PODS}?watch=true&resourceVersion={version}"))? {
        let mut event = event?;
        let object = event["object"].take();
        let news = match manifest::text(&event, "/type") {
            "ADDED" | "MODIFIED" => News::Seen(object),
            "DELETED" => News::Gone(object),
            other => bail!("the watch of pods says {other}: {object}"),
        };
        to.send(news)?;
    }
    Ok(())
}
