//! What becomes of answers: their shape, the keys after the pipeline, and what would be done about the
//! target. Failures keep the engine's own words.

use jiff::Timestamp;
use lockstep_plan::external_secret::{
    FetchList, Observed, Payload, TargetPlan, assembled_keys, plan,
};
use lockstep_plan::{Budget, Cause, Failure, Settings, Work};
use lockstep_provider_api::Error;

use crate::facts::LiveFailure;

/// Keys after the pipeline.
pub(super) type Pipeline = Option<Result<Vec<String>, LiveFailure>>;
/// What would be done about the target.
pub(super) type Planned = Option<Result<String, LiveFailure>>;

/// Takes the answers through the pipeline and the templates, as far as they go.
pub(super) fn finish(
    observed: &Observed<'_>,
    list: &FetchList,
    answers: &[Result<Payload, Error>],
    (settings, now): (&Settings, Timestamp),
) -> (Pipeline, Planned) {
    if answers.iter().any(Result::is_err) {
        return (None, None);
    }
    let budget = Budget::new(settings.template_limits);
    let work = Work {
        settings,
        now,
        budget: &budget,
    };
    let keys = match assembled_keys(&observed.object, list, answers, (settings, now)) {
        Ok(keys) => keys,
        Err(failure) => return (Some(Err(of_failure(&failure))), None),
    };
    let planned = plan(observed, list, answers, work)
        .map(|plan| intent(&plan.target).to_owned())
        .map_err(|failure| of_failure(&failure));
    (Some(Ok(keys)), Some(planned))
}

fn intent(plan: &TargetPlan) -> &'static str {
    match plan {
        TargetPlan::Keep(_) => "it would be left alone",
        TargetPlan::InSync => "it is as the answer asks for",
        TargetPlan::Create(_) => "it would be created",
        TargetPlan::Look(_) => "it would be compared and, where it differs, updated",
        TargetPlan::Delete(_) | TargetPlan::LookToDelete(_) => "it would be deleted",
        TargetPlan::Gone => "it is to be gone, and is",
        TargetPlan::Object(_) => "it would be compared and, where it differs, written",
    }
}

/// What may be shown of an answer.
pub(super) fn shape(payload: &Payload) -> String {
    match payload {
        Payload::Value(value) => format!("{} bytes", value.len()),
        Payload::Map(map) => match map.iter().count() {
            1 => "1 key".to_owned(),
            count => format!("{count} keys"),
        },
    }
}

/// Why a generator gives nothing here.
pub(super) fn not_run() -> Error {
    Error::unsupported("generators are not run by explain: that would make new credentials")
}

/// A provider's failure.
pub(super) fn of_error(error: &Error) -> LiveFailure {
    let cause = Cause::of(error);
    LiveFailure {
        cause: cause.as_str().to_owned(),
        text: lockstep_plan::failure::describe(error),
        remedy: cause
            .remedy()
            .filter(|_| !error.is_advised())
            .map(str::to_owned),
    }
}

/// A failure of the pipeline, a template or the target.
pub(super) fn of_failure(failure: &Failure) -> LiveFailure {
    LiveFailure {
        cause: failure.cause().to_owned(),
        text: failure.condition_message(),
        remedy: None,
    }
}
