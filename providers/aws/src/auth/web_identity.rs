//! The role of a ServiceAccount (IRSA by reference): a token made for the purpose is exchanged for
//! credentials of the role that the ServiceAccount's annotation names.

use std::time::Duration;

use aws_config::SdkConfig;
use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{
    ProvideCredentials, Result as Provided, SharedCredentialsProvider, future,
};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::ServiceAccountSelector;

use super::cache::{Fingerprint, SignIns};
use super::{SignIn, roles};
use crate::error::{self, Place};
use crate::sdk;
use crate::spec::AwsSpec;

/// Name of the sessions in audit logs, as upstream has it.
pub(super) const SESSION: &str = "external-secrets-provider-aws";

const ROLE_ANNOTATION: &str = "eks.amazonaws.com/role-arn";
const AUDIENCE_ANNOTATION: &str = "eks.amazonaws.com/audience";
const AUDIENCE: &str = "sts.amazonaws.com";
/// The API server's own default.
const TOKEN_LIFE: Duration = Duration::from_hours(1);

/// The identity of a ServiceAccount's role.
pub(super) async fn sign_in(
    account: &ServiceAccountSelector,
    spec: &AwsSpec,
    config: &SdkConfig,
    ctx: &Ctx,
) -> Result<SignIn> {
    let annotations = ctx.service_account(account).await?;
    let namespace = namespace_of(account, ctx);
    let role = annotations
        .get(ROLE_ANNOTATION)
        .cloned()
        .unwrap_or_default();
    if role.is_empty() {
        return Err(Error::invalid_spec(format!(
            "an IAM role must be associated with service account {} (namespace: {namespace})",
            account.name
        )));
    }
    let audience = annotations.get(AUDIENCE_ANNOTATION).cloned();
    let audience = audience.filter(|audience| !audience.is_empty());
    let audience = audience.unwrap_or_else(|| AUDIENCE.to_owned());
    let mut parts = vec![
        "jwt",
        &namespace,
        &account.name,
        &role,
        &spec.region,
        &audience,
    ];
    parts.extend(account.audiences.iter().flatten().map(String::as_str));
    let fingerprint = Fingerprint::of(&parts);
    let who = format!(
        "ServiceAccount {namespace}/{} with role {role}",
        account.name
    );
    let source = WebIdentity {
        sts: sdk::sts(&config.to_builder().build(), ctx)?,
        ctx: ctx.clone(),
        account: account.clone(),
        audiences: vec![audience],
        region: spec.region.clone(),
        who: who.clone(),
        role,
    };
    let source = SharedCredentialsProvider::new(source);
    let kept = ctx
        .shared::<SignIns>()
        .keep(fingerprint, source, ctx.time());
    Ok(SignIn {
        who,
        fingerprint,
        credentials: SharedCredentialsProvider::new(kept.clone()),
        kept: vec![kept],
    })
}

fn namespace_of(account: &ServiceAccountSelector, ctx: &Ctx) -> String {
    let own = ctx.store().namespace.clone();
    let named = account.namespace.clone().filter(|name| !name.is_empty());
    let caller = || ctx.scope().home().map(str::to_owned);
    own.or(named).or_else(caller).unwrap_or_default()
}

#[derive(Debug)]
struct WebIdentity {
    sts: aws_sdk_sts::Client,
    ctx: Ctx,
    account: ServiceAccountSelector,
    audiences: Vec<String>,
    role: String,
    region: String,
    who: String,
}

impl WebIdentity {
    async fn session(&self) -> Provided {
        let token = self
            .ctx
            .service_account_token(&self.account, &self.audiences, TOKEN_LIFE)
            .await
            .map_err(|error| {
                let error = error.context("error creating service account token");
                CredentialsError::provider_error(error)
            })?;
        let token = token
            .expose_utf8()
            .map_err(CredentialsError::provider_error)?;
        let request = self
            .sts
            .assume_role_with_web_identity()
            .role_arn(&self.role)
            .role_session_name(SESSION)
            .web_identity_token(token);
        let answer = Box::pin(request.send()).await.map_err(|error| {
            let subject = format!("role {:?}", self.role);
            let place = Place {
                service: "STS",
                prefix: "sts",
                operation: "AssumeRoleWithWebIdentity",
                subject: &subject,
                region: &self.region,
                who: &self.who,
            };
            CredentialsError::provider_error(Error::from(error::of(&error, &place)))
        })?;
        roles::made(answer.credentials())
    }
}

impl ProvideCredentials for WebIdentity {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(self.session())
    }
}
