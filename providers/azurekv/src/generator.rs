//! `ACRAccessToken`: a token for a container registry of Azure. The token of an Entra identity is
//! traded in for a refresh token of the registry and, with a scope, that for an access token. The
//! registry ends both by itself; nothing is taken back.

use std::collections::BTreeMap;

use lockstep_provider_api::http::{Answer, HttpClient, Tls};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{SecretKeySelector, ServiceAccountSelector};
use lockstep_provider_api::{Generated, Generator, Random};
use serde::Deserialize;

use crate::auth::Identity;
use crate::cloud::Cloud;
use crate::spec::{AuthType, AzureSpec, Credentials, Environment};

/// Name that registries take tokens under.
const USER: &str = "00000000-0000-0000-0000-000000000000";

/// `spec` of an ACRAccessToken.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
    auth: Auth,
    #[serde(default)]
    tenant_id: String,
    registry: String,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    environment_type: Environment,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Auth {
    service_principal: Option<ServicePrincipal>,
    managed_identity: Option<ManagedIdentity>,
    workload_identity: Option<WorkloadIdentity>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServicePrincipal {
    secret_ref: PrincipalKeys,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PrincipalKeys {
    client_id: SecretKeySelector,
    client_secret: SecretKeySelector,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ManagedIdentity {
    identity_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WorkloadIdentity {
    service_account_ref: Option<ServiceAccountSelector>,
}

pub(crate) struct AcrAccessToken;

impl Generator for AcrAccessToken {
    const KIND: &'static str = "ACRAccessToken";
    type Spec = Spec;

    async fn generate(spec: Spec, ctx: &Ctx, _: &mut dyn Random) -> Result<Generated> {
        let identity_spec = identity_spec(&spec)?;
        let cloud = Cloud::with_settings(&identity_spec, ctx)?;
        let identity = Identity::of(&identity_spec, &cloud, ctx).await?;
        let token = identity.token(&audience(&spec)).await?;
        let registry = Registry {
            http: ctx.http(&Tls::default())?,
            host: &spec.registry,
        };
        let mut password = registry.refresh_token(&token, &spec.tenant_id).await?;
        if !spec.scope.is_empty() {
            password = registry.access_token(&password, &spec.scope).await?;
        }
        let user = SecretValue::from(USER);
        Ok(Generated::from(SecretMap::from_iter([
            ("username".to_owned(), user),
            ("password".to_owned(), password),
        ])))
    }
}

/// The login of a store that is the generator's.
fn identity_spec(spec: &Spec) -> Result<AzureSpec> {
    let base = AzureSpec {
        environment_type: spec.environment_type,
        use_azure_sdk: true,
        ..AzureSpec::default()
    };
    if let Some(principal) = &spec.auth.service_principal {
        return Ok(AzureSpec {
            auth_type: AuthType::ServicePrincipal,
            tenant_id: Some(spec.tenant_id.clone()),
            auth_secret_ref: Some(Credentials {
                client_id: Some(principal.secret_ref.client_id.clone()),
                client_secret: Some(principal.secret_ref.client_secret.clone()),
                ..Credentials::default()
            }),
            ..base
        });
    }
    if let Some(managed) = &spec.auth.managed_identity {
        return Ok(AzureSpec {
            auth_type: AuthType::ManagedIdentity,
            identity_id: managed.identity_id.clone(),
            ..base
        });
    }
    if let Some(workload) = &spec.auth.workload_identity {
        return Ok(AzureSpec {
            auth_type: AuthType::WorkloadIdentity,
            service_account_ref: workload.service_account_ref.clone(),
            ..base
        });
    }
    Err(Error::invalid_spec(
        "spec.auth has none of servicePrincipal, managedIdentity and workloadIdentity",
    ))
}

/// Whom the token of Entra is for. The two slashes of a workload identity are upstream's.
fn audience(spec: &Spec) -> String {
    let (resources, management) = match spec.environment_type {
        Environment::USGovernmentCloud => ("usgovcloudapi.net", "core.usgovcloudapi.net"),
        Environment::ChinaCloud => ("chinacloudapi.cn", "core.chinacloudapi.cn"),
        Environment::GermanCloud => ("microsoftazure.de", "core.cloudapi.de"),
        Environment::PublicCloud | Environment::AzureStackCloud => {
            ("azure.com", "core.windows.net")
        }
    };
    match spec.auth.workload_identity {
        Some(_)
            if spec.auth.service_principal.is_none() && spec.auth.managed_identity.is_none() =>
        {
            format!("https://management.{management}//.default")
        }
        _ => format!("https://management.{resources}/"),
    }
}

struct Registry<'a> {
    http: HttpClient,
    host: &'a str,
}

impl Registry<'_> {
    async fn refresh_token(&self, token: &SecretValue, tenant: &str) -> Result<SecretValue> {
        let form = [
            ("grant_type", "access_token"),
            ("service", self.host),
            ("tenant", tenant),
            ("access_token", token.expose_utf8()?),
        ];
        let answer = self.post("oauth2/exchange", &form).await?;
        let answer = answer.check_with("/errors/0/message").map_err(|error| {
            let status = "count not generate refresh token, unexpected status code";
            error.context(status)
        })?;
        member(&answer, "refresh_token")
    }

    async fn access_token(&self, token: &SecretValue, scope: &str) -> Result<SecretValue> {
        let form = [
            ("grant_type", "refresh_token"),
            ("service", self.host),
            ("scope", scope),
            ("refresh_token", token.expose_utf8()?),
        ];
        let answer = self.post("oauth2/token", &form).await?;
        let answer = answer.check_with("/errors/0/message").map_err(|error| {
            error.context("could not generate access token, unexpected status code")
        })?;
        member(&answer, "access_token")
    }

    async fn post(&self, path: &str, form: &[(&str, &str)]) -> Result<Answer> {
        let url = format!("https://{}/{path}", self.host);
        self.http.post(url).form(form).send().await
    }
}

/// A member of an answer, which must be a flat map of texts.
fn member(answer: &Answer, name: &str) -> Result<SecretValue> {
    let mut members: BTreeMap<String, String> = answer.json()?;
    let token = members.remove(name).filter(|token| !token.is_empty());
    token
        .map(SecretValue::from)
        .ok_or_else(|| Error::invalid_data("unable to get token"))
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::GeneratorEntry;
    use lockstep_provider_api::conformance::generator::{Exchange, assert_conforms};
    use lockstep_provider_api::conformance::{CANARY, response};
    use serde_json::json;

    use super::*;

    fn spec(auth: serde_json::Value, cloud: &str) -> Spec {
        let spec =
            json!({ "auth": auth, "tenantId": "t", "registry": "r", "environmentType": cloud });
        serde_json::from_value(spec).unwrap()
    }

    #[test]
    fn each_identity_asks_for_its_audience() {
        let workload = json!({ "workloadIdentity": {} });
        let machine = json!({ "managedIdentity": {} });
        let table = [
            (&machine, "PublicCloud", "https://management.azure.com/"),
            (
                &machine,
                "ChinaCloud",
                "https://management.chinacloudapi.cn/",
            ),
            (
                &workload,
                "PublicCloud",
                "https://management.core.windows.net//.default",
            ),
            (
                &workload,
                "USGovernmentCloud",
                "https://management.core.usgovcloudapi.net//.default",
            ),
        ];

        for (auth, cloud, wanted) in table {
            assert_eq!(audience(&spec(auth.clone(), cloud)), wanted);
        }
    }

    #[test]
    fn a_spec_without_a_way_to_sign_in_is_refused() {
        assert!(identity_spec(&spec(json!({}), "PublicCloud")).is_err());
    }

    #[test]
    fn tokens_of_registries_keep_the_contract() {
        let key = |key: &str| json!({ "name": "creds", "key": key });
        let principal = json!({ "clientId": key("id"), "clientSecret": key("secret") });
        let spec = json!({ "tenantId": "t", "registry": "acme.azurecr.io",
            "auth": { "servicePrincipal": { "secretRef": principal } } });
        let subject = Exchange::new(
            GeneratorEntry::of::<AcrAccessToken>(),
            spec,
            |request, number| {
                let token = format!("{CANARY}{number}");
                let answer = match request.uri().path() {
                    "/oauth2/exchange" => json!({ "refresh_token": token }),
                    _ => json!({ "access_token": token, "expires_in": 3600 }),
                };
                response(200, answer.to_string())
            },
        );
        let subject = subject.secret("creds", "id", "app");
        let subject = subject.secret("creds", "secret", CANARY);

        assert_conforms(&subject.sparing(&["login.microsoftonline.com"]));
    }
}
