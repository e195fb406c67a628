//! CRDs as YAML files: one a definition, and all of them in one.
//! The output depends on nothing but the definitions; it is committed and compared.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Crd, CrdError, all};

/// Name of the file with all definitions.
const BUNDLE: &str = "bundle.yaml";

/// File names and contents, the bundle last.
pub fn render(providers: &BTreeMap<String, Value>) -> Result<Vec<(String, String)>, CrdError> {
    let mut files = Vec::new();
    let mut bundle = String::new();
    for crd in all(providers)? {
        let yaml = crd.yaml()?;
        bundle.push_str("---\n");
        bundle.push_str(&yaml);
        files.push((format!("{}.yaml", crd.name), yaml));
    }
    files.push((BUNDLE.to_owned(), bundle));
    Ok(files)
}

impl Crd {
    /// The manifest as YAML that readers of YAML 1.1, such as kubectl, understand alike.
    pub fn yaml(&self) -> Result<String, CrdError> {
        let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
        serde_saphyr::to_string_with_options(&self.manifest, options).map_err(|error| {
            CrdError::Yaml {
                crd: self.name.clone(),
                message: error.to_string(),
            }
        })
    }
}
