//! Custom metadata of a secret: what an entry wants of it, and setting it beside what others set. KV v1
//! keeps it in the secret itself.

use lockstep_provider_api::locks::Locks;
use lockstep_provider_api::metadata;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use crate::api::{Kv, Words};
use crate::managed;
use crate::push::Checked;
use crate::spec::Version;

/// `metadata.spec` of an entry. Pushes of the operator have none for Vault.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Metadata {
    custom_metadata: Words,
}

/// The custom metadata that a push names, without the mark.
pub(super) fn custom_metadata(item: &PushItem) -> Result<Words> {
    let parsed: Option<Metadata> = metadata::parse(item.metadata.as_ref())?;
    let custom = parsed.unwrap_or_default().custom_metadata;
    if custom.contains_key(managed::KEY) {
        return Err(Error::invalid_spec(format!(
            "customMetadata must not name {:?}: that is the mark of what is managed",
            managed::KEY
        )));
    }
    Ok(custom)
}

impl Kv {
    /// Sets custom metadata beside what is there.
    pub(super) async fn set_custom(&self, key: &str, custom: Words) -> Result<()> {
        let ctx = self.connection.ctx();
        let lock = ctx.shared::<Locks>().of(&self.lock_name(key));
        let _held = lock.lock().await;
        let mut current = self.current(key).await?;
        current.custom.extend(custom);
        match (self.version(), current.data.clone()) {
            (Version::V2, _) => Ok(self.write_metadata(key, &current.custom).await?),
            (Version::V1, Some(members)) => self.replace(key, members, &current, Checked::No).await,
            (Version::V1, None) => Err(Error::not_found()),
        }
    }
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::PushTarget;
    use lockstep_provider_api::metadata::{API_VERSION, KIND};
    use serde_json::{Value, json};

    use super::*;

    fn named(spec: Option<Value>) -> Result<Words> {
        let mut item = PushItem::whole(PushTarget::key("k"), SecretMap::new());
        item.metadata =
            spec.map(|spec| json!({ "apiVersion": API_VERSION, "kind": KIND, "spec": spec }));
        custom_metadata(&item)
    }

    #[test]
    fn custom_metadata_is_optional_and_other_settings_are_refused() {
        let team = json!({ "customMetadata": { "team": "a" } });

        assert_eq!(named(None).unwrap(), Words::new());
        assert_eq!(named(Some(team)).unwrap()["team"], "a");
        assert!(named(Some(json!({ "tags": { "team": "a" } }))).is_err());
    }

    #[test]
    fn the_mark_cannot_be_named() {
        let mark = json!({ "customMetadata": { "managed-by": "me" } });

        let refused = named(Some(mark)).unwrap_err().to_string();

        assert!(refused.contains("managed-by"), "{refused}");
    }
}
