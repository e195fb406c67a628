//! Reads what is to be pushed: a Secret by name, Secrets by labels, or what a generator makes.

use std::collections::BTreeMap;

use lockstep_api::PushSecret;
use lockstep_api::external_secret::GeneratorRef;
use lockstep_plan::Failure;
use lockstep_plan::generator_state::{PUSH_STATE_KEY, StateOwner};
use lockstep_plan::push_secret::{Observed, Source, SourceRef, no_source, source};
use lockstep_provider_api::{Error, ErrorKind};

use super::world::PushSecretWorld;
use super::{Reconciler, namespace};
use crate::generator_states::{self, For, Made, Stored};
use crate::generators;

/// What was found.
pub(super) enum Found {
    /// One Secret, read or made.
    Sources(Vec<Source>),
    /// Secrets that labels match, by name.
    Labelled(BTreeMap<String, Source>),
    /// The named Secret is not there; the failure says so.
    Gone(Failure),
}

impl<W: PushSecretWorld> Reconciler<'_, W> {
    pub(super) async fn source(
        &self,
        observed: &Observed<'_>,
        stored: &mut Vec<Stored>,
    ) -> Result<Found, Failure> {
        let object = &observed.object;
        let failed = |error: Error| no_source(&error);
        match source(object) {
            None => Err(no_source(&Error::invalid_spec(
                "no secret selector provided",
            ))),
            Some(SourceRef::Named(name)) => {
                let read = self.world.source_secret(namespace(object), name).await;
                Ok(match read.map_err(failed)? {
                    Some(source) => Found::Sources(vec![source]),
                    None => Found::Gone(no_source(&missing(name))),
                })
            }
            Some(SourceRef::Labelled(selector)) => {
                let read = self.world.source_secrets(namespace(object), selector);
                read.await.map(Found::Labelled).map_err(failed)
            }
            Some(SourceRef::Generator(reference)) => {
                let made = self.generated(reference, object).await.map_err(failed)?;
                stored.extend(made.stored);
                Ok(Found::Sources(vec![Source {
                    data: made.values,
                    ..Source::default()
                }]))
            }
        }
    }

    async fn generated(
        &self,
        reference: &GeneratorRef,
        object: &PushSecret,
    ) -> lockstep_provider_api::Result<Made> {
        let failed = |error: Error| {
            error.context(format_args!(
                "could not resolve secret from generator ref {:?}",
                reference.name
            ))
        };
        let generator = generators::read(reference, namespace(object), self.world);
        let generator = generator.await.map_err(failed)?;
        let wanted = For {
            owner: StateOwner {
                api_version: PushSecret::API_VERSION,
                kind: PushSecret::KIND,
                metadata: &object.metadata,
            },
            key: PUSH_STATE_KEY,
            keeps_states: true,
        };
        let edges = (self.world, &**self.remote);
        let made = generator_states::make(&generator, &reference.name, wanted, edges).await;
        made.map_err(failed)
    }
}

fn missing(name: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("secrets {name:?} not found"))
}
