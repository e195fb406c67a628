//! Logging in with an identity of AWS: a `GetCallerIdentity` request is signed and not sent; the
//! server sends it and so learns who signed. Keys come from Secrets, from a ServiceAccount with a
//! role, or from the operator's own pod, and belong to one store each.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lockstep_provider_api::json::to_json_object_escaped;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::ServiceAccountSelector;
use lockstep_provider_kit::cloud::aws::{BODY, Form, Keys};
use serde_json::json;

use super::Login;
use super::methods::{mount, namespace_of};
use super::proof::Proof;
use crate::spec::{Iam, given};

mod sts;

const ROLE_ANNOTATION: &str = "eks.amazonaws.com/role-arn";
const AUDIENCE: &str = "sts.amazonaws.com";
const TOKEN_LIFE: Duration = Duration::from_mins(10);

/// An identity of AWS and the role it logs in as.
#[derive(Debug)]
pub struct AwsLogin {
    pub(super) vault_role: String,
    server_id: Option<String>,
    region: String,
    keys: KeySource,
    /// A role of AWS to assume, and the external id for it.
    assume: Option<(String, Option<String>)>,
}

#[derive(Debug)]
enum KeySource {
    Given(Keys),
    ServiceAccount {
        account: ServiceAccountSelector,
        namespace: String,
        role: String,
    },
    Own,
}

/// The login that a manifest asks for.
pub(super) async fn login(spec: &Iam, ctx: &Ctx) -> Result<Login> {
    let jwt = spec.jwt.as_ref();
    let account = jwt.and_then(|jwt| jwt.service_account_ref.as_ref());
    let keys = if let Some(account) = account {
        of_account(account, ctx).await?
    } else if let Some(keys) = &spec.secret_ref {
        let (Some(id), Some(secret)) = (&keys.id, &keys.secret) else {
            return Err(Error::invalid_spec(
                "auth.iam.secretRef needs accessKeyIDSecretRef and secretAccessKeySecretRef",
            ));
        };
        let session = match &keys.session {
            Some(session) => ctx.secret(session).await?,
            None => SecretValue::default(),
        };
        KeySource::Given(Keys::trimmed(
            &ctx.secret(id).await?,
            &ctx.secret(secret).await?,
            &session,
        ))
    } else {
        KeySource::Own
    };
    let assume = given(spec.role.as_deref()).map(|role| {
        let external = given(spec.external_id.as_deref());
        (role.to_owned(), external.map(str::to_owned))
    });
    let login = AwsLogin {
        vault_role: spec.vault_role.clone(),
        server_id: given(spec.server_id.as_deref()).map(str::to_owned),
        region: given(spec.region.as_deref())
            .unwrap_or("us-east-1")
            .to_owned(),
        keys,
        assume,
    };
    Ok(Login {
        mount: mount(spec.path.as_deref().unwrap_or_default(), "aws"),
        proof: Proof::Aws(Box::new(login)),
    })
}

async fn of_account(account: &ServiceAccountSelector, ctx: &Ctx) -> Result<KeySource> {
    let annotations = ctx.service_account(account).await?;
    let role = annotations.get(ROLE_ANNOTATION).cloned();
    let role = role.ok_or_else(|| {
        Error::invalid_spec(format!(
            "an IAM role must be associated with service account {}: set its annotation \
             {ROLE_ANNOTATION}",
            account.name
        ))
    })?;
    Ok(KeySource::ServiceAccount {
        namespace: namespace_of(account.namespace.as_deref(), ctx)?,
        account: account.clone(),
        role,
    })
}

impl AwsLogin {
    pub(super) fn identify(&self, add: &mut impl FnMut(&[u8])) {
        add(b"aws");
        add(self.vault_role.as_bytes());
        add(self.region.as_bytes());
        let (role, external) = self.assume.clone().unwrap_or_default();
        add(role.as_bytes());
        add(external.unwrap_or_default().as_bytes());
        match &self.keys {
            KeySource::Given(keys) => {
                for part in [&keys.id, &keys.secret, &keys.session] {
                    add(part.expose());
                }
            }
            KeySource::ServiceAccount {
                account,
                namespace,
                role,
            } => {
                add(namespace.as_bytes());
                add(account.name.as_bytes());
                add(role.as_bytes());
            }
            KeySource::Own => add(b"own"),
        }
    }

    /// The signed request as the server takes it.
    pub(super) async fn body(
        &self,
        ctx: &Ctx,
    ) -> Result<(SecretValue, Vec<(&'static str, String)>)> {
        let mut keys = self.keys(ctx).await?;
        if let Some((role, external)) = &self.assume {
            keys = sts::assume(&keys, role, external.as_deref(), &self.region, ctx).await?;
        }
        let url = sts::public_url(&self.region);
        let id = self.server_id.as_deref();
        let extra = id.map(|id| ("X-Vault-AWS-IAM-Server-ID", id));
        let form = Form {
            url: &url,
            region: &self.region,
            body: BODY,
            extra,
        };
        let signed = form.signed(&keys, ctx.now())?;
        let headers: serde_json::Map<_, _> = signed
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!([value])))
            .collect();
        let fields = [
            ("role", SecretValue::from(self.vault_role.as_str())),
            ("iam_http_request_method", "POST".into()),
            ("iam_request_url", STANDARD.encode(&url).into()),
            ("iam_request_body", STANDARD.encode(BODY).into()),
            (
                "iam_request_headers",
                STANDARD.encode(json!(headers).to_string()).into(),
            ),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value));
        Ok((
            to_json_object_escaped(&fields.into_iter().collect()),
            Vec::new(),
        ))
    }

    async fn keys(&self, ctx: &Ctx) -> Result<Keys> {
        match &self.keys {
            KeySource::Given(keys) => Ok(keys.clone()),
            KeySource::ServiceAccount { account, role, .. } => {
                let audiences = match &account.audiences {
                    Some(audiences) if !audiences.is_empty() => Vec::new(),
                    _ => vec![AUDIENCE.to_owned()],
                };
                let token = ctx.service_account_token(account, &audiences, TOKEN_LIFE);
                sts::web_identity(&token.await?, role, &self.region, ctx).await
            }
            KeySource::Own => sts::own(&self.region, ctx).await,
        }
    }
}
