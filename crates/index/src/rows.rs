//! Tables of slim rows, one a kind, with the links between objects. A table decides whether an event
//! changes something a reconcile would look at; it requeues nothing.

mod external_secrets;
mod inputs;
mod manifest_targets;
mod namespaces;
mod packed;
mod parents;
mod push_secrets;
mod relist;
mod seen;
mod stores;
mod targets;

pub use external_secrets::{ExternalSecrets, Memory, RowChange, SyncNote};
pub use inputs::{InputKey, InputKind, Inputs, Reader};
pub use manifest_targets::{ManifestKind, ManifestTargets};
pub use namespaces::{Labels, Namespaces};
pub use parents::{Child, Parents, Row as ParentRow};
pub use push_secrets::{Memory as PushMemory, PushNote, PushSecrets};
pub use relist::{ListState, Relist};
pub use seen::number_of;
pub use stores::{StoreChange, Stores};
pub use targets::{TargetChange, Targets};
