//! Reads the generator an object names from the world and has it make values. What becomes of them is
//! decided by the callers.

use lockstep_api::external_secret::GeneratorRef;
use lockstep_generators::{Maker, SystemRandom, lookup};
use lockstep_provider_api::{Generated, Result};
use lockstep_remote::RemoteClient;
use lockstep_runtime::blocking::off_workers;
use tokio::sync::Semaphore;

use crate::world::{Generator, World};

/// Costly values that are made at once. RSA keys take seconds, and others want the processors too.
static COSTLY: Semaphore = Semaphore::const_new(1);

/// Reads one generator, for an object of `namespace`.
pub(crate) async fn read<W: World>(
    reference: &GeneratorRef,
    namespace: &str,
    world: &W,
) -> Result<Generator> {
    let read = world.generator(namespace, reference).await;
    read.map_err(|error| error.context("unable to get generator"))
}

/// Makes new values. `named` is the namespace that uses the generator and its name.
pub(crate) async fn make(
    generator: &Generator,
    named: (&str, &str),
    remote: &RemoteClient,
) -> Result<Generated> {
    let Generator { kind, spec, .. } = generator;
    match lookup(kind)?.maker() {
        Maker::Remote(maker) => remote.generate(maker, spec, named).await,
        Maker::Local(maker) => {
            let made = if maker.is_costly(spec) {
                let _turn = COSTLY.acquire().await;
                off_workers(|| maker.generate(spec, &mut SystemRandom))
            } else {
                maker.generate(spec, &mut SystemRandom)
            };
            made.map(Generated::from)
        }
    }
}
