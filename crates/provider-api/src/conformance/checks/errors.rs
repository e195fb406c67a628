//! Failing backends: each status and each broken connection must become the right kind of error.

use std::time::Duration;

use http::HeaderValue;
use http::header::RETRY_AFTER;

use crate::conformance::CANARY;
use crate::conformance::probe::Probe;
use crate::conformance::subject::Subject;
use crate::conformance::suite::{Findings, Stop, Suite, needs};
use crate::conformance::transport::{Fault, response};
use crate::error::{Error, ErrorKind};
use crate::layer::Call;

const STATUSES: [u16; 9] = [401, 403, 404, 409, 429, 500, 502, 503, 504];

/// One call that meets one fault.
struct Case<'a> {
    call: Call,
    key: &'a str,
    fault: Fault,
    cause: String,
    expected: ErrorKind,
}

pub(super) async fn kinds<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    suite.faults()?;
    let mut found = Vec::new();
    for call in calls(suite) {
        let key = format!("kinds-{call}");
        suite.seed(&key).await?;
        for case in cases(suite, call, &key) {
            found.extend(one(suite, case).await?);
        }
    }
    Ok(found)
}

fn cases<'a, S: Subject>(suite: &Suite<'_, S>, call: Call, key: &'a str) -> Vec<Case<'a>> {
    let statuses = STATUSES.into_iter().filter_map(|status| {
        // For a push and for a list, 404 may well mean that there is nothing yet.
        let applies = status != 404 || call == Call::Get;
        Some(Case {
            call,
            key,
            fault: Fault::Answer(suite.subject.refusal(status)),
            cause: format!("status {status}"),
            expected: suite.subject.expected(call, status).filter(|_| applies)?,
        })
    });
    let dropped = Case {
        call,
        key,
        fault: Fault::Drop,
        cause: "a dropped connection".to_owned(),
        expected: ErrorKind::Unreachable,
    };
    statuses.chain([dropped]).collect()
}

pub(super) async fn retry_after<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    let faults = suite.faults()?;
    needs(suite.capabilities.read, "read")?;
    suite.seed("retry-after").await?;
    let mut refusal = suite.subject.refusal(429);
    refusal
        .headers_mut()
        .insert(RETRY_AFTER, HeaderValue::from_static("7"));
    let probe = suite.open().await?;
    faults.fail_after(0, Fault::Answer(refusal));
    let reference = suite.subject.reference("retry-after");
    let told = probe.get(&reference).await.err();
    match told.and_then(|error| error.retry_after()) {
        Some(delay) if delay == Duration::from_secs(7) => Ok(Vec::new()),
        other => Ok(vec![format!(
            "status 429 with Retry-After: 7 ends with retry_after {other:?}"
        )]),
    }
}

/// An answer that makes no sense may be refused or passed on, but it is not absence.
pub(super) async fn garbled<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    let faults = suite.faults()?;
    needs(suite.capabilities.read, "read")?;
    suite.seed("garbled").await?;
    let reference = suite.subject.reference("garbled");
    let mut found = Vec::new();
    for body in [format!("<html>{CANARY}"), String::new(), "[".to_owned()] {
        let probe = suite.open().await?;
        let length = body.len();
        faults.fail_after(0, Fault::Answer(response(200, body)));
        if let Err(error) = probe.get(&reference).await
            && (error.consequence().absent || error.kind() == &ErrorKind::Internal)
        {
            found.push(format!(
                "a garbled answer of {length} bytes ends with {:?}",
                error.kind()
            ));
        }
        faults.heal();
    }
    Ok(found)
}

fn calls<S>(suite: &Suite<'_, S>) -> Vec<Call> {
    let able = &suite.capabilities;
    let all = [
        (able.read, Call::Get),
        (able.find_by_name, Call::Find),
        (able.write, Call::Push),
    ];
    let able = all.into_iter().filter(|(able, _)| *able);
    able.map(|(_, call)| call).collect()
}

/// Makes one call meet one fault and says what is wrong with the outcome.
async fn one<S: Subject>(suite: &Suite<'_, S>, case: Case<'_>) -> Result<Option<String>, Stop> {
    let probe = suite.open().await?;
    let faults = suite.faults()?;
    faults.fail_after(0, case.fault);
    let failure = call_once(suite, &probe, case.call, case.key).await;
    faults.heal();
    let told = format!("{} on {}", case.call, case.cause);
    let wanted = case.expected.consequence().cause;
    Ok(match failure {
        None => Some(format!("{told} succeeds, {wanted} expected")),
        Some(error) if error.consequence().cause == wanted => None,
        Some(error) => Some(format!(
            "{told} is {}, {wanted} expected: {error}",
            error.consequence().cause
        )),
    })
}

async fn call_once<S: Subject>(
    suite: &Suite<'_, S>,
    probe: &Probe,
    call: Call,
    key: &str,
) -> Option<Error> {
    match call {
        Call::Find => probe.find(&suite.subject.search(key)).await.err(),
        Call::Push => {
            let item = suite.item(&format!("{key}-new"), CANARY.into());
            probe.push(&item).await.err()
        }
        _ => probe.get(&suite.subject.reference(key)).await.err(),
    }
}
