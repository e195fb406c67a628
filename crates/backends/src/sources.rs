//! Values from files, the environment and generators. All that can be read is read before anything is
//! written, and all faults are reported together. Texts name sources, never what they hold.

use std::collections::BTreeMap;

use lockstep_generators::SystemRandom;
use lockstep_provider_api::metadata::{API_VERSION, KIND};
use lockstep_provider_api::{PushItem, PushTarget, SecretMap, SecretValue};
use serde_json::{Value, json};

use crate::manifest::{Content, Entry, ExtraFields, Generator, Source};

/// Key of the value inside of a push.
const VALUE: &str = "value";

/// A desired secret whose values are at hand.
#[derive(Clone, Debug)]
pub(crate) struct Desired {
    pub(crate) name: String,
    pub(crate) content: Wanted,
    /// `metadata.spec` of a push.
    pub(crate) metadata: Option<Value>,
}

/// What a secret should hold.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    Whole(Part),
    Fields {
        fields: BTreeMap<String, Part>,
        extra: ExtraFields,
    },
}

/// One value.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// It is known.
    Given(SecretValue),
    /// It is made where the backend has none.
    Made(Generator),
}

impl Desired {
    /// Whether what is stored now decides what will be stored.
    pub(crate) fn needs_current(&self) -> bool {
        let is_made = |part: &Part| matches!(part, Part::Made(_));
        match &self.content {
            Wanted::Whole(part) => is_made(part),
            Wanted::Fields { fields, extra } => {
                *extra == ExtraFields::Keep || fields.values().any(is_made)
            }
        }
    }
}

impl Desired {
    /// The push that writes this value, or its tags alone.
    pub(crate) fn push(&self, value: SecretValue) -> PushItem {
        let source = SecretMap::from_iter([(VALUE.to_owned(), value)]);
        let metadata = self
            .metadata
            .as_ref()
            .map(|spec| json!({ "apiVersion": API_VERSION, "kind": KIND, "spec": spec }));
        PushItem {
            secret_key: Some(VALUE.to_owned()),
            metadata,
            ..PushItem::whole(PushTarget::key(&*self.name), source)
        }
    }
}

/// Takes the values of entries out of their sources.
pub(crate) fn resolve(
    entries: Vec<Entry>,
    variable: &dyn Fn(&str) -> Option<SecretValue>,
) -> Result<Vec<Desired>, Vec<String>> {
    let mut faults = Vec::new();
    let mut resolved = Vec::new();
    for entry in entries {
        let Entry {
            name,
            content,
            metadata,
            ..
        } = entry;
        let mut take = |source: Source, place: &str| match part(source, variable) {
            Ok(part) => Some(part),
            Err(text) => {
                faults.push(format!("{place}: {text}"));
                None
            }
        };
        let content = match content {
            Content::Whole(source) => take(source, &name).map(Wanted::Whole),
            Content::Fields { fields, extra } => {
                let fields = fields.into_iter().filter_map(|field| {
                    let place = format!("{name}, field {}", field.name);
                    Some((field.name, take(field.source, &place)?))
                });
                let fields = fields.collect();
                Some(Wanted::Fields { fields, extra })
            }
        };
        if let Some(content) = content {
            resolved.push(Desired {
                name,
                content,
                metadata,
            });
        }
    }
    if faults.is_empty() {
        Ok(resolved)
    } else {
        Err(faults)
    }
}

fn part(source: Source, variable: &dyn Fn(&str) -> Option<SecretValue>) -> Result<Part, String> {
    match source {
        Source::File { path, trim } => {
            let bytes = std::fs::read(&path)
                .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
            let value = SecretValue::new(bytes);
            if trim {
                return Ok(Part::Given(value.without_final_newline().into()));
            }
            Ok(Part::Given(value))
        }
        Source::Env(name) => variable(&name)
            .map(Part::Given)
            .ok_or_else(|| format!("the variable {name} is not set")),
        Source::Generator(generator) => {
            // A wrong spec must fail before anything is written; what is made here is dropped.
            make(&generator)?;
            Ok(Part::Made(generator))
        }
    }
}

/// Makes a new value.
pub(crate) fn make(generator: &Generator) -> Result<SecretValue, String> {
    let Generator { kind, spec, key } = generator;
    let made = lockstep_generators::generate_locally(kind, spec, &mut SystemRandom);
    let mut made = made.map_err(|error| error.to_string())?;
    let keys: Vec<String> = made.keys().map(str::to_owned).collect();
    let key = match (key, keys.as_slice()) {
        (Some(key), _) => key,
        (None, [only]) => only,
        (None, _) => {
            return Err(format!(
                "generator {kind} makes several values; set key to one of {}",
                keys.join(", ")
            ));
        }
    };
    made.remove(key).ok_or_else(|| {
        let there = keys.join(", ");
        format!("generator {kind} makes no value {key:?}; it makes {there}")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn generator(kind: &str, spec: Value, key: Option<&str>) -> Generator {
        Generator {
            kind: kind.to_owned(),
            spec,
            key: key.map(str::to_owned),
        }
    }

    #[test]
    fn a_generator_of_one_value_needs_no_key() {
        let one = make(&generator("Password", json!({ "length": 20 }), None)).unwrap();
        let several = make(&generator("SSHKey", json!({}), None)).unwrap_err();
        let wrong = make(&generator("Password", json!({}), Some("x"))).unwrap_err();

        assert_eq!(one.len(), 20);
        assert!(several.contains("privateKey, publicKey"), "{several}");
        assert!(wrong.contains("makes no value \"x\""), "{wrong}");
    }

    #[test]
    fn every_missing_source_is_told_before_anything_is_written() {
        let entry = |name: &str, source| Entry {
            name: name.to_owned(),
            description: None,
            content: Content::Whole(source),
            metadata: None,
        };
        let file = Source::File {
            path: "/nowhere/at/all".into(),
            trim: false,
        };
        let entries = vec![
            entry("a", file),
            entry("b", Source::Env("NOT_SET".to_owned())),
            entry("c", Source::Generator(generator("Nope", json!({}), None))),
        ];

        let faults = resolve(entries, &|_| None).unwrap_err();

        assert_eq!(faults.len(), 3);
        assert_eq!(faults[1], "b: the variable NOT_SET is not set");
    }
}
