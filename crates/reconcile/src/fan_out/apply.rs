//! Carries out what was decided, namespace by namespace. The first step of a namespace that fails ends it;
//! the others go on.

use std::collections::BTreeMap;

use futures_util::{StreamExt, stream};
use lockstep_plan::fan_out::{
    Child, Parent, Step, Task, TaskOutcome, Trouble, Work, child, child_name, controls,
};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use super::world::FanOutWorld;

/// Namespaces of one object that are worked on at once.
const AT_ONCE: usize = 8;

/// Does the work in all namespaces. An error means that something changed meanwhile: what is seen by
/// then is decided upon again.
pub(super) async fn apply<P, W>(
    world: &W,
    object: &P,
    work: Work<P::Child>,
) -> Result<BTreeMap<String, TaskOutcome>, ApiError>
where
    P: Parent + Send + Sync,
    P::Child: Send + Sync,
    W: FanOutWorld<P>,
{
    let tasks = work.into_iter().map(|(namespace, task)| async move {
        let outcome = perform(world, object, &namespace, task).await;
        outcome.map(|outcome| (namespace, outcome))
    });
    let done: Vec<_> = stream::iter(tasks).buffered(AT_ONCE).collect().await;
    done.into_iter().collect()
}

async fn perform<P, W>(
    world: &W,
    object: &P,
    namespace: &str,
    task: Task<P::Child>,
) -> Result<TaskOutcome, ApiError>
where
    P: Parent + Send + Sync,
    P::Child: Send + Sync,
    W: FanOutWorld<P>,
{
    for step in task.steps {
        if let Step::Refuse(reason) = step {
            return Ok(TaskOutcome::Failed(Trouble::Refused(reason)));
        }
        match take(world, object, namespace, step).await {
            Ok(()) => {}
            // The namespace is gone.
            Err(error) if error.is(ApiErrorKind::NotFound) => return Ok(TaskOutcome::Left),
            Err(error) if error.is_race() => return Err(error),
            Err(error) => return Ok(TaskOutcome::Failed(Trouble::Failed(error.to_string()))),
        }
    }
    Ok(if task.keeps {
        TaskOutcome::Kept
    } else {
        TaskOutcome::Left
    })
}

async fn take<P, W>(
    world: &W,
    object: &P,
    namespace: &str,
    step: Step<P::Child>,
) -> Result<(), ApiError>
where
    P: Parent + Send + Sync,
    P::Child: Send + Sync,
    W: FanOutWorld<P>,
{
    match step {
        Step::Refuse(_) => Ok(()),
        Step::Delete(child) => world.delete_child(&child).await,
        Step::Mark(patch) => world.mark_namespace(namespace, &patch).await,
        Step::Create(child) => {
            let name = child_name(object);
            world.create_child(namespace, name, &child).await
        }
        Step::Update(name) => update(world, object, (namespace, &name)).await,
    }
}

/// Rewrites a child from the one that exists now.
async fn update<P, W>(
    world: &W,
    object: &P,
    (namespace, name): (&str, &str),
) -> Result<(), ApiError>
where
    P: Parent + Send + Sync,
    P::Child: Send + Sync,
    W: FanOutWorld<P>,
{
    let live = world.read_child(namespace, name).await?;
    let owner = live
        .as_ref()
        .and_then(|live| controls::<P>(Child::metadata(live)));
    if owner.as_deref() != object.metadata().name.as_deref() {
        let text = "another owner, or gone";
        return Err(ApiError::new(ApiErrorKind::Conflict, text));
    }
    let right = child(object, namespace, live);
    world.replace_child(namespace, name, &right).await
}
