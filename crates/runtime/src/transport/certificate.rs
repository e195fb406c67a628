//! Verifies servers as rustls does, and says of a certificate that is refused who issued it and what
//! to do: most such certificates come from a private authority, or from a proxy that opens TLS.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::{CertificateError, DigitallySignedStruct, Error, OtherError, SignatureScheme};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use x509_parser::prelude::{FromDer, X509Certificate};

/// Explains what the inner verifier refuses.
#[derive(Debug)]
pub(super) struct Explaining(pub(super) Arc<dyn ServerCertVerifier>);

impl ServerCertVerifier for Explaining {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self
            .0
            .verify_server_cert(certificate, intermediates, name, ocsp, now);
        verified.map_err(|error| match error {
            Error::InvalidCertificate(why) => {
                // The last certificate names the authority that would have to be trusted.
                let last = intermediates.last().unwrap_or(certificate);
                Error::Other(OtherError(Arc::new(Refused(explain(&why, last)))))
            }
            other => other,
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Refused(String);

fn explain(why: &CertificateError, certificate: &CertificateDer<'_>) -> String {
    let issuer = issuer(certificate);
    match why {
        // An authority of the same name with another key refuses the signature.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => format!(
            "its certificate was issued by {issuer}, which is not trusted: add that authority to the \
             CA bundle of the store, or to that of the operator (SSL_CERT_FILE)"
        ),
        why => format!("its certificate, issued by {issuer}, is refused: {why}"),
    }
}

/// The issuer as the certificate names it, for people.
fn issuer(certificate: &CertificateDer<'_>) -> String {
    match X509Certificate::from_der(certificate) {
        Ok((_, parsed)) => format!("{:?}", parsed.issuer().to_string()),
        Err(_) => "somebody its certificate does not name readably".to_owned(),
    }
}
