//! What a reconcile reads before it plans: the objects that its template comes from.

use lockstep_api::PushSecret;
use lockstep_plan::external_secret::TemplateSources;
use lockstep_plan::push_secret::template_sources;

use super::namespace;
use crate::template_sources::counted;
use crate::world::World;

/// The objects that the template takes its texts from.
pub(super) async fn templates<W: World>(world: &W, object: &PushSecret) -> TemplateSources {
    let (mut sources, mut bytes) = (TemplateSources::new(), 0);
    for key in template_sources(object) {
        let data = world.template_source(namespace(object), &key).await;
        sources.insert(key, counted(data, &mut bytes));
    }
    sources
}
