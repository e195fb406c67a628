//! A lease that comes and goes: for work that stops while another replica leads and resumes later.
//! The controller is stricter and ends when it loses its lease; that is not decided here.

use std::sync::Arc;
use std::time::Duration;

use lockstep_provider_api::context::Time;
use lockstep_runtime::background::Background;
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::health::Readiness;
use lockstep_runtime::lease::{self, Candidate, LeaseError};
use lockstep_runtime::metrics::Metrics;
use lockstep_runtime::shutdown::Shutdown;
use tokio::sync::watch;

use crate::environment;

/// Runs for the lease until a stop is asked for; the channel says whether we lead.
pub(crate) fn seek(
    client: &kube::Client,
    namespace: &str,
    name: &str,
    metrics: &Arc<Metrics>,
    shutdown: &Shutdown,
) -> watch::Receiver<bool> {
    let (sender, receiver) = watch::channel(false);
    let settings = lease::Settings {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        identity: lease::identity(&environment::hostname()),
        duration: Duration::from_secs(15),
        renew_deadline: Duration::from_secs(10),
        retry_period: Duration::from_secs(2),
    };
    let (client, metrics, shutdown) = (client.clone(), Arc::clone(metrics), shutdown.clone());
    let background = Background::new(Arc::clone(&metrics), Readiness::default());
    background.keep("lease", move || {
        let (client, metrics) = (client.clone(), Arc::clone(&metrics));
        let (settings, sender, shutdown) = (settings.clone(), sender.clone(), shutdown.clone());
        // Whoever panicked while it led leads no more.
        sender.send_replace(false);
        async move { go_on_seeking(settings, client, metrics, (sender, shutdown)).await }
    });
    receiver
}

async fn go_on_seeking(
    settings: lease::Settings,
    client: kube::Client,
    metrics: Arc<Metrics>,
    (sender, shutdown): (watch::Sender<bool>, Shutdown),
) {
    while !shutdown.is_requested() {
        // A replica that only stands by is as ready as one that leads.
        let component = Readiness::default().register("lease");
        let time = Arc::new(SystemTime) as Arc<dyn Time>;
        let run = Candidate::new(
            settings.clone(),
            client.clone(),
            time,
            Arc::clone(&metrics),
            component,
        );
        let ended: Result<(), LeaseError> = match run {
            Ok(candidate) => candidate.run(sender.clone(), shutdown.clone()).await,
            Err(error) => return tracing::error!(%error, "no leader election"),
        };
        if let Err(error) = ended {
            tracing::warn!(%error, "standing by");
        }
    }
}
