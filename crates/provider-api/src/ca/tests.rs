//! Bundles in every wrapping, and where `caProvider` looks.

use serde_json::json;

use super::*;
use crate::conformance::{NAMESPACE, block_on, services};
use crate::error::ErrorKind;
use crate::scope::{NAMESPACE_NOT_ALLOWED, Scope};

/// A frame of a certificate: sequence of two empty sequences and an empty bit string.
const FRAME: [u8; 8] = [0x30, 0x06, 0x30, 0x00, 0x30, 0x00, 0x03, 0x00];

fn pem_of(label: &str, der: &[u8]) -> String {
    let body = lockstep_golang::base64::encode(Encoding::Standard, der);
    format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
}

fn bundle(text: impl AsRef<[u8]>) -> CaBundle {
    CaBundle::new(text.as_ref().to_vec())
}

#[test]
fn pem_and_base64_of_pem_give_the_same_text() {
    let pem = pem_of("CERTIFICATE", &FRAME);
    let wrapped = lockstep_golang::base64::encode(Encoding::Standard, &pem);

    assert_eq!(bundle(&pem).pem().unwrap(), pem.as_bytes());
    assert_eq!(bundle(wrapped).pem().unwrap(), pem.as_bytes());
}

#[test]
fn what_is_no_pem_is_refused() {
    let error = bundle("no certificate").pem().unwrap_err();

    assert_eq!(
        error.to_string(),
        "failed to decode ca bundle: failed to parse the new certificate, not valid pem data"
    );
}

#[test]
fn pem_of_something_else_is_refused() {
    for der in [&FRAME[..7], &[0x30, 0x00], &[], b"key"] {
        let error = bundle(pem_of("CERTIFICATE", der)).pem().unwrap_err();

        assert_eq!(
            error.to_string(),
            "failed to decode ca bundle: failed to validate certificate: \
             x509: malformed certificate"
        );
    }
}

#[test]
fn a_manifest_gives_the_bundle_as_base64() {
    let read: CaBundle = serde_json::from_value(json!("Y2E=")).unwrap();

    assert_eq!(read, bundle("ca"));
    assert!(serde_json::from_value::<CaBundle>(json!("not base64!")).is_err());
}

#[test]
fn long_lengths_that_overflow_are_refused() {
    let mut der = vec![0x30, 0x89];
    der.extend([0xff; 9]);

    assert!(!looks_like_certificate(&der));
}

fn provider(source: CaSource, namespace: Option<&str>) -> CaProvider {
    CaProvider {
        key: Some("ca.crt".to_owned()),
        name: "trust".to_owned(),
        namespace: namespace.map(str::to_owned),
        source,
    }
}

#[test]
fn an_authority_is_read_from_a_secret_or_a_config_map() {
    let services = services();
    services
        .objects
        .put_secret(NAMESPACE, "trust", "ca.crt", "from secret");
    services
        .objects
        .put_config_map("shared", "trust", "ca.crt", "from map");
    let cluster = Scope::Cluster { caller: None };

    let secret = provider(CaSource::Secret, None);
    let map = provider(CaSource::ConfigMap, Some("shared"));
    let own = block_on(services.ctx("s").trust(None, Some(&secret)));
    let shared = block_on(services.ctx_in("s", cluster).trust(None, Some(&map)));

    assert_eq!(own.unwrap().unwrap(), b"from secret");
    assert_eq!(shared.unwrap().unwrap(), b"from map");
    assert_eq!(block_on(services.ctx("s").trust(None, None)).unwrap(), None);
}

#[test]
fn a_bundle_wins_over_a_provider() {
    let pem = pem_of("CERTIFICATE", &FRAME);
    let missing = provider(CaSource::Secret, None);

    let trusted = services().ctx("s");
    let trusted = block_on(trusted.trust(Some(&bundle(&pem)), Some(&missing)));

    assert_eq!(trusted.unwrap().unwrap(), pem.as_bytes());
}

#[test]
fn the_namespace_of_an_authority_follows_the_kind_of_store() {
    let services = services();
    let cluster = services.ctx_in(
        "s",
        Scope::Cluster {
            caller: Some("app".to_owned()),
        },
    );

    let nowhere = block_on(cluster.ca(&provider(CaSource::Secret, None))).unwrap_err();
    let foreign = services.ctx("s");
    let foreign = block_on(foreign.ca(&provider(CaSource::Secret, Some("other")))).unwrap_err();

    assert_eq!(
        nowhere.to_string(),
        "missing namespace on caProvider secret"
    );
    assert_eq!(foreign.to_string(), NAMESPACE_NOT_ALLOWED);
}

#[test]
fn a_missing_authority_is_the_users_to_mend_and_no_missing_secret() {
    let services = services();
    services
        .objects
        .put_config_map(NAMESPACE, "trust", "other", "x");
    let ctx = services.ctx("s");

    let secret = block_on(ctx.ca(&provider(CaSource::Secret, None))).unwrap_err();
    let key = block_on(ctx.ca(&provider(CaSource::ConfigMap, None))).unwrap_err();

    assert_eq!(secret.kind(), &ErrorKind::InvalidSpec);
    assert!(
        secret
            .to_string()
            .contains("cannot get Kubernetes secret \"trust\" from namespace \"conformance\": ")
    );
    assert_eq!(key.kind(), &ErrorKind::InvalidSpec);
    assert!(
        key.to_string()
            .ends_with("failed to get caProvider configMap trust -> ca.crt")
    );
}
