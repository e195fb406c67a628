//! `spec.provider.keepersecurity`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

/// Records of a Keeper application.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeepersecuritySpec {
    /// The configuration of a device, as JSON or base64 of it.
    pub auth_ref: SecretKeySelector,
    /// UID of the shared folder that pushed records go to.
    #[serde(rename = "folderID")]
    pub folder_id: String,
    /// Whether a key that is no UID may be a title.
    #[serde(default)]
    pub get_by_title_fallback: Option<bool>,
}

impl KeepersecuritySpec {
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        let checked = scope.check_strict(self.auth_ref.namespace.as_deref());
        checked.map_err(|error| error.context("error validating secret selector"))?;
        if self.folder_id.is_empty() {
            return Err(Error::invalid_spec(
                "missing: spec.provider.keepersecurity.folderID",
            ));
        }
        Ok(Warnings::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_store_names_a_namespace_and_every_store_a_folder() {
        let mut spec = KeepersecuritySpec {
            auth_ref: SecretKeySelector::default(),
            folder_id: "folder".to_owned(),
            get_by_title_fallback: None,
        };
        let cluster = Scope::Cluster { caller: None };
        let own = Scope::Namespaced {
            namespace: "own".to_owned(),
        };

        let text = spec.admit(&cluster).unwrap_err().to_string();
        assert!(
            text.starts_with("error validating secret selector: "),
            "{text}"
        );
        assert!(spec.admit(&own).is_ok());
        spec.folder_id.clear();
        let text = spec.admit(&own).unwrap_err().to_string();
        assert_eq!(text, "missing: spec.provider.keepersecurity.folderID");
    }
}
