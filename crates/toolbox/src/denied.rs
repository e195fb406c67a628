//! Turns a refusal of the API server into the rule that is missing, ready to paste into a Role. Reads
//! the server's own sentence, because it alone knows what it was asked and for whom.

use std::fmt;

use serde::Serialize;

/// A right that somebody lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// Who lacks it.
    pub user: String,
    /// What was to be done.
    pub verb: String,
    /// Plural of the kind, with the subresource behind a slash.
    pub resource: String,
    /// API group; empty for the core group.
    pub group: String,
    /// Namespace; `None` where the whole cluster was asked about.
    pub namespace: Option<String>,
}

impl Missing {
    /// Reads a refusal: `… is forbidden: User "u" cannot get resource "secrets" in API group "" in the
    /// namespace "n"`. `None` where the text says something else.
    pub fn read(text: &str) -> Option<Self> {
        let (user, rest) = quoted(text, "User \"")?;
        let (_, rest) = rest.split_once("cannot ")?;
        let (verb, rest) = rest.split_once(" resource ")?;
        let (resource, rest) = quoted(rest, "\"")?;
        let (group, rest) = quoted(rest, "in API group \"")?;
        let namespace = quoted(rest, "in the namespace \"").map(|(name, _)| name.to_owned());
        Some(Self {
            user: user.to_owned(),
            verb: verb.to_owned(),
            resource: resource.to_owned(),
            group: group.to_owned(),
            namespace,
        })
    }

    /// The rule as YAML, one item of the list `rules` of a Role or ClusterRole.
    pub fn rule(&self) -> String {
        let Self {
            verb,
            resource,
            group,
            ..
        } = self;
        format!("- apiGroups: [\"{group}\"]\n  resources: [\"{resource}\"]\n  verbs: [\"{verb}\"]")
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match &self.namespace {
            Some(namespace) => format!("a Role in namespace {namespace}"),
            None => "a ClusterRole".to_owned(),
        };
        let rule = self.rule().replace('\n', "\n  ");
        write!(
            f,
            "{} may not {} {}; add this rule to {place} that is bound to it:\n  {rule}",
            self.user, self.verb, self.resource
        )
    }
}

/// The server's text, with the missing rule where it is a refusal.
pub fn explained(text: &str) -> String {
    match Missing::read(text) {
        Some(missing) => missing.to_string(),
        None => text.to_owned(),
    }
}

/// What stands between `intro` and the next quote, and what follows.
fn quoted<'a>(text: &'a str, intro: &str) -> Option<(&'a str, &'a str)> {
    text.split_once(intro)?.1.split_once('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    const IN_NAMESPACE: &str = "externalsecrets.external-secrets.io \"db\" is forbidden: User \"jane\" \
         cannot get resource \"externalsecrets\" in API group \"external-secrets.io\" in the \
         namespace \"team-a\"";

    #[test]
    fn a_refusal_becomes_the_rule_that_is_missing() {
        assert_eq!(
            explained(IN_NAMESPACE),
            "jane may not get externalsecrets; add this rule to a Role in namespace team-a that is \
             bound to it:\n  - apiGroups: [\"external-secrets.io\"]\n    resources: \
             [\"externalsecrets\"]\n    verbs: [\"get\"]"
        );
    }

    #[test]
    fn the_whole_cluster_needs_a_cluster_role() {
        let text = "secrets is forbidden: User \"system:serviceaccount:a:b\" cannot list resource \
                    \"secrets\" in API group \"\" at the cluster scope";

        let missing = Missing::read(text).unwrap();

        assert_eq!(missing.namespace, None);
        assert_eq!(missing.user, "system:serviceaccount:a:b");
        assert!(missing.to_string().contains("a ClusterRole"));
    }

    #[test]
    fn a_subresource_stays_with_its_resource() {
        let text = IN_NAMESPACE.replace("\"externalsecrets\"", "\"externalsecrets/status\"");

        assert_eq!(
            Missing::read(&text).unwrap().resource,
            "externalsecrets/status"
        );
    }

    #[test]
    fn another_text_stays_as_it_is() {
        assert_eq!(
            explained("secrets \"x\" not found"),
            "secrets \"x\" not found"
        );
    }
}
