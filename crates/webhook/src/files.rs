//! A certificate that others put into a folder: cert-manager, the certificate controller, people. It
//! is served as it is when it is good, and what is wrong with it is said when it is not.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rustls::sign::CertifiedKey;

use crate::certificate;

/// A folder that may hold `tls.crt`, `tls.key` and `ca.crt`.
#[derive(Clone, Debug)]
pub struct Folder {
    dir: PathBuf,
    name: String,
}

/// What a folder holds.
#[derive(Debug)]
pub enum Found {
    /// No certificate.
    Nothing,
    /// One that is good for the name at the time asked about.
    Good(CertifiedKey),
    /// One that is not, and why.
    Bad(String),
}

impl Folder {
    /// The folder `dir`, for the server name `name`.
    pub fn new(dir: impl Into<PathBuf>, name: impl Into<String>) -> Self {
        Self {
            dir: dir.into(),
            name: name.into(),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Looks into it.
    pub fn look(&self, at: Timestamp) -> Found {
        match self.read(at) {
            Ok(Some(key)) => Found::Good(key),
            Ok(None) => Found::Nothing,
            Err(reason) => Found::Bad(format!("{}: {reason}", self.dir.display())),
        }
    }

    fn read(&self, at: Timestamp) -> Result<Option<CertifiedKey>, String> {
        let (Some(chain), Some(key)) = (self.file("tls.crt")?, self.file("tls.key")?) else {
            return Ok(None);
        };
        let authority = self.file("ca.crt")?;
        let authority = authority.as_deref().filter(|pem| !pem.is_empty());
        if chain.is_empty() && key.is_empty() {
            return Ok(None);
        }
        certificate::checked(&chain, &key, authority, &self.name, at).map(Some)
    }

    fn file(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        match std::fs::read(self.dir.join(name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{name}: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::certificate::Bundle;

    #[test]
    fn a_folder_is_empty_good_or_bad() {
        let now: Timestamp = "2026-06-01T00:00:00Z".parse().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path(), "hook.ns.svc");
        assert!(matches!(folder.look(now), Found::Nothing));

        let bundle = Bundle::renewed(None, "hook.ns.svc", now, Duration::ZERO);
        for (name, value) in bundle.unwrap().unwrap().to_data() {
            std::fs::write(dir.path().join(name), value.expose()).unwrap();
        }
        assert!(matches!(folder.look(now), Found::Good(_)));

        let other = Folder::new(dir.path(), "other.ns.svc");
        let Found::Bad(reason) = other.look(now) else {
            panic!("a certificate for another name is no good");
        };
        assert!(reason.contains("not for other.ns.svc"), "{reason}");
        std::fs::write(dir.path().join("tls.key"), "canary").unwrap();
        let Found::Bad(reason) = folder.look(now) else {
            panic!("a broken key is no good");
        };
        assert!(!reason.contains("canary"), "{reason}");
    }
}
