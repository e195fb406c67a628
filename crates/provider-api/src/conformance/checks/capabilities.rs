//! Capabilities: what is claimed must work, and what works must be claimed.

use std::collections::BTreeMap;

use crate::conformance::CANARY;
use crate::conformance::probe::Probe;
use crate::conformance::subject::Subject;
use crate::conformance::suite::{Findings, Stop, Suite};
use crate::error::{ErrorKind, Result};
use crate::request::{Find, MetadataPolicy, RemoteRef};
use crate::value::SecretValue;

pub(super) async fn capabilities<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    let seeded = match suite.seed("able").await {
        Err(Stop::Skip(reason)) if suite.capabilities.read => return Err(Stop::Skip(reason)),
        seeded => seeded.ok(),
    };
    let probe = suite.open().await?;
    let mut found = operations(suite, &probe).await;
    found.extend(searches(suite, &probe).await);
    if let Some(value) = seeded.filter(|_| suite.capabilities.read) {
        found.extend(versions(suite, &probe).await);
        found.extend(metadata(suite, &probe, &value).await);
    }
    found.extend(size(suite, &probe).await);
    Ok(found)
}

async fn operations<S: Subject>(suite: &Suite<'_, S>, probe: &Probe) -> Vec<String> {
    let able = &suite.capabilities;
    let reference = suite.subject.reference("able");
    let target = suite.subject.target("able-pushed");
    let item = suite.item("able-pushed", SecretValue::from(CANARY));
    let answers = [
        ("read", able.read, told(&probe.get(&reference).await)),
        ("write", able.write, told(&probe.push(&item).await)),
        ("exists", able.exists, told(&probe.exists(&target).await)),
        ("delete", able.delete, told(&probe.delete(&target).await)),
    ];
    let wrong = answers.into_iter().filter_map(|(name, claimed, told)| {
        let works = told != Told::Unsupported;
        (claimed != works).then(|| claim(name, claimed))
    });
    wrong.collect()
}

async fn searches<S: Subject>(suite: &Suite<'_, S>, probe: &Probe) -> Vec<String> {
    let able = &suite.capabilities;
    let name = suite.subject.search("able");
    let tags = Find {
        tags: Some(BTreeMap::from([(
            "conformance".to_owned(),
            "able".to_owned(),
        )])),
        ..Find::default()
    };
    let path = Find {
        path: Some("able".to_owned()),
        ..if able.find_by_path {
            name.clone()
        } else {
            Find::default()
        }
    };
    let mut wrong = Vec::new();
    for (what, claimed, find) in [
        ("find_by_name", able.find_by_name, &name),
        ("find_by_tags", able.find_by_tags, &tags),
        ("find_by_path", able.find_by_path, &path),
    ] {
        let works = match told(&probe.find(find).await) {
            Told::Done => true,
            Told::Unsupported | Told::Refused => false,
            Told::Failed => claimed,
        };
        if claimed != works {
            wrong.push(claim(what, claimed));
        }
    }
    wrong
}

async fn versions<S: Subject>(suite: &Suite<'_, S>, probe: &Probe) -> Option<String> {
    let odd = RemoteRef {
        version: Some("no-such-version".to_owned()),
        ..suite.subject.reference("able")
    };
    let ignored = probe.get(&odd).await.is_ok();
    (suite.capabilities.versions && ignored).then(|| claim("versions", true))
}

async fn metadata<S: Subject>(
    suite: &Suite<'_, S>,
    probe: &Probe,
    value: &SecretValue,
) -> Option<String> {
    let fetch = RemoteRef {
        metadata: MetadataPolicy::Fetch,
        ..suite.subject.reference("able")
    };
    let claimed = suite.capabilities.metadata;
    let works = match probe.get(&fetch).await {
        Ok(read) => &read != value,
        Err(error) => claimed && error.kind() != &ErrorKind::Unsupported,
    };
    (claimed != works).then(|| claim("metadata", claimed))
}

async fn size<S: Subject>(suite: &Suite<'_, S>, probe: &Probe) -> Option<String> {
    let limit = suite.capabilities.max_value_size?;
    let item = suite.item("able-size", SecretValue::new(vec![b'x'; limit + 1]));
    let taken = suite.capabilities.write && probe.push(&item).await.is_ok();
    taken.then(|| format!("max_value_size is {limit}, but a larger value is taken"))
}

#[derive(PartialEq)]
enum Told {
    Done,
    Unsupported,
    Refused,
    Failed,
}

fn told<T>(result: &Result<T>) -> Told {
    match result.as_ref().map_err(crate::error::Error::kind) {
        Ok(_) => Told::Done,
        Err(ErrorKind::Unsupported) => Told::Unsupported,
        Err(ErrorKind::InvalidSpec) => Told::Refused,
        Err(_) => Told::Failed,
    }
}

fn claim(name: &str, claimed: bool) -> String {
    if claimed {
        format!("{name} is claimed but does not work")
    } else {
        format!("{name} works but is not claimed")
    }
}
