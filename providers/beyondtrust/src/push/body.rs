//! The body of a new secret: members in the order in which the vendor's client writes them, because the
//! form of a file shows it as text. What is empty is left out.

use lockstep_provider_api::prelude::*;
use serde::Serialize;

/// All members of all kinds and versions.
#[derive(Default, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Body {
    pub(super) title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) description: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) notes: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) urls: Vec<Url>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) username: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) password: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) text: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) owner_id: i64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) owner_type: String,
    pub(super) owners: Vec<Owner>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) file_name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) file_content: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) folder_id: String,
}

/// An owner, by owner id in version 3.0 and by group id later.
#[derive(Default, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Owner {
    #[serde(rename = "OwnerId", skip_serializing_if = "is_zero")]
    pub(super) id: i64,
    #[serde(rename = "Owner", skip_serializing_if = "String::is_empty")]
    pub(super) login: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) group_id: i64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) user_id: i64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) email: String,
}

/// An address that belongs to the secret.
#[derive(Default, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Url {
    pub(super) id: String,
    pub(super) credential_id: String,
    #[serde(rename = "Url", skip_serializing_if = "String::is_empty")]
    pub(super) address: String,
}

impl Body {
    /// The body as JSON, with the characters escaped that Go escapes for HTML.
    pub(super) fn to_json(&self) -> Result<Vec<u8>> {
        let text = serde_json::to_string(self);
        let text = text.map_err(|_| Error::invalid_data("the secret has no JSON form"))?;
        let text = text.replace('<', "\\u003c").replace('>', "\\u003e");
        Ok(text.replace('&', "\\u0026").into_bytes())
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands out a reference"
)]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stand_in_the_order_of_the_vendors_client() {
        let owner = Owner {
            group_id: 1,
            user_id: 7,
            ..Owner::default()
        };
        let body = Body {
            title: "<t>".to_owned(),
            owners: vec![owner],
            file_name: "f".to_owned(),
            ..Body::default()
        };

        let want =
            r#"{"Title":"\u003ct\u003e","Owners":[{"GroupId":1,"UserId":7}],"FileName":"f"}"#;
        assert_eq!(body.to_json().unwrap(), want.as_bytes());
    }
}
