//! Compares what a secret should hold with what it holds, and composes what is written. Pure but for
//! the generator that makes values which the backend has none of. A difference names fields only.

use std::collections::BTreeMap;

use lockstep_provider_api::SecretValue;
use lockstep_provider_api::json::json_object;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::manifest::{ExtraFields, Generator};
use crate::sources::{Desired, Part, Wanted};

/// How a stored value differs from the desired one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Difference {
    /// Fields that are missing.
    pub(crate) added: Vec<String>,
    /// Fields with another value.
    pub(crate) changed: Vec<String>,
    /// Fields that should not be there.
    pub(crate) removed: Vec<String>,
    /// The value as a whole differs, or has no fields.
    pub(crate) whole: bool,
}

impl Difference {
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The difference between a desired secret and the present value. An error is a reason not to write.
pub(crate) fn difference(desired: &Desired, current: &SecretValue) -> Result<Difference, String> {
    let mut difference = Difference::default();
    let (fields, extra) = match &desired.content {
        Wanted::Whole(Part::Given(value)) => {
            difference.whole = value != current;
            return Ok(difference);
        }
        // What was made once stays.
        Wanted::Whole(Part::Made(_)) => return Ok(difference),
        Wanted::Fields { fields, extra } => (fields, *extra),
    };
    let Ok(present) = json_object(current) else {
        if extra == ExtraFields::Keep {
            return Err(
                "it holds no JSON object, so that its other fields cannot be kept; set extraFields: \
                 remove to replace it"
                    .to_owned(),
            );
        }
        difference.whole = true;
        return Ok(difference);
    };
    for (name, part) in fields {
        match (present.get(name), part) {
            (None, _) => difference.added.push(name.clone()),
            (Some(present), Part::Given(value)) if present != value => {
                difference.changed.push(name.clone());
            }
            (Some(_), _) => {}
        }
    }
    if extra == ExtraFields::Remove {
        let surplus = present.keys().filter(|name| !fields.contains_key(*name));
        difference.removed = surplus.map(str::to_owned).collect();
    }
    Ok(difference)
}

/// The value to write over the present one, or where there is none.
pub(crate) fn compose(
    desired: &Desired,
    current: Option<&SecretValue>,
    make: &dyn Fn(&Generator) -> Result<SecretValue, String>,
) -> Result<SecretValue, String> {
    let (fields, extra) = match &desired.content {
        Wanted::Whole(Part::Given(value)) => return Ok(value.clone()),
        Wanted::Whole(Part::Made(generator)) => {
            return current.cloned().map_or_else(|| make(generator), Ok);
        }
        Wanted::Fields { fields, extra } => (fields, *extra),
    };
    // Members that stay keep their spelling, be they numbers or objects.
    let mut members: BTreeMap<String, Box<RawValue>> = current
        .and_then(|current| serde_json::from_slice(current.expose()).ok())
        .unwrap_or_default();
    if extra == ExtraFields::Remove {
        members.retain(|name, _| fields.contains_key(name));
    }
    for (name, part) in fields {
        let value = match part {
            Part::Given(value) => value.clone(),
            Part::Made(_) if members.contains_key(name) => continue,
            Part::Made(generator) => make(generator)?,
        };
        let text = value.expose_utf8().map_err(|_| {
            format!("field {name} is not text; a field holds text, a whole value may be bytes")
        })?;
        let raw = to_raw_value(text).map_err(|_| format!("field {name} cannot be written"))?;
        members.insert(name.clone(), raw);
    }
    let json =
        serde_json::to_vec(&members).map_err(|_| "the fields cannot be written".to_owned())?;
    Ok(SecretValue::new(json))
}

/// Whether a value that is known already is no JSON object, which some backends cannot keep.
pub(crate) fn is_plain(desired: &Desired) -> bool {
    match &desired.content {
        Wanted::Whole(Part::Given(value)) => json_object(value).is_err(),
        Wanted::Whole(Part::Made(_)) => true,
        Wanted::Fields { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(extra: ExtraFields, parts: &[(&str, Option<&str>)]) -> Desired {
        let part = |value: Option<&str>| match value {
            Some(text) => Part::Given(text.into()),
            None => Part::Made(Generator {
                kind: "Password".to_owned(),
                spec: json!({}),
                key: None,
            }),
        };
        let fields = parts
            .iter()
            .map(|(name, value)| ((*name).to_owned(), part(*value)));
        Desired {
            name: "a".to_owned(),
            content: Wanted::Fields {
                fields: fields.collect(),
                extra,
            },
            metadata: None,
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "generators of manifests may fail")]
    fn made(_: &Generator) -> Result<SecretValue, String> {
        Ok("made".into())
    }

    fn composed(desired: &Desired, current: Option<&str>) -> String {
        let current = current.map(SecretValue::from);
        let value = compose(desired, current.as_ref(), &made).unwrap();
        value.expose_utf8().unwrap().to_owned()
    }

    #[test]
    fn fields_that_are_not_named_stay_with_their_spelling() {
        let desired = fields(ExtraFields::Keep, &[("user", Some("u"))]);
        let current = r#"{"port":1e2,"big":12345678901234567890123,"user":"x"}"#;

        let difference = difference(&desired, &current.into()).unwrap();

        assert_eq!(difference.changed, ["user"]);
        assert_eq!(
            composed(&desired, Some(current)),
            r#"{"big":12345678901234567890123,"port":1e2,"user":"u"}"#
        );
    }

    #[test]
    fn fields_that_are_not_named_go_where_the_manifest_says_so() {
        let desired = fields(ExtraFields::Remove, &[("user", Some("u"))]);
        let current = r#"{"old":"1","user":"u"}"#;

        let difference = difference(&desired, &current.into()).unwrap();

        assert_eq!(difference.removed, ["old"]);
        assert_eq!(composed(&desired, Some(current)), r#"{"user":"u"}"#);
    }

    #[test]
    fn a_generated_field_is_made_once_and_then_kept() {
        let desired = fields(
            ExtraFields::Keep,
            &[("password", None), ("user", Some("u"))],
        );

        let first = composed(&desired, None);
        let kept = r#"{"password":"old","user":"u"}"#;

        assert_eq!(first, r#"{"password":"made","user":"u"}"#);
        assert!(difference(&desired, &kept.into()).unwrap().is_none());
        assert_eq!(composed(&desired, Some(kept)), kept);
    }

    #[test]
    fn a_number_that_reads_the_same_is_no_difference() {
        let desired = fields(ExtraFields::Keep, &[("port", Some("5432"))]);

        assert!(
            difference(&desired, &r#"{"port":5432}"#.into())
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn a_value_without_fields_is_replaced_only_where_nothing_must_be_kept() {
        let keep = fields(ExtraFields::Keep, &[("a", Some("1"))]);
        let remove = fields(ExtraFields::Remove, &[("a", Some("1"))]);

        let refused = difference(&keep, &"canary-text".into()).unwrap_err();

        assert!(refused.contains("no JSON object") && !refused.contains("canary"));
        assert!(difference(&remove, &"text".into()).unwrap().whole);
    }

    #[test]
    fn a_field_that_is_not_text_is_refused_by_its_name() {
        let mut desired = fields(ExtraFields::Remove, &[("a", Some("1"))]);
        if let Wanted::Fields { fields, .. } = &mut desired.content {
            fields.insert("b".to_owned(), Part::Given(vec![0xff, 0xfe].into()));
        }

        let refused = compose(&desired, None, &made).unwrap_err();

        assert!(refused.starts_with("field b is not text"), "{refused}");
    }
}
