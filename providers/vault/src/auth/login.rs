//! One login: what is sent where, and what the answer gives. Secrets of the login are held as secret
//! values and sent in bodies only.

use lockstep_provider_api::http::Method;
use lockstep_provider_api::json::{Html, Number, Value, to_json_object_escaped, to_json_strings};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::ServiceAccountSelector;
use lockstep_provider_api::token_cache::Fingerprint;
use std::time::Duration;

use super::ENDLESS;
use super::aws::AwsLogin;
use super::gcp::GcpLogin;
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

/// What proves an identity.
#[derive(Debug)]
pub enum Proof {
    /// An application.
    AppRole {
        /// Id of the role.
        role: SecretValue,
        /// The secret id.
        secret: SecretValue,
    },
    /// A user of `userpass` or `ldap`.
    Password {
        /// The auth method, for messages.
        method: &'static str,
        /// Name of the user.
        user: String,
        /// Its password.
        password: SecretValue,
    },
    /// A token that is shown to the server; `method` is `Kubernetes` or `JWT`.
    Token {
        /// The auth method, for messages.
        method: &'static str,
        /// Role to log in as.
        role: String,
        /// Where the token comes from.
        from: TokenSource,
    },
    /// The client certificate of the connection.
    Certificate {
        /// Role to log in as; empty for any.
        role: String,
        /// Certificate and key, for the fingerprint.
        material: SecretValue,
    },
    /// An identity of AWS.
    Aws(Box<AwsLogin>),
    /// An identity of Google.
    Gcp(Box<GcpLogin>),
}

/// Where the token of a login comes from.
#[derive(Debug)]
pub enum TokenSource {
    /// A Secret.
    Given(SecretValue),
    /// A ServiceAccount, by a token request at every login.
    ServiceAccount {
        /// The account.
        account: ServiceAccountSelector,
        /// Its namespace.
        namespace: String,
        /// Audiences beside those of the selector.
        audiences: Vec<String>,
        /// Wanted life of the token.
        life: Duration,
    },
    /// The operator's own token.
    Own,
}

/// What a login gave.
pub(super) struct Granted {
    pub(super) token: SecretValue,
    seconds: u64,
    pub(super) is_renewable: bool,
}

/// Where the operator's own token is mounted.
const OWN_TOKEN: &str = "/var/run/secrets/kubernetes.io/serviceaccount/token";

impl Login {
    /// Who logs in, for messages.
    pub(super) fn who(&self) -> String {
        let mount = &self.mount;
        match &self.proof {
            Proof::AppRole { .. } => format!("the AppRole of auth/{mount}"),
            Proof::Password { user, .. } => format!("user {user} of auth/{mount}"),
            Proof::Token { role, from, .. } => match from {
                TokenSource::ServiceAccount {
                    account, namespace, ..
                } => format!(
                    "ServiceAccount {namespace}/{} with role {role} of auth/{mount}",
                    account.name
                ),
                _ => format!("role {role} of auth/{mount}"),
            },
            Proof::Certificate { .. } => format!("the client certificate of auth/{mount}"),
            Proof::Aws(aws) => format!("role {} of auth/{mount}", aws.vault_role),
            Proof::Gcp(gcp) => format!("role {} of auth/{mount}", gcp.role),
        }
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
        let mut add = |part: &[u8]| parts.push(part.to_vec());
        match &self.proof {
            Proof::AppRole { role, secret } => {
                [&b"approle"[..], role.expose(), secret.expose()]
                    .into_iter()
                    .for_each(&mut add);
            }
            Proof::Password {
                method,
                user,
                password,
            } => {
                [method.as_bytes(), user.as_bytes(), password.expose()]
                    .into_iter()
                    .for_each(&mut add);
            }
            Proof::Token { method, role, from } => {
                [method.as_bytes(), role.as_bytes()]
                    .into_iter()
                    .for_each(&mut add);
                from.identify(&mut add);
            }
            Proof::Certificate { role, material } => {
                [&b"cert"[..], role.as_bytes(), material.expose()]
                    .into_iter()
                    .for_each(&mut add);
            }
            Proof::Aws(aws) => aws.identify(&mut add),
            Proof::Gcp(gcp) => gcp.identify(&mut add),
        }
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

impl TokenSource {
    fn identify(&self, add: &mut impl FnMut(&[u8])) {
        match self {
            Self::Given(token) => add(token.expose()),
            Self::ServiceAccount {
                account,
                namespace,
                audiences,
                ..
            } => {
                add(b"serviceaccount");
                add(namespace.as_bytes());
                add(account.name.as_bytes());
                for audience in audiences.iter().chain(account.audiences.iter().flatten()) {
                    add(audience.as_bytes());
                }
            }
            Self::Own => add(b"own"),
        }
    }

    async fn token(&self, ctx: &Ctx) -> Result<SecretValue> {
        match self {
            Self::Given(token) => Ok(SecretValue::from(token.expose().trim_ascii())),
            Self::ServiceAccount {
                account,
                audiences,
                life,
                ..
            } => ctx.service_account_token(account, audiences, *life).await,
            Self::Own => {
                let refused = "cannot read Kubernetes service account token from file system";
                let Some(ambient) = ctx.ambient() else {
                    return Err(Error::invalid_spec(format!(
                        "{refused}: the operator's own identity may not be used here; \
                         set serviceAccountRef or secretRef"
                    )));
                };
                let token = ambient.read(OWN_TOKEN);
                let token = token.map_err(|error| error.context(refused))?;
                Ok(SecretValue::from(token.expose().trim_ascii()))
            }
        }
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
