//! Credentials from the environment. A key of a Secret is the variable
//! `LOCKSTEP_SECRET_<NAMESPACE>_<NAME>_<KEY>`, a ServiceAccount's token
//! `LOCKSTEP_TOKEN_<NAMESPACE>_<NAME>`: upper case, everything else an underscore. What a variable
//! holds is never printed.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_provider_api::{SecretMap, SecretValue};
use serde_json::Value;

use super::name::Name;

/// Variables of local mode, by name.
#[derive(Clone, Default)]
pub(crate) struct Credentials(BTreeMap<String, SecretValue>);

impl Credentials {
    pub(crate) fn new(variables: BTreeMap<String, SecretValue>) -> Self {
        Self(variables)
    }

    /// Puts keys of a Secret over those a manifest has. A variable does not tell the letter case
    /// of its key, so the keys that stores ask for are tried first.
    pub(crate) fn overlay(&self, name: &Name, wanted: &BTreeSet<String>, data: &mut SecretMap) {
        let prefix = format!("{}_", secret_prefix(name));
        let known: BTreeSet<String> = wanted
            .iter()
            .cloned()
            .chain(data.keys().map(str::to_owned))
            .collect();
        let mut used = BTreeSet::new();
        for key in known {
            let variable = format!("{prefix}{}", upper(&key));
            if let Some(value) = self.0.get(&variable) {
                data.insert(key, value.clone());
                used.insert(variable);
            }
        }
        for (variable, value) in &self.0 {
            if let Some(rest) = variable.strip_prefix(&prefix)
                && !used.contains(variable)
            {
                data.insert(rest.to_lowercase(), value.clone());
            }
        }
    }

    /// The token of a ServiceAccount.
    pub(crate) fn token(&self, name: &Name) -> Option<SecretValue> {
        self.0.get(&token_variable(name)).cloned()
    }
}

/// The variable that holds a key of a Secret.
pub(crate) fn secret_variable(name: &Name, key: &str) -> String {
    format!("{}_{}", secret_prefix(name), upper(key))
}

/// The variable that holds the token of a ServiceAccount.
pub(crate) fn token_variable(name: &Name) -> String {
    format!(
        "LOCKSTEP_TOKEN_{}_{}",
        upper(&name.namespace),
        upper(&name.name)
    )
}

fn secret_prefix(name: &Name) -> String {
    format!(
        "LOCKSTEP_SECRET_{}_{}",
        upper(&name.namespace),
        upper(&name.name)
    )
}

fn upper(text: &str) -> String {
    let letters = text.chars();
    letters
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect()
}

/// Keys that selectors inside a store's settings ask a Secret of this name for.
pub(crate) fn selected_keys(settings: &Value, secret: &str, keys: &mut BTreeSet<String>) {
    match settings {
        Value::Object(fields) => {
            if let (Some(Value::String(name)), Some(Value::String(key))) =
                (fields.get("name"), fields.get("key"))
                && name == secret
            {
                keys.insert(key.clone());
            }
            fields
                .values()
                .for_each(|below| selected_keys(below, secret, keys));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| selected_keys(item, secret, keys)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials(variables: &[(&str, &str)]) -> Credentials {
        let pairs = variables
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).into()));
        Credentials::new(pairs.collect())
    }

    #[test]
    fn a_variable_beats_the_manifest_and_keeps_the_case_of_the_key() {
        let credentials = credentials(&[
            ("LOCKSTEP_SECRET_TEAM_A_VAULT_CREDS_ROLEID", "env"),
            ("LOCKSTEP_SECRET_TEAM_A_OTHER_ROLEID", "no"),
        ]);
        let mut data = SecretMap::from_iter([("roleId".to_owned(), SecretValue::from("file"))]);

        credentials.overlay(
            &Name::new("team-a", "vault-creds"),
            &BTreeSet::new(),
            &mut data,
        );

        assert_eq!(data.keys().collect::<Vec<_>>(), ["roleId"]);
        assert_eq!(data.get("roleId"), Some(&SecretValue::from("env")));
    }

    #[test]
    fn keys_come_from_selectors_or_else_in_lower_case() {
        let credentials = credentials(&[
            ("LOCKSTEP_SECRET_D_S_ACCESSKEY", "a"),
            ("LOCKSTEP_SECRET_D_S_TOKEN", "t"),
        ]);
        let settings = serde_json::json!({"auth": [{"name": "s", "key": "accessKey"}]});
        let mut wanted = BTreeSet::new();
        selected_keys(&settings, "s", &mut wanted);
        let mut data = SecretMap::new();

        credentials.overlay(&Name::new("d", "s"), &wanted, &mut data);

        assert_eq!(data.keys().collect::<Vec<_>>(), ["accessKey", "token"]);
    }

    #[test]
    fn variables_are_named_in_upper_case() {
        let name = Name::new("team-a", "my.app");

        assert_eq!(
            secret_variable(&name, "api-key"),
            "LOCKSTEP_SECRET_TEAM_A_MY_APP_API_KEY"
        );
        assert_eq!(token_variable(&name), "LOCKSTEP_TOKEN_TEAM_A_MY_APP");
    }
}
