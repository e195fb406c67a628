//! What a user can do about a refusal: the role or permission that is missing, the firewall, the
//! tenant, the state of the object.

use lockstep_provider_api::prelude::*;

use super::Place;
use crate::challenge::Challenge;
use crate::object::Kind;

/// What follows the message of a vault, in brackets.
pub(super) fn of(
    kind: &ErrorKind,
    code: &str,
    place: &Place<'_>,
    challenge: Option<&Challenge>,
) -> String {
    let Place {
        call, vault, who, ..
    } = place;
    let noun = call.kind.noun();
    let subject = if call.name.is_empty() {
        format!("the {noun}s of vault {vault}")
    } else {
        format!("{noun} {:?} of vault {vault}", call.name)
    };
    let advice = match kind {
        ErrorKind::Denied => denied(code, place),
        ErrorKind::Unauthenticated => tenant(place, challenge),
        ErrorKind::Tombstoned(tombstone) => match &*tombstone.state {
            "soft-deleted" => format!(
                "the name is taken by a deleted {noun}: recover it with `az keyvault {0} recover`, \
                 or have it purged",
                az(call.kind)
            ),
            "disabled" => format!("enable the {noun}, or a newer version of it"),
            _ => format!(
                "the {noun} is {}: correct its dates or make a new version",
                tombstone.state
            ),
        },
        ErrorKind::Conflict if code.starts_with("ObjectIsBeing") => {
            "the vault is still at work on it; this is tried again".to_owned()
        }
        _ => String::new(),
    };
    if advice.is_empty() {
        return format!(" ({subject}, as {who})");
    }
    format!(" ({subject}, as {who}; {advice})")
}

fn denied(code: &str, place: &Place<'_>) -> String {
    match code {
        "ForbiddenByFirewall" => {
            "the firewall of the vault does not let the operator's address in".to_owned()
        }
        "ForbiddenByConnection" => {
            "public access is switched off: use the private endpoint of the vault".to_owned()
        }
        _ => {
            let (role, permission) = rights(place);
            format!("assign the role {role:?} on the vault, or the access policy {permission}")
        }
    }
}

/// The role and the permission of an access policy that a request needs.
fn rights(place: &Place<'_>) -> (&'static str, &'static str) {
    let writes = ["Set", "Import", "Delete"];
    let operation = place.call.operation;
    let is_write = writes.iter().any(|verb| operation.starts_with(verb));
    match (place.call.kind, is_write) {
        (Kind::Secret, false) => ("Key Vault Secrets User", "secrets: get, list"),
        (Kind::Secret, true) => ("Key Vault Secrets Officer", "secrets: get, set, delete"),
        (Kind::Certificate, false) => ("Key Vault Certificate User", "certificates: get"),
        (Kind::Certificate, true) => (
            "Key Vault Certificates Officer",
            "certificates: get, import, delete",
        ),
        (Kind::Key, false) => ("Key Vault Crypto User", "keys: get"),
        (Kind::Key, true) => ("Key Vault Crypto Officer", "keys: get, import, delete"),
    }
}

/// A token of another tenant is the usual reason for a refusal.
fn tenant(place: &Place<'_>, challenge: Option<&Challenge>) -> String {
    let wanted = challenge.and_then(Challenge::tenant);
    match (wanted, place.tenant) {
        (Some(wanted), Some(own)) if wanted != own => {
            format!(
                "the vault trusts tenant {wanted}, the store signs in at {own}: correct tenantId"
            )
        }
        _ => "the vault does not take the token".to_owned(),
    }
}

/// The word of the `az keyvault` command.
pub(crate) fn az(kind: Kind) -> &'static str {
    kind.noun()
}
