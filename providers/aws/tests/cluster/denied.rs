//! What IAM refuses, on a server that checks signatures and policies.

use lockstep_provider_api::{ErrorKind, Find, RemoteRef};
use lockstep_testkit::moto::{Keys, Moto};
use serde_json::{Value, json};

use crate::bench::{Bench, push, spec};

struct Checked {
    moto: Moto,
    nothing: Keys,
    reader: Keys,
    single: Keys,
    plain: Keys,
}

fn allow(actions: &[&str]) -> Value {
    json!({
        "Version": "2012-10-17",
        "Statement": [{ "Effect": "Allow", "Action": actions, "Resource": "*" }],
    })
}

fn checked() -> Checked {
    let moto = Moto::start().unwrap();
    for name in ["a", "b"] {
        let secret = json!({ "Name": name, "SecretString": name });
        moto.call("secretsmanager.CreateSecret", &secret).unwrap();
        let parameter = json!({ "Name": format!("/p/{name}"), "Value": name, "Type": "String" });
        moto.call("ssm.PutParameter", &parameter).unwrap();
    }
    let user = |name, actions: &[&str]| moto.user(name, &allow(actions)).unwrap();
    let nothing = user("nothing", &["sts:GetCallerIdentity"]);
    let reader = user("reader", &["secretsmanager:*"]);
    let single = user(
        "single",
        &[
            "secretsmanager:GetSecretValue",
            "secretsmanager:DescribeSecret",
            "ssm:GetParameter",
            "ssm:DescribeParameters",
        ],
    );
    let plain = user("plain", &["secretsmanager:GetSecretValue"]);
    moto.check_access().unwrap();
    Checked {
        moto,
        nothing,
        reader,
        single,
        plain,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_name_secret_region_identity_and_action() {
    let server = checked();
    let bench = Bench::new(&server.moto, &server.nothing.id, &server.nothing.secret);
    let store = bench.connect(spec("SecretsManager")).await.unwrap();

    let error = store.get(&RemoteRef::key("a")).await.unwrap_err();
    let write = store.push(&push("new", "v")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Denied);
    let text = error.to_string();
    for part in [
        "operation error Secrets Manager: GetSecretValue, https response error StatusCode: 400",
        "api error AccessDeniedException: User: arn:aws:iam::123456789012:user/nothing",
        "secret \"a\" in region us-east-1",
        "as the keys of Secret \"creds\"",
        "allow the IAM action secretsmanager:GetSecretValue",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
    assert_eq!(write.kind(), &ErrorKind::Denied);
    assert!(
        write.to_string().contains("secretsmanager:DescribeSecret"),
        "{write}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn signatures_are_accepted_and_wrong_keys_are_not() {
    let server = checked();
    let good = Bench::new(&server.moto, &server.reader.id, &server.reader.secret);
    let wrong_key = Bench::new(&server.moto, &server.reader.id, "wrong");
    let wrong_id = Bench::new(&server.moto, "AKIAWRONGWRONGWRONG1", "wrong");

    let store = good.connect(spec("SecretsManager")).await.unwrap();
    let value = store.get(&RemoteRef::key("a")).await.unwrap();

    assert_eq!(value.expose(), b"a");
    for bench in [wrong_key, wrong_id] {
        let store = bench.connect(spec("SecretsManager")).await.unwrap();
        let error = store.get(&RemoteRef::key("a")).await.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Unauthenticated, "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_right_to_batches_secrets_are_read_one_by_one() {
    let server = checked();
    let bench = Bench::new(&server.moto, &server.single.id, &server.single.secret);
    let store = bench.connect(spec("SecretsManager")).await.unwrap();
    let references = ["a", "b"].map(RemoteRef::key);
    server.moto.take_seen();

    let first = store.get_many(&references).await;
    let requests = server.moto.take_seen().len();
    // The refusal is remembered beyond the connection.
    let store = bench.connect(spec("SecretsManager")).await.unwrap();
    let second = store.get_many(&references).await;

    for answers in [first, second] {
        assert_eq!(answers[0].as_ref().unwrap().expose(), b"a");
        assert_eq!(answers[1].as_ref().unwrap().expose(), b"b");
    }
    assert_eq!(requests, 3);
    assert_eq!(server.moto.take_seen().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_that_may_not_be_read_is_described_and_read_one_by_one() {
    let server = checked();
    let bench = Bench::new(&server.moto, &server.single.id, &server.single.secret);
    let store = bench.connect(spec("ParameterStore")).await.unwrap();
    let find = Find {
        name: Some(".*".to_owned()),
        path: Some("/p".to_owned()),
        ..Find::default()
    };

    let found = store.find(&find).await.unwrap();

    assert_eq!(found.keys().collect::<Vec<_>>(), ["/p/a", "/p/b"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_right_to_describe_there_is_no_version_and_that_is_remembered() {
    let server = checked();
    let bench = Bench::new(&server.moto, &server.plain.id, &server.plain.secret);
    server.moto.take_seen();

    for _ in 0..2 {
        let store = bench.connect(spec("SecretsManager")).await.unwrap();
        let version = store.version(&RemoteRef::key("a"), true).await;
        assert_eq!(version.unwrap(), None);
    }

    let seen = server.moto.take_seen().into_iter();
    let seen: Vec<String> = seen.map(|one| one.action).collect();
    assert_eq!(seen, ["DescribeSecret"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_of_secrets_that_are_due_together_are_told_only_without_the_right_to_batches() {
    let server = checked();
    let versions = async |keys: &Keys| {
        let bench = Bench::new(&server.moto, &keys.id, &keys.secret);
        let store = bench.connect(spec("SecretsManager")).await.unwrap();
        let references = ["a", "b"].map(RemoteRef::key);
        for answer in store.get_many(&references).await {
            answer.unwrap();
        }
        server.moto.take_seen();
        let version = store.version(&references[0], false).await.unwrap();
        (version.is_some(), server.moto.take_seen().len())
    };

    assert_eq!(versions(&server.reader).await, (false, 0));
    assert_eq!(versions(&server.single).await, (true, 1));
}
