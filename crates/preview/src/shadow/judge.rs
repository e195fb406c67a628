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
    /// Only this build fails on it.
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
        let verdict = match ready {
            Some(false) => Verdict::BothFail,
            _ => Verdict::Fails,
        };
        return Judged::of(verdict, Some(failure.to_string()));
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
    let status = facts.object.status.as_ref();
    let refreshed = status.and_then(|status| status.refresh_time.as_ref());
    let Some((refreshed, interval)) = refreshed.zip(period(facts.object)) else {
        return "the stores have other values".to_owned();
    };
    let interval = SignedDuration::try_from(interval).unwrap_or(SignedDuration::MAX);
    let due = refreshed
        .0
        .saturating_add(interval)
        .unwrap_or(Timestamp::MAX);
    if due > now {
        format!(
            "the stores have other values since the refresh at {}; the original fetches them at {due}",
            refreshed.0
        )
    } else {
        format!(
            "the stores have other values, and the refresh that was due at {due} did not bring them"
        )
    }
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
