//! The webhook's certificate: whether one is good for a name at a time, and a new one when it is not.
//! Pure: times are given, nothing is read or written. An authority is kept as long as it is valid, so
//! that what the API server trusts seldom changes.

mod issue;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lockstep_provider_api::SecretValue;
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use x509_parser::prelude::{FromDer, X509Certificate};

/// Keys of the Secret, as the original operator names them.
pub const KEYS: [&str; 4] = ["ca.crt", "ca.key", "tls.crt", "tls.key"];

/// An authority and the certificate it signed, PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// Certificates of the authority, the current one first.
    pub authority: String,
    /// Key of the current authority.
    pub authority_key: SecretValue,
    /// The certificate that is served.
    pub certificate: String,
    /// Its key.
    pub key: SecretValue,
}

impl Bundle {
    /// Reads the values of the Secret; nothing when one is missing or empty.
    pub fn from_data(data: &BTreeMap<String, SecretValue>) -> Option<Self> {
        let value = |key: &str| data.get(key).filter(|value| !value.is_empty()).cloned();
        let text = |key: &str| value(key)?.expose_utf8().ok().map(str::to_owned);
        Some(Self {
            authority: text("ca.crt")?,
            authority_key: value("ca.key")?,
            certificate: text("tls.crt")?,
            key: value("tls.key")?,
        })
    }

    /// The values of the Secret.
    pub fn to_data(&self) -> BTreeMap<&'static str, SecretValue> {
        let text = |text: &str| SecretValue::new(text.as_bytes().to_vec());
        BTreeMap::from([
            ("ca.crt", text(&self.authority)),
            ("ca.key", self.authority_key.clone()),
            ("tls.crt", text(&self.certificate)),
            ("tls.key", self.key.clone()),
        ])
    }

    /// The pair to serve, if it is good for `name` at `at`.
    pub fn served(&self, name: &str, at: Timestamp) -> Result<CertifiedKey, String> {
        let authority = Some(self.authority.as_bytes());
        checked(
            self.certificate.as_bytes(),
            self.key.expose(),
            authority,
            name,
            at,
        )
    }

    /// A bundle that is good for `name` until `ahead` from now: nothing when this one is, a new
    /// certificate of the same authority, or a new authority that follows the old one.
    pub fn renewed(
        old: Option<&Self>,
        name: &str,
        now: Timestamp,
        ahead: Duration,
    ) -> Result<Option<Self>, String> {
        let horizon = now.saturating_add(ahead).unwrap_or(Timestamp::MAX);
        let Some(old) = old else {
            return issue::issue(None, name, now).map(Some);
        };
        let lasting = first_certificate(old.authority.as_bytes())
            .and_then(|authority| lasts("the authority", &authority, horizon))
            .is_ok();
        if !lasting {
            return issue::issue(Some(&old.authority), name, now).map(Some);
        }
        if old.served(name, horizon).is_ok() {
            return Ok(None);
        }
        // A foreign key that cannot sign, or one that does not belong to the authority, ends it.
        let signed = issue::again(old, name, now).ok();
        let signed = signed.filter(|new| new.served(name, now).is_ok());
        match signed {
            Some(new) => Ok(Some(new)),
            None => issue::issue(Some(&old.authority), name, now).map(Some),
        }
    }
}

/// A pair that can be served: key and certificate belong together, the certificate is for `name`,
/// valid at `at`, and where an authority is given, signed by it. Errors never quote the key.
pub fn checked(
    chain: &[u8],
    key: &[u8],
    authority: Option<&[u8]>,
    name: &str,
    at: Timestamp,
) -> Result<CertifiedKey, String> {
    let chain = certificates(chain).map_err(|error| format!("certificate: {error}"))?;
    let key = PrivateKeyDer::from_pem_slice(key)
        .map_err(|_| "key: no PEM key that can be read".to_owned())?;
    let [leaf, intermediates @ ..] = chain.as_slice() else {
        return Err("certificate: no PEM certificate in it".to_owned());
    };
    lasts("the certificate", leaf, at)?;
    let server = ServerName::try_from(name.to_owned())
        .map_err(|_| format!("{name:?} is not a valid server name"))?;
    let parsed = rustls::server::ParsedCertificate::try_from(leaf)
        .map_err(|error| format!("certificate: {error}"))?;
    rustls::client::verify_server_name(&parsed, &server)
        .map_err(|_| format!("the certificate is not for {name}"))?;
    if let Some(authority) = authority {
        signed_by(authority, leaf, intermediates, &server, at)?;
    }
    CertifiedKey::from_der(chain.clone(), key, &ring::default_provider())
        .map_err(|error| format!("certificate and key do not belong together: {error}"))
}

fn signed_by(
    authority: &[u8],
    leaf: &CertificateDer<'_>,
    intermediates: &[CertificateDer<'_>],
    name: &ServerName<'_>,
    at: Timestamp,
) -> Result<(), String> {
    let mut roots = RootCertStore::empty();
    for root in certificates(authority).map_err(|error| format!("authority: {error}"))? {
        roots
            .add(root)
            .map_err(|error| format!("authority: {error}"))?;
    }
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
        .build()
        .map_err(|error| format!("authority: {error}"))?;
    let at = u64::try_from(at.as_second()).unwrap_or_default();
    let at = UnixTime::since_unix_epoch(Duration::from_secs(at));
    verifier
        .verify_server_cert(leaf, intermediates, name, &[], at)
        .map_err(|error| format!("the authority did not sign the certificate: {error}"))?;
    Ok(())
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    CertificateDer::pem_slice_iter(pem)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| error.to_string())
}

fn first_certificate(pem: &[u8]) -> Result<CertificateDer<'static>, String> {
    let all = certificates(pem)?;
    all.into_iter().next().ok_or_else(|| "empty".to_owned())
}

/// An error when a certificate is not valid at a time.
fn lasts(what: &str, certificate: &CertificateDer<'_>, at: Timestamp) -> Result<(), String> {
    let (_, parsed) =
        X509Certificate::from_der(certificate).map_err(|error| format!("{what}: {error}"))?;
    let (from, to) = (
        parsed.validity().not_before.timestamp(),
        parsed.validity().not_after.timestamp(),
    );
    let day = |seconds| {
        Timestamp::from_second(seconds).map_or_else(|_| "?".to_owned(), |t| t.to_string())
    };
    if at.as_second() > to {
        return Err(format!("{what} ends on {}", day(to)));
    }
    if at.as_second() < from {
        return Err(format!("{what} begins on {}", day(from)));
    }
    Ok(())
}
