//! Which fields of a type of secret upstream's client knows, which of them it leaves out where they are empty, and how
//! it writes dates. Says nothing of what the fields mean.

use jiff::Timestamp;
use lockstep_provider_api::json::Value as Json;

use crate::kind::Kind;

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

/// Fields of every type; what is neither here nor among those of its type is not handed on.
const COMMON: [&str; 18] = [
    "created_at",
    "created_by",
    "crn",
    "custom_metadata",
    "description",
    "downloaded",
    "id",
    "labels",
    "locks_total",
    "name",
    "referenced_by",
    "retrieved_at",
    "secret_group_id",
    "secret_type",
    "state",
    "state_description",
    "updated_at",
    "versions_total",
];

const DATES: [&str; 9] = [
    "created_at",
    "expiration_date",
    "next_rotation_date",
    "not_after",
    "not_before",
    "ordered_on",
    "retrieved_at",
    "revocation_time_rfc3339",
    "updated_at",
];

// Fields of one type, beside those of every type.
const ARBITRARY: &[&str] = &["expiration_date", "payload"];
const USERNAME_PASSWORD: &[&str] = &[
    "expiration_date",
    "next_rotation_date",
    "password",
    "password_generation_policy",
    "rotation",
    "username",
];
const IAM_CREDENTIALS: &[&str] = &[
    "access_groups",
    "account_id",
    "api_key",
    "api_key_id",
    "expiration_date",
    "next_rotation_date",
    "reuse_api_key",
    "rotation",
    "service_id",
    "service_id_is_static",
    "ttl",
];
const SERVICE_CREDENTIALS: &[&str] = &[
    "credentials",
    "expiration_date",
    "next_rotation_date",
    "rotation",
    "source_service",
    "ttl",
];
const IMPORTED_CERT: &[&str] = &[
    "alt_names",
    "certificate",
    "common_name",
    "csr",
    "expiration_date",
    "intermediate",
    "intermediate_included",
    "issuer",
    "key_algorithm",
    "managed_csr",
    "private_key",
    "private_key_included",
    "serial_number",
    "signing_algorithm",
    "validity",
];
const PUBLIC_CERT: &[&str] = &[
    "alt_names",
    "bundle_certs",
    "ca",
    "certificate",
    "common_name",
    "dns",
    "expiration_date",
    "intermediate",
    "issuance_info",
    "issuer",
    "key_algorithm",
    "private_key",
    "rotation",
    "serial_number",
    "signing_algorithm",
    "validity",
];
const PRIVATE_CERT: &[&str] = &[
    "alt_names",
    "ca_chain",
    "certificate",
    "certificate_authority",
    "certificate_template",
    "common_name",
    "expiration_date",
    "issuer",
    "issuing_ca",
    "key_algorithm",
    "next_rotation_date",
    "private_key",
    "revocation_time_rfc3339",
    "revocation_time_seconds",
    "rotation",
    "serial_number",
    "signing_algorithm",
    "validity",
];
const KV: &[&str] = &["data"];
const CUSTOM_CREDENTIALS: &[&str] = &[
    "configuration",
    "credentials_content",
    "expiration_date",
    "last_failed_task_id",
    "last_rotation_failed",
    "next_rotation_date",
    "parameters",
    "processing_task_id",
    "queued_task_count",
    "rotation",
    "task_count",
    "ttl",
];

fn own(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Arbitrary => ARBITRARY,
        Kind::UsernamePassword => USERNAME_PASSWORD,
        Kind::IamCredentials => IAM_CREDENTIALS,
        Kind::ServiceCredentials => SERVICE_CREDENTIALS,
        Kind::ImportedCert => IMPORTED_CERT,
        Kind::PublicCert => PUBLIC_CERT,
        Kind::PrivateCert => PRIVATE_CERT,
        Kind::Kv => KV,
        Kind::CustomCredentials => CUSTOM_CREDENTIALS,
    }
}

/// Whether a field of a secret of this type is handed on.
pub(super) fn is_kept(kind: Kind, name: &str, value: &Json) -> bool {
    let is_empty = match value {
        Json::Array(items) => items.is_empty(),
        Json::Object(members) => members.is_empty(),
        _ => false,
    };
    let is_known = COMMON.contains(&name) || own(kind).contains(&name);
    is_known && *value != Json::Null && !(is_empty && LEFT_OUT.contains(&name))
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
        Json::Object(members) if ["issuance_info", "validity"].contains(&name) => {
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
