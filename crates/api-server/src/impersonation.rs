//! The headers that make requests on behalf of another user, as a kubeconfig's `as` fields ask
//! for. Leaving them out would act with more rights than the file grants, so a bad one is refused.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use http::header::{HeaderName, HeaderValue};
use lockstep_provider_api::prelude::*;

/// On whose behalf requests are made.
#[derive(Default)]
pub(crate) struct Impersonation {
    /// User to act as; empty for nobody.
    pub(crate) user: String,
    /// Its uid.
    pub(crate) uid: String,
    /// Its groups.
    pub(crate) groups: Vec<String>,
    /// Its further attributes.
    pub(crate) extra: BTreeMap<String, Vec<String>>,
}

impl Impersonation {
    /// The headers to send.
    pub(crate) fn headers(&self) -> Result<Vec<(HeaderName, HeaderValue)>> {
        let has_details = !(self.uid.is_empty() && self.groups.is_empty() && self.extra.is_empty());
        if self.user.is_empty() && has_details {
            return Err(Error::invalid_spec(
                "as-uid, as-groups and as-user-extra need the user in as",
            ));
        }
        let one = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut pairs = Vec::new();
        for (name, value) in [("user", &self.user), ("uid", &self.uid)] {
            if !value.is_empty() {
                pairs.push(one(name, value));
            }
        }
        pairs.extend(self.groups.iter().map(|group| one("group", group)));
        for (key, values) in &self.extra {
            let name = format!("extra-{}", escaped(key));
            pairs.extend(values.iter().map(|value| one(&name, value)));
        }
        pairs
            .iter()
            .map(|(name, value)| header(name, value))
            .collect()
    }
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue)> {
    let refused = || Error::invalid_spec(format!("as: {name} cannot be sent in a header"));
    let full = format!("impersonate-{name}");
    let name = HeaderName::from_bytes(full.as_bytes()).map_err(|_| refused())?;
    let value = HeaderValue::from_str(value).map_err(|_| refused())?;
    Ok((name, value))
}

/// Percent-encodes what a header name cannot carry.
fn escaped(key: &str) -> String {
    let mut out = String::new();
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&'*+-.^_`|~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_groups_and_extras_become_headers() {
        let who = Impersonation {
            user: "jane".to_owned(),
            uid: "7".to_owned(),
            groups: vec!["dev".to_owned(), "ops".to_owned()],
            extra: BTreeMap::from([("acme.com/role".to_owned(), vec!["x".to_owned()])]),
        };

        let headers = who.headers().unwrap();

        let shown: Vec<_> = headers
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        assert_eq!(
            shown,
            [
                "impersonate-user: jane",
                "impersonate-uid: 7",
                "impersonate-group: dev",
                "impersonate-group: ops",
                "impersonate-extra-acme.com%2frole: x",
            ]
        );
    }

    #[test]
    fn groups_without_a_user_are_refused() {
        let who = Impersonation {
            groups: vec!["dev".to_owned()],
            ..Impersonation::default()
        };

        assert!(who.headers().is_err());
        assert!(Impersonation::default().headers().unwrap().is_empty());
    }
}
