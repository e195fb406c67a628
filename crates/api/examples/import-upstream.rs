//! Turns a folder of upstream CRD files into `data/crds.jsonl` and `data/parts.jsonl`.
//!
//! `cargo run -p lockstep-api --example import-upstream -- FOLDER`. Run it for a new upstream
//! version; schemas that occur more than once are stored once, as named parts. Prose is left out.

use std::{collections::BTreeMap, error::Error, fs, path::Path};

use serde_json::{Map, Value, json};

/// Parts that are not a kind's spec or a provider: name, file, place.
const SHARED: &[(&str, &str, &str)] = &[
    (
        "secret-key-selector",
        "secretstores.external-secrets.io",
        "/0/spec/provider/doppler/auth/secretRef/dopplerToken",
    ),
    (
        "service-account-selector",
        "secretstores.external-secrets.io",
        "/0/spec/provider/aws/auth/jwt/serviceAccountRef",
    ),
    (
        "ca-provider",
        "secretstores.external-secrets.io",
        "/0/spec/provider/vault/caProvider",
    ),
    (
        "label-selector",
        "pushsecrets.external-secrets.io",
        "/0/spec/selector/secret/selector",
    ),
    ("secret-store.v1", "secretstores.external-secrets.io", "/0"),
    (
        "secret-store.v1beta1",
        "secretstores.external-secrets.io",
        "/1",
    ),
    (
        "external-secret-spec.v1",
        "externalsecrets.external-secrets.io",
        "/0/spec",
    ),
    (
        "external-secret-spec.v1beta1",
        "externalsecrets.external-secrets.io",
        "/1/spec",
    ),
    (
        "push-secret-spec.v1alpha1",
        "pushsecrets.external-secrets.io",
        "/0/spec",
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args()
        .nth(1)
        .ok_or("usage: import-upstream FOLDER")?;
    let crds = read(Path::new(&folder))?;
    let parts = parts(&crds)?;
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");

    let lines = parts.iter().map(|(name, schema)| {
        json!({ "name": name, "schema": factor(schema, &parts, Some(name)) }).to_string() + "\n"
    });
    fs::write(data.join("parts.jsonl"), lines.collect::<String>())?;

    let lines = crds
        .values()
        .map(|spec| factor(spec, &parts, None).to_string() + "\n");
    fs::write(data.join("crds.jsonl"), lines.collect::<String>())?;
    Ok(())
}

/// The specs of all CRDs by name, without prose.
fn read(folder: &Path) -> Result<BTreeMap<String, Value>, Box<dyn Error>> {
    let mut crds = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let text = fs::read_to_string(entry?.path())?;
        let mut crd: Value = serde_saphyr::from_str(&text)?;
        let name = crd["metadata"]["name"]
            .as_str()
            .ok_or("a CRD has no name")?
            .to_owned();
        let mut spec = crd["spec"].take();
        for version in spec["versions"]
            .as_array_mut()
            .ok_or("a CRD has no versions")?
        {
            drop_prose(&mut version["schema"]["openAPIV3Schema"]);
        }
        crds.insert(name, spec);
    }
    Ok(crds)
}

/// Removes descriptions of schemas, but not fields of that name.
fn drop_prose(schema: &mut Value) {
    let Some(keywords) = schema.as_object_mut() else {
        return;
    };
    keywords.remove("description");
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(fields)) => fields.values_mut().for_each(drop_prose),
            ("items" | "additionalProperties", schema) => drop_prose(schema),
            _ => {}
        }
    }
}

/// Everything that is stored by name: shared schemas, generators and providers.
fn parts(crds: &BTreeMap<String, Value>) -> Result<BTreeMap<String, Value>, Box<dyn Error>> {
    let mut parts = BTreeMap::new();
    for (part, crd, place) in SHARED {
        let schema = find(crds, crd, place).ok_or_else(|| format!("{crd} has no {place}"))?;
        parts.insert((*part).to_owned(), schema.clone());
    }
    for (name, spec) in crds {
        let kind = spec["names"]["kind"].as_str().unwrap_or_default();
        let own = ["ClusterGenerator", "GeneratorState"].contains(&kind);
        if name.ends_with("generators.external-secrets.io") && !own {
            let schema = find(crds, name, "/0/spec").ok_or("a generator has no spec")?;
            parts.insert(format!("generator.{kind}"), schema.clone());
        }
    }
    let union = find(crds, "secretstores.external-secrets.io", "/0/spec/provider");
    let providers = union.and_then(|union| union["properties"].as_object());
    for (name, schema) in providers.ok_or("the store has no providers")? {
        parts.insert(format!("provider.{name}"), schema.clone());
    }
    Ok(parts)
}

/// A schema by version and field names.
fn find<'a>(crds: &'a BTreeMap<String, Value>, crd: &str, place: &str) -> Option<&'a Value> {
    let mut steps = place.split('/').skip(1);
    let version = steps.next()?.parse::<usize>().ok()?;
    let root = &crds.get(crd)?["versions"][version]["schema"]["openAPIV3Schema"];
    steps.try_fold(root, |schema, field| schema.get("properties")?.get(field))
}

/// Replaces what is stored as a part by a reference to it; `own` is the part looked at itself.
fn factor(value: &Value, parts: &BTreeMap<String, Value>, own: Option<&str>) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| {
                let part = part_of(key, value, parts).filter(|part| Some(*part) != own);
                let value = part.map_or_else(
                    || factor(value, parts, own),
                    |part| json!({ "$part": part }),
                );
                (key.clone(), value)
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(|item| factor(item, parts, own)).collect(),
        _ => value.clone(),
    }
}

/// The part that equals a schema; of two equal providers the one named like the field.
fn part_of<'a>(field: &str, value: &Value, parts: &'a BTreeMap<String, Value>) -> Option<&'a str> {
    let named = parts.get_key_value(&format!("provider.{field}"));
    let mut equal = named
        .into_iter()
        .chain(parts)
        .filter(|(_, part)| *part == value);
    let (name, part) = equal.next()?;
    (part.get("properties")?.as_object()?.len() > 1).then_some(name.as_str())
}
