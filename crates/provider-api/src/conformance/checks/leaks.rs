//! Leaks: provokes what errors a store can make while it holds the canary, and then looks at all
//! texts the whole suite has seen.

use crate::conformance::CANARY;
use crate::conformance::probe::Probe;
use crate::conformance::subject::Subject;
use crate::conformance::suite::{Findings, Suite};
use crate::conformance::transport::{Fault, response};
use crate::request::{Find, RemoteRef};
use crate::value::SecretValue;

pub(super) async fn leaks<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    suite.seed("leak").await?;
    let json = SecretValue::from(format!("{{\"a\":\"{CANARY}\", broken {CANARY}"));
    let _ = suite.subject.seed("leak-broken", &json).await;
    let probe = suite.open().await?;
    provoke(suite, &probe).await;
    if let Some(faults) = &suite.faults {
        let answers = [
            suite.subject.refusal(400),
            suite.subject.refusal(422),
            response(400, CANARY),
            response(200, format!("\"{CANARY}\"")),
            response(200, format!("{{\"{CANARY}\":")),
        ];
        for answer in answers {
            faults.fail_after(0, Fault::Answer(answer));
            provoke(suite, &probe).await;
        }
        faults.heal();
    }
    Ok(suite.leaks.found())
}

async fn provoke<S: Subject>(suite: &Suite<'_, S>, probe: &Probe) {
    for key in ["leak", "leak-broken"] {
        let reference = suite.subject.reference(key);
        let deeper = RemoteRef {
            property: Some("no.such.#(property)".to_owned()),
            ..reference.clone()
        };
        for reference in [reference, deeper] {
            let _ = probe.get(&reference).await;
            let _ = probe.get_map(&reference).await;
        }
    }
    for pattern in ["leak", "("] {
        let find = Find {
            name: Some(pattern.to_owned()),
            ..Find::default()
        };
        let _ = probe.find(&find).await;
    }
    let item = suite.item("leak-push", SecretValue::from(CANARY));
    let _ = probe.push(&item).await;
    let _ = probe
        .push(&suite.item("leak", SecretValue::from(CANARY)))
        .await;
    let _ = probe.exists(&item.target).await;
    let _ = probe.delete(&item.target).await;
    let _ = probe.check().await;
}
