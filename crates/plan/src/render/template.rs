//! One `target.template`, in upstream's order: fetched data where it is kept, then every source of
//! `templateFrom`, then `data`, labels and annotations; later results replace earlier ones.

use lockstep_api::external_secret::{
    DecodingStrategy, Template, TemplateAs, TemplateFrom, TemplateMergePolicy, TemplateRef,
};
use lockstep_provider::{SecretMap, SecretValue};

use super::engine::Engine;
use super::{Means, Rendered};
use crate::decode;
use crate::external_secret::{SourceKey, SourceKind};

/// Renders a template.
pub(super) fn apply(
    template: &Template,
    fetched: SecretMap,
    means: Means<'_>,
) -> Result<Rendered, String> {
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
    for (at, entry) in template.template_from.iter().enumerate() {
        let source = TemplateSource {
            entry,
            at,
            engine: &engine,
            means,
        };
        source
            .apply(&mut rendered)
            .map_err(|text| format!("error fetching templateFrom data: {text}"))?;
    }
    let values = [
        (Place::Data, &template.data),
        (Place::Labels, &metadata.labels),
        (Place::Annotations, &metadata.annotations),
    ];
    for (place, templates) in values {
        for (key, text) in templates {
            let value = engine.render(key, text.as_bytes()).map_err(|error| {
                format!("could not execute template: could not execute template: {error}")
            })?;
            rendered.put(place, key, value)?;
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
}

impl Rendered {
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

/// One entry of `templateFrom`.
struct TemplateSource<'a> {
    entry: &'a TemplateFrom,
    at: usize,
    engine: &'a Engine<'a>,
    means: Means<'a>,
}

impl TemplateSource<'_> {
    fn apply(&self, rendered: &mut Rendered) -> Result<(), String> {
        if let Some(reference) = &self.entry.config_map {
            self.apply_object(SourceKind::ConfigMap, reference, rendered)?;
        }
        if let Some(reference) = &self.entry.secret {
            self.apply_object(SourceKind::Secret, reference, rendered)?;
        }
        if let Some(literal) = &self.entry.literal {
            let name = format!("templateFrom[{}].literal", self.at);
            self.apply_map(&name, literal.as_bytes(), rendered)?;
        }
        Ok(())
    }

    fn apply_object(
        &self,
        kind: SourceKind,
        reference: &TemplateRef,
        rendered: &mut Rendered,
    ) -> Result<(), String> {
        let word = match kind {
            SourceKind::ConfigMap => "configmap",
            SourceKind::Secret => "secret",
        };
        let name = &reference.name;
        let key = SourceKey {
            kind,
            name: name.clone(),
        };
        let held = match self.means.sources.get(&key) {
            Some(read) => read.as_ref().map_err(Clone::clone)?,
            None => return Err(format!("{word}s {name:?} not found")),
        };
        for item in &reference.items {
            let source = held
                .get(&item.key)
                .ok_or_else(|| format!("error in {word} {name}: missing key {}", item.key))?;
            match item.template_as() {
                TemplateAs::Values => {
                    let value = self.engine.render(&item.key, source.expose())?;
                    let value = self.decode(value)?;
                    rendered.put(self.place(), &item.key, value)?;
                }
                TemplateAs::KeysAndValues => {
                    let title = format!("{word} {name}/{}", item.key);
                    self.apply_map(&title, source.expose(), rendered)?;
                }
                TemplateAs::Unknown(scope) => {
                    return Err(format!(
                        "unknown scope '{scope}': expected 'Values' or 'KeysAndValues'"
                    ));
                }
            }
        }
        Ok(())
    }

    /// A template whose result is a YAML map.
    fn apply_map(&self, name: &str, source: &[u8], rendered: &mut Rendered) -> Result<(), String> {
        let text = self.engine.render(name, source)?;
        let pairs = super::yaml::string_map(&text).map_err(|error| {
            format!("could not unmarshal template to 'map[string][]byte': {error}")
        })?;
        for (key, value) in pairs {
            rendered.put(self.place(), &key, self.decode(value)?)?;
        }
        Ok(())
    }

    fn place(&self) -> Place {
        Place::of(self.entry.target.as_deref())
    }

    fn decode(&self, value: Vec<u8>) -> Result<Vec<u8>, String> {
        let strategy = self.entry.values_decoding_strategy.as_ref();
        match strategy.unwrap_or(&DecodingStrategy::None) {
            DecodingStrategy::None => Ok(value),
            strategy => {
                let decoded = decode::apply(&SecretValue::new(value), strategy)?;
                Ok(decoded.expose().to_vec())
            }
        }
    }
}
