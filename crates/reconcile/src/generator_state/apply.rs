//! Takes the credential of a state back.

use lockstep_generators::{Maker, lookup};
use lockstep_provider_api::{ErrorKind, GeneratorEntry};
use serde_json::Value;

use super::Reconciler;
use super::world::GeneratorStateWorld;

impl<W: GeneratorStateWorld> Reconciler<'_, W> {
    /// Takes it back; returns whether the state may go. What this build cannot take back is let go, and so
    /// is what goes with its namespace after the Secret to sign in with.
    pub(super) async fn take_back(
        &self,
        named: (&str, &str),
        (kind, spec, state): (&str, &Value, Value),
    ) -> bool {
        let (namespace, name) = named;
        let maker = match lookup(kind).map(GeneratorEntry::maker) {
            Ok(Maker::Remote(maker)) => maker,
            Ok(Maker::Local(_)) => return true,
            Err(error) => {
                tracing::warn!(
                    generator_state = %format_args!("{namespace}/{name}"), %error,
                    "let go without a clean-up"
                );
                return true;
            }
        };
        let cleaned = self.remote.clean_up(maker, (spec, state), named).await;
        let Err(error) = cleaned else {
            tracing::info!(
                generator_state = %format_args!("{namespace}/{name}"), kind,
                "credential taken back"
            );
            return true;
        };
        if *error.kind() == ErrorKind::InvalidSpec && self.world.is_terminating(namespace).await {
            tracing::warn!(
                generator_state = %format_args!("{namespace}/{name}"), %error,
                "let go with its namespace without a clean-up; revoke the credential by hand"
            );
            return true;
        }
        let error = format!("could not take back a credential of generator kind {kind}: {error}");
        tracing::warn!(generator_state = %format_args!("{namespace}/{name}"), %error, "reconcile failed");
        false
    }
}
