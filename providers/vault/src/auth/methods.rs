//! Which way to log in the manifest asks for: the first that is given, in upstream's order. Reads the
//! credentials; sends nothing to the server.

use std::time::Duration;

use lockstep_provider_api::http::Identity as Certificate;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{SecretKeySelector, ServiceAccountSelector};

use super::proof::Proof;
use super::token_source::TokenSource;
use super::{Identity, Login, aws, gcp};
use crate::server::{Address, Server};
use crate::spec::{AppRole, Auth, Cert, Jwt, Kubernetes, given};

/// Life of a token of a ServiceAccount where the manifest says nothing.
const TOKEN_LIFE: Duration = Duration::from_mins(10);
/// Longest life that is asked for.
const LONGEST_LIFE: i64 = 24 * 3600;
/// Audience of a token where the manifest names none.
const AUDIENCE: &str = "vault";

/// The identity that a manifest asks for. `namespace` is that of the secrets.
pub async fn identity(
    auth: Option<&Auth>,
    namespace: Option<&str>,
    mut address: Address,
    ctx: &Ctx,
) -> Result<Identity> {
    let Some(auth) = auth else {
        return of_environment(address, namespace, ctx);
    };
    let namespace = given(auth.namespace.as_deref()).or(namespace);
    let namespace = namespace.map(str::to_owned);
    if let Some(token) = &auth.token_secret_ref {
        let token = ctx.secret(token).await?;
        let server = Server::new(address, ctx.clone())?;
        return Ok(Identity::of_token(
            ("auth.tokenSecretRef", &token),
            server,
            namespace,
        ));
    }
    let login = if let Some(role) = &auth.app_role {
        app_role(role, ctx).await?
    } else if let Some(kubernetes) = &auth.kubernetes {
        of_kubernetes(kubernetes, ctx).await?
    } else if let Some(ldap) = &auth.ldap {
        let secret = ldap.secret_ref.as_ref();
        password("ldap", &ldap.path, &ldap.username, secret, ctx).await?
    } else if let Some(user) = &auth.user_pass {
        let secret = user.secret_ref.as_ref();
        password("userpass", &user.path, &user.username, secret, ctx).await?
    } else if let Some(jwt) = &auth.jwt {
        of_jwt(jwt, ctx).await?
    } else if let Some(cert) = &auth.cert {
        let (login, certificate) = of_certificate(cert, ctx).await?;
        address.certificate = Some(certificate);
        login
    } else if let Some(iam) = &auth.iam {
        aws::login(iam, ctx).await?
    } else if let Some(gcp) = &auth.gcp {
        gcp::login(gcp, ctx).await?
    } else {
        return Err(Error::invalid_spec(
            "cannot initialize Vault client: no valid auth method specified",
        ));
    };
    let server = Server::new(address, ctx.clone())?;
    Ok(Identity::of_login(login, server, namespace))
}

/// Without `auth` the token of the operator's environment is used, as the vendor's client does.
fn of_environment(address: Address, namespace: Option<&str>, ctx: &Ctx) -> Result<Identity> {
    let server = Server::new(address, ctx.clone())?;
    let token = ctx.ambient().and_then(|_| ctx.variable("VAULT_TOKEN"));
    let namespace = namespace.map(str::to_owned);
    Ok(match token {
        Some(token) => Identity::of_token(("VAULT_TOKEN", &token.into()), server, namespace),
        None => Identity::nobody(server),
    })
}

async fn app_role(spec: &AppRole, ctx: &Ctx) -> Result<Login> {
    let role = match (given(spec.role_id.as_deref()), &spec.role_ref) {
        (Some(id), _) => SecretValue::from(id),
        (None, Some(reference)) => trimmed(&ctx.secret(reference).await?),
        (None, None) => {
            return Err(Error::invalid_spec(
                "invalid Auth.AppRole: neither `roleId` nor `roleRef` was supplied",
            ));
        }
    };
    let secret = trimmed(&ctx.secret(&spec.secret_ref).await?);
    Ok(Login {
        mount: mount(&spec.path, "approle"),
        proof: Proof::AppRole { role, secret },
    })
}

async fn password(
    method: &'static str,
    path: &str,
    user: &str,
    secret: Option<&SecretKeySelector>,
    ctx: &Ctx,
) -> Result<Login> {
    let user = user.trim();
    // A slash would lead to another path of the server.
    if user.is_empty() || user.contains('/') {
        return Err(Error::invalid_spec(format!(
            "auth: the username {user:?} of {method} must be one word without a slash"
        )));
    }
    let none = SecretKeySelector::default();
    let password = ctx.secret(secret.unwrap_or(&none)).await?;
    Ok(Login {
        mount: mount(path, method),
        proof: Proof::Password {
            method,
            user: user.to_owned(),
            password: trimmed(&password),
        },
    })
}

