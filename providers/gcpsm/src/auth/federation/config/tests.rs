use serde_json::{Value, json};

use super::*;

fn config(source: Value) -> Config {
    let text = json!({
        "type": "external_account",
        "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
        "token_url": "https://sts.googleapis.com/v1/token",
        "credential_source": source,
    });
    Config::parse(&text.to_string()).unwrap()
}

fn fault(source: Value, endpoint: &str) -> String {
    let error = config(source).check(endpoint).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    error.to_string()
}

#[test]
fn only_an_external_account_is_taken() {
    let error = Config::parse(r#"{"type": "service_account"}"#).unwrap_err();

    assert_eq!(
        error.to_string(),
        "invalid credentials: 'type' field is \"service_account\" (expected \"external_account\")"
    );
}

#[test]
fn a_url_must_be_the_one_that_the_store_names() {
    let url = "https://tokens.example";

    assert!(config(json!({ "url": url })).check(url).is_ok());
    assert!(fault(json!({ "url": url }), "https://other").contains("externalTokenEndpoint"));
}

#[test]
fn programs_are_never_run() {
    let text = fault(json!({ "executable": { "command": "/bin/x" } }), "");

    assert!(text.contains("credential_source.executable.command is not allowed"));
}

#[test]
fn addresses_of_aws_must_be_those_of_its_metadata_server() {
    let good = json!({
        "environment_id": "aws1",
        "url": "http://169.254.169.254/latest/meta-data/iam/security-credentials",
        "region_url": "http://169.254.169.254/latest/meta-data/placement/availability-zone",
        "imdsv2_session_token_url": "http://[fd00:ec2::254]/latest/api/token",
    });
    assert!(config(good.clone()).check("").is_ok());

    for name in ["url", "region_url", "imdsv2_session_token_url"] {
        let mut bad = good.clone();
        bad[name] = "http://evil.example/".into();
        assert!(fault(bad, "").contains("must match"), "{name}");
    }
    let mut other = good;
    other["environment_id"] = "azure1".into();
    assert!(fault(other, "").contains("must start with aws"));
}

#[test]
fn foreign_token_urls_are_refused_all_at_once() {
    let mut config = config(json!({ "url": "https://t" }));
    config.token_url = "https://sts.evil.example/v2/token".to_owned();
    config.service_account_impersonation_url = "https://evil.example/x".to_owned();
    config.audience = String::new();

    let text = config.check("https://t").unwrap_err().to_string();

    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "invalid external_account config");
    assert_eq!(lines[1], "audience is empty");
    assert!(lines[2].starts_with("service_account_impersonation_url"));
    assert!(lines[3].starts_with("token_url"));
}

#[test]
fn the_operators_own_token_is_found_out_however_its_path_is_spelled() {
    for path in [
        "/var/run/secrets/kubernetes.io/serviceaccount/token",
        "/run/secrets/kubernetes.io/serviceaccount/token",
        "/var//run/./secrets/kubernetes.io/x/../serviceaccount/..data/token",
    ] {
        assert!(is_own_token(path), "{path}");
    }
    assert!(!is_own_token("/var/run/secrets/tokens/gcp"));
    assert!(!is_own_token(""));
}

#[test]
fn files_of_the_operator_are_shown_to_google_only() {
    let mut config = config(json!({ "file": "/var/run/secrets/tokens/gcp" }));
    assert!(config.check("").is_ok());

    config.token_url = "https://sts.evil.example/v1/token".to_owned();

    let text = config.check("").unwrap_err().to_string();
    assert!(text.contains("googleapis"), "{text}");
}
