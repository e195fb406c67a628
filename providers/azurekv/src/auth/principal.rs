//! A service principal: an application with a secret or a certificate, kept in Secrets.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_api::token_cache::Fingerprint;

use super::certificate::ClientCertificate;
use super::entra::{Application, Proof};
use super::{Described, Source, text_of};
use crate::cloud::Cloud;
use crate::spec::{AzureSpec, Credentials};

/// The identity of a service principal. Its credentials are read; nothing is asked of Azure.
pub(super) async fn describe(spec: &AzureSpec, cloud: &Cloud, ctx: &Ctx) -> Result<Described> {
    let tenant = spec
        .tenant()
        .ok_or_else(|| Error::invalid_spec("missing tenantID in store config"))?;
    let credentials = spec
        .auth_secret_ref
        .as_ref()
        .ok_or_else(|| Error::invalid_spec("missing secretRef in provider config"))?;
    let secret = credentials.client_secret.as_ref();
    let certificate = credentials.client_certificate.as_ref();
    let (Some(id), true) = (
        credentials.client_id.as_ref(),
        secret.is_some() || certificate.is_some(),
    ) else {
        return Err(Error::invalid_spec(
            "missing accessKeyID/secretAccessKey in store config",
        ));
    };
    if secret.is_some() && certificate.is_some() {
        return Err(Error::invalid_spec(
            "both clientSecret and clientCredentials set",
        ));
    }
    let client = text_of(id, ctx)
        .await
        .map_err(|error| named(error, "clientID", spec))?;
    let (proof, material) = prove(credentials, spec, ctx).await?;
    if client.is_empty() || material.is_empty() {
        return Err(Error::invalid_spec(
            "the client id or its secret is empty; fill the Secrets of authSecretRef",
        ));
    }
    // The secret itself is hashed, so that a changed one never meets an old token.
    let hash = format!("{:?}", Fingerprint::of([material.expose()]).to_bytes());
    Ok(Described {
        who: format!("application {client} of tenant {tenant}"),
        parts: vec![
            "principal".to_owned(),
            cloud.authority.clone(),
            tenant.to_owned(),
            client.clone(),
            hash,
        ],
        source: Source::Application(Application {
            authority: cloud.authority.clone(),
            tenant: tenant.to_owned(),
            client,
            proof,
        }),
    })
}

/// What the application proves itself with, and the value it was made of.
async fn prove(
    credentials: &Credentials,
    spec: &AzureSpec,
    ctx: &Ctx,
) -> Result<(Proof, SecretValue)> {
    if let Some(selector) = &credentials.client_secret {
        let secret = text_of(selector, ctx).await;
        let secret = secret.map_err(|error| named(error, "clientSecret", spec))?;
        let secret = SecretValue::from(secret);
        return Ok((Proof::Secret(secret.clone()), secret));
    }
    let selector = credentials.client_certificate.clone().unwrap_or_default();
    let value = read_certificate(&selector, ctx).await;
    let value = value.map_err(|error| named(error, "clientCertificate", spec))?;
    let parsed = ClientCertificate::parse(&value).map_err(|error| {
        error.context(if spec.use_azure_sdk {
            "failed to parse client certificate"
        } else {
            "failed to get oauth token from certificate auth: failed to decode certificate"
        })
    })?;
    Ok((Proof::Certificate(Box::new(parsed)), value))
}

/// The newer client of the original operator says which credential is at fault.
fn named(error: Error, name: &str, spec: &AzureSpec) -> Error {
    if spec.use_azure_sdk {
        return error.context(format!("failed to get {name}"));
    }
    error
}

/// As upstream, a ClusterSecretStore looks for a certificate without a namespace in none at all.
async fn read_certificate(selector: &SecretKeySelector, ctx: &Ctx) -> Result<SecretValue> {
    if ctx.is_referent(selector.namespace.as_deref()) && ctx.scope().home().is_none() {
        let name = selector.name.as_deref().unwrap_or_default();
        return Err(Error::invalid_spec(format!(
            "cannot get Kubernetes secret {name:?} from namespace \"\": an empty namespace may not \
             be set when a resource name is provided; \
             set authSecretRef.clientCertificate.namespace"
        )));
    }
    ctx.secret(selector).await
}
