//! An HTTPS server under an authority of its own: answers come from a function. For tests of private
//! certificate authorities; only who is given the CA file trusts it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use tempfile::TempDir;

use crate::azure::trust;
use crate::azure::wire::Listener;
use crate::stub::{Answer, Request};

/// A running server; it stops when it is dropped.
pub struct TlsStub {
    listener: Listener,
    ca: PathBuf,
    _folder: TempDir,
}

impl TlsStub {
    /// Starts a server on a free port.
    pub fn start(answer: impl Fn(Request) -> Answer + Send + Sync + 'static) -> Result<Self> {
        let folder = TempDir::new()?;
        let (tls, ca) = trust::server(folder.path())?;
        let at = ([127, 0, 0, 1], 0).into();
        Ok(Self {
            listener: Listener::start(at, Some(tls), Arc::new(answer))?,
            ca,
            _folder: folder,
        })
    }

    /// Base URL of the server.
    pub fn url(&self) -> String {
        format!("https://localhost:{}", self.listener.address().port())
    }

    /// File with the authority of its certificate, in PEM.
    pub fn ca(&self) -> &Path {
        &self.ca
    }
}
