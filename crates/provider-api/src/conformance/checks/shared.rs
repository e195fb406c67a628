//! Shared reads: what a store takes out of the answer of a wider read is what the read itself gives,
//! to the byte and to the word, whatever is wrong with the reference or the value.

use crate::conformance::CANARY;
use crate::conformance::probe::Probe;
use crate::conformance::subject::Subject;
use crate::conformance::suite::{Findings, Stop, Suite, needs};
use crate::error::Result;
use crate::read::{Payload, Read};
use crate::request::RemoteRef;
use crate::value::SecretValue;

/// Paths into the seeded object: members, dots in names and as steps, and what is not there.
const PROPERTIES: [&str; 8] = ["", "a", "n", "o", "o.x", "d.o.t", r"d\.o\.t", "nope"];

pub(super) async fn parts<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    needs(suite.capabilities.read, "read")?;
    let object = format!(
        r#"{{"a":"{CANARY}","n":1.50,"o":{{ "x" : "deep" }},"d.o.t":"dotted","d":{{"o":{{"t":"steps"}}}}}}"#
    );
    let values = [
        ("shared-object", object.as_str()),
        ("shared-text", CANARY),
        ("shared-list", "[1]"),
    ];
    for (key, value) in values {
        let seeded = suite.subject.seed(key, &SecretValue::from(value)).await;
        seeded.map_err(|reason| Stop::Skip(format!("cannot seed: {reason}")))?;
    }
    let probe = suite.open().await?;
    let keys = values.iter().map(|(key, _)| *key).chain(["shared-never"]);
    let reads = keys.flat_map(|key| variants(&suite.subject.reference(key)));
    let (mut found, mut shared) = (Vec::new(), 0);
    for read in reads {
        let Some(whole) = probe.store.containing_read(&read) else {
            continue;
        };
        shared += 1;
        found.extend(compare(&probe, &read, &whole).await);
    }
    if shared == 0 {
        return Err(Stop::Skip("the provider shares no reads".to_owned()));
    }
    Ok(found)
}

/// Values and maps at a reference and below it.
fn variants(reference: &RemoteRef) -> Vec<Read> {
    let mut properties: Vec<Option<String>> = vec![None];
    for property in PROPERTIES {
        properties.push(Some(property.to_owned()));
        if let Some(own) = reference.wanted_property() {
            properties.push(Some(own.to_owned()));
            properties.push(Some(format!("{own}.{property}")));
        }
    }
    let references = properties.into_iter().map(|property| RemoteRef {
        property,
        ..reference.clone()
    });
    references
        .flat_map(|one| [Read::Value(one.clone()), Read::Map(one)])
        .collect()
}

async fn compare(probe: &Probe, read: &Read, whole: &Read) -> Option<String> {
    if probe.store.containing_read(whole).as_ref() != Some(whole) {
        return Some(format!("the whole of {read:?} has another whole"));
    }
    let shared = probe.read(whole).await;
    let part = probe.extract_from(read, &shared);
    let alone = probe.read(read).await;
    let told = |answer: &Result<Payload>| match answer {
        Ok(_) => "a payload".to_owned(),
        Err(error) => format!("{:?}: {error}", error.kind()),
    };
    let same = match (&part, &alone) {
        (Ok(part), Ok(alone)) => part == alone,
        (Err(part), Err(alone)) => {
            part.kind() == alone.kind() && part.to_string() == alone.to_string()
        }
        _ => false,
    };
    (!same).then(|| {
        let (alone, part) = (told(&alone), told(&part));
        format!("{read:?} gives {alone} alone and {part} out of {whole:?}")
    })
}
