//! The image: there is no default, what cannot work is refused, and every refusal says what to set.

use lockstep_testkit::helm::find;
use serde_json::{Value, json};

use crate::{rendered, try_rendered};

const ORIGINAL: &str = "ghcr.io/external-secrets/external-secrets";

fn images(values: &Value) -> [String; 3] {
    let certificates = json!({"certController": {"create": true}});
    let objects = rendered(&crate::merged(&certificates, values));
    ["", "-webhook", "-cert-controller"].map(|part| {
        let deployment = find(&objects, "Deployment", &format!("external-secrets{part}")).unwrap();
        let image = &deployment["spec"]["template"]["spec"]["containers"][0]["image"];
        image.as_str().unwrap().to_owned()
    })
}

fn refused(values: &Value, parts: &[&str]) {
    let error = try_rendered(values).unwrap_err().to_string();
    for part in parts {
        assert!(error.contains(part), "{part} in {error}");
    }
}

#[test]
fn without_a_repository_nothing_is_rendered_and_the_message_says_what_to_set() {
    refused(
        &json!({"image": {"repository": ""}}),
        &["image.repository is not set", "--set image.repository="],
    );
    // CRDs and rights alone need no image.
    try_rendered(&json!({
        "image": {"repository": ""}, "createOperator": false, "webhook": {"create": false},
    }))
    .unwrap();
}

#[test]
fn one_repository_and_tag_are_enough_for_all_components() {
    assert_eq!(
        images(&json!({"image": {"repository": "r"}})),
        ["r:v2.9.0"; 3]
    );
    assert_eq!(
        images(&json!({"image": {"repository": "r", "tag": "v1"}})),
        ["r:v1"; 3]
    );
    let own = json!({
        "image": {"repository": "r", "tag": "v1"}, "webhook": {"image": {"repository": "w"}},
        "certController": {"image": {"tag": "v3"}},
    });
    assert_eq!(images(&own), ["r:v1", "w:v2.9.0", "r:v3"]);
    let global = json!({
        "global": {"repository": "g"}, "webhook": {"image": {"repository": ORIGINAL}},
    });
    assert_eq!(images(&global), ["g:v2.9.0"; 3]);
}

#[test]
fn the_original_image_is_refused_with_the_value_that_names_it() {
    let reason = "External Secrets Operator's image";
    refused(
        &json!({"image": {"repository": ORIGINAL}}),
        &[&format!("image.repository is {ORIGINAL}"), reason],
    );
    refused(
        &json!({"webhook": {"image": {"repository": ORIGINAL}}}),
        &[&format!("webhook.image.repository is {ORIGINAL}"), reason],
    );
    let mirror = "mirror.example/external-secrets/external-secrets";
    refused(
        &json!({"global": {"repository": mirror}}),
        &[&format!("global.repository is {mirror}"), reason],
    );
}

#[test]
fn flavours_that_nobody_builds_are_refused() {
    refused(
        &json!({"image": {"flavour": "ubi"}}),
        &["image.flavour is ubi", "no flavours", "image.tag"],
    );
    refused(
        &json!({"webhook": {"image": {"flavour": "ubi-boringssl"}}}),
        &["webhook.image.flavour is ubi-boringssl"],
    );
}
