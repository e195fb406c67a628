//! What is observed through reads: a target that is no Secret, before the decision, and the objects that
//! templates come from, after it.

use std::future::Future;

use lockstep_api::external_secret::CreationPolicy;
use lockstep_api::{ExternalSecret, messages};
use lockstep_plan::Failure;
use lockstep_plan::external_secret::{ObservedTarget, TemplateSources, template_sources};
use lockstep_plan::manifest_target::{Object, ObjectRef};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use super::namespace;
use crate::failure::api_failure;
use crate::template_sources::counted;
use crate::world::World;

/// What is there of a target that is no Secret. Nothing is read for a policy that never writes.
/// [`ApiErrorKind::NotFound`] means that there is no such kind.
pub async fn observe_manifest_target(
    object: &ExternalSecret,
    target: &ObjectRef,
    read: impl Future<Output = Result<Option<Object>, ApiError>>,
) -> ObservedTarget {
    if *object.spec.creation_policy() == CreationPolicy::None {
        return ObservedTarget::Object(None);
    }
    let failure = match read.await {
        Ok(live) => return ObservedTarget::Object(live.map(Box::new)),
        Err(error) if !error.is(ApiErrorKind::NotFound) => {
            api_failure(messages::COULD_NOT_GET_RESOURCE, &error)
        }
        // Without the kind there is nothing left to clean up.
        Err(_) if object.metadata.deletion_timestamp.is_some() => {
            return ObservedTarget::Object(None);
        }
        Err(_) => {
            let ObjectRef {
                api_version, kind, ..
            } = target;
            let text = format!("the API server knows no kind {kind} in {api_version}");
            Failure::api(messages::COULD_NOT_GET_RESOURCE, text)
        }
    };
    ObservedTarget::Unreadable(failure)
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
