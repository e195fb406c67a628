//! The domain of the API: a DNS name of at least two labels, with an optional port and without a
//! scheme. Names outside of ASCII are refused; the original turns them into their ASCII form.

use lockstep_provider_api::prelude::*;

const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;

/// Checks a domain as a manifest spells it.
pub(crate) fn validate(domain: &str) -> Result<()> {
    if domain.trim().is_empty() {
        return Err(Error::invalid_spec("API domain must be set"));
    }
    fault(domain).map_or(Ok(()), |why| {
        Err(Error::invalid_spec(format!(
            "API domain is not valid: {why}"
        )))
    })
}

fn fault(domain: &str) -> Option<String> {
    if domain.contains("://") {
        return Some("scheme is not allowed".to_owned());
    }
    let (host, _) = domain.split_once(':').unwrap_or((domain, ""));
    if domain.matches(':').count() > 1 {
        return Some(format!("address {domain}: too many colons in address"));
    }
    if host.ends_with('.') {
        return Some("domain must not end with a dot".to_owned());
    }
    let name = host.to_ascii_lowercase();
    if let Some(odd) = name.chars().find(|&c| !is_plain(c)) {
        return Some(format!("idna: disallowed rune U+{:04X}", u32::from(odd)));
    }
    if name.is_empty() || name.len() > LONGEST_NAME {
        return Some("domain length out of range".to_owned());
    }
    let labels: Vec<&str> = name.split('.').collect();
    if labels.len() < 2 {
        return Some("domain must contain at least one dot".to_owned());
    }
    let odd = labels.iter().find_map(|label| label_fault(label));
    let is_number = |label: &&str| label.bytes().all(|byte| byte.is_ascii_digit());
    odd.or_else(|| {
        let last = labels.last().filter(|label| is_number(label));
        last.map(|_| "numeric TLD is not allowed".to_owned())
    })
}

fn label_fault(label: &str) -> Option<String> {
    if label.is_empty() || label.len() > LONGEST_LABEL {
        return Some("label length out of range".to_owned());
    }
    let is_odd = label.starts_with('-') || label.ends_with('-');
    is_odd.then(|| format!("invalid label: {label}"))
}

fn is_plain(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_an_optional_port_are_taken() {
        for domain in [
            "example.com",
            "example.com:443",
            "a-b.com",
            "EXAMPLE.COM",
            "api.eu.nebius.cloud:443",
        ] {
            assert!(validate(domain).is_ok(), "{domain}");
        }
    }

    #[test]
    fn everything_else_is_refused_and_says_why() {
        let long = format!("{}.com", "a".repeat(64));
        let table = [
            (" ", "API domain must be set"),
            (
                "https://a.com",
                "API domain is not valid: scheme is not allowed",
            ),
            (
                "a.com:1:2",
                "API domain is not valid: address a.com:1:2: too many colons in address",
            ),
            (
                "com",
                "API domain is not valid: domain must contain at least one dot",
            ),
            (
                "a..com",
                "API domain is not valid: label length out of range",
            ),
            (
                "example.com.",
                "API domain is not valid: domain must not end with a dot",
            ),
            ("-abc.com", "API domain is not valid: invalid label: -abc"),
            (
                "ab_c.com",
                "API domain is not valid: idna: disallowed rune U+005F",
            ),
            (
                "127.0.0.1",
                "API domain is not valid: numeric TLD is not allowed",
            ),
            (
                long.as_str(),
                "API domain is not valid: label length out of range",
            ),
        ];

        for (domain, text) in table {
            let error = validate(domain).unwrap_err();
            assert_eq!(error.to_string(), text);
            assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
        }
    }
}
