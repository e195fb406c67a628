//! Workload identity: the token of a ServiceAccount is exchanged for one of Entra ID. Client id and
//! tenant come from annotations, from Secrets or from the manifest, by rules that differ between
//! the two clients of the original operator.

use std::collections::BTreeMap;

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::ServiceAccountSelector;

use super::entra::{Application, Proof};
use super::{Described, Source, refusal, text_of};
use crate::cloud::Cloud;
use crate::spec::AzureSpec;

const CLIENT_ANNOTATION: &str = "azure.workload.identity/client-id";
const TENANT_ANNOTATION: &str = "azure.workload.identity/tenant-id";

/// The identity of a ServiceAccount, or of the operator's own where none is named.
pub(super) async fn describe(spec: &AzureSpec, cloud: &Cloud, ctx: &Ctx) -> Result<Described> {
    let Some(account) = &spec.service_account_ref else {
        return ambient(spec, cloud, ctx);
    };
    let annotations = ctx.service_account(account).await.map_err(|error| {
        if spec.use_azure_sdk {
            return error.context("failed to get service account");
        }
        error
    })?;
    let (client, tenant) = if spec.use_azure_sdk {
        of_annotations(spec, account, &annotations)?
    } else {
        resolve(spec, ctx, &annotations).await?
    };
    let namespace = namespace_of(account, ctx);
    let mut parts = vec![
        "account".to_owned(),
        cloud.authority.clone(),
        tenant.clone(),
        client.clone(),
        namespace.clone(),
        account.name.clone(),
    ];
    parts.extend(account.audiences.iter().flatten().cloned());
    Ok(Described {
        who: format!(
            "ServiceAccount {namespace}/{} for application {client} of tenant {tenant}",
            account.name
        ),
        parts,
        source: Source::Application(Application {
            authority: cloud.authority.clone(),
            tenant,
            client,
            proof: Proof::ServiceAccount(account.clone()),
        }),
    })
}

/// The rules of the newer client: annotations alone, and the manifest's tenant before them.
fn of_annotations(
    spec: &AzureSpec,
    account: &ServiceAccountSelector,
    annotations: &BTreeMap<String, String>,
) -> Result<(String, String)> {
    let client = annotation(annotations, CLIENT_ANNOTATION).ok_or_else(|| {
        Error::invalid_spec(format!(
            "{}; annotate ServiceAccount {:?} with it",
            missing_client(),
            account.name
        ))
    })?;
    let tenant = spec.tenant().map(str::to_owned);
    let tenant = tenant.or_else(|| annotation(annotations, TENANT_ANNOTATION));
    let tenant = tenant.ok_or_else(missing_tenant)?;
    Ok((client, tenant))
}

/// The rules of the older client: every value from exactly one place.
async fn resolve(
    spec: &AzureSpec,
    ctx: &Ctx,
    annotations: &BTreeMap<String, String>,
) -> Result<(String, String)> {
    let keys = spec.auth_secret_ref.as_ref();
    let annotated = annotation(annotations, CLIENT_ANNOTATION);
    let client = match (keys.and_then(|keys| keys.client_id.as_ref()), annotated) {
        (Some(_), Some(_)) => {
            return Err(Error::invalid_spec(
                "multiple clientID found. Check secretRef and serviceAccountRef",
            ));
        }
        (Some(selector), None) => text_of(selector, ctx).await?,
        (None, Some(client)) => client,
        (None, None) => return Err(Error::invalid_spec(missing_client())),
    };
    let kept = match keys.and_then(|keys| keys.tenant_id.as_ref()) {
        Some(selector) => Some(text_of(selector, ctx).await?),
        None => None,
    };
    let named = kept.or_else(|| spec.tenant().map(str::to_owned));
    let tenant = match (named, annotation(annotations, TENANT_ANNOTATION)) {
        (Some(_), Some(_)) => {
            return Err(Error::invalid_spec(
                "multiple tenantID found. Check secretRef, 'spec.provider.azurekv.tenantId', \
                 and serviceAccountRef",
            ));
        }
        (Some(tenant), None) | (None, Some(tenant)) => tenant,
        (None, None) => ctx.variable("AZURE_TENANT_ID").ok_or_else(missing_tenant)?,
    };
    Ok((client, tenant))
}

/// The operator's own ServiceAccount, as the webhook of AKS describes it in the environment.
fn ambient(spec: &AzureSpec, cloud: &Cloud, ctx: &Ctx) -> Result<Described> {
    ctx.ambient().ok_or_else(refusal::no_ambient)?;
    let variable = |name| ctx.variable(name);
    let found = (
        variable("AZURE_CLIENT_ID"),
        variable("AZURE_TENANT_ID"),
        variable("AZURE_FEDERATED_TOKEN_FILE"),
    );
    let (Some(client), Some(tenant), Some(path)) = found else {
        return Err(Error::invalid_spec(if spec.use_azure_sdk {
            "no client ID specified. Check pod configuration or set ClientID in the options"
        } else {
            "missing environment variables. AZURE_CLIENT_ID, AZURE_TENANT_ID and \
             AZURE_FEDERATED_TOKEN_FILE must be set"
        }));
    };
    Ok(Described {
        who: format!("the operator's ServiceAccount for application {client} of tenant {tenant}"),
        parts: vec![
            "file".to_owned(),
            cloud.authority.clone(),
            tenant.clone(),
            client.clone(),
            path.clone(),
        ],
        source: Source::Application(Application {
            authority: cloud.authority.clone(),
            tenant,
            client,
            proof: Proof::File(path),
        }),
    })
}

fn annotation(annotations: &BTreeMap<String, String>, name: &str) -> Option<String> {
    let value = annotations.get(name).map(|value| value.trim());
    value.filter(|value| !value.is_empty()).map(str::to_owned)
}

fn missing_client() -> String {
    format!(
        "missing clientID: either serviceAccountRef or service account annotation \
         '{CLIENT_ANNOTATION}' is missing"
    )
}

fn missing_tenant() -> Error {
    Error::invalid_spec("missing tenantID in store config")
}

fn namespace_of(account: &ServiceAccountSelector, ctx: &Ctx) -> String {
    let own = ctx.store().namespace.clone();
    let named = account.namespace.clone().filter(|name| !name.is_empty());
    let caller = || ctx.scope().home().map(str::to_owned);
    own.or(named).or_else(caller).unwrap_or_default()
}
