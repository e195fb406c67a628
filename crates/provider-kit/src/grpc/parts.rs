//! Reads of one secret that are taken out of the same answer: the raw read is the answer's message,
//! encoded again. Asks nobody.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::read::mismatch;
use prost::Message;

/// The raw read that holds every read of a key and version.
pub fn containing(read: &Read) -> Option<Read> {
    let reference = read.reference()?;
    Some(Read::Raw(RemoteRef {
        version: reference.wanted_version().map(str::to_owned),
        ..RemoteRef::key(&reference.key)
    }))
}

/// The form in which a raw read keeps an answer.
pub fn raw(answer: &impl Message) -> SecretValue {
    SecretValue::new(answer.encode_to_vec())
}

/// What `read` gives, out of the outcome of [`containing`]. `value` and `map` are what the reads
/// themselves make of an answer or of a failure.
pub fn extract<A: Message + Default>(
    read: &Read,
    containing: &Result<Payload>,
    value: impl FnOnce(Result<A>, &RemoteRef) -> Result<SecretValue>,
    map: impl FnOnce(Result<A>) -> Result<SecretMap>,
) -> Result<Payload> {
    let answer = match containing {
        Ok(Payload::Value(raw)) => Ok(A::decode(raw.expose()).map_err(|_| mismatch())?),
        Ok(Payload::Map(_)) => return Err(mismatch()),
        Err(error) => Err(error.duplicate()),
    };
    match read {
        Read::Value(reference) => value(answer, reference).map(Payload::Value),
        Read::Map(_) => map(answer).map(Payload::Map),
        Read::Raw(_) => Ok(Payload::Value(raw(&answer?))),
        Read::Find(_) => Err(mismatch()),
    }
}
