//! Tags, labels and custom metadata of `lockstep backends`: `status` says which differ, `apply` sets them
//! without a new version of the value, and those of others stay, also when a value is written.

use lockstep_testkit::azure::Azure;
use lockstep_testkit::bao::Bao;
use lockstep_testkit::gcp::Google;
use lockstep_testkit::moto::Moto;
use serde_json::{Value, json};

use crate::backends_command::{CANARY, Desk};

/// A secret at its backend, past the command.
struct There {
    /// Tags by name.
    tags: Value,
    /// Number of versions that were ever written.
    versions: usize,
}

/// A backend as the test sees it.
struct Backend<'a> {
    desk: Desk,
    name: &'a str,
    /// Field of the entry's metadata that names tags.
    field: &'a str,
    look: &'a dyn Fn() -> There,
    /// Sets a tag that the manifest does not name.
    foreign: &'a dyn Fn(),
}

impl Backend<'_> {
    fn want(&self, team: &str, port: &str) {
        std::fs::write(self.desk.folder.path().join("port"), port).unwrap();
        self.desk.manifest(&json!([{
            "name": self.name, "metadata": { self.field: { "team": team } },
            "fields": [
                { "name": "user", "from": { "env": "APP_USER" } },
                { "name": "port", "from": { "file": "port" } },
            ],
        }]));
    }

    /// The first secret of the document that a verb prints.
    fn first(&self, arguments: &[&str]) -> (i32, Value) {
        let ran = self.desk.run(arguments);
        (ran.code, ran.json()["secrets"][0].clone())
    }
}

/// Tags alone, tags with a value, and tags of others.
fn tags_follow_the_manifest(backend: &Backend<'_>) {
    let apply = ["apply", "-f", "secrets.yaml"];
    let status = ["status", "-f", "secrets.yaml"];
    backend.want("blue", "1");
    let (code, created) = backend.first(&apply);
    assert_eq!(
        (code, &created["outcome"]),
        (0, &json!("changed")),
        "{created}"
    );
    let first = (backend.look)();
    assert_eq!(first.tags["team"], "blue", "{}", first.tags);
    assert_eq!(
        first.tags["managed-by"], "external-secrets",
        "{}",
        first.tags
    );
    (backend.foreign)();

    backend.want("green", "1");
    let (code, seen) = backend.first(&status);
    assert_eq!(
        (code, &seen["value"]["asDesired"]),
        (3, &json!(true)),
        "{seen}"
    );
    assert_eq!(
        seen["tags"],
        json!({ "asDesired": false, "differing": ["team"] })
    );
    let (code, tagged) = backend.first(&apply);
    assert_eq!((code, &tagged["actions"]), (0, &json!(["tag"])), "{tagged}");
    assert_eq!(
        tagged["reason"],
        "tag differs: team; the value is the desired one"
    );
    let second = (backend.look)();
    assert_eq!(second.tags["team"], "green", "{}", second.tags);
    assert_eq!(second.tags["foreign"], "stays", "{}", second.tags);
    assert_eq!(second.versions, first.versions);
    let (code, again) = backend.first(&apply);
    assert_eq!(
        (code, &again["outcome"]),
        (0, &json!("unchanged")),
        "{again}"
    );
    assert_eq!(backend.first(&status).0, 0);

    backend.want("red", "2");
    let (code, written) = backend.first(&apply);
    assert_eq!(
        (code, &written["outcome"]),
        (0, &json!("changed")),
        "{written}"
    );
    let third = (backend.look)();
    assert_eq!(third.tags["team"], "red", "{}", third.tags);
    assert_eq!(third.tags["foreign"], "stays", "{}", third.tags);
    assert_eq!(third.versions, first.versions + 1);
    assert_eq!(backend.first(&status).0, 0);
}

/// AWS's list of tags as an object.
fn by_name(tags: &Value) -> Value {
    let tags = tags.as_array().cloned().unwrap_or_default();
    let pairs = tags.iter().map(|tag| {
        let name = tag["Key"].as_str().unwrap_or_default().to_owned();
        (name, tag["Value"].clone())
    });
    Value::Object(pairs.collect())
}

#[test]
fn tags_of_secrets_manager_follow_the_manifest() {
    let moto = Moto::start().unwrap();
    let id = json!({ "SecretId": "app/db" });
    let look = || {
        let secret = moto.call("secretsmanager.DescribeSecret", &id).unwrap();
        let mut all = id.clone();
        all["IncludeDeprecated"] = true.into();
        let versions = moto.call("secretsmanager.ListSecretVersionIds", &all);
        There {
            tags: by_name(&secret["Tags"]),
            versions: versions.unwrap()["Versions"].as_array().unwrap().len(),
        }
    };
    let foreign = || {
        let tags = json!([{ "Key": "foreign", "Value": "stays" }]);
        let call = json!({ "SecretId": "app/db", "Tags": tags });
        moto.call("secretsmanager.TagResource", &call).unwrap();
    };

    tags_follow_the_manifest(&Backend {
        desk: Desk::aws(&moto, "SecretsManager"),
        name: "app/db",
        field: "tags",
        look: &look,
        foreign: &foreign,
    });
}

