//! Judges the pods that use a target: do they ask for keys that are not there, and did they start before
//! the values they hold in their environment were last changed?

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::facts::{Looked, TargetFacts};
use crate::pods::{Pod, PodSpec};
use crate::report::{Link, State};

/// Pods that are listed one by one.
const LISTED: usize = 8;

/// The way that does not follow changes.
const ENVIRONMENT: &str = "environment";

/// How a pod uses a Secret.
#[derive(Default)]
struct Use {
    /// The ways; its environment is read once at the start.
    ways: BTreeSet<&'static str>,
    /// Keys it cannot do without.
    keys: BTreeSet<String>,
    /// Whether it starts without the Secret.
    optional: bool,
}

/// The pods that use a Secret.
pub(super) fn link(pods: &Looked<Vec<Pod>>, target: &Looked<TargetFacts>, name: &str) -> Link {
    let pods = match pods {
        Looked::There(pods) => pods,
        Looked::Missing(text) | Looked::Failed(text) => {
            return Link::new("pods", "", State::Unknown, "cannot be listed").remedy(text);
        }
    };
    let users: Vec<(&Pod, Use)> = pods
        .iter()
        .filter_map(|pod| Some((pod, uses(pod.spec.as_ref()?, name)?)))
        .collect();
    if users.is_empty() {
        let text = "no pod of the namespace uses the target at present";
        return Link::new("pods", "", State::None, text);
    }
    let parts = users.iter().map(|(pod, used)| judge(pod, used, target));
    let mut parts: Vec<Link> = parts.collect();
    parts.sort_by_key(|part| (part.state == State::Good, part.subject.clone()));
    let text = format!("used by {}", count(users.len(), "pod"));
    let more = parts.len().saturating_sub(LISTED);
    parts.truncate(LISTED);
    let text = if more > 0 {
        format!("{text}, {LISTED} are shown")
    } else {
        text
    };
    Link::new("pods", "", State::Good, text).with(parts)
}

fn judge(pod: &Pod, used: &Use, target: &Looked<TargetFacts>) -> Link {
    let name = pod.metadata.name.clone().unwrap_or_default();
    let ways: Vec<&str> = used.ways.iter().copied().collect();
    let ways = ways.join(", ");
    let link = |state, text: String| Link::new("pod", name.clone(), state, text);
    let Looked::There(target) = target else {
        let missing = matches!(target, Looked::Missing(_));
        let state = match (missing, used.optional) {
            (true, false) => State::Bad,
            (true, true) => State::Warn,
            (false, _) => State::Unknown,
        };
        return link(state, format!("waits for the target ({ways})"));
    };
    let lacks = used.keys.iter().find(|key| !target.keys.contains_key(*key));
    if let Some(key) = lacks {
        let known = target.keys.keys().map(String::as_str);
        let near = lockstep_toolbox::suggest::instead(key, known, "keys in the target");
        return link(
            State::Bad,
            format!("wants key {key:?}, which the target lacks ({ways})"),
        )
        .remedy(format!(
            "deliver it under that name, or correct the pod; {near}"
        ));
    }
    let started = pod
        .status
        .as_ref()
        .and_then(|status| status.start_time.as_ref());
    let started = started.map(|time| time.0);
    let is_old = |(started, changed): (Timestamp, Timestamp)| started < changed;
    if used.ways.contains(ENVIRONMENT) && started.zip(target.changed).is_some_and(is_old) {
        let text = format!("started before the target last changed, and reads it once ({ways})");
        return link(State::Warn, text).remedy("restart it: kubectl rollout restart its workload");
    }
    link(State::Good, ways)
}

/// How a pod uses a Secret; `None` where it does not.
fn uses(spec: &PodSpec, secret: &str) -> Option<Use> {
    let mut found = Use {
        optional: true,
        ..Use::default()
    };
    let mut any = false;
    let mut note = |found: &mut Use, optional: Option<bool>| {
        any = true;
        found.optional &= optional == Some(true);
    };
    let containers = spec.containers.iter().chain(&spec.init_containers);
    let containers = containers.flatten();
    for container in containers {
        let whole = container.env_from.iter().flatten();
        for source in whole.filter_map(|source| source.secret_ref.as_ref()) {
            if source.name == secret {
                found.ways.insert(ENVIRONMENT);
                note(&mut found, source.optional);
            }
        }
        let single = container.env.iter().flatten();
        let single = single.filter_map(|env| env.value_from.as_ref()?.secret_key_ref.as_ref());
        for source in single.filter(|source| source.name == secret) {
            found.ways.insert(ENVIRONMENT);
            note(&mut found, source.optional);
            if source.optional != Some(true) {
                found.keys.insert(source.key.clone());
            }
        }
    }
    for volume in spec.volumes.iter().flatten() {
        let whole = volume.secret.as_ref();
        let whole = whole.filter(|source| source.secret_name.as_deref() == Some(secret));
        if let Some(source) = whole {
            found.ways.insert("volume");
            note(&mut found, source.optional);
            let items = source.items.iter().flatten();
            let items = items.filter(|_| source.optional != Some(true));
            found.keys.extend(items.map(|item| item.key.clone()));
        }
        let projected = volume.projected.iter();
        let projected = projected.flat_map(|projected| projected.sources.iter().flatten());
        let projected = projected.filter_map(|source| source.secret.as_ref());
        for source in projected.filter(|source| source.name == secret) {
            found.ways.insert("volume");
            note(&mut found, source.optional);
        }
    }
    let mut pulls = spec.image_pull_secrets.iter().flatten();
    if pulls.any(|pull| pull.name == secret) {
        found.ways.insert("image pulls");
        note(&mut found, None);
    }
    any.then_some(found)
}

/// A number with its noun.
pub(super) fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}

/// Keys and lengths, as links show them.
pub(super) fn keys(keys: &BTreeMap<String, usize>) -> String {
    let shown: Vec<&str> = keys.keys().map(String::as_str).take(12).collect();
    let more = keys.len().saturating_sub(shown.len());
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{} ({}{more})", count(keys.len(), "key"), shown.join(", "))
}
