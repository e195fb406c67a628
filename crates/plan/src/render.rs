//! Data, labels and annotations of a target: those of the ExternalSecret where there is no
//! template, else what the template says. The Secret that exists is not looked at here. What a
//! PushSecret pushes is rendered by the same rules.

mod engine;
mod fault;
mod sources;
mod template;
mod yaml;

use std::collections::BTreeMap;

use lockstep_api::ExternalSecret;
use lockstep_api::external_secret::{EngineVersion, Template};
use lockstep_provider_api::SecretMap;

pub(crate) use engine::{NameError, transform_keys, transform_name};
pub(crate) use fault::RenderError;
pub(crate) use sources::{Output, Texts};

use crate::settings::Settings;
use crate::template_source::TemplateSources;
use crate::validate;
use crate::work::Work;

/// What a target is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rendered {
    pub(crate) secret_type: Option<String>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) annotations: BTreeMap<String, String>,
    pub(crate) finalizers: Vec<String>,
    pub(crate) data: SecretMap,
}

/// What rendering may use beside the object and its data.
#[derive(Clone, Copy)]
pub(crate) struct RenderContext<'a> {
    pub(crate) sources: &'a TemplateSources,
    pub(crate) work: Work<'a>,
}

/// Renders the target of an object from fetched data.
pub(crate) fn render(
    object: &ExternalSecret,
    data: SecretMap,
    means: RenderContext<'_>,
) -> Result<Rendered, RenderError> {
    let Some(template) = object
        .spec
        .target
        .as_ref()
        .and_then(|target| target.template.as_deref())
    else {
        return Ok(untemplated(object, data, means.work.settings));
    };
    supported(template)
        .and_then(|()| validate::secret_template(&object.spec))
        .map_err(RenderError::from)
        .and_then(|()| template::apply(template, data, means))
        .map_err(|error| error.within("could not apply template"))
}

/// Renders what a PushSecret pushes: its source with what the template adds.
pub(crate) fn render_push(
    template: &Template,
    source: Rendered,
    means: RenderContext<'_>,
) -> Result<Rendered, RenderError> {
    supported(template)
        .map_err(RenderError::from)
        .and_then(|()| template::extend(template, source, means))
        .map_err(|error| error.within("could not apply template"))
}

/// Refuses languages other than the one there is.
pub(crate) fn supported(template: &Template) -> Result<(), String> {
    match &template.engine_version {
        Some(EngineVersion::Unknown(word)) if !word.is_empty() => {
            Err(format!("unsupported template engine version: {word}"))
        }
        _ => Ok(()),
    }
}

/// Labels and annotations of a target that no template renders: those of the template as they are
/// written, or those of the object.
pub(crate) fn metadata(
    object: &ExternalSecret,
    settings: &Settings,
) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let target = object.spec.target.as_ref();
    if let Some(template) = target.and_then(|target| target.template.as_deref()) {
        let metadata = template.metadata.clone().unwrap_or_default();
        return (metadata.labels, metadata.annotations);
    }
    let copied = untemplated(object, SecretMap::new(), settings);
    (copied.labels, copied.annotations)
}

fn untemplated(object: &ExternalSecret, data: SecretMap, settings: &Settings) -> Rendered {
    let copied = |map: Option<&BTreeMap<String, String>>| {
        let pairs = map.into_iter().flatten();
        let kept = pairs.filter(|(key, _)| settings.copied_metadata.copies(key));
        kept.map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    };
    Rendered {
        labels: copied(object.metadata.labels.as_ref()),
        annotations: copied(object.metadata.annotations.as_ref()),
        data,
        ..Rendered::default()
    }
}

#[cfg(test)]
mod tests;
