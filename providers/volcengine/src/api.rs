//! The requests this provider makes: actions of KMS. What a failure means is decided in `error`.

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::rest::Repeat;
use lockstep_provider_kit::{Address, Rest};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::auth::Signer;
use crate::error;
use crate::spec::VolcengineSpec;

/// The metric's label.
pub(crate) const PROVIDER: &str = "Volcengine/KMS";

const GENERAL: &str = "open.volcengineapi.com";
const VERSION: &str = "2021-02-18";
/// Regions with hosts of their own.
const OWN_HOSTS: [&str; 5] = [
    "ap-southeast-2",
    "ap-southeast-3",
    "cn-beijing-autodriving",
    "cn-beijing-selfdrive",
    "cn-shanghai-autodriving",
];
/// A file with more of them, one in a line, as the vendor's client reads it.
const REGIONS_VARIABLE: &str = "VOLC_BOOTSTRAP_REGION_LIST_CONF";
const DUAL_STACK_VARIABLE: &str = "VOLC_ENABLE_DUALSTACK";

/// A connection to KMS in a region.
pub(crate) struct Api {
    rest: Rest,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answered {
    #[serde(default)]
    result: Option<Secret>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Secret {
    #[serde(default)]
    secret_value: Option<String>,
}

impl Api {
    /// Resolves the credentials.
    pub(crate) async fn connect(spec: &VolcengineSpec, ctx: &Ctx) -> Result<Self> {
        let url = format!("https://{}", host(&spec.region, ctx)?);
        let base = Address::new("spec.provider.volcengine.region", &url)?;
        let signer = Signer::connect(spec, ctx).await?;
        let rest = Rest::new(ctx, PROVIDER, base, &Tls::default())?.signed(signer);
        Ok(Self {
            rest: rest.repeating(Repeat::FIVE_TIMES),
        })
    }

    /// The value of a secret, or of one version of it.
    pub(crate) async fn read(&self, name: &str, version: Option<&str>) -> Result<SecretValue> {
        let mut body = named(name);
        if let Some(version) = version {
            body.insert("VersionID".to_owned(), Value::from(version));
        }
        let answered = self.act("GetSecretValue", &body).await?;
        let value = answered.result.unwrap_or_default().secret_value;
        let value =
            value.ok_or_else(|| Error::invalid_data(format!("secret {name} has no value")))?;
        Ok(SecretValue::from(value))
    }

    /// Looks a secret up without its value.
    pub(crate) async fn describe(&self, name: &str) -> Result<()> {
        self.act("DescribeSecret", &named(name)).await.map(drop)
    }

    async fn act(&self, action: &'static str, body: &Map<String, Value>) -> Result<Answered> {
        let request = self.rest.post("/").query("Action", action);
        let request = request.query("Version", VERSION).json(body);
        let answer = self.rest.send(action, request, error::check).await?;
        answer.json()
    }
}

fn named(name: &str) -> Map<String, Value> {
    Map::from_iter([("SecretName".to_owned(), Value::from(name))])
}

/// Most regions share one host.
fn host(region: &str, ctx: &Ctx) -> Result<String> {
    let listed = ctx.file_variable(REGIONS_VARIABLE)?.unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed);
    let region = region.trim();
    if !(OWN_HOSTS.contains(&region) || listed.lines().any(|line| line.trim() == region)) {
        return Ok(GENERAL.to_owned());
    }
    let dual = ctx.variable(DUAL_STACK_VARIABLE);
    let domain = match dual.as_deref() {
        Some("true") => "volcengine-api.com",
        _ => "volcengineapi.com",
    };
    Ok(format!("kms.{region}.{domain}"))
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::conformance::services;

    use super::*;

    #[test]
    fn some_regions_have_hosts_of_their_own() {
        let ctx = services().ctx("s");

        assert_eq!(host("cn-beijing", &ctx).unwrap(), "open.volcengineapi.com");
        assert_eq!(
            host("ap-southeast-2", &ctx).unwrap(),
            "kms.ap-southeast-2.volcengineapi.com"
        );
    }
}
