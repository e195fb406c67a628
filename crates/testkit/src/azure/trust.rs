//! The test authority of one server: a CA and a certificate for the names of the cloud. Only who is
//! given the CA file trusts it.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Names that the certificate is for, beside loopback.
const NAMES: [&str; 8] = [
    "localhost",
    "login.microsoftonline.com",
    "login.microsoftonline.us",
    "login.chinacloudapi.cn",
    "login.microsoftonline.de",
    "graph.microsoft.com",
    "*.vault.azure.net",
    "*.vault.usgovcloudapi.net",
];

/// Writes the CA to `dir/ca.pem` and gives the configuration of a server under it.
pub(crate) fn server(dir: &Path) -> Result<(Arc<ServerConfig>, PathBuf)> {
    let key = KeyPair::generate()?;
    let mut ca = CertificateParams::default();
    ca.distinguished_name
        .push(DnType::CommonName, "lockstep test cloud");
    ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    ca.key_usages = vec![
        KeyUsagePurpose::KeyCertSign,
        KeyUsagePurpose::DigitalSignature,
    ];
    let file = dir.join("ca.pem");
    std::fs::write(&file, ca.self_signed(&key)?.pem()).context("cannot write the test CA")?;

    let mut params = CertificateParams::new(NAMES.map(str::to_owned))?;
    params
        .subject_alt_names
        .push(SanType::IpAddress(IpAddr::V4(Ipv4Addr::LOCALHOST)));
    params
        .extended_key_usages
        .push(ExtendedKeyUsagePurpose::ServerAuth);
    params.use_authority_key_identifier_extension = true;
    let own = KeyPair::generate()?;
    let certificate = params.signed_by(&own, &Issuer::new(ca, key))?;
    let chain = vec![CertificateDer::from(certificate.der().to_vec())];
    let secret = PrivateKeyDer::from_pem_slice(own.serialize_pem().as_bytes())?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, secret)?;
    Ok((Arc::new(config), file))
}
