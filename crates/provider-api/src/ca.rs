//! Certificate authorities of a store: `caBundle` wins over `caProvider`, and with either of them
//! only that pool is trusted. This file finds and checks the bytes; trust itself is the transport's.

use std::fmt;

use lockstep_golang::base64::{Encoding, decode};
use rustls_pki_types::pem;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

use crate::context::{Ctx, credential_error};
use crate::error::{Error, Result};
use crate::selector::{CaProvider, CaSource, SecretKeySelector};

#[cfg(test)]
mod tests;

/// `caBundle` of a manifest: base64 of PEM, or base64 of base64 of PEM.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct CaBundle(Vec<u8>);

impl CaBundle {
    /// A bundle of these bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The PEM text, after checking that its first block is a certificate.
    pub fn pem(&self) -> Result<Vec<u8>> {
        let refused = |reason| Error::invalid_spec(format!("failed to decode ca bundle: {reason}"));
        if first_certificate(&self.0).is_ok() {
            return Ok(self.0.clone());
        }
        let decoded = [Encoding::Standard, Encoding::Url]
            .into_iter()
            .find_map(|encoding| decode(encoding, &self.0).ok());
        let bytes = decoded.unwrap_or_else(|| self.0.clone());
        first_certificate(&bytes).map_err(refused)?;
        Ok(bytes)
    }
}

impl fmt::Debug for CaBundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CaBundle({} bytes)", self.0.len())
    }
}

impl<'de> Deserialize<'de> for CaBundle {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = decode(Encoding::Standard, text.as_bytes());
        bytes.map(Self).map_err(de::Error::custom)
    }
}

impl JsonSchema for CaBundle {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CaBundle".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "byte" })
    }
}

impl Ctx {
    /// The authorities a store trusts: those of the bundle, else those the provider names, else
    /// `None` for the public ones.
    pub async fn trust(
        &self,
        bundle: Option<&CaBundle>,
        provider: Option<&CaProvider>,
    ) -> Result<Option<Vec<u8>>> {
        match (bundle.filter(|bundle| !bundle.is_empty()), provider) {
            (Some(bundle), _) => bundle.pem().map(Some),
            (None, Some(provider)) => self.ca(provider).await.map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The certificate authority a `caProvider` names.
    pub async fn ca(&self, provider: &CaProvider) -> Result<Vec<u8>> {
        if self.manifest_scope().is_cluster() && provider.namespace.is_none() {
            return Err(Error::invalid_spec(
                "missing namespace on caProvider secret",
            ));
        }
        self.manifest_scope()
            .check_referent(provider.namespace.as_deref())?;
        match provider.source {
            CaSource::Secret => self.ca_from_secret(provider).await,
            CaSource::ConfigMap => self.ca_from_config_map(provider).await,
        }
    }

    async fn ca_from_secret(&self, provider: &CaProvider) -> Result<Vec<u8>> {
        let selector = SecretKeySelector {
            key: provider.key.clone(),
            name: Some(provider.name.clone()),
            namespace: provider.namespace.clone(),
        };
        let found = self.secret(&selector).await.map_err(|error| {
            error.context("failed to get cert from secret: failed to resolve secret key ref")
        })?;
        Ok(found.expose().to_vec())
    }

    async fn ca_from_config_map(&self, provider: &CaProvider) -> Result<Vec<u8>> {
        let namespace = self.namespace(provider.namespace.as_deref())?;
        let name = &provider.name;
        let key = provider.key.as_deref().unwrap_or_default();
        let read = self.objects().config_map(namespace, name).await;
        let mut data = read.map_err(|error| {
            credential_error(error, |text| {
                format!(
                    "failed to get cert from configmap: failed to get caProvider secret {name}: {text}"
                )
            })
        })?;
        let found = data.remove(key).ok_or_else(|| {
            Error::invalid_spec(format!(
                "failed to get cert from configmap: failed to get caProvider configMap {name} -> {key}"
            ))
        })?;
        Ok(found.into_bytes())
    }
}

fn first_certificate(bytes: &[u8]) -> Result<(), &'static str> {
    let mut rest = bytes;
    let Ok(Some((_, der))) = pem::from_buf(&mut rest) else {
        return Err("failed to parse the new certificate, not valid pem data");
    };
    if !looks_like_certificate(&der) {
        return Err("failed to validate certificate: x509: malformed certificate");
    }
    Ok(())
}

/// Whether the bytes have the frame of an X.509 certificate: a sequence of body, algorithm and
/// signature and nothing else. The transport parses the whole.
fn looks_like_certificate(der: &[u8]) -> bool {
    const SEQUENCE: u8 = 0x30;
    const BIT_STRING: u8 = 0x03;
    let frame = |mut input: &[u8]| -> Option<bool> {
        let mut inner = element(&mut input, SEQUENCE)?;
        element(&mut inner, SEQUENCE)?;
        element(&mut inner, SEQUENCE)?;
        element(&mut inner, BIT_STRING)?;
        Some(input.is_empty() && inner.is_empty())
    };
    frame(der) == Some(true)
}

/// Takes one DER element of the given tag off the front and returns its content.
fn element<'a>(input: &mut &'a [u8], tag: u8) -> Option<&'a [u8]> {
    let (&first, rest) = input.split_first()?;
    let (&short, mut rest) = rest.split_first()?;
    if first != tag {
        return None;
    }
    let mut length = usize::from(short);
    if short & 0x80 != 0 {
        let (digits, tail) = rest.split_at_checked(usize::from(short & 0x7f))?;
        rest = tail;
        length = digits.iter().try_fold(0usize, |sum, digit| {
            sum.checked_mul(256)?.checked_add(usize::from(*digit))
        })?;
    }
    let (content, tail) = rest.split_at_checked(length)?;
    *input = tail;
    Some(content)
}
