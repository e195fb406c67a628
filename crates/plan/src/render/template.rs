//! One `target.template` of a Secret, in upstream's order: fetched data where it is kept, then every
//! source of `templateFrom`, then `data`, labels and annotations; later results replace earlier ones.

use lockstep_api::external_secret::{Template, TemplateMergePolicy};
use lockstep_provider::{SecretMap, SecretValue};

use super::engine::{Engine, Source};
use super::fault::{RenderError, TemplateText};
use super::sources::{Entry, Output};
use super::{Means, Rendered};

/// Renders a template.
pub(super) fn apply(
    template: &Template,
    fetched: SecretMap,
    means: Means<'_>,
) -> Result<Rendered, RenderError> {
    let engine = Engine::new(&fetched, means);
    let metadata = template.metadata.clone().unwrap_or_default();
    let includes_fetched = *template.merge_policy() == TemplateMergePolicy::Merge
        || (template.data.is_empty() && template.template_from.is_empty());
    let mut rendered = Rendered {
        secret_type: template.type_.clone().filter(|written| !written.is_empty()),
        labels: metadata.labels.clone(),
        annotations: metadata.annotations.clone(),
        finalizers: metadata.finalizers,
        data: if includes_fetched {
            fetched
        } else {
            SecretMap::new()
        },
    };
    for (at, written) in template.template_from.iter().enumerate() {
        let entry = Entry {
            written,
            at,
            engine: &engine,
            means,
        };
        rendered
            .take(&entry)
            .map_err(|error| error.within("error fetching templateFrom data"))?;
    }
    let values = [
        (Place::Data, &template.data),
        (Place::Labels, &metadata.labels),
        (Place::Annotations, &metadata.annotations),
    ];
    for (section, templates) in values {
        for (key, text) in templates {
            let place = section.template(key);
            let source = Source {
                name: key,
                text: text.as_bytes(),
                place: &place,
            };
            let value = engine.render(&source).map_err(|error| {
                error.within("could not execute template: could not execute template")
            })?;
            rendered
                .put(section, key, value)
                .map_err(|text| RenderError::of(&place, text))?;
        }
    }
    Ok(rendered)
}

/// Where results go.
#[derive(Clone, Copy)]
enum Place {
    Data,
    Labels,
    Annotations,
}

impl Place {
    /// Matched without case; nothing written means the data.
    fn of(target: Option<&str>) -> Self {
        match target.unwrap_or_default().to_ascii_lowercase().as_str() {
            "labels" => Self::Labels,
            "annotations" => Self::Annotations,
            _ => Self::Data,
        }
    }

    /// The template of a key.
    fn template(self, key: &str) -> TemplateText {
        let section = match self {
            Self::Data => "data",
            Self::Labels => "metadata.labels",
            Self::Annotations => "metadata.annotations",
        };
        TemplateText::Field(format!("spec.target.template.{section}.{key}"))
    }
}

impl Rendered {
    /// Takes what an entry of `templateFrom` renders to.
    fn take(&mut self, entry: &Entry<'_>) -> Result<(), RenderError> {
        let place = Place::of(entry.written.target.as_deref());
        entry.render(&mut |output| match output {
            Output::Value(key, value) => self.put(place, key, value),
            Output::Map(text) => {
                let mut pairs = entry.flat(&text)?.into_iter();
                pairs.try_for_each(|(key, value)| self.put(place, &key, value))
            }
        })
    }

    fn put(&mut self, place: Place, key: &str, value: Vec<u8>) -> Result<(), String> {
        let map = match place {
            Place::Data => {
                self.data.insert(key, SecretValue::new(value));
                return Ok(());
            }
            Place::Labels => &mut self.labels,
            Place::Annotations => &mut self.annotations,
        };
        let text = String::from_utf8(value)
            .map_err(|_| format!("the value rendered for {key} is not valid UTF-8"))?;
        map.insert(key.to_owned(), text);
        Ok(())
    }
}
