//! Objects exactly as the original's release 2.9.0 leaves them, recorded from it with its fake provider: one
//! of each way in which a Secret is written, and one object that fails. Put into a cluster under the same
//! field managers.

use std::collections::BTreeMap;
use std::time::SystemTime;

use jiff::Timestamp;
use lockstep_testkit::api::Api;
use serde_json::{Value, json};

/// The namespace of the recording; the labels of its Secrets are made from it.
pub(crate) const NAMESPACE: &str = "recorded";

const RECORDING: &str = include_str!("left_by_original.json");
const GROUP: &str = "/apis/external-secrets.io/v1/namespaces/recorded";
const SECRETS: &str = "/api/v1/namespaces/recorded/secrets";

/// Puts everything into the cluster. Refreshes count as made just now, so that none is due.
pub(crate) fn put(api: &Api) {
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    api.apply(&namespace).unwrap();
    let recording: Vec<Value> = serde_json::from_str(RECORDING).unwrap();
    let mut uids = BTreeMap::new();
    for one in &recording {
        let object = &one["object"];
        match object["kind"].as_str().unwrap() {
            "SecretStore" => drop(put_object(api, "secretstores", object)),
            "ExternalSecret" => {
                let old = object["metadata"]["uid"].as_str().unwrap().to_owned();
                uids.insert(old, put_object(api, "externalsecrets", object));
            }
            _ => put_secret(api, object, &one["managers"], &uids),
        }
    }
}

/// Creates an object with its status; returns its unique id.
fn put_object(api: &Api, plural: &str, object: &Value) -> String {
    let mut made = object.clone();
    made["metadata"]["uid"] = Value::Null;
    made["status"] = Value::Null;
    let path = format!("{GROUP}/{plural}");
    let made = api
        .post(&format!("{path}?fieldManager=external-secrets"), &made)
        .unwrap();
    let name = object["metadata"]["name"].as_str().unwrap();
    let mut status = object["status"].clone();
    if status["refreshTime"].is_string() {
        let now = Timestamp::try_from(SystemTime::now()).unwrap();
        status["refreshTime"] = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string().into();
    }
    let path = format!("{path}/{name}/status?fieldManager=external-secrets");
    api.merge(&path, &json!({"status": status})).unwrap();
    made["metadata"]["uid"].as_str().unwrap().to_owned()
}

/// Creates a Secret under the managers that wrote it; one that others own too gets their key first.
fn put_secret(api: &Api, object: &Value, managers: &Value, uids: &BTreeMap<String, String>) {
    let mut secret = object.clone();
    if let Some(owners) = secret["metadata"]["ownerReferences"].as_array_mut() {
        for owner in owners {
            let uid = owner["uid"].as_str().unwrap();
            owner["uid"] = uids[uid].clone().into();
        }
    }
    let managers: Vec<String> = serde_json::from_value(managers.clone()).unwrap();
    let written_by = |manager: &str| format!("fieldManager={}", manager.replace('/', "%2F"));
    let [first, last] = [managers.first().unwrap(), managers.last().unwrap()];
    let name = secret["metadata"]["name"].as_str().unwrap().to_owned();
    if first == last {
        api.post(&format!("{SECRETS}?{}", written_by(first)), &secret)
            .unwrap();
        return;
    }
    let own = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": name},
        "data": {"own": secret["data"]["own"]},
    });
    api.post(&format!("{SECRETS}?{}", written_by(first)), &own)
        .unwrap();
    api.put(&format!("{SECRETS}/{name}?{}", written_by(last)), &secret)
        .unwrap();
}

/// The resourceVersion of every Secret.
pub(crate) fn versions(api: &Api) -> BTreeMap<String, String> {
    let list = api.get(SECRETS).unwrap();
    let items = list["items"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pairs = items.iter().map(|secret| {
        let metadata = &secret["metadata"];
        (text(&metadata["name"]), text(&metadata["resourceVersion"]))
    });
    pairs.collect()
}
