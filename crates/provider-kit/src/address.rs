//! Addresses of backends as manifests spell them: a base to which paths are appended, and the host
//! and port behind it. Checks nothing but the form; requests are made in `rest`.

use std::fmt;

use http::Uri;
use lockstep_provider_api::prelude::*;

/// The port a connection test takes for an address without one, whatever its scheme.
const DEFAULT_PORT: u16 = 443;

/// An `http` or `https` URL without a final slash.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(String);

impl Address {
    /// Takes an address from the named manifest field.
    pub fn new(field: &str, url: &str) -> Result<Self> {
        let trimmed = url.trim_end_matches('/');
        let parsed: Option<Uri> = trimmed.parse().ok();
        let known = |uri: &Uri| matches!(uri.scheme_str(), Some("http" | "https"));
        if parsed.is_some_and(|uri| known(&uri) && uri.host().is_some_and(|host| !host.is_empty()))
        {
            return Ok(Self(trimmed.to_owned()));
        }
        Err(Error::invalid_spec(format!(
            "{field} must be a URL that begins with https:// or http://"
        )))
    }

    /// The address with `path` behind it; `path` begins with a slash.
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }

    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Host and port, 443 where no port is given.
    pub fn host_and_port(&self) -> (String, u16) {
        let uri: Uri = self.0.parse().unwrap_or_default();
        let host = uri.host().unwrap_or_default().to_owned();
        (host, uri.port_u16().unwrap_or(DEFAULT_PORT))
    }

    /// Opens and closes a connection, for stores whose check sends no request.
    pub async fn reach(&self, ctx: &Ctx) -> Result<()> {
        let (host, port) = self.host_and_port();
        ctx.reach(&host, port).await
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (host, port) = self.host_and_port();
        write!(f, "Address({host}:{port})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_put_behind_the_base_and_its_path() {
        let base = Address::new("url", "https://h.example/api/").unwrap();

        assert_eq!(base.join("/v1/x"), "https://h.example/api/v1/x");
    }

    #[test]
    fn an_address_without_scheme_or_host_is_refused_by_its_field() {
        for url in ["", "h.example", "ftp://h", "https://"] {
            let error = Address::new("spec.provider.x.url", url).unwrap_err();

            assert_eq!(error.kind(), &ErrorKind::InvalidSpec, "{url}");
            assert!(error.to_string().starts_with("spec.provider.x.url "));
        }
    }

    #[test]
    fn the_port_of_a_connection_test_is_443_unless_given() {
        let of = |url| Address::new("url", url).unwrap().host_and_port();

        assert_eq!(of("http://h.example/x"), ("h.example".to_owned(), 443));
        assert_eq!(of("https://h.example:8443"), ("h.example".to_owned(), 8443));
    }
}
