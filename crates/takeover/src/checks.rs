//! Whether operators may be changed now: one check a line, each with what to do about it. Pure.

use lockstep_preview::start::{AtStart, Verdict};
use lockstep_toolbox::suggest::instead;
use serde::Serialize;

use crate::operators::{Held, Running};

/// Objects named in a line.
const SHOWN: usize = 5;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Outcome {
    /// As it should be.
    Passed,
    /// Worth a look; nothing breaks.
    Noted,
    /// Operators must not be changed before it is resolved.
    Failed,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    pub(crate) outcome: Outcome,
    pub(crate) what: String,
    /// What was found, and what to do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) details: Vec<String>,
}

impl Check {
    pub(crate) fn passed(what: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Passed,
            what: what.into(),
            details: Vec::new(),
        }
    }

    pub(crate) fn failed(what: impl Into<String>, details: Vec<String>) -> Self {
        Self {
            outcome: Outcome::Failed,
            what: what.into(),
            details,
        }
    }

    pub(crate) fn noted(what: impl Into<String>, details: Vec<String>) -> Self {
        Self {
            outcome: Outcome::Noted,
            what: what.into(),
            details,
        }
    }

    pub(crate) fn is_failed(&self) -> bool {
        self.outcome == Outcome::Failed
    }
}

/// Whether an operator is at rest. `who` names it.
pub(crate) fn at_rest(who: &str, running: &[Running]) -> Check {
    let awake: Vec<&Running> = running.iter().filter(|one| one.is_awake()).collect();
    if awake.is_empty() {
        return Check::passed(format!("{who} is scaled down"));
    }
    let details = awake.iter().map(|one| {
        let (namespace, name) = (&one.namespace, &one.name);
        format!(
            "Deployment {namespace}/{name} wants {} and has {} pods of {}; run: kubectl --namespace \
             {namespace} scale deployment {name} --replicas=0",
            one.wanted, one.pods, one.image
        )
    });
    Check::failed(format!("{who} still runs"), details.collect())
}

/// Whether the Deployment that is to be started can be. `known` are all Deployments.
pub(crate) fn startable(wanted: (&str, &str), found: Option<&Running>, known: &[String]) -> Check {
    let name = format!("{}/{}", wanted.0, wanted.1);
    let Some(found) = found else {
        let hint = instead(&name, known.iter().map(String::as_str), "deployments");
        let text = format!("there is no Deployment {name}; {hint}");
        return Check::failed("the Deployment to start is missing", vec![text]);
    };
    if found.is_original() {
        let text = format!(
            "Deployment {name} runs {}; name the Deployment of Lockstep, or change its image first",
            found.image
        );
        return Check::failed("the Deployment to start is the original's", vec![text]);
    }
    if found.is_awake() {
        let text = "it is not started again; its Secrets are compared".to_owned();
        return Check::noted(format!("Deployment {name} runs already"), vec![text]);
    }
    Check::passed(format!("Deployment {name} can be started"))
}

/// Whether nobody holds the lease of the controllers.
pub(crate) fn lease_is_free(leases: &[Held]) -> Check {
    if leases.is_empty() {
        return Check::passed("nobody holds the lease of the controllers");
    }
    let details = leases.iter().map(|held| {
        format!(
            "{} holds Lease {}/{} until {}; stop it, or wait until then",
            held.holder, held.namespace, held.name, held.until
        )
    });
    Check::failed("the lease of the controllers is held", details.collect())
}

/// Whether everything in use is in this build.
pub(crate) fn served(not_served: &[String]) -> Check {
    let what = "every provider and generator in use is in this build";
    if not_served.is_empty() {
        return Check::passed(what);
    }
    Check::failed(
        "this build lacks something that is in use",
        not_served.to_vec(),
    )
}

/// Whether a start of the operator would leave all Secrets alone.
pub(crate) fn quiet_start(survey: &[AtStart]) -> Vec<Check> {
    let (mut writes, mut breaks, mut fails) = (Vec::new(), Vec::new(), Vec::new());
    for one in survey {
        match &one.verdict {
            Verdict::Quiet | Verdict::Foreign => {}
            Verdict::Writes(what) => writes.push(format!("{}: {}", one.object, what.join(", "))),
            Verdict::Fails {
                message,
                failed_before: false,
            } => breaks.push(format!("{}: {message}", one.object)),
            Verdict::Fails { message, .. } => fails.push(format!("{}: {message}", one.object)),
        }
    }
    let count = survey.len();
    let mut checks = vec![if writes.is_empty() {
        Check::passed(format!(
            "a start writes no Secret and pushes nothing ({count} objects looked at)"
        ))
    } else {
        let mut details = some_of(writes);
        details.push(
            "they are due, missing or edited by now; let the original settle them first, or pass \
             --allow-writes"
                .to_owned(),
        );
        Check::failed("a start would write", details)
    }];
    if !breaks.is_empty() {
        checks.push(Check::failed(
            "objects that are ready would fail",
            some_of(breaks),
        ));
    }
    if !fails.is_empty() {
        checks.push(Check::noted(
            "objects that fail already go on failing",
            some_of(fails),
        ));
    }
    checks
}

/// A few lines of many.
pub(crate) fn some_of(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(SHOWN);
    lines.truncate(SHOWN);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_start(object: &str, verdict: Verdict) -> AtStart {
        AtStart {
            object: object.to_owned(),
            verdict,
        }
    }

    fn running(wanted: i32, pods: i32) -> Running {
        Running {
            namespace: "es".to_owned(),
            name: "external-secrets".to_owned(),
            image: "ghcr.io/external-secrets/external-secrets:v2.9.0".to_owned(),
            wanted,
            pods,
        }
    }

    #[test]
    fn an_operator_with_a_pod_left_is_not_at_rest() {
        assert!(!at_rest("the original", &[running(0, 0)]).is_failed());
        assert!(at_rest("the original", &[running(1, 0)]).is_failed());

        let left = at_rest("the original", &[running(0, 1)]);

        assert!(left.is_failed());
        assert!(left.details[0].contains("scale deployment external-secrets --replicas=0"));
    }

    #[test]
    fn a_start_that_would_write_is_refused_and_names_what() {
        let survey = [
            at_start("ExternalSecret a/quiet", Verdict::Quiet),
            at_start(
                "ExternalSecret a/x",
                Verdict::Writes(vec!["change Secret a/x".to_owned()]),
            ),
        ];

        let checks = quiet_start(&survey);

        assert!(checks[0].is_failed());
        assert_eq!(
            checks[0].details[0],
            "ExternalSecret a/x: change Secret a/x"
        );
    }

    #[test]
    fn only_new_failures_stand_in_the_way() {
        let fails = |failed_before| Verdict::Fails {
            message: "no".to_owned(),
            failed_before,
        };

        let old = quiet_start(&[at_start("ExternalSecret a/x", fails(true))]);
        let new = quiet_start(&[at_start("ExternalSecret a/x", fails(false))]);

        assert!(!old.iter().any(Check::is_failed));
        assert!(new.iter().any(Check::is_failed));
    }

    #[test]
    fn long_lists_are_cut() {
        let lines = (0..8).map(|number| number.to_string()).collect();

        assert_eq!(some_of(lines), ["0", "1", "2", "3", "4", "and 3 more"]);
    }
}
