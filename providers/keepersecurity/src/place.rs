//! Where a pushed value goes in a record: the field of a type that its name tells of, else a custom field.

use serde_json::Value;

/// Where a value goes in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place<'a> {
    /// The field of a type.
    Typed(&'static str),
    /// The custom field with a label.
    Custom(&'a str),
}

/// The place for the name of a field.
pub(crate) fn place(name: &str) -> Place<'_> {
    let lower = name.to_lowercase();
    if lower.contains("login") || lower.contains("username") {
        Place::Typed("login")
    } else if lower.contains("password") {
        Place::Typed("password")
    } else if lower.contains("url") {
        Place::Typed("url")
    } else {
        Place::Custom(name)
    }
}

/// The field at a place.
pub(crate) fn field_of<'a>(members: &'a mut Value, place: Place<'_>) -> Option<&'a mut Value> {
    let (list, member, wanted) = match place {
        Place::Typed(kind) => ("fields", "type", kind),
        Place::Custom(label) => ("custom", "label", label),
    };
    let fields = members.get_mut(list)?.as_array_mut()?;
    fields.iter_mut().find(|field| {
        field.is_object() && field.get(member).and_then(Value::as_str) == Some(wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_field_decides_where_it_goes() {
        for (name, place_of) in [
            ("USERNAME", Place::Typed("login")),
            ("login-password", Place::Typed("login")),
            ("dbPassword", Place::Typed("password")),
            ("BaseURL", Place::Typed("url")),
            ("token", Place::Custom("token")),
        ] {
            assert_eq!(place(name), place_of, "{name}");
        }
    }
}
