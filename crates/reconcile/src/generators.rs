//! Reads the generator an object names from the world. Makes no values.

use lockstep_api::external_secret::GeneratorRef;
use lockstep_provider_api::Result;

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
