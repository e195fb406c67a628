//! Logging in with an identity of Google: a token that names the role as its audience, signed with a
//! service account key, signed by Google for the account that a ServiceAccount acts as, or made by the
//! metadata server beside the operator.

use jiff::SignedDuration;
use lockstep_provider_api::http::{Tls, encode_component};
use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::cloud::google;
use lockstep_provider_kit::cloud::google::workload_identity::{
    ACCOUNT_ANNOTATION, Binding, Cluster,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Login;
use super::methods::{mount, namespace_of};
use super::proof::Proof;
use crate::spec::{Gcp, GcpWorkloadIdentity, given};

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
    Workload(Box<Workload>),
    Metadata,
}

/// A ServiceAccount that acts as an account of Google.
#[derive(Debug)]
struct Workload {
    namespace: String,
    binding: Binding,
    email: String,
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
    } else if let Some(workload) = &spec.workload_identity {
        Source::Workload(Box::new(Workload::read(workload, spec, ctx).await?))
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
            Source::Workload(workload) => {
                add(workload.namespace.as_bytes());
                workload
                    .binding
                    .parts()
                    .for_each(|part| add(part.as_bytes()));
            }
            Source::Metadata => add(b"own"),
        }
    }

    pub(super) async fn fields(&self, ctx: &Ctx) -> Result<Vec<(&'static str, SecretValue)>> {
        let token = match &self.source {
            Source::Key(key) => key.token(&self.role, ctx)?,
            Source::Workload(workload) => workload.token(&self.role, ctx).await?,
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
        let header = json!({ "alg": "RS256", "typ": "JWT", "kid": self.id });
        let mut claims = claims(&self.email, role, ctx);
        claims["iss"] = self.email.as_str().into();
        claims["iat"] = ctx.now().as_second().into();
        self.signer.sign(&header, &claims)
    }
}

impl Workload {
    async fn read(workload: &GcpWorkloadIdentity, spec: &Gcp, ctx: &Ctx) -> Result<Self> {
        let account = &workload.service_account_ref;
        let cluster = Cluster {
            project: given(workload.cluster_project_id.as_deref()).or(spec.project_id.as_deref()),
            location: given(workload.cluster_location.as_deref()).or(spec.location.as_deref()),
            name: workload.cluster_name.as_deref(),
        };
        let binding = Binding::read(account, cluster, ctx).await?;
        let namespace = namespace_of(account.namespace.as_deref(), ctx)?;
        let Some(email) = binding.email().map(str::to_owned) else {
            return Err(Error::invalid_spec(format!(
                "auth.gcp.workloadIdentity: annotate ServiceAccount {namespace}/{} with \
                 {ACCOUNT_ANNOTATION}; the server knows accounts of Google only",
                account.name
            )));
        };
        Ok(Self {
            namespace,
            binding,
            email,
        })
    }

    async fn token(&self, role: &str, ctx: &Ctx) -> Result<SecretValue> {
        let who = self.binding.who(&self.namespace);
        let access = Box::pin(self.binding.token(&who, ctx)).await?;
        let claims = claims(&self.email, role, ctx);
        let signed = google::sign_jwt(ctx, (&self.email, &access.value), &claims).await;
        signed.map_err(|error| match error.kind() {
            ErrorKind::Denied => error.context(format!(
                "grant {email} roles/iam.serviceAccountTokenCreator on itself",
                email = self.email
            )),
            _ => error,
        })
    }
}

/// What the server wants to know of an account.
fn claims(email: &str, role: &str, ctx: &Ctx) -> Value {
    let now = ctx.now();
    let end = now.saturating_add(LIFE).unwrap_or(now);
    json!({ "sub": email, "aud": format!("vault/{role}"), "exp": end.as_second() })
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
