//! `lockstep backends` as a process, on moto, OpenBao and the test servers of Azure and Google: the
//! whole life of a secret, every tombstone, an interrupted run, and a store of the cluster. Nothing
//! that is printed or left in a file holds a value.

use std::path::Path;
use std::process::{Command, Stdio};

use lockstep_testkit::azure::{Azure, CLIENT, SECRET, TENANT};
use lockstep_testkit::bao::{Bao, ROOT};
use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::gcp::Google;
use lockstep_testkit::moto::{Moto, REGION};
use serde_json::{Value, json};

use crate::process::{Room, until};

/// A value that must never be seen.
pub(crate) const CANARY: &str = "canary-7d1b";
/// The account of Google's key.
const WRITER: &str = "writer@p.iam.gserviceaccount.com";

/// A folder with a store and a manifest, and the environment that leads to a test server.
pub(crate) struct Desk {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) environment: Vec<(String, String)>,
}

/// What a command left.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn json(&self) -> Value {
        let parsed = serde_json::from_str(&self.out);
        parsed
            .map_err(|_| format!("{}\n{}", self.out, self.err))
            .unwrap()
    }

    /// Outcome, state before and state after of a secret.
    pub(crate) fn row(&self, name: &str) -> (String, String, String) {
        let rows = self.json();
        let rows = rows["secrets"].as_array().unwrap().clone();
        let row = rows.iter().find(|row| row["name"] == name).unwrap().clone();
        let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        (
            word(&row["outcome"]),
            word(&row["before"]["state"]),
            word(&row["after"]["state"]),
        )
    }
}

impl Desk {
    fn new(provider: &Value, credentials: &[(&str, &str)], more: Vec<(String, String)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = json!({
            "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
            "metadata": { "name": "backend" }, "spec": { "provider": provider },
        });
        std::fs::write(folder.path().join("store.yaml"), store.to_string()).unwrap();
        let mut environment = more;
        for (key, value) in credentials {
            let name = format!("LOCKSTEP_SECRET_DEFAULT_CREDS_{}", key.to_uppercase());
            environment.push((name, (*value).to_owned()));
        }
        environment.push(("APP_USER".to_owned(), CANARY.to_owned()));
        Self {
            folder,
            environment,
        }
    }

    pub(crate) fn aws(moto: &Moto, service: &str) -> Self {
        let keys = json!({
            "accessKeyIDSecretRef": { "name": "creds", "key": "id" },
            "secretAccessKeySecretRef": { "name": "creds", "key": "secret" },
        });
        let aws = json!({ "service": service, "region": REGION, "auth": { "secretRef": keys } });
        let credentials = [("id", "AKIATEST"), ("secret", "test")];
        Self::new(&json!({ "aws": aws }), &credentials, moto.environment())
    }

    pub(crate) fn azure(azure: &Azure) -> Self {
        let reference = json!({
            "clientId": { "name": "creds", "key": "id" },
            "clientSecret": { "name": "creds", "key": "secret" },
        });
        let spec =
            json!({ "vaultUrl": azure.url(), "tenantId": TENANT, "authSecretRef": reference });
        let credentials = [("id", CLIENT), ("secret", SECRET)];
        Self::new(
            &json!({ "azurekv": spec }),
            &credentials,
            azure.environment(),
        )
    }

    pub(crate) fn google(google: &Google) -> Self {
        let key = json!({ "secretAccessKeySecretRef": { "name": "creds", "key": "key" } });
        let spec = json!({ "projectID": "p", "auth": { "secretRef": key } });
        let credentials = [("key", &*google.key(WRITER))];
        Self::new(
            &json!({ "gcpsm": spec }),
            &credentials,
            google.environment(),
        )
    }

    pub(crate) fn bao(bao: &Bao, provider: &str) -> Self {
        let auth = json!({ "tokenSecretRef": { "name": "creds", "key": "token" } });
        let spec = json!({ "server": bao.url(), "path": "kv", "version": "v2", "auth": auth });
        Self::new(&json!({ provider: spec }), &[("token", ROOT)], Vec::new())
    }

    /// Desired secrets, each with a user from the environment and a password that is made.
    pub(crate) fn want(&self, names: &[&str]) {
        let password = json!({ "generator": { "kind": "Password", "spec": { "length": 24 } } });
        let secrets = names.iter().map(|name| {
            json!({ "name": name, "description": "account of the application", "fields": [
                { "name": "user", "from": { "env": "APP_USER" } },
                { "name": "password", "from": password },
            ] })
        });
        self.manifest(&json!(secrets.collect::<Vec<_>>()));
    }

