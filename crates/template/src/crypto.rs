//! Keys, certificates and key stores for template functions.
//!
//! The mathematics is RustCrypto's; formats and their rules are Go's. Randomness is handed in.
//! Private keys live as long as the call that needs them.

pub(crate) mod cbc;
pub(crate) mod create;
pub(crate) mod ec;
pub(crate) mod jwk;
pub(crate) mod keys;
pub(crate) mod pkcs12;
pub(crate) mod rsa;

pub(crate) use chacha20::ChaCha20Rng as Rng;
use chacha20::rand_core::SeedableRng as _;

use crate::context::Context;
use crate::failure::Outcome;

/// A generator seeded from the source the execution was given.
pub(crate) fn rng(cx: &mut Context<'_>) -> Outcome<Rng> {
    let mut seed = [0; 32];
    cx.fill(&mut seed)?;
    Ok(Rng::from_seed(seed))
}
