//! What is wrong with one object. The same rules the controller goes by, said at admission time.

use lockstep_api::{ClusterSecretStore, ExternalSecret, SecretStore, SecretStoreSpec};
use lockstep_plan::validate;
use lockstep_provider_api::{Scope, Stability};
use serde_json::Value;

/// The judgement of one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Why it is refused; it is admitted without one.
    pub refusal: Option<String>,
    /// Remarks for whoever applies it.
    pub warnings: Vec<String>,
    /// Whether the object could not even be read.
    pub malformed: bool,
}

impl Verdict {
    fn refused(text: impl Into<String>) -> Self {
        Self {
            refusal: Some(text.into()),
            ..Self::default()
        }
    }

    fn malformed(text: impl Into<String>) -> Self {
        Self {
            malformed: true,
            ..Self::refused(text)
        }
    }
}

/// Judges an object by its kind; kinds without rules are admitted.
pub fn judge(kind: &str, object: &Value) -> Verdict {
    match kind {
        "ExternalSecret" => match serde_json::from_value::<ExternalSecret>(object.clone()) {
            Ok(object) => external_secret(&object),
            Err(error) => Verdict::malformed(error.to_string()),
        },
        "SecretStore" => match serde_json::from_value::<SecretStore>(object.clone()) {
            Ok(store) => {
                let namespace = store.metadata.namespace.unwrap_or_default();
                let name = store.metadata.name.unwrap_or_default();
                judge_store(&store.spec, &name, &Scope::Namespaced { namespace })
            }
            Err(error) => Verdict::malformed(error.to_string()),
        },
        "ClusterSecretStore" => {
            match serde_json::from_value::<ClusterSecretStore>(object.clone()) {
                Ok(store) => {
                    let name = store.metadata.name.unwrap_or_default();
                    judge_store(&store.spec, &name, &Scope::Cluster { caller: None })
                }
                Err(error) => Verdict::malformed(error.to_string()),
            }
        }
        _ => Verdict::default(),
    }
}

fn external_secret(object: &ExternalSecret) -> Verdict {
    if let Err(fault) = validate::durations(&object.spec) {
        return Verdict::malformed(fault);
    }
    let faults = validate::external_secret(&object.spec);
    Verdict {
        refusal: (!faults.is_empty()).then(|| faults.join("\n")),
        ..Verdict::default()
    }
}

fn judge_store(spec: &SecretStoreSpec, name: &str, scope: &Scope) -> Verdict {
    if let Err(fault) = validate::store(name, spec) {
        return Verdict::refused(fault);
    }
    let Ok((provider, settings)) = spec.provider.only() else {
        return Verdict::default();
    };
    let entry = match lockstep_provider_registry::lookup(provider) {
        Ok(entry) => entry,
        // Existing manifests of providers that come later must still apply.
        Err(error) if error.is_left_out() => {
            return Verdict {
                warnings: vec![error.to_string()],
                ..Verdict::default()
            };
        }
        Err(error) => return Verdict::refused(error.for_store(name)),
    };
    let (mut warnings, refusal) = match entry.validate(settings, scope) {
        Ok(warnings) => (warnings, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    warnings.extend(maintenance(entry.stability(), name));
    Verdict {
        refusal,
        warnings,
        ..Verdict::default()
    }
}

fn maintenance(stability: Stability, name: &str) -> Option<String> {
    match stability {
        Stability::Maintained => None,
        Stability::NotMaintained => Some(format!(
            "store {name} isn't currently maintained. Please plan and prepare accordingly."
        )),
        Stability::Deprecated => Some(format!(
            "store {name} is deprecated and will stop working on the next major version. Please \
             plan and prepare accordingly."
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_external_secret_without_sources_is_refused() {
        let verdict = judge("ExternalSecret", &json!({ "spec": {} }));

        let refusal = verdict.refusal.unwrap();
        assert_eq!(refusal, "either data or dataFrom should be specified");
    }

    #[test]
    fn an_ordinary_external_secret_is_admitted() {
        let object = json!({ "spec": {
            "secretStoreRef": { "name": "s" },
            "data": [{ "secretKey": "a", "remoteRef": { "key": "k" } }],
        }});

        assert_eq!(judge("ExternalSecret", &object), Verdict::default());
    }

    #[test]
    fn an_interval_that_is_no_duration_cannot_be_read() {
        let object = |interval: &str| {
            json!({ "spec": {
                "refreshInterval": interval,
                "data": [{ "secretKey": "a", "remoteRef": { "key": "k" } }],
            }})
        };

        let verdict = judge("ExternalSecret", &object("1d"));

        assert!(verdict.malformed);
        assert_eq!(
            verdict.refusal.unwrap(),
            r#"time: unknown unit "d" in duration "1d""#
        );
        assert_eq!(judge("ExternalSecret", &object("-1h")), Verdict::default());
    }

    #[test]
    fn a_store_of_an_unmaintained_provider_is_admitted_with_a_warning() {
        let object = json!({
            "metadata": { "name": "s", "namespace": "ns" },
            "spec": { "provider": { "fake": { "data": [{ "key": "k", "value": "v" }] } } },
        });

        let verdict = judge("SecretStore", &object);

        assert_eq!(verdict.refusal, None);
        assert!(verdict.warnings[0].contains("isn't currently maintained"));
    }

    #[test]
    fn a_refused_store_of_an_unmaintained_provider_has_the_warning_too() {
        let object = json!({
            "metadata": { "name": "s", "namespace": "ns" },
            "spec": { "provider": { "fake": { "data": [{ "key": "", "value": "v" }] } } },
        });

        let verdict = judge("SecretStore", &object);

        assert_eq!(verdict.refusal.unwrap(), "key must be set in data 0");
        assert!(verdict.warnings[0].contains("isn't currently maintained"));
    }

    #[test]
    fn a_provider_nobody_knows_is_refused_and_one_of_a_later_build_is_not() {
        let store = |provider: &str| json!({ "spec": { "provider": { provider: {} } } });

        assert!(judge("SecretStore", &store("nonsense")).refusal.is_some());
        let later = judge("SecretStore", &store("onepasswordSDK"));
        assert_eq!(later.refusal, None);
        assert!(later.warnings[0].contains("not in this build"));
    }

    #[test]
    fn two_providers_in_one_store_are_refused() {
        let object = json!({ "spec": { "provider": { "fake": { "data": [] }, "aws": {} } } });

        let refusal = judge("ClusterSecretStore", &object).refusal.unwrap();

        assert_eq!(
            refusal,
            "store error for : secret stores must only have exactly one backend specified, found 2"
        );
    }
}
