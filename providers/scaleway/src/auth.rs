//! From the spec's keys to the header that Scaleway takes them in. The access key is not sent; it is
//! resolved and checked so that a wrong one shows in the store.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::ids::is_uuid;
use lockstep_provider_kit::{Scheme, StaticHeader};

use crate::spec::ScalewaySpec;

const ACCESS_PREFIX: &str = "SCW";
const ACCESS_LENGTH: usize = 20;

/// Sends the secret key.
pub(crate) async fn connect(spec: &ScalewaySpec, ctx: &Ctx) -> Result<StaticHeader> {
    for key in spec.references() {
        check_namespace(key.namespace.as_deref(), ctx)?;
    }
    let access = spec.access_key.resolve(ctx, "accessKey").await?;
    if !is_access_key(access.without_final_newline()) {
        return Err(malformed(
            "access key",
            "SCW and 17 capital letters or digits",
        ));
    }
    let secret = spec.secret_key.resolve(ctx, "secretKey").await?;
    let text = std::str::from_utf8(secret.without_final_newline());
    if !text.is_ok_and(is_uuid) {
        return Err(malformed("secret key", "a UUID"));
    }
    Ok(StaticHeader::new(Scheme::header("x-auth-token"), secret))
}

/// Whether a reference may name this namespace. Upstream makes this check for every connection, so a
/// store without the webhook is refused too.
fn check_namespace(namespace: Option<&str>, ctx: &Ctx) -> Result<()> {
    if ctx.is_referent(namespace) {
        return Err(Error::invalid_spec(
            "when using a ClusterSecretStore, namespaces must be explicitly set",
        ));
    }
    ctx.scope().check_referent(namespace)
}

fn is_access_key(text: &[u8]) -> bool {
    let is_sign = |c: &u8| c.is_ascii_uppercase() || c.is_ascii_digit();
    text.len() == ACCESS_LENGTH
        && text.starts_with(ACCESS_PREFIX.as_bytes())
        && text.iter().all(is_sign)
}

/// The key itself is not shown.
fn malformed(key: &str, wanted: &str) -> Error {
    Error::invalid_spec(format!(
        "scaleway-sdk-go: invalid {key} format, expected {wanted}"
    ))
}

#[cfg(test)]
mod tests {
    use super::is_access_key;

    #[test]
    fn an_access_key_has_a_form_of_its_own() {
        assert!(is_access_key(b"SCW12345ABCDE12345AB"));
        for key in ["", "SCW1", "scw12345ABCDE12345AB", "SCW12345ABCDE12345AB1"] {
            assert!(!is_access_key(key.as_bytes()), "{key}");
        }
    }
}
