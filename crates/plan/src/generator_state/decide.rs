//! What becomes of one state: it is claimed, waits for its deadline, is deleted, and is let go when
//! its credential was taken back. A state that this build cannot clean up is let go as well, so that
//! no namespace waits for it for ever.

use jiff::Timestamp;
use lockstep_api::generator_state::GeneratorState;
use lockstep_api::keys::FINALIZER_GENERATOR_STATE;
use serde_json::{Value, json};

use crate::meta;

/// What to do.
#[derive(Debug, PartialEq)]
pub enum Decision {
    /// Put the finalizer on it by this patch, then decide again.
    Claim(Value),
    /// Take the credential back, then let the state go by the patch.
    CleanUp {
        /// Kind of the generator.
        kind: String,
        /// Its spec when it made the credential.
        spec: Value,
        /// What it needs to take the credential back.
        state: Value,
        /// Patch that removes the finalizer.
        release: Value,
    },
    /// Delete it: its deadline has passed.
    Delete,
    /// Look again at this time.
    Wait(Timestamp),
    /// Nothing until it changes.
    Idle,
}

/// Decides what to do with a state.
pub fn decide(object: &GeneratorState, now: Timestamp) -> Decision {
    let own = &object.metadata;
    let ours = meta::has_finalizer(own, FINALIZER_GENERATOR_STATE);
    match (own.deletion_timestamp.is_some(), ours) {
        (true, true) => clean_up(object),
        (true, false) => Decision::Idle,
        (false, false) => Decision::Claim(claim(object)),
        (false, true) => match &object.spec.garbage_collection_deadline {
            Some(deadline) if deadline.0 <= now => Decision::Delete,
            Some(deadline) => Decision::Wait(deadline.0),
            None => Decision::Idle,
        },
    }
}

/// Adds the finalizer, and the empty status that the original writes.
fn claim(object: &GeneratorState) -> Value {
    let mut patch = meta::add_finalizer(&object.metadata, FINALIZER_GENERATOR_STATE);
    if object.status.is_none() {
        patch["status"] = json!({});
    }
    patch
}

fn clean_up(object: &GeneratorState) -> Decision {
    let resource = &object.spec.resource;
    let kind = resource.get("kind").and_then(Value::as_str);
    Decision::CleanUp {
        kind: kind.unwrap_or_default().to_owned(),
        spec: resource.get("spec").cloned().unwrap_or_default(),
        state: object.spec.state.clone(),
        release: meta::remove_finalizer(&object.metadata, FINALIZER_GENERATOR_STATE),
    }
}
