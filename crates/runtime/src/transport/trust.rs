//! Trust in the authorities that a manifest names. A server may present one of them as its own
//! certificate: self-signed certificates are marked as authorities by common tools, and Go, which
//! upstream is written in, takes them. Everything else is checked as usual.

use std::sync::Arc;

use lockstep_provider_api::error::{Error, Result};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::CryptoProvider;
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};

/// What the chain check says of an authority that is used as a server's certificate. It says so after
/// it has looked at the dates.
const AUTHORITY_AS_SERVER: &str = "CaUsedAsEndEntity";

/// Checks chains up to the given authorities, and takes an authority itself.
#[derive(Debug)]
pub(super) struct OwnAuthorities {
    chains: Arc<WebPkiServerVerifier>,
    authorities: Vec<CertificateDer<'static>>,
}

impl OwnAuthorities {
    /// Trusts the certificates of a PEM text and nobody else.
    pub(super) fn from_pem(pem: &[u8], provider: Arc<CryptoProvider>) -> Result<Self> {
        let authorities: Vec<_> = CertificateDer::pem_slice_iter(pem)
            .filter_map(std::result::Result::ok)
            .collect();
        let mut roots = RootCertStore::empty();
        let (added, _) = roots.add_parsable_certificates(authorities.iter().cloned());
        if added == 0 {
            let text = "the certificate authority holds no PEM certificate that can be read";
            return Err(Error::invalid_spec(text));
        }
        let builder = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        let chains = builder.build();
        let chains = chains.map_err(|error| Error::invalid_spec(format!("TLS: {error}")))?;
        Ok(Self {
            chains,
            authorities,
        })
    }
}

impl ServerCertVerifier for OwnAuthorities {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let checked = self
            .chains
            .verify_server_cert(certificate, chain, name, ocsp, now);
        let is_authority = match &checked {
            Err(rustls::Error::InvalidCertificate(CertificateError::Other(why))) => {
                why.0.to_string() == AUTHORITY_AS_SERVER && self.authorities.contains(certificate)
            }
            _ => false,
        };
        if !is_authority {
            return checked;
        }
        verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.chains
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.chains
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chains.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
    use rustls::crypto::ring;

    use super::*;

    fn authority(name: &str) -> (String, CertificateDer<'static>) {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        (certificate.pem(), certificate.der().clone())
    }

    fn takes(pem: &str, certificate: &CertificateDer<'_>, name: &str) -> bool {
        let provider = Arc::new(ring::default_provider());
        let own = OwnAuthorities::from_pem(pem.as_bytes(), provider).unwrap();
        let name = ServerName::try_from(name).unwrap();
        let checked = own.verify_server_cert(certificate, &[], &name, &[], UnixTime::now());
        checked.is_ok()
    }

    #[test]
    fn an_authority_that_is_named_may_be_the_servers_own_certificate() {
        let (pem, certificate) = authority("vault.test");

        assert!(takes(&pem, &certificate, "vault.test"));
    }

    #[test]
    fn another_name_and_an_authority_that_is_not_named_are_refused() {
        let (pem, certificate) = authority("vault.test");
        let (other, _) = authority("vault.test");

        assert!(!takes(&pem, &certificate, "other.test"));
        assert!(!takes(&other, &certificate, "vault.test"));
    }
}
