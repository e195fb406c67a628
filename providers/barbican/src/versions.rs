//! Which version of an API is behind an address: the one in its path, or the one that the service names when
//! it is asked. Knows what Keystone and Barbican answer; asks for nothing else.

use lockstep_provider_api::http::{Method, RequestBuilder};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest};
use serde::Deserialize;

use crate::error::Asked;

/// A version of Keystone's API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    V2,
    V3,
}

#[derive(Deserialize)]
struct Document {
    versions: Listed,
}

/// Keystone and Barbican wrap the list once more; others do not.
#[derive(Deserialize)]
#[serde(untagged)]
enum Listed {
    Wrapped { values: Vec<Entry> },
    Bare(Vec<Entry>),
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    id: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    links: Vec<Link>,
}

#[derive(Deserialize)]
struct Link {
    #[serde(default)]
    rel: String,
    #[serde(default)]
    href: String,
}

/// The version of Keystone at the address of `rest`, and where it is.
pub(crate) async fn identity(rest: &Rest) -> Result<(Version, Address)> {
    let base = rest.base();
    for (version, end) in [(Version::V3, "/v3"), (Version::V2, "/v2.0")] {
        if base.as_str().ends_with(end) {
            return Ok((version, base.clone()));
        }
    }
    let base = Address::new("authURL", unversioned(base.as_str()))?;
    let entries = ask(rest, &base, |request| request).await?;
    let usable = |entry: &&Entry| {
        let status = entry.status.to_lowercase();
        matches!(status.as_str(), "current" | "supported" | "stable")
    };
    for (version, id) in [(Version::V3, "v3"), (Version::V2, "v2.0")] {
        let found = entries.iter().filter(usable).find(|it| it.id.contains(id));
        let links = found.into_iter().flat_map(|entry| &entry.links);
        if let Some(link) = links.into_iter().find(|link| link.rel == "self") {
            return Ok((
                version,
                Address::new("the address of Keystone", &link.href)?,
            ));
        }
    }
    Err(Error::invalid_spec(format!(
        "No supported version available from endpoint {}/",
        base.as_str()
    )))
}

/// The base of version 1 of a key manager; `None` where it has no such version.
pub(crate) async fn key_manager(
    rest: &Rest,
    token: &SecretValue,
    endpoint: Address,
) -> Result<Option<Address>> {
    if let Some(major) = endpoint.as_str().rsplit('/').next().and_then(major) {
        return Ok((major == 1).then_some(endpoint));
    }
    let entries = ask(rest, &endpoint, |request| {
        request.secret_header("x-auth-token", token)
    });
    let has = entries.await?.iter().any(|it| major(&it.id) == Some(1));
    let base = Address::new("the address of the key manager", &endpoint.join("/v1"))?;
    Ok(has.then_some(base))
}

async fn ask(
    rest: &Rest,
    base: &Address,
    sign: impl FnOnce(RequestBuilder) -> RequestBuilder,
) -> Result<Vec<Entry>> {
    let url = base.join("/");
    let rest = rest.clone().at(base.clone());
    let asked = Asked {
        method: Method::GET,
        url: &url,
        expected: &[200, 300],
    };
    let request = sign(rest.get("/").accept_json());
    let answer = rest
        .send("GetVersions", request, |answer| asked.check(answer))
        .await?;
    let document: Document = answer.json()?;
    let (Listed::Wrapped { values } | Listed::Bare(values)) = document.versions;
    Ok(values)
}

/// The number in `v1` or `v3.14`.
fn major(version: &str) -> Option<u32> {
    let number = version.strip_prefix('v')?;
    number.split('.').next()?.parse().ok()
}

/// The address up to a segment that is a version.
fn unversioned(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let mut at = start;
    for segment in url[start..].split('/') {
        if at > start && major(segment).is_some() {
            return url[..at].trim_end_matches('/');
        }
        at += segment.len() + 1;
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_a_number_behind_a_letter() {
        assert_eq!(major("v1"), Some(1));
        assert_eq!(major("v3.14"), Some(3));
        assert_eq!(major("identity"), None);
        assert_eq!(major("vault"), None);
    }

    #[test]
    fn an_address_is_cut_before_its_version() {
        assert_eq!(unversioned("https://k:5000"), "https://k:5000");
        assert_eq!(unversioned("https://k/identity"), "https://k/identity");
        assert_eq!(unversioned("https://k/id/v3/extra"), "https://k/id");
        assert_eq!(unversioned("https://v3/id"), "https://v3/id");
    }
}
