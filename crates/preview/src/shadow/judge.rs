//! Whether the Secret that would be written is the one that is there, and if not, why. Pure: facts of one
//! run in, a judgement out.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Secret;
use lockstep_api::ExternalSecret;
use lockstep_plan::external_secret::{Ignored, period};
use lockstep_plan::manifest_target::ObjectRef;
use lockstep_plan::{Failure, conditions};
use lockstep_toolbox::redact::Redactor;
use serde::Serialize;

use crate::decided::Decided;
use crate::difference::{Difference, Section, differences};
use crate::edited::is_edited;

/// What is known of one run.
pub(super) struct Facts<'a> {
    pub(super) object: &'a ExternalSecret,
    pub(super) decided: &'a Decided,
    /// The Secret before and after the write that was not made.
    pub(super) write: Option<(Option<&'a Secret>, Option<&'a Secret>)>,
    pub(super) generates: bool,
    /// The target that would be written, where it is no Secret.
    pub(super) other_target: Option<&'a ObjectRef>,
    pub(super) failure: Option<&'a Failure>,
    /// The Secret that the run before would have written.
    pub(super) rendered_before: Option<&'a Secret>,
}

/// What came of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Verdict {
    /// The same in every byte.
    Equal,
    /// Not refreshed by time; what is there is untouched.
    Kept,
    /// Another controller class looks after it.
    Foreign,
    /// A generator would make new values, so there is nothing to compare.
    WouldGenerate,
    /// Both operators fail on it.
    BothFail,
    /// Something differs.
    Differs,
    /// This build fails on it, and the original did not at its last refresh.
    Fails,
}

impl Verdict {
    /// The word of the table.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Kept => "kept",
            Self::Foreign => "other class",
            Self::WouldGenerate => "would generate",
            Self::BothFail => "both fail",
            Self::Differs => "differs",
            Self::Fails => "fails",
        }
    }

    /// Whether a switch should wait for it.
    pub(super) fn is_bad(self) -> bool {
        matches!(self, Self::Differs | Self::Fails)
    }
}

/// A judgement with what it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cause: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) differences: Vec<Difference>,
}

impl Judged {
    fn of(verdict: Verdict, cause: Option<String>) -> Self {
        Self {
            verdict,
            cause,
            differences: Vec::new(),
        }
    }

    /// Whether another look may tell more.
    pub(super) fn is_difference(&self) -> bool {
        self.verdict == Verdict::Differs
    }
}

/// Judges one run.
pub(super) fn judge(facts: &Facts<'_>, redactor: &Redactor, now: Timestamp) -> Judged {
    if let Decided::Ignored(why) = facts.decided {
        let cause = match why {
            Ignored::ForeignClass => "a store or generator names another controller class",
            Ignored::ClusterStoresOff => "cluster stores are switched off",
            Ignored::Released => "it is being deleted",
        };
        return Judged::of(Verdict::Foreign, Some(cause.to_owned()));
    }
    if facts.generates {
        let cause = "generators are not run here; a refresh makes new values";
        return Judged::of(Verdict::WouldGenerate, Some(cause.to_owned()));
    }
    if let Some(failure) = facts.failure {
        let status = facts.object.status.as_ref();
        let ready = status.and_then(|status| conditions::is_ready(&status.conditions));
        return match (ready, not_due(facts.object, now)) {
            (Some(false), _) => Judged::of(Verdict::BothFail, Some(failure.to_string())),
            (_, Some((refreshed, due))) => {
                let cause = format!(
                    "{failure}; the original refreshed it at {refreshed} and refreshes it again at \
                     {due}"
                );
                Judged::of(Verdict::Fails, Some(cause))
            }
            (_, None) => Judged::of(Verdict::Fails, Some(failure.to_string())),
        };
    }
    if let Some(target) = facts.other_target {
        let cause = format!(
            "the target {} {} would be written",
            target.kind, target.name
        );
        return Judged::of(Verdict::Differs, Some(cause));
    }
    match facts.write {
        Some((before, after)) => Judged {
            verdict: Verdict::Differs,
            cause: Some(cause(facts, (before, after), now)),
            differences: differences(before, after, redactor),
        },
        None if *facts.decided == Decided::Idle => {
            let policy = facts.object.spec.refresh_policy();
            let cause = format!("refreshPolicy {policy}, its interval or its windows keep it");
            Judged::of(Verdict::Kept, Some(cause))
        }
        None => Judged::of(Verdict::Equal, None),
    }
}

/// Why what is there is not what would be written.
fn cause(
    facts: &Facts<'_>,
    (before, after): (Option<&Secret>, Option<&Secret>),
    now: Timestamp,
) -> String {
    let (Some(before), Some(after)) = (before, after) else {
        return match before {
            None => "the Secret is not there".to_owned(),
            Some(_) => "the stores have no data, and the deletion policy says to delete".to_owned(),
        };
    };
    if before.data == after.data {
        let parts = sections(before, after);
        return format!("the values are the same; what differs is {parts}");
    }
    if is_edited(before) {
        return "the Secret was edited after it was written".to_owned();
    }
    if facts
        .rendered_before
        .is_some_and(|first| first.data != after.data)
    {
        return "the template gives other values each time".to_owned();
    }
    match (last_refresh(facts.object), not_due(facts.object, now)) {
        (_, Some((refreshed, due))) => format!(
            "the stores have other values since the refresh at {refreshed}; the original fetches \
             them at {due}"
        ),
        (Some((_, due)), None) => format!(
            "the stores have other values, and the refresh that was due at {due} did not bring them"
        ),
        (None, None) => "the stores have other values".to_owned(),
    }
}

/// When the original refreshed an object, and when it does so again.
fn last_refresh(object: &ExternalSecret) -> Option<(Timestamp, Timestamp)> {
    let status = object.status.as_ref();
    let refreshed = status.and_then(|status| status.refresh_time.as_ref())?.0;
    let interval = SignedDuration::try_from(period(object)?).unwrap_or(SignedDuration::MAX);
    let due = refreshed.saturating_add(interval);
    Some((refreshed, due.unwrap_or(Timestamp::MAX)))
}

/// The same where the next refresh is not due yet, so that the original has not seen what is there now.
fn not_due(object: &ExternalSecret, now: Timestamp) -> Option<(Timestamp, Timestamp)> {
    last_refresh(object).filter(|(_, due)| *due > now)
}

fn sections(before: &Secret, after: &Secret) -> String {
    let found = differences(Some(before), Some(after), &Redactor::new([0; 16]));
    let mut words: Vec<&str> = found
        .iter()
        .filter(|one| one.section != Section::Data)
        .map(|one| one.section.word())
        .collect();
    words.dedup();
    words.join(", ")
}

#[cfg(test)]
mod tests;
