//! The Secrets whose values templates may send. Only Secrets marked for this purpose are read: who
//! may write a store must not thereby be able to send any Secret of the cluster to a server of his.

use lockstep_provider_api::prelude::*;

use crate::spec::TemplateSecret;
use crate::template::Secrets;

const LABEL: &str = "external-secrets.io/type";
const WANTED: &str = "webhook";

/// Reads the Secrets of a store.
pub(crate) async fn secrets(wanted: &[TemplateSecret], ctx: &Ctx) -> Result<Secrets> {
    let mut found = Secrets::default();
    for secret in wanted {
        let data = read(secret, ctx).await?;
        found.0.entry(secret.name.clone()).or_default().extend(data);
    }
    Ok(found)
}

async fn read(wanted: &TemplateSecret, ctx: &Ctx) -> Result<SecretMap> {
    let selector = &wanted.secret_ref;
    let name = selector.name.as_deref().unwrap_or_default();
    if ctx.is_referent(selector.namespace.as_deref()) {
        return Err(Error::invalid_spec(format!(
            "no namespace on ClusterScoped webhook secret {name}"
        )));
    }
    let secret = ctx.labelled_secret(selector).await.map_err(|error| {
        error.context(format!(
            "failed to get clustersecretstore webhook secret {name}"
        ))
    })?;
    match secret.labels.get(LABEL).map(String::as_str) {
        Some(WANTED) => Ok(secret.data),
        Some(_) => Err(Error::invalid_spec(format!(
            "secret type is not 'webhook': set the label {LABEL} of Secret {name}"
        ))),
        None => Err(Error::invalid_spec(
            "secret does not contain needed label 'external-secrets.io/type: webhook'. \
             Update secret label to use it with webhook",
        )),
    }
}
