//! Reads what surrounds stores, PushSecrets, the kinds that fan out, and generators.

use std::collections::BTreeMap;

use kube::core::DynamicObject;
use lockstep_api::conditions::{Condition, READY};
use lockstep_api::external_secret::GeneratorRef;
use lockstep_api::{ExternalSecret, PushSecret};
use lockstep_plan::external_secret::{generators, store_keys};
use lockstep_plan::push_secret::StoreUses;
use lockstep_plan::store::StoreRecord;
use lockstep_toolbox::cluster::told;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Collector, credentials};
use crate::facts::{Child, GeneratorFacts, Looked, PushFacts, PushSource, StoreSubject};
use crate::kinds::Kind;

impl Collector<'_> {
    pub(super) async fn store_subject(&self, record: StoreRecord) -> StoreSubject {
        let users = self.users(&record).await;
        let facts = self.store_facts(record, self.namespace).await;
        let live = match self.live {
            Some(live) => Some(live.check(&facts, &self.settings).await),
            None => None,
        };
        StoreSubject { facts, users, live }
    }

    /// ExternalSecrets and PushSecrets that use a store.
    async fn users(&self, record: &StoreRecord) -> Looked<Vec<Child>> {
        let namespace = record.key.namespace.as_deref();
        let reads = match self
            .typed::<ExternalSecret>(&Kind::ExternalSecret, namespace)
            .await
        {
            Ok(reads) => reads,
            Err(text) => return Looked::Failed(text),
        };
        let mut users: Vec<Child> = reads
            .iter()
            .filter(|(object, _)| store_keys(object).contains(&record.key))
            .map(|(_, child)| child.clone())
            .collect();
        let pushes = self.typed::<PushSecret>(&Kind::PushSecret, namespace).await;
        let pushes = pushes.unwrap_or_default();
        let pushes = pushes
            .into_iter()
            .filter(|(object, _)| StoreUses::of(object).pushes_to(&record.view));
        users.extend(pushes.map(|(_, child)| child));
        Looked::There(users)
    }

    /// Objects of a kind with what their Ready condition says.
    async fn typed<T: DeserializeOwned>(
        &self,
        kind: &Kind,
        namespace: Option<&str>,
    ) -> Result<Vec<(T, Child)>, String> {
        let found = self.list(kind, namespace).await;
        let found = found.map_err(|error| told(&error))?;
        let typed = found.into_iter().filter_map(|object| {
            let child = child(kind, &object);
            let value = serde_json::to_value(object).ok()?;
            Some((serde_json::from_value(value).ok()?, child))
        });
        Ok(typed.collect())
    }

    pub(super) async fn push_secret(&self, object: PushSecret) -> PushFacts {
        let source = self.source(&object).await;
        let mut stores = BTreeMap::new();
        let mut live = BTreeMap::new();
        for key in StoreUses::of(&object).named() {
            let store = self.store(&key, self.namespace).await;
            if let (Some(reader), Looked::There(facts)) = (self.live, &store) {
                let checked = reader.check(facts, &self.settings).await;
                live.insert(key.clone(), checked);
            }
            stores.insert(key, store);
        }
        PushFacts {
            labels: self.labels(self.namespace).await,
            source,
            stores,
            live,
            object,
        }
    }

    /// What a PushSecret takes its values from.
    async fn source(&self, object: &PushSecret) -> PushSource {
        let Some(selector) = object.spec.selector.as_ref() else {
            return PushSource::Labels;
        };
        if let Some(reference) = &selector.generator_ref {
            let kind = reference.kind.to_string();
            let found = self.generator_named(&kind, &reference.name).await;
            return PushSource::Generator(kind, reference.name.clone(), found);
        }
        let named = selector.secret.as_ref();
        let named = named.and_then(|secret| secret.name.clone());
        match named {
            Some(name) => {
                let keys = self.keys_of("Secret", self.namespace, &name).await;
                PushSource::Secret(name, keys)
            }
            None => PushSource::Labels,
        }
    }

    /// The objects that a kind which fans out has made.
    pub(super) async fn children(&self, kind: &Kind, name: &str) -> Looked<Vec<Child>> {
        let below = match kind {
            Kind::ClusterPushSecret => Kind::PushSecret,
            _ => Kind::ExternalSecret,
        };
        match self.list(&below, None).await {
            Ok(found) => {
                let owned = found.iter().filter(|object| {
                    let owners = object.metadata.owner_references.iter().flatten();
                    owners
                        .into_iter()
                        .any(|owner| owner.kind == kind.as_str() && owner.name == name)
                });
                Looked::There(owned.map(|object| child(&below, object)).collect())
            }
            Err(error) => Looked::Failed(told(&error)),
        }
    }

    pub(super) async fn generator(
        &self,
        kind: &Kind,
        name: &str,
        object: &Value,
    ) -> GeneratorFacts {
        let own = kind.is_namespaced().then_some(self.namespace);
        let mut found = Vec::new();
        for reference in credentials::references(&object["spec"]) {
            found.push(self.credential(reference, own, self.namespace).await);
        }
        let users = self.users_of_generator(kind, name, own).await;
        let states = self
            .list(&Kind::Generator("GeneratorState".to_owned()), own)
            .await;
        let states = states.map(|states| {
            let made = states.iter().filter(|state| {
                let resource = &state.data["spec"]["resource"];
                resource["kind"] == kind.as_str() && resource["metadata"]["name"] == name
            });
            made.count()
        });
        GeneratorFacts {
            credentials: found,
            users: users.map_or_else(Looked::Failed, Looked::There),
            states: states.map_or_else(|error| Looked::Failed(told(&error)), Looked::There),
        }
    }
}

impl Collector<'_> {
    /// ExternalSecrets and PushSecrets that use a generator.
    async fn users_of_generator(
        &self,
        kind: &Kind,
        name: &str,
        namespace: Option<&str>,
    ) -> Result<Vec<Child>, String> {
        let is_meant = |reference: &GeneratorRef| {
            reference.name == name && reference.kind.to_string() == kind.as_str()
        };
        let reads = self
            .typed::<ExternalSecret>(&Kind::ExternalSecret, namespace)
            .await?;
        let reads = reads
            .into_iter()
            .filter(|(object, _)| generators(object).any(is_meant));
        let pushes = self.typed::<PushSecret>(&Kind::PushSecret, namespace).await;
        let pushes = pushes
            .unwrap_or_default()
            .into_iter()
            .filter(|(object, _)| {
                let selector = object.spec.selector.as_ref();
                let reference = selector.and_then(|selector| selector.generator_ref.as_ref());
                reference.is_some_and(is_meant)
            });
        let pushes = pushes.map(|(_, child)| child);
        Ok(reads.map(|(_, child)| child).chain(pushes).collect())
    }
}

fn child(kind: &Kind, object: &DynamicObject) -> Child {
    let conditions = object.data.pointer("/status/conditions").cloned();
    let conditions: Vec<Condition> = conditions
        .and_then(|conditions| serde_json::from_value(conditions).ok())
        .unwrap_or_default();
    let ready = Condition::find(&conditions, READY);
    Child {
        kind: match kind {
            Kind::PushSecret => "PushSecret",
            _ => "ExternalSecret",
        },
        namespace: object.metadata.namespace.clone().unwrap_or_default(),
        name: object.metadata.name.clone().unwrap_or_default(),
        ready: ready.map(Condition::is_true),
        message: ready
            .and_then(|ready| ready.message.clone())
            .unwrap_or_default(),
    }
}
