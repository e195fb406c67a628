//! Certificates: imported from TLS Secrets and found again by their tags, exported with their key.

use lockstep_provider_api::{ErrorKind, Find, PushItem, PushTarget, Pushed, RemoteRef, SecretMap};
use lockstep_testkit::moto::REGION;
use rcgen::{CertificateParams, KeyPair};
use serde_json::{Value, json};

use crate::bench::{Bench, metadata, moto, seen, tags, word};

fn tls(name: &str, domain: &str) -> PushItem {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec![domain.to_owned()]).unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let source = SecretMap::from_iter([
        ("tls.crt".to_owned(), certificate.pem().into()),
        ("tls.key".to_owned(), key.serialize_pem().into()),
    ]);
    PushItem::whole(PushTarget::key(name), source)
}

fn imported(name: &str) -> Vec<(String, Value)> {
    let filter = json!([{ "Key": "external-secrets-remote-key", "Values": [name] }]);
    let asked = json!({ "ResourceTypeFilters": ["acm:certificate"], "TagFilters": filter });
    let found = moto().call("tagging.GetResources", &asked).unwrap();
    let list = found["ResourceTagMappingList"].as_array().unwrap().iter();
    list.map(|one| {
        let arn = one["ResourceARN"].as_str().unwrap().to_owned();
        (arn, one["Tags"].clone())
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tls_secret_is_imported_once_and_again_when_it_changes() {
    let id = word("acm");
    let store = Bench::plain(&id, "CertificateManager").await;
    let mut item = tls(&id, "one.example");
    item.metadata = metadata(json!({ "tags": { "team": "blue" } }));

    let created = store.push(&item).await.unwrap();
    let unchanged = store.push(&item).await.unwrap();
    let found = imported(&id);
    let mut changed = tls(&id, "two.example");
    changed.metadata = item.metadata.clone();
    let updated = store.push(&changed).await.unwrap();

    assert_eq!(created, Pushed::Created);
    assert_eq!(unchanged, Pushed::Unchanged);
    assert_eq!(updated, Pushed::Updated);
    assert_eq!(found.len(), 1);
    assert_eq!(imported(&id).len(), 1, "a change is no second certificate");
    let tags = tags(&found[0].1);
    assert_eq!(tags["managed-by"], "external-secrets");
    assert_eq!(tags["team"], "blue");
    assert!(store.exists(&item.target).await.unwrap());

    store.delete(&item.target).await.unwrap();
    store.delete(&item.target).await.unwrap();

    assert!(imported(&id).is_empty());
    assert!(!store.exists(&item.target).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_exported_with_its_key_and_only_once() {
    let id = word("acm-export");
    let request = json!({ "DomainName": "export.example", "Options": { "Export": "ENABLED" } });
    let made = moto().call("acm.RequestCertificate", &request).unwrap();
    let arn = made["CertificateArn"].as_str().unwrap();
    let store = Bench::plain(&id, "CertificateManager").await;

    let first = store.get(&RemoteRef::key(arn)).await.unwrap();
    let second = store.get(&RemoteRef::key(arn)).await.unwrap();

    let pem = first.expose_utf8().unwrap();
    assert!(pem.starts_with("-----BEGIN CERTIFICATE-----"));
    assert!(pem.contains("-----BEGIN PRIVATE KEY-----"));
    assert!(!pem.contains("ENCRYPTED"));
    assert_eq!(first, second);
    let exports = seen(&id)
        .into_iter()
        .filter(|action| action == "ExportCertificate");
    assert_eq!(exports.count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_service_has_not_is_said() {
    let id = word("acm-odd");
    let store = Bench::plain(&id, "CertificateManager").await;
    let request = json!({ "DomainName": "closed.example" });
    let made = moto().call("acm.RequestCertificate", &request).unwrap();
    let closed = made["CertificateArn"].as_str().unwrap();
    let missing = format!("arn:aws:acm:{REGION}:123456789012:certificate/{id}");
    let mut keyed = tls(&id, "x.example");
    keyed.secret_key = Some("tls.crt".to_owned());
    let name = Find {
        name: Some(".*".to_owned()),
        ..Find::default()
    };

    let map = store.get_map(&RemoteRef::key(closed)).await.unwrap_err();
    let find = store.find(&name).await.unwrap_err();
    let closed = store.get(&RemoteRef::key(closed)).await.unwrap_err();
    let missing = store.get(&RemoteRef::key(missing)).await.unwrap_err();
    let no_arn = store.get(&RemoteRef::key("name")).await.unwrap_err();
    let keyed = store.push(&keyed).await.unwrap_err();

    let unsupported = "operation not supported by AWS Certificate Manager provider";
    assert_eq!(map.to_string(), unsupported);
    assert_eq!(find.to_string(), unsupported);
    assert!(closed.to_string().contains("is not exportable"), "{closed}");
    assert_eq!(missing.kind(), &ErrorKind::NotFound);
    assert_eq!(no_arn.kind(), &ErrorKind::InvalidSpec);
    assert!(
        keyed.to_string().starts_with("secretKey must be empty"),
        "{keyed}"
    );
}
