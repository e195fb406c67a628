//! Keeps track of credentials that generators made in a run. The state is stored before anything else
//! happens, so that a stop at any moment leaks nothing: a run that fails gives its states a deadline
//! of now, one that succeeds flags those that are no longer needed.

use jiff::Timestamp;
use lockstep_api::external_secret::GeneratorRef;
use lockstep_generators::{Maker, lookup};
use lockstep_plan::Settings;
use lockstep_plan::generator_state::{StateOwner, new_state, owner_key, superseded};
use lockstep_provider_api::{Error, ErrorKind, Result, SecretMap};
use lockstep_remote::RemoteClient;
use serde_json::json;

use crate::generators;
use crate::world::{Generator, World};

/// Values that were made, and what is known of their credential.
#[derive(Debug, Default)]
pub(crate) struct Made {
    /// The values.
    pub(crate) values: SecretMap,
    /// The stored state, where the credential must be taken back.
    pub(crate) stored: Option<Stored>,
    /// When the credential ends.
    pub(crate) expires: Option<Timestamp>,
}

/// A state that was stored in this run.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    namespace: String,
    name: String,
    owner_key: String,
}

/// For whom values are made.
#[derive(Clone, Copy)]
pub(crate) struct For<'a> {
    /// The object that uses them.
    pub(crate) owner: StateOwner<'a>,
    /// Which entry of the object.
    pub(crate) key: &'a str,
    /// Whether states are kept for it.
    pub(crate) keeps_states: bool,
}

/// Makes new values and stores the state of their credential.
pub(crate) async fn make<W: World>(
    generator: &Generator,
    name: &str,
    wanted: For<'_>,
    (world, remote): (&W, &RemoteClient),
) -> Result<Made> {
    let named = (wanted.owner.namespace(), name);
    let generated = generators::make(generator, named, remote).await?;
    let mut made = Made {
        values: generated.values,
        stored: None,
        expires: generated.expires,
    };
    let Some(state) = generated.state.filter(|_| wanted.keeps_states) else {
        return Ok(made);
    };
    let resource = json!({
        "apiVersion": GeneratorRef::API_VERSION,
        "kind": generator.kind,
        "metadata": generator.metadata,
        "spec": generator.spec,
    });
    let object = new_state(wanted.owner, wanted.key, (resource, state.clone()));
    match world.create_state(&object).await {
        Ok(stored) => {
            made.stored = Some(Stored {
                namespace: wanted.owner.namespace().to_owned(),
                name: stored,
                owner_key: owner_key(wanted.owner, wanted.key),
            });
            Ok(made)
        }
        Err(error) => {
            let text = format!("could not store the generator state: {error}");
            take_back(generator, state, named, remote).await;
            Err(Error::new(ErrorKind::Internal, text))
        }
    }
}

/// Takes back a credential that nothing in the cluster remembers.
async fn take_back(
    generator: &Generator,
    state: serde_json::Value,
    named: (&str, &str),
    remote: &RemoteClient,
) {
    let Ok(Maker::Remote(maker)) =
        lookup(&generator.kind).map(lockstep_provider_api::GeneratorEntry::maker)
    else {
        return;
    };
    let done = remote
        .clean_up(maker, (&generator.spec, state), named)
        .await;
    if let Err(error) = done {
        let (namespace, name) = named;
        tracing::error!(
            %namespace, generator = %name, kind = %generator.kind, %error,
            "a credential could neither be remembered nor taken back; revoke it by hand"
        );
    }
}

/// Has the states of a run that failed deleted, and their credentials taken back.
pub(crate) async fn roll_back<W: World>(world: &W, stored: &[Stored], now: Timestamp) {
    for one in stored {
        flag(world, (&one.namespace, &one.name), now).await;
    }
}

/// Flags what is no longer needed after a run that succeeded.
pub(crate) async fn settle<W: World>(
    world: &W,
    stored: &[Stored],
    settings: &Settings,
    now: Timestamp,
) {
    let deadline = now.checked_add(settings.generator_grace).unwrap_or(now);
    for one in stored {
        match world.states(&one.namespace, &one.owner_key).await {
            Ok(states) => {
                for name in superseded(&states, &one.name) {
                    flag(world, (&one.namespace, name), deadline).await;
                }
            }
            // The next refresh flags them.
            Err(error) => {
                let (namespace, state) = (&one.namespace, &one.name);
                tracing::warn!(%namespace, %state, %error, "could not list generator states");
            }
        }
    }
}

async fn flag<W: World>(world: &W, (namespace, name): (&str, &str), deadline: Timestamp) {
    if let Err(error) = world.flag_state(namespace, name, deadline).await {
        tracing::warn!(%namespace, state = %name, %error, "could not give a state its deadline");
    }
}
