//! Parsed templates, shared by all objects and kept between runs, so that a refresh only executes.
//! Found by their whole text, so a hit means the same as parsing again. Bounded in bytes: what was
//! not used while half of the bound filled up is dropped.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lockstep_template::{Error, MissingKey, Options, Template};

/// Bytes all kept templates may have, by the estimate of [`weight`].
const BOUND: usize = 1024 * 1024;

/// A handle on the kept templates; clones share them.
#[derive(Clone, Default)]
pub struct ParsedTemplates(Arc<Mutex<Generations>>);

/// Templates used lately, and those used before.
#[derive(Default)]
struct Generations {
    young: Generation,
    old: Generation,
}

#[derive(Default)]
struct Generation {
    /// By name, then by text.
    templates: BTreeMap<Box<str>, BTreeMap<Box<[u8]>, Kept>>,
    bytes: usize,
}

#[derive(Clone)]
struct Kept {
    /// What it was read with.
    delimiters: (Box<str>, Box<str>),
    missing_key: MissingKey,
    template: Arc<Template>,
}

impl ParsedTemplates {
    /// The template, parsed now or earlier. Texts must not be secret.
    pub(crate) fn get(
        &self,
        name: &str,
        text: &[u8],
        options: &Options<'_>,
    ) -> Result<Arc<Template>, Error> {
        if let Some(kept) = self.lock().find(name, text)
            && kept.is_read_with(options)
        {
            return Ok(kept.template);
        }
        let template = Arc::new(Template::parse(name, text, options)?);
        let delimiters = (
            options.left_delimiter.into(),
            options.right_delimiter.into(),
        );
        let kept = Kept {
            delimiters,
            missing_key: options.missing_key,
            template: Arc::clone(&template),
        };
        self.lock().keep(name, text, kept);
        Ok(template)
    }

    fn lock(&self) -> MutexGuard<'_, Generations> {
        // Every change is complete in itself, so a panic elsewhere leaves it usable.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn is_read_with(&self, options: &Options<'_>) -> bool {
        let (left, right) = &self.delimiters;
        **left == *options.left_delimiter
            && **right == *options.right_delimiter
            && self.missing_key == options.missing_key
    }
}

impl Generations {
    fn find(&mut self, name: &str, text: &[u8]) -> Option<Kept> {
        if let Some(kept) = self.young.find(name, text) {
            return Some(kept.clone());
        }
        let kept = self.old.find(name, text)?.clone();
        self.keep(name, text, kept.clone());
        Some(kept)
    }

    fn keep(&mut self, name: &str, text: &[u8], kept: Kept) {
        let weight = weight(name, text);
        if weight > BOUND / 2 {
            return;
        }
        if self.young.bytes + weight > BOUND / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        let texts = self.young.templates.entry(name.into()).or_default();
        if texts.insert(text.into(), kept).is_none() {
            self.young.bytes += weight;
        }
    }
}

impl Generation {
    fn find(&self, name: &str, text: &[u8]) -> Option<&Kept> {
        self.templates.get(name)?.get(text)
    }
}

/// Bytes a kept template takes, roughly: its text twice, and a tree that grows with it.
fn weight(name: &str, text: &[u8]) -> usize {
    512 + name.len() + 16 * text.len()
}

impl fmt::Debug for ParsedTemplates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ParsedTemplates")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(parsed: &ParsedTemplates) -> (usize, usize) {
        let held = parsed.lock();
        let count = |held: &Generation| held.templates.values().map(BTreeMap::len).sum::<usize>();
        (
            count(&held.young) + count(&held.old),
            held.young.bytes + held.old.bytes,
        )
    }

    #[test]
    fn the_same_text_is_parsed_once() {
        let parsed = ParsedTemplates::default();
        let options = Options::default();

        let first = parsed.get("x", b"{{ .a }}", &options).unwrap();
        let second = parsed.clone().get("x", b"{{ .a }}", &options).unwrap();

        assert!(Arc::ptr_eq(&first, &second));
    }

    #[test]
    fn another_name_text_or_option_is_another_template() {
        let parsed = ParsedTemplates::default();
        let options = Options::default();
        let first = parsed.get("x", b"{{ .a }}", &options).unwrap();
        let brackets = Options {
            left_delimiter: "[[",
            right_delimiter: "]]",
            ..options
        };

        let named = parsed.get("y", b"{{ .a }}", &options).unwrap();
        let written = parsed.get("x", b"{{ .b }}", &options).unwrap();
        let delimited = parsed.get("x", b"{{ .a }}", &brackets).unwrap();
        let strict = Options {
            missing_key: MissingKey::Error,
            ..options
        };
        let strict = parsed.get("x", b"{{ .a }}", &strict).unwrap();

        assert_eq!(named.name(), "y");
        for other in [named, written, delimited, strict] {
            assert!(!Arc::ptr_eq(&first, &other));
        }
    }

    #[test]
    fn a_text_that_cannot_be_parsed_is_refused_every_time() {
        let parsed = ParsedTemplates::default();

        for _ in 0..2 {
            assert!(parsed.get("x", b"{{ .a", &Options::default()).is_err());
        }
        assert_eq!(kept(&parsed), (0, 0));
    }

    #[test]
    fn ten_thousand_different_templates_stay_within_the_bound() {
        let parsed = ParsedTemplates::default();
        let options = Options::default();

        for number in 0..10_000 {
            let text = format!("{{{{ .a }}}} {number} {}", "x".repeat(200));
            parsed.get("x", text.as_bytes(), &options).unwrap();
        }

        let (count, bytes) = kept(&parsed);
        assert!(bytes <= BOUND, "{bytes}");
        assert!(count < 300, "{count}");
    }

    #[test]
    fn what_is_used_stays_while_others_come_and_go() {
        let parsed = ParsedTemplates::default();
        let options = Options::default();
        let first = parsed.get("used", b"{{ .a }}", &options).unwrap();

        for number in 0..2_000 {
            let text = format!("{{{{ .a }}}} {number} {}", "x".repeat(200));
            parsed.get("x", text.as_bytes(), &options).unwrap();
            let again = parsed.get("used", b"{{ .a }}", &options).unwrap();
            assert!(Arc::ptr_eq(&first, &again));
        }
    }

    #[test]
    fn one_huge_template_is_not_kept() {
        let parsed = ParsedTemplates::default();

        let text = "x".repeat(BOUND);
        parsed
            .get("x", text.as_bytes(), &Options::default())
            .unwrap();

        assert_eq!(kept(&parsed), (0, 0));
    }
}
