//! TLS of the webhook: one certificate that can be exchanged while it serves, and the protocol
//! versions and ciphers that flags ask for, in Go's spelling.

use std::sync::Arc;

use parking_lot::Mutex;
use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

/// Cipher suites that Go knows and this program does not offer; asking for them is no error.
const WEAK: &[&str] = &["_CBC_", "_RC4_", "_3DES_", "TLS_RSA_"];

/// The certificate that is served, once there is one. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Shown(Arc<Mutex<Option<Arc<CertifiedKey>>>>);

impl Shown {
    /// Serves this certificate from now on; says whether it is another than before.
    pub fn show(&self, key: CertifiedKey) -> bool {
        let mut shown = self.0.lock();
        let news = shown.as_ref().is_none_or(|old| old.cert != key.cert);
        *shown = Some(Arc::new(key));
        news
    }

    /// Whether there is a certificate.
    pub fn is_there(&self) -> bool {
        self.current().is_some()
    }

    fn current(&self) -> Option<Arc<CertifiedKey>> {
        self.0.lock().clone()
    }
}

impl ResolvesServerCert for Shown {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.current()
    }
}

/// The server's settings. `minimum` is `1.2` or `1.3`, older ones mean 1.2; `ciphers` is a comma
/// list of Go's names for TLS 1.2, all when empty.
pub fn config(shown: &Shown, minimum: &str, ciphers: &str) -> Result<Arc<ServerConfig>, String> {
    let versions: &[_] = match minimum {
        "" | "1.0" | "1.1" | "1.2" => &[&rustls::version::TLS12, &rustls::version::TLS13],
        _ => &[&rustls::version::TLS13],
    };
    let mut provider = ring::default_provider();
    if !ciphers.is_empty() {
        choose(&mut provider, ciphers)?;
    }
    let builder = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(versions)
        .map_err(|error| format!("TLS: {error}"))?;
    let resolver = Arc::new(shown.clone());
    Ok(Arc::new(
        builder.with_no_client_auth().with_cert_resolver(resolver),
    ))
}

/// Keeps the named suites of TLS 1.2; those of TLS 1.3 are not for choosing, as in Go.
fn choose(provider: &mut CryptoProvider, ciphers: &str) -> Result<(), String> {
    let name_of = |suite: &rustls::SupportedCipherSuite| format!("{:?}", suite.suite());
    let known: Vec<_> = provider.cipher_suites.iter().map(name_of).collect();
    let wanted: Vec<_> = ciphers.split(',').map(str::trim).collect();
    for name in &wanted {
        let go_13 = name.replacen("TLS_", "TLS13_", 1);
        let weak = WEAK.iter().any(|part| name.contains(part));
        if !(weak || known.iter().any(|k| k == name || *k == go_13)) {
            return Err(format!("unknown cipher suite {name:?} in --tls-ciphers"));
        }
    }
    provider.cipher_suites.retain(|suite| {
        let name = name_of(suite);
        name.starts_with("TLS13_") || wanted.contains(&name.as_str())
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ciphers_are_chosen_by_gos_names() {
        let mut provider = ring::default_provider();

        choose(
            &mut provider,
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_RSA_WITH_AES_128_CBC_SHA",
        )
        .unwrap();

        let old = provider
            .cipher_suites
            .iter()
            .filter(|suite| suite.tls13().is_none());
        assert_eq!(old.count(), 1);
    }

    #[test]
    fn an_unknown_cipher_is_refused_by_name() {
        let error = config(&Shown::default(), "1.2", "TLS_NO_SUCH").unwrap_err();

        assert!(error.contains("TLS_NO_SUCH"), "{error}");
    }

    #[test]
    fn there_is_nothing_to_show_at_first() {
        assert!(!Shown::default().is_there());
    }
}
