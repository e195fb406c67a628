//! Writing secrets: made once, changed only where they differ, deleted only where they are ours.

use lockstep_provider_api::conformance::NAMESPACE;
use lockstep_provider_api::{ErrorKind, PushTarget, Pushed, SecretMap};
use serde_json::{Value, json};

use crate::bench::{Bench, metadata, moto, push, seen, spec, tags, word};

fn describe(id: &str) -> Value {
    let asked = json!({ "SecretId": id });
    moto()
        .call("secretsmanager.DescribeSecret", &asked)
        .unwrap()
}

fn text(id: &str) -> String {
    let asked = json!({ "SecretId": id });
    let got = moto()
        .call("secretsmanager.GetSecretValue", &asked)
        .unwrap();
    got["SecretString"].as_str().unwrap().to_owned()
}

fn create(id: &str, value: &str, managed: bool) {
    let mark = json!([{ "Key": "managed-by", "Value": "external-secrets" }]);
    let tags = if managed { mark } else { json!([]) };
    let secret = json!({ "Name": id, "SecretString": value, "Tags": tags });
    moto().call("secretsmanager.CreateSecret", &secret).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_secret_has_mark_description_and_format() {
    let id = word("push-new");
    let store = Bench::plain(&id, "SecretsManager").await;
    let mut item = push(&id, "v");
    item.metadata = metadata(json!({
        "secretPushFormat": "string",
        "kmsKeyID": "alias/own",
        "tags": { "team": "blue" },
    }));

    let first = store.push(&item).await.unwrap();
    let again = store.push(&item).await.unwrap();

    assert_eq!((first, again), (Pushed::Created, Pushed::Unchanged));
    let described = describe(&id);
    assert_eq!(described["KmsKeyId"], "alias/own");
    assert_eq!(
        described["Description"],
        "secret 'managed-by:external-secrets'"
    );
    let tags = tags(&described["Tags"]);
    assert_eq!(tags["managed-by"], "external-secrets");
    assert_eq!(tags["team"], "blue");
    assert_eq!(text(&id), "v");
    assert!(!seen(&id).contains(&"PutSecretValue".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_secret_is_pushed_as_json_of_strings() {
    let id = word("push-whole");
    let store = Bench::plain(&id, "SecretsManager").await;
    let mut item = push(&id, "<1>");
    item.secret_key = None;
    item.source.insert("b", "2".into());
    item.metadata = metadata(json!({ "secretPushFormat": "string" }));

    store.push(&item).await.unwrap();

    assert_eq!(text(&id), r#"{"b":"2","v":"<1>"}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_property_is_merged_and_removed_without_touching_the_rest() {
    let id = word("push-property");
    create(&id, r#"{"keep": 1.50}"#, true);
    let store = Bench::plain(&id, "SecretsManager").await;
    let mut item = push(&id, "new");
    item.target.property = Some("a.b".to_owned());
    item.metadata = metadata(json!({ "secretPushFormat": "string" }));

    let pushed = store.push(&item).await.unwrap();
    let merged = text(&id);
    let there = store.exists(&item.target).await.unwrap();
    store.delete(&item.target).await.unwrap();

    assert_eq!(pushed, Pushed::Updated);
    assert_eq!(merged, r#"{"keep": 1.50,"a":{"b":"new"}}"#);
    assert!(there);
    assert_eq!(text(&id), r#"{"keep": 1.50,"a":{}}"#);
    assert!(!store.exists(&item.target).await.unwrap());
    assert!(store.exists(&PushTarget::key(&id)).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_property_takes_the_secret_with_it() {
    let id = word("push-last");
    let mut spec = spec("SecretsManager");
    spec["secretsManager"] = json!({ "forceDeleteWithoutRecovery": true });
    let store = Bench::new(moto(), &id, "any").connect(spec).await.unwrap();
    let mut item = push(&id, "v");
    item.target.property = Some("only".to_owned());

    store.push(&item).await.unwrap();
    store.delete(&item.target).await.unwrap();

    assert!(!store.exists(&PushTarget::key(&id)).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_of_somebody_else_is_neither_written_nor_deleted() {
    let id = word("push-foreign");
    create(&id, "theirs", false);
    let store = Bench::plain(&id, "SecretsManager").await;

    let error = store.push(&push(&id, "ours")).await.unwrap_err();
    store.delete(&PushTarget::key(&id)).await.unwrap();

    assert_eq!(error.kind(), &ErrorKind::Conflict);
    let told = error.to_string();
    let known = "secret not managed by external-secrets";
    assert!(told.starts_with(known), "{told}");
    assert!(
        told.contains("tag it managed-by=external-secrets"),
        "{told}"
    );
    assert_eq!(text(&id), "theirs");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scheduled_deletion_is_not_undone_by_a_push() {
    let id = word("push-scheduled");
    create(&id, "x", true);
    moto()
        .call("secretsmanager.DeleteSecret", &json!({ "SecretId": id }))
        .unwrap();
    let store = Bench::plain(&id, "SecretsManager").await;

    let error = store.push(&push(&id, "y")).await.unwrap_err();

    assert!(matches!(error.kind(), ErrorKind::Tombstoned(_)), "{error}");
    assert!(error.to_string().contains("restore-secret"), "{error}");
    assert!(describe(&id)["DeletedDate"].is_number());
}

#[tokio::test(flavor = "multi_thread")]
async fn tags_follow_the_push_and_stay_where_it_names_none() {
    let id = word("push-tags");
    let store = Bench::plain(&id, "SecretsManager").await;
    let mut item = push(&id, "v");
    item.metadata = metadata(json!({ "tags": { "old": "1", "kept": "1" } }));
    store.push(&item).await.unwrap();

    item.metadata = metadata(json!({ "tags": { "kept": "2" } }));
    let changed = store.push(&item).await.unwrap();
    let after = tags(&describe(&id)["Tags"]);
    item.metadata = None;
    let silent = store.push(&item).await.unwrap();

    assert_eq!((changed, silent), (Pushed::Updated, Pushed::Unchanged));
    assert_eq!(after.get("kept").map(String::as_str), Some("2"));
    assert!(!after.contains_key("old"));
    assert_eq!(tags(&describe(&id)["Tags"]), after);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resource_policy_is_put_once_and_left_alone_by_pushes_without_one() {
    let id = word("push-policy");
    let bench = Bench::new(moto(), &id, "any");
    let policy = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:root"},"Action":"secretsmanager:GetSecretValue","Resource":"*"}]}"#;
    bench
        .objects
        .put_config_map(NAMESPACE, "pol", "policy.json", policy);
    let store = bench.connect(spec("SecretsManager")).await.unwrap();
    let source = json!({ "kind": "ConfigMap", "name": "pol", "key": "policy.json" });
    let mut item = push(&id, "v");
    item.metadata = metadata(json!({ "resourcePolicy": { "policySourceRef": source } }));

    store.push(&item).await.unwrap();
    let again = store.push(&item).await.unwrap();
    item.metadata = None;
    store.push(&item).await.unwrap();

    assert_eq!(again, Pushed::Unchanged);
    let asked = json!({ "SecretId": id });
    let kept = moto()
        .call("secretsmanager.GetResourcePolicy", &asked)
        .unwrap();
    assert_eq!(kept["ResourcePolicy"], policy);
    let puts = seen(&id)
        .into_iter()
        .filter(|action| action == "PutResourcePolicy");
    assert_eq!(puts.count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_follow_the_push_and_go_before_the_secret() {
    let id = word("push-replicas");
    let mut spec = spec("SecretsManager");
    spec["secretsManager"] = json!({ "forceDeleteWithoutRecovery": true });
    let store = Bench::new(moto(), &id, "any").connect(spec).await.unwrap();
    let mut item = push(&id, "v");
    let regions = |id: &str| {
        let described = describe(id);
        let status = described["ReplicationStatus"].as_array().cloned();
        let status = status.unwrap_or_default().into_iter();
        let mut regions: Vec<_> = status
            .map(|one| one["Region"].as_str().unwrap().to_owned())
            .collect();
        regions.sort();
        regions
    };

    item.metadata = metadata(json!({ "replicationLocations": ["eu-west-1", "us-west-2"] }));
    store.push(&item).await.unwrap();
    let first = regions(&id);
    item.metadata = metadata(json!({ "replicationLocations": ["eu-central-1", "us-west-2"] }));
    store.push(&item).await.unwrap();
    let second = regions(&id);
    store.delete(&item.target).await.unwrap();

    assert_eq!(first, ["eu-west-1", "us-west-2"]);
    assert_eq!(second, ["eu-central-1", "us-west-2"]);
    assert!(!store.exists(&item.target).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_waits_as_long_as_the_store_says() {
    let id = word("push-window");
    let mut spec = spec("SecretsManager");
    spec["secretsManager"] = json!({ "recoveryWindowInDays": 8 });
    let store = Bench::new(moto(), &id, "any").connect(spec).await.unwrap();
    store.push(&push(&id, "v")).await.unwrap();

    store.delete(&PushTarget::key(&id)).await.unwrap();
    store.delete(&PushTarget::key(&id)).await.unwrap();

    let sent = moto().seen();
    let sent = sent
        .iter()
        .filter(|one| one.key_id == id && one.action == "DeleteSecret");
    let bodies: Vec<Value> = sent
        .map(|one| serde_json::from_str(&one.body).unwrap())
        .collect();
    assert_eq!(bodies.len(), 1);
    assert_eq!(bodies[0]["RecoveryWindowInDays"], 8);
    assert!(bodies[0].get("ForceDeleteWithoutRecovery").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_pushes_say_what_is_wrong_with_them() {
    let id = word("push-bad");
    create(&id, "plain text", true);
    let store = Bench::plain(&id, "SecretsManager").await;
    let failed = async |change: &dyn Fn(&mut lockstep_provider_api::PushItem)| {
        let mut item = push(&id, "v");
        change(&mut item);
        store.push(&item).await.unwrap_err().to_string()
    };

    let format =
        failed(&|item| item.metadata = metadata(json!({ "secretPushFormat": "yaml" }))).await;
    let mark =
        failed(&|item| item.metadata = metadata(json!({ "tags": { "managed-by": "me" } }))).await;
    let property = failed(&|item| item.target.property = Some("a".to_owned())).await;
    let key = failed(&|item| item.secret_key = Some("nope".to_owned())).await;
    let size = failed(&|item| {
        let large = vec![b'x'; 65_537].into();
        item.source = SecretMap::from_iter([("v".to_owned(), large)]);
    })
    .await;

    let parsing = "failed to parse push secret metadata: ";
    assert_eq!(format, format!("{parsing}invalid secret push format: yaml"));
    assert_eq!(
        mark,
        format!("{parsing}error parsing tags in metadata: Cannot specify a 'managed-by' tag")
    );
    assert_eq!(
        property,
        "PushSecret for aws secrets manager with a pushSecretData property requires a json secret"
    );
    assert_eq!(key, "failed to find secret key in secret with key: nope");
    assert_eq!(
        size,
        "the value has 65537 bytes; Secrets Manager takes at most 65536"
    );
    assert_eq!(text(&id), "plain text");
}
