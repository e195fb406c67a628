//! The template engine as the planner calls it: fetched values as a Go `map[string]string`, missing
//! keys refused, errors in upstream's words.

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_provider::{Error, SecretMap};
use lockstep_template::{Env, MissingKey, Options, StrMap, Template, Value};

use super::Means;
use super::fault::RenderError;
use crate::parsed_templates::ParsedTemplates;
use crate::settings::Settings;
use crate::template_fault::TemplateText;

/// Executes templates on one set of fetched values.
pub(super) struct Engine<'a> {
    data: Value,
    options: Options<'a>,
    env: Env<'a>,
    parsed: &'a ParsedTemplates,
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
    pub(super) fn new(data: &SecretMap, means: Means<'a>) -> Self {
        let delimiters = &means.settings.delimiters;
        let entries = data.iter().map(|(key, value)| (key, value.expose()));
        Self {
            data: Value::from(entries.collect::<StrMap>()),
            options: Options {
                left_delimiter: &delimiters.left,
                right_delimiter: &delimiters.right,
                missing_key: MissingKey::Error,
            },
            env: env(means.settings, means.now),
            parsed: &means.settings.templates,
        }
    }

    /// Renders one template.
    pub(super) fn render(&self, source: &Source<'_>) -> Result<Vec<u8>, RenderError> {
        let Source { name, text, place } = source;
        let failed = |verb: &str, error: &lockstep_template::Error| {
            let text = format!(
                "unable to execute template at key {name}: unable to {verb} template at key \
                 {name}: {error}"
            );
            RenderError::at(place, error, text)
        };
        let template = if place.is_public() {
            self.parsed.get(name, text, &self.options)
        } else {
            Template::parse(name, text, &self.options).map(Arc::new)
        };
        let template = template.map_err(|error| failed("parse", &error))?;
        template
            .execute(&self.data, &self.env)
            .map_err(|error| failed("execute", &error))
    }
}

/// Renders every key anew: `rewrite.transform`. Delimiters and missing keys are Go's own here.
pub(crate) fn transform_keys(
    source: &str,
    map: SecretMap,
    settings: &Settings,
    now: Timestamp,
) -> Result<SecretMap, Error> {
    let options = Options::default();
    let template = settings
        .templates
        .get("transform", source.as_bytes(), &options);
    let template = template.map_err(|error| {
        Error::invalid_spec(format!(
            "transform failed with failed to parse template: {error}"
        ))
    })?;
    let env = env(settings, now);
    let renamed = map.into_iter().map(|(key, value)| {
        let data = Value::from([("value", key.as_str())].into_iter().collect::<StrMap>());
        let name = template.execute(&data, &env).map_err(|error| {
            Error::invalid_spec(format!(
                "transform failed with failed to execute template for key {key:?}: {error}"
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

/// Renders one name anew: the `transform` of PushSecrets, whose template is called `t`.
pub(crate) fn transform_name(
    source: &str,
    name: &str,
    settings: &Settings,
    now: Timestamp,
) -> Result<String, NameError> {
    let options = Options::default();
    let template = settings.templates.get("t", source.as_bytes(), &options);
    let template = template.map_err(|error| NameError::Parse(error.to_string()))?;
    let data = Value::from([("value", name)].into_iter().collect::<StrMap>());
    let made = template.execute(&data, &env(settings, now));
    let made = made.map_err(|error| NameError::Execute(error.to_string()))?;
    Ok(lockstep_golang::unicode::to_valid_utf8(&made))
}

fn env(settings: &Settings, now: Timestamp) -> Env<'_> {
    Env {
        now,
        random: settings.random.source(),
        limits: settings.template_limits,
    }
}
