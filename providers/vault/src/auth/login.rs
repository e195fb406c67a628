//! One login: what is sent where, and what the answer gives. Secrets of the login are held as secret
//! values and sent in bodies only.

use lockstep_provider_api::http::Method;
use lockstep_provider_api::json::{Html, Number, Value, to_json_object_escaped, to_json_strings};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::Fingerprint;

use super::ENDLESS;
use super::proof::Proof;
use crate::error::Failure;
use crate::server::{Address, Ask, Server};

/// Mount of an auth method and the body of the login.
#[derive(Debug)]
pub struct Login {
    /// Mount of the auth method, below `auth/`.
    pub mount: String,
    /// What proves the identity.
    pub proof: Proof,
}

/// What a login gave.
pub(super) struct Granted {
    pub(super) token: SecretValue,
    seconds: u64,
    pub(super) is_renewable: bool,
}

impl Login {
    /// Who logs in, for messages.
    pub(super) fn who(&self) -> String {
        self.proof.who(&self.mount)
    }

    /// All that can change whose token a login gives.
    pub(super) fn fingerprint(&self, address: &Address, namespace: Option<&str>) -> Fingerprint {
        let mut parts: Vec<Vec<u8>> = vec![
            b"vault".to_vec(),
            address.server.clone().into_bytes(),
            address.ca.clone().unwrap_or_default(),
            to_json_strings(&address.headers, Html::Plain).into_bytes(),
            namespace.unwrap_or_default().as_bytes().to_vec(),
            self.mount.clone().into_bytes(),
        ];
        self.proof.identify(|part: &[u8]| parts.push(part.to_vec()));
        Fingerprint::of(parts)
    }

    /// Logs in.
    pub(super) async fn log_in(&self, server: &Server, namespace: Option<&str>) -> Result<Granted> {
        let path = match &self.proof {
            Proof::Password { user, .. } => format!("auth/{}/login/{user}", self.mount),
            _ => format!("auth/{}/login", self.mount),
        };
        let (body, headers) = self.body(server.ctx()).await?;
        let mut ask = Ask::new("Login", Method::PUT, &path);
        ask.namespace = namespace;
        ask.body = Some(body);
        ask.headers = &headers;
        let answer = Box::pin(server.ask(&ask, None)).await;
        let answer = answer.map_err(|failure| self.refused(failure))?;
        Granted::read(&answer).ok_or_else(|| {
            self.explained(Error::invalid_data(format!(
                "{path}: the answer to the login has no token"
            )))
        })
    }

    async fn body(&self, ctx: &Ctx) -> Result<(SecretValue, Vec<(&'static str, String)>)> {
        let text = |text: &str| SecretValue::from(text);
        let fields = match &self.proof {
            Proof::AppRole { role, secret } => {
                vec![("role_id", role.clone()), ("secret_id", secret.clone())]
            }
            Proof::Password { password, .. } => vec![("password", password.clone())],
            Proof::Token { role, from, .. } => {
                vec![("role", text(role)), ("jwt", from.token(ctx).await?)]
            }
            Proof::Certificate { role, .. } if role.is_empty() => Vec::new(),
            Proof::Certificate { role, .. } => vec![("name", text(role))],
            Proof::Aws(aws) => return aws.body(ctx).await,
            Proof::Gcp(gcp) => gcp.fields(ctx).await?,
        };
        let fields = fields.into_iter();
        let map = fields
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        Ok((to_json_object_escaped(&map), Vec::new()))
    }

    /// The refusal of a login: the credential is wrong, unless mount or namespace are.
    fn refused(&self, failure: Failure) -> Error {
        let status = failure.status.map(|status| status.as_u16());
        let error = match status {
            Some(400 | 401 | 403) => {
                let text = failure.error.to_string();
                Error::new(ErrorKind::Unauthenticated, text)
            }
            // A mount that is not there has nothing to do with a missing secret.
            Some(404) => Error::new(ErrorKind::InvalidSpec, failure.error.to_string()),
            _ => failure.error,
        };
        self.explained(error)
    }

    /// Upstream's words in front.
    fn explained(&self, error: Error) -> Error {
        const FRONT: &str = "unable to log in to auth method";
        let method = match &self.proof {
            Proof::AppRole { .. } => "app role",
            Proof::Password { method, .. } => method,
            Proof::Token { method, .. } if *method == "Kubernetes" => method,
            Proof::Token { .. } => return error,
            Proof::Certificate { .. } => return error.context("error from Vault request"),
            Proof::Aws(_) => "AWS",
            Proof::Gcp(_) => "GCP",
        };
        error.context(format!("{FRONT}: unable to log in with {method} auth"))
    }
}

impl Granted {
    /// The `auth` part of an answer.
    pub(super) fn read(answer: &Value) -> Option<Self> {
        let auth = answer.as_object()?.get("auth")?.as_object()?;
        let token = auth.get("client_token")?.as_str()?;
        let seconds = match auth.get("lease_duration") {
            Some(Value::Number(Number::Text(text))) => text.parse().unwrap_or_default(),
            _ => 0,
        };
        Some(Self {
            token: SecretValue::from(token),
            seconds,
            is_renewable: auth.get("renewable") == Some(&Value::Bool(true)),
        })
    }

    pub(super) fn seconds(&self) -> u64 {
        self.life().unwrap_or(ENDLESS)
    }

    /// Seconds that the token lives; `None` for one without an end.
    pub(super) fn life(&self) -> Option<u64> {
        (self.seconds > 0).then_some(self.seconds)
    }
}
