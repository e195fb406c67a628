//! Paths of the API. Refuses names that would change which resource a request is about.

use lockstep_provider_api::http::encode_component;
use lockstep_provider_api::prelude::*;

/// Path of the Secrets of a namespace.
pub(crate) fn secrets(namespace: &str) -> Result<String> {
    let namespace = segment("namespace", namespace)?;
    Ok(format!("/api/v1/namespaces/{namespace}/secrets"))
}

/// Path of one Secret.
pub(crate) fn secret(namespace: &str, name: &str) -> Result<String> {
    let name = segment("resource name", name)?;
    Ok(format!("{}/{name}", secrets(namespace)?))
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

    #[test]
    fn names_are_encoded_into_their_segment() {
        assert_eq!(
            secret("prod", "db é").unwrap(),
            "/api/v1/namespaces/prod/secrets/db%20%C3%A9"
        );
    }

    #[test]
    fn names_that_would_address_something_else_are_refused() {
        for name in ["", ".", "..", "a/b", "../x", "a%2fb"] {
            let error = secret("prod", name).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::InvalidSpec, "{name}");
        }
        assert!(secrets("a/secrets/b").is_err());
    }
}
