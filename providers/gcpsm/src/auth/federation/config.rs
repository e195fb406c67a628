//! A credential configuration of type `external_account`, as `gcloud iam workload-identity-pools
//! create-cred-config` writes it, and what of it a store may use: addresses must be Google's or
//! AWS's own, programs are never run, and the operator's own token is no source.

use std::collections::BTreeMap;

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::json;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use super::namespace_of;
use crate::spec::ConfigMapKey;

#[cfg(test)]
mod tests;

const IMPERSONATION: &str = r"^https://iamcredentials\.(?:[a-z0-9-]+\.)*googleapis\.com/v1/projects/[^/]+/serviceAccounts/[a-z0-9-]+@[a-z0-9-]+\.iam\.gserviceaccount\.com:generateAccessToken$";
const TOKEN: &str = r"^https://sts\.[^/\s]+/v1/token$";
const TOKEN_INFO: &str = r"^https://sts\.[^/\s]+/v1/introspect$";
const AWS_KEYS: &str = r"^http://(metadata\.google\.internal|169\.254\.169\.254|\[fd00:ec2::254\])/latest/meta-data/iam/security-credentials$";
const AWS_REGION: &str = r"^http://(metadata\.google\.internal|169\.254\.169\.254|\[fd00:ec2::254\])/latest/meta-data/placement/availability-zone$";
const AWS_SESSION: &str =
    r"^http://(metadata\.google\.internal|169\.254\.169\.254|\[fd00:ec2::254\])/latest/api/token$";
/// Where Kubernetes mounts the token of the operator's own ServiceAccount; `/var/run` is `/run`.
const OWN_TOKEN: &str = "run/secrets/kubernetes.io/serviceaccount";
/// The token service that files of the operator are shown to.
const GOOGLE_TOKEN: &str = r"^https://sts\.(?:[a-z0-9-]+\.)*googleapis\.com/v1/token$";

/// The parts of a credential configuration that are used.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::auth) struct Config {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) audience: String,
    pub(super) subject_token_type: String,
    pub(super) token_url: String,
    token_info_url: String,
    pub(super) service_account_impersonation_url: String,
    pub(super) service_account_impersonation: Impersonation,
    pub(super) client_id: String,
    pub(super) client_secret: String,
    pub(super) workforce_pool_user_project: String,
    pub(super) credential_source: Option<CredentialSource>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Impersonation {
    pub(super) token_lifetime_seconds: u32,
}

/// Where the proof of the other identity comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct CredentialSource {
    pub(super) file: String,
    pub(super) url: String,
    pub(super) headers: BTreeMap<String, String>,
    executable: Option<serde_json::Value>,
    pub(super) environment_id: String,
    pub(super) region_url: String,
    pub(super) regional_cred_verification_url: String,
    pub(super) imdsv2_session_token_url: String,
    pub(super) format: Format,
}

/// How the proof is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Format {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) subject_token_field_name: String,
}

impl Config {
    /// Reads a configuration.
    pub(in crate::auth) fn parse(text: &str) -> Result<Self> {
        json::decode(&text.into()).map_err(|error| Error::invalid_spec(error.to_string()))?;
        let config: Self = serde_json::from_str(text)
            .map_err(|_| Error::invalid_spec("it is not a JSON object of an external account"))?;
        if config.kind != "external_account" {
            return Err(Error::invalid_spec(format!(
                "invalid credentials: 'type' field is {:?} (expected \"external_account\")",
                config.kind
            )));
        }
        Ok(config)
    }

