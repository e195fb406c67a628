//! How an API server is reached: its address, whom to trust, and who we are there. Follows
//! client-go's rules for addresses without a scheme. Fetches and sends nothing.

use std::time::Duration;

use http::Uri;
use http::header::{HeaderName, HeaderValue};
use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;

/// Everything needed to open a connection.
#[derive(Debug)]
pub struct Access {
    /// Scheme, host and path prefix, without a slash at the end.
    pub server: String,
    /// Trust and client certificate.
    pub tls: Tls,
    /// Who we are, beside the client certificate.
    pub login: Login,
    /// On whose behalf requests are made, as headers.
    pub impersonation: Vec<(HeaderName, HeaderValue)>,
    /// When a credential must be replaced.
    pub renew_after: Option<Duration>,
}

/// A credential that goes into the `Authorization` header.
#[derive(Debug)]
pub enum Login {
    /// None.
    Anonymous,
    /// A bearer token.
    Bearer(SecretValue),
    /// A user name and a password.
    Basic(String, SecretValue),
}

/// Whether an address asks for TLS by itself.
pub(crate) fn is_https(address: &str) -> bool {
    address
        .split_once("://")
        .is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("https"))
}

/// The address requests are built on. Without a scheme it is https where `default_tls` says so and
/// http otherwise, and may not have a path.
pub(crate) fn server_url(address: &str, default_tls: bool) -> Result<String> {
    let refused = || {
        Error::invalid_spec(format!(
            "host must be a URL or a host:port pair: {address:?}"
        ))
    };
    let has_scheme = address
        .split_once("://")
        .is_some_and(|(scheme, _)| !scheme.is_empty());
    let full = match (has_scheme, default_tls) {
        (true, _) => address.to_owned(),
        (false, true) => format!("https://{address}"),
        (false, false) => format!("http://{address}"),
    };
    let uri: Uri = full.parse().map_err(|_| refused())?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(refused());
    };
    if authority.as_str().contains('@') {
        return Err(Error::invalid_spec(
            "the server's URL may not hold a user name or password",
        ));
    }
    let path = uri.path().trim_end_matches('/');
    let is_usable = matches!(scheme, "http" | "https")
        && !authority.host().is_empty()
        && (has_scheme || path.is_empty());
    if !is_usable {
        return Err(refused());
    }
    Ok(format!("{scheme}://{authority}{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_scheme_is_https_only_where_a_certificate_is_configured() {
        let table = [
            ("kubernetes.default", false, "http://kubernetes.default"),
            ("kubernetes.default", true, "https://kubernetes.default"),
            ("10.0.0.1:6443", true, "https://10.0.0.1:6443"),
            ("[::1]:6443", true, "https://[::1]:6443"),
            ("https://h", false, "https://h"),
            ("http://h", true, "http://h"),
        ];

        for (address, default_tls, url) in table {
            assert_eq!(server_url(address, default_tls).unwrap(), url);
        }
    }

    #[test]
    fn a_path_is_kept_as_a_prefix_and_query_and_fragment_are_dropped() {
        for address in [
            "https://h/k8s/c-1",
            "https://h/k8s/c-1/",
            "https://h/k8s/c-1?a=b",
        ] {
            assert_eq!(server_url(address, false).unwrap(), "https://h/k8s/c-1");
        }
        assert_eq!(server_url("https://h/", false).unwrap(), "https://h");
    }

    #[test]
    fn addresses_that_are_no_server_are_refused_by_name() {
        for address in ["host/path", "ftp://h", "https://", "a b", "https://:443"] {
            let error = server_url(address, true).unwrap_err();

            assert_eq!(error.kind(), &ErrorKind::InvalidSpec, "{address}");
            assert!(error.to_string().contains(address), "{error}");
        }
    }

    #[test]
    fn a_password_in_an_address_is_refused_without_showing_it() {
        let error = server_url("https://u:hunter2@h", true).unwrap_err();

        assert!(!error.to_string().contains("hunter2"));
    }
}
