//! Scheduled deletion: seen, cancelled, forced and written past; and parameters, which have none.

use lockstep_provider_api::lifecycle::{Description, Owner, State, Undo, Writing};
use lockstep_provider_api::{Pushed, SharedStore};
use serde_json::json;

use crate::bench::{Bench, moto, push, tags, word};

async fn describe(store: &SharedStore, key: &str) -> Description {
    store.lifecycle().unwrap().describe(key).await.unwrap()
}

async fn secrets(about: &str) -> (SharedStore, String) {
    let key = word(about);
    (Bench::plain(&key, "SecretsManager").await, key)
}

#[tokio::test]
async fn a_deletion_can_be_cancelled_until_its_date_and_asked_for_twice() {
    let (store, key) = secrets("cancel").await;
    let life = store.lifecycle().unwrap();
    assert_eq!(describe(&store, &key).await.state, State::Missing);
    life.put(&push(&key, "v")).await.unwrap();
    let before = describe(&store, &key).await;

    let deleted = life.delete(&key, Some(7)).await.unwrap();
    let again = life.delete(&key, None).await.unwrap();
    let pending = describe(&store, &key).await;
    let restored = life.restore(&key).await.unwrap();

    assert_eq!(before.state, State::Available);
    assert_eq!((before.owner, before.undo), (Owner::Ours, Undo::Days(30)));
    let left = deleted
        .until()
        .unwrap()
        .duration_since(jiff::Timestamp::now());
    assert!((6..=7).contains(&(left.as_hours() / 24)), "{left}");
    assert_eq!(again, deleted);
    assert_eq!(pending.state, deleted);
    assert_eq!(pending.writing, Writing::AfterRestore);
    assert_eq!(restored, State::Available);
}

#[tokio::test]
async fn purging_ends_a_secret_whether_it_is_scheduled_or_not() {
    let (store, key) = secrets("force").await;
    let life = store.lifecycle().unwrap();
    for scheduled in [false, true] {
        life.put(&push(&key, "v")).await.unwrap();
        if scheduled {
            life.delete(&key, None).await.unwrap();
        }

        let purged = life.purge(&key).await.unwrap();

        assert_eq!(purged, State::Missing);
        assert_eq!(describe(&store, &key).await.state, State::Missing);
    }
    assert_eq!(life.purge(&key).await.unwrap(), State::Missing);
}

#[tokio::test]
async fn text_is_kept_as_text() {
    let (store, key) = secrets("text").await;
    let life = store.lifecycle().unwrap();

    let created = life.put(&push(&key, "v")).await.unwrap();
    let same = life.put(&push(&key, "v")).await.unwrap();

    assert_eq!((created, same), (Pushed::Created, Pushed::Unchanged));
    let stored = moto().call("secretsmanager.GetSecretValue", &json!({ "SecretId": key }));
    assert_eq!(stored.unwrap()["SecretString"], "v");
}

#[tokio::test]
async fn somebody_elses_secret_is_refused_until_it_is_adopted() {
    let (store, key) = secrets("adopt").await;
    let life = store.lifecycle().unwrap();
    let body = json!({ "Name": key, "SecretString": "theirs",
        "ClientRequestToken": "00000000-0000-0000-0000-00000000000a" });
    moto().call("secretsmanager.CreateSecret", &body).unwrap();
    assert_eq!(describe(&store, &key).await.owner, Owner::Foreign);
    assert!(life.put(&push(&key, "v")).await.is_err());

    life.adopt(&key).await.unwrap();

    assert_eq!(describe(&store, &key).await.owner, Owner::Ours);
    assert_eq!(life.put(&push(&key, "v")).await.unwrap(), Pushed::Updated);
}

#[tokio::test]
async fn a_list_has_the_secrets_that_wait_for_their_deletion() {
    let (store, key) = secrets("list").await;
    let life = store.lifecycle().unwrap();
    let names = ["a", "b"].map(|end| format!("{key}/{end}"));
    for name in &names {
        life.put(&push(name, "v")).await.unwrap();
    }
    life.delete(&names[1], None).await.unwrap();

    let mut listed = life.list(&format!("{key}/")).await.unwrap();

    listed.sort();
    assert_eq!(listed, names);
}

#[tokio::test]
async fn a_secret_without_a_value_has_no_version_and_takes_one() {
    let (store, key) = secrets("empty").await;
    let life = store.lifecycle().unwrap();
    let tags = json!([{ "Key": "managed-by", "Value": "external-secrets" }]);
    let body = json!({ "Name": key, "Tags": tags });
    moto().call("secretsmanager.CreateSecret", &body).unwrap();

    let before = describe(&store, &key).await.state;
    life.put(&push(&key, "v")).await.unwrap();

    assert_eq!(before, State::NoVersion);
    assert_eq!(describe(&store, &key).await.state, State::Available);
}

#[tokio::test]
async fn a_parameter_is_encrypted_and_gone_at_once() {
    let id = word("parameter");
    let key = format!("/{id}");
    let store = Bench::plain(&id, "ParameterStore").await;
    let life = store.lifecycle().unwrap();
    assert_eq!(describe(&store, &key).await.state, State::Missing);

    life.put(&push(&key, "v")).await.unwrap();
    let stored = moto()
        .call("ssm.GetParameter", &json!({ "Name": key }))
        .unwrap();
    let there = describe(&store, &key).await;
    let listed = life.list(&key).await.unwrap();
    let deleted = life.delete(&key, None).await.unwrap();

    assert_eq!(stored["Parameter"]["Type"], "SecureString");
    assert_eq!((there.state, there.owner), (State::Available, Owner::Ours));
    assert_eq!(there.undo, Undo::Never);
    assert_eq!(listed, [key.as_str()]);
    assert_eq!(deleted, State::Missing);
    assert!(life.restore(&key).await.is_err());
    assert_eq!(life.purge(&key).await.unwrap(), State::Missing);
}

#[tokio::test]
async fn an_adopted_parameter_keeps_its_type() {
    let id = word("plain");
    let key = format!("/{id}");
    let store = Bench::plain(&id, "ParameterStore").await;
    let life = store.lifecycle().unwrap();
    let body = json!({ "Name": key, "Value": "theirs", "Type": "String" });
    moto().call("ssm.PutParameter", &body).unwrap();

    life.adopt(&key).await.unwrap();
    life.put(&push(&key, "v")).await.unwrap();

    let stored = moto()
        .call("ssm.GetParameter", &json!({ "Name": key }))
        .unwrap();
    assert_eq!(stored["Parameter"]["Type"], "String");
    assert_eq!(stored["Parameter"]["Value"], "v");
    let list = json!({ "ResourceType": "Parameter", "ResourceId": key });
    let list = moto().call("ssm.ListTagsForResource", &list).unwrap();
    assert_eq!(tags(&list["TagList"])["managed-by"], "external-secrets");
}
