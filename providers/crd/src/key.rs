//! What `remoteRef.key` means: the name of an object, in a ClusterSecretStore with its namespace
//! before a slash. Texts are upstream's.

use lockstep_provider_api::prelude::*;

/// An object as a reference names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key<'a> {
    /// Name of the object.
    pub(crate) name: &'a str,
    /// Namespace that the key names.
    pub(crate) namespace: Option<&'a str>,
}

impl<'a> Key<'a> {
    /// Parses a key of a SecretStore, which has a home namespace, or of a ClusterSecretStore.
    pub(crate) fn parse(key: &'a str, home: Option<&str>) -> Result<Self> {
        let refused = |text: String| Err(Error::invalid_spec(text));
        if key.is_empty() {
            return refused("crd: ref.key must not be empty".to_owned());
        }
        let Some((namespace, name)) = key.split_once('/') else {
            let (name, namespace) = (key, None);
            return Ok(Self { name, namespace });
        };
        if home.is_some() {
            return refused(
                "crd: remoteRef.key must not contain '/' for SecretStore; namespace is fixed to \
                 the store namespace"
                    .to_owned(),
            );
        }
        let fault = if namespace.is_empty() {
            "namespace segment before '/' must not be empty"
        } else if name.is_empty() {
            "object name after '/' must not be empty"
        } else if name.contains('/') {
            "must be in \"namespace/objectName\" form (exactly one '/')"
        } else {
            let namespace = Some(namespace);
            return Ok(Self { name, namespace });
        };
        refused(format!("crd: invalid remoteRef.key {key:?}: {fault}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_store_takes_the_namespace_before_the_slash() {
        let key = Key::parse("team/conf", None).unwrap();

        assert_eq!((key.namespace, key.name), (Some("team"), "conf"));
        assert_eq!(Key::parse("conf", None).unwrap().namespace, None);
    }

    #[test]
    fn keys_that_name_no_object_are_refused_with_the_reason() {
        let table = [
            ("", None, "ref.key must not be empty"),
            (
                "/conf",
                None,
                "namespace segment before '/' must not be empty",
            ),
            ("team/", None, "object name after '/' must not be empty"),
            ("a/b/c", None, "exactly one '/'"),
            (
                "team/conf",
                Some("team"),
                "must not contain '/' for SecretStore",
            ),
        ];

        for (key, home, text) in table {
            let error = Key::parse(key, home).unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
            assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
        }
    }
}
