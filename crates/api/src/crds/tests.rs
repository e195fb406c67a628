use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use serde_json::json;

use super::*;

/// The definitions with upstream's provider schemas.
static CRDS: LazyLock<Vec<Crd>> = LazyLock::new(|| all(&BTreeMap::new()).unwrap());

#[test]
fn every_difference_from_upstream_is_allowed_and_every_allowance_needed() {
    let report = compare::with_upstream(&CRDS).unwrap();

    let unexplained: Vec<_> = report.unexplained.iter().map(ToString::to_string).collect();
    assert!(
        unexplained.is_empty(),
        "not in data/allowed.yaml:\n{}",
        unexplained.join("\n")
    );
    assert!(
        report.unused.is_empty(),
        "of no use in data/allowed.yaml: {:#?}",
        report.unused
    );
}

#[test]
fn every_definition_fits_the_annotation_of_kubectl_apply() {
    for crd in CRDS.iter() {
        let size = crd.manifest().to_string().len();
        // Room for what others add to the annotations; kubectl's limit is 262,144 for all of them.
        assert!(size < 250_000, "{} has {size} bytes", crd.name());
    }
}

#[test]
fn every_field_of_a_served_version_is_described() {
    let mut missing = Vec::new();
    for mut crd in CRDS.iter().cloned() {
        let kind = crd.kind.clone();
        for version in crd.manifest["spec"]["versions"].as_array_mut().unwrap() {
            if version["served"] == false {
                continue;
            }
            walk::visit(
                &mut version["schema"]["openAPIV3Schema"],
                &mut |path, keywords| {
                    // The API server describes these by itself.
                    let standard = matches!(path, ["apiVersion" | "kind" | "metadata"]);
                    let item = matches!(path.last(), Some(&("[]" | "{}")));
                    if !standard && !item && !keywords.contains_key("description") {
                        missing.push(format!("{kind} {}", path.join(".")));
                    }
                },
            );
        }
    }
    assert!(missing.is_empty(), "not in data/descriptions: {missing:#?}");
}

#[test]
fn every_description_is_of_use() {
    let upstream = Upstream::load().unwrap();
    let descriptions = describe::Descriptions::load().unwrap();
    let mut used = BTreeSet::new();
    for definition in &upstream.crds {
        let mut crd = assemble(definition, &upstream.parts, &upstream.parts).unwrap();
        used.extend(descriptions.apply(&mut crd));
    }

    let unused: Vec<_> = descriptions
        .tails()
        .filter(|tail| !used.contains(tail))
        .collect();

    assert!(
        unused.is_empty(),
        "of no use in data/descriptions: {unused:#?}"
    );
}

#[test]
fn a_provider_brings_its_own_schema_and_descriptions() {
    let fake = json!({ "type": "object", "description": "Ours.", "properties": {} });

    let crds = all(&BTreeMap::from([("fake".to_owned(), fake.clone())])).unwrap();

    for kind in ["SecretStore", "ClusterSecretStore"] {
        let crd = crds.iter().find(|crd| crd.kind() == kind).unwrap();
        let place = "/properties/spec/properties/provider/properties/fake";
        assert_eq!(crd.schema("v1").unwrap().pointer(place), Some(&fake));
        let upstream = crd.schema("v1beta1").unwrap().pointer(place).unwrap();
        assert!(
            upstream["properties"]["data"].is_object(),
            "v1beta1 changed: {upstream}"
        );
    }
}

#[test]
fn a_difference_in_a_provider_is_noticed() {
    let fake = json!({ "type": "object", "properties": { "data": { "type": "string" } } });

    let crds = all(&BTreeMap::from([("fake".to_owned(), fake)])).unwrap();
    let report = compare::with_upstream(&crds).unwrap();

    let places: Vec<_> = report
        .unexplained
        .iter()
        .map(|found| found.place.as_str())
        .collect();
    assert!(
        places.contains(&"v1 spec.provider.fake.data type"),
        "{places:#?}"
    );
    assert!(
        places.contains(&"v1 spec.provider.fake.data[].key"),
        "{places:#?}"
    );
}

#[test]
fn yaml_reads_back_as_the_same_definition() {
    for crd in CRDS.iter() {
        let read: Value = serde_saphyr::from_str(&crd.yaml().unwrap()).unwrap();

        assert_eq!(&read, crd.manifest(), "{}", crd.name());
    }
}

#[test]
fn files_are_named_after_the_definitions_and_the_bundle_holds_all() {
    let files = render(&BTreeMap::new()).unwrap();

    assert_eq!(files.len(), 26);
    let (name, bundle) = files.last().unwrap();
    assert_eq!(name, "bundle.yaml");
    assert_eq!(
        bundle.matches("\nkind: CustomResourceDefinition\n").count(),
        25
    );
    assert!(
        files
            .iter()
            .any(|(name, _)| name == "externalsecrets.external-secrets.io.yaml")
    );
}

#[test]
fn no_default_stands_below_a_list() {
    for mut crd in CRDS.iter().cloned() {
        for version in crd.manifest["spec"]["versions"].as_array_mut().unwrap() {
            walk::visit(
                &mut version["schema"]["openAPIV3Schema"],
                &mut |path, keywords| {
                    let below_list = path.contains(&"[]");
                    assert!(!below_list || !keywords.contains_key("default"), "{path:?}");
                },
            );
        }
    }
}
