//! Other addresses of AWS, taken from the operator's settings under upstream's names. A value is
//! used as it is; region and service of the signature stay those of the store.

use http::Uri;
use lockstep_provider_api::prelude::*;

/// A service whose address can be changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Endpoint {
    SecretsManager,
    Ssm,
    Sts,
    Acm,
    Tagging,
    Ecr,
    EcrPublic,
}

impl Endpoint {
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::SecretsManager => ("AWS_SECRETSMANAGER_ENDPOINT", "secretsmanager"),
            Self::Ssm => ("AWS_SSM_ENDPOINT", "ssm"),
            Self::Sts => ("AWS_STS_ENDPOINT", "sts"),
            Self::Acm => ("AWS_ACM_ENDPOINT", "acm"),
            Self::Ecr => ("AWS_ECR_ENDPOINT", "ecr"),
            Self::EcrPublic => ("AWS_ECR_PUBLIC_ENDPOINT", "ecr public"),
            Self::Tagging => (
                "AWS_RESOURCE_GROUPS_TAGGING_API_ENDPOINT",
                "resource groups tagging api",
            ),
        }
    }

    /// The address that replaces the usual one.
    pub(crate) fn url(self, ctx: &Ctx) -> Result<Option<String>> {
        let (variable, service) = self.names();
        let Some(url) = ctx.variable(variable) else {
            return Ok(None);
        };
        let parsed = url.parse::<Uri>().map_err(|error| error.to_string());
        let fault = match &parsed {
            Ok(uri) if matches!(uri.scheme_str(), Some("http" | "https")) => return Ok(Some(url)),
            Ok(_) => "it must begin with http:// or https://",
            Err(fault) => fault,
        };
        Err(Error::invalid_spec(format!(
            "failed to parse {service} endpoint {url}: {fault}; correct {variable}"
        )))
    }
}
