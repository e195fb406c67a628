//! `spec.provider.chef`: its shape, its schema and the checks that need neither cluster nor backend. Upstream
//! makes them for every connection, too. Nothing here reads a credential.

use http::Uri;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

/// Data bags of a Chef Infra Server.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChefSpec {
    /// How requests are signed.
    pub auth: Auth,
    /// Address of the server with its organization, such as `https://chef.example.com/organizations/shop/`. It
    /// ends with a slash.
    pub server_url: String,
    /// The user that signs.
    pub username: String,
}

/// How requests are signed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// The Secrets that hold credentials.
    pub secret_ref: SecretRef,
}

/// The Secrets that hold credentials.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretRef {
    /// The user's RSA key, PEM.
    pub private_key_secret_ref: SecretKeySelector,
}

impl ChefSpec {
    /// The selector of the user's key.
    pub(crate) fn key(&self) -> &SecretKeySelector {
        &self.auth.secret_ref.private_key_secret_ref
    }

    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        let checked = self.check();
        let checked = checked.and_then(|()| scope.check_strict(self.key().namespace.as_deref()));
        checked.map_err(|error| error.context("received invalid Chef SecretStore resource"))?;
        Ok(Warnings::new())
    }

    /// Checks that nothing is missing.
    pub(crate) fn check(&self) -> Result<()> {
        let url: Option<Uri> = self.server_url.parse().ok();
        let given = &self.server_url;
        let fault = if self.username.is_empty() {
            "missing username"
        } else if given.is_empty() {
            "missing serverurl"
        } else if !given.ends_with('/') {
            "serverurl does not end with slash(/)"
        } else if url.is_none_or(|url| url.scheme().is_none() || url.host().is_none()) {
            return Err(Error::invalid_spec(format!(
                "invalid serverurl: parse {given:?}: invalid URI for request: it must begin with \
                 https:// or http://"
            )));
        } else if self.key().key.as_deref().unwrap_or_default().is_empty() {
            "missing Secret Key"
        } else {
            return Ok(());
        };
        Err(Error::invalid_spec(fault))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(change: impl FnOnce(&mut ChefSpec), scope: &Scope) -> Option<String> {
        let mut spec = ChefSpec {
            username: "reader".to_owned(),
            server_url: "https://chef.test/organizations/shop/".to_owned(),
            ..ChefSpec::default()
        };
        spec.auth.secret_ref.private_key_secret_ref.key = Some("pem".to_owned());
        change(&mut spec);
        spec.admit(scope).err().map(|error| error.to_string())
    }

    #[test]
    fn admission_names_what_is_missing() {
        let scope = Scope::Namespaced {
            namespace: "team".to_owned(),
        };
        let text = |change: fn(&mut ChefSpec)| refusal(change, &scope).unwrap();

        assert_eq!(refusal(|_| {}, &scope), None);
        assert!(text(|spec| spec.username.clear()).ends_with("resource: missing username"));
        assert!(text(|spec| spec.server_url.clear()).ends_with(": missing serverurl"));
        assert!(text(|spec| spec.server_url = "https://x".to_owned()).ends_with("slash(/)"));
        assert!(text(|spec| spec.server_url = "x/".to_owned()).contains("invalid serverurl"));
        assert!(text(|spec| spec.auth = Auth::default()).ends_with("missing Secret Key"));
    }

    #[test]
    fn a_cluster_store_must_say_where_its_key_is() {
        let scope = Scope::Cluster { caller: None };

        let text = refusal(|_| {}, &scope).unwrap();

        assert!(text.ends_with("cluster scope requires namespace"));
    }
}
