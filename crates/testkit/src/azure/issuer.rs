//! The keys of an issuer of federated tokens, found as Entra finds them: by its discovery document.

use std::sync::Arc;

use anyhow::{Context, Result};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::Value;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// The JWKS document of an issuer. `SSL_CERT_FILE` names the authority of its server.
pub(super) fn keys(issuer: &str) -> Result<Value> {
    let path = std::env::var("SSL_CERT_FILE").context("SSL_CERT_FILE is not set")?;
    let text = std::fs::read(&path).with_context(|| format!("cannot read {path}"))?;
    let mut roots = Vec::new();
    for root in CertificateDer::pem_slice_iter(&text) {
        roots.push(Certificate::from_der(&root?).to_owned());
    }
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    let agent: Agent = Agent::config_builder()
        .tls_config(tls)
        .proxy(None)
        .build()
        .into();
    let get = |url: &str| -> Result<Value> {
        let text = agent.get(url).call()?.body_mut().read_to_string()?;
        Ok(serde_json::from_str(&text)?)
    };
    let document = get(&format!("{issuer}/.well-known/openid-configuration"))?;
    let keys = document["jwks_uri"].as_str().context("no jwks_uri")?;
    get(keys)
}
