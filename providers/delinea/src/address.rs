//! The template of addresses: four `%s` that stand for tenant, top-level domain, resource and path.
//! Gives the base that requests are sent to, and what follows it; sends nothing.

use lockstep_provider_api::http::encode_component;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Address;

use crate::spec::DelineaSpec;

const DEFAULT: &str = "https://%s.secretsvaultcloud.%s/v1/%s%s";
const DEFAULT_TLD: &str = "com";
/// What a path may hold as it is, beside letters, digits and `-._~`: the vault separates the parts of
/// a path by `:` as well as by `/`.
const KEPT: &str = "/:@!$&'()*+,;=";

/// A template with tenant and domain filled in.
pub(crate) struct Template {
    pub(crate) base: Address,
    between: String,
    after: String,
}

impl Template {
    /// Fills in what the spec knows.
    pub(crate) fn new(spec: &DelineaSpec) -> Result<Self> {
        let given = |text: &Option<String>, default: &str| -> String {
            let text = text.as_deref().filter(|text| !text.is_empty());
            text.unwrap_or(default).to_owned()
        };
        let template = given(&spec.url_template, DEFAULT);
        let tld = given(&spec.tld, DEFAULT_TLD);
        let parts: Vec<&str> = template.split("%s").collect();
        let [scheme, domain, path, between, after] = parts[..] else {
            return Err(Error::invalid_spec(
                "urlTemplate needs four %s: tenant, top-level domain, resource and path",
            ));
        };
        if !path.ends_with('/') {
            return Err(Error::invalid_spec(
                "urlTemplate needs a slash before the third %s, the resource",
            ));
        }
        let base = format!("{scheme}{}{domain}{tld}{path}", spec.tenant);
        Ok(Self {
            base: Address::new("spec.provider.delinea.urlTemplate", &base)?,
            between: between.to_owned(),
            after: after.to_owned(),
        })
    }

    /// What follows the base for a resource; `path` is that of a secret, or empty.
    pub(crate) fn path(&self, resource: &str, path: &str) -> String {
        let path = path.trim_start_matches('/');
        let path = if path.is_empty() {
            String::new()
        } else {
            format!("/{}", encoded(path))
        };
        format!("/{resource}{}{path}{}", self.between, self.after)
    }
}

fn encoded(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    let mut letter = [0; 4];
    for c in path.chars() {
        if KEPT.contains(c) {
            encoded.push(c);
        } else {
            encoded.push_str(&encode_component(c.encode_utf8(&mut letter)));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(template: Option<&str>) -> Result<Template> {
        Template::new(&DelineaSpec {
            tenant: "shop".to_owned(),
            url_template: template.map(str::to_owned),
            ..DelineaSpec::default()
        })
    }

    #[test]
    fn the_default_leads_to_the_tenant() {
        let template = template(None).unwrap();

        let url = |resource, path| template.base.join(&template.path(resource, path));
        assert_eq!(
            url("token", ""),
            "https://shop.secretsvaultcloud.com/v1/token"
        );
        let secret = "https://shop.secretsvaultcloud.com/v1/secrets/app:db/k%20%C3%BC%3F";
        assert_eq!(url("secrets", "/app:db/k ü?"), secret);
    }

    #[test]
    fn a_template_without_its_four_places_is_refused() {
        for text in ["https://vault.test", "https://%s.test/%s/x-%s%s"] {
            assert!(template(Some(text)).is_err(), "{text}");
        }
    }
}
