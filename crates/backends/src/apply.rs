//! `apply` for one entry: look, decide, act, and look again until nothing is left to do. A deleted
//! secret is restored in one round and compared in the next.

use std::time::Duration;

use lockstep_provider_api::{Error, Result, SecretValue};

use crate::content;
use crate::observe::{Backend, Observed, patiently};
use crate::plan::{self, Action, Applied, Step, Switch};
use crate::report::{Outcome, Row};
use crate::sources::{self, Desired};

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
            return written(backend, desired, row).await;
        }
    }
    row.ended(&Step::new(
        Action::Refuse,
        "it changes all the time; somebody else works on it",
    ))
}

/// The end after a write of the value. Not every backend takes tags together with it.
async fn written(backend: &Backend, desired: &Desired, mut row: Row) -> Row {
    row.outcome = Outcome::Changed;
    match retag(backend, desired).await {
        Ok(false) => {}
        Ok(true) => row.actions.push(Action::Tag),
        Err(error) => return row.failed(&error),
    }
    let state = backend.describe(&desired.name).await;
    row.after = state.ok().map(|description| description.state);
    row
}

/// Sets the tags that differ; says whether there were any.
async fn retag(backend: &Backend, desired: &Desired) -> Result<bool> {
    let differing = backend.differing_tags(desired).await?;
    if differing.is_none_or(|names| names.is_empty()) {
        return Ok(false);
    }
    tag(backend, desired).await?;
    Ok(true)
}

async fn tag(backend: &Backend, desired: &Desired) -> Result<()> {
    let (life, item) = (backend.life()?, desired.push(SecretValue::default()));
    patiently(|| life.set_tags(&item)).await
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
            tags: observed.tags.as_deref().unwrap_or_default(),
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
        Action::Tag => tag(backend, desired).await,
        _ => {
            let composed = content::compose(desired, observed.current.as_ref(), &sources::make);
            let value = composed.map_err(Error::invalid_spec)?;
            let item = desired.push(value);
            patiently(|| life.put(&item)).await.map(drop)
        }
    }
}

#[cfg(test)]
mod tests;
