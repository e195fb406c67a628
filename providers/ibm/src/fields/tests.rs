//! What references read out of secrets of each type.

use serde_json::json;

use super::*;

fn fields(kind: &str, extra: serde_json::Value) -> Fields {
    let mut secret = json!({
        "secret_type": kind,
        "created_at": "2024-01-02T03:04:05Z",
        "labels": [],
        "custom_metadata": {"a": {"b": 1}},
        "versions_total": 1,
        "new_field": "x",
    });
    let extra = extra.as_object().unwrap().clone();
    secret.as_object_mut().unwrap().extend(extra);
    Fields::read(&secret.to_string().as_str().into()).unwrap()
}

fn text(value: Result<SecretValue>) -> String {
    value.unwrap().expose_utf8().unwrap().to_owned()
}

fn pairs(map: &SecretMap) -> Vec<String> {
    let shown =
        |(name, value): (&str, &SecretValue)| format!("{name}={}", value.expose_utf8().unwrap());
    map.iter().map(shown).collect()
}

#[test]
fn each_type_has_its_value() {
    let of = |kind: &str, extra, property: &str| {
        let reference = RemoteRef::key(format!("{kind}/id")).property(property);
        text(fields(kind, extra).value(&reference))
    };

    assert_eq!(of("arbitrary", json!({"payload": "p"}), "ignored"), "p");
    assert_eq!(of("iam_credentials", json!({"api_key": "k"}), ""), "k");
    assert_eq!(
        of(
            "service_credentials",
            json!({"credentials": {"b": "<", "a": 1}}),
            ""
        ),
        r#"{"a":1,"b":"\u003c"}"#
    );
    assert_eq!(
        of("username_password", json!({"password": "s"}), "password"),
        "s"
    );
    assert_eq!(
        of("public_cert", json!({"certificate": "c"}), "created_at"),
        "2024-01-02T03:04:05.000Z"
    );
    let data = json!({"data": {"a.b": "dotted", "a": {"b": "deep", "n": 1.50}}});
    assert_eq!(of("kv", data.clone(), "a.b"), "dotted");
    assert_eq!(of("kv", data, "a.n"), "1.5");
}

#[test]
fn an_imported_certificate_may_lack_its_chain_and_key() {
    let fields = fields("imported_cert", json!({"certificate": "c"}));
    let reference = RemoteRef::key("imported_cert/id");

    assert_eq!(
        text(fields.value(&reference.clone().property("private_key"))),
        ""
    );
    let members = fields.members(&reference).unwrap();
    assert_eq!(
        pairs(&members),
        ["certificate=c", "intermediate=", "private_key="]
    );
    let error = fields.value(&reference.property("csr")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "key csr does not exist in secret imported_cert/id"
    );
    assert!(!error.consequence().absent);
}

#[test]
fn a_map_has_the_fixed_names_of_the_type() {
    let of = |kind: &str, extra| {
        let reference = RemoteRef::key(format!("{kind}/id"));
        pairs(&fields(kind, extra).members(&reference).unwrap())
    };

    assert_eq!(of("arbitrary", json!({"payload": "p"})), ["arbitrary=p"]);
    assert_eq!(of("iam_credentials", json!({"api_key": "k"})), ["apikey=k"]);
    assert_eq!(
        of(
            "service_credentials",
            json!({"credentials": {"apikey": "k"}})
        ),
        ["credentials=map[apikey:k]"]
    );
    assert_eq!(
        of("kv", json!({"data": {"n": 7, "o": {"x": true}}})),
        ["n=7", r#"o={"x":true}"#]
    );
}

#[test]
fn fetched_metadata_is_printed_as_go_prints_it() {
    let fields = fields(
        "username_password",
        json!({"username": "u", "password": "p"}),
    );
    let reference = RemoteRef {
        metadata: MetadataPolicy::Fetch,
        ..RemoteRef::key("username_password/id")
    };

    let members = fields.members(&reference).unwrap();

    assert_eq!(
        pairs(&members),
        [
            "created_at=2024-01-02T03:04:05.000Z",
            "created_by=<nil>",
            "crn=<nil>",
            "custom_metadata=map[a:map[b:1]]",
            "id=<nil>",
            "password=p",
            "rotation=<nil>",
            "secret_group_id=<nil>",
            "secret_type=username_password",
            "updated_at=<nil>",
            "username=u",
            "versions_total=1",
        ]
    );
}

#[test]
fn a_secret_without_a_known_type_is_refused() {
    let read = |body: &str| Fields::read(&body.into()).err().unwrap().to_string();

    assert_eq!(
        read("{}"),
        "required discriminator property 'secret_type' not found in JSON object"
    );
    assert_eq!(
        read(r#"{"secret_type":"new"}"#),
        "unrecognized value for discriminator property 'secret_type': new"
    );
}
