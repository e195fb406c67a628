//! Reports the objects of kinds that a flag switched off: one log line with their number and a Warning
//! event on each. Writes no status: another operator may reconcile the kind, and the status is its own.

use std::sync::Arc;

use futures_util::StreamExt;
use kube::Api;
use kube::api::ListParams;
use kube::core::{ApiResource, DynamicObject};
use kube::runtime::{WatchStreamExt, watcher};
use lockstep_api::{
    ClusterExternalSecret, ClusterPushSecret, ClusterSecretStore, PushSecret, reasons,
};
use lockstep_plan::EventNote;

use super::plural;
use crate::api_server::about;
use crate::config::Config;
use crate::context::Context;

/// Objects in a page of the list that is counted.
const PAGE: u32 = 500;

/// A kind that is not reconciled, and the flag that says so.
#[derive(Clone)]
struct OffKind {
    resource: ApiResource,
    /// `apiVersion` and kind.
    about: (&'static str, &'static str),
    flag: &'static str,
}

/// A kind of this API that a flag switched off.
macro_rules! off {
    ($kind:ty, $flag:expr) => {
        OffKind {
            resource: ApiResource::erase::<$kind>(&()),
            about: (<$kind>::API_VERSION, <$kind>::KIND),
            flag: $flag,
        }
    };
}

/// Starts to report the kinds that are switched off.
pub(crate) fn start(context: &Arc<Context>, config: &Config) {
    for kind in switched_off(config) {
        let own = Arc::clone(context);
        let background = &context.watches.background;
        background.keep("kinds not served", move || {
            report(Arc::clone(&own), kind.clone())
        });
    }
}

fn switched_off(config: &Config) -> Vec<OffKind> {
    let mut kinds = Vec::new();
    if !config.settings.push_secrets {
        kinds.push(off!(PushSecret, "--enable-push-secret-reconciler"));
    }
    // Kinds without a namespace are not the business of an operator that is bound to one.
    if config.namespace.is_some() {
        return kinds;
    }
    if !config.settings.cluster_stores {
        let flag = "--enable-cluster-store-reconciler";
        kinds.push(off!(ClusterSecretStore, flag));
    }
    if !config.cluster_external_secrets {
        let flag = "--enable-cluster-external-secret-reconciler";
        kinds.push(off!(ClusterExternalSecret, flag));
    }
    if !config.cluster_push_secrets {
        let flag = "--enable-cluster-push-secret-reconciler";
        kinds.push(off!(ClusterPushSecret, flag));
    } else if !config.settings.push_secrets {
        kinds.push(off!(ClusterPushSecret, "--enable-push-secret-reconciler"));
    }
    kinds
}

async fn report(context: Arc<Context>, kind: OffKind) {
    let scope = &context.watches;
    let api: Api<DynamicObject> = scope.scoped_with(&context.api.client, &kind.resource);
    match count(&api).await {
        Ok(0) => {}
        Ok(count) => tracing::warn!("{}", summary(&kind, count)),
        // The chart grants no rights on a kind that it switches off, and may leave its CRD out.
        Err(error) => {
            let (kind, flag) = (&kind.resource.kind, kind.flag);
            tracing::debug!(%error, "{kind}s are not reconciled ({flag}=false) and cannot be listed");
            return;
        }
    }
    let objects = watcher(api, watcher::Config::default()).default_backoff();
    let mut objects = std::pin::pin!(objects.applied_objects());
    while let Some(object) = objects.next().await {
        if let Ok(object) = object.inspect_err(|error| tracing::debug!(%error, "watch failed"))
            && is_unreported(&object, &context.settings.current().class)
        {
            let event = EventNote::warning(reasons::EVENT_NOT_SERVED, reason_for(&kind));
            let recorder = &context.api.recorders.not_served;
            about(recorder, kind.about, (&object.metadata, &event));
        }
    }
}

async fn count(api: &Api<DynamicObject>) -> Result<usize, kube::Error> {
    let (mut count, mut params) = (0, ListParams::default().limit(PAGE));
    loop {
        let page = api.list_metadata(&params).await?;
        count += page.items.len();
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => return Ok(count),
        }
    }
}

/// Whether nobody has said anything about an object, and it is not another class's.
fn is_unreported(object: &DynamicObject, class: &str) -> bool {
    let conditions = object.data.pointer("/status/conditions");
    let reported = conditions
        .and_then(|list| list.as_array())
        .is_some_and(|list| !list.is_empty());
    let controller = object
        .data
        .pointer("/spec/controller")
        .and_then(|name| name.as_str());
    let foreign = controller.is_some_and(|name| !name.is_empty() && name != class);
    !reported && !foreign && object.metadata.deletion_timestamp.is_none()
}

fn summary(kind: &OffKind, count: usize) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    let (name, flag) = (&kind.resource.kind, kind.flag);
    format!(
        "{count} {name}{} {verb} not reconciled: {flag}=false",
        plural(count)
    )
}

fn reason_for(kind: &OffKind) -> String {
    let (name, flag) = (&kind.resource.kind, kind.flag);
    format!("{name}s are not reconciled by this operator: it runs with {flag}=false")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: serde_json::Value) -> DynamicObject {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn objects_of_a_kind_that_is_switched_off_are_counted_with_the_flag() {
        let flag = "--enable-cluster-push-secret-reconciler";
        let kind = off!(ClusterPushSecret, flag);

        assert_eq!(
            summary(&kind, 2),
            "2 ClusterPushSecrets are not reconciled: --enable-cluster-push-secret-reconciler=false"
        );
        assert_eq!(
            summary(&kind, 1),
            "1 ClusterPushSecret is not reconciled: --enable-cluster-push-secret-reconciler=false"
        );
    }

    #[test]
    fn an_object_that_another_operator_reconciles_gets_no_event() {
        let told = |status, spec| {
            let object = object(json!({"metadata": {"name": "x"}, "spec": spec, "status": status}));
            is_unreported(&object, "default")
        };

        assert!(told(json!({}), json!({})));
        assert!(told(
            json!({"conditions": []}),
            json!({"controller": "default"})
        ));
        assert!(!told(json!({"conditions": [{"type": "Ready"}]}), json!({})));
        assert!(!told(json!({}), json!({"controller": "other"})));
    }
}
