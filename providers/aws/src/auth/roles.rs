//! Taking on a role with the credentials of another identity. External id, tags and transitive keys
//! go with the last role of a chain only; who calls decides that.

use aws_config::SdkConfig;
use aws_credential_types::Credentials;
use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{
    ProvideCredentials, Result as Provided, SharedCredentialsProvider, future,
};
use aws_sdk_sts::types::Tag;
use lockstep_provider_api::prelude::*;

use super::cache::SignIns;
use super::{SignIn, web_identity};
use crate::error::{self, Place};
use crate::sdk;
use crate::spec::SessionTag;

/// Life of a session, upstream's default.
const SECONDS: i32 = 900;

/// A role and what is sent with it.
#[derive(Clone, Debug)]
pub(super) struct Role {
    pub(super) arn: String,
    pub(super) external_id: Option<String>,
    pub(super) tags: Vec<SessionTag>,
    pub(super) transitive: Vec<String>,
}

impl Role {
    pub(super) fn plain(arn: &str) -> Self {
        Self {
            arn: arn.to_owned(),
            external_id: None,
            tags: Vec::new(),
            transitive: Vec::new(),
        }
    }

    /// Everything about the role that can change what it may do.
    fn parts<'a>(&'a self, region: &'a str) -> Vec<&'a str> {
        let external_id = self.external_id.as_deref().unwrap_or("");
        let mut parts = vec!["role", region, &self.arn, external_id];
        for tag in &self.tags {
            parts.extend([&*tag.key, &*tag.value]);
        }
        parts.push("transitive");
        parts.extend(self.transitive.iter().map(String::as_str));
        parts
    }
}

/// The identity that `base` has after taking on a role.
pub(super) fn take_on(role: Role, base: SignIn, config: &SdkConfig, ctx: &Ctx) -> Result<SignIn> {
    let config = sdk::with_credentials(config, base.credentials.clone());
    let region = config.region().map(ToString::to_string).unwrap_or_default();
    let fingerprint = base.fingerprint.and(&role.parts(&region));
    let who = format!("role {}, taken on by {}", role.arn, base.who);
    let source = AssumedRole {
        sts: sdk::sts(&config, ctx)?,
        region,
        base: base.who,
        role,
    };
    let source = SharedCredentialsProvider::new(source);
    let kept = ctx
        .shared::<SignIns>()
        .keep(fingerprint, source, ctx.time());
    let mut all = vec![kept.clone()];
    all.extend(base.kept);
    Ok(SignIn {
        who,
        fingerprint,
        credentials: SharedCredentialsProvider::new(kept),
        kept: all,
    })
}

#[derive(Debug)]
struct AssumedRole {
    sts: aws_sdk_sts::Client,
    role: Role,
    region: String,
    base: String,
}

impl AssumedRole {
    async fn session(&self) -> Provided {
        let tags = self.role.tags.iter().map(|tag| {
            let tag = Tag::builder().key(&tag.key).value(&tag.value);
            tag.build().map_err(CredentialsError::invalid_configuration)
        });
        let tags: Vec<_> = tags.collect::<Result<_, _>>()?;
        let transitive = &self.role.transitive;
        let request = self
            .sts
            .assume_role()
            .role_arn(&self.role.arn)
            .role_session_name(web_identity::SESSION)
            .duration_seconds(SECONDS)
            .set_external_id(self.role.external_id.clone())
            .set_tags((!tags.is_empty()).then_some(tags))
            .set_transitive_tag_keys((!transitive.is_empty()).then(|| transitive.clone()));
        let answer = Box::pin(request.send()).await.map_err(|error| {
            let subject = format!("role {:?}", self.role.arn);
            let place = Place {
                service: "STS",
                prefix: "sts",
                operation: "AssumeRole",
                subject: &subject,
                region: &self.region,
                who: &self.base,
            };
            CredentialsError::provider_error(Error::from(error::of(&error, &place)))
        })?;
        made(answer.credentials())
    }
}

/// Credentials out of an answer of STS.
pub(super) fn made(answer: Option<&aws_sdk_sts::types::Credentials>) -> Provided {
    let Some(made) = answer else {
        let error = Error::invalid_data("STS answered without credentials");
        return Err(CredentialsError::provider_error(error));
    };
    let end = (*made.expiration()).try_into().ok();
    Ok(Credentials::new(
        made.access_key_id(),
        made.secret_access_key(),
        Some(made.session_token().to_owned()),
        end,
        "STS",
    ))
}

impl ProvideCredentials for AssumedRole {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(self.session())
    }
}
