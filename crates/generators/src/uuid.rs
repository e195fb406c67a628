//! `UUID`: a random identifier, version 4.

use lockstep_provider_api::{LocalGenerator, Random, Result, SecretMap, SecretValue};
use serde::Deserialize;
use uuid::Builder;

/// `spec` of a UUID: it has no fields.
#[derive(Deserialize)]
pub(crate) struct Spec {}

pub(crate) struct Uuid;

impl LocalGenerator for Uuid {
    const KIND: &'static str = "UUID";
    type Spec = Spec;

    fn generate(_: Spec, random: &mut dyn Random) -> Result<SecretMap> {
        let uuid = SecretValue::from(text(random));
        Ok(SecretMap::from_iter([("uuid".to_owned(), uuid)]))
    }
}

/// A random UUID of version 4 as text.
pub(crate) fn text(random: &mut dyn Random) -> String {
    let mut bytes = [0; 16];
    random.fill(&mut bytes);
    Builder::from_random_bytes(bytes).into_uuid().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Counting;

    #[test]
    fn it_is_a_version_four_uuid() {
        let text = text(&mut Counting::default());

        let parts: Vec<&str> = text.split('-').collect();
        assert_eq!(
            parts.iter().map(|part| part.len()).collect::<Vec<_>>(),
            [8, 4, 4, 4, 12]
        );
        assert!(parts[2].starts_with('4'));
        assert!(parts[3].starts_with(['8', '9', 'a', 'b']));
    }
}
