//! Credentials of stores, from manifests and from the environment.

use lockstep_testkit::stub::Answer;
use lockstep_testkit::tls_stub::TlsStub;
use serde_json::json;

use crate::folder::{Folder, assert_no_values};

/// Some certificate, as manifests carry one.
const CA: &str = "\
    LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJjRENDQVJXZ0F3SUJBZ0lVV3QrM0szcHpNdUI0QzZw\
    UmZmVG5FK0dRWnQ4d0NnWUlLb1pJemowRUF3SXcKRERFS01BZ0dBMVVFQXd3QmREQWdGdzB5TmpFeE1UVXhP\
    VEE1TkRoYUdBOHlNVEkyTVRBeU1qRTVNRGswT0ZvdwpEREVLTUFnR0ExVUVBd3dCZERCWk1CTUdCeXFHU000\
    OUFnRUdDQ3FHU000OUF3RUhBMElBQkJJR1JQS3MxS3p2CmtOdlFNWDArK3plUkx6MjAwU3lIQW00VEs3TGJH\
    ZXB2UDFiUXFDUFJkU1FyWEgxcGxsVmxKZUZRU1lyVDY4UVcKMTRRQngweGFKWDZqVXpCUk1CMEdBMVVkRGdR\
    V0JCU3lIRXA2SkRJY28ydG11M0h5TVI1VWtIYnJUakFmQmdOVgpIU01FR0RBV2dCU3lIRXA2SkRJY28ydG11\
    M0h5TVI1VWtIYnJUakFQQmdOVkhSTUJBZjhFQlRBREFRSC9NQW9HCkNDcUdTTTQ5QkFNQ0Ewa0FNRVlDSVFE\
    OExOTzQ4NHF1M3JCNjNqNE9ldFlrZUhrUXdlQ3l5WEhad3FiUTFYcnIKZVFJaEFMZkVrOG5FNEwyN3dTbjR3\
    aEpGM2pKSFl3dnVVZW1rZjFRN1Y2Lzl6V2tYCi0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K";

/// A store that needs a token, at an address where nobody listens.
fn store(auth: &str) -> String {
    format!(
        "apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {{name: cluster}}
spec:
  provider:
    kubernetes:
      remoteNamespace: default
      server: {{url: 'https://127.0.0.1:9', caBundle: {CA}}}
      auth: {auth}
"
    )
}

const TOKEN: &str = "{token: {bearerToken: {name: creds, key: apiToken}}}";

#[test]
fn a_missing_secret_names_the_variable_that_would_do() {
    let folder = Folder::with(&[("manifests/store.yaml", &store(TOKEN))]);

    let ran = folder.run(&[]);

    assert_eq!(ran.code, 1);
    let variable = "LOCKSTEP_SECRET_DEFAULT_CREDS_APITOKEN";
    assert!(ran.err.contains(variable), "{}", ran.err);
}

#[test]
fn a_variable_or_a_manifest_gives_the_secret_and_is_not_printed() {
    let folder = Folder::with(&[("manifests/store.yaml", &store(TOKEN))]);
    let variables = [("LOCKSTEP_SECRET_DEFAULT_CREDS_APITOKEN", "canary-token")];

    let from_variable = folder.run_with(&["-o", "json"], &variables);
    folder.write(
        "manifests/creds.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: creds}\nstringData: {apiToken: canary-2}\n",
    );
    let from_manifest = folder.run(&["-o", "json"]);

    for ran in [from_variable, from_manifest] {
        assert!(!ran.err.contains("not found"), "{}", ran.err);
        assert_no_values(&ran.out);
        assert_no_values(&ran.err);
    }
}

#[test]
fn a_service_account_token_comes_from_a_variable_only() {
    let store = store("{serviceAccount: {name: reader}}");
    let folder = Folder::with(&[("manifests/store.yaml", &store)]);

    let without = folder.run(&[]);
    let with = folder.run_with(&[], &[("LOCKSTEP_TOKEN_DEFAULT_READER", "canary-jwt")]);

    assert!(
        without.err.contains("set LOCKSTEP_TOKEN_DEFAULT_READER"),
        "{}",
        without.err
    );
    assert!(
        !with.err.contains("LOCKSTEP_TOKEN_DEFAULT_READER"),
        "{}",
        with.err
    );
    assert_no_values(&with.err);
}

const AWS: &str = "apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: aws}
spec:
  provider:
    aws:
      service: SecretsManager
      region: eu-central-1
      auth: {secretRef: {accessKeyIDSecretRef: {name: keys, key: id}, secretAccessKeySecretRef: {name: keys, key: key}}}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
stringData: {id: AKIAEXAMPLE, key: canary-key}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: database}
spec:
  secretStoreRef: {name: aws}
  data: [{secretKey: password, remoteRef: {key: app/db}}]
";

#[test]
fn aws_ca_bundle_makes_a_private_authority_trusted() {
    let server = TlsStub::start(|_| {
        let secret = json!({"Name": "app/db", "SecretString": "canary-value", "VersionId": "1"});
        Answer::json(200, &secret)
    });
    let server = server.unwrap();
    let folder = Folder::with(&[("manifests/aws.yaml", AWS)]);
    let (url, bundle) = (server.url(), server.ca().display().to_string());
    let endpoint = ("AWS_ENDPOINT_URL", url.as_str());

    let without = folder.run_with(&[], &[endpoint]);
    let with = folder.run_with(&[], &[endpoint, ("AWS_CA_BUNDLE", &bundle)]);
    let wrong = folder.run_with(&[], &[endpoint, ("AWS_CA_BUNDLE", "/nowhere.pem")]);

    assert_eq!(without.code, 1, "{}", without.err);
    assert!(
        without.err.contains("lockstep test cloud"),
        "{}",
        without.err
    );
    assert!(without.err.contains("AWS_CA_BUNDLE"), "{}", without.err);
    assert_eq!(with.code, 0, "{}", with.err);
    assert_no_values(&with.err);
    assert_eq!(wrong.code, 1, "{}", wrong.err);
    assert!(
        wrong.err.contains("AWS_CA_BUNDLE names, /nowhere.pem"),
        "{}",
        wrong.err
    );
}
