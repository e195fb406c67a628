//! Proofs of cloud identities in the form that Akeyless takes them: a signed request of AWS, a token of
//! Azure's resource manager, an ID token of Google, each in base64.

use std::collections::BTreeMap;
use std::time::Duration;

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::ServiceAccountSelector;
use lockstep_provider_kit::base64::{Encoding, encode};
use lockstep_provider_kit::cloud::aws::{self, Form};
use lockstep_provider_kit::cloud::azure::federated::{self, Application};
use lockstep_provider_kit::cloud::{azure, google};
use serde_json::json;

use crate::auth::account_parts;

/// The one address of AWS that serves every region's keys.
const STS: &str = "https://sts.amazonaws.com/";
const STS_REGION: &str = "us-east-1";
const AUDIENCE: &str = "akeyless.io";
const TOKEN_LIFE: Duration = Duration::from_mins(10);
const CLIENT: &str = "azure.workload.identity/client-id";
const TENANT: &str = "azure.workload.identity/tenant-id";

/// A cloud that vouches for the operator or for a ServiceAccount.
#[derive(Debug)]
pub(crate) enum Cloud {
    Aws,
    /// The object id of an identity, or empty.
    Azure(String),
    /// The ServiceAccount, and the client id where it has no annotation.
    AzureAccount(ServiceAccountSelector, String),
    /// The audience, or empty.
    Google(String),
}

impl Cloud {
    /// The cloud of an access type.
    pub(crate) fn new(
        access_type: &str,
        param: String,
        account: Option<ServiceAccountSelector>,
    ) -> Result<Self> {
        match (access_type, account) {
            ("aws_iam", _) => Ok(Self::Aws),
            ("azure_ad", None) => Ok(Self::Azure(param)),
            ("azure_ad", Some(account)) => Ok(Self::AzureAccount(account, param)),
            ("gcp", _) => Ok(Self::Google(param)),
            (other, _) => Err(Error::invalid_spec(format!(
                "Require Cloud ID unable to determine provider: {other}"
            ))),
        }
    }

    /// Everything that makes this identity another one.
    pub(crate) fn parts(&self, ctx: &Ctx) -> Vec<Vec<u8>> {
        match self {
            Self::Aws => Vec::new(),
            Self::Azure(text) | Self::Google(text) => vec![text.clone().into_bytes()],
            Self::AzureAccount(account, client) => {
                let mut parts = account_parts(account, ctx);
                parts.push(client.clone().into_bytes());
                parts
            }
        }
    }

    /// The proof.
    pub(crate) async fn id(&self, ctx: &Ctx) -> Result<SecretValue> {
        let proof = match self {
            Self::Aws => return aws_id(ctx).await,
            Self::Azure(object) => azure_token(ctx, object).await?,
            Self::AzureAccount(account, client) => account_token(ctx, account, client).await?,
            Self::Google(audience) if audience.is_empty() => {
                google::own_id_token(ctx, AUDIENCE).await?
            }
            Self::Google(audience) => google::own_id_token(ctx, audience).await?,
        };
        Ok(SecretValue::from(encode(
            Encoding::Standard,
            proof.expose(),
        )))
    }
}

/// A signed request that Akeyless sends to AWS.
async fn aws_id(ctx: &Ctx) -> Result<SecretValue> {
    let (_, keys) = aws::ambient(ctx).await?;
    let form = Form {
        url: STS,
        region: STS_REGION,
        body: aws::BODY,
        extra: None,
    };
    let signed = form.signed(&keys, ctx.now())?;
    // The host is in the URL; headers are lists, as Go has them.
    let headers: BTreeMap<&str, [String; 1]> = signed
        .into_iter()
        .filter(|(name, _)| *name != "Host")
        .map(|(name, value)| (name, [value]))
        .collect();
    let request = json!({
        "sts_request_method": "POST",
        "sts_request_url": aws::encoded(STS),
        "sts_request_body": aws::encoded(aws::BODY),
        "sts_request_headers": aws::encoded(&json!(headers).to_string()),
    });
    Ok(SecretValue::from(aws::encoded(&request.to_string())))
}

/// The operator's own identity: an identity of the machine by its object id, the one that the webhook
/// of AKS describes, or the machine's only one.
async fn azure_token(ctx: &Ctx, object: &str) -> Result<SecretValue> {
    let cloud = azure::Cloud::ambient(ctx);
    if !object.is_empty() {
        return azure::token_of(ctx, cloud.management, Some(object)).await;
    }
    let described = (
        ctx.variable("AZURE_CLIENT_ID"),
        ctx.variable("AZURE_TENANT_ID"),
        ctx.variable("AZURE_FEDERATED_TOKEN_FILE"),
    );
    match (described, ctx.ambient()) {
        ((Some(client), Some(tenant), Some(file)), Some(ambient)) => {
            let application = Application {
                authority: cloud.authority,
                tenant: &tenant,
                client: &client,
            };
            let assertion = ambient.read(&file)?;
            federated::exchange(ctx, application, cloud.management, &assertion).await
        }
        _ => azure::token(ctx, cloud.management).await,
    }
}

async fn account_token(
    ctx: &Ctx,
    account: &ServiceAccountSelector,
    param: &str,
) -> Result<SecretValue> {
    let annotations = ctx.service_account(account).await.map_err(|error| {
        error.context(format!("failed to get service account {:?}", account.name))
    })?;
    let noted = |name: &str| {
        annotations
            .get(name)
            .filter(|text| !text.is_empty())
            .cloned()
    };
    let given = Some(param).filter(|param| !param.is_empty());
    let client = noted(CLIENT).or_else(|| given.map(str::to_owned));
    let client = client.ok_or_else(|| {
        Error::invalid_spec(format!(
            "missing Azure client ID: set accessTypeParam or annotate the service account with {CLIENT}"
        ))
    })?;
    let tenant = noted(TENANT).or_else(|| ctx.variable("AZURE_TENANT_ID"));
    let tenant = tenant.ok_or_else(|| {
        Error::invalid_spec(format!(
            "missing Azure tenant ID: annotate the service account with {TENANT} or set AZURE_TENANT_ID"
        ))
    })?;
    let audience = [federated::AUDIENCE.to_owned()];
    let assertion = ctx
        .service_account_token(account, &audience, TOKEN_LIFE)
        .await?;
    let cloud = azure::Cloud::ambient(ctx);
    let application = Application {
        authority: cloud.authority,
        tenant: &tenant,
        client: &client,
    };
    let token = federated::exchange(ctx, application, cloud.management, &assertion).await;
    token.map_err(|error| error.context("failed to get Azure access token"))
}
