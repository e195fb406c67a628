//! `lockstep takeover --start`: scales our Deployment up, waits for it and proves that no Secret moved. The
//! test plays the kubelet: it starts a real operator and marks the Deployment's pod as ready.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::ControlPlane;
use lockstep_testkit::operator::Operator;
use serde_json::{Value, json};

use crate::command::{Ran, run};
use crate::process::{operator, until};
use crate::recorded;
use crate::switch::{put_original, stopped};

const OURS: &str = "/apis/apps/v1/namespaces/recorded/deployments/lockstep";
const PODS: &str = "/api/v1/namespaces/recorded/pods";
const NAME: &str = "recorded/lockstep";

/// A cluster with what the original left, and our Deployment at rest.
struct Stage {
    plane: ControlPlane,
    api: Api,
    folder: tempfile::TempDir,
}

impl Stage {
    fn new(original: u32) -> Self {
        let plane = ControlPlane::start(None).unwrap();
        let upstream = lockstep_api::crds::compare::upstream().unwrap();
        let crds: Vec<Value> = upstream.into_values().collect();
        plane.install(&crds).unwrap();
        let api = plane.admin().unwrap();
        recorded::put(&api);
        put_original(&api, original);
        let labels = json!({"app": "lockstep"});
        let container = json!({"name": "lockstep", "image": "registry.local/lockstep:2.9.0"});
        api.apply(&json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "lockstep", "namespace": recorded::NAMESPACE},
            "spec": {
                "replicas": 0, "selector": {"matchLabels": labels},
                "template": {
                    "metadata": {"labels": labels},
                    "spec": {"automountServiceAccountToken": false, "containers": [container]},
                },
            },
        }))
        .unwrap();
        Self {
            plane,
            api,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn baseline(&self) -> PathBuf {
        self.folder.path().join("baseline.json")
    }

    fn run(&self, start: &str, patience: &str) -> Ran {
        let baseline = self.baseline().display().to_string();
        let words = [
            "takeover",
            "--start",
            start,
            "--patience",
            patience,
            "--baseline",
            &baseline,
        ];
        run(&self.plane.admin_kubeconfig(), &words, "")
    }

    /// Starts the command and does not wait for it.
    fn spawn(&self, patience: &str) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
        command
            .args(["takeover", "--start", NAME, "--patience", patience])
            .arg("--baseline")
            .arg(self.baseline())
            .arg("--kubeconfig")
            .arg(self.plane.admin_kubeconfig());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    fn replicas(&self) -> Value {
        self.api.get(OURS).unwrap()["spec"]["replicas"].clone()
    }

    fn scaled_up(&self) {
        until("the scaling of our Deployment", || {
            let replicas = self.replicas();
            if replicas == 1 {
                Ok(replicas)
            } else {
                Err(replicas)
            }
        });
    }

    /// Does what a kubelet does once our Deployment has a pod: runs the operator, then says that the pod
    /// is ready.
    fn kubelet(&self) -> Operator {
        self.scaled_up();
        let mut running = operator(&self.plane, &["--enable-leader-election"]);
        running.healthy().unwrap();
        let pod = until("a pod of our Deployment", || {
            let pods = self
                .api
                .get(&format!("{PODS}?labelSelector=app%3Dlockstep"));
            let first = pods.unwrap()["items"][0].clone();
            if first.is_object() {
                Ok(first)
            } else {
                Err(first)
            }
        });
        let name = pod["metadata"]["name"].as_str().unwrap();
        let ready = json!({"type": "Ready", "status": "True",
            "lastTransitionTime": "2026-01-01T00:00:00Z"});
        let status = json!({"status": {"phase": "Running", "conditions": [ready]}});
        self.api
            .merge(&format!("{PODS}/{name}/status"), &status)
            .unwrap();
        running
    }
}

fn ended(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_start_waits_for_the_operator_and_proves_that_no_secret_moved() {
    let stage = Stage::new(0);
    let before = recorded::versions(&stage.api);

    let command = stage.spawn("20");
    let mut running = stage.kubelet();
    let taken = ended(command);

    assert_eq!(taken.code, 0, "{taken:?}");
    for line in [
        "ok   Deployment recorded/lockstep can be started",
        "did  scaled deployment recorded/lockstep up",
        "did  started deployment recorded/lockstep",
        "ok   7 of 7 Secrets have the resourceVersion they had",
    ] {
        assert!(taken.out.contains(line), "{}", taken.out);
    }
    taken.shows_no("user=u pass=p");
    assert_eq!(recorded::versions(&stage.api), before);
    running.check().unwrap();
}

#[test]
fn a_start_is_refused_while_the_original_runs_or_another_deployment_is_meant() {
    let stage = Stage::new(1);

    let beside = stage.run(NAME, "5");
    let slip = stage.run("recorded/lokstep", "5");
    stopped(&stage.api);
    let theirs = stage.run("recorded/external-secrets", "5");
    let shape = stage.run("lockstep", "5");

    for (ran, text) in [
        (&beside, "no   the original still runs"),
        (&slip, "did you mean recorded/lockstep?"),
        (&theirs, "no   the Deployment to start is the original's"),
    ] {
        assert_eq!(ran.code, 4, "{ran:?}");
        assert!(ran.out.contains(text), "{}", ran.out);
        assert!(
            ran.out.contains("refused: nothing was changed"),
            "{}",
            ran.out
        );
    }
    assert_eq!(shape.code, 2, "{shape:?}");
    assert_eq!(stage.replicas(), 0);
    assert!(!stage.baseline().exists());
}

#[test]
fn a_start_that_timed_out_or_was_interrupted_is_finished_by_repeating_it() {
    let stage = Stage::new(0);
    let before = recorded::versions(&stage.api);

    let late = stage.run(NAME, "1");
    assert_eq!(late.code, 3, "{late:?}");
    let text = "no pod of deployment recorded/lockstep became ready within 1s; it stays scaled up";
    assert!(late.out.contains(text), "{}", late.out);
    assert!(
        late.out.contains("run the same command again"),
        "{}",
        late.out
    );
    let noted = std::fs::read_to_string(stage.baseline()).unwrap();

    // Killed while it waits.
    let mut command = stage.spawn("60");
    stage.scaled_up();
    command.kill().unwrap();
    command.wait().unwrap();
    let _running = stage.kubelet();
    let taken = stage.run(NAME, "10");

    assert_eq!(taken.code, 0, "{taken:?}");
    for line in [
        "note Deployment recorded/lockstep runs already",
        "did  read the versions of 7 Secrets that were noted in",
        "ok   7 of 7 Secrets have the resourceVersion they had",
    ] {
        assert!(taken.out.contains(line), "{}", taken.out);
    }
    assert_eq!(std::fs::read_to_string(stage.baseline()).unwrap(), noted);
    assert_eq!(recorded::versions(&stage.api), before);
}
