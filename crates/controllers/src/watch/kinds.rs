//! Starts the watches of the operator's own kinds, of managed Secrets and of namespaces.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::Api;
use kube::core::PartialObjectMeta;
use lockstep_api::keys::{LABEL_MANAGED, LABEL_MANAGED_VALUE};
use lockstep_api::{
    ClusterExternalSecret, ClusterPushSecret, ClusterSecretStore, ExternalSecret, GeneratorState,
    PushSecret, SecretStore,
};
use lockstep_index::{Index, Seen, generator_state_seen};
use lockstep_plan::StoreKind;
use lockstep_runtime::health::Readiness;
use lockstep_runtime::watch::Guarded;

use super::follow::{Watched, keep};
use super::gate::Gate;
use super::gates::Gates;
use crate::config::Config;
use crate::context::Context;

/// Starts them.
pub(crate) fn start(context: &Arc<Context>, config: &Config, readiness: &Readiness) -> Gates {
    let gates = Gates {
        cluster_scope: config.settings.cluster_stores,
        ..Gates::default()
    };
    let start = Start {
        context,
        config,
        readiness,
        gates: &gates,
    };
    start.namespaced();
    start.cluster_stores();
    start.fan_outs();
    start.namespaces();
    gates
}

struct Start<'a> {
    context: &'a Arc<Context>,
    config: &'a Config,
    readiness: &'a Readiness,
    gates: &'a Gates,
}

impl Start<'_> {
    fn watched<K>(
        &self,
        (task, component): (&'static str, &str),
        api: Api<Guarded<K>>,
        gate: &Gate,
    ) -> Watched<K> {
        Watched {
            task,
            api,
            labels: None,
            component: self.readiness.register(component),
            gate: gate.clone(),
        }
    }

    fn all<K>(&self) -> Api<Guarded<K>>
    where
        Guarded<K>: kube::Resource<DynamicType = ()>,
    {
        Api::all(self.context.api.client.clone())
    }

    fn namespaced(&self) {
        let Self { context, gates, .. } = self;
        let (scope, client) = (&context.watches, &context.api.client);

        let names = ("externalsecrets", ExternalSecret::CRD_NAME);
        let watched = self.watched(names, scope.scoped(client), &gates.external_secrets);
        keep(context, watched, Index::external_secret_seen);

        let names = ("secretstores", SecretStore::CRD_NAME);
        let watched = self.watched(names, scope.scoped(client), &gates.secret_stores);
        keep(context, watched, |index, seen: Seen<SecretStore>, now| {
            index.store_seen(StoreKind::SecretStore, seen.map(Into::into), now)
        });

        if self.config.settings.push_secrets {
            let names = ("pushsecrets", PushSecret::CRD_NAME);
            let watched = self.watched(names, scope.scoped(client), &gates.push_secrets);
            keep(context, watched, |index, seen, _| {
                index.push_secret_seen(seen)
            });
        }

        let secrets = ("secrets", "secrets");
        let watched: Watched<Secret> = Watched {
            labels: Some(format!("{LABEL_MANAGED}={LABEL_MANAGED_VALUE}")),
            ..self.watched(secrets, scope.scoped(client), &gates.targets)
        };
        keep(context, watched, Index::target_seen);

        let names = ("generatorstates", GeneratorState::CRD_NAME);
        let watched = self.watched(names, scope.scoped(client), &Gate::default());
        keep(context, watched, |_, seen, now| {
            generator_state_seen(seen, now)
        });
    }

    fn cluster_stores(&self) {
        if self.config.settings.cluster_stores {
            let names = ("clustersecretstores", ClusterSecretStore::CRD_NAME);
            let watched = self.watched(names, self.all(), &self.gates.cluster_stores);
            keep(
                self.context,
                watched,
                |index, seen: Seen<ClusterSecretStore>, now| {
                    index.store_seen(StoreKind::ClusterSecretStore, seen.map(Into::into), now)
                },
            );
        }
    }

    fn fan_outs(&self) {
        let Self { context, gates, .. } = self;
        if self.config.cluster_external_secrets {
            let names = ("clusterexternalsecrets", ClusterExternalSecret::CRD_NAME);
            let watched = self.watched(names, self.all(), &gates.cluster_external_secrets);
            keep(context, watched, |index, seen, _| {
                index.cluster_external_secret_seen(seen)
            });
        }
        if self.config.cluster_push_secrets && self.config.settings.push_secrets {
            let names = ("clusterpushsecrets", ClusterPushSecret::CRD_NAME);
            let watched = self.watched(names, self.all(), &gates.cluster_push_secrets);
            keep(context, watched, |index, seen, _| {
                index.cluster_push_secret_seen(seen)
            });
        }
    }

    fn namespaces(&self) {
        let config = self.config;
        let fans_out = config.cluster_external_secrets || config.cluster_push_secrets;
        if config.settings.cluster_stores || fans_out {
            let names = ("namespaces", "namespaces");
            let watched = self.watched(names, self.all(), &self.gates.namespaces);
            keep(
                self.context,
                watched,
                |index, seen: Seen<PartialObjectMeta<Namespace>>, now| {
                    index.namespace_seen(seen.map(|namespace| namespace.metadata), now)
                },
            );
        }
    }
}
