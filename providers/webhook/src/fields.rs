//! Whether what a store asks for can depend on a field of the reference: templates know them as
//! `.remoteRef.namespace` and so on. A ClusterSecretStore whose templates surely do not look at the
//! namespace is shared by all namespaces, and a request that surely does not name the property is
//! made once for all properties. Errs on the side of not sharing.

/// The namespace of the object that uses the store.
pub(crate) const NAMESPACE: &str = "namespace";
/// The property that is wanted.
pub(crate) const PROPERTY: &str = "property";

/// Fields of the reference.
const FIELDS: [&str; 6] = [
    "key",
    "version",
    PROPERTY,
    "remoteKey",
    "secretKey",
    NAMESPACE,
];
/// Words that make fields hard to follow.
const OPAQUE: [&str; 6] = ["remoteRef", "index", "range", "with", "template", "block"];

/// Whether this template may look at a field.
pub(crate) fn may_show(template: &str, field: &str) -> bool {
    let Some(start) = template.find("{{") else {
        return false;
    };
    // Quotes can hide where an action ends, so everything behind the first one is looked at.
    let rest = without_other_fields(&template[start..], field);
    let opaque = OPAQUE.iter().any(|word| rest.contains(word)) || rest.contains(field);
    opaque || rest.contains('$') || has_bare_dot(&rest)
}

/// The text without `.remoteRef.key` and its like, but for one field.
fn without_other_fields(text: &str, but: &str) -> String {
    const REFERENCE: &str = ".remoteRef.";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(REFERENCE) {
        let (before, after) = rest.split_at(at);
        let field = &after[REFERENCE.len()..];
        let length = field.find(|c| !is_word(c)).unwrap_or(field.len());
        let name = &field[..length];
        out.push_str(before);
        if name == but || !FIELDS.contains(&name) {
            out.push_str(REFERENCE);
        }
        rest = &field[length..];
    }
    out.push_str(rest);
    out
}

/// Whether a dot stands for all data: one that no name or digit follows.
fn has_bare_dot(text: &str) -> bool {
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        if c == '.' && !characters.peek().is_some_and(|next| is_word(*next)) {
            return true;
        }
    }
    false
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_uses_of_the_reference_are_the_same_for_everyone() {
        for template in [
            "https://vault.test/v1/secret",
            "https://vault.test/{{ .remoteRef.key }}?v={{.remoteRef.version}}",
            "Bearer {{ .auth.token }}",
            "{{ .auth.user | b64enc }} {{ printf \"%s\" .remoteRef.property }}",
        ] {
            assert!(!may_show(template, NAMESPACE), "{template}");
        }
    }

    #[test]
    fn whatever_could_reach_the_namespace_counts_as_doing_so() {
        for template in [
            "https://vault.test/{{ .remoteRef.namespace }}/x",
            "{{ index .remoteRef \"name\" }}",
            "{{ with .remoteRef }}{{ .namespace }}{{ end }}",
            "{{ . | toJson }}",
            "{{ toJson . }}",
            "{{ range $k, $v := .remoteRef }}{{ $v }}{{ end }}",
            "{{ $.remoteRef.key }}",
            "{{ .remoteRef.keys }}",
            "{{ .remoteRef | toJson }}",
            "{{ \"}}\" }}{{ get . \"x\" }}",
        ] {
            assert!(may_show(template, NAMESPACE), "{template}");
        }
    }

    #[test]
    fn one_field_is_looked_for_among_the_others() {
        let url = "https://vault.test/{{ .remoteRef.namespace }}/{{ .remoteRef.key }}";

        assert!(!may_show(url, PROPERTY));
        assert!(may_show("{{ .remoteRef.property }}", PROPERTY));
        assert!(may_show("{{ get .remoteRef \"property\" }}", PROPERTY));
    }
}
