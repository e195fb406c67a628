//! Whether what a store asks for can depend on the namespace of the object that uses it. Templates
//! know that namespace as `.remoteRef.namespace`; a ClusterSecretStore whose templates surely do not
//! look at it is shared by all namespaces. Errs on the side of not sharing.

/// Fields of the reference that are the same for everyone who asks for the same secret.
const COMMON: [&str; 5] = ["key", "version", "property", "remoteKey", "secretKey"];
/// Words that make fields hard to follow.
const OPAQUE: [&str; 7] = [
    "remoteRef",
    "namespace",
    "index",
    "range",
    "with",
    "template",
    "block",
];

/// Whether this template may look at the caller's namespace.
pub(crate) fn may_show(template: &str) -> bool {
    let Some(start) = template.find("{{") else {
        return false;
    };
    // Quotes can hide where an action ends, so everything behind the first one is looked at.
    let rest = without_common_fields(&template[start..]);
    OPAQUE.iter().any(|word| rest.contains(word)) || rest.contains('$') || has_bare_dot(&rest)
}

/// The text without `.remoteRef.key` and its like.
fn without_common_fields(text: &str) -> String {
    const REFERENCE: &str = ".remoteRef.";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(REFERENCE) {
        let (before, after) = rest.split_at(at);
        let field = &after[REFERENCE.len()..];
        let length = field.find(|c| !is_word(c)).unwrap_or(field.len());
        out.push_str(before);
        if !COMMON.contains(&&field[..length]) {
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
            assert!(!may_show(template), "{template}");
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
            assert!(may_show(template), "{template}");
        }
    }
}