#[test]
fn tags_of_parameters_follow_the_manifest() {
    let moto = Moto::start().unwrap();
    let resource = json!({ "ResourceType": "Parameter", "ResourceId": "/app/db" });
    let look = || {
        let tags = moto.call("ssm.ListTagsForResource", &resource).unwrap();
        let name = json!({ "Name": "/app/db" });
        let parameter = moto.call("ssm.GetParameter", &name).unwrap();
        There {
            tags: by_name(&tags["TagList"]),
            versions: usize::try_from(parameter["Parameter"]["Version"].as_u64().unwrap()).unwrap(),
        }
    };
    let foreign = || {
        let mut call = resource.clone();
        call["Tags"] = json!([{ "Key": "foreign", "Value": "stays" }]);
        moto.call("ssm.AddTagsToResource", &call).unwrap();
    };

    tags_follow_the_manifest(&Backend {
        desk: Desk::aws(&moto, "ParameterStore"),
        name: "/app/db",
        field: "tags",
        look: &look,
        foreign: &foreign,
    });
}

#[test]
fn tags_of_key_vault_follow_the_manifest() {
    let azure = Azure::start().unwrap();
    let host = azure.host();
    let ask = |path: &str| azure.vault("GET", &host, path, &Value::Null).unwrap();
    let look = || There {
        tags: ask("/secrets/app-db")["tags"].clone(),
        versions: ask("/secrets/app-db/versions")["value"]
            .as_array()
            .unwrap()
            .len(),
    };
    let foreign = || {
        let mut tags = look().tags;
        tags["foreign"] = "stays".into();
        let body = json!({ "tags": tags });
        azure
            .vault("PATCH", &host, "/secrets/app-db", &body)
            .unwrap();
    };

    tags_follow_the_manifest(&Backend {
        desk: Desk::azure(&azure),
        name: "app-db",
        field: "tags",
        look: &look,
        foreign: &foreign,
    });
}

#[test]
fn labels_of_google_follow_the_manifest() {
    let google = Google::start().unwrap();
    let path = "projects/p/secrets/app-db";
    let look = || {
        let secret = google.call("GET", path, &Value::Null).unwrap();
        let versions = google.call("GET", &format!("{path}/versions"), &Value::Null);
        There {
            tags: secret["labels"].clone(),
            versions: versions.unwrap()["versions"].as_array().unwrap().len(),
        }
    };
    let foreign = || {
        let mut labels = look().tags;
        labels["foreign"] = "stays".into();
        let body = json!({ "labels": labels });
        let path = format!("{path}?updateMask=labels");
        google.call("PATCH", &path, &body).unwrap();
    };

    tags_follow_the_manifest(&Backend {
        desk: Desk::google(&google),
        name: "app-db",
        field: "labels",
        look: &look,
        foreign: &foreign,
    });
}

#[test]
fn custom_metadata_of_vault_follows_the_manifest() {
    let bao = Bao::start().unwrap();
    let look = || {
        let metadata = bao.call("GET", "kv/metadata/app/db", &Value::Null).unwrap();
        There {
            tags: metadata["data"]["custom_metadata"].clone(),
            versions: usize::try_from(metadata["data"]["current_version"].as_u64().unwrap())
                .unwrap(),
        }
    };
    let foreign = || {
        let mut custom = look().tags;
        custom["foreign"] = "stays".into();
        let body = json!({ "custom_metadata": custom });
        bao.call("PUT", "kv/metadata/app/db", &body).unwrap();
    };

    tags_follow_the_manifest(&Backend {
        desk: Desk::bao(&bao, "vault"),
        name: "app/db",
        field: "customMetadata",
        look: &look,
        foreign: &foreign,
    });
}

#[test]
fn tags_of_somebody_elses_secret_need_a_take_over() {
    let google = Google::start().unwrap();
    let desk = Desk::google(&google);
    let value = json!({ "user": CANARY }).to_string();
    let labels = json!({ "team": "red" });
    google
        .seed("projects/p", "theirs", &[value.as_bytes()], &labels)
        .unwrap();
    desk.manifest(&json!([{
        "name": "theirs", "metadata": { "labels": { "team": "blue" } },
        "fields": [{ "name": "user", "from": { "env": "APP_USER" } }],
    }]));

    let refused = desk.apply();
    let adopted = desk.run(&["apply", "-f", "secrets.yaml", "--adopt"]);

    assert_eq!((refused.code, &*refused.row("theirs").0), (4, "refused"));
    let adopted = adopted.json()["secrets"][0]["actions"].clone();
    assert_eq!(adopted, json!(["adopt", "tag"]));
}
