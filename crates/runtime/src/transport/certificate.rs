//! Verifies servers as rustls does, and says of a certificate that is refused who issued it and what
//! to do: most such certificates come from a private authority, or from a proxy that opens TLS.

use std::error::Error as StdError;
use std::sync::Arc;

use jiff::Timestamp;
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

/// Most names of a certificate that a message lists.
const MOST_NAMES: usize = 4;

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
        CertificateError::ExpiredContext { not_after, .. } => format!(
            "its certificate, issued by {issuer}, expired{}: renew it at the server",
            date(" on", *not_after)
        ),
        CertificateError::NotValidYetContext { not_before, .. } => format!(
            "its certificate, issued by {issuer}, is not valid yet{}: check the clocks of server and \
             operator",
            date(", only from", *not_before)
        ),
        CertificateError::NotValidForNameContext {
            expected,
            presented,
        } => format!(
            "its certificate, issued by {issuer}, is for {} and not for {:?}: use a name that it has, \
             or give the server a certificate with this name",
            names(presented),
            expected.to_str()
        ),
        why => format!("its certificate, issued by {issuer}, is refused: {why}"),
    }
}

/// The moment as people write it, behind `word`; nothing for one that no calendar has.
fn date(word: &str, time: UnixTime) -> String {
    let seconds = i64::try_from(time.as_secs()).ok();
    let time = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map_or_else(String::new, |time| format!("{word} {time}"))
}

/// Names of a certificate, which rustls gives as `DnsName("a.example")`.
fn names(presented: &[String]) -> String {
    let plain = presented.iter().map(|name| {
        let inner = name
            .split_once('(')
            .and_then(|(_, rest)| rest.strip_suffix(')'));
        inner.unwrap_or(name)
    });
    let plain: Vec<&str> = plain.take(MOST_NAMES).collect();
    if plain.is_empty() {
        return "no name at all".to_owned();
    }
    let more = if presented.len() > plain.len() {
        " and others"
    } else {
        ""
    };
    format!("{}{more}", plain.join(", "))
}

/// Whether this is a certificate that was refused: the text then says what to do.
pub(super) fn is_refusal(error: &(dyn StdError + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        // rustls comes wrapped in an `io::Error`, whose `source` skips what it wraps.
        let wrapped = error
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::get_ref);
        if let Some(wrapped) = wrapped
            && is_refusal(wrapped)
        {
            return true;
        }
        if error.is::<Refused>() {
            return true;
        }
        if let Some(Error::Other(OtherError(inner))) = error.downcast_ref() {
            return inner.is::<Refused>();
        }
        next = error.source();
    }
    false
}

/// The issuer as the certificate names it, for people.
fn issuer(certificate: &CertificateDer<'_>) -> String {
    match X509Certificate::from_der(certificate) {
        Ok((_, parsed)) => format!("{:?}", parsed.issuer().to_string()),
        Err(_) => "somebody its certificate does not name readably".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(why: &CertificateError) -> String {
        explain(why, &CertificateDer::from(Vec::new()))
    }

    fn at(date: &str) -> UnixTime {
        let time: Timestamp = date.parse().unwrap();
        UnixTime::since_unix_epoch(time.duration_since(Timestamp::UNIX_EPOCH).unsigned_abs())
    }

    #[test]
    fn dates_of_a_certificate_are_dates_and_come_with_a_remedy() {
        let (time, past) = (at("2026-03-01T00:00:00Z"), at("2026-02-01T10:00:00Z"));

        let expired = told(&CertificateError::ExpiredContext {
            time,
            not_after: past,
        });
        let early = told(&CertificateError::NotValidYetContext {
            time: past,
            not_before: time,
        });

        assert!(
            expired.ends_with("expired on 2026-02-01T10:00:00Z: renew it at the server"),
            "{expired}"
        );
        assert!(
            early.contains("not valid yet, only from 2026-03-01T00:00:00Z: check the clocks"),
            "{early}"
        );
    }

    #[test]
    fn a_certificate_for_another_host_names_both() {
        let told = told(&CertificateError::NotValidForNameContext {
            expected: ServerName::try_from("vault.a").unwrap(),
            presented: vec!["DnsName(\"vault.b\")".to_owned()],
        });

        assert!(
            told.contains("is for \"vault.b\" and not for \"vault.a\""),
            "{told}"
        );
    }
}
