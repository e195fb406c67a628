//! `apply` for one entry: look, decide, act, and look again until nothing is left to do. A deleted
//! secret is restored in one round and compared in the next.

use std::time::Duration;

use lockstep_provider_api::metadata::{API_VERSION, KIND};
use lockstep_provider_api::{Error, PushItem, PushTarget, Result, SecretMap, SecretValue};
use serde_json::json;

use crate::content;
use crate::observe::{Backend, Observed, patiently};
use crate::plan::{self, Action, Applied, Step, Switch};
use crate::report::{Outcome, Row};
use crate::sources::{self, Desired};

/// Key of the value inside of a push.
const VALUE: &str = "value";
/// Steps that one entry may take; restoring, adopting and writing are three.
const STEPS: usize = 5;
/// How often, and how many times, a backend that is at work is looked at again.
pub(crate) const PAUSE: Duration = Duration::from_secs(2);
pub(crate) const LOOKS: u32 = 30;

/// How `apply` works.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) restore: Switch,
    pub(crate) adopt: Switch,
    /// Whether nothing is done but planned.
    pub(crate) plan: Switch,
}

/// Brings one secret to its desired state.
pub(crate) async fn one(backend: &Backend, desired: &Desired, settings: Settings) -> Row {
    let mut row = Row {
        reason: String::new(),
        ..Row::not_started(&desired.name)
    };
    let mut looks = 0;
    for _ in 0..STEPS {
        let (observed, step) = match look(backend, desired, settings, &mut looks).await {
            Ok(found) => found,
            Err(error) => return row.failed(&error),
        };
        row.before.get_or_insert(observed.description.state);
        if settings.plan == Switch::On {
            return row.planned(&step);
        }
        if !step.action.is_change() {
            row.after = Some(observed.description.state);
            return row.ended(&step);
        }
        row = row.because(&step.reason);
        if let Err(error) = act(backend, desired, &observed, step.action).await {
            return row.failed(&error);
        }
        row.actions.push(step.action);
        if matches!(
            step.action,
            Action::Create | Action::Update | Action::NewVersion
        ) {
            row.outcome = Outcome::Changed;
            let state = backend.describe(&desired.name).await;
            row.after = state.ok().map(|description| description.state);
            return row;
        }
    }
    row.ended(&Step::new(
        Action::Refuse,
        "it changes all the time; somebody else works on it",
    ))
}

/// Looks until the backend is at rest.
async fn look(
    backend: &Backend,
    desired: &Desired,
    settings: Settings,
    looks: &mut u32,
) -> Result<(Observed, Step)> {
    loop {
        let observed = backend.observe(desired).await?;
        let step = plan::apply(&Applied {
            description: &observed.description,
            difference: observed.difference.as_ref(),
            needs_current: desired.needs_current(),
            is_plain: content::is_plain(desired),
            shape: backend.life()?.backend().shape,
            restore: settings.restore,
            adopt: settings.adopt,
        });
        if step.action != Action::Wait || *looks >= LOOKS {
            return Ok((observed, step));
        }
        *looks += 1;
        tokio::time::sleep(PAUSE).await;
    }
}

async fn act(
    backend: &Backend,
    desired: &Desired,
    observed: &Observed,
    action: Action,
) -> Result<()> {
    let life = backend.life()?;
    let key = &desired.name;
    match action {
        Action::Restore => patiently(|| life.restore(key)).await.map(drop),
        Action::Adopt => patiently(|| life.adopt(key)).await,
        _ => {
            let composed = content::compose(desired, observed.current.as_ref(), &sources::make);
            let value = composed.map_err(Error::invalid_spec)?;
            let item = item(desired, value);
            patiently(|| life.put(&item)).await.map(drop)
        }
    }
}

fn item(desired: &Desired, value: SecretValue) -> PushItem {
    let source = SecretMap::from_iter([(VALUE.to_owned(), value)]);
    let metadata = desired
        .metadata
        .as_ref()
        .map(|spec| json!({ "apiVersion": API_VERSION, "kind": KIND, "spec": spec }));
    PushItem {
        secret_key: Some(VALUE.to_owned()),
        metadata,
        ..PushItem::whole(PushTarget::key(&*desired.name), source)
    }
}

#[cfg(test)]
mod tests;
