//! Keys and certificates of one test cluster: a CA, the API server's certificate, the
//! ServiceAccount signing key, and client certificates on demand. Everything lies in the cluster's
//! folder and is of no use elsewhere.

use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use anyhow::{Context, Result};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};

use crate::kubeconfig::private;

/// Signs tokens of ServiceAccounts. RSA, as clusters of the clouds have it: their token services and
/// the recorded cases' stand-ins for them take nothing else. Making one takes seconds, so it is here.
const ACCOUNTS: &str = include_str!("service-accounts.pem");

/// A certificate and its key, both PEM.
#[derive(Clone)]
pub struct ClientCertificate {
    /// The certificate, PEM.
    pub certificate: String,
    /// Its private key, PEM (PKCS#8).
    pub key: String,
}

/// Writes `ca.crt`, `ca.key`, `apiserver.crt`, `apiserver.key`, `sa.key` and `sa.pub` into `dir`.
/// Returns the CA certificate.
pub(super) fn write(dir: &Path) -> Result<String> {
    let key = KeyPair::generate()?;
    let ca = authority().self_signed(&key)?.pem();
    private(&dir.join("ca.key"), &key.serialize_pem())?;
    fs::write(dir.join("ca.crt"), &ca)?;

    let mut server = CertificateParams::new(["localhost".into(), "kubernetes.default.svc".into()])?;
    server
        .subject_alt_names
        .push(SanType::IpAddress(IpAddr::V4(Ipv4Addr::LOCALHOST)));
    server
        .distinguished_name
        .push(DnType::CommonName, "kube-apiserver");
    server
        .extended_key_usages
        .push(ExtendedKeyUsagePurpose::ServerAuth);
    let signed = sign(server, &Issuer::new(authority(), key))?;
    fs::write(dir.join("apiserver.crt"), signed.certificate)?;
    private(&dir.join("apiserver.key"), &signed.key)?;

    let accounts = KeyPair::from_pem(ACCOUNTS)?;
    private(&dir.join("sa.key"), &accounts.serialize_pem())?;
    fs::write(dir.join("sa.pub"), accounts.public_key_pem())?;
    Ok(ca)
}

/// A certificate that the API server takes for `user`, a member of `group`.
pub(super) fn client_certificate(
    dir: &Path,
    user: &str,
    group: Option<&str>,
) -> Result<ClientCertificate> {
    let path = dir.join("ca.key");
    let key =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, user);
    if let Some(group) = group {
        params
            .distinguished_name
            .push(DnType::OrganizationName, group);
    }
    params
        .extended_key_usages
        .push(ExtendedKeyUsagePurpose::ClientAuth);
    sign(params, &Issuer::new(authority(), KeyPair::from_pem(&key)?))
}

fn sign(mut params: CertificateParams, issuer: &Issuer<'_, KeyPair>) -> Result<ClientCertificate> {
    let key = KeyPair::generate()?;
    params.use_authority_key_identifier_extension = true;
    params.key_usages.push(KeyUsagePurpose::DigitalSignature);
    Ok(ClientCertificate {
        certificate: params.signed_by(&key, issuer)?.pem(),
        key: key.serialize_pem(),
    })
}

/// The parameters of the CA; always the same, so that the CA can sign again from its key alone.
fn authority() -> CertificateParams {
    let mut params = CertificateParams::default();
    params
        .distinguished_name
        .push(DnType::CommonName, "lockstep test cluster");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![
        KeyUsagePurpose::KeyCertSign,
        KeyUsagePurpose::DigitalSignature,
    ];
    params
}
