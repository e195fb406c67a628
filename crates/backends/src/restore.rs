//! `restore` for one secret: brings back what is deleted or disabled, and says why it cannot.

use lockstep_provider_api::Result;

use crate::apply::{LOOKS, PAUSE};
use crate::observe::{Backend, patiently};
use crate::plan::{self, Action, Step, Switch};
use crate::report::{Outcome, Row};
use lockstep_provider_api::lifecycle::Description;

/// Brings one secret back.
pub(crate) async fn one(backend: &Backend, name: &str, plan: Switch) -> Row {
    let mut row = Row {
        reason: String::new(),
        ..Row::not_started(name)
    };
    let (description, step) = match at_rest(backend, name, plan::restore).await {
        Ok(found) => found,
        Err(error) => return row.failed(&error),
    };
    row.before = Some(description.state);
    if plan == Switch::On {
        return row.planned(&step);
    }
    if !step.action.is_change() {
        row.after = row.before;
        return row.ended(&step);
    }
    row = row.because(&step.reason);
    let restored = match backend.life() {
        Ok(life) => patiently(|| life.restore(name)).await,
        Err(error) => Err(error),
    };
    match restored {
        Ok(state) => {
            row.actions.push(step.action);
            row.after = Some(state);
            row.outcome = Outcome::Changed;
            row
        }
        Err(error) => row.failed(&error),
    }
}

/// A secret and what to do with it, once its backend does not work on it any more.
pub(crate) async fn at_rest(
    backend: &Backend,
    name: &str,
    decide: impl Fn(&Description) -> Step,
) -> Result<(Description, Step)> {
    let mut looks = 0;
    loop {
        let description = backend.describe(name).await?;
        let step = decide(&description);
        if step.action != Action::Wait || looks >= LOOKS {
            return Ok((description, step));
        }
        looks += 1;
        tokio::time::sleep(PAUSE).await;
    }
}
