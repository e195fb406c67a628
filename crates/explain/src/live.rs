//! Reads stores now, through the operator's own code: the same decision what to read, the same
//! connections, the same pipeline. Keeps the shape of answers and drops the values; writes nothing, and
//! runs no generator, because that would make credentials.

mod outcome;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context;
use jiff::Timestamp;
use kube::Client;
use lockstep_api::conditions::{Condition, READY};
use lockstep_plan::external_secret::{
    Decision, FetchList, Observed, ObservedTarget, Payload, Source, SourceKind, TemplateSources,
    decide,
};
use lockstep_plan::store::{StoreRecord, report};
use lockstep_plan::{Settings, StoreKey, StoreLookup, StoreView};
use lockstep_provider_api::context::{CallOutcome, CallRecorder, Objects};
use lockstep_provider_api::{Error, Services, Shared};
use lockstep_remote::{Connections, ReadRequest, RemoteClient};
use lockstep_runtime::client::own_namespace;
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::objects::ClusterObjects;
use lockstep_runtime::transport::{self, HttpTransports};

use crate::Environment;
use crate::facts::{ExternalSecretFacts, Live, LiveAnswer, LiveFailure, Looked, StoreFacts};
use crate::flags::ExplainFlags;
use outcome::{finish, not_run, of_error, of_failure, shape};

/// Reads stores as the operator does.
pub(crate) struct Reader {
    remote: Arc<RemoteClient>,
    objects: Arc<ClusterObjects>,
    /// Whether the identity of this process is the operator's.
    is_operator: bool,
}

/// Nobody scrapes a command.
struct Uncounted;

impl CallRecorder for Uncounted {
    fn record(&self, _: &'static str, _: &'static str, _: CallOutcome) {}
}

