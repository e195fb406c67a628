//! Which members of an answer become values: those of `data`, those of `auth`, or the parts of the
//! whole answer, each with the members that the vendor's client knows. Pure.

use jiff::Timestamp;
use lockstep_provider_api::json::{Number, Value, to_secret};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use crate::api::{Members, member, number};

/// Members of an answer, with what stands for one that is not there.
const ANSWER: &[(&str, Absent)] = &[
    ("request_id", Absent::Text),
    ("lease_id", Absent::Text),
    ("lease_duration", Absent::Zero),
    ("renewable", Absent::No),
    ("data", Absent::Null),
    ("warnings", Absent::Null),
    ("auth", Absent::Out),
    ("wrap_info", Absent::Out),
    ("mount_type", Absent::Text),
];

/// Members of `auth`.
const AUTH: &[(&str, Absent)] = &[
    ("client_token", Absent::Text),
    ("accessor", Absent::Text),
    ("policies", Absent::Null),
    ("token_policies", Absent::Null),
    ("identity_policies", Absent::Null),
    ("metadata", Absent::Null),
    ("orphan", Absent::No),
    ("entity_id", Absent::Text),
    ("lease_duration", Absent::Zero),
    ("renewable", Absent::No),
    ("mfa_requirement", Absent::Null),
];

/// What stands for a member that an answer does not have.
#[derive(Clone, Copy)]
enum Absent {
    Text,
    Zero,
    No,
    Null,
    /// Nothing: the member is left out.
    Out,
}

/// Which part of the answer is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) enum ResultType {
    #[default]
    Data,
    Auth,
    Raw,
}

impl ResultType {
    /// The values; `None` where the answer has no such part.
    pub(super) fn values(self, answer: &Value) -> Option<SecretMap> {
        let members = match self {
            Self::Data => member(answer, "data")?.as_object()?.clone(),
            Self::Auth => known(member(answer, "auth")?, AUTH),
            Self::Raw => {
                let mut members = known(answer, ANSWER);
                if let Some(auth) = members.get_mut("auth") {
                    *auth = Value::Object(known(auth, AUTH));
                }
                members
            }
        };
        let values = members.into_iter();
        Some(
            values
                .map(|(key, value)| (key, to_secret(&value)))
                .collect(),
        )
    }

    /// Says that the part is not there.
    pub(super) fn missing(self, path: &str) -> String {
        let part = if self == Self::Auth { "auth" } else { "data" };
        format!("the answer of {path} has no {part}; set resultType or allowEmptyResponse")
    }
}

fn known(value: &Value, names: &[(&str, Absent)]) -> Members {
    let all = names.iter().filter_map(|(name, absent)| {
        let value = match (member(value, name), absent) {
            (Some(value), _) => value.clone(),
            (None, Absent::Text) => Value::String(String::new()),
            (None, Absent::Zero) => Value::Number(Number::Text("0".to_owned())),
            (None, Absent::No) => Value::Bool(false),
            (None, Absent::Null) => Value::Null,
            (None, Absent::Out) => return None,
        };
        Some(((*name).to_owned(), value))
    });
    all.collect()
}

/// When a certificate ends that was issued without a lease.
pub(super) fn certificate_end(answer: &Value) -> Option<Timestamp> {
    let data = member(answer, "data")?;
    member(data, "certificate")?;
    let seconds = member(data, "expiration").map(number)?;
    let seconds = i64::try_from(seconds).ok().filter(|seconds| *seconds > 0)?;
    Timestamp::from_second(seconds).ok()
}