    /// Reads the configuration that a store names.
    pub(super) async fn of_config_map(place: &ConfigMapKey, ctx: &Ctx) -> Result<Self> {
        let ConfigMapKey { name, key, .. } = place;
        let namespace = namespace_of(place.namespace.as_deref(), ctx)?;
        let read = ctx.config_map_in(&namespace, name).await;
        let data = read.map_err(|error| {
            let place = format!("{namespace}/{name}");
            error.context(format!(
                "failed to fetch external acccount credentials configmap {place:?}"
            ))
        })?;
        let text = match data.get(key).map(String::as_str) {
            None => {
                let text = format!("missing key {key:?} in configmap {name:?}");
                return Err(Error::invalid_spec(text));
            }
            Some("") => {
                let text = format!("key {key:?} in configmap {name:?} has empty value");
                return Err(Error::invalid_spec(text));
            }
            Some(text) => text,
        };
        let mut config = Self::parse(text).map_err(|error| {
            if error.to_string().starts_with("invalid credentials") {
                return error;
            }
            error.context(format!(
                "failed to unmarshal external acccount config in {name:?}"
            ))
        })?;
        // Not everyone who makes a store may do what the operator may.
        let source = config.credential_source.take();
        let usable = |source: &CredentialSource| {
            *source != CredentialSource::default() && !is_own_token(&source.file)
        };
        config.credential_source = source.filter(usable);
        Ok(config)
    }

    /// Refuses what could lead the operator or a token elsewhere; returns all faults at once.
    pub(super) fn check(&self, token_endpoint: &str) -> Result<()> {
        let mut faults = Vec::new();
        if self.audience.is_empty() {
            faults.push("audience is empty".to_owned());
        }
        let urls = [
            (
                "service_account_impersonation_url",
                &self.service_account_impersonation_url,
                IMPERSONATION,
            ),
            ("token_url", &self.token_url, TOKEN),
            ("token_info_url", &self.token_info_url, TOKEN_INFO),
        ];
        for (name, url, pattern) in urls {
            if !url.is_empty() {
                matches(name, url, pattern, &mut faults)?;
            }
        }
        if let Some(source) = &self.credential_source {
            source.check(token_endpoint, &mut faults)?;
            // A manifest must not send what is the operator's to a server of its author's choice.
            if !source.file.is_empty() && !self.token_url.is_empty() {
                matches("token_url", &self.token_url, GOOGLE_TOKEN, &mut faults)?;
            }
        }
        if faults.is_empty() {
            return Ok(());
        }
        faults.insert(0, "invalid external_account config".to_owned());
        Err(Error::invalid_spec(faults.join("\n")))
    }
}

impl CredentialSource {
    pub(super) fn is_aws(&self) -> bool {
        !self.environment_id.is_empty()
    }

    fn check(&self, token_endpoint: &str, faults: &mut Vec<String>) -> Result<()> {
        if self.executable.is_some() {
            faults.push("credential_source.executable.command is not allowed".to_owned());
        }
        if self.file.is_empty() && self.url.is_empty() && !self.is_aws() {
            faults.push(
                "one of credential_source.file, credential_source.url, credential_source.aws.url \
                 or credential_source_environment_id should be provided"
                    .to_owned(),
            );
        }
        if !self.is_aws() {
            if self.url != token_endpoint {
                faults.push(format!(
                    "credential_source.url \"{}\" does not match with the configured \
                     {token_endpoint} externalTokenEndpoint",
                    self.url
                ));
            }
            return Ok(());
        }
        if !self.environment_id.to_lowercase().starts_with("aws") {
            faults.push(format!(
                "credential_source.environment_id \"{}\" must start with aws",
                self.environment_id
            ));
        }
        let (url, region) = (&self.url, &self.region_url);
        matches("credential_source.aws.url", url, AWS_KEYS, faults)?;
        matches(
            "credential_source.aws.region_url",
            region,
            AWS_REGION,
            faults,
        )?;
        let session = &self.imdsv2_session_token_url;
        if !session.is_empty() {
            let name = "credential_source.aws.imdsv2_session_token_url";
            matches(name, session, AWS_SESSION, faults)?;
        }
        Ok(())
    }
}

/// Whether a path leads to the operator's own token, however it is spelled.
fn is_own_token(path: &str) -> bool {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    path.strip_prefix("var/")
        .unwrap_or(&path)
        .starts_with(OWN_TOKEN)
}

fn matches(name: &str, url: &str, pattern: &str, faults: &mut Vec<String>) -> Result<()> {
    if !NameMatcher::new(pattern)?.matches(url) {
        faults.push(format!("{name} \"{url}\" must match \"{pattern}\""));
    }
    Ok(())
}
