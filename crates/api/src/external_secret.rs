//! ExternalSecret v1: the kind that asks for a Secret made of values from stores.
//!
//! Reading is tolerant: unknown fields are dropped, unknown words of enumerations kept. Nothing is
//! filled in: an absent field stays absent when the object is written back. What absence means is
//! said by the accessors of each type.

mod data;
mod data_from;
mod spec;
mod status;
mod target;
mod template;

pub use data::{
    ConversionStrategy, DataEntry, DecodingStrategy, GeneratorKind, GeneratorRef, MetadataPolicy,
    NullBytePolicy, RemoteRef, SourceRef,
};
pub use data_from::{
    DataFromEntry, Find, FindName, MergeConflictPolicy, MergePriorityPolicy, MergeStrategy,
    Rewrite, RewriteMerge, RewriteRegexp, RewriteTransform,
};
pub use spec::{
    ExternalSecretSpec, RefreshPolicy, StoreKind, StoreRef, SyncWindow, SyncWindowKind, SyncWindows,
};
pub use status::{Binding, ExternalSecretStatus};
pub use target::{CreationPolicy, DeletionPolicy, ManifestRef, Target};
pub use template::{
    EngineVersion, Template, TemplateAs, TemplateFrom, TemplateItem, TemplateMergePolicy,
    TemplateMetadata, TemplateRef,
};

use crate::root::custom_resource;

custom_resource! {
    /// An ExternalSecret.
    ExternalSecret in "external-secrets.io" "v1" as "externalsecrets", NamespaceResourceScope,
    spec: ExternalSecretSpec, status: ExternalSecretStatus
}

impl ExternalSecret {
    /// Name of the target object: `spec.target.name`, else the name of the ExternalSecret.
    pub fn target_name(&self) -> &str {
        self.spec
            .target
            .as_ref()
            .and_then(|target| target.name.as_deref())
            .filter(|name| !name.is_empty())
            .or(self.metadata.name.as_deref())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
