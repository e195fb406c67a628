//! Which requests a store lets pass. Without rules everything; with rules only what one of them
//! fits in all its parts. Patterns are Go's, unanchored, and compiled once. Asks nobody.

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;

use crate::spec::Rule;

/// The compiled rules of a store.
#[derive(Debug)]
pub(crate) struct Whitelist(Vec<Compiled>);

#[derive(Debug)]
struct Compiled {
    name: Option<NameMatcher>,
    namespace: Option<NameMatcher>,
    properties: Vec<NameMatcher>,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    /// Name of the object.
    pub(crate) name: &'a str,
    /// Its namespace; `None` for an object of the whole cluster.
    pub(crate) namespace: Option<&'a str>,
    /// The property; `None` for the whole object, which a rule with properties never lets pass.
    pub(crate) property: Option<&'a str>,
}

impl Whitelist {
    /// Compiles rules. One without any pattern is refused, because it would let everything pass.
    pub(crate) fn new(rules: &[Rule]) -> Result<Self> {
        let compiled = rules.iter().enumerate();
        let compiled = compiled.map(|(index, rule)| Compiled::new(index, rule));
        Ok(Self(compiled.collect::<Result<_>>()?))
    }

    /// Whether a request may be made.
    pub(crate) fn allows(&self, request: Request<'_>) -> bool {
        self.0.is_empty() || self.0.iter().any(|rule| rule.fits(request))
    }
}

impl Compiled {
    fn new(index: usize, rule: &Rule) -> Result<Self> {
        let name = rule.name.as_deref().filter(|text| !text.is_empty());
        let namespace = rule.namespace.as_deref().filter(|text| !text.is_empty());
        let properties = rule.properties.as_deref().unwrap_or_default();
        if name.is_none() && namespace.is_none() && properties.is_empty() {
            return Err(Error::invalid_spec(format!(
                "crd: whitelist.rules[{index}]: whitelist rule must define name, namespace, or \
                 properties"
            )));
        }
        let one = |field: &str, pattern: Option<&str>| {
            let pattern = pattern.map(|text| pattern_of(&format!("[{index}].{field}"), text));
            pattern.transpose()
        };
        let each = properties.iter().enumerate();
        let each =
            each.map(|(place, text)| pattern_of(&format!("[{index}].properties[{place}]"), text));
        Ok(Self {
            name: one("name", name)?,
            namespace: one("namespace", namespace)?,
            properties: each.collect::<Result<_>>()?,
        })
    }

    fn fits(&self, request: Request<'_>) -> bool {
        let fits = |pattern: &Option<NameMatcher>, text: Option<&str>| match (pattern, text) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(pattern), Some(text)) => pattern.matches(text),
        };
        fits(&self.name, Some(request.name))
            && fits(&self.namespace, request.namespace)
            && self.fits_property(request.property)
    }

    fn fits_property(&self, property: Option<&str>) -> bool {
        match property {
            _ if self.properties.is_empty() => true,
            None => false,
            Some(property) => self.properties.iter().any(|one| one.matches(property)),
        }
    }
}

fn pattern_of(place: &str, text: &str) -> Result<NameMatcher> {
    compiled(text, &format!("crd: invalid whitelist.rules{place} regex"))
}

/// A compiled pattern; one that Go refuses is refused with `fault`, the pattern and Go's reason.
pub(crate) fn compiled(pattern: &str, fault: &str) -> Result<NameMatcher> {
    NameMatcher::new(pattern).map_err(|error| {
        error.map_message(|text| {
            let usual = format!("could not compile find.name.regexp [{pattern}]: ");
            let reason = text.strip_prefix(&usual).unwrap_or(text);
            format!("{fault} {pattern:?}: {reason}")
        })
    })
}

#[cfg(test)]
mod tests;
