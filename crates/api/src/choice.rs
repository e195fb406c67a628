//! Enumerations of the API, open at the end: a word outside the list is kept as it was read.
//!
//! A newer schema may allow words this build does not know. Such an object must neither stop the
//! watch it arrives on nor lose the word when it is written back; the one who uses the value
//! decides what an unknown word means.

use std::{fmt, marker::PhantomData};

use serde::de::{Deserializer, Error, Visitor};

/// Reads a text without keeping an intermediate `String`.
pub(crate) fn deserialize<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: for<'a> From<&'a str>,
{
    struct Text<T>(PhantomData<T>);

    impl<T: for<'a> From<&'a str>> Visitor<'_> for Text<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            Ok(T::from(text))
        }
    }

    deserializer.deserialize_str(Text(PhantomData))
}

/// Declares an enumeration with the spelling of each word and a last variant for unknown words.
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)+
            /// A word this build does not know, kept as it was read.
            Unknown(Box<str>),
        }

        impl $name {
            /// The words the schema allows, in the order of the schema.
            pub const WORDS: &'static [&'static str] = &[$($text),+];

            /// The word as it is written in a manifest.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Unknown(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)+
                    other => Self::Unknown(other.into()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::choice::deserialize(deserializer)
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": Self::WORDS })
            }
        }
    };
}

pub(crate) use choice;

#[cfg(test)]
mod tests {
    use crate::external_secret::DecodingStrategy;

    #[test]
    fn known_words_become_variants() {
        let strategy: DecodingStrategy = serde_json::from_str(r#""Base64URL""#).unwrap();

        assert_eq!(strategy, DecodingStrategy::Base64Url);
    }

    #[test]
    fn unknown_words_survive_a_round_trip() {
        let strategy: DecodingStrategy = serde_json::from_str(r#""Base32""#).unwrap();

        assert_eq!(strategy, DecodingStrategy::Unknown("Base32".into()));
        assert_eq!(serde_json::to_string(&strategy).unwrap(), r#""Base32""#);
    }

    #[test]
    fn other_json_types_are_refused() {
        assert!(serde_json::from_str::<DecodingStrategy>("1").is_err());
    }
}
