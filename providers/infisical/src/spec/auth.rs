//! `auth` of a store: the ten identities that Infisical knows. The first one that is given counts.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

/// How to sign in. Every leaf is a key of a Secret.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Auth {
    /// The operator's own AWS identity.
    pub aws_auth_credentials: Option<Machine>,
    /// The operator's own Azure identity.
    pub azure_auth_credentials: Option<Azure>,
    /// A key file of a Google service account.
    pub gcp_iam_auth_credentials: Option<GcpIam>,
    /// The operator's own Google identity.
    pub gcp_id_token_auth_credentials: Option<Machine>,
    /// A JSON web token.
    pub jwt_auth_credentials: Option<SignedToken>,
    /// The operator's own ServiceAccount, or a token file.
    pub kubernetes_auth_credentials: Option<Kubernetes>,
    /// User name and password of an LDAP directory.
    pub ldap_auth_credentials: Option<Directory>,
    /// A signing key of Oracle Cloud.
    pub oci_auth_credentials: Option<Oci>,
    /// A token that is used as it is.
    pub token_auth_credentials: Option<Token>,
    /// Client id and secret of a machine identity.
    pub universal_auth_credentials: Option<Universal>,
}

macro_rules! credentials {
    ($(#[$doc:meta] $name:ident { $($(#[$field_doc:meta])+ $field:ident: $kind:ty,)+ })+) => {$(
        #[$doc]
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$field_doc])+ pub $field: $kind,)+
        }
    )+};
}

credentials! {
    /// A machine identity alone.
    Machine {
        /// Id of the machine identity.
        identity_id: SecretKeySelector,
    }
    /// A machine identity for Azure.
    Azure {
        /// Id of the machine identity.
        identity_id: SecretKeySelector,
        /// The resource to ask a token for.
        #[serde(default)]
        resource: Option<SecretKeySelector>,
    }
    /// A machine identity for Google service accounts.
    GcpIam {
        /// Id of the machine identity.
        identity_id: SecretKeySelector,
        /// Path of the key file in the operator's container.
        service_account_key_file_path: SecretKeySelector,
    }
    /// A machine identity for JSON web tokens.
    SignedToken {
        /// Id of the machine identity.
        identity_id: SecretKeySelector,
        /// The token.
        jwt: SecretKeySelector,
    }
    /// A machine identity for Kubernetes.
    Kubernetes {
        /// Id of the machine identity.
        identity_id: SecretKeySelector,
        /// Path of the token file in the operator's container.
        #[serde(default)]
        service_account_token_path: Option<SecretKeySelector>,
    }
    /// A machine identity for LDAP.
    Directory {
        /// Id of the machine identity.
        identity_id: SecretKeySelector,
        /// The password.
        ldap_password: SecretKeySelector,
        /// The user name.
        ldap_username: SecretKeySelector,
    }
    /// A machine identity for Oracle Cloud.
    Oci {
        /// Fingerprint of the key.
        fingerprint: SecretKeySelector,
        /// Id of the machine identity.
        identity_id: SecretKeySelector,
        /// The private key, PEM.
        private_key: SecretKeySelector,
        /// Passphrase of the private key.
        #[serde(default)]
        private_key_passphrase: Option<SecretKeySelector>,
        /// Region of the tenancy.
        region: SecretKeySelector,
        /// Id of the tenancy.
        tenancy_id: SecretKeySelector,
        /// Id of the user.
        user_id: SecretKeySelector,
    }
    /// A token.
    Token {
        /// The token.
        access_token: SecretKeySelector,
    }
    /// A machine identity with client id and secret.
    Universal {
        /// The client id.
        client_id: SecretKeySelector,
        /// The client secret.
        client_secret: SecretKeySelector,
    }
}

impl Auth {
    pub(super) fn validate(&self, scope: &Scope) -> Result<()> {
        let Some(universal) = &self.universal_auth_credentials else {
            return Ok(());
        };
        for selector in [&universal.client_id, &universal.client_secret] {
            scope.check_referent(selector.namespace.as_deref())?;
            if selector.key.as_deref().unwrap_or_default().is_empty() {
                return Err(Error::invalid_spec(
                    "universalAuthCredentials.clientId and universalAuthCredentials.clientSecret \
                     cannot be empty",
                ));
            }
        }
        Ok(())
    }
}
