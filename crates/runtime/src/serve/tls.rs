//! Certificates of the metrics server: a pair of files that is read again when it changes, or one
//! made for this process. A pair that turns unreadable leaves the last good one in use.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use rcgen::CertifiedKey as Generated;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::clock::Stopwatch;

/// How often files are looked at.
const CHECK: Duration = Duration::from_secs(10);

/// What a server shows.
#[derive(Debug)]
pub struct Certificates(Arc<Pair>);

#[derive(Debug)]
struct Pair {
    files: Option<Files>,
    current: Mutex<Current>,
}

#[derive(Debug)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

#[derive(Debug)]
struct Current {
    key: Arc<CertifiedKey>,
    stamp: Stamp,
    checked: Stopwatch,
}

/// Times at which the files were last changed.
type Stamp = (Option<SystemTime>, Option<SystemTime>);

impl Certificates {
    /// A pair of PEM files in a folder.
    pub fn from_dir(dir: &Path, certificate: &str, key: &str) -> Result<Self, String> {
        let files = Files {
            certificate: dir.join(certificate),
            key: dir.join(key),
        };
        let current = files.load()?;
        Ok(Self::new(Some(files), current))
    }

    /// A certificate made for this process, which nobody can verify.
    pub fn self_signed() -> Result<Self, String> {
        let names = vec!["localhost".to_owned()];
        let Generated { cert, signing_key } = rcgen::generate_simple_self_signed(names)
            .map_err(|error| format!("cannot make a certificate: {error}"))?;
        let key = PrivateKeyDer::try_from(signing_key.serialize_der())
            .map_err(|error| format!("cannot use the key made: {error}"))?;
        let key = certified(vec![cert.der().clone()], key)?;
        Ok(Self::new(None, (key, (None, None))))
    }

    fn new(files: Option<Files>, (key, stamp): (CertifiedKey, Stamp)) -> Self {
        Self(Arc::new(Pair {
            files,
            current: Mutex::new(Current {
                key: Arc::new(key),
                stamp,
                checked: Stopwatch::start(),
            }),
        }))
    }

    pub(super) fn acceptor(self) -> Result<TlsAcceptor, String> {
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| format!("TLS: {error}"))?;
        let config = builder.with_no_client_auth().with_cert_resolver(self.0);
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

impl Files {
    fn stamp(&self) -> Stamp {
        let changed = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
        (changed(&self.certificate), changed(&self.key))
    }

    fn load(&self) -> Result<(CertifiedKey, Stamp), String> {
        let stamp = self.stamp();
        let name = self.certificate.display();
        let chain = CertificateDer::pem_file_iter(&self.certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| format!("certificate {name}: {error}"))?;
        if chain.is_empty() {
            return Err(format!("certificate {name}: no PEM certificate in it"));
        }
        let name = self.key.display();
        // The parser's own message could quote key material.
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .map_err(|_| format!("key {name}: no PEM key that can be read"))?;
        Ok((certified(chain, key)?, stamp))
    }
}

fn certified(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<CertifiedKey, String> {
    let provider = ring::default_provider();
    CertifiedKey::from_der(chain, key, &provider)
        .map_err(|error| format!("certificate and key do not fit: {error}"))
}

impl ResolvesServerCert for Pair {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let mut current = self.current.lock();
        if let Some(files) = &self.files
            && current.checked.elapsed() >= CHECK
        {
            current.refresh(files);
        }
        Some(Arc::clone(&current.key))
    }
}

impl Current {
    fn refresh(&mut self, files: &Files) {
        self.checked = Stopwatch::start();
        if files.stamp() == self.stamp {
            return;
        }
        match files.load() {
            Ok((key, stamp)) => (self.key, self.stamp) = (Arc::new(key), stamp),
            Err(error) => tracing::warn!(%error, "keeping the certificate in use"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn write_pair(dir: &Path, name: &str) {
        let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
        fs::write(dir.join("tls.crt"), made.cert.pem()).unwrap();
        fs::write(dir.join("tls.key"), made.signing_key.serialize_pem()).unwrap();
    }

    #[test]
    fn a_changed_pair_is_taken_up_and_a_broken_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        write_pair(dir.path(), "one");
        let pair = Certificates::from_dir(dir.path(), "tls.crt", "tls.key").unwrap();
        let files = pair.0.files.as_ref().unwrap();
        let mut current = pair.0.current.lock();
        let first = Arc::clone(&current.key);

        write_pair(dir.path(), "two");
        current.stamp = (None, None);
        current.refresh(files);
        let second = Arc::clone(&current.key);
        fs::write(dir.path().join("tls.crt"), "nothing").unwrap();
        current.stamp = (None, None);
        current.refresh(files);

        assert_ne!(first.cert, second.cert);
        assert_eq!(second.cert, current.key.cert);
    }

    #[test]
    fn a_missing_or_broken_pair_is_refused_by_name_without_its_content() {
        let dir = tempfile::tempdir().unwrap();
        let missing = Certificates::from_dir(dir.path(), "tls.crt", "tls.key").unwrap_err();
        write_pair(dir.path(), "one");
        fs::write(dir.path().join("tls.key"), "canary").unwrap();
        let broken = Certificates::from_dir(dir.path(), "tls.crt", "tls.key").unwrap_err();

        assert!(missing.contains("tls.crt"), "{missing}");
        assert!(
            broken.contains("tls.key") && !broken.contains("canary"),
            "{broken}"
        );
    }
}
