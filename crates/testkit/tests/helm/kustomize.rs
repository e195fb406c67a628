//! The kustomize base is the chart with its defaults, and with an image that nobody can own. `LOCKSTEP_UPDATE=1 cargo test --package
//! lockstep-testkit --test helm kustomize` writes it anew.

use lockstep_testkit::helm::{Helm, Render};
use lockstep_testkit::{manifest, place};
use serde_json::{Value, json};

/// A name below `.invalid` resolves nowhere, so that no pod runs a stranger's image before it is replaced.
const IMAGE: &str = "set-your-image.invalid/lockstep";

const HEAD: &str =
    "# What the Helm chart renders with its defaults; written by its tests, do not edit.\n";

#[test]
fn the_kustomize_base_is_what_the_chart_renders() {
    let values = json!({"installCRDs": false, "image": {"repository": IMAGE}});
    let text = Helm::ready().unwrap().text(Render::default(), &values);
    let wanted: Vec<Value> = manifest::parse(&text.unwrap())
        .unwrap()
        .into_iter()
        .map(without_helm)
        .collect();
    let path = place::workspace().join("deploy/kustomize/operator.yaml");
    if std::env::var_os("LOCKSTEP_UPDATE").is_some() {
        let documents = wanted.iter().map(|object| {
            let text = serde_saphyr::to_string(object).unwrap();
            format!("---\n{text}")
        });
        let text: String = std::iter::once(HEAD.to_owned()).chain(documents).collect();
        std::fs::write(&path, text).unwrap();
    }

    assert_eq!(manifest::read(&path).unwrap(), wanted);
}

#[test]
fn the_base_names_the_crds_and_protects_them_from_pruning() {
    let folder = place::workspace().join("deploy");
    let base = crate::yaml(&folder.join("kustomize/kustomization.yaml"));
    let crds = crate::yaml(&folder.join("crds/kustomization.yaml"));

    assert_eq!(
        base["resources"],
        json!(["namespace.yaml", "../crds", "operator.yaml"])
    );
    assert_eq!(base["images"][0]["name"], IMAGE);
    let annotations = &crds["commonAnnotations"];
    assert_eq!(annotations["kustomize.toolkit.fluxcd.io/prune"], "disabled");
    assert_eq!(
        annotations["argocd.argoproj.io/sync-options"],
        "Prune=false,Delete=false"
    );
}

/// Helm's own labels say nothing where Helm is not used.
fn without_helm(mut object: Value) -> Value {
    for labels in ["/metadata/labels", "/spec/template/metadata/labels"] {
        if let Some(Value::Object(labels)) = object.pointer_mut(labels) {
            labels.remove("helm.sh/chart");
            labels.remove("app.kubernetes.io/managed-by");
        }
    }
    object
}
