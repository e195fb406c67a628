//! Checks of a spec, with upstream's texts where it has them. None of them asks Azure or the
//! cluster; what Azure alone can tell is found out when the store is used.

use http::Uri;
use lockstep_provider_api::prelude::*;

use super::AzureSpec;
use crate::cloud::Cloud;

impl AzureSpec {
    /// Checks everything that admission can check.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        self.validate_selectors(scope)?;
        if self.custom_cloud_config.is_some() && !self.use_azure_sdk {
            return Err(Error::invalid_spec(
                "CustomCloudConfig requires UseAzureSDK to be set to true - \
                 the legacy SDK does not support custom clouds",
            ));
        }
        Cloud::of(self).map_err(|error| error.context("failed to get cloud configuration"))?;
        let vault = vault(&self.vault_url)?;
        let mut warnings = Warnings::new();
        if vault.scheme_str() == Some("http") {
            warnings.push(
                "vaultUrl begins with http://: tokens and secrets travel unencrypted".to_owned(),
            );
        }
        Ok(warnings)
    }

    fn validate_selectors(&self, scope: &Scope) -> Result<()> {
        let keys = self.auth_secret_ref.as_ref();
        let named = [
            ("ClientID", keys.and_then(|keys| keys.client_id.as_ref())),
            (
                "ClientSecret",
                keys.and_then(|keys| keys.client_secret.as_ref()),
            ),
            (
                "ClientCertificate",
                keys.and_then(|keys| keys.client_certificate.as_ref()),
            ),
            ("TenantID", keys.and_then(|keys| keys.tenant_id.as_ref())),
        ];
        for (name, selector) in named {
            let namespace = selector.and_then(|selector| selector.namespace.as_deref());
            scope
                .check_referent(namespace)
                .map_err(|error| error.context(format!("invalid AuthSecretRef.{name}")))?;
        }
        let account = self.service_account_ref.as_ref();
        let namespace = account.and_then(|account| account.namespace.as_deref());
        scope
            .check_referent(namespace)
            .map_err(|error| error.context("invalid ServiceAccountRef"))
    }
}

/// The address of a vault: scheme and host, nothing behind them.
pub(crate) fn vault(url: &str) -> Result<Uri> {
    let refused = || {
        Error::invalid_spec(format!(
            "vaultUrl {url:?} is not the address of a vault; give it as https://NAME.vault.azure.net"
        ))
    };
    let uri: Uri = url.trim_end_matches('/').parse().map_err(|_| refused())?;
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let is_bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
    if is_web && is_bare && !authority.is_empty() && !authority.contains('@') {
        return Ok(uri);
    }
    Err(refused())
}
