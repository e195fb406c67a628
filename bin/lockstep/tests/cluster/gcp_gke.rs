//! A platform on GKE as people run it: the operator's own annotated ServiceAccount stands for an
//! account of Google, a ClusterSecretStore names it, and every field of the ExternalSecret that the
//! original would fill in is written out. The secret is made before its first version.

use lockstep_testkit::controlplane::ControlPlane;
use lockstep_testkit::manifest;
use serde_json::json;

use crate::gcp::{google, started};
use crate::process::until;

const MANIFESTS: &str = r"
apiVersion: v1
kind: Namespace
metadata: {name: external-secrets}
---
apiVersion: v1
kind: Namespace
metadata: {name: secrets-demo}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: external-secrets
  namespace: external-secrets
  annotations:
    iam.gke.io/gcp-service-account: external-secrets@trinity-dev.iam.gserviceaccount.com
---
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: gcp-secret-manager}
spec:
  provider:
    gcpsm:
      projectID: trinity-dev
      auth:
        workloadIdentity:
          clusterProjectID: trinity-dev
          clusterLocation: us-central1-a
          clusterName: trinity-dev
          serviceAccountRef: {name: external-secrets, namespace: external-secrets}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: provider-test-secret, namespace: secrets-demo}
spec:
  refreshInterval: 1h
  secretStoreRef: {kind: ClusterSecretStore, name: gcp-secret-manager}
  target: {name: provider-test-secret, creationPolicy: Owner, deletionPolicy: Retain}
  data:
  - secretKey: message
    remoteRef:
      key: trinity-dev-gcp-secrets-demo
      conversionStrategy: Default
      decodingStrategy: None
      metadataPolicy: None
      nullBytePolicy: Ignore
";

#[test]
fn a_secret_without_versions_is_explained_and_synced_as_soon_as_it_has_one() {
    let plane = ControlPlane::start_bare().unwrap();
    plane.install_crds().unwrap();
    let api = plane.admin().unwrap();
    let google = google(&plane);
    let (project, name) = ("projects/trinity-dev", "trinity-dev-gcp-secrets-demo");
    google.seed(project, name, &[], &json!({})).unwrap();
    let _operator = started(&plane, &google, &[]);
    for object in manifest::parse(MANIFESTS).unwrap() {
        api.apply(&object).unwrap();
    }
    let path = "/apis/external-secrets.io/v1/namespaces/secrets-demo/externalsecrets/\
                provider-test-secret";

    let told = until("the condition", || {
        let condition = api.get(path).unwrap()["status"]["conditions"][0].clone();
        let text = condition["message"].to_string();
        if condition["reason"] == "SecretSyncedError" && text.contains("has no version") {
            Ok(text)
        } else {
            Err(text)
        }
    });
    google.add(project, name, b"hello-from-gcp").unwrap();
    let secret = until("the Secret", || {
        let path = "/api/v1/namespaces/secrets-demo/secrets/provider-test-secret";
        api.find(path).unwrap().ok_or(json!(null))
    });

    assert!(told.contains("Tombstoned"), "{told}");
    assert!(told.contains("gcloud secrets versions add"), "{told}");
    assert_eq!(secret["data"]["message"], "aGVsbG8tZnJvbS1nY3A=");
    let seen = google.seen();
    let tokens = seen.iter().filter(|one| one.call == "GenerateAccessToken");
    assert_eq!(tokens.count(), 1, "{seen:?}");
}
