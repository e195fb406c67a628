//! ConfigMaps and Secrets that `templateFrom` names: which ones a template needs, and what was read of
//! them. Reading them is the caller's work.

use std::collections::BTreeMap;

use lockstep_api::ExternalSecret;
use lockstep_api::external_secret::Template;
use lockstep_provider_api::SecretMap;

/// Kind of an object that holds templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// A ConfigMap.
    ConfigMap,
    /// A Secret.
    Secret,
}

/// An object that holds templates, in the namespace of the ExternalSecret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceKey {
    /// Its kind.
    pub kind: SourceKind,
    /// Its name.
    pub name: String,
}

/// Template sources by name: their data, or the text of the error that reading them gave.
pub type TemplateSources = BTreeMap<SourceKey, Result<SecretMap, String>>;

/// The objects a template takes its texts from, in order and once each.
pub fn template_sources(object: &ExternalSecret) -> Vec<SourceKey> {
    let target = object.spec.target.as_ref();
    sources_of(target.and_then(|target| target.template.as_deref()))
}

/// The objects that `templateFrom` of a template names.
pub(crate) fn sources_of(template: Option<&Template>) -> Vec<SourceKey> {
    let mut keys = Vec::new();
    for entry in template.iter().flat_map(|template| &template.template_from) {
        let config_map = entry
            .config_map
            .iter()
            .map(|held| (SourceKind::ConfigMap, held));
        let secret = entry.secret.iter().map(|held| (SourceKind::Secret, held));
        for (kind, reference) in config_map.chain(secret) {
            let key = SourceKey {
                kind,
                name: reference.name.clone(),
            };
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    keys
}
