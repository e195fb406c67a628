//! What a reconcile reads before it decides or plans: a target that is no Secret, and the objects that
//! templates come from.

use lockstep_api::external_secret::CreationPolicy;
use lockstep_api::{ExternalSecret, messages};
use lockstep_plan::Failure;
use lockstep_plan::external_secret::{TemplateSources, template_sources};
use lockstep_plan::manifest_target::{Object, ObjectRef};
use lockstep_runtime::api_error::ApiErrorKind;

use super::namespace;
use super::world::ExternalSecretWorld;
use crate::failure::api_failure;
use crate::template_sources::counted;
use crate::world::World;

/// What is there of the target. Nothing is read for a policy that never writes.
pub(super) async fn target<W: ExternalSecretWorld>(
    world: &W,
    object: &ExternalSecret,
    target: &ObjectRef,
) -> Result<Option<Box<Object>>, Failure> {
    if *object.spec.creation_policy() == CreationPolicy::None {
        return Ok(None);
    }
    match world.read_object(target).await {
        Ok(live) => Ok(live.map(Box::new)),
        // Without the kind there is nothing left to clean up.
        Err(error)
            if error.is(ApiErrorKind::NotFound) && object.metadata.deletion_timestamp.is_some() =>
        {
            Ok(None)
        }
        Err(error) if error.is(ApiErrorKind::NotFound) => {
            let ObjectRef {
                api_version, kind, ..
            } = target;
            let text = format!("the API server knows no kind {kind} in {api_version}");
            Err(Failure::api(messages::COULD_NOT_GET_RESOURCE, text))
        }
        Err(error) => Err(api_failure(messages::COULD_NOT_GET_RESOURCE, &error)),
    }
}

/// The objects that templates take their texts from.
pub(super) async fn sources<W: World>(world: &W, object: &ExternalSecret) -> TemplateSources {
    let namespace = namespace(object);
    let (mut sources, mut bytes) = (TemplateSources::new(), 0);
    for key in template_sources(object) {
        let data = world.template_source(namespace, &key).await;
        sources.insert(key, counted(data, &mut bytes));
    }
    sources
}
