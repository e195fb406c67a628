//! Specs that are refused, and with which words.

use lockstep_provider_api::prelude::*;
use serde_json::{Value, json};

use super::AwsSpec;

fn check(change: Value) -> Result<Warnings> {
    let mut spec = json!({ "service": "SecretsManager", "region": "us-east-1" });
    for (key, value) in change.as_object().unwrap() {
        spec[key] = value.clone();
    }
    let spec: AwsSpec = serde_json::from_value(spec).unwrap();
    spec.validate(&Scope::Namespaced {
        namespace: "own".to_owned(),
    })
}

fn refused(change: Value) -> String {
    let error = check(change).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    error.to_string()
}

#[test]
fn unknown_services_and_empty_regions_are_refused() {
    assert_eq!(
        refused(json!({ "service": "S3" })),
        "unknown AWS Provider Service: S3"
    );
    assert_eq!(refused(json!({ "region": "" })), "region not found: ");
    assert!(check(json!({ "region": "us-east-1-fips" })).is_ok());
}

#[test]
fn delete_options_have_upstreams_words() {
    let window = |days: i64| json!({ "secretsManager": { "recoveryWindowInDays": days } });
    let text = "invalid DeleteSecretInput: RecoveryWindowInDays must be between 7 and 30 days";

    assert_eq!(refused(window(6)), text);
    assert_eq!(refused(window(31)), text);
    assert!(check(window(7)).is_ok() && check(window(0)).is_ok());
    let both = json!({ "forceDeleteWithoutRecovery": true, "recoveryWindowInDays": 7 });
    assert_eq!(
        refused(json!({ "secretsManager": both })),
        "invalid DeleteSecretInput: ForceDeleteWithoutRecovery conflicts with RecoveryWindowInDays"
    );
}

#[test]
fn a_namespaced_store_may_not_name_another_namespace() {
    let keys =
        json!({ "secretRef": { "sessionTokenSecretRef": { "name": "x", "namespace": "other" } } });
    let account = json!({ "jwt": { "serviceAccountRef": { "name": "x", "namespace": "other" } } });
    let rule = "namespace should either be empty or match the namespace of the SecretStore for a \
                namespaced SecretStore";

    assert_eq!(
        refused(json!({ "auth": keys })),
        format!("invalid Auth.SecretRef.SessionToken: {rule}")
    );
    assert_eq!(
        refused(json!({ "auth": account })),
        format!("invalid Auth.JWT.ServiceAccountRef: {rule}")
    );
}

#[test]
fn roles_must_be_arns_and_no_loops() {
    let role = "arn:aws:iam::123456789012:role/a";

    assert!(refused(json!({ "role": "a" })).contains("is not an ARN"));
    assert!(refused(json!({ "role": role, "additionalRoles": [role] })).contains("taken on twice"));
    let other = "arn:aws-cn:iam::123456789012:role/path/b";
    assert!(check(json!({ "role": role, "additionalRoles": [other] })).is_ok());
}

#[test]
fn session_tags_that_aws_would_refuse_are_refused() {
    let tags = |list: &[(&str, &str)]| {
        let list: Vec<_> = list
            .iter()
            .map(|(key, value)| json!({ "key": key, "value": value }))
            .collect();
        json!({ "sessionTags": list })
    };
    let long = "x".repeat(257);

    assert!(refused(tags(&[("", "v")])).contains("1 to 128"));
    assert!(refused(tags(&[("k", &long)])).contains("256"));
    assert!(refused(tags(&[("AWS:k", "v")])).contains("reserved"));
    assert!(refused(tags(&[("k", "v"), ("K", "w")])).contains("twice"));
    let custom =
        json!({ "sessionTagsPolicy": "Custom", "customSessionTags": { "esoNamespace": "x" } });
    assert!(refused(custom).contains("reserved keys"));
}

#[test]
fn settings_without_effect_are_warned_of() {
    let settings = json!({ "service": "ParameterStore", "secretsManager": {}, "externalID": "x" });

    let warnings = check(settings).unwrap();

    assert_eq!(warnings.len(), 2, "{warnings:?}");
}
