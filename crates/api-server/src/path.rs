//! Paths of the API. Refuses names that would change which resource a request is about.

use lockstep_provider_api::http::encode_component;
use lockstep_provider_api::prelude::*;

/// A resource of the API by its names on the wire.
#[derive(Clone, Copy, Debug)]
pub struct Resource<'a> {
    /// API group; empty for the core group.
    pub group: &'a str,
    /// Version of the group.
    pub version: &'a str,
    /// Plural name.
    pub plural: &'a str,
}

impl Resource<'_> {
    /// Path of the group and version, where the API server lists what it has.
    pub fn root(&self) -> Result<String> {
        let version = segment("version", self.version)?;
        if self.group.is_empty() {
            return Ok(format!("/api/{version}"));
        }
        let group = segment("group", self.group)?;
        Ok(format!("/apis/{group}/{version}"))
    }

    /// Path of all objects, of one namespace or, without one, of the cluster.
    pub fn collection(&self, namespace: Option<&str>) -> Result<String> {
        let (root, plural) = (self.root()?, segment("resource", self.plural)?);
        match namespace {
            None => Ok(format!("{root}/{plural}")),
            Some(namespace) => {
                let namespace = segment("namespace", namespace)?;
                Ok(format!("{root}/namespaces/{namespace}/{plural}"))
            }
        }
    }

    /// Path of one object.
    pub fn object(&self, namespace: Option<&str>, name: &str) -> Result<String> {
        let name = segment("resource name", name)?;
        Ok(format!("{}/{name}", self.collection(namespace)?))
    }
}

/// An empty name would address the whole list, a slash or dots another resource.
fn segment(what: &str, text: &str) -> Result<String> {
    let refused = |reason| {
        Err(Error::invalid_spec(format!(
            "invalid {what} {text:?}: {reason}"
        )))
    };
    match text {
        "" => refused("may not be empty"),
        "." | ".." => refused("may not be '.' or '..'"),
        _ if text.contains('/') => refused("may not contain '/'"),
        _ if text.contains('%') => refused("may not contain '%'"),
        _ => Ok(encode_component(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRETS: Resource<'_> = Resource {
        group: "",
        version: "v1",
        plural: "secrets",
    };

    #[test]
    fn names_are_encoded_into_their_segment() {
        assert_eq!(
            SECRETS.object(Some("prod"), "db é").unwrap(),
            "/api/v1/namespaces/prod/secrets/db%20%C3%A9"
        );
    }

    #[test]
    fn a_group_has_a_root_of_its_own_and_a_cluster_wide_object_no_namespace() {
        let widgets = Resource {
            group: "acme.com",
            version: "v1beta1",
            plural: "widgets",
        };

        assert_eq!(
            widgets.object(None, "a").unwrap(),
            "/apis/acme.com/v1beta1/widgets/a"
        );
        assert_eq!(
            widgets.collection(Some("team")).unwrap(),
            "/apis/acme.com/v1beta1/namespaces/team/widgets"
        );
    }

    #[test]
    fn names_that_would_address_something_else_are_refused() {
        for name in ["", ".", "..", "a/b", "../x", "a%2fb"] {
            let error = SECRETS.object(Some("prod"), name).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::InvalidSpec, "{name}");
        }
        assert!(SECRETS.collection(Some("a/secrets/b")).is_err());
    }
}
