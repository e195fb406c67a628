//! Publishes the series of what the controllers hold, those of switched-off kinds left out.

use std::sync::Arc;

use lockstep_api::{ClusterExternalSecret, ClusterPushSecret};
use lockstep_plan::StoreKind;
use lockstep_runtime::metrics::Metrics;

use crate::config::Config;
use crate::context::Context;
use crate::external_secret::ExternalSecretRows;
use crate::fan_out::FanOutRows;
use crate::push_secret::PushSecretRows;
use crate::series::{ByStore, Gauges};
use crate::store::StoreRows;

pub(super) fn publish(context: &Arc<Context>, config: &Config, metrics: &Metrics) {
    let extended = config.extended_labels;
    metrics.add_rows(Arc::new(Gauges(Arc::clone(context))));
    metrics.add_rows(Arc::new(ByStore(Arc::clone(context))));
    metrics.add_rows(Arc::new(ExternalSecretRows {
        context: Arc::clone(context),
        extended,
    }));
    if config.settings.push_secrets {
        metrics.add_rows(Arc::new(PushSecretRows {
            context: Arc::clone(context),
            extended,
        }));
    }
    if config.cluster_external_secrets {
        let rows = FanOutRows::<ClusterExternalSecret>::new(context, extended);
        metrics.add_rows(Arc::new(rows));
    }
    if config.cluster_push_secrets && config.settings.push_secrets {
        let rows = FanOutRows::<ClusterPushSecret>::new(context, extended);
        metrics.add_rows(Arc::new(rows));
    }
    let stores = |kind| StoreRows {
        context: Arc::clone(context),
        kind,
        extended,
    };
    if config.settings.secret_stores {
        metrics.add_rows(Arc::new(stores(StoreKind::SecretStore)));
    }
    if config.settings.cluster_stores {
        metrics.add_rows(Arc::new(stores(StoreKind::ClusterSecretStore)));
    }
}
