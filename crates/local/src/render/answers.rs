//! Answers a fetch list from the remote file and from generators among the manifests. Every store
//! that is named counts as there and ready.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_api::external_secret::{GeneratorKind, GeneratorRef};
use lockstep_generators::{SystemRandom, generate_locally};
use lockstep_plan::external_secret::{FetchList, Payload, Source, SpecEntry};
use lockstep_plan::store::Access;
use lockstep_plan::{StoreKey, StoreLookup, StoreView};
use lockstep_provider_api::{Error, Result};

use super::remote::{Missed, Remote};
use crate::manifests::Manifests;
use crate::name::Name;

/// Answers in the order of the list, and what reads missed.
#[derive(Default)]
pub(crate) struct Answers {
    pub(crate) payloads: Vec<Result<Payload>>,
    pub(crate) missed: BTreeMap<SpecEntry, Missed>,
}

/// Answers a list for an object of this namespace.
pub(crate) fn answer(
    list: &FetchList,
    remote: &Remote,
    manifests: &Manifests,
    namespace: &str,
) -> Answers {
    let mut answers = Answers::default();
    for item in &list.items {
        let payload = match &item.source {
            Source::Store { read, .. } => {
                let (payload, missed) = remote.answer(read);
                answers
                    .missed
                    .extend(missed.map(|missed| (item.entry, missed)));
                payload
            }
            Source::Generator(reference) => {
                generate(reference, manifests, namespace).map(Payload::Map)
            }
        };
        answers.payloads.push(payload);
    }
    answers
}

fn generate(
    reference: &GeneratorRef,
    manifests: &Manifests,
    namespace: &str,
) -> Result<lockstep_provider_api::SecretMap> {
    let is_wide = reference.kind == GeneratorKind::ClusterGenerator;
    let name = Name::new(if is_wide { "" } else { namespace }, &*reference.name);
    let mut held = manifests.generators.iter();
    let spec = held.find(|((kind, held), _)| *kind == reference.kind.as_str() && *held == name);
    let Some((_, spec)) = spec else {
        let text = format!(
            "{} {:?} not found; add its manifest with --template-from",
            reference.kind, reference.name
        );
        return Err(Error::invalid_spec(text).context("unable to get generator"));
    };
    if is_wide {
        let (kind, spec) = lockstep_generators::unwrap(spec)?;
        return generate_locally(&kind, &spec, &mut SystemRandom);
    }
    generate_locally(reference.kind.as_str(), spec, &mut SystemRandom)
}

/// Every store, ready and open to all.
pub(crate) struct AnyStore;

impl StoreLookup for AnyStore {
    fn store(&self, key: &StoreKey) -> Option<Arc<StoreView>> {
        // A reference that names no store is a fault here too.
        (!key.name.is_empty()).then(|| {
            Arc::new(StoreView {
                key: key.clone(),
                uid: String::new(),
                generation: 1,
                labels: std::collections::BTreeMap::new(),
                class: None,
                ready: Some(true),
                fault: None,
                stays_open: false,
                deleting: false,
                access: Access::of(&[]),
            })
        })
    }
}
