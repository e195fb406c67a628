//! `metadataPolicy: Fetch`: the tags of an object in place of its value. The older client of the
//! original operator counts the object's times among the tags, the newer one does not.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lockstep_provider_api::json::{Html, json_object, to_json_strings};
use lockstep_provider_api::prelude::*;

use crate::read::{Bundle, Path, select};

/// The tag that a reference means, a path into one, or all of them as JSON.
pub(crate) fn wanted(bundle: &Bundle, reference: &RemoteRef, path: Path) -> Result<SecretValue> {
    let tags = tags(bundle, path);
    let Some(property) = reference.wanted_property() else {
        return Ok(to_json_strings(&tags, Html::Escaped).into());
    };
    if let Some(value) = tags.get(property) {
        return Ok(value.as_str().into());
    }
    if let Some((tag, rest)) = property.split_once('.')
        && let Some(value) = tags.get(tag)
    {
        return select(&value.as_str().into(), Some(rest), property);
    }
    Err(Error::invalid_data(format!(
        "tag {property} does not exist"
    )))
}

/// The tags by `name_tag`, and by `name_tag_member` where one is a flat JSON object; or the wanted
/// one alone.
pub(crate) fn members(
    bundle: &Bundle,
    name: &str,
    reference: &RemoteRef,
    wanted: SecretValue,
    path: Path,
) -> SecretMap {
    let mut map = SecretMap::new();
    if let Some(property) = reference.wanted_property() {
        // With the prefix in the key upstream looks under a name that is never there.
        map.insert(format!("{}_{property}", reference.key), wanted);
        return map;
    }
    for (tag, value) in tags(bundle, path) {
        let key = format!("{name}_{tag}");
        match flat(&value) {
            Some(members) => {
                for (member, value) in members {
                    map.insert(format!("{key}_{member}"), value);
                }
            }
            None => drop(map.insert(key, value.into())),
        }
    }
    map
}

/// The members of a JSON object that holds texts only.
fn flat(text: &str) -> Option<SecretMap> {
    let parsed: serde_json::Value = serde_json::from_str(text).ok()?;
    let is_flat = match &parsed {
        serde_json::Value::Object(members) => members
            .values()
            .all(|value| value.is_string() || value.is_null()),
        other => other.is_null(),
    };
    is_flat.then(|| json_object(&text.into()).ok()).flatten()
}

fn tags(bundle: &Bundle, path: Path) -> BTreeMap<String, String> {
    let mut tags = bundle.tags.clone().unwrap_or_default();
    if path == Path::Sdk {
        return tags;
    }
    let times = [
        ("attribute.created", bundle.attributes.created),
        ("attribute.updated", bundle.attributes.updated),
        ("attribute.expires", bundle.attributes.exp),
        ("attribute.notBefore", bundle.attributes.nbf),
    ];
    for (name, seconds) in times {
        let time = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        if let Some(time) = time {
            tags.insert(name.to_owned(), time.to_string());
        }
    }
    tags
}
