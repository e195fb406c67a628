//! `spec.provider.crd`: its shape, its schema and the checks that need no cluster. How the API
//! server is reached is the part it shares with other providers.

use lockstep_api_server::{Auth, Connection, Server};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::whitelist::Whitelist;

/// The objects of one kind of a cluster.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    {
        "rule": "has(self.auth) || has(self.authRef)",
        "message": "one of auth or authRef is required",
    },
    {
        "rule": "[has(self.auth),has(self.authRef)].filter(x,x==true).size() <= 1",
        "message": "at most one of the fields in [auth authRef] may be set",
    },
]))]
pub struct CrdSpec {
    /// API server to connect to.
    #[serde(default)]
    pub server: Option<Server>,
    /// How to sign in; exactly one way.
    #[serde(default)]
    pub auth: Option<Auth>,
    /// Key of a Secret that holds a kubeconfig, in place of server and auth.
    #[serde(default)]
    pub auth_ref: Option<SecretKeySelector>,
    /// Kind of the objects.
    pub resource: ObjectType,
    /// What may be read; everything when absent.
    #[serde(default)]
    pub whitelist: Option<Rules>,
}

/// A kind of the API.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ObjectType {
    /// API group; empty for the core group.
    pub group: String,
    /// Version of the group.
    #[schemars(length(min = 1))]
    pub version: String,
    /// Name of the kind.
    #[schemars(length(min = 1))]
    pub kind: String,
}

/// The rules of a whitelist.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Rules {
    /// One rule that fits is enough.
    #[serde(default)]
    pub rules: Vec<Rule>,
}

/// What one rule lets pass: requests that fit all of its patterns.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Rule {
    /// Regular expression for the name of the object.
    #[serde(default)]
    pub name: Option<String>,
    /// Regular expression for the namespace of the object.
    #[serde(default)]
    pub namespace: Option<String>,
    /// Regular expressions for the properties that may be read.
    #[serde(default)]
    pub properties: Option<Vec<String>>,
}

impl CrdSpec {
    /// The part of the spec that says how the API server is reached.
    pub(crate) fn connection(&self) -> Connection<'_> {
        Connection {
            server: self.server.as_ref(),
            auth: self.auth.as_ref(),
            auth_ref: self.auth_ref.as_ref(),
        }
    }

    /// The rules of the whitelist.
    pub(crate) fn rules(&self) -> &[Rule] {
        let whitelist = self.whitelist.as_ref();
        whitelist.map_or(&[], |whitelist| &whitelist.rules)
    }

    /// Checks everything the admission webhook can check.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        let has_url = self
            .server
            .as_ref()
            .is_some_and(|server| !server.url.is_empty());
        if has_url && self.auth.is_none() && self.auth_ref.is_none() {
            return Err(Error::invalid_spec(
                "server.url requires auth or authRef when set",
            ));
        }
        let warnings = self.connection().validate(scope)?;
        self.resource.validate()?;
        Whitelist::new(self.rules())?;
        refuse_namespaces(self.rules(), scope)?;
        Ok(warnings)
    }
}

impl ObjectType {
    /// Secrets are refused wherever a store is looked at, also where no webhook runs: a store that
    /// reads them here would get around what guards the kubernetes provider.
    fn validate(&self) -> Result<()> {
        let fault = if self.version.is_empty() {
            "resource.version is required"
        } else if self.kind.is_empty() {
            "resource.kind is required"
        } else if self.is_secret() {
            "kind \"Secret\" is not allowed: use the Kubernetes provider to read Kubernetes Secrets"
        } else {
            return Ok(());
        };
        Err(Error::invalid_spec(fault))
    }

    fn is_secret(&self) -> bool {
        self.kind.eq_ignore_ascii_case("Secret")
            && self.version == "v1"
            && matches!(self.group.as_str(), "" | "core")
    }
}

/// A SecretStore reads its own namespace alone, so admission refuses a rule about namespaces. In
/// use it holds: a store that was made before the webhook ran keeps its restriction.
fn refuse_namespaces(rules: &[Rule], scope: &Scope) -> Result<()> {
    if !matches!(scope, Scope::Namespaced { .. }) {
        return Ok(());
    }
    let names_one = |rule: &Rule| rule.namespace.as_ref().is_some_and(|text| !text.is_empty());
    match rules.iter().position(names_one) {
        None => Ok(()),
        Some(index) => Err(Error::invalid_spec(format!(
            "crd: whitelist.rules[{index}].namespace is not supported for a SecretStore (it only \
             reads its own namespace); remove it or use a ClusterSecretStore"
        ))),
    }
}

#[cfg(test)]
mod tests;
