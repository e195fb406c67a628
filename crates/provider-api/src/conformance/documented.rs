//! Whether `docs/metrics.md` names a call to a backend. Decides nothing about providers that the page
//! does not have yet: a test of the whole workspace finds those.

use std::path::Path;
use std::sync::OnceLock;

/// Whether the page's row of the provider, where it has one, names the call.
pub(super) fn is_documented(provider: &str, call: &str) -> bool {
    static PAGE: OnceLock<String> = OnceLock::new();
    let page = PAGE.get_or_init(|| {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md");
        // Outside of the repository there is no page to hold true.
        std::fs::read_to_string(page).unwrap_or_default()
    });
    is_listed(page, provider, call)
}

fn is_listed(page: &str, provider: &str, call: &str) -> bool {
    let start = format!("| {provider} |");
    let row = page.lines().find(|line| line.starts_with(&start));
    row.is_none_or(|row| row.contains(&format!("`{call}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_the_row_of_its_provider_lacks_is_found() {
        let page = "| Provider | Calls |\n| Acme | `Get`, `List` |\n";

        assert!(is_listed(page, "Acme", "Get"));
        assert!(!is_listed(page, "Acme", "Ge"));
        assert!(!is_listed(page, "Acme", "Put"));
        assert!(is_listed(page, "Other", "Put"));
    }
}
