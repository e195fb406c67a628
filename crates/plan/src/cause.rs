//! Stable words for why something failed, and what to do about each. Conditions carry these words and
//! no others; scripts match on them, and `docs/troubleshooting.md` lists them all.

use lockstep_provider_api::Error;

/// Why something failed, as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause(&'static str);

impl Cause {
    /// A request to the API server failed.
    pub const API_SERVER: Self = Self("ApiServer");
    /// Someone else has it, or changed it meanwhile.
    pub const CONFLICT: Self = Self("Conflict");
    /// Too much of a store vanished at once.
    pub const DELETION_HELD: Self = Self("DeletionHeld");
    /// The target takes no other data.
    pub const IMMUTABLE: Self = Self("Immutable");
    /// A fault of this program.
    pub const INTERNAL: Self = Self("Internal");
    /// What the backend holds cannot be used.
    pub const INVALID_DATA: Self = Self("InvalidData");
    /// A manifest must change.
    pub const INVALID_SPEC: Self = Self("InvalidSpec");
    /// The labels of the namespace, which the store selects by, are not known.
    pub const NAMESPACE_UNKNOWN: Self = Self("NamespaceUnknown");
    /// A push names a key its source does not have.
    pub const SOURCE_KEY_MISSING: Self = Self("SourceKeyMissing");
    /// The store does not admit the namespace.
    pub const STORE_DENIED: Self = Self("StoreDenied");
    /// The store belongs to another controller class.
    pub const STORE_FOREIGN: Self = Self("StoreForeign");
    /// There is no such store.
    pub const STORE_NOT_FOUND: Self = Self("StoreNotFound");
    /// The store's own check failed, or did not come yet.
    pub const STORE_NOT_READY: Self = Self("StoreNotReady");
    /// A pushed secret cannot be deleted through its store.
    pub const STORE_NOT_USABLE: Self = Self("StoreNotUsable");
    /// A template failed.
    pub const TEMPLATE: Self = Self("Template");
    /// A push took too long and goes on later.
    pub const UNFINISHED: Self = Self("Unfinished");
    /// This build, this provider or these flags cannot do it.
    pub const UNSUPPORTED: Self = Self("Unsupported");

    /// Every cause, in order.
    pub const ALL: [Self; 23] = [
        Self::API_SERVER,
        Self::CONFLICT,
        Self::DELETION_HELD,
        Self("Denied"),
        Self::IMMUTABLE,
        Self::INTERNAL,
        Self::INVALID_DATA,
        Self::INVALID_SPEC,
        Self::NAMESPACE_UNKNOWN,
        Self("NotFound"),
        Self::SOURCE_KEY_MISSING,
        Self::STORE_DENIED,
        Self::STORE_FOREIGN,
        Self::STORE_NOT_FOUND,
        Self::STORE_NOT_READY,
        Self::STORE_NOT_USABLE,
        Self::TEMPLATE,
        Self("Throttled"),
        Self("Tombstoned"),
        Self("Unauthenticated"),
        Self::UNFINISHED,
        Self("Unreachable"),
        Self::UNSUPPORTED,
    ];

    /// The cause of a provider's error.
    pub fn of(error: &Error) -> Self {
        Self(error.consequence().cause)
    }

    /// The word.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// What to do, where the word alone tells and the detail usually does not.
    pub fn remedy(self) -> Option<&'static str> {
        Some(match self.0 {
            "Denied" => "allow the store's identity to do this",
            "Internal" => "this is a fault of lockstep, please report it",
            "InvalidData" => "correct what the provider holds, or how the entry reads it",
            "NamespaceUnknown" => "allow the operator to list or get namespaces",
            "NotFound" => "create it, or correct the reference",
            "StoreDenied" => "add the namespace to spec.conditions of the store",
            "StoreForeign" => "name a store of this controller's class",
            "StoreNotFound" => "create it, or correct name and kind of the reference",
            "StoreNotReady" => "its Ready condition says why",
            "Throttled" => "it goes on when the provider allows",
            "Tombstoned" => "restore it, or take the reference out",
            "Unauthenticated" => "renew the store's credentials",
            "Unreachable" => {
                "check server, address and network; it goes on when the provider answers"
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::error::{ErrorKind, Tombstone};

    use super::*;

    #[test]
    fn every_kind_of_error_has_a_listed_cause() {
        let tombstone = Tombstone {
            state: "deleted".into(),
            until: None,
            counts_as_absent: false,
        };
        let kinds = [
            ErrorKind::NotFound,
            ErrorKind::Tombstoned(tombstone),
            ErrorKind::Denied,
            ErrorKind::Unauthenticated,
            ErrorKind::Throttled,
            ErrorKind::Unreachable,
            ErrorKind::InvalidSpec,
            ErrorKind::InvalidData,
            ErrorKind::Conflict,
            ErrorKind::Unsupported,
            ErrorKind::Internal,
        ];

        for kind in kinds {
            let cause = Cause::of(&Error::new(kind, "text"));
            assert!(Cause::ALL.contains(&cause), "{cause:?}");
        }
    }

    #[test]
    fn words_are_listed_once_and_in_order() {
        assert!(Cause::ALL.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn the_page_on_troubleshooting_lists_exactly_the_causes() {
        let page = include_str!("../../../docs/troubleshooting.md");
        let table = page
            .split("\n## ")
            .find(|part| part.starts_with("Causes\n"));
        let rows = table.unwrap().lines();
        let rows = rows.filter_map(|line| line.strip_prefix("| `"));
        let listed: Vec<&str> = rows
            .filter_map(|row| Some(row.split_once("` |")?.0))
            .collect();

        assert_eq!(listed, Cause::ALL.map(Cause::as_str));
    }
}
