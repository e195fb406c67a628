//! Reads a kubeconfig held in a Secret. Everything it says must be inside it: file paths, plugins
//! to run and proxies are refused, because a tenant's Secret must not make the operator read its
//! own disk or start programs. Messages never repeat the file's content.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lockstep_provider_api::http::{Identity, Tls, Verification};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::access::{Access, Login, is_https, server_url};
use crate::impersonation::Impersonation;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct File {
    #[serde(default)]
    current_context: String,
    #[serde(default)]
    clusters: Vec<Named>,
    #[serde(default)]
    contexts: Vec<Named>,
    #[serde(default)]
    users: Vec<Named>,
}

/// An entry of any of the three lists; only the member of that list is set.
#[derive(Deserialize)]
struct Named {
    name: String,
    cluster: Option<Cluster>,
    context: Option<Context>,
    user: Option<User>,
}

#[derive(Deserialize)]
struct Context {
    #[serde(default)]
    cluster: String,
    #[serde(default)]
    user: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct Cluster {
    server: String,
    certificate_authority: String,
    certificate_authority_data: String,
    insecure_skip_tls_verify: bool,
    tls_server_name: String,
    proxy_url: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct User {
    token: String,
    #[serde(rename = "tokenFile")]
    token_file: String,
    client_certificate: String,
    client_certificate_data: String,
    client_key: String,
    client_key_data: String,
    username: String,
    password: String,
    exec: Option<IgnoredAny>,
    auth_provider: Option<IgnoredAny>,
    #[serde(rename = "as")]
    impersonate: String,
    as_uid: String,
    as_groups: Vec<String>,
    as_user_extra: BTreeMap<String, Vec<String>>,
}

/// The access the current context describes.
pub(crate) fn access(kubeconfig: &SecretValue) -> Result<Access> {
    let file = parse(kubeconfig)?;
    let current = file.current_context;
    let context = named(file.contexts, &current)
        .and_then(|entry| entry.context)
        .ok_or_else(|| {
            invalid(format!(
                "context {current:?} (current-context) does not exist"
            ))
        })?;
    let cluster = named(file.clusters, &context.cluster)
        .and_then(|entry| entry.cluster)
        .ok_or_else(|| invalid(format!("cluster {:?} does not exist", context.cluster)))?;
    let user = named(file.users, &context.user)
        .and_then(|entry| entry.user)
        .ok_or_else(|| invalid(format!("user {:?} does not exist", context.user)))?;
    assemble(cluster, user)
}

fn named(entries: Vec<Named>, name: &str) -> Option<Named> {
    entries.into_iter().find(|entry| entry.name == name)
}

/// A parser's message may quote the file, so the error names only the position.
fn parse(kubeconfig: &SecretValue) -> Result<File> {
    let text = kubeconfig
        .expose_utf8()
        .map_err(|_| invalid("the content is not valid UTF-8"))?;
    serde_saphyr::from_str(text).map_err(|error| match error.location() {
        Some(place) => invalid(format!(
            "the content is not a kubeconfig, see line {} column {}",
            place.line(),
            place.column()
        )),
        None => invalid("the content is not a kubeconfig"),
    })
}

fn assemble(cluster: Cluster, user: User) -> Result<Access> {
    refuse_what_points_outside(&cluster, &user)?;
    let ca = decode(
        "certificate-authority-data",
        &cluster.certificate_authority_data,
    )?;
    let verification = match (cluster.insecure_skip_tls_verify, ca.is_empty()) {
        (true, false) => {
            return Err(invalid(
                "certificate-authority-data and insecure-skip-tls-verify exclude each other",
            ));
        }
        (true, true) => Verification::Off,
        (false, _) if !cluster.tls_server_name.is_empty() => {
            Verification::ServerName(cluster.tls_server_name)
        }
        (false, _) => Verification::Full,
    };
    if cluster.server.is_empty() {
        return Err(invalid("the cluster has no server"));
    }
    let who = Impersonation {
        user: user.impersonate.clone(),
        uid: user.as_uid.clone(),
        groups: user.as_groups.clone(),
        extra: user.as_user_extra.clone(),
    };
    let mut access = Access {
        server: server_url(&cluster.server, false)?,
        tls: Tls::default(),
        login: Login::Anonymous,
        impersonation: who.headers()?,
        renew_after: None,
    };
    // Credentials and trust count only towards an https server, as in client-go.
    if is_https(&cluster.server) {
        access.tls = Tls {
            ca: (!ca.is_empty()).then_some(ca),
            identity: identity(&user)?,
            verification,
        };
        access.login = login(user)?;
    }
    Ok(access)
}

fn login(user: User) -> Result<Login> {
    let has_password = !user.username.is_empty() || !user.password.is_empty();
    match (user.token.is_empty(), has_password) {
        (false, true) => Err(invalid(
            "the user has a token and a password, only one way to sign in is allowed",
        )),
        (false, false) => Ok(Login::Bearer(user.token.into())),
        (true, true) => Ok(Login::Basic(user.username, user.password.into())),
        (true, false) => Ok(Login::Anonymous),
    }
}

fn identity(user: &User) -> Result<Option<Identity>> {
    if user.client_certificate_data.is_empty() {
        return Ok(None);
    }
    if user.client_key_data.is_empty() {
        return Err(invalid("client-certificate-data needs client-key-data"));
    }
    Ok(Some(Identity {
        certificate: decode("client-certificate-data", &user.client_certificate_data)?,
        key: decode("client-key-data", &user.client_key_data)?.into(),
    }))
}

/// Inline data wins over a path, as in client-go, so only a path without data is refused.
fn refuse_what_points_outside(cluster: &Cluster, user: &User) -> Result<()> {
    let paths = [
        (
            "certificate-authority",
            &cluster.certificate_authority,
            &cluster.certificate_authority_data,
        ),
        (
            "client-certificate",
            &user.client_certificate,
            &user.client_certificate_data,
        ),
        ("client-key", &user.client_key, &user.client_key_data),
        ("tokenFile", &user.token_file, &user.token),
    ];
    for (field, path, data) in paths {
        if !path.is_empty() && data.is_empty() {
            return Err(invalid(format!(
                "{field} names a file, put its content into the kubeconfig instead"
            )));
        }
    }
    let plugins = [
        ("exec", user.exec.is_some()),
        ("auth-provider", user.auth_provider.is_some()),
    ];
    for (field, present) in plugins {
        if present {
            return Err(invalid(format!(
                "{field} would run a program, use a token or a client certificate instead"
            )));
        }
    }
    if !cluster.proxy_url.is_empty() {
        return Err(invalid("proxy-url is not supported"));
    }
    Ok(())
}

fn decode(field: &str, text: &str) -> Result<Vec<u8>> {
    let compact: String = text.split_ascii_whitespace().collect();
    STANDARD
        .decode(compact)
        .map_err(|_| invalid(format!("{field} is not valid base64")))
}

fn invalid(message: impl Into<String>) -> Error {
    Error::invalid_spec(message).context("invalid kubeconfig")
}

#[cfg(test)]
mod tests;
