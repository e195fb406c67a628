//! `spec.provider.github`: its shape, its schema, and the addresses that follow from it. Nothing here
//! reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_kit::Address;
use schemars::JsonSchema;
use serde::Deserialize;

const PUBLIC: &str = "https://github.com";
const PUBLIC_API: &str = "https://api.github.com";
const ENTERPRISE_PATH: &str = "/api/v3";

/// Actions secrets of a GitHub organization, repository or environment.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GithubSpec {
    /// Id of the GitHub App.
    #[serde(rename = "appID")]
    pub app_id: i64,
    /// How to sign in.
    pub auth: Auth,
    /// An environment of the repository.
    #[serde(default)]
    pub environment: Option<String>,
    /// Id of the app's installation.
    #[serde(rename = "installationID")]
    pub installation_id: i64,
    /// Who may use a pushed secret of an organization.
    #[serde(default)]
    pub org_secret_visibility: Option<Visibility>,
    /// Name of the organization, or the owner of the repository.
    pub organization: String,
    /// A repository; without one the secrets of the organization are meant.
    #[serde(default)]
    pub repository: Option<String>,
    /// Address for uploads of GitHub Enterprise; secrets need none.
    #[serde(default, rename = "uploadURL")]
    pub upload_url: Option<String>,
    /// Address of GitHub.
    #[serde(default = "public")]
    #[schemars(extend("default" = "https://github.com/"))]
    pub url: Option<String>,
}

#[allow(clippy::unnecessary_wraps)] // The type of the field is optional.
fn public() -> Option<String> {
    Some(format!("{PUBLIC}/"))
}

/// Who may use a secret of an organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Every repository.
    All,
    /// Private and internal repositories.
    Private,
}

impl Visibility {
    /// GitHub's word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Private => "private",
        }
    }
}

/// How to sign in.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// The app's private key, PEM.
    pub private_key: SecretKeySelector,
}

impl GithubSpec {
    /// The address of the API: the public one, or that of an Enterprise server.
    pub(crate) fn api(&self) -> Result<Address> {
        let url = self.url.as_deref().unwrap_or_default();
        let url = url.trim_end_matches('/');
        if url.is_empty() || url == PUBLIC {
            return Address::new("url", PUBLIC_API);
        }
        let given = Address::new("spec.provider.github.url", url)?;
        let (host, _) = given.host_and_port();
        let is_api =
            url.ends_with(ENTERPRISE_PATH) || host.starts_with("api.") || host.contains(".api.");
        if is_api {
            return Ok(given);
        }
        Address::new("spec.provider.github.url", &given.join(ENTERPRISE_PATH))
    }

    /// The repository, where one is named.
    pub(crate) fn repository(&self) -> Option<&str> {
        self.repository.as_deref().filter(|name| !name.is_empty())
    }

    /// The environment, where a repository and an environment are named.
    pub(crate) fn environment(&self) -> Option<&str> {
        self.repository()?;
        self.environment.as_deref().filter(|name| !name.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn api(url: Option<&str>) -> String {
        let mut spec = json!({
            "appID": 1, "installationID": 2, "organization": "o", "auth": {"privateKey": {}},
        });
        if let Some(url) = url {
            spec["url"] = json!(url);
        }
        let spec: GithubSpec = serde_json::from_value(spec).unwrap();
        spec.api().unwrap().as_str().to_owned()
    }

    #[test]
    fn the_public_address_leads_to_the_public_api() {
        for url in [
            None,
            Some(""),
            Some("https://github.com/"),
            Some("https://github.com"),
        ] {
            assert_eq!(api(url), "https://api.github.com");
        }
    }

    #[test]
    fn an_enterprise_address_gets_the_path_of_its_api_once() {
        assert_eq!(api(Some("https://ghe.test/")), "https://ghe.test/api/v3");
        assert_eq!(api(Some("https://ghe.test/x")), "https://ghe.test/x/api/v3");
        assert_eq!(
            api(Some("https://ghe.test/api/v3/")),
            "https://ghe.test/api/v3"
        );
        assert_eq!(api(Some("https://api.ghe.test")), "https://api.ghe.test");
        assert_eq!(api(Some("https://x.api.test")), "https://x.api.test");
    }
}
