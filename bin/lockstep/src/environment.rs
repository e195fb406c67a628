//! Environment variables, read here and nowhere below the binary.

use lockstep_runtime::connect::Proxy;

/// The usual proxy variables, in either case.
pub(crate) fn proxy() -> Proxy {
    Proxy {
        http: either("HTTP_PROXY", "http_proxy"),
        https: either("HTTPS_PROXY", "https_proxy"),
        no: either("NO_PROXY", "no_proxy"),
    }
}

/// Name of this host, as the lease's holder shows it.
#[cfg(feature = "cluster")]
pub(crate) fn hostname() -> String {
    let name = std::env::var("HOSTNAME").ok();
    let name = name.or_else(|| std::fs::read_to_string("/etc/hostname").ok());
    name.map_or_else(|| "localhost".to_owned(), |name| name.trim().to_owned())
}

fn either(upper: &str, lower: &str) -> String {
    std::env::var(upper).or_else(|_| std::env::var(lower)).unwrap_or_default()
}
