//! Identities of other providers: ServiceAccounts of any cluster, tokens of an address, keys of AWS.

use std::time::{SystemTime, UNIX_EPOCH};

use lockstep_provider_api::conformance::NAMESPACE;
use lockstep_testkit::stub::{Answer, Stub};
use serde_json::{Value, json};

use crate::identity::{READS, ROBOT, calls, cluster_key, seen, with_accounts};

const AUDIENCE: &str =
    "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/p";

fn federated() -> Value {
    json!({ "projectID": "p", "auth": { "workloadIdentityFederation": {
        "audience": AUDIENCE,
        "serviceAccountRef": { "name": "sa", "audiences": ["https://pool"] },
    } } })
}

#[tokio::test(flavor = "multi_thread")]
async fn federation_exchanges_the_token_of_a_service_account() {
    let bench = with_accounts(&[]);

    let seen = seen(&bench, federated()).await;

    assert_eq!(calls(&seen), [&["token sts"][..], &READS].concat());
    assert_eq!(seen[0].name, AUDIENCE);
    assert_eq!(seen[1].who, format!("system:serviceaccount:{NAMESPACE}:sa"));
}

#[tokio::test(flavor = "multi_thread")]
async fn federation_acts_as_the_account_of_the_spec_before_that_of_the_annotation() {
    let bench = with_accounts(&[(
        "iam.gke.io/gcp-service-account",
        "other@p.iam.gserviceaccount.com",
    )]);
    let mut named = federated();
    let federation = &mut named["auth"]["workloadIdentityFederation"];
    federation["gcpServiceAccountEmail"] = ROBOT.into();

    let seen = seen(&bench, named).await;

    assert_eq!(seen[1].call, "GenerateAccessToken");
    assert_eq!(seen[1].name, ROBOT);
}

#[tokio::test(flavor = "multi_thread")]
async fn federation_takes_the_token_of_an_address_that_the_store_names() {
    let bench = with_accounts(&[]);
    let (key, _) = cluster_key();
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let claims = json!({ "sub": "somebody", "aud": ["any"], "exp": now + 600 });
    let token = key.sign(&json!({ "alg": "RS256" }), &claims).unwrap();
    let token = token.expose_utf8().unwrap().to_owned();
    let stub = Stub::start(move |request| {
        assert_eq!(request.header("x-secret"), Some("yes"));
        Answer::json(200, &json!({ "id_token": token }))
    })
    .unwrap();
    let config = json!({
        "type": "external_account", "audience": AUDIENCE,
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "token_url": "https://sts.googleapis.com/v1/token",
        "service_account_impersonation_url": format!(
            "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/{ROBOT}:generateAccessToken"
        ),
        "credential_source": {
            "url": stub.url(), "headers": { "X-Secret": "yes" },
            "format": { "type": "json", "subject_token_field_name": "id_token" },
        },
    });
    let text = config.to_string();
    bench.objects.put_config_map(NAMESPACE, "cfg", "k", &text);
    let spec = json!({ "projectID": "p", "auth": { "workloadIdentityFederation": {
        "credConfig": { "name": "cfg", "key": "k" }, "externalTokenEndpoint": stub.url(),
    } } });

    let seen = seen(&bench, spec).await;

    assert_eq!(seen[0].who, "somebody");
    assert_eq!(seen[2].who, ROBOT);
}

#[tokio::test(flavor = "multi_thread")]
async fn federation_signs_with_keys_of_aws() {
    let bench = with_accounts(&[]);
    for (key, value) in [
        ("aws_access_key_id", "AKID"),
        ("aws_secret_access_key", "x"),
    ] {
        bench.objects.put_secret(NAMESPACE, "aws", key, value);
    }
    let spec = json!({ "projectID": "p", "auth": { "workloadIdentityFederation": {
        "audience": AUDIENCE,
        "awsSecurityCredentials": {
            "region": "eu-west-1", "awsCredentialsSecretRef": { "name": "aws" },
        },
    } } });

    let seen = seen(&bench, spec).await;

    assert_eq!(seen[0].who, "aws:AKID");
}
