//! Turns a contract [`Tls`] into a rustls configuration: custom authorities replace the system's,
//! client certificates, another server name, or no verification at all.

use std::sync::{Arc, OnceLock};

use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use lockstep_provider_api::error::{Error, Result};
use lockstep_provider_api::http::{Identity, Tls, Verification};
use rustls::client::WantsClientCert;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::{
    ClientConfig, ConfigBuilder, DigitallySignedStruct, RootCertStore, SignatureScheme,
    WantsVerifier,
};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};

use super::certificate::Explaining;
use super::trust::OwnAuthorities;
use crate::connect::Connector;

/// An HTTPS connector with the given trust and identity.
pub(super) fn connector(tls: &Tls, tcp: Connector) -> Result<HttpsConnector<Connector>> {
    let mut builder = HttpsConnectorBuilder::new()
        .with_tls_config(client_config(tls)?)
        .https_or_http();
    if let Verification::ServerName(name) = &tls.verification {
        let name = ServerName::try_from(name.clone())
            .map_err(|_| Error::invalid_spec(format!("{name:?} is not a server name")))?;
        builder = builder.with_server_name_resolver(FixedServerNameResolver::new(name));
    }
    Ok(builder.enable_all_versions().wrap_connector(tcp))
}

fn client_config(tls: &Tls) -> Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::invalid_spec(format!("TLS: {error}")))?;
    let builder = match (&tls.verification, &tls.ca) {
        (Verification::Off, _) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(NoVerification(provider))),
        (_, Some(ca)) => {
            let own = OwnAuthorities::from_pem(ca, provider)?;
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Explaining(Arc::new(own))))
        }
        (_, None) => verified(builder, system_roots(), provider),
    };
    match &tls.identity {
        None => Ok(builder.with_no_client_auth()),
        Some(identity) => {
            let (chain, key) = key_pair(identity)?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(|error| Error::invalid_spec(format!("client certificate: {error}")))
        }
    }
}

type Unverified = ConfigBuilder<ClientConfig, WantsVerifier>;
type Verified = ConfigBuilder<ClientConfig, WantsClientCert>;

/// Believes servers of these authorities, and explains why it does not believe others.
fn verified(
    builder: Unverified,
    roots: Arc<RootCertStore>,
    provider: Arc<CryptoProvider>,
) -> Verified {
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::clone(&roots), provider);
    match verifier.build() {
        Ok(verifier) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Explaining(verifier))),
        // Without any authority there is nothing to verify by, and every server is refused.
        Err(_) => builder.with_root_certificates(roots),
    }
}

/// The machine's certificate authorities, read once when first needed.
fn system_roots() -> Arc<RootCertStore> {
    static ROOTS: OnceLock<Arc<RootCertStore>> = OnceLock::new();
    let roots = ROOTS.get_or_init(|| {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        let (added, _) = roots.add_parsable_certificates(found.certs);
        if added == 0 {
            tracing::warn!("no certificate authorities found on this machine");
        }
        Arc::new(roots)
    });
    Arc::clone(roots)
}

type KeyPair = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn key_pair(identity: &Identity) -> Result<KeyPair> {
    let chain: Vec<_> = CertificateDer::pem_slice_iter(&identity.certificate)
        .filter_map(std::result::Result::ok)
        .collect();
    if chain.is_empty() {
        let text = "the client certificate holds no PEM certificate that can be read";
        return Err(Error::invalid_spec(text));
    }
    // The parser's own message could quote key material.
    let key = PrivateKeyDer::from_pem_slice(identity.key.expose())
        .map_err(|_| Error::invalid_spec("the client key holds no PEM key that can be read"))?;
    Ok((chain, key))
}

/// Believes any certificate but still checks that the server holds its key.
#[derive(Debug)]
struct NoVerification(Arc<CryptoProvider>);

impl ServerCertVerifier for NoVerification {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
