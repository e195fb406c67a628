//! What people's runbooks ask kubectl, line by line as they wrote it, on a release that Flux
//! installed. Left out is what takes a kubelet, a metrics server or an image: `logs`, `top`, `run`.

use std::path::Path;
use std::time::Duration;

use lockstep_testkit::terminal::Terminal;
use serde_json::json;

use crate::layout::{external_secret, helm, namespace, store};
use crate::world::{World, until};

const MINUTES: Duration = Duration::from_mins(3);

/// A temporary object to see whether values arrive, as one types it.
const TRY_OUT: &str = "kubectl apply -f - <<'EOF'
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: test-kv-access
  namespace: external-secrets
spec:
  refreshInterval: 1m
  secretStoreRef:
    kind: ClusterSecretStore
    name: store
  target:
    name: test-kv-access
    creationPolicy: Owner
  data:
  - secretKey: pg-fqdn
    remoteRef:
      key: pg-fqdn
EOF";

#[test]
fn the_lines_of_runbooks_answer() {
    let mut world = World::new();
    world.write_crds("all/crds.yaml");
    world.write("all/namespace.yaml", &[namespace()]);
    world.write("all/helm.yaml", &helm(&world));
    world.write("all/objects.yaml", &[store(), external_secret()]);
    world.commit();
    world
        .flux()
        .kustomization("all", "./all", &json!({"wait": true}))
        .unwrap();
    world.converged(MINUTES);
    let release =
        "/apis/helm.toolkit.fluxcd.io/v2/namespaces/external-secrets/helmreleases/external-secrets";
    until("readiness of the HelmRelease", MINUTES, || {
        world.condition(release) == Some("True".to_owned())
    });
    let operator = Path::new(env!("CARGO_BIN_EXE_lockstep"));
    let shell = Terminal::on(world.kubeconfig(), operator).unwrap();
    let says = |line: &str, words: &[&str]| {
        let printed = shell.run(line).unwrap();
        for word in words {
            assert!(
                printed.contains(word),
                "`{line}` says no {word}:\n{printed}"
            );
        }
        printed
    };

    installed(&says);
    tried_out(&shell, &says);
    webhook(&says);
    objects(&shell, &says);
}

type Says<'a> = dyn Fn(&str, &[&str]) -> String + 'a;

/// Is it there, and is it ready?
fn installed(says: &Says<'_>) {
    says(
        "kubectl get pods -n external-secrets",
        &["external-secrets-webhook-", "1/1", "Running"],
    );
    says(
        "kubectl get helmrelease -n external-secrets",
        &["external-secrets", "True"],
    );
    says(
        "kubectl -n external-secrets get helmrelease external-secrets -o yaml | grep -A10 'conditions:'",
        &["status: \"True\""],
    );
    says(
        "kubectl -n external-secrets describe helmrelease external-secrets | tail -30",
        &["InstallSucceeded"],
    );
    says(
        "kubectl -n external-secrets get deployment,pods",
        &["deployment.apps/external-secrets-webhook"],
    );
    let crds = says("kubectl get crd | grep external-secrets", &[]);
    assert_eq!(crds.lines().count(), 25, "{crds}");
    says(
        "kubectl get clustersecretstore store",
        &["CAPABILITIES", "Valid", "True"],
    );
    says(
        "kubectl describe clustersecretstore store",
        &["Valid", "store validated"],
    );
    says(
        "kubectl get clustersecretstore store -o yaml | grep -A5 conditions",
        &["Ready"],
    );
}

/// Does a value arrive?
fn tried_out(shell: &Terminal, says: &Says<'_>) {
    shell.run(TRY_OUT).unwrap();
    let wait = "kubectl wait --for=condition=Ready externalsecret/test-kv-access -n external-secrets --timeout=60s";
    shell.run(wait).unwrap();
    says(
        "kubectl get externalsecret test-kv-access -n external-secrets",
        &[
            "STORETYPE",
            "ClusterSecretStore",
            "SecretSynced",
            "True",
            "1m",
        ],
    );
    let value = "kubectl get secret test-kv-access -n external-secrets -o jsonpath='{.data.pg-fqdn}' | base64 -d";
    assert_eq!(says(value, &[]), "db.example.org");
    shell
        .run("kubectl delete externalsecret test-kv-access -n external-secrets")
        .unwrap();
}

/// Is the webhook there, and does it come back?
fn webhook(says: &Says<'_>) {
    let pods = "-n external-secrets pods -l app.kubernetes.io/component=webhook";
    says(&format!("kubectl get {pods}"), &["1/1"]);
    says(
        "kubectl get validatingwebhookconfiguration externalsecret-validate -o yaml | grep caBundle | head -1",
        &["caBundle: "],
    );
    says(&format!("kubectl delete {pods}"), &["deleted"]);
    says(
        "kubectl -n external-secrets rollout status deployment/external-secrets-webhook --timeout=120s",
        &["successfully rolled out"],
    );
}

/// Which objects are not in sync, and has the controller restarted?
fn objects(shell: &Terminal, says: &Says<'_>) {
    let others = says(
        "kubectl get externalsecret -A | grep -v Synced",
        &["NAMESPACE"],
    );
    assert_eq!(others.lines().count(), 1, "{others}");
    says(
        "kubectl describe externalsecret es -n external-secrets | grep -A5 'Status:'",
        &["Conditions:"],
    );
    assert_eq!(
        says("kubectl get externalsecret -A --no-headers | wc -l", &[]).trim(),
        "1"
    );
    let state = "kubectl -n external-secrets get pods -l app.kubernetes.io/component=controller -o jsonpath='{.items[*].status.containerStatuses[*].lastState}'";
    assert_eq!(says(state, &[]), "{}");
    let last = "kubectl -n external-secrets describe pod -l app.kubernetes.io/component=controller | grep -A3 'Last State'";
    assert!(shell.run(last).is_err(), "no controller has ended");
}
