//! The metadata services of machines: that of a VM and that of App Service. Both hand out tokens of
//! the machine's identity, or of one that is assigned to it.

use serde_json::json;

use super::entra::Directory;
use super::token;
use crate::stub::{Answer, Request};

/// Life of the tokens in seconds.
const LIFE: i64 = 24 * 3600;
/// Client id of the machine's own identity.
pub const SYSTEM: &str = "99999999-0000-0000-0000-000000000000";

/// Answers `/metadata/identity/oauth2/token` and `/msi/token`.
pub(super) fn token(
    request: &Request,
    path: &str,
    query: &str,
    directory: &Directory,
    secret: &str,
) -> Answer {
    let refused = |text: &str| {
        let body = json!({ "error": "invalid_request", "error_description": text });
        Answer::json(400, &body)
    };
    let is_instance = path.starts_with("/metadata/");
    if is_instance && request.header("metadata") != Some("true") {
        return refused("Required metadata header not specified");
    }
    if !is_instance && request.header("x-identity-header") != Some(secret) {
        return Answer::json(401, &json!({ "error": "unauthorized" }));
    }
    let query = super::form(query);
    let Some(resource) = query.get("resource") else {
        return refused("Required audience parameter not specified");
    };
    let client = query.get("client_id").map_or(SYSTEM, String::as_str);
    if client != SYSTEM && client != directory.client && client != directory.other {
        return refused("Identity not found");
    }
    let resource = resource.trim_end_matches('/');
    let end = token::now() + LIFE;
    Answer::json(
        200,
        &json!({
            "access_token": token::issue(&directory.tenant, client, resource, LIFE),
            "client_id": client, "expires_in": LIFE.to_string(), "expires_on": end.to_string(),
            "not_before": token::now().to_string(), "resource": resource, "token_type": "Bearer",
        }),
    )
}
