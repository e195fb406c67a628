//! From the spec's `auth` to a session at IAM: an API key, or the token of the operator's pod together with
//! a trusted profile, is exchanged for an access token.

use std::time::Duration;

use lockstep_provider_api::http::{Answer, Tls};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::{Address, Rest, Scheme, Session, login};

use crate::api::PROVIDER;
use crate::error;
use crate::spec::{ContainerAuth, IbmSpec, Method};

const IAM: &str = "https://iam.cloud.ibm.com";
const TOKEN_PATH: &str = "/identity/token";
/// Addresses of IBM's own IAM end in this.
const OWN: &str = ".cloud.ibm.com";
const API_KEY_GRANT: &str = "urn:ibm:params:oauth:grant-type:apikey";
const POD_GRANT: &str = "urn:ibm:params:oauth:grant-type:cr-token";
const DEFAULT_LIFE: Duration = Duration::from_hours(1);

/// What a connection that cannot be made begins to say.
const SETUP: &str = "cannot setup new ibm client";

/// What is exchanged.
#[derive(Clone)]
enum Proof {
    ApiKey(SecretValue),
    /// Reads the pod's token each time: Kubernetes replaces it.
    Pod {
        file: String,
        profile: String,
    },
}

/// Resolves the credentials. IAM is asked with the first request.
pub(crate) async fn connect(spec: &IbmSpec, ctx: &Ctx) -> Result<Session> {
    let (endpoint, proof) = match spec.method()? {
        Method::ApiKey(key) => {
            let value = ctx.secret(&key.secret_api_key_secret_ref).await?;
            let value = SecretValue::from(value.without_final_newline());
            if value.is_empty() {
                let text = "Exactly one of ApiKey or RefreshToken must be specified.";
                return Err(Error::invalid_spec(text).context(SETUP));
            }
            if is_wrapped(value.expose()) {
                return Err(wrapped("ApiKey"));
            }
            (&key.iam_endpoint, Proof::ApiKey(value))
        }
        Method::Container(container) => (&container.iam_endpoint, pod(container)),
    };
    let endpoint = endpoint.as_deref().filter(|given| !given.is_empty());
    let endpoint = endpoint.unwrap_or(IAM).trim_end_matches('/');
    let endpoint = endpoint.strip_suffix(TOKEN_PATH).unwrap_or(endpoint);
    let iam = Address::new("iamEndpoint", endpoint)?;
    let key = proof.fingerprint(&iam);
    let rest = Rest::new(ctx, PROVIDER, iam, &Tls::default())?;
    Ok(Session::new(ctx, key, Scheme::BEARER, move || {
        let (rest, proof) = (rest.clone(), proof.clone());
        async move { sign_in(&rest, &proof).await }
    }))
}

/// Whether a text has braces or quotes around it, as one that was copied out of a document has.
pub(crate) fn is_wrapped(text: &[u8]) -> bool {
    matches!(text, [b'{' | b'"', ..] | [.., b'}' | b'"'])
}

/// What the vendor's client says of such a text.
pub(crate) fn wrapped(property: &str) -> Error {
    let text = format!(
        "The {property} property is invalid. Please remove any surrounding {{, }}, or \" characters."
    );
    Error::invalid_spec(text).context(SETUP)
}

fn pod(container: &ContainerAuth) -> Proof {
    Proof::Pod {
        file: container.file().to_owned(),
        profile: container.profile.clone(),
    }
}

async fn sign_in(rest: &Rest, proof: &Proof) -> Result<AccessToken> {
    let answer = exchange(rest, proof).await.map_err(error::at_sign_in)?;
    login::oauth2_token(&answer, DEFAULT_LIFE, rest.ctx().now())
}

async fn exchange(rest: &Rest, proof: &Proof) -> Result<Answer> {
    let request = rest.post(TOKEN_PATH).accept_json();
    let request = match proof {
        Proof::ApiKey(key) => request.form(&[
            ("apikey", key.expose_utf8()?),
            ("grant_type", API_KEY_GRANT),
            ("response_type", "cloud_iam"),
        ]),
        Proof::Pod { file, profile } => {
            let token = pod_token(rest, file)?;
            request.form(&[
                ("cr_token", token.expose_utf8()?),
                ("grant_type", POD_GRANT),
                ("profile_name", profile),
            ])
        }
    };
    rest.send("GetToken", request, error::check_sign_in).await
}

/// The pod's token. The path comes from a manifest, so what is in the file goes to IBM alone, unless
/// an administrator's store names another address.
fn pod_token(rest: &Rest, file: &str) -> Result<SecretValue> {
    let ctx = rest.ctx();
    let unable = |why: &str| {
        Error::invalid_spec(format!(
            "unable to retrieve compute resource token value: {why}"
        ))
    };
    let ambient = ctx.ambient();
    let ambient = ambient.ok_or_else(|| unable("the operator's own identity is switched off"))?;
    let token = ambient.read(file);
    let token =
        token.map_err(|error| unable(&format!("error reading CR token from file: {error}")))?;
    let (host, _) = rest.base().host_and_port();
    if !(host.ends_with(OWN) || ctx.scope().is_cluster()) {
        return Err(unable(
            "a SecretStore sends it to addresses under cloud.ibm.com alone; a ClusterSecretStore may \
             name another iamEndpoint",
        ));
    }
    Ok(SecretValue::from(token.without_final_newline()))
}

impl Proof {
    fn fingerprint(&self, iam: &Address) -> Fingerprint {
        let address = iam.as_str().as_bytes();
        match self {
            Self::ApiKey(key) => Fingerprint::of([b"ibm key", address, key.expose()]),
            Self::Pod { file, profile } => {
                Fingerprint::of([b"ibm pod", address, file.as_bytes(), profile.as_bytes()])
            }
        }
    }
}
