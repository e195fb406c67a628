//! Names of secrets and versions below a project or one of its locations. What cannot be a name is
//! refused here, so that nothing of a manifest changes the path of a request.

use lockstep_provider_api::http::encode_component;
use lockstep_provider_api::prelude::*;

use super::Api;

impl Api {
    pub(crate) fn is_regional(&self) -> bool {
        self.location.is_some()
    }

    /// `projects/p`, or `projects/p/locations/l`.
    pub(super) fn parent(&self) -> String {
        let project = encode_component(&self.project);
        match &self.location {
            None => format!("projects/{project}"),
            Some(location) => {
                format!(
                    "projects/{project}/locations/{}",
                    encode_component(location)
                )
            }
        }
    }

    /// Name of a secret. What cannot be a name never gets into a URL.
    pub(crate) fn secret_name(&self, key: &str) -> Result<String> {
        if !is_word(key) {
            return Err(Error::invalid_spec(format!(
                "{key:?} is not a valid secret name; a name has 1 to 255 letters, digits, '_' and '-'"
            )));
        }
        Ok(format!("{}/secrets/{key}", self.parent()))
    }

    pub(super) fn version_name(&self, key: &str, version: &str) -> Result<String> {
        if !is_word(version) {
            return Err(Error::invalid_spec(format!(
                "{version:?} is not a valid version; give its number, an alias or \"latest\""
            )));
        }
        Ok(format!("{}/versions/{version}", self.secret_name(key)?))
    }

    /// Flags of `gcloud` that name a secret's place, for remedies.
    pub(crate) fn flags(&self) -> String {
        match &self.location {
            None => format!("--project={}", self.project),
            Some(location) => format!("--project={} --location={location}", self.project),
        }
    }
}

/// Whether a text can be the name of a secret, or a version or alias.
fn is_word(text: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !text.is_empty() && text.len() <= 255 && text.chars().all(legal)
}
