//! Finds the certificate to serve, again and again: a good pair in the folder is served as it is,
//! otherwise the one in the shared Secret, which the replica that leads renews and announces. While the
//! Secret holds none that can be served, any replica makes one. Nothing here ends the process; what is
//! missing is waited for and named.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use kube::Client;
use lockstep_provider_api::context::Time;
use lockstep_runtime::health::Component;
use tokio::sync::watch;

use crate::certificate_secret::CertificateSecret;
use crate::files::{Folder, Found};
use crate::injector;
use crate::tls::Shown;

/// Pause while there is nothing to serve.
const EAGER: Duration = Duration::from_secs(1);
/// Longest pause between two looks.
const CALM: Duration = Duration::from_secs(15);

/// Looks after the certificate of one process.
pub struct CertificateSource {
    /// Where others may put a pair.
    pub folder: Folder,
    /// Where replicas share one, if they are to.
    pub shared: Option<SharedCertificate>,
    /// What is served.
    pub shown: Shown,
    /// Tells whether there is something to serve, and what is wrong.
    pub component: Component,
    /// How long before its end a certificate is complained about.
    pub ahead: Duration,
    /// Pause between two looks; a shorter one is taken where that is wiser.
    pub interval: Duration,
    /// The clock.
    pub time: Arc<dyn Time>,
}

/// A certificate shared by all replicas.
pub struct SharedCertificate {
    /// The Secret.
    pub secret: CertificateSecret,
    /// Reaches the webhook configurations.
    pub client: Client,
    /// Name of the server.
    pub name: String,
    /// Whether this replica renews and announces it.
    pub leads: watch::Receiver<bool>,
}

impl CertificateSource {
    /// Looks until there is something to serve.
    pub async fn first(&self) {
        loop {
            self.look().await;
            if self.shown.is_there() {
                return;
            }
            self.time.sleep(EAGER).await;
        }
    }

    /// Goes on looking for ever.
    pub async fn go_on(&self) {
        loop {
            self.time.sleep(self.interval.min(CALM)).await;
            self.look().await;
        }
    }

    /// One look.
    pub async fn look(&self) {
        let now = self.time.now();
        let found = self.folder.look(now);
        if let Found::Good(key) = found {
            self.shown.show(key);
            return match self.folder.look(later(now, self.ahead)) {
                Found::Bad(soon) => self.component.ready_but(soon),
                _ => self.component.ready(),
            };
        }
        let dir = self.folder.path().display();
        let bad = match found {
            Found::Bad(reason) => Some(reason),
            _ => None,
        };
        let Some(shared) = &self.shared else {
            let reason = bad.unwrap_or_else(|| format!("no certificate in {dir} yet"));
            return self.component.waiting(reason);
        };
        match shared.look(&self.shown, now).await {
            Ok(mut remarks) => {
                remarks.extend(bad);
                if remarks.is_empty() {
                    self.component.ready();
                } else {
                    self.component.ready_but(remarks.join("; "));
                }
            }
            Err(reason) => self.component.waiting(reason),
        }
    }
}

impl SharedCertificate {
    /// Serves what the Secret holds; the leader renews it first if it is time. Says what people
    /// should know.
    async fn look(&self, shown: &Shown, now: Timestamp) -> Result<Vec<String>, String> {
        let stored = self.secret.read().await?;
        // After a reinstallation the lease of the release before still has to run out, and a
        // certificate that can be served is missing now. The write is optimistic, so that of several
        // replicas one makes it.
        let servable = stored
            .bundle
            .as_ref()
            .is_some_and(|bundle| bundle.served(&self.name, now).is_ok());
        let acts = *self.leads.borrow() || !servable;
        let bundle = if acts {
            self.secret.ensure(stored).await?
        } else {
            stored.bundle
        };
        let Some(bundle) = bundle else {
            return Err("no certificate in the Secret yet: another replica is writing one".into());
        };
        if shown.show(bundle.served(&self.name, now)?) {
            tracing::info!(name = %self.name, "serving a new certificate");
        }
        if !acts {
            return Ok(Vec::new());
        }
        match injector::inject(&self.client, &self.name, &bundle.authority).await {
            Ok(foreign) => Ok(foreign),
            // It can serve, but clients may not reach it: report that.
            Err(error) => Ok(vec![error]),
        }
    }
}

fn later(now: Timestamp, ahead: Duration) -> Timestamp {
    now.saturating_add(ahead).unwrap_or(Timestamp::MAX)
}
