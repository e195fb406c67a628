//! The API: custom resources as Rust types, well-known keys, reasons and messages, and the CRDs.
//!
//! Types here carry what users wrote and what we report, nothing else: no client, no decisions.
//! What a policy does is decided by the planner; what a provider's settings mean by the provider.
#![warn(missing_docs)]

pub(crate) mod choice;
pub mod conditions;
pub mod crds;
pub mod external_secret;
pub mod fan_out;
pub mod generator_state;
pub mod keys;
pub mod messages;
pub mod push_secret;
pub mod reasons;
pub(crate) mod root;
pub mod schema;
pub mod store;

pub use external_secret::{ExternalSecret, ExternalSecretSpec, ExternalSecretStatus};
pub use fan_out::{ClusterExternalSecret, ClusterPushSecret};
pub use generator_state::GeneratorState;
pub use push_secret::{PushSecret, PushSecretSpec, PushSecretStatus};
pub use store::{ClusterSecretStore, SecretStore, SecretStoreSpec, SecretStoreStatus};
