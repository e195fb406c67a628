//! Where the token comes from that a login shows to the server: a Secret, a ServiceAccount, or the
//! operator's own pod.

use std::time::Duration;

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::ServiceAccountSelector;

/// Where the operator's own token is mounted.
const OWN_TOKEN: &str = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/// Where the token of a login comes from.
#[derive(Debug)]
pub enum TokenSource {
    /// A Secret.
    Given(SecretValue),
    /// A ServiceAccount, by a token request at every login.
    ServiceAccount {
        /// The account.
        account: ServiceAccountSelector,
        /// Its namespace.
        namespace: String,
        /// Audiences beside those of the selector.
        audiences: Vec<String>,
        /// Wanted life of the token.
        life: Duration,
    },
    /// The operator's own token.
    Own,
}

impl TokenSource {
    /// Hands over every part that identifies it.
    pub(super) fn identify(&self, add: &mut impl FnMut(&[u8])) {
        match self {
            Self::Given(token) => add(token.expose()),
            Self::ServiceAccount {
                account,
                namespace,
                audiences,
                ..
            } => {
                add(b"serviceaccount");
                add(namespace.as_bytes());
                add(account.name.as_bytes());
                for audience in audiences.iter().chain(account.audiences.iter().flatten()) {
                    add(audience.as_bytes());
                }
            }
            Self::Own => add(b"own"),
        }
    }

    /// A token for a login.
    pub(super) async fn token(&self, ctx: &Ctx) -> Result<SecretValue> {
        match self {
            Self::Given(token) => Ok(SecretValue::from(token.expose().trim_ascii())),
            Self::ServiceAccount {
                account,
                audiences,
                life,
                ..
            } => ctx.service_account_token(account, audiences, *life).await,
            Self::Own => {
                let refused = "cannot read Kubernetes service account token from file system";
                let Some(ambient) = ctx.ambient() else {
                    return Err(Error::invalid_spec(format!(
                        "{refused}: the operator's own identity may not be used here; \
                         set serviceAccountRef or secretRef"
                    )));
                };
                let token = ambient.read(OWN_TOKEN);
                let token = token.map_err(|error| error.context(refused))?;
                Ok(SecretValue::from(token.expose().trim_ascii()))
            }
        }
    }
}