    pub(crate) fn manifest(&self, secrets: &Value) {
        let manifest =
            json!({ "apiVersion": "lockstep/v1", "kind": "BackendSecrets", "secrets": secrets });
        std::fs::write(
            self.folder.path().join("secrets.yaml"),
            manifest.to_string(),
        )
        .unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
        command
            .arg("backends")
            .args(arguments)
            .current_dir(self.folder.path())
            .env("KUBECONFIG", "/no/such/file")
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::null());
        command
    }

    /// Runs a verb on the store file with JSON output.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let tail = ["--store-file", "store.yaml", "--output", "json"];
        ended(self.command(&[arguments, &tail].concat()))
    }

    pub(crate) fn apply(&self) -> Ran {
        self.run(&["apply", "-f", "secrets.yaml"])
    }

    /// Reports that were left in the folder.
    pub(crate) fn reports(&self) -> Vec<Value> {
        let files = std::fs::read_dir(self.folder.path()).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        let reports = paths.filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with("backends-")
        });
        reports.map(|path| left(&path)).collect()
    }
}

fn left(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(!text.contains("canary"), "{text}");
    serde_json::from_str(&text).unwrap()
}

fn ended(mut command: Command) -> Ran {
    let output = command.output().unwrap();
    let ran = Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    };
    assert!(!ran.out.contains("canary"), "{}", ran.out);
    assert!(!ran.err.contains("canary"), "{}", ran.err);
    ran
}

fn row(outcome: &str, before: &str, after: &str) -> (String, String, String) {
    (outcome.to_owned(), before.to_owned(), after.to_owned())
}

/// What a backend leaves of a deleted secret.
struct Expected {
    deleted: &'static str,
    /// Whether the backend says when it will be gone.
    dated: bool,
}

/// From nothing to nothing: plan, apply, delete, restore, purge, each of them twice.
fn whole_life(desk: &Desk, name: &str, expected: &Expected) {
    desk.want(&[name]);
    let missing = desk.run(&["status", "-f", "secrets.yaml"]);
    assert_eq!(missing.code, 3, "{}", missing.err);
    let plan = desk.run(&["apply", "-f", "secrets.yaml", "--plan"]);
    assert_eq!(plan.row(name), row("planned", "Missing", "-"));

    let created = desk.apply();
    assert_eq!(created.row(name), row("changed", "Missing", "Available"));
    let again = desk.apply();
    assert_eq!(again.row(name), row("unchanged", "Available", "Available"));
    assert_eq!((created.code, again.code), (0, 0));
    let status = desk.run(&["status", "-f", "secrets.yaml"]);
    assert_eq!(status.code, 0, "{}", status.out);

    deletes(desk, name, expected);
    comes_back(desk, name, expected);
    purges(desk, name);
}

/// Deletes it, once and again, and leaves a report.
fn deletes(desk: &Desk, name: &str, expected: &Expected) {
    let refused = desk.run(&["delete", name]);
    assert_eq!(refused.code, 4, "{}", refused.err);
    assert!(
        refused.err.contains(&format!("--confirm {name}")),
        "{}",
        refused.err
    );
    assert!(desk.reports().is_empty());
    let deleted = desk.run(&["delete", name, "--confirm", name]);
    assert_eq!(
        deleted.row(name),
        row("changed", "Available", expected.deleted)
    );
    assert!(deleted.err.contains("restored until") || deleted.err.contains("UNRECOVERABLE"));
    let report = &desk.reports()[0];
    assert_eq!(
        (&report["complete"], &report["verb"]),
        (&json!(true), &json!("delete"))
    );
    let until = &report["secrets"][0]["after"]["until"];
    assert_eq!(until.is_string(), expected.dated, "{report}");
    let again = desk.run(&["delete", name, "--confirm", name]);
    assert_eq!(again.row(name).0, "unchanged");
}

/// Brings it back by an apply and by a restore, where the backend can.
fn comes_back(desk: &Desk, name: &str, expected: &Expected) {
    if expected.deleted == "Missing" {
        assert_eq!(desk.run(&["restore", name]).code, 4);
        assert_eq!(
            desk.apply().row(name),
            row("changed", "Missing", "Available")
        );
        return;
    }
    let status = desk.run(&["status", name]);
    assert_eq!(status.code, 3);
    assert_eq!(status.json()["secrets"][0]["state"], expected.deleted);
    let kept = desk.run(&["apply", "-f", "secrets.yaml", "--no-restore"]);
    assert_eq!((kept.code, &*kept.row(name).0), (4, "refused"));
    let applied = desk.apply();
    assert_eq!(
        applied.row(name),
        row("changed", expected.deleted, "Available")
    );
    // The password that was made before is still there: nothing had to be written.
    assert_eq!(applied.json()["secrets"][0]["actions"], json!(["restore"]));
    desk.run(&["delete", name, "--confirm", name]);
    let restored = desk.run(&["restore", name]);
    assert_eq!(
        restored.row(name),
        row("changed", expected.deleted, "Available")
    );
}