async fn of_kubernetes(spec: &Kubernetes, ctx: &Ctx) -> Result<Login> {
    let from = match (&spec.service_account_ref, &spec.secret_ref) {
        (Some(account), _) => of_account(account, Vec::new(), TOKEN_LIFE, ctx)?,
        (None, Some(reference)) => {
            let reference = or_key(reference, "token");
            TokenSource::Given(ctx.secret(&reference).await?)
        }
        (None, None) => TokenSource::Own,
    };
    Ok(Login {
        mount: mount(&spec.mount_path, "kubernetes"),
        proof: Proof::Token {
            method: "Kubernetes",
            role: spec.role.clone(),
            from,
        },
    })
}

async fn of_jwt(spec: &Jwt, ctx: &Ctx) -> Result<Login> {
    let from = match (&spec.secret_ref, &spec.kubernetes_service_account_token) {
        (Some(reference), _) => TokenSource::Given(ctx.secret(reference).await?),
        (None, Some(token)) => {
            let audiences = token.audiences.clone();
            let audiences = audiences.unwrap_or_else(|| vec![AUDIENCE.to_owned()]);
            let life = token.expiration_seconds.unwrap_or(600);
            let life = life.clamp(600, LONGEST_LIFE).unsigned_abs();
            let account = &token.service_account_ref;
            of_account(account, audiences, Duration::from_secs(life), ctx)?
        }
        (None, None) => {
            return Err(Error::invalid_spec(
                "neither `secretRef` nor `kubernetesServiceAccountToken` was supplied as token \
                 source for jwt authentication",
            ));
        }
    };
    Ok(Login {
        mount: mount(&spec.path, "jwt"),
        proof: Proof::Token {
            method: "JWT",
            role: spec.role.clone().unwrap_or_default(),
            from,
        },
    })
}

async fn of_certificate(spec: &Cert, ctx: &Ctx) -> Result<(Login, Certificate)> {
    let none = SecretKeySelector::default();
    let certificate = spec.client_cert.as_ref().unwrap_or(&none);
    let certificate = ctx.secret(&or_key(certificate, "tls.crt")).await?;
    let key = spec.secret_ref.as_ref().unwrap_or(&none);
    let key = ctx.secret(&or_key(key, "tls.key")).await?;
    let login = Login {
        mount: mount(&spec.path, "cert"),
        proof: Proof::Certificate {
            role: spec.vault_role.clone().unwrap_or_default(),
            material: [certificate.expose(), key.expose()].concat().into(),
        },
    };
    let certificate = Certificate {
        certificate: certificate.expose().to_vec(),
        key,
    };
    Ok((login, certificate))
}

fn of_account(
    account: &ServiceAccountSelector,
    audiences: Vec<String>,
    life: Duration,
    ctx: &Ctx,
) -> Result<TokenSource> {
    Ok(TokenSource::ServiceAccount {
        namespace: namespace_of(account.namespace.as_deref(), ctx)?,
        account: account.clone(),
        audiences,
        life,
    })
}

/// The namespace that a selector means, without tying a shared connection to its caller where the
/// selector names one.
pub(super) fn namespace_of(wanted: Option<&str>, ctx: &Ctx) -> Result<String> {
    let own = ctx.store().namespace.as_deref();
    let named = own.or_else(|| given(wanted)).map(str::to_owned);
    let found = named.or_else(|| ctx.scope().home().map(str::to_owned));
    found.ok_or_else(|| {
        Error::invalid_spec(
            "the selector has no namespace and the store has no caller yet; set its namespace",
        )
    })
}

/// The selector with a key where it names none.
pub(crate) fn or_key(selector: &SecretKeySelector, key: &str) -> SecretKeySelector {
    let mut selector = selector.clone();
    let named = given(selector.key.as_deref()).unwrap_or(key).to_owned();
    selector.key = Some(named);
    selector
}

pub(super) fn mount(path: &str, default: &str) -> String {
    let path = path.trim_matches('/');
    if path.is_empty() { default } else { path }.to_owned()
}

/// Without a final line break, which files and Secrets tend to have.
fn trimmed(value: &SecretValue) -> SecretValue {
    SecretValue::from(value.without_final_newline())
}