impl Reader {
    pub(crate) fn new(
        client: &Client,
        flags: &ExplainFlags,
        environment: Environment,
    ) -> anyhow::Result<Self> {
        let objects = Arc::new(ClusterObjects::new(client.clone()));
        let settings = transport::Settings {
            proxy: environment.proxy,
            ..transport::Settings::default()
        };
        // Anywhere else the identity of the process is that of whoever runs the command.
        let is_operator = own_namespace().is_some() && flags.cluster.kubeconfig.is_none();
        let services = Arc::new(Services {
            objects: Arc::clone(&objects) as Arc<dyn Objects>,
            transports: Arc::new(HttpTransports::new(settings)),
            time: Arc::new(SystemTime),
            calls: Arc::new(Uncounted),
            ambient: is_operator,
            variables: environment.variables,
            shared: Shared::default(),
        });
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).context("random bytes from the system")?;
        let connections = Connections::new(services);
        Ok(Self {
            remote: RemoteClient::new(connections, lockstep_plan::Salt::new(salt)),
            objects,
            is_operator,
        })
    }

    /// Asks a store's provider whether the store works.
    pub(crate) async fn check(
        &self,
        facts: &StoreFacts,
        settings: &Settings,
    ) -> Result<String, LiveFailure> {
        let record = &facts.record;
        let checked =
            lockstep_reconcile::store::check(record, self.remote.connections(), settings).await;
        let Some(outcome) = checked else {
            return Ok("not checked: it belongs to another controller class".to_owned());
        };
        let plan = report(record.object(), outcome, settings, Timestamp::now());
        // Without a new status the one that stands is still true.
        let status = plan.status.unwrap_or_else(|| record.status.clone());
        let ready = Condition::find(&status.conditions, READY);
        let message = ready.and_then(|ready| ready.message.clone());
        let message = message.unwrap_or_default();
        if ready.is_some_and(Condition::is_true) {
            return Ok(format!("answered just now: {message}"));
        }
        let failure = LiveFailure {
            cause: ready
                .and_then(|ready| ready.reason.clone())
                .unwrap_or_default(),
            text: message,
            remedy: None,
        };
        Err(self.told(failure, facts.credentials.is_empty()))
    }

    /// Reads what an ExternalSecret reads, and takes it through the pipeline and the templates.
    pub(crate) async fn external_secret(
        &self,
        facts: &ExternalSecretFacts,
        settings: &Settings,
    ) -> Live {
        let now = Timestamp::now();
        let stores = Stores::of(facts);
        let mut found = facts.stores.values().filter_map(Looked::there);
        let ambient = found.any(|store| store.credentials.is_empty());
        let mut object = facts.object.clone();
        // An object that was never synced is due, whatever its policy.
        object.status = None;
        object.metadata.deletion_timestamp = None;
        let mut observed = Observed {
            object,
            namespace_labels: facts.labels.there().cloned(),
            stores: &stores,
            target: facts
                .target
                .there()
                .map_or(ObservedTarget::Absent, |target| target.seen.clone()),
            former_targets: Vec::new(),
            last_refresh: None,
            inputs_changed: false,
            asked: now,
            sources: TemplateSources::new(),
            jitter: 0.0,
        };
        let list = match decide(&observed, settings, now).decision {
            Decision::Fetch(list) => list,
            Decision::Fail(failure) => {
                return Live {
                    refused: Some(self.told(of_failure(&failure), ambient)),
                    ..Live::default()
                };
            }
            _ => return Live::default(),
        };
        let (shown, answers) = self.read(&observed, &list, (now, ambient)).await;
        observed.sources = self.sources(facts).await;
        let (pipeline, planned) = finish(&observed, &list, &answers, (settings, now));
        Live {
            refused: None,
            answers: shown,
            pipeline,
            plan: planned,
        }
    }

    async fn read(
        &self,
        observed: &Observed<'_>,
        list: &FetchList,
        (now, ambient): (Timestamp, bool),
    ) -> (Vec<LiveAnswer>, Vec<Result<Payload, Error>>) {
        let meta = &observed.object.metadata;
        let (mut shown, mut answers) = (Vec::new(), Vec::new());
        for item in &list.items {
            let (asked, answer) = match &item.source {
                Source::Generator(reference) => (
                    format!("generator {} {}", reference.kind, reference.name),
                    Err(not_run()),
                ),
                Source::Store { key, read } => {
                    let asked = read.reference().map_or_else(
                        || "a search".to_owned(),
                        |reference| format!("{:?}", reference.key),
                    );
                    let answer = match observed.stores.record(key) {
                        Some(store) => {
                            let request = ReadRequest {
                                store: &store,
                                caller: meta.namespace.as_deref().unwrap_or_default(),
                                object: None,
                                read,
                                asked: now,
                            };
                            let reply = self.remote.read(request).await;
                            reply.and_then(|reply| reply.outcome)
                        }
                        None => Err(Error::invalid_spec(format!("{key} is gone"))),
                    };
                    (format!("{asked} of {key}"), answer)
                }
            };
            shown.push(LiveAnswer {
                entry: item.entry.label(&observed.object),
                asked,
                outcome: match &answer {
                    Ok(payload) => Ok(shape(payload)),
                    Err(error) => Err(self.told(of_error(error), ambient)),
                },
            });
            answers.push(answer);
        }
        (shown, answers)
    }

    async fn sources(&self, facts: &ExternalSecretFacts) -> TemplateSources {
        let namespace = facts.object.metadata.namespace.as_deref();
        let namespace = namespace.unwrap_or_default();
        let mut sources = TemplateSources::new();
        for key in facts.sources.keys() {
            let read = match key.kind {
                SourceKind::Secret => self.objects.secret(namespace, &key.name).await,
                SourceKind::ConfigMap => {
                    let read = self.objects.config_map(namespace, &key.name).await;
                    read.map(|texts| {
                        let values = texts.into_iter();
                        values.map(|(key, text)| (key, text.into())).collect()
                    })
                }
            };
            sources.insert(key.clone(), read.map_err(|error| error.to_string()));
        }
        sources
    }

    /// A failure, with what is special about a read from here: a store that names no credentials uses
    /// the operator's own identity, which only the operator's pod has.
    fn told(&self, mut failure: LiveFailure, ambient: bool) -> LiveFailure {
        const OF_IDENTITY: [&str; 5] = [
            "Denied",
            "Unauthenticated",
            "InvalidSpec",
            "InvalidProviderConfig",
            "CredentialsRefused",
        ];
        if ambient && !self.is_operator && OF_IDENTITY.contains(&failure.cause.as_str()) {
            failure.remedy = Some(
                "the store names no credentials: if it uses the operator's own identity, run this in \
                 its pod: kubectl -n external-secrets exec deploy/external-secrets -- /lockstep explain …"
                    .to_owned(),
            );
        }
        failure
    }
}

/// The stores that were found.
struct Stores(BTreeMap<StoreKey, Arc<StoreRecord>>);

impl Stores {
    fn of(facts: &ExternalSecretFacts) -> Self {
        let found = facts.stores.iter().filter_map(|(key, store)| match store {
            Looked::There(store) => Some((key.clone(), Arc::clone(&store.record))),
            Looked::Missing(_) | Looked::Failed(_) => None,
        });
        Self(found.collect())
    }
}

impl StoreLookup for Stores {
    fn store(&self, key: &StoreKey) -> Option<Arc<StoreView>> {
        self.0.get(key).map(|record| Arc::clone(&record.view))
    }

    fn record(&self, key: &StoreKey) -> Option<Arc<StoreRecord>> {
        self.0.get(key).cloned()
    }
}
