//! Reading and searching secrets, with as few requests as possible.

use std::collections::BTreeMap;

use lockstep_provider_api::conformance::NAMESPACE;
use lockstep_provider_api::retry::RetrySettings;
use lockstep_provider_api::{ErrorKind, Find, MetadataPolicy, RemoteRef};
use lockstep_testkit::moto::Fault;
use serde_json::json;

use crate::bench::{Bench, moto, seen, spec, word};

fn create(name: &str, value: &str) {
    let secret = json!({ "Name": name, "SecretString": value });
    moto().call("secretsmanager.CreateSecret", &secret).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn many_secrets_are_read_in_batches_and_each_once() {
    let id = word("batch");
    for number in 0..25 {
        create(&format!("{id}/{number}"), &format!("{{\"n\":{number}}}"));
    }
    let store = Bench::plain(&id, "SecretsManager").await;
    let references: Vec<_> = (0..50)
        .map(|number| RemoteRef::key(format!("{id}/{}", number % 25)).property("n"))
        .collect();

    let answers = store.get_many(&references).await;

    for (number, answer) in answers.into_iter().enumerate() {
        let wanted = (number % 25).to_string();
        assert_eq!(answer.unwrap().expose_utf8().unwrap(), wanted);
    }
    assert_eq!(seen(&id), ["BatchGetSecretValue"; 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_missing_secret_does_not_spoil_a_batch() {
    let id = word("spoilt");
    create(&format!("{id}/a"), "1");
    create(&format!("{id}/b"), "2");
    let store = Bench::plain(&id, "SecretsManager").await;
    let references = ["a", "nope", "b"].map(|name| RemoteRef::key(format!("{id}/{name}")));

    let answers = store.get_many(&references).await;

    assert_eq!(answers[0].as_ref().unwrap().expose(), b"1");
    assert_eq!(
        answers[1].as_ref().unwrap_err().kind(),
        &ErrorKind::NotFound
    );
    assert_eq!(answers[2].as_ref().unwrap().expose(), b"2");
    assert_eq!(seen(&id), ["BatchGetSecretValue", "GetSecretValue"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_is_a_stage_or_a_uuid() {
    let id = word("version");
    create(&id, "first");
    let put = json!({ "SecretId": id, "SecretString": "second" });
    moto().call("secretsmanager.PutSecretValue", &put).unwrap();
    let described = moto().call("secretsmanager.DescribeSecret", &json!({ "SecretId": id }));
    let described = described.unwrap();
    let versions = described["VersionIdsToStages"].as_object().unwrap();
    let (current, _) = versions
        .iter()
        .find(|(_, stages)| stages[0] == "AWSCURRENT")
        .unwrap();
    let store = Bench::plain(&id, "SecretsManager").await;
    let read = async |version: &str| {
        let reference = RemoteRef {
            version: Some(version.to_owned()),
            ..RemoteRef::key(&id)
        };
        store.get(&reference).await
    };

    let previous = read("AWSPREVIOUS").await.unwrap();
    let by_id = read(&format!("uuid/{current}")).await.unwrap();
    let unknown = read("NOSUCHSTAGE").await.unwrap_err();

    assert_eq!(previous.expose(), b"first");
    assert_eq!(by_id.expose(), b"second");
    assert_eq!(unknown.to_string(), "Secret does not exist");
    assert_eq!(unknown.kind(), &ErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_value_is_another_version_and_a_secret_that_goes_has_none() {
    let id = word("probe");
    create(&id, "first");
    let store = Bench::plain(&id, "SecretsManager").await;
    let version = async || store.version(&RemoteRef::key(&id), true).await;
    let call = |action: &str, more: serde_json::Value| {
        let mut parameters = json!({ "SecretId": id });
        let all = parameters.as_object_mut().unwrap();
        all.extend(more.as_object().unwrap().clone());
        moto().call(action, &parameters).unwrap()
    };

    let first = version().await.unwrap().unwrap();
    call(
        "secretsmanager.TagResource",
        json!({ "Tags": [{ "Key": "a", "Value": "b" }] }),
    );
    assert_eq!(version().await.unwrap().as_ref(), Some(&first));
    call(
        "secretsmanager.PutSecretValue",
        json!({ "SecretString": "second" }),
    );
    let second = version().await.unwrap().unwrap();
    assert_ne!(second, first);
    let back = json!({
        "VersionStage": "AWSCURRENT", "MoveToVersionId": first, "RemoveFromVersionId": second,
    });
    call("secretsmanager.UpdateSecretVersionStage", back);
    assert_eq!(version().await.unwrap().as_ref(), Some(&first));
    call(
        "secretsmanager.DeleteSecret",
        json!({ "RecoveryWindowInDays": 7 }),
    );
    assert_eq!(version().await.unwrap(), None);
    let missing = RemoteRef::key(format!("{id}/none"));
    let error = store.version(&missing, true).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::NotFound);
    assert_eq!(seen(&id), ["DescribeSecret"; 6]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scheduled_deletion_is_named_with_its_date_and_is_no_absence() {
    let id = word("scheduled");
    create(&id, "x");
    let delete = json!({ "SecretId": id, "RecoveryWindowInDays": 7 });
    moto().call("secretsmanager.DeleteSecret", &delete).unwrap();
    let store = Bench::plain(&id, "SecretsManager").await;

    let error = store.get(&RemoteRef::key(&id)).await.unwrap_err();

    let ErrorKind::Tombstoned(tombstone) = error.kind() else {
        panic!("{error:?}");
    };
    assert!(tombstone.until.is_some());
    assert!(!error.consequence().absent);
    let text = error.to_string();
    assert!(text.contains("scheduled for deletion on 20"), "{text}");
    assert!(text.contains("aws secretsmanager restore-secret"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_references_are_told_without_asking_aws() {
    let id = word("bad");
    let store = Bench::plain(&id, "SecretsManager").await;
    let other = format!("arn:aws:secretsmanager:eu-west-1:123456789012:secret:{id}-AbCdEf");

    for (key, wanted) in [
        (format!("arn:aws:{id}"), "is not an ARN of secretsmanager"),
        (
            format!("arn:aws:s3:::{id}"),
            "is not an ARN of secretsmanager",
        ),
        (other, "is in region \"eu-west-1\""),
    ] {
        let error = store.get(&RemoteRef::key(key)).await.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
        assert!(error.to_string().contains(wanted), "{error}");
    }
    assert!(seen(&id).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn values_that_are_no_json_object_fail_without_being_shown() {
    let id = word("shape");
    create(&id, "k7canary0f [1");
    let store = Bench::plain(&id, "SecretsManager").await;

    let map = store.get_map(&RemoteRef::key(&id)).await.unwrap_err();
    let property = store.get(&RemoteRef::key(&id).property("a")).await;
    let property = property.unwrap_err();

    assert!(
        map.to_string()
            .starts_with(&format!("unable to unmarshal secret {id}: "))
    );
    assert_eq!(
        property.to_string(),
        format!("key a does not exist in secret {id}")
    );
    assert!(!property.consequence().absent && !map.consequence().absent);
    assert!(!format!("{map:?} {property:?}").contains("k7canary0f"));
}

#[tokio::test(flavor = "multi_thread")]
async fn tags_are_read_as_metadata_and_a_missing_secret_is_missing() {
    let id = word("tags");
    let tagged =
        json!({ "Name": id, "SecretString": "x", "Tags": [{ "Key": "team", "Value": "a<b" }] });
    moto().call("secretsmanager.CreateSecret", &tagged).unwrap();
    let store = Bench::plain(&id, "SecretsManager").await;
    let fetch = |key: &str| RemoteRef {
        metadata: MetadataPolicy::Fetch,
        ..RemoteRef::key(key)
    };

    let all = store.get(&fetch(&id)).await.unwrap();
    let one = store.get(&fetch(&id).property("team")).await.unwrap();
    let missing = store.get(&fetch("tags-never")).await.unwrap_err();

    assert_eq!(all.expose(), br#"{"team":"a\u003cb"}"#);
    assert_eq!(one.expose(), b"a<b");
    assert_eq!(missing.kind(), &ErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_combine_name_tags_and_path() {
    let id = word("find");
    for (name, team) in [("app/one", "a"), ("app/two", "b"), ("other/one", "a")] {
        let secret = json!({
            "Name": format!("{id}/{name}"),
            "SecretString": name,
            "Tags": [{ "Key": "team", "Value": format!("{id}-{team}") }],
        });
        moto().call("secretsmanager.CreateSecret", &secret).unwrap();
    }
    let store = Bench::plain(&id, "SecretsManager").await;
    let find = async |name: Option<&str>, team: Option<&str>, path: Option<&str>| {
        let find = Find {
            name: name.map(|name| format!("^{id}/.*{name}")),
            tags: team.map(|team| BTreeMap::from([("team".to_owned(), format!("{id}-{team}"))])),
            path: path.map(|path| format!("{id}/{path}")),
            ..Find::default()
        };
        let found = store.find(&find).await.unwrap();
        let names = found
            .keys()
            .map(|name| name.replacen(&format!("{id}/"), "", 1));
        names.collect::<Vec<_>>()
    };

    assert_eq!(
        find(Some("one"), None, None).await,
        ["app/one", "other/one"]
    );
    assert_eq!(find(None, Some("a"), None).await, ["app/one", "other/one"]);
    assert_eq!(find(Some("app"), Some("a"), None).await, ["app/one"]);
    assert_eq!(find(None, Some("a"), Some("app")).await, ["app/one"]);
    assert_eq!(find(Some("t"), None, Some("app")).await, ["app/two"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn throttling_is_repeated_as_often_as_the_store_says() {
    let id = word("throttle");
    create(&id, "x");
    let settings = |most| RetrySettings {
        max_retries: Some(most),
        interval: Some(std::time::Duration::from_millis(1)),
    };
    // A server of its own, so that no other test meets the faults.
    let own = lockstep_testkit::moto::Moto::start().unwrap();
    let secret = json!({ "Name": id, "SecretString": "x" });
    own.call("secretsmanager.CreateSecret", &secret).unwrap();
    let throttled = |times| Fault {
        action: "GetSecretValue",
        status: 400,
        code: "ThrottlingException",
        message: "Rate exceeded",
        times,
    };
    let once = Bench::new(&own, &id, "any").with_retry(settings(1));
    let thrice = Bench::new(&own, &id, "any").with_retry(settings(3));

    own.inject(throttled(1));
    let store = once.connect(spec("SecretsManager")).await.unwrap();
    let error = store.get(&RemoteRef::key(&id)).await.unwrap_err();
    own.inject(throttled(2));
    let store = thrice.connect(spec("SecretsManager")).await.unwrap();
    let value = store.get(&RemoteRef::key(&id)).await.unwrap();

    assert_eq!(error.kind(), &ErrorKind::Throttled);
    let text = error.to_string();
    assert!(
        text.contains("exceeded maximum number of attempts, 1"),
        "{text}"
    );
    assert!(
        text.contains("api error ThrottlingException: Rate exceeded"),
        "{text}"
    );
    assert_eq!(value.expose(), b"x");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kms_failure_is_a_denial_that_names_the_key_rights() {
    let own = lockstep_testkit::moto::Moto::start().unwrap();
    own.inject(Fault {
        action: "GetSecretValue",
        status: 400,
        code: "DecryptionFailure",
        message: "Secrets Manager can't decrypt the secret value",
        times: 1,
    });
    let bench = Bench::new(&own, "kms", "any");
    let store = bench.connect(spec("SecretsManager")).await.unwrap();

    let error = store.get(&RemoteRef::key("k")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Denied);
    assert!(error.to_string().contains("kms:Decrypt"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_does_not_answer_is_unreachable() {
    let mut bench = Bench::new(moto(), "lost", "any").with_retry(RetrySettings {
        max_retries: Some(1),
        interval: None,
    });
    bench = Bench::over(
        std::sync::Arc::clone(&bench.objects),
        std::sync::Arc::clone(&bench.objects) as _,
        [("AWS_SECRETSMANAGER_ENDPOINT", "http://127.0.0.1:9")]
            .into_iter()
            .collect(),
        false,
    )
    .with_retry(RetrySettings {
        max_retries: Some(1),
        interval: None,
    });
    let store = bench.connect(spec("SecretsManager")).await.unwrap();

    let error = store.get(&RemoteRef::key("k")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unreachable);
    assert!(error.to_string().contains("http://127.0.0.1:9"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_credentials_are_named_and_are_the_users_to_mend() {
    let bench = Bench::new(moto(), "missing", "any");
    let mut no_key = spec("SecretsManager");
    no_key["auth"]["secretRef"]["secretAccessKeySecretRef"]["key"] = "nope".into();
    let mut no_secret = spec("SecretsManager");
    no_secret["auth"]["secretRef"]["accessKeyIDSecretRef"]["name"] = "nope".into();

    let no_key = bench.connect(no_key).await.err().unwrap();
    let no_secret = bench.connect(no_secret).await.err().unwrap();

    let no_key = no_key.to_string();
    let missing = "unable to create session: could not fetch SecretAccessKey secret: cannot find secret \
                   data for key: \"nope\" in Secret ";
    assert!(no_key.starts_with(missing), "{no_key}");
    assert_eq!(
        no_secret.to_string(),
        format!(
            "unable to create session: could not fetch accessKeyID secret: cannot get Kubernetes \
             secret \"nope\" from namespace {NAMESPACE:?}: secrets \"nope\" not found"
        )
    );
    assert_eq!(no_secret.kind(), &ErrorKind::InvalidSpec);
}