/// Ends it for good, once and again.
fn purges(desk: &Desk, name: &str) {
    assert_eq!(desk.run(&["purge", name]).code, 4);
    let purged = desk.run(&["purge", name, "--confirm", name]);
    assert_eq!(purged.row(name), row("changed", "Available", "Missing"));
    assert!(
        purged.err.contains("UNRECOVERABLE at once"),
        "{}",
        purged.err
    );
    assert_eq!(desk.run(&["restore", name]).code, 4);
    assert_eq!(
        desk.run(&["purge", name, "--confirm", name]).row(name).0,
        "unchanged"
    );
}

#[test]
fn secrets_manager_schedules_cancels_and_forces() {
    let moto = Moto::start().unwrap();
    let expected = Expected {
        deleted: "PendingDeletion",
        dated: true,
    };

    whole_life(&Desk::aws(&moto, "SecretsManager"), "app/db", &expected);
}

#[test]
fn parameters_are_gone_at_once() {
    let moto = Moto::start().unwrap();
    let expected = Expected {
        deleted: "Missing",
        dated: false,
    };

    whole_life(&Desk::aws(&moto, "ParameterStore"), "/app/db", &expected);
}

#[test]
fn key_vault_soft_deletes_recovers_and_purges() {
    let azure = Azure::start().unwrap();
    let expected = Expected {
        deleted: "PendingDeletion",
        dated: true,
    };

    whole_life(&Desk::azure(&azure), "app-db", &expected);
}

#[test]
fn google_disables_enables_and_deletes() {
    let google = Google::start().unwrap();
    let expected = Expected {
        deleted: "Disabled",
        dated: false,
    };

    whole_life(&Desk::google(&google), "app-db", &expected);
}

#[test]
fn vault_and_openbao_delete_undelete_and_remove() {
    for provider in ["vault", "openBao"] {
        let bao = Bao::start().unwrap();
        let expected = Expected {
            deleted: "PendingDeletion",
            dated: false,
        };

        whole_life(&Desk::bao(&bao, provider), "app/db", &expected);
    }
}

#[test]
fn purge_protection_is_explained_with_its_date() {
    let azure = Azure::start().unwrap();
    azure.protect(true);
    let desk = Desk::azure(&azure);
    desk.want(&["a"]);
    desk.apply();

    let live = desk.run(&["purge", "a", "--confirm", "a"]);
    desk.run(&["delete", "a", "--confirm", "a"]);
    let deleted = desk.run(&["purge", "a", "--confirm", "a"]);
    let applied = desk.apply();

    assert_eq!((live.code, deleted.code), (4, 4));
    assert_eq!(live.row("a").0, "refused");
    let reason = deleted.json()["secrets"][0]["reason"].clone();
    assert!(
        reason.as_str().unwrap().contains("not be purged until 20"),
        "{reason}"
    );
    assert_eq!(
        applied.row("a"),
        row("changed", "PurgeBlocked", "Available")
    );
}

#[test]
fn destroyed_and_missing_versions_are_written_anew() {
    let google = Google::start().unwrap();
    let desk = Desk::google(&google);
    let ours = json!({ "managed-by": "external-secrets" });
    google
        .seed("projects/p", "destroyed", &[b"old"], &ours)
        .unwrap();
    let path = "projects/p/secrets/destroyed/versions/1:destroy";
    google.call("POST", path, &json!({})).unwrap();
    google.seed("projects/p", "empty", &[], &ours).unwrap();
    google
        .seed("projects/p", "foreign", &[b"{}"], &json!({}))
        .unwrap();
    desk.want(&["destroyed", "empty", "foreign"]);

    let restored = desk.run(&["restore", "destroyed", "empty"]);
    let applied = desk.apply();
    let adopted = desk.run(&["apply", "-f", "secrets.yaml", "foreign", "--adopt"]);

    assert_eq!(restored.code, 4);
    assert_eq!(
        applied.row("destroyed"),
        row("changed", "Destroyed", "Available")
    );
    assert_eq!(
        applied.row("empty"),
        row("changed", "NoVersion", "Available")
    );
    assert_eq!((applied.code, &*applied.row("foreign").0), (4, "refused"));
    assert_eq!(
        adopted.row("foreign"),
        row("changed", "Available", "Available")
    );

    let bao = Bao::start().unwrap();
    let desk = Desk::bao(&bao, "vault");
    desk.want(&["a"]);
    desk.apply();
    let versions = json!({ "versions": [1] });
    bao.call("PUT", "kv/destroy/a", &versions).unwrap();
    assert_eq!(
        desk.apply().row("a"),
        row("changed", "Destroyed", "Available")
    );
}

