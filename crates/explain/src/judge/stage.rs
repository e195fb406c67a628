//! Which link of the chain a failure belongs to, by the stable word for its cause that the operator puts
//! into conditions. The original operator writes no such word; its failures belong to the object.

use lockstep_api::conditions::{Condition, READY};
use lockstep_plan::Cause;

/// A link of the chain that a failure can belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    Object,
    Store,
    Identity,
    Provider,
    Pipeline,
    Template,
    Target,
}

/// The failure that the Ready condition tells of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) stage: Stage,
    pub(super) cause: &'static str,
    /// The detail, without the remedy that the message ends with.
    pub(super) text: String,
    pub(super) remedy: Option<&'static str>,
}

/// Reads the failure out of a status.
pub(super) fn told(conditions: &[Condition]) -> Option<Told> {
    let ready = Condition::find(conditions, READY).filter(|ready| !ready.is_true())?;
    let message = ready.message.as_deref().unwrap_or_default();
    Some(read(message))
}

fn read(message: &str) -> Told {
    let Some((cause, detail, is_bare)) = first_cause(message) else {
        return Told {
            stage: Stage::Object,
            cause: "",
            text: message.to_owned(),
            remedy: None,
        };
    };
    let (word, remedy) = (cause.as_str(), cause.remedy());
    let before = remedy.and_then(|remedy| detail.strip_suffix(&format!("; {remedy}")));
    Told {
        stage: stage_of(word),
        cause: word,
        text: format!("{word}: {}", before.unwrap_or(detail)),
        // A detail that says itself what to do has no remedy behind it; another one would contradict
        // it.
        remedy: remedy.filter(|_| before.is_some() || is_bare),
    }
}

/// The cause that stands first, what follows it, and whether it stood in brackets at the end. Behind
/// the first one others may follow: an ExternalSecret repeats the message of its store.
fn first_cause(message: &str) -> Option<(Cause, &str, bool)> {
    let inside = Cause::ALL.into_iter().filter_map(|cause| {
        let word = format!(": {}: ", cause.as_str());
        let at = message.find(&word)?;
        Some((at, cause, &message[at + word.len()..]))
    });
    if let Some((_, cause, detail)) = inside.min_by_key(|(at, ..)| *at) {
        return Some((cause, detail, false));
    }
    Cause::ALL.into_iter().find_map(|cause| {
        let detail = message.strip_suffix(&format!(" ({})", cause.as_str()))?;
        Some((cause, detail, true))
    })
}

/// The link that a cause belongs to.
pub(super) fn stage_of(cause: &str) -> Stage {
    match cause {
        "StoreNotFound" | "StoreNotReady" | "StoreDenied" | "StoreForeign" | "NamespaceUnknown"
        | "StoreNotUsable" => Stage::Store,
        "Unauthenticated" => Stage::Identity,
        "Denied" | "NotFound" | "Tombstoned" | "Throttled" | "Unreachable" => Stage::Provider,
        "InvalidData" | "SourceKeyMissing" => Stage::Pipeline,
        "Template" => Stage::Template,
        "Conflict" | "Immutable" | "ApiServer" | "DeletionHeld" => Stage::Target,
        _ => Stage::Object,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_this_operator_names_cause_and_link() {
        let told = read(
            "could not get secret data from provider: NotFound: spec.data[0] (key: db): Secret does \
             not exist; create it, or correct the reference",
        );

        assert_eq!(told.stage, Stage::Provider);
        assert_eq!(
            told.text,
            "NotFound: spec.data[0] (key: db): Secret does not exist"
        );
        assert_eq!(told.remedy, Some("create it, or correct the reference"));
    }

    #[test]
    fn the_message_of_a_store_inside_another_does_not_move_the_link() {
        let told = read(
            "could not get secret data from provider: StoreNotReady: spec.data[0] (key: db): SecretStore \
             \"s\" is not ready: unable to validate store: Denied: no",
        );

        assert_eq!((told.stage, told.cause), (Stage::Store, "StoreNotReady"));
    }

    #[test]
    fn a_detail_with_its_own_advice_gets_no_other() {
        let told = read("unable to validate store: Unreachable: its certificate expired: renew it");

        assert_eq!(told.remedy, None);
    }

    #[test]
    fn a_cause_in_brackets_is_found_too() {
        assert_eq!(
            read("spec.data is empty (InvalidSpec)").stage,
            Stage::Object
        );
    }

    #[test]
    fn a_message_of_the_original_operator_stays_with_the_object() {
        let told = read("could not get secret data from provider");

        assert_eq!((told.stage, told.cause), (Stage::Object, ""));
    }

    #[test]
    fn every_cause_has_a_link() {
        let at_object = Cause::ALL
            .iter()
            .filter(|cause| stage_of(cause.as_str()) == Stage::Object);
        let at_object: Vec<&str> = at_object.map(|cause| cause.as_str()).collect();

        assert_eq!(
            at_object,
            ["Internal", "InvalidSpec", "Unfinished", "Unsupported"]
        );
    }
}
