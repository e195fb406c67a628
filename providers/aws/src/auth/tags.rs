//! Tags of a session: those of the spec, or who asks through which store. The second kind makes a
//! connection of a cluster-scoped store the caller's own.

use lockstep_provider_api::prelude::*;

use crate::spec::{AwsSpec, SessionTag, TagsPolicy};

/// The tags that are sent with the last role.
pub(super) fn of_session(spec: &AwsSpec, ctx: &Ctx) -> Vec<SessionTag> {
    if spec.session_tags_policy == TagsPolicy::None {
        return spec.session_tags.clone().unwrap_or_default();
    }
    let kind = if ctx.store().namespace.is_some() {
        "SecretStore"
    } else {
        "ClusterSecretStore"
    };
    let caller = ctx.scope().home().unwrap_or_default();
    let mut tags = vec![
        tag("esoNamespace", caller),
        tag("esoStoreName", &ctx.store().name),
        tag("esoStoreKind", kind),
    ];
    if spec.session_tags_policy == TagsPolicy::Custom {
        let custom = spec.custom_session_tags.iter().flatten();
        let custom = custom.filter(|(key, value)| !key.is_empty() && !value.is_empty());
        tags.extend(custom.map(|(key, value)| tag(key, value)));
    }
    tags
}

fn tag(key: &str, value: &str) -> SessionTag {
    SessionTag {
        key: key.to_owned(),
        value: value.to_owned(),
    }
}