#[test]
fn a_disabled_secret_of_azure_is_written_past_with_a_value_of_its_own() {
    let azure = Azure::start().unwrap();
    let desk = Desk::azure(&azure);
    desk.manifest(&json!([{ "name": "a", "value": { "env": "APP_USER" } }]));
    desk.apply();
    let off = json!({ "attributes": { "enabled": false } });
    azure
        .vault("PATCH", &azure.host(), "/secrets/a", &off)
        .unwrap();

    let applied = desk.apply();

    assert_eq!(applied.row("a"), row("changed", "Disabled", "Available"));
    let stored = azure.vault("GET", &azure.host(), "/secrets/a", &Value::Null);
    assert_eq!(stored.unwrap()["value"], CANARY);
}

#[test]
fn a_run_that_is_interrupted_is_finished_by_repeating_it() {
    let bao = Bao::start().unwrap();
    let desk = Desk::bao(&bao, "vault");
    let names: Vec<String> = (0..60).map(|at| format!("app/s{at:02}")).collect();
    let words: Vec<&str> = names.iter().map(String::as_str).collect();
    desk.want(&words);
    let arguments = [
        "apply",
        "-f",
        "secrets.yaml",
        "--concurrency",
        "1",
        "--store-file",
        "store.yaml",
        "-o",
        "json",
    ];
    let mut command = desk.command(&arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    until("a first write", || match bao.take_seen() {
        seen if seen.iter().any(|one| one.starts_with("PUT kv/data/")) => Ok(seen),
        seen => Err(seen),
    });

    let interrupt = format!("kill -INT {}", child.id());
    assert!(
        Command::new("sh")
            .args(["-c", &interrupt])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    let first: Value = serde_json::from_slice(&output.stdout).unwrap();
    let second = desk.apply();

    let count = |report: &Value, outcome: &str| {
        let rows = report["secrets"].as_array().unwrap();
        rows.iter().filter(|row| row["outcome"] == outcome).count()
    };
    let (done, open) = (count(&first, "changed"), count(&first, "not started"));
    assert_eq!(output.status.code(), Some(1));
    assert!(done > 0 && open > 0 && done + open == 60, "{done} {open}");
    assert_eq!(second.code, 0);
    let second = second.json();
    assert_eq!(
        (count(&second, "unchanged"), count(&second, "changed")),
        (done, open)
    );
}

#[test]
fn a_store_of_the_cluster_is_used_with_its_own_credentials() {
    let cluster = Cluster::shared().unwrap();
    let (room, bao) = (Room::new(cluster), Bao::start().unwrap());
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "creds" },
        "stringData": { "token": ROOT },
    }));
    let auth = json!({ "tokenSecretRef": { "name": "creds", "key": "token" } });
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": { "name": "bao" },
        "spec": { "controller": room.namespace, "provider": { "vault": {
            "server": bao.url(), "path": "kv", "version": "v2", "auth": auth } } },
    }));
    let desk = Desk::bao(&bao, "vault");
    desk.want(&["app/db"]);
    let kubeconfig = cluster.operator_kubeconfig();
    let run = |verb: &[&str], store: &str| {
        let place = ["-n", &room.namespace, "--store", store, "-o", "json"];
        let mut command = desk.command(&[verb, &place].concat());
        command.env("KUBECONFIG", &kubeconfig);
        ended(command)
    };

    let applied = run(&["apply", "-f", "secrets.yaml"], "bao");
    let missing = run(&["status"], "boa");

    assert_eq!(
        applied.row("app/db"),
        row("changed", "Missing", "Available")
    );
    assert_eq!(run(&["status"], "bao").code, 0);
    assert_eq!(missing.code, 3, "{}", missing.err);
    assert!(missing.err.contains("did you mean bao?"), "{}", missing.err);
}
