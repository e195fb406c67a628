//! The envelope around a judgement: `AdmissionReview` in, `AdmissionReview` out.

use serde_json::{Value, json};

use crate::verdict::{Verdict, judge};

/// Answers a review. Deletions are always allowed; a request that cannot be read is refused.
pub fn review(request: &Value) -> Value {
    let api_version = request
        .get("apiVersion")
        .cloned()
        .unwrap_or(json!("admission.k8s.io/v1"));
    let asked = &request["request"];
    let kind = asked["kind"]["kind"].as_str().unwrap_or_default();
    let verdict = match asked["operation"].as_str() {
        Some("DELETE") => Verdict::default(),
        Some(_) => judge(kind, &asked["object"]),
        None => Verdict {
            refusal: Some("the review has no request".to_owned()),
            ..Verdict::default()
        },
    };
    let mut response = json!({ "uid": asked["uid"], "allowed": verdict.refusal.is_none() });
    if let Some(message) = verdict.refusal {
        let (code, reason) = if verdict.malformed {
            (400, "BadRequest")
        } else {
            (403, "Forbidden")
        };
        response["status"] = json!({ "code": code, "reason": reason, "message": message });
    }
    if !verdict.warnings.is_empty() {
        response["warnings"] = json!(verdict.warnings);
    }
    json!({ "apiVersion": api_version, "kind": "AdmissionReview", "response": response })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(operation: &str, object: Value) -> Value {
        json!({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "request": {
                "uid": "u1", "operation": operation, "object": object,
                "kind": { "kind": "ExternalSecret" },
            },
        })
    }

    #[test]
    fn a_refusal_carries_the_uid_and_the_reason() {
        let answer = review(&request("CREATE", json!({ "spec": {} })));

        assert_eq!(answer["response"]["uid"], "u1");
        assert_eq!(answer["response"]["allowed"], false);
        assert_eq!(
            answer["response"]["status"]["message"],
            "either data or dataFrom should be specified"
        );
    }

    #[test]
    fn deleting_is_always_allowed() {
        let answer = review(&request("DELETE", Value::Null));

        assert_eq!(answer["response"]["allowed"], true);
    }

    #[test]
    fn something_that_is_no_review_is_refused() {
        assert_eq!(review(&json!({}))["response"]["allowed"], false);
    }
}
