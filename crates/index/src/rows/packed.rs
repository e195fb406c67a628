//! An object in few bytes: its JSON, compressed against what all ExternalSecrets have in common.
//! Objects are unpacked for every run, so packing must cost microseconds, and LZ4 does.

use lz4_flex::block::{compress_prepend_size_with_dict, decompress_size_prepended_with_dict};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Texts that most objects hold, in the order they are written. A change only changes how small
/// objects become: nothing packed outlives the process.
const COMMON: &[u8] = br#"{"managedFields":null,"labels":{"app.kubernetes.io/managed-by":"Helm","app.kubernetes.io/name":"","app.kubernetes.io/instance":""},"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"","argocd.argoproj.io/tracking-id":""},"ownerReferences":[{"apiVersion":"external-secrets.io/v1","blockOwnerDeletion":true,"controller":true,"kind":"ClusterExternalSecret","name":""}],"dataFrom":[{"extract":{"conversionStrategy":"Default","decodingStrategy":"None","key":"","metadataPolicy":"None","nullBytePolicy":"Ignore"}},{"find":{"name":{"regexp":""}},"rewrite":[{"regexp":{"source":"","target":""}}]}],"template":{"type":"Opaque","engineVersion":"v2","mergePolicy":"Replace","metadata":{"annotations":{},"labels":{}},"data":{"refreshPolicy":"Periodic","remoteRef":{"key":"","property":"","version":""},"status":"False","reason":"SecretSyncedError","message":"could not get secret data from provider: "{"apiVersion":"external-secrets.io/v1","kind":"ExternalSecret","metadata":{"creationTimestamp":"2026-01-01T00:00:00Z","finalizers":["externalsecrets.external-secrets.io/externalsecret-cleanup"],"generation":1,"name":"","namespace":"","resourceVersion":"","uid":""},"spec":{"secretStoreRef":{"name":"","kind":"SecretStore"},"secretStoreRef":{"name":"","kind":"ClusterSecretStore"},"target":{"name":"","creationPolicy":"Owner","deletionPolicy":"Retain"},"refreshInterval":"1h0m0s","refreshInterval":"1h","data":[{"secretKey":"","remoteRef":{"key":"","metadataPolicy":"None","property":"","conversionStrategy":"Default","decodingStrategy":"None","nullBytePolicy":"Ignore"}}]},"status":{"refreshTime":"2026-01-01T00:00:00Z","syncedResourceVersion":"1-","conditions":[{"type":"Ready","status":"True","reason":"SecretSynced","message":"secret synced","lastTransitionTime":"2026-01-01T00:00:00Z"}],"binding":{"name":""},"observedGeneration":1}}"#;

/// A packed object.
#[derive(Default)]
pub(crate) struct Packed(Box<[u8]>);

impl Packed {
    /// Packs an object; one without a JSON form gives nothing back.
    pub(crate) fn of(object: &impl Serialize) -> Self {
        let json = serde_json::to_vec(object).unwrap_or_default();
        let packed = compress_prepend_size_with_dict(&json, COMMON);
        Self(packed.into_boxed_slice())
    }

    /// The object again.
    pub(crate) fn open<T: DeserializeOwned>(&self) -> Option<T> {
        let json = decompress_size_prepended_with_dict(&self.0, COMMON).ok()?;
        serde_json::from_slice(&json).ok()
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use lockstep_api::ExternalSecret;
    use serde_json::json;

    use super::*;

    fn usual() -> ExternalSecret {
        let object = json!({
            "apiVersion": "external-secrets.io/v1",
            "kind": "ExternalSecret",
            "metadata": {
                "name": "es-000123", "namespace": "bench-023", "generation": 1,
                "uid": "0b8a4bd1-5a1c-4d53-9e39-3a3e1c0f2f11", "resourceVersion": "123456",
                "creationTimestamp": "2026-11-15T22:10:11Z",
                "finalizers": ["externalsecrets.external-secrets.io/externalsecret-cleanup"],
            },
            "spec": {
                "refreshInterval": "1h",
                "secretStoreRef": {"name": "bench", "kind": "ClusterSecretStore"},
                "target": {"creationPolicy": "Owner", "deletionPolicy": "Retain"},
                "data": [{"secretKey": "value", "remoteRef": {
                    "key": "key-000123", "conversionStrategy": "Default",
                    "decodingStrategy": "None", "metadataPolicy": "None",
                }}],
            },
            "status": {
                "refreshTime": "2026-11-15T22:10:12Z",
                "syncedResourceVersion": "1-11bffda0250c76e915bd17398f34c2ea8f5125e5692cc05061807c31",
                "binding": {"name": "es-000123"},
                "conditions": [{
                    "type": "Ready", "status": "True", "reason": "SecretSynced",
                    "message": "secret synced", "lastTransitionTime": "2026-11-15T22:10:12Z",
                }],
            },
        });
        serde_json::from_value(object).unwrap()
    }

    #[test]
    fn an_object_comes_back_as_it_was() {
        let packed = Packed::of(&usual());

        let opened: ExternalSecret = packed.open().unwrap();

        let text = |object: &ExternalSecret| serde_json::to_string(object).unwrap();
        assert_eq!(text(&opened), text(&usual()));
    }

    #[test]
    fn a_usual_object_packs_to_two_fifths() {
        let whole = serde_json::to_vec(&usual()).unwrap().len();

        let packed = Packed::of(&usual()).len();

        assert!(packed * 5 < whole * 2, "{packed} of {whole} bytes");
    }

    #[test]
    fn nothing_packed_gives_nothing_back() {
        assert!(Packed::default().open::<ExternalSecret>().is_none());
    }
}
