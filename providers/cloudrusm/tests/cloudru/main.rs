//! The provider against a stand-in of Cloud.ru, over a real wire: the contract, paths and ids, searches,
//! and what is refused.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod cloud;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use cloud::{Cloud, KEY_ID, KEY_SECRET, PROJECT};
use http::Response;
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, grpc_refusal, run, services,
};
use lockstep_provider_api::context::Services;
use lockstep_provider_api::http::Transport;
use lockstep_provider_api::{
    Ctx, ErrorKind, Find, Provider, RemoteRef, Scope, SecretValue, Store, StoreName, Variables,
};
use lockstep_provider_cloudrusm::{Cloudrusm, CloudrusmStore};
use serde_json::{Value, json};

struct ManagerSubject(Cloud);

fn spec() -> Value {
    json!({
        "projectID": PROJECT,
        "auth": {"secretRef": {
            "accessKeyIDSecretRef": {"name": "cloudru", "key": "id"},
            "accessKeySecretSecretRef": {"name": "cloudru", "key": "secret"},
        }},
    })
}

fn prepare(objects: &MemoryObjects, secret: &str) {
    objects.put_secret(NAMESPACE, "cloudru", "id", KEY_ID);
    objects.put_secret(NAMESPACE, "cloudru", "secret", secret);
}

fn addresses(cloud: &Cloud) -> Variables {
    let names = ["CLOUDRU_CSM_ADDRESS", "CLOUDRU_IAM_ADDRESS"];
    names
        .map(|name| (name, cloud.address()))
        .into_iter()
        .collect()
}

impl Subject for ManagerSubject {
    type Provider = Cloudrusm;

    fn spec(&self) -> Value {
        spec()
    }

    fn prepare(&self, objects: &MemoryObjects) {
        prepare(objects, KEY_SECRET);
    }

    fn variables(&self) -> Variables {
        addresses(&self.0)
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        Some(self.0.transport())
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &["localhost/sbercloud.cp.iam."]
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        self.0.put(key, &[], value.expose());
        Ok(())
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        grpc_refusal(status)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_manager_keeps_the_contract() {
    run(&ManagerSubject(Cloud::start())).await.assert_passed();
}

async fn connect(cloud: &Cloud, secret: &str) -> CloudrusmStore {
    let edges = services().plugged(cloud.transport());
    prepare(&edges.objects, secret);
    let services = Services {
        variables: addresses(cloud),
        ..Arc::into_inner(edges.shared()).unwrap()
    };
    let store = StoreName {
        namespace: Some(NAMESPACE.to_owned()),
        name: "s".to_owned(),
    };
    let scope = Scope::Namespaced {
        namespace: NAMESPACE.to_owned(),
    };
    let ctx = Ctx::new(Arc::new(services), store, scope);
    let spec = serde_json::from_value(spec()).unwrap();
    Cloudrusm::connect(spec, ctx).await.unwrap()
}

fn version(key: &str, version: &str) -> RemoteRef {
    RemoteRef {
        version: Some(version.to_owned()),
        ..RemoteRef::key(key)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_read_by_path_and_by_id_in_any_version() {
    let cloud = Cloud::start();
    let id = cloud.put("app/database", &[], b"one");
    cloud.put("app/database", &[], br#"{"password":"two"}"#);
    let store = connect(&cloud, KEY_SECRET).await;

    let property = RemoteRef::key("app/database").property("password");
    assert_eq!(store.get(&property).await.unwrap(), "two".into());
    let table = [
        (version("app/database", "1"), "one"),
        (version(&id, "1"), "one"),
        (version("app/database", "latest"), r#"{"password":"two"}"#),
        (RemoteRef::key(&id), r#"{"password":"two"}"#),
        (RemoteRef::key(id.replace('-', "")), r#"{"password":"two"}"#),
    ];
    for (reference, value) in table {
        let read = store.get(&reference).await.unwrap();
        assert_eq!(read, value.into(), "{reference:?}");
    }
    let map = store
        .get_map(&RemoteRef::key("app/database"))
        .await
        .unwrap();
    assert_eq!(map.get("password"), Some(&"two".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn absence_denial_and_a_bad_version_are_told_apart() {
    let cloud = Cloud::start();
    cloud.put("app/database", &[], b"one");
    cloud.deny("app/theirs");
    let store = connect(&cloud, KEY_SECRET).await;

    let gone = store.get(&RemoteRef::key("app/gone")).await.unwrap_err();
    let denied = store.get(&RemoteRef::key("app/theirs")).await.unwrap_err();
    let odd = store.get(&version("app/database", "v1")).await.unwrap_err();

    assert_eq!(gone.kind(), &ErrorKind::NotFound);
    assert_eq!(gone.to_string(), "Secret does not exist");
    assert_eq!(denied.kind(), &ErrorKind::Denied);
    assert_eq!(
        denied.to_string(),
        "failed to get the secret by path 'app/theirs': rpc error: code = PermissionDenied desc = \
         no"
    );
    assert_eq!(odd.kind(), &ErrorKind::InvalidSpec);
    assert_eq!(
        odd.to_string(),
        "invalid secret version: should be a valid int32 value or 'latest' keyword"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_access_key_that_is_refused_shows_when_a_secret_is_read() {
    let cloud = Cloud::start();
    let store = connect(&cloud, "wrong").await;

    let error = store
        .get(&RemoteRef::key("app/database"))
        .await
        .unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unauthenticated);
    assert_eq!(
        error.to_string(),
        "unauthorized: fetch IAM access token: get access token: rpc error: code = Unauthenticated \
         desc = wrong key"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_selects_by_name_path_and_labels() {
    let cloud = Cloud::start();
    cloud.put("app/one", &[("team", "a")], b"1");
    cloud.put("app/two", &[("team", "b")], b"2");
    cloud.put("else/one", &[], b"3");
    let store = connect(&cloud, KEY_SECRET).await;
    let team = BTreeMap::from([("team".to_owned(), "a".to_owned())]);
    let table = [
        (
            Find {
                path: Some("app".to_owned()),
                ..Find::default()
            },
            vec!["app_one", "app_two"],
        ),
        (
            Find {
                tags: Some(team),
                ..Find::default()
            },
            vec!["app_one"],
        ),
        (
            Find {
                name: Some("one".to_owned()),
                ..Find::default()
            },
            vec!["app_one", "else_one"],
        ),
    ];

    for (find, keys) in table {
        let find = Find {
            conversion: lockstep_provider_api::keys::Conversion::Default,
            ..find
        };
        let found = store.find(&find).await.unwrap();
        let names: Vec<_> = found.iter().map(|(key, _)| key).collect();
        assert_eq!(names, keys, "{find:?}");
    }
    let all = store.find(&Find::default()).await.unwrap_err();
    assert_eq!(
        all.to_string(),
        "at least one of the following fields must be set: tags, name, path"
    );
}
