//! Identities from outside of Google: a token or a signed request of another identity provider is
//! exchanged at the security token service, and the outcome may act as a service account. What a
//! ConfigMap may say about it is checked in `config`, where the proof comes from is in `subject`.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};

use super::impersonation::Target;
use super::{ACCOUNT_ANNOTATION, Identity, SCOPE, Source};
use super::{exchange, namespace_of};
use crate::endpoint::Endpoint;
use crate::spec::{Federation, given};

mod aws;
pub(super) mod config;
mod subject;

use config::Config;
use subject::Subject;

const TOKEN_URL: &str = "https://sts.googleapis.com/v1/token";
const JWT: &str = "urn:ietf:params:oauth:token-type:jwt";
const AWS_REQUEST: &str = "urn:ietf:params:aws:token-type:aws4_request";
const INVALID: &str = "invalid workloadIdentityFederation config";

/// An identity of another provider.
pub(super) struct ExternalAccount {
    audience: String,
    subject_type: String,
    token_url: String,
    client: Option<(String, SecretValue)>,
    user_project: String,
    subject: Subject,
    acts_as: Option<Target>,
}

/// The identity that a store names.
pub(super) async fn identity(spec: &Federation, ctx: &Ctx) -> Result<Identity> {
    let audience = given(spec.audience.as_deref());
    let ways = [
        spec.cred_config.is_some(),
        spec.service_account_ref.is_some(),
        spec.aws_security_credentials.is_some(),
    ];
    if ways.into_iter().filter(|way| *way).count() != 1 {
        return Err(Error::invalid_spec(format!(
            "{INVALID}: exactly one of credConfig, awsSecurityCredentials or serviceAccountRef \
             must be provided"
        )));
    }
    if spec.cred_config.is_none() && audience.is_none() {
        return Err(Error::invalid_spec(format!(
            "{INVALID}: audience must be provided, when serviceAccountRef or \
             awsSecurityCredentials is provided"
        )));
    }
    let mut account = if let Some(place) = &spec.cred_config {
        let mut config = Config::of_config_map(place, ctx).await?;
        if let Some(audience) = audience {
            audience.clone_into(&mut config.audience);
        }
        config.check(spec.external_token_endpoint.as_deref().unwrap_or_default())?;
        of_config(config)?
    } else {
        of_spec(spec, audience.unwrap_or_default(), ctx).await?
    };
    if let Some(target) = named_account(spec, ctx).await? {
        account.acts_as = Some(target);
    }
    Ok(account.into_identity(ctx))
}

/// What the spec alone describes.
async fn of_spec(spec: &Federation, audience: &str, ctx: &Ctx) -> Result<ExternalAccount> {
    let (subject, subject_type) = match (&spec.service_account_ref, &spec.aws_security_credentials)
    {
        (Some(account), _) => (Subject::service_account(account, ctx)?, JWT),
        (None, Some(keys)) => (Subject::aws_keys(keys, ctx).await?, AWS_REQUEST),
        (None, None) => return Err(Error::invalid_spec(INVALID)),
    };
    Ok(ExternalAccount {
        audience: audience.to_owned(),
        subject_type: subject_type.to_owned(),
        token_url: TOKEN_URL.to_owned(),
        client: None,
        user_project: String::new(),
        subject,
        acts_as: None,
    })
}

/// What a credential configuration describes.
pub(super) fn of_config(config: Config) -> Result<ExternalAccount> {
    let subject = Subject::of_config(&config)?;
    let or = |text: String, usual: &str| {
        if text.is_empty() {
            usual.to_owned()
        } else {
            text
        }
    };
    let url = config.service_account_impersonation_url;
    let seconds = config.service_account_impersonation.token_lifetime_seconds;
    let secret = SecretValue::from(config.client_secret);
    Ok(ExternalAccount {
        audience: config.audience,
        subject_type: or(config.subject_token_type, JWT),
        token_url: or(config.token_url, TOKEN_URL),
        client: (!config.client_id.is_empty()).then_some((config.client_id, secret)),
        user_project: config.workforce_pool_user_project,
        subject,
        acts_as: (!url.is_empty()).then(|| Target::at(url).living(seconds)),
    })
}

/// The account to act as that the spec or the ServiceAccount names; both win over a configuration.
async fn named_account(spec: &Federation, ctx: &Ctx) -> Result<Option<Target>> {
    if let Some(email) = given(spec.gcp_service_account_email.as_deref()) {
        return Ok(Some(Target::account(email)));
    }
    let Some(account) = &spec.service_account_ref else {
        return Ok(None);
    };
    let annotations = ctx.service_account(account).await.map_err(|error| {
        let namespace = namespace_of(account.namespace.as_deref(), ctx).unwrap_or_default();
        let place = format!("{namespace}/{}", account.name);
        error.context(format!("failed to fetch serviceaccount {place:?}"))
    })?;
    let email = given(annotations.get(ACCOUNT_ANNOTATION).map(String::as_str));
    Ok(email.map(Target::account))
}

impl ExternalAccount {
    pub(super) fn into_identity(self, ctx: &Ctx) -> Identity {
        let email = self.acts_as.as_ref().map_or("", Target::email);
        let subject = self.subject.words();
        let who = if email.is_empty() {
            subject.clone()
        } else {
            format!("{subject} acting as {email}")
        };
        let parts = [
            b"gcp federation".as_slice(),
            self.audience.as_bytes(),
            self.token_url.as_bytes(),
            email.as_bytes(),
            subject.as_bytes(),
            &self.subject.proof(),
        ];
        let fingerprint = Fingerprint::of(parts);
        Identity::new(who, fingerprint, Source::External(Box::new(self)), ctx)
    }

    pub(super) async fn token(&self, who: &str, ctx: &Ctx) -> Result<AccessToken> {
        let own = self.exchange(who, ctx).await?;
        match &self.acts_as {
            None => Ok(own),
            Some(target) => target.token(&own.value, who, ctx).await,
        }
    }

    async fn exchange(&self, who: &str, ctx: &Ctx) -> Result<AccessToken> {
        let proof = self.subject.token(&self.audience, ctx).await?;
        let options = serde_json::json!({ "userProject": self.user_project }).to_string();
        let mut fields = vec![
            ("audience", self.audience.as_str()),
            (
                "grant_type",
                "urn:ietf:params:oauth:grant-type:token-exchange",
            ),
            (
                "requested_token_type",
                "urn:ietf:params:oauth:token-type:access_token",
            ),
            ("subject_token_type", &self.subject_type),
            ("subject_token", proof.expose_utf8()?),
            ("scope", SCOPE),
        ];
        if self.client.is_none() && !self.user_project.is_empty() {
            fields.push(("options", &options));
        }
        let url = Endpoint::Sts.url(&self.token_url, ctx)?;
        let mut request = exchange::client(ctx)?.post(url).form(&fields);
        if let Some((id, secret)) = &self.client {
            request = request.basic(id, secret);
        }
        let what = "the security token service";
        let answer = exchange::send(what, request, ctx).await?;
        let Some(refusal) = exchange::refusal(&answer) else {
            return exchange::granted(&answer, what, ctx);
        };
        let text = format!(
            "oauth2/google: status code {}: {} {} (as {who} for audience {}; check the workload \
             identity pool's provider: issuer, allowed audiences and attribute condition)",
            refusal.status, refusal.code, refusal.text, self.audience
        );
        Err(refusal.error(text, &answer))
    }
}
