//! What a certificate gives. A value is made of trimmed parts that end with a line break each; members
//! of a map are as the service sent them.

use lockstep_provider_api::prelude::*;

use crate::error::no_property;
use crate::messages::Content;

const CHAIN: &str = "chain";
const PRIVATE_KEY: &str = "privateKey";
const BOTH: &str = "chainAndPrivateKey";

/// The value of a reference.
pub(crate) fn value(content: &Content, reference: &RemoteRef) -> Result<SecretValue> {
    let chain = || lines(content.certificate_chain.iter().map(String::as_str));
    let key = || lines([content.private_key.as_str()]);
    let text = match reference.wanted_property() {
        None | Some(BOTH) => lines([chain().as_str(), key().as_str()]),
        Some(CHAIN) => chain(),
        Some(PRIVATE_KEY) => key(),
        Some(other) => return Err(no_property(other)),
    };
    Ok(SecretValue::from(text))
}

/// Chain and key.
pub(crate) fn members(content: Content) -> SecretMap {
    let chain = content.certificate_chain.join("\n");
    let members = [(CHAIN, chain), (PRIVATE_KEY, content.private_key)];
    let members = members.map(|(name, text)| (name.to_owned(), SecretValue::from(text)));
    SecretMap::from_iter(members)
}

fn lines<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let lines = parts.into_iter().map(|part| format!("{}\n", part.trim()));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content() -> Content {
        Content {
            certificate_chain: vec!["\nleaf\n".to_owned(), " root".to_owned()],
            private_key: "key \n\n".to_owned(),
        }
    }

    fn property(property: &str) -> Result<SecretValue> {
        value(&content(), &RemoteRef::key("c").property(property))
    }

    #[test]
    fn each_property_is_trimmed_and_ends_with_a_line_break() {
        assert_eq!(property("chain").unwrap(), "leaf\nroot\n".into());
        assert_eq!(property("privateKey").unwrap(), "key\n".into());
        for both in ["", "chainAndPrivateKey"] {
            assert_eq!(property(both).unwrap(), "leaf\nroot\nkey\n".into());
        }
    }

    #[test]
    fn members_are_as_the_service_sent_them() {
        let members = members(content());

        assert_eq!(members.get("chain"), Some(&"\nleaf\n\n root".into()));
        assert_eq!(members.get("privateKey"), Some(&"key \n\n".into()));
    }

    #[test]
    fn another_property_is_refused_by_its_name() {
        let error = property("cert").unwrap_err();

        assert_eq!(error.to_string(), "unsupported property 'cert'");
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    }
}
