//! Generators an object names: read from the world, then asked to make values. Each run wants new
//! values, so nothing is cached and nothing is shared.

use lockstep_api::external_secret::GeneratorRef;
use lockstep_generators::{Random, WEBHOOK_KIND};
use lockstep_provider_api::{Result, SecretMap};

use crate::connections::Connections;
use crate::remote_generator;
use crate::world::{Generator, World};

/// Reads one generator, for an object of `namespace`.
pub(crate) async fn read<W: World>(
    reference: &GeneratorRef,
    namespace: &str,
    world: &W,
) -> Result<Generator> {
    let read = world.generator(namespace, reference).await;
    read.map_err(|error| error.context("unable to get generator"))
}

/// Lets a generator make values. `named` is the namespace and the name it goes by in messages.
pub(crate) async fn make(
    generator: &Generator,
    named: (&str, &str),
    connections: &Connections,
) -> Result<SecretMap> {
    let Generator { kind, spec } = generator;
    if kind == WEBHOOK_KIND {
        return remote_generator::generate(connections.services(), spec, named).await;
    }
    lockstep_generators::generate(kind, spec, &mut SystemRandom)
}

/// Random bytes of the operating system.
struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&mut self, bytes: &mut [u8]) {
        // The source is there on every system this runs on; without it no secret may be made.
        while getrandom::fill(bytes).is_err() {}
    }
}
