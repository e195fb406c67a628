//! Reading a certificate with its key. An export costs money and makes a new passphrase, so the last
//! one is kept and used again while the certificate itself has not changed.

use std::collections::BTreeMap;
use std::fmt;

use aws_sdk_acm::types::CertificateExport;
use aws_smithy_types::Blob;
use lockstep_provider_api::prelude::*;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use super::{CertificateManager, key, unsupported};
use crate::arn;
use crate::auth::Fingerprint;
use crate::read::absent;

/// Most exports that are kept.
const CAPACITY: usize = 128;
/// Length of the passphrase of an export.
const PASSPHRASE: usize = 32;

/// Exports by identity and ARN, shared by all connections.
#[derive(Default)]
pub(super) struct Exports(Mutex<BTreeMap<(Fingerprint, String), Export>>);

#[derive(Clone)]
struct Export {
    fingerprint: [u8; 32],
    value: SecretValue,
}

impl Exports {
    fn get(&self, key: &(Fingerprint, String), fingerprint: [u8; 32]) -> Option<SecretValue> {
        let kept = self.0.lock();
        let export = kept.get(key)?;
        (export.fingerprint == fingerprint).then(|| export.value.clone())
    }

    fn put(&self, key: (Fingerprint, String), export: Export) {
        let mut kept = self.0.lock();
        if kept.len() >= CAPACITY && !kept.contains_key(&key) {
            kept.pop_first();
        }
        kept.insert(key, export);
    }
}

impl fmt::Debug for Exports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exports")
    }
}

impl CertificateManager {
    pub(crate) async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        if reference.metadata == MetadataPolicy::Fetch {
            return Err(unsupported());
        }
        let arn = reference.key.as_str();
        arn::check(arn, super::NAMES.prefix, &self.caller.region)?;
        if !arn.starts_with("arn:") {
            return Err(Error::invalid_spec(format!(
                "remoteRef.key {arn:?} is not an ARN; certificates are read by their ARN"
            )));
        }
        let (leaf, chain) = self.current(arn).await?;
        let fingerprint = hash(&[&leaf, &chain]);
        let kept_as = (self.caller.sign_in.fingerprint(), arn.to_owned());
        if let Some(value) = self.exports.get(&kept_as, fingerprint) {
            return Ok(value);
        }
        self.require_exportable(arn).await?;
        let value = self.export(arn).await?;
        let export = Export {
            fingerprint,
            value: value.clone(),
        };
        self.exports.put(kept_as, export);
        Ok(value)
    }

    /// Certificate and chain as they are now.
    pub(super) async fn current(&self, arn: &str) -> Result<(String, String)> {
        let send = || self.client.get_certificate().certificate_arn(arn).send();
        let answer = self.caller.call("GetCertificate", arn, send).await;
        let answer = answer.map_err(absent)?;
        Ok((
            answer.certificate.unwrap_or_default(),
            answer.certificate_chain.unwrap_or_default(),
        ))
    }

    async fn require_exportable(&self, arn: &str) -> Result<()> {
        let send = || {
            self.client
                .describe_certificate()
                .certificate_arn(arn)
                .send()
        };
        let answer = self.caller.call("DescribeCertificate", arn, send).await;
        let described = answer.map_err(absent)?.certificate;
        let options = described.and_then(|described| described.options);
        let export = options.and_then(|options| options.export);
        if export == Some(CertificateExport::Enabled) {
            return Ok(());
        }
        Err(Error::invalid_spec(format!(
            "certificate {arn} is not exportable (Options.Export is not ENABLED)"
        )))
    }

    async fn export(&self, arn: &str) -> Result<SecretValue> {
        let passphrase = passphrase()?;
        let send = || {
            let request = self.client.export_certificate().certificate_arn(arn);
            request.passphrase(Blob::new(passphrase.as_bytes())).send()
        };
        let answer = self.caller.call("ExportCertificate", arn, send).await;
        let answer = answer.map_err(absent)?;
        let encrypted = answer.private_key().unwrap_or_default();
        let key = key::decrypt(encrypted, &passphrase)?;
        let parts = [
            answer.certificate().unwrap_or_default(),
            answer.certificate_chain().unwrap_or_default(),
            key.expose_utf8()?,
        ];
        let parts = parts.into_iter().map(str::trim_end);
        let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
        Ok(SecretValue::from(parts.join("\n") + "\n"))
    }
}

/// Hash of certificates, whatever their line ends.
pub(super) fn hash(parts: &[&str]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        for line in part.lines().map(str::trim).filter(|line| !line.is_empty()) {
            hash.update(line);
            hash.update("\n");
        }
    }
    hash.finalize().into()
}

fn passphrase() -> Result<String> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut bytes = [0; 4 * PASSPHRASE];
    getrandom::fill(&mut bytes)
        .map_err(|_| Error::new(ErrorKind::Internal, "no random bytes for a passphrase"))?;
    // Bytes above the last whole multiple would make some letters likelier than others.
    let fair = bytes
        .iter()
        .filter(|byte| usize::from(**byte) < 4 * LETTERS.len());
    let letters = fair.map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()]));
    Ok(letters.take(PASSPHRASE).collect())
}
