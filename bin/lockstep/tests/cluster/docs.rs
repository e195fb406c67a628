//! Every command that the pages on installing, moving and upgrading tell people to type is typed
//! here, into a shell with the real kubectl and Helm, against a real API server. No pod runs there;
//! releases whose pods run have tests of their own.

use std::path::Path;

use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::helm::Helm;
use lockstep_testkit::place;
use lockstep_testkit::terminal::Terminal;

use crate::helm::{original_chart, served};

/// Building an image takes an engine, which tests do without.
const LEFT_OUT: &str = "docker buildx build";

/// Every `$ …` command of a page, on one line, in order.
fn commands(page: &str) -> Vec<String> {
    let text = std::fs::read_to_string(place::workspace().join(page)).unwrap();
    let joined = text.replace("\\\n", " ");
    let lines = joined.lines().filter_map(|line| line.strip_prefix("$ "));
    lines
        .filter(|line| !line.starts_with(LEFT_OUT))
        .map(str::to_owned)
        .collect()
}

fn terminal(cluster: &Cluster) -> Terminal {
    let operator = Path::new(env!("CARGO_BIN_EXE_lockstep"));
    Terminal::on(&cluster.admin_kubeconfig(), operator).unwrap()
}

/// A cluster in which nothing is installed: the tests' own operator takes the chart's names.
fn blank() -> ControlPlane {
    let plane = ControlPlane::start(None).unwrap();
    let shell = terminal(&plane);
    for line in [
        "kubectl delete namespace external-secrets --wait",
        "kubectl delete clusterrole,clusterrolebinding external-secrets-controller",
    ] {
        shell.run(line).unwrap();
    }
    plane
}

#[test]
fn installing_with_helm_and_upgrading_work_as_the_pages_say() {
    let plane = blank();
    let shell = terminal(&plane);
    let install = commands("docs/install.md");
    let helm = install
        .iter()
        .find(|line| line.starts_with("helm "))
        .unwrap();
    shell.run(helm).unwrap();
    served(&plane.admin().unwrap());

    let upgrade = commands("docs/upgrade.md");
    assert!(upgrade.len() >= 8, "{upgrade:?}");
    shell
        .run("kubectl apply --filename examples/quickstart")
        .unwrap();
    for line in upgrade {
        let printed = shell.run(&line).unwrap();
        if line.contains("get crd") {
            assert_eq!(printed.lines().count(), 25, "{printed}");
        }
    }
}

#[test]
fn installing_with_kubectl_works_as_the_page_says() {
    let plane = blank();
    let shell = terminal(&plane);
    let mut typed = 0;
    for line in commands("docs/install.md") {
        if line.starts_with("kubectl ") {
            let printed = shell.run(&line).unwrap();
            assert!(!printed.is_empty(), "{line}");
            typed += 1;
        }
        // kubectl knows the new kinds when the API server serves them.
        if line.contains("apply -k") {
            served(&plane.admin().unwrap());
        }
    }
    assert_eq!(typed, 3);
    // What is there already is applied again without a change of mind.
    shell.run("kubectl apply -k deploy/kustomize").unwrap();
}

#[test]
fn moving_from_the_original_and_back_works_as_the_page_says() {
    let plane = blank();
    let shell = terminal(&plane);
    let original = tempfile::tempdir().unwrap();
    original_chart(original.path());
    let chart = original.path().display();
    let release = "external-secrets --namespace external-secrets";
    shell
        .run(&format!(
            "helm install {release} {chart} --create-namespace --set replicaCount=1"
        ))
        .unwrap();
    served(&plane.admin().unwrap());

    shell
        .run("kubectl apply --filename examples/quickstart")
        .unwrap();
    let commands = commands("docs/migrate.md");
    assert_eq!(commands.len(), 14, "{commands:?}");
    for line in commands {
        // What the check writes beside the manifests ends in a folder of its own.
        let line = line.replace("deployments.yaml", &format!("{chart}/deployments.yaml"));
        let line = line.replace(" values.yaml", &format!(" {chart}/given.yaml"));
        // After the way back there is no webhook configuration of ours to remove.
        let line = line.replace("kubectl delete ", "kubectl delete --ignore-not-found ");
        shell.run(&line).unwrap();
    }
}

#[test]
fn manifests_of_the_pages_are_whole_and_their_values_render() {
    let text = std::fs::read_to_string(place::workspace().join("docs/install.md")).unwrap();
    let blocks = text.split("```yaml\n").skip(1);
    let blocks: Vec<_> = blocks
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    let helm = Helm::ready().unwrap();
    let mut rendered = 0;
    for object in blocks
        .iter()
        .flat_map(|block| lockstep_testkit::manifest::parse(block).unwrap())
    {
        assert!(
            object["apiVersion"].is_string() && object["kind"].is_string(),
            "{object}"
        );
        let values = match object["kind"].as_str().unwrap() {
            "HelmRelease" => &object["spec"]["values"],
            "Application" => &object["spec"]["source"]["helm"]["valuesObject"],
            _ => continue,
        };
        let objects = helm
            .text(lockstep_testkit::helm::Render::default(), values)
            .unwrap();
        assert!(objects.contains("image: REPOSITORY:v2.9.0"), "{values}");
        rendered += 1;
    }
    assert_eq!(rendered, 2);
}
