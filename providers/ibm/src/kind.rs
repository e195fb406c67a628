//! Types of secrets: which fields of a secret its value and its members are, and under which names.

/// A type of secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Arbitrary,
    UsernamePassword,
    IamCredentials,
    ServiceCredentials,
    ImportedCert,
    PublicCert,
    PrivateCert,
    Kv,
    CustomCredentials,
}

/// What a read without a map gives.
pub(crate) enum Value {
    /// One field, whatever the property.
    Field(&'static str),
    /// One field as JSON, whatever the property.
    Json(&'static str),
    /// The field that the property names.
    Named,
    /// What is at the property inside of a field, or all of it.
    Inside(&'static str),
}

/// A field in a map of a secret.
pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) field: &'static str,
    /// Whether a secret without the field gives an empty member.
    pub(crate) may_lack: bool,
}

impl Kind {
    const ALL: [Self; 9] = [
        Self::Arbitrary,
        Self::UsernamePassword,
        Self::IamCredentials,
        Self::ServiceCredentials,
        Self::ImportedCert,
        Self::PublicCert,
        Self::PrivateCert,
        Self::Kv,
        Self::CustomCredentials,
    ];

    /// The type of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The backend's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Arbitrary => "arbitrary",
            Self::UsernamePassword => "username_password",
            Self::IamCredentials => "iam_credentials",
            Self::ServiceCredentials => "service_credentials",
            Self::ImportedCert => "imported_cert",
            Self::PublicCert => "public_cert",
            Self::PrivateCert => "private_cert",
            Self::Kv => "kv",
            Self::CustomCredentials => "custom_credentials",
        }
    }

    /// What its value is.
    pub(crate) const fn value(self) -> Value {
        match self {
            Self::Arbitrary => Value::Field("payload"),
            Self::IamCredentials => Value::Field("api_key"),
            Self::ServiceCredentials => Value::Json("credentials"),
            Self::Kv => Value::Inside("data"),
            Self::CustomCredentials => Value::Inside("credentials_content"),
            _ => Value::Named,
        }
    }

    /// The members of its map; `None` where they are those of its value.
    pub(crate) fn members(self) -> Option<Vec<Member>> {
        let own = |field| member(field, field);
        let certificate = || vec![own("certificate")];
        Some(match self {
            Self::Arbitrary => vec![member("arbitrary", "payload")],
            Self::UsernamePassword => vec![own("username"), own("password")],
            Self::IamCredentials => vec![member("apikey", "api_key")],
            Self::ServiceCredentials => vec![own("credentials")],
            Self::ImportedCert => {
                let mut all = certificate();
                for field in LACKING {
                    all.push(Member {
                        may_lack: true,
                        ..own(field)
                    });
                }
                all
            }
            Self::PublicCert => vec![own("certificate"), own("intermediate"), own("private_key")],
            Self::PrivateCert => vec![own("certificate"), own("private_key")],
            Self::Kv | Self::CustomCredentials => return None,
        })
    }

    /// Whether a secret of this type without the field gives an empty value, so that a Secret of type
    /// `kubernetes.io/tls` has all its keys.
    pub(crate) fn may_lack(self, field: &str) -> bool {
        self == Self::ImportedCert && LACKING.contains(&field)
    }

    /// Fields that are shown among the metadata even where a secret has none, beside those of every type.
    pub(crate) const fn always_shown(self) -> &'static [&'static str] {
        match self {
            Self::Arbitrary | Self::ImportedCert | Self::Kv => &[],
            Self::UsernamePassword => &["rotation"],
            Self::IamCredentials => &["reuse_api_key", "ttl"],
            Self::ServiceCredentials => &["source_service"],
            Self::PublicCert => &["key_algorithm", "rotation"],
            Self::PrivateCert => &[
                "certificate_template",
                "common_name",
                "issuer",
                "serial_number",
                "signing_algorithm",
                "validity",
            ],
            Self::CustomCredentials => &["configuration"],
        }
    }
}

const LACKING: [&str; 2] = ["intermediate", "private_key"];

fn member(name: &'static str, field: &'static str) -> Member {
    Member {
        name,
        field,
        may_lack: false,
    }
}
