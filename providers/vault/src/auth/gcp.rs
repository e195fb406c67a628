//! Logging in with an identity of Google: a token that names the role as its audience, signed with a
//! service account key, or made by the metadata server beside the operator.

use jiff::SignedDuration;
use lockstep_provider_api::http::{Tls, encode_component};
use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde_json::json;

use super::Login;
use super::methods::mount;
use super::proof::Proof;
use crate::spec::Gcp;

/// Life of a signed token; servers take at most 15 minutes.
const LIFE: SignedDuration = SignedDuration::from_mins(10);
const METADATA: &str = "metadata.google.internal";

/// An identity of Google and the role it logs in as.
#[derive(Debug)]
pub struct GcpLogin {
    pub(super) role: String,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Key(Box<Key>),
    Metadata,
}

#[derive(Debug)]
struct Key {
    email: String,
    id: String,
    signer: RsaKey,
    text: SecretValue,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    client_email: String,
    private_key_id: String,
    private_key: String,
}

/// The login that a manifest asks for.
pub(super) async fn login(spec: &Gcp, ctx: &Ctx) -> Result<Login> {
    let source = if let Some(key) = &spec.secret_ref {
        let text = ctx.secret(&key.secret_access_key).await?;
        Source::Key(Box::new(Key::parse(text)?))
    } else if spec.workload_identity.is_some() {
        return Err(Error::invalid_spec(
            "auth.gcp.workloadIdentity is not supported; use auth.gcp.secretRef, or auth.jwt with \
             kubernetesServiceAccountToken",
        ));
    } else {
        Source::Metadata
    };
    Ok(Login {
        mount: mount(&spec.path, "gcp"),
        proof: Proof::Gcp(Box::new(GcpLogin {
            role: spec.role.clone(),
            source,
        })),
    })
}

impl GcpLogin {
    pub(super) fn identify(&self, add: &mut impl FnMut(&[u8])) {
        add(b"gcp");
        add(self.role.as_bytes());
        match &self.source {
            Source::Key(key) => add(key.text.expose()),
            Source::Metadata => add(b"own"),
        }
    }

    pub(super) async fn fields(&self, ctx: &Ctx) -> Result<Vec<(&'static str, SecretValue)>> {
        let token = match &self.source {
            Source::Key(key) => key.token(&self.role, ctx)?,
            Source::Metadata => metadata_token(&self.role, ctx).await?,
        };
        let role = SecretValue::from(self.role.as_str());
        Ok(vec![("role", role), ("jwt", token)])
    }
}

impl Key {
    fn parse(text: SecretValue) -> Result<Self> {
        let file: File = serde_json::from_slice(text.expose()).map_err(|_| {
            Error::invalid_spec(
                "auth.gcp.secretRef: the key is no JSON object of a service account",
            )
        })?;
        let signer = RsaKey::from_pem(&SecretValue::from(file.private_key))
            .map_err(|error| error.context("auth.gcp.secretRef: private_key"))?;
        Ok(Self {
            email: file.client_email,
            id: file.private_key_id,
            signer,
            text,
        })
    }

    fn token(&self, role: &str, ctx: &Ctx) -> Result<SecretValue> {
        let now = ctx.now();
        let end = now.saturating_add(LIFE).unwrap_or(now);
        let header = json!({ "alg": "RS256", "typ": "JWT", "kid": self.id });
        let claims = json!({
            "sub": self.email,
            "iss": self.email,
            "aud": format!("vault/{role}"),
            "iat": now.as_second(),
            "exp": end.as_second(),
        });
        self.signer.sign(&header, &claims)
    }
}

/// A token of the machine the operator runs on.
async fn metadata_token(role: &str, ctx: &Ctx) -> Result<SecretValue> {
    if ctx.ambient().is_none() {
        return Err(Error::invalid_spec(
            "the metadata server of Google may not be asked here; set auth.gcp.secretRef",
        ));
    }
    let host = ctx.variable("GCE_METADATA_HOST");
    let host = host.as_deref().unwrap_or(METADATA);
    let audience = encode_component(&format!("vault/{role}"));
    let url = format!(
        "http://{host}/computeMetadata/v1/instance/service-accounts/default/identity\
         ?audience={audience}&format=full"
    );
    let request = ctx.http(&Tls::default())?.get(url);
    let request = request.header("Metadata-Flavor", "Google");
    let answer = request.send().await?;
    if let Some(error) = answer.error() {
        let text = format!("the metadata server of Google gave no token: {error}");
        return Err(Error::new(ErrorKind::Unauthenticated, text));
    }
    Ok(answer.into_secret())
}
