//! Importing the certificate of a TLS Secret. The import is found again by its tags, created again only
//! when the certificate differs, and deleted only while it carries our mark.

use aws_sdk_acm::types::Tag;
use aws_smithy_types::Blob;
use lockstep_provider_api::metadata;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use super::CertificateManager;
use super::export::hash;
use crate::managed::{self, Tags};

const END: &str = "-----END CERTIFICATE-----";

/// `metadata` of a push.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct PushMetadata {
    tags: Tags,
}

/// A certificate as the service takes it.
struct Certificate {
    leaf: String,
    chain: String,
    key: SecretValue,
}

impl Certificate {
    fn of(item: &PushItem) -> Result<Self> {
        if item.wanted_key().is_some() {
            return Err(Error::invalid_spec(
                "secretKey must be empty for the AWS Certificate Manager provider: \
                 the whole kubernetes.io/tls secret is required (tls.crt and tls.key)",
            ));
        }
        let part = |name: &str| {
            let value = item.source.get(name).cloned();
            value.filter(|value| !value.is_empty()).ok_or_else(|| {
                Error::invalid_spec(format!("the source Secret has no key {name:?}"))
            })
        };
        let (pem, key) = (part("tls.crt")?, part("tls.key")?);
        let pem = pem.expose_utf8()?;
        let end = pem.find(END).map(|start| start + END.len());
        let end = end.ok_or_else(|| Error::invalid_spec("tls.crt holds no PEM certificate"))?;
        Ok(Self {
            leaf: format!("{}\n", pem[..end].trim()),
            chain: pem[end..].trim().to_owned(),
            key,
        })
    }
}

impl Certificate {
    /// Whether another certificate is there. The service may add a chain to one without.
    fn differs(&self, leaf: &str, chain: &str) -> bool {
        let chain_differs = !self.chain.is_empty() && hash(&[&self.chain]) != hash(&[chain]);
        chain_differs || hash(&[&self.leaf]) != hash(&[leaf])
    }
}

impl CertificateManager {
    pub(crate) async fn push(&self, item: &PushItem) -> Result<Pushed> {
        let certificate = Certificate::of(item)?;
        let metadata: Option<PushMetadata> = metadata::parse(item.metadata.as_ref())?;
        let own = metadata.unwrap_or_default().tags;
        let mut wanted = managed::wanted(&own)?;
        let name = format!("{}{}", self.prefix, item.target.remote_key);
        wanted.extend(super::tags::of_name(&name));
        let Some(arn) = self.lookup(&name).await? else {
            let arn = self.import(&certificate, None, &name).await?;
            self.sync_tags(&arn, &wanted).await?;
            return Ok(Pushed::Created);
        };
        let (leaf, chain) = self.current(&arn).await?;
        let differs = certificate.differs(&leaf, &chain);
        if differs {
            self.import(&certificate, Some(&arn), &name).await?;
        }
        let tagged = self.sync_tags(&arn, &wanted).await?;
        Ok(if differs || tagged {
            Pushed::Updated
        } else {
            Pushed::Unchanged
        })
    }

    /// Imports a certificate, in place of the one at `over` if there is one. Tags can only be given
    /// to a new one.
    async fn import(
        &self,
        certificate: &Certificate,
        over: Option<&str>,
        name: &str,
    ) -> Result<String> {
        let Certificate { leaf, chain, key } = certificate;
        let mut tags: Tags = super::tags::of_name(name).collect();
        tags.insert(managed::KEY.to_owned(), managed::VALUE.to_owned());
        let tags = over.is_none().then(|| sdk_tags(&tags)).transpose()?;
        let send = || {
            self.client
                .import_certificate()
                .certificate(Blob::new(leaf.as_bytes()))
                .private_key(Blob::new(key.expose()))
                .set_certificate_chain((!chain.is_empty()).then(|| Blob::new(chain.as_bytes())))
                .set_certificate_arn(over.map(str::to_owned))
                .set_tags(tags.clone())
                .send()
        };
        let answer = self.caller.call("ImportCertificate", name, send).await?;
        let made = answer.certificate_arn.or_else(|| over.map(str::to_owned));
        made.ok_or_else(|| Error::invalid_data("ACM imported a certificate without an ARN"))
    }

    pub(crate) async fn delete(&self, target: &PushTarget) -> Result<()> {
        let name = format!("{}{}", self.prefix, target.remote_key);
        let Some(arn) = self.lookup(&name).await? else {
            return Ok(());
        };
        managed::require(&self.tags(&arn).await?, "certificate")?;
        let send = || {
            self.client
                .delete_certificate()
                .certificate_arn(&arn)
                .send()
        };
        match self.caller.call("DeleteCertificate", &arn, send).await {
            Err(failure) if failure.is("ResourceNotFoundException") => Ok(()),
            result => result.map(drop).map_err(Error::from),
        }
    }

    pub(crate) async fn exists(&self, target: &PushTarget) -> Result<bool> {
        let name = format!("{}{}", self.prefix, target.remote_key);
        Ok(self.lookup(&name).await?.is_some())
    }
}

pub(super) fn sdk_tags(tags: &Tags) -> Result<Vec<Tag>> {
    let tags = tags.iter().map(|(key, value)| {
        let tag = Tag::builder().key(key).value(value).build();
        tag.map_err(|error| Error::invalid_spec(format!("tag {key:?}: {error}")))
    });
    tags.collect()
}
