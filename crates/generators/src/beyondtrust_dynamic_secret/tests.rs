//! Leases of BeyondTrust against a server that a function plays.

use serde_json::{Value, json};

use crate::testing::{Bench, always};

const KIND: &str = "BeyondtrustWorkloadCredentialsDynamicSecret";
const SITE: &str = "12345678-1234-4234-8234-123456789012";

fn spec(url: &str, site: &str, path: &str) -> Value {
    json!({ "provider": {
        "auth": { "apikey": { "token": { "name": "creds", "key": "token" } } },
        "server": { "apiUrl": url, "siteId": site },
        "folderPath": path,
    } })
}

fn bench(status: u16, body: &str) -> Bench {
    let creds = Bench::new().secret("creds", &[("token", "bt")]);
    creds.server(always(status, body))
}

#[test]
fn a_lease_has_keys_an_end_and_a_state() {
    let body = json!({ "secret": { "accessKeyId": "a", "secretAccessKey": "s", "leaseId": "l",
        "expiration": "2030-01-01T00:00:00Z", "sessionToken": "st" } });
    let bench = bench(201, &body.to_string());

    let made = bench.generate(KIND, &spec("https://bt.example/", SITE, "team/prod/aws"));

    let made = made.unwrap();
    let keys: Vec<&str> = made.0.values.keys().collect();
    assert_eq!(
        keys,
        [
            "accessKeyId",
            "expiration",
            "leaseId",
            "secretAccessKey",
            "sessionToken"
        ]
    );
    assert_eq!(made.0.state, Some(json!({ "path": "team/prod/aws" })));
    assert_eq!(made.0.expires.unwrap().to_string(), "2030-01-01T00:00:00Z");
    let seen = &bench.seen()[0];
    let path = format!("{SITE}/secrets/dynamic/aws/generate?folder=team%2Fprod");
    assert_eq!(seen.line, format!("POST https://bt.example/{path}"));
    assert_eq!(seen.header("bt-secrets-api-version"), "2026-04-28");
}

#[test]
fn refusals_name_status_explanation_and_path() {
    let table = [
        (
            401,
            r#"{"error":"unauthorized","message":"Invalid token"}"#,
            "unauthorized: Invalid token",
        ),
        (503, "busy", "unexpected response"),
        (404, "", "unexpected response"),
    ];

    for (status, body, said) in table {
        let spec = spec("https://bt.example", SITE, "team/prod/aws");
        let error = bench(status, body).generate(KIND, &spec).unwrap_err();
        let text = format!("API error (HTTP {status}): {said} at path \"team/prod\" (see ");
        assert!(error.contains(&text), "{error}");
    }
}

#[test]
fn specs_that_cannot_be_never_reach_the_server() {
    let table = [
        (spec("https://x", SITE, ""), "path is required in spec"),
        (spec("https://x", SITE, "a/"), "missing secret name"),
        (
            spec("https://x", "x", "a"),
            "invalid siteId: siteId must be a valid UUID format, got \"x\"",
        ),
        (
            spec("http://x", SITE, "a"),
            "invalid apiUrl: apiUrl must use https scheme, got \"http\"",
        ),
        (spec("", SITE, "a"), "apiUrl cannot be empty"),
        (
            json!({}),
            "no beyondtrustworkloadcredentials provider config in spec",
        ),
    ];

    for (spec, text) in table {
        let bench = bench(200, "{}");
        let error = bench.generate(KIND, &spec).unwrap_err();
        assert!(error.contains(text), "{error}");
        assert!(bench.seen().is_empty());
    }
}
