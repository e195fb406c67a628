//! What proves an identity to the server, and all of it that can change whose token a login gives.

use lockstep_provider_api::prelude::*;

use super::aws::AwsLogin;
use super::gcp::GcpLogin;
use super::token_source::TokenSource;

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

impl Proof {
    /// Who logs in at a mount, for messages.
    pub(super) fn who(&self, mount: &str) -> String {
        match self {
            Self::AppRole { .. } => format!("the AppRole of auth/{mount}"),
            Self::Password { user, .. } => format!("user {user} of auth/{mount}"),
            Self::Token { role, from, .. } => match from {
                TokenSource::ServiceAccount {
                    account, namespace, ..
                } => format!(
                    "ServiceAccount {namespace}/{} with role {role} of auth/{mount}",
                    account.name
                ),
                _ => format!("role {role} of auth/{mount}"),
            },
            Self::Certificate { .. } => format!("the client certificate of auth/{mount}"),
            Self::Aws(aws) => format!("role {} of auth/{mount}", aws.vault_role),
            Self::Gcp(gcp) => format!("role {} of auth/{mount}", gcp.role),
        }
    }

    /// Hands over every part that identifies it.
    pub(super) fn identify(&self, mut add: impl FnMut(&[u8])) {
        match self {
            Self::AppRole { role, secret } => {
                [&b"approle"[..], role.expose(), secret.expose()]
                    .into_iter()
                    .for_each(add);
            }
            Self::Password {
                method,
                user,
                password,
            } => {
                [method.as_bytes(), user.as_bytes(), password.expose()]
                    .into_iter()
                    .for_each(add);
            }
            Self::Token { method, role, from } => {
                [method.as_bytes(), role.as_bytes()]
                    .into_iter()
                    .for_each(&mut add);
                from.identify(&mut add);
            }
            Self::Certificate { role, material } => {
                [&b"cert"[..], role.as_bytes(), material.expose()]
                    .into_iter()
                    .for_each(add);
            }
            Self::Aws(aws) => aws.identify(&mut add),
            Self::Gcp(gcp) => gcp.identify(&mut add),
        }
    }
}
