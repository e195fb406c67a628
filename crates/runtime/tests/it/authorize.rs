//! Who may read metrics, decided by a real server.

use std::time::Duration;

use lockstep_provider_api::context::{Objects, TokenRequest};
use lockstep_runtime::authorize::ClusterAuthorize;
use lockstep_runtime::objects::ClusterObjects;
use lockstep_runtime::serve::{Access, Authorize};
use lockstep_testkit::client::TestCluster;

use crate::place::{User, client};

#[tokio::test]
async fn metrics_are_for_those_whom_a_role_allows() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let name = namespace.name();
    let objects = format!(
        "
apiVersion: v1
kind: ServiceAccount
metadata: {{name: scraper}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: stranger}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: {name}-metrics}}
rules: [{{nonResourceURLs: [/metrics], verbs: [get]}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: {name}-metrics}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {name}-metrics}}
subjects: [{{kind: ServiceAccount, name: scraper, namespace: {name}}}]
"
    );
    namespace.apply(&objects).await.unwrap();
    let client = client(&cluster, User::Admin).await;
    let tokens = ClusterObjects::new(client.clone());
    let token = async |account: &str| {
        let request = TokenRequest {
            namespace: name,
            name: account,
            audiences: &[],
            lifetime: Duration::from_mins(10),
        };
        let token = tokens.token(request).await.unwrap();
        token.expose_utf8().unwrap().to_owned()
    };
    let authorize = ClusterAuthorize::new(client);
    let access = async |token: &str| authorize.access(token, "/metrics").await.unwrap();

    assert_eq!(access(&token("scraper").await).await, Access::Granted);
    assert_eq!(access(&token("stranger").await).await, Access::Denied);
    assert_eq!(access("not-a-token").await, Access::Unknown);
}
