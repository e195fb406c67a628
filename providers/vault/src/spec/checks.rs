//! What upstream's admission webhook refuses, in its words, and remarks on what is allowed but
//! probably not meant. Looks at the manifest alone.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{SecretKeySelector, ServiceAccountSelector};

use super::{Auth, ClientTls, VaultSpec, Version, given};

impl VaultSpec {
    /// Checks the manifest.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        if self.needs_check_and_set() && self.version == Version::V1 {
            return Err(Error::invalid_spec(
                "checkAndSet is not supported with Vault KV version v1",
            ));
        }
        if let Some(auth) = &self.auth {
            check_auth(auth, scope)?;
        }
        if let Some(tls) = &self.tls {
            check_tls(tls, scope)?;
        }
        Ok(self.auth.as_ref().map(several).unwrap_or_default())
    }
}

fn check_auth(auth: &Auth, scope: &Scope) -> Result<()> {
    let secret = |selector: Option<&SecretKeySelector>, what: &str| {
        let namespace = selector.and_then(|selector| selector.namespace.as_deref());
        let checked = scope.check_referent(namespace);
        checked.map_err(|error| error.context(format!("invalid {what}")))
    };
    let account = |selector: Option<&ServiceAccountSelector>, what: &str| {
        let namespace = selector.and_then(|selector| selector.namespace.as_deref());
        let checked = scope.check_referent(namespace);
        checked.map_err(|error| error.context(format!("invalid {what}")))
    };
    if let Some(role) = &auth.app_role {
        secret(Some(&role.secret_ref), "Auth.AppRole.SecretRef")?;
        if given(role.role_id.as_deref()).is_none() && role.role_ref.is_none() {
            return Err(Error::invalid_spec(
                "invalid Auth.AppRole: neither `roleId` nor `roleRef` was supplied",
            ));
        }
        secret(role.role_ref.as_ref(), "Auth.AppRole.RoleRef")?;
    }
    if let Some(cert) = &auth.cert {
        secret(cert.client_cert.as_ref(), "Auth.Cert.ClientCert")?;
        secret(cert.secret_ref.as_ref(), "Auth.Cert.SecretRef")?;
    }
    if let Some(jwt) = &auth.jwt {
        secret(jwt.secret_ref.as_ref(), "Auth.Jwt.SecretRef")?;
        let token = jwt.kubernetes_service_account_token.as_ref();
        account(
            token.map(|token| &token.service_account_ref),
            "Auth.Jwt.KubernetesServiceAccountToken.ServiceAccountRef",
        )?;
    }
    if let Some(kubernetes) = &auth.kubernetes {
        let reference = kubernetes.service_account_ref.as_ref();
        account(reference, "Auth.Kubernetes.ServiceAccountRef")?;
        let reference = kubernetes.secret_ref.as_ref();
        secret(reference, "Auth.Kubernetes.SecretRef")?;
    }
    if let Some(ldap) = &auth.ldap {
        secret(ldap.secret_ref.as_ref(), "Auth.Ldap.SecretRef")?;
    }
    secret(auth.token_secret_ref.as_ref(), "Auth.TokenSecretRef")?;
    if let Some(user) = &auth.user_pass {
        secret(user.secret_ref.as_ref(), "Auth.UserPass.SecretRef")?;
    }
    if let Some(iam) = &auth.iam {
        let jwt = iam.jwt.as_ref();
        let reference = jwt.and_then(|jwt| jwt.service_account_ref.as_ref());
        account(reference, "Auth.TokenSecretRef")?;
        for key in iam.secret_ref.iter().flat_map(|keys| keys.all()) {
            secret(key, "Auth.TokenSecretRef")?;
        }
    }
    Ok(())
}

fn check_tls(tls: &ClientTls, scope: &Scope) -> Result<()> {
    if tls.cert_secret_ref.is_some() != tls.key_secret_ref.is_some() {
        return Err(Error::invalid_spec(
            "when provided, both ClientTLS.ClientCert and ClientTLS.SecretRef should be provided",
        ));
    }
    let parts = [
        (&tls.cert_secret_ref, "invalid ClientTLS.ClientCert"),
        (&tls.key_secret_ref, "invalid ClientTLS.SecretRef"),
    ];
    for (selector, what) in parts {
        let namespace = selector.as_ref().and_then(|part| part.namespace.as_deref());
        let checked = scope.check_referent(namespace);
        checked.map_err(|error| error.context(what))?;
    }
    Ok(())
}

/// Says which method is used where several are given.
fn several(auth: &Auth) -> Warnings {
    let given = [
        ("tokenSecretRef", auth.token_secret_ref.is_some()),
        ("appRole", auth.app_role.is_some()),
        ("kubernetes", auth.kubernetes.is_some()),
        ("ldap", auth.ldap.is_some()),
        ("userPass", auth.user_pass.is_some()),
        ("jwt", auth.jwt.is_some()),
        ("cert", auth.cert.is_some()),
        ("iam", auth.iam.is_some()),
        ("gcp", auth.gcp.is_some()),
    ];
    let given: Vec<_> = given.iter().filter(|(_, is)| *is).collect();
    match given.as_slice() {
        [(first, _), _, ..] => vec![format!(
            "auth names {} methods; only {first} is used",
            given.len()
        )],
        _ => Warnings::new(),
    }
}
