//! Values of every shape: what comes back must be what was put there, byte for byte.

use crate::conformance::CANARY;
use crate::conformance::subject::Subject;
use crate::conformance::suite::{Findings, Stop, Suite, needs};
use crate::value::SecretValue;

const MEBIBYTE: usize = 1 << 20;

pub(super) async fn seeded<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    needs(suite.capabilities.read, "read")?;
    let mut held = Vec::new();
    for (shape, value) in shapes(suite.capabilities.max_value_size) {
        let key = format!("value-{shape}");
        if suite.subject.seed(&key, &value).await.is_ok() {
            held.push((shape, key, value));
        }
    }
    if held.is_empty() {
        return Err(Stop::Skip("nothing can be seeded".to_owned()));
    }
    let probe = suite.open().await?;
    let mut found = Vec::new();
    for (shape, key, value) in held {
        let value = suite.subject.given(&value);
        match probe.get(&suite.subject.reference(&key)).await {
            Ok(read) if read == value => {}
            Ok(read) => found.push(changed(shape, &value, &read)),
            Err(error) => found.push(format!("the {shape} value cannot be read: {error}")),
        }
    }
    Ok(found)
}

pub(super) async fn pushed<S: Subject>(suite: &Suite<'_, S>) -> Findings {
    needs(suite.capabilities.write, "write")?;
    needs(suite.capabilities.read, "read")?;
    let probe = suite.open().await?;
    let mut found = Vec::new();
    for (shape, value) in shapes(suite.capabilities.max_value_size) {
        if suite.subject.holds(&value).is_err() {
            continue;
        }
        let key = format!("pushed-{shape}");
        if let Err(error) = probe.push(&suite.item(&key, value.clone())).await {
            found.push(format!("the {shape} value cannot be pushed: {error}"));
            continue;
        }
        match probe.get(&suite.subject.reference(&key)).await {
            Ok(read) if read == value => {}
            Ok(read) => found.push(changed(shape, &value, &read)),
            Err(error) => found.push(format!("the pushed {shape} value is not there: {error}")),
        }
    }
    Ok(found)
}

fn shapes(limit: Option<usize>) -> Vec<(&'static str, SecretValue)> {
    let large = MEBIBYTE.min(limit.unwrap_or(MEBIBYTE));
    let mut binary: Vec<u8> = (0..=255).collect();
    binary.extend_from_slice(CANARY.as_bytes());
    vec![
        ("plain", SecretValue::from(CANARY)),
        ("empty", SecretValue::default()),
        (
            "unicode",
            SecretValue::from(format!("naïve – 日本 😀 \u{301} {CANARY}")),
        ),
        (
            "multiline",
            SecretValue::from(format!(" \n{CANARY}\r\n\t\"quoted\" \\ <&> \n")),
        ),
        (
            "json",
            SecretValue::from(format!("{{ \"a\" : 1.50, \"b\":\"{CANARY}\" }}\n")),
        ),
        ("binary", SecretValue::new(binary)),
        ("large", SecretValue::new(vec![b'x'; large])),
    ]
}

fn changed(shape: &str, put: &SecretValue, got: &SecretValue) -> String {
    format!(
        "the {shape} value changes on its way: {} bytes in, {} bytes out",
        put.len(),
        got.len()
    )
}
