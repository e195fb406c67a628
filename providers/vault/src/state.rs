//! Why nothing could be read: the secret is missing, its version was deleted or destroyed, or the
//! store names the wrong mount or the wrong version of the engine. Only the first two are absence,
//! and absence is believed only where the engine is known to be the one that the store means.

use std::sync::PoisonError;

use jiff::{SignedDuration, Timestamp};
use lockstep_provider_api::error::Tombstone;
use lockstep_provider_api::http::Method;
use lockstep_provider_api::prelude::*;

use crate::api::{Kv, State, member, secret, text};
use crate::error::Failure;
use crate::server::Ask;
use crate::spec::Version;

/// Upstream's words in front of a failed read.
const UNREADABLE: &str = "cannot read secret data from Vault";
/// How long a mount is known to be what it was.
const KNOWN_FOR: SignedDuration = SignedDuration::from_mins(5);

impl Kv {
    /// The error that a failed read stands for.
    pub async fn explained(&self, failure: Failure, key: &str) -> Error {
        if !failure.is_missing() {
            return failure.error.context(UNREADABLE);
        }
        let found = secret(&failure.body, self.version());
        if found.state.version > 0 {
            return self.tombstone(&found.state, key);
        }
        self.absent(key).await
    }

    /// A version that was deleted counts as absent, as upstream has it, and is named.
    pub fn tombstone(&self, state: &State, key: &str) -> Error {
        let (name, mount) = (self.mount.name(key), self.mount.of(key));
        let version = state.version;
        let (word, help) = if state.destroyed {
            (
                "destroyed",
                "it is gone for good; write a new version".to_owned(),
            )
        } else {
            let help = format!(
                "bring it back with: vault kv undelete -mount={mount} -versions={version} {name}"
            );
            ("deleted", help)
        };
        let date: Option<Timestamp> = state.deletion_time.parse().ok();
        let on = date.map_or_else(String::new, |date| {
            format!(" on {}", date.strftime("%Y-%m-%d"))
        });
        let text = format!(
            "{} (version {version} of {name:?} in mount {mount:?} was {word}{on}; {help})",
            lockstep_provider_api::error::NOT_FOUND_TEXT
        );
        let tombstone = Tombstone {
            state: word.into(),
            until: None,
            counts_as_absent: true,
        };
        Error::new(ErrorKind::Tombstoned(tombstone), text).advised()
    }

    /// Nothing is at the key: a missing secret, provided that the engine is the right one.
    pub async fn absent(&self, key: &str) -> Error {
        match self.right_engine(key).await {
            Ok(()) => Error::not_found(),
            Err(error) => error,
        }
    }

    /// Checks that the mount is a KV engine of the version that the store names.
    async fn right_engine(&self, key: &str) -> Result<()> {
        let ctx = self.connection.ctx();
        let known = *self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_some_and(|since| ctx.now().duration_since(since) < KNOWN_FOR) {
            return Ok(());
        }
        let mount = self.mount.of(key);
        let path = format!("sys/internal/ui/mounts/{mount}");
        let asked = self
            .connection
            .ask(Ask::new("ReadSecretData", Method::GET, &path));
        let answer = asked
            .await
            .map_err(|failure| self.unknown(failure, &mount))?;
        let data = member(&answer, "data").cloned().unwrap_or_default();
        let kind = text(&data, "type");
        let options = member(&data, "options").cloned().unwrap_or_default();
        let version = match text(&options, "version").as_str() {
            "2" => Version::V2,
            _ => Version::V1,
        };
        let namespace = self.connection.namespace();
        if !matches!(kind.as_str(), "kv" | "generic") {
            return Err(invalid(format!(
                "mount {mount:?} in namespace {namespace:?} is of type {kind:?} and no KV engine; \
                 check path of the store"
            )));
        }
        if version != self.version() {
            let [is, says] = [version, self.version()].map(|version| match version {
                Version::V1 => "v1",
                Version::V2 => "v2",
            });
            return Err(invalid(format!(
                "mount {mount:?} in namespace {namespace:?} is KV {is}, the store says {says}; set \
                 version: {is}"
            )));
        }
        let mut known = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        *known = Some(ctx.now());
        Ok(())
    }

    /// What is not known is no absence.
    fn unknown(&self, failure: Failure, mount: &str) -> Error {
        let namespace = self.connection.namespace();
        let text = format!(
            "nothing was found, and mount {mount:?} in namespace {namespace:?} does not show itself: \
             check path and namespace of the store: {}",
            failure.error
        );
        match failure.error.kind() {
            ErrorKind::Denied | ErrorKind::NotFound => invalid(text),
            kind => Error::new(kind.clone(), text),
        }
    }
}

fn invalid(text: String) -> Error {
    Error::new(ErrorKind::InvalidSpec, text).advised()
}
