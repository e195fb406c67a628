//! What the controllers of the two kinds differ in: their rows and those of their children.

use kube::Resource;
use lockstep_api::{ClusterExternalSecret, ClusterPushSecret, ExternalSecret, PushSecret};
use lockstep_index::{Index, ObjectKey, Parents};
use lockstep_plan::fan_out::Parent;
use lockstep_runtime::events::Recorder;
use lockstep_runtime::metrics::{Family, Kind};
use parking_lot::MutexGuard;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api_server::Recorders;

/// A kind whose objects keep children in many namespaces.
pub(crate) trait FanOut:
    Parent<
        Child: Resource<DynamicType = ()> + Serialize + DeserializeOwned + Send + Sync,
        Status: Send + Sync,
    > + Resource<DynamicType = ()>
    + DeserializeOwned
    + Clone
    + Send
    + Sync
    + 'static
{
    /// Rows of the kind.
    fn rows(index: &Index) -> MutexGuard<'_, Parents<Self>>;

    /// Records the events of the kind.
    fn recorder(recorders: &Recorders) -> &Recorder;

    /// Metric families of the kind.
    const SERIES: &'static [Family];

    /// The object of the child's kind with this name, whoever controls it.
    fn existing(index: &Index, key: &ObjectKey) -> Option<Self::Child>;
}

impl FanOut for ClusterExternalSecret {
    fn rows(index: &Index) -> MutexGuard<'_, Parents<Self>> {
        index.cluster_external_secrets()
    }

    fn recorder(recorders: &Recorders) -> &Recorder {
        &recorders.cluster_external_secret
    }

    const SERIES: &'static [Family] = &[
        Family {
            name: "clusterexternalsecret_status_condition",
            kind: Kind::Gauge,
            help: "The status condition of a ClusterExternalSecret",
        },
        Family {
            name: "clusterexternalsecret_reconcile_duration",
            kind: Kind::Gauge,
            help: "The duration of the last reconcile of a ClusterExternalSecret in nanoseconds",
        },
    ];

    fn existing(index: &Index, key: &ObjectKey) -> Option<ExternalSecret> {
        index.external_secrets().object(key)
    }
}

impl FanOut for ClusterPushSecret {
    fn rows(index: &Index) -> MutexGuard<'_, Parents<Self>> {
        index.cluster_push_secrets()
    }

    fn recorder(recorders: &Recorders) -> &Recorder {
        &recorders.cluster_push_secret
    }

    const SERIES: &'static [Family] = &[
        Family {
            name: "clusterpushsecret_status_condition",
            kind: Kind::Gauge,
            help: "The status condition of a ClusterPushSecret",
        },
        Family {
            name: "clusterpushsecret_reconcile_duration",
            kind: Kind::Gauge,
            help: "The duration of the last reconcile of a ClusterPushSecret in nanoseconds",
        },
    ];

    fn existing(index: &Index, key: &ObjectKey) -> Option<PushSecret> {
        let read = index.push_secrets().snapshot(key);
        read.map(|(object, _)| object)
    }
}
