//! Whether a remote Secret, or a key of it, is what a push wrote. The mark is the field manager, which
//! the API server keeps for every key: the original operator writes with the same one, and pushed
//! Secrets need no label that they did not have.

use serde_json::Value;

use crate::api::FIELD_MANAGER;
use crate::secret::Stored;

/// Whether a push wrote this key of the Secret; without a key, whether one wrote any of its data.
/// A Secret of which the server does not tell who wrote it is not ours.
pub(crate) fn is_pushed(remote: &Stored, key: Option<&str>) -> bool {
    let entries = remote.metadata.get("managedFields");
    let entries = entries.and_then(Value::as_array).into_iter().flatten();
    let mut own = entries.filter(|entry| entry["manager"] == FIELD_MANAGER);
    own.any(|entry| {
        let data = &entry["fieldsV1"]["f:data"];
        match key {
            Some(key) => data.get(format!("f:{key}")).is_some(),
            None => data.as_object().is_some_and(|keys| !keys.is_empty()),
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn secret(managed: &Value) -> Stored {
        serde_json::from_value(json!({
            "metadata": { "name": "s", "managedFields": managed },
            "data": { "x": "MQ==", "y": "Mg==" },
            "type": "Opaque",
        }))
        .unwrap()
    }

    fn written_by(manager: &str, keys: &Value) -> Value {
        json!({ "manager": manager, "operation": "Update", "fieldsV1": { "f:data": keys } })
    }

    #[test]
    fn a_key_is_ours_if_a_push_wrote_it_last() {
        let ours = written_by("external-secrets", &json!({ ".": {}, "f:x": {} }));
        let theirs = written_by("kubectl", &json!({ "f:y": {} }));
        let remote = secret(&json!([theirs, ours]));

        assert!(is_pushed(&remote, Some("x")));
        assert!(is_pushed(&remote, None));
        assert!(!is_pushed(&remote, Some("y")));
    }

    #[test]
    fn what_others_wrote_and_what_is_not_known_is_not_ours() {
        let controller = "externalsecrets.external-secrets.io/app";
        for managed in [
            json!([written_by("kubectl", &json!({ "f:x": {} }))]),
            json!([written_by(controller, &json!({ "f:x": {} }))]),
            json!([{ "manager": "external-secrets", "fieldsV1": { "f:metadata": {} } }]),
            json!([]),
            Value::Null,
        ] {
            let remote = secret(&managed);
            assert!(!is_pushed(&remote, Some("x")), "{managed}");
            assert!(!is_pushed(&remote, None), "{managed}");
        }
    }
}
