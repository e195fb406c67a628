//! The template engine as the planner calls it: fetched values as a Go `map[string]string`, missing
//! keys refused, errors in upstream's words.

use std::sync::Arc;

use lockstep_provider_api::{Error, SecretMap};
use lockstep_template::{Budget, Env, ErrorKind, MissingKey, Options, StrMap, Template, Value};

use super::RenderContext;
use super::fault::RenderError;
use crate::parsed_templates::ParsedTemplates;
use crate::template_fault::TemplateText;
use crate::work::{SHARED, Work, told};

/// Executes templates on one set of fetched values.
pub(super) struct Engine<'a> {
    data: Value,
    options: Options<'a>,
    env: Env<'a>,
    parsed: &'a ParsedTemplates,
    budget: &'a Budget,
}

/// A template to render.
pub(super) struct Source<'a> {
    /// What errors call it.
    pub(super) name: &'a str,
    /// The template.
    pub(super) text: &'a [u8],
    /// Where it stands.
    pub(super) place: &'a TemplateText,
}

impl<'a> Engine<'a> {
    /// An engine for these values.
    pub(super) fn new(data: &SecretMap, means: RenderContext<'a>) -> Self {
        let Work {
            settings, budget, ..
        } = means.work;
        let delimiters = &settings.delimiters;
        let entries = data.iter().map(|(key, value)| (key, value.expose()));
        Self {
            data: Value::from(entries.collect::<StrMap>()),
            options: Options {
                left_delimiter: &delimiters.left,
                right_delimiter: &delimiters.right,
                missing_key: MissingKey::Error,
            },
            env: env(means.work),
            parsed: &settings.templates,
            budget,
        }
    }

    /// Renders one template.
    pub(super) fn render(&self, source: &Source<'_>) -> Result<Vec<u8>, RenderError> {
        let Source { name, text, place } = source;
        let failed = |verb: &str, error: &lockstep_template::Error| {
            let text = format!(
                "unable to execute template at key {name}: unable to {verb} template at key \
                 {name}: {error}{}",
                remedy(error)
            );
            RenderError::at(place, error, text)
        };
        self.budget
            .spend(parsing(text), 0)
            .map_err(|exceeded| RenderError::of(place, told(exceeded)))?;
        let template = if place.is_public() {
            self.parsed.get(name, text, &self.options)
        } else {
            Template::parse(name, text, &self.options).map(Arc::new)
        };
        let template = template.map_err(|error| failed("parse", &error))?;
        template
            .execute_within(&self.data, &self.env, self.budget)
            .map_err(|error| failed("execute", &error))
    }
}

/// Renders a new name for every key: `rewrite.transform`. Delimiters and missing keys are Go's own here.
pub(crate) fn transform_keys(
    source: &str,
    map: SecretMap,
    work: Work<'_>,
) -> Result<SecretMap, Error> {
    let options = Options::default();
    work.spend(source.len() / BYTES_PER_STEP, 0)?;
    let template = work
        .settings
        .templates
        .get("transform", source.as_bytes(), &options);
    let template = template.map_err(|error| {
        Error::invalid_spec(format!(
            "transform failed with failed to parse template: {error}"
        ))
    })?;
    let env = env(work);
    let renamed = map.into_iter().map(|(key, value)| {
        let data = Value::from([("value", key.as_str())].into_iter().collect::<StrMap>());
        let made = template.execute_within(&data, &env, work.budget);
        let name = made.map_err(|error| {
            Error::invalid_spec(format!(
                "transform failed with failed to execute template for key {key:?}: {error}{}",
                remedy(&error)
            ))
        })?;
        Ok((lockstep_golang::unicode::to_valid_utf8(&name), value))
    });
    renamed.collect()
}

/// Why a name could not be made from a template.
pub(crate) enum NameError {
    /// The template cannot be read.
    Parse(String),
    /// It failed on this name.
    Execute(String),
}

/// Renders a new name for one key: the `transform` of PushSecrets, whose template is called `t`.
pub(crate) fn transform_name(
    source: &str,
    name: &str,
    work: Work<'_>,
) -> Result<String, NameError> {
    let options = Options::default();
    let spent = work.budget.spend(parsing(source.as_bytes()), 0);
    spent.map_err(|exceeded| NameError::Parse(told(exceeded)))?;
    let template = work
        .settings
        .templates
        .get("t", source.as_bytes(), &options);
    let template = template.map_err(|error| NameError::Parse(error.to_string()))?;
    let data = Value::from([("value", name)].into_iter().collect::<StrMap>());
    let made = template.execute_within(&data, &env(work), work.budget);
    let made = made.map_err(|error| NameError::Execute(format!("{error}{}", remedy(&error))))?;
    Ok(lockstep_golang::unicode::to_valid_utf8(&made))
}

fn env(work: Work<'_>) -> Env<'_> {
    Env {
        now: work.now,
        random: work.settings.random.source(),
        limits: work.settings.template_limits,
    }
}

/// Bytes of a template that are parsed in about the time of one step.
const BYTES_PER_STEP: usize = 16;

/// Steps for parsing a template. Counted for a kept one too: what an object may use must not depend
/// on what others did before.
fn parsing(text: &[u8]) -> u64 {
    u64::try_from(text.len() / BYTES_PER_STEP).unwrap_or(u64::MAX)
}

/// What to do about an error that is a limit.
fn remedy(error: &lockstep_template::Error) -> &'static str {
    match error.kind() {
        ErrorKind::Limit => SHARED,
        _ => "",
    }
}
