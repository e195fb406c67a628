//! Which fields of a secret upstream's client knows, which of them it leaves out where they are empty, and how
//! it writes dates. Says nothing of what the fields mean.

use jiff::Timestamp;
use lockstep_provider_api::json::Value as Json;

/// Fields that hold lists or maps and are left out where these are empty.
const LEFT_OUT: [&str; 7] = [
    "access_groups",
    "alt_names",
    "ca_chain",
    "custom_metadata",
    "labels",
    "parameters",
    "referenced_by",
];

/// All other fields of any type; what is not here is not handed on.
const KNOWN: [&str; 61] = [
    "account_id",
    "api_key",
    "api_key_id",
    "bundle_certs",
    "ca",
    "certificate",
    "certificate_authority",
    "certificate_template",
    "common_name",
    "configuration",
    "created_at",
    "created_by",
    "credentials",
    "credentials_content",
    "crn",
    "csr",
    "data",
    "description",
    "dns",
    "downloaded",
    "expiration_date",
    "id",
    "intermediate",
    "intermediate_included",
    "issuance_info",
    "issuer",
    "issuing_ca",
    "key_algorithm",
    "last_failed_task_id",
    "last_rotation_failed",
    "locks_total",
    "managed_csr",
    "name",
    "next_rotation_date",
    "password",
    "password_generation_policy",
    "payload",
    "private_key",
    "private_key_included",
    "processing_task_id",
    "queued_task_count",
    "retrieved_at",
    "reuse_api_key",
    "revocation_time_rfc3339",
    "revocation_time_seconds",
    "rotation",
    "secret_group_id",
    "secret_type",
    "serial_number",
    "service_id",
    "service_id_is_static",
    "signing_algorithm",
    "source_service",
    "state",
    "state_description",
    "task_count",
    "ttl",
    "updated_at",
    "username",
    "validity",
    "versions_total",
];

const DATES: [&str; 8] = [
    "created_at",
    "expiration_date",
    "next_rotation_date",
    "not_after",
    "not_before",
    "retrieved_at",
    "revocation_time_rfc3339",
    "updated_at",
];

/// Whether a field is handed on.
pub(super) fn is_kept(name: &str, value: &Json) -> bool {
    let is_empty = match value {
        Json::Array(items) => items.is_empty(),
        Json::Object(members) => members.is_empty(),
        Json::Null => true,
        _ => false,
    };
    KNOWN.contains(&name) && *value != Json::Null || LEFT_OUT.contains(&name) && !is_empty
}

/// Dates as upstream's client writes them, with thousandths of a second.
pub(super) fn dated(name: &str, value: Json) -> Json {
    match value {
        Json::String(text) if DATES.contains(&name) => {
            let moment = text.parse::<Timestamp>();
            Json::String(moment.map_or(text, |moment| {
                moment.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
            }))
        }
        Json::Object(members) if name == "validity" => {
            let members = members.into_iter();
            Json::Object(
                members
                    .map(|(name, value)| (name.clone(), dated(&name, value)))
                    .collect(),
            )
        }
        other => other,
    }
}
