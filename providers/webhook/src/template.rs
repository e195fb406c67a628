//! The templates of a store and the data they see: `.remoteRef` and the store's Secrets by name.
//! Delimiters are always `{{` and `}}`, and a missing key prints as `<no value>`, as upstream has it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lockstep_provider_api::prelude::*;
use lockstep_template::{
    Env, Limits, Map, Options, Random, RandomError, Str, StrMap, Template, Value,
};

/// What errors call every template.
const NAME: &str = "webhooktemplate";

/// A template, parsed once. A parse error is kept for those who use it.
#[derive(Debug)]
pub(crate) struct Text {
    parsed: Result<Option<Template>, String>,
}

impl Text {
    /// Parses a template; an empty one renders nothing.
    pub(crate) fn new(source: &str) -> Self {
        let parsed = match source {
            "" => Ok(None),
            source => Template::parse(NAME, source, &Options::default())
                .map(Some)
                .map_err(|error| error.to_string()),
        };
        Self { parsed }
    }

    /// The bytes it renders.
    pub(crate) fn bytes(&self, data: &Data) -> Result<Vec<u8>> {
        let template = self.parsed.as_ref().map_err(Error::invalid_spec)?;
        let Some(template) = template else {
            return Ok(Vec::new());
        };
        let env = Env {
            now: data.now,
            random: &SystemRandom,
            limits: Limits::default(),
        };
        let rendered = template.execute(&data.value, &env);
        rendered.map_err(|error| Error::invalid_spec(error.to_string()))
    }

    /// The text it renders.
    pub(crate) fn text(&self, data: &Data) -> Result<String> {
        String::from_utf8(self.bytes(data)?)
            .map_err(|_| Error::invalid_spec("the template renders bytes that are not text"))
    }
}

/// What templates see.
#[derive(Debug)]
pub(crate) struct Data {
    value: Value,
    now: Timestamp,
}

/// The Secrets of a store by their name in templates.
#[derive(Debug, Default)]
pub(crate) struct Secrets(pub(crate) BTreeMap<String, SecretMap>);

impl Secrets {
    /// The data of one call; `reference` is what `.remoteRef` holds.
    pub(crate) fn with<'a>(
        &'a self,
        reference: impl IntoIterator<Item = (&'a str, &'a [u8])>,
        now: Timestamp,
    ) -> Data {
        let mut maps: BTreeMap<Str, StrMap> = BTreeMap::new();
        for (name, secret) in self.0.iter().filter(|(name, _)| *name != REFERENCE) {
            let entries = secret.iter().map(|(key, value)| (key, value.expose()));
            maps.insert(name.as_str().into(), entries.collect());
        }
        // A Secret of that name adds to the reference.
        let added = self.0.get(REFERENCE).into_iter().flat_map(SecretMap::iter);
        let added = added.map(|(key, value)| (key, value.expose()));
        let whole = reference.into_iter().chain(added).collect();
        maps.insert(REFERENCE.into(), whole);
        Data {
            value: Value::from(Map::string_maps(maps)),
            now,
        }
    }
}

const REFERENCE: &str = "remoteRef";

/// Random bytes of the operating system, for the functions that make keys and passwords.
struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&self, buffer: &mut [u8]) -> Result<(), RandomError> {
        getrandom::fill(buffer).map_err(|error| RandomError(error.to_string()))
    }
}
