//! Checks of a spec, with upstream's texts where it has them. None of them asks AWS or the cluster;
//! what AWS alone can tell is found out when the store is used.

use std::collections::BTreeSet;

use lockstep_provider_api::prelude::*;

use super::{AwsSpec, Service, SessionTag, TagsPolicy};

/// Limits of STS for the tags of a session.
const MAX_TAGS: usize = 50;
const MAX_TAG_KEY: usize = 128;
const MAX_TAG_VALUE: usize = 256;
/// Tags that the policies Simple and Custom set.
const RESERVED: [&str; 3] = ["esoNamespace", "esoStoreName", "esoStoreKind"];

impl AwsSpec {
    /// Checks everything the admission webhook can check.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        let service = self.service()?;
        if self.region.trim().is_empty() {
            let text = format!("region not found: {}", self.region);
            return Err(Error::invalid_spec(text));
        }
        self.validate_deletion()?;
        self.validate_auth(scope)?;
        self.validate_roles()?;
        self.validate_tags()?;
        Ok(self.warnings(service))
    }

    fn validate_deletion(&self) -> Result<()> {
        let Some(settings) = &self.secrets_manager else {
            return Ok(());
        };
        let days = settings.recovery_window_in_days.unwrap_or_default();
        let forced = settings.force_delete_without_recovery == Some(true);
        let fault = match days {
            0 => return Ok(()),
            _ if forced => "ForceDeleteWithoutRecovery conflicts with RecoveryWindowInDays",
            7..=30 => return Ok(()),
            _ => "RecoveryWindowInDays must be between 7 and 30 days",
        };
        let text = format!("invalid DeleteSecretInput: {fault}");
        Err(Error::invalid_spec(text))
    }

    fn validate_auth(&self, scope: &Scope) -> Result<()> {
        let Some(auth) = &self.auth else {
            return Ok(());
        };
        if let Some(keys) = &auth.secret_ref {
            for (name, selector) in keys.selectors() {
                let checked = scope.check_referent(selector.namespace.as_deref());
                checked.map_err(|error| error.context(format!("invalid Auth.SecretRef.{name}")))?;
            }
        }
        let jwt = auth.jwt.as_ref();
        if let Some(account) = jwt.and_then(|jwt| jwt.service_account_ref.as_ref()) {
            let checked = scope.check_referent(account.namespace.as_deref());
            checked.map_err(|error| error.context("invalid Auth.JWT.ServiceAccountRef"))?;
        }
        Ok(())
    }

    /// A chain that comes back to a role it has left would never end where its author thinks.
    fn validate_roles(&self) -> Result<()> {
        let mut seen = BTreeSet::new();
        let chain = self.additional_roles.iter().flatten().chain(&self.role);
        for role in chain.filter(|role| !role.is_empty()) {
            let parts: Vec<_> = role.split(':').collect();
            if parts.len() < 6 || parts[0] != "arn" || parts[5].is_empty() {
                return Err(Error::invalid_spec(format!(
                    "role {role:?} is not an ARN; give it as arn:aws:iam::ACCOUNT:role/NAME"
                )));
            }
            if !seen.insert(role) {
                return Err(Error::invalid_spec(format!(
                    "role {role} is taken on twice; name each role of additionalRoles and role once"
                )));
            }
        }
        Ok(())
    }

    fn validate_tags(&self) -> Result<()> {
        if self.session_tags_policy == TagsPolicy::None {
            return check_tags(self.session_tags.as_deref().unwrap_or_default());
        }
        let custom: Vec<_> = self
            .custom_session_tags
            .iter()
            .flatten()
            .map(|(key, value)| SessionTag {
                key: key.clone(),
                value: value.clone(),
            })
            .filter(|tag| !tag.key.is_empty() && !tag.value.is_empty())
            .collect();
        if custom.iter().any(|tag| RESERVED.contains(&&*tag.key)) {
            return Err(Error::invalid_spec(
                "customSessionTags cannot contain automatically injected reserved keys: \
                 esoNamespace, esoStoreName, esoStoreKind",
            ));
        }
        check_tags(&custom)
    }

    fn warnings(&self, service: Service) -> Warnings {
        let mut warnings = Warnings::new();
        if self.secrets_manager.is_some() && service != Service::SecretsManager {
            warnings.push(format!(
                "secretsManager has no effect with service {}",
                self.service
            ));
        }
        let has_role = self.role.as_deref().is_some_and(|role| !role.is_empty());
        let tagged = self.session_tags_policy != TagsPolicy::None || self.session_tags.is_some();
        if !has_role && (tagged || self.external_id.is_some()) {
            warnings.push("externalID and session tags have no effect without role".to_owned());
        }
        warnings
    }
}

fn check_tags(tags: &[SessionTag]) -> Result<()> {
    let refused = |text: String| Err(Error::invalid_spec(format!("invalid session tags: {text}")));
    if tags.len() > MAX_TAGS {
        return refused(format!("{} tags, AWS takes at most {MAX_TAGS}", tags.len()));
    }
    let mut seen = BTreeSet::new();
    for SessionTag { key, value } in tags {
        if key.is_empty() || key.chars().count() > MAX_TAG_KEY {
            return refused(format!(
                "key {key:?} must have 1 to {MAX_TAG_KEY} characters"
            ));
        }
        if value.chars().count() > MAX_TAG_VALUE {
            return refused(format!(
                "value of {key:?} has more than {MAX_TAG_VALUE} characters"
            ));
        }
        if key.to_lowercase().starts_with("aws:") {
            return refused(format!("key {key:?} begins with the reserved \"aws:\""));
        }
        // AWS tells keys apart without regard to case.
        if !seen.insert(key.to_lowercase()) {
            return refused(format!("key {key:?} is given twice"));
        }
    }
    Ok(())
}
