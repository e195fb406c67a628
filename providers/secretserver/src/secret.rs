//! A secret with its fields as Secret Server gives it, and as upstream prints it: Go's field names in
//! Go's order. A field's value is bytes, because an attached file may be anything.

use std::collections::BTreeMap;

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::base64::{Encoding, decode, encode};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

macro_rules! go_struct {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$attr:meta])* $field:ident: $type:ty = $go:literal, $lower:literal;)+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Default, Serialize, Deserialize)]
        #[serde(default)]
        pub(crate) struct $name {
            $($(#[$attr])* #[serde(rename(serialize = $go, deserialize = $lower))]
            pub(crate) $field: $type,)+
        }
    };
}

go_struct! {
    /// Everything of a secret but its fields.
    Head {
        name: String = "Name", "name";
        folder: i64 = "FolderID", "folderid";
        id: i64 = "ID", "id";
        site: i64 = "SiteID", "siteid";
        template: i64 = "SecretTemplateID", "secrettemplateid";
        #[serde(skip_serializing_if = "is_zero")]
        policy: i64 = "SecretPolicyID", "secretpolicyid";
        #[serde(skip_serializing_if = "is_zero")]
        web_script: i64 = "PasswordTypeWebScriptID", "passwordtypewebscriptid";
        launcher: i64 = "LauncherConnectAsSecretID", "launcherconnectassecretid";
        check_out_minutes: i64 = "CheckOutIntervalMinutes", "checkoutintervalminutes";
        active: bool = "Active", "active";
        checked_out: bool = "CheckedOut", "checkedout";
        check_out: bool = "CheckOutEnabled", "checkoutenabled";
        auto_change: bool = "AutoChangeEnabled", "autochangeenabled";
        check_out_change: bool = "CheckOutChangePasswordEnabled", "checkoutchangepasswordenabled";
        delay_indexing: bool = "DelayIndexing", "delayindexing";
        inherit_permissions: bool = "EnableInheritPermissions", "enableinheritpermissions";
        inherit_policy: bool = "EnableInheritSecretPolicy", "enableinheritsecretpolicy";
        proxy: bool = "ProxyEnabled", "proxyenabled";
        comment: bool = "RequiresComment", "requirescomment";
        recording: bool = "SessionRecordingEnabled", "sessionrecordingenabled";
        incognito: bool = "WebLauncherRequiresIncognitoMode", "weblauncherrequiresincognitomode";
        items: Vec<Item> = "Items", "items";
    }
}

go_struct! {
    /// A field as it stands in JSON.
    Item {
        id: i64 = "ItemID", "itemid";
        field: i64 = "FieldID", "fieldid";
        attachment: i64 = "FileAttachmentID", "fileattachmentid";
        name: String = "FieldName", "fieldname";
        slug: String = "Slug", "slug";
        description: String = "FieldDescription", "fielddescription";
        file_name: String = "Filename", "filename";
        value: String = "ItemValue", "itemvalue";
        is_file: bool = "IsFile", "isfile";
        is_notes: bool = "IsNotes", "isnotes";
        is_password: bool = "IsPassword", "ispassword";
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands out a reference"
)]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// A secret, with the contents of attached files beside it.
#[derive(Clone, Default)]
pub(crate) struct Secret {
    pub(crate) head: Head,
    /// Contents by the position of their field.
    pub(crate) files: BTreeMap<usize, SecretValue>,
}

impl Secret {
    /// Reads an answer. Names are matched in any case, and `null` is what is not there, as in Go.
    pub(crate) fn parse(json: &[u8]) -> Result<Self> {
        let head = folded(json)?;
        Ok(Self {
            head,
            files: BTreeMap::new(),
        })
    }

    /// The value of a field.
    pub(crate) fn value(&self, position: usize) -> SecretValue {
        let text = || {
            self.head
                .items
                .get(position)
                .map(|item| item.value.as_str())
        };
        match self.files.get(&position) {
            Some(content) => content.clone(),
            None => SecretValue::from(text().unwrap_or_default()),
        }
    }

    /// The secret as upstream prints it.
    pub(crate) fn printed(&self) -> Result<SecretValue> {
        let mut head = self.head.clone();
        for (position, content) in &self.files {
            if let Some(item) = head.items.get_mut(*position) {
                item.value = String::from_utf8_lossy(content.expose()).into_owned();
            }
        }
        let text = serde_json::to_string(&head);
        let text = text.map_err(|_| Error::invalid_data("the secret has no JSON form"))?;
        Ok(SecretValue::from(escaped(&text)))
    }

    /// The secret as one value of which every part can be taken.
    pub(crate) fn packed(&self) -> Result<SecretValue> {
        let files = self.files.iter();
        let files: BTreeMap<usize, String> = files
            .map(|(at, content)| (*at, encode(Encoding::Standard, content.expose())))
            .collect();
        let packed = serde_json::to_string(&(&self.head, files));
        packed
            .map(SecretValue::from)
            .map_err(|_| Error::invalid_data("the secret has no JSON form"))
    }

    /// The secret out of [`Self::packed`].
    pub(crate) fn unpacked(packed: &SecretValue) -> Result<Self> {
        let broken = || Error::new(ErrorKind::Internal, "the shared read is no packed secret");
        let read = serde_json::from_slice(packed.expose());
        let (head, files): (Value, BTreeMap<usize, String>) = read.map_err(|_| broken())?;
        let head = serde_json::from_value(lowered(head)).map_err(|_| broken())?;
        let files = files.into_iter().map(|(at, text)| {
            let content = decode(Encoding::Standard, text.as_bytes()).map_err(|_| broken())?;
            Ok((at, SecretValue::new(content)))
        });
        Ok(Self {
            head,
            files: files.collect::<Result<_>>()?,
        })
    }
}

/// A document whose member names are matched in any case.
pub(crate) fn folded<T: serde::de::DeserializeOwned>(json: &[u8]) -> Result<T> {
    let refused = |error: &serde_json::Error| {
        let (line, column) = (error.line(), error.column());
        Error::invalid_data(format!(
            "the answer is not the JSON expected at line {line} column {column}"
        ))
    };
    let value: Value = serde_json::from_slice(json).map_err(|error| refused(&error))?;
    serde_json::from_value(lowered(value)).map_err(|error| refused(&error))
}

fn lowered(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.into_iter().filter(|(_, value)| !value.is_null());
            let named = kept.map(|(name, value)| (name.to_lowercase(), lowered(value)));
            Value::Object(named.collect::<Map<_, _>>())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(lowered).collect()),
        other => other,
    }
}

/// JSON with the characters that Go escapes for HTML; they stand in texts alone.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &[u8] =
        br#"{"id":7,"name":"<db>","folderId":5,"secretPolicyId":null,"active":true,
        "items":[{"itemId":1,"fieldName":"User","slug":"user","itemValue":"bob"}]}"#;

    #[test]
    fn a_secret_is_printed_with_gos_names_in_gos_order() {
        let printed = Secret::parse(ANSWER).unwrap().printed().unwrap();

        let text = printed.expose_utf8().unwrap();
        let want = r#"{"Name":"\u003cdb\u003e","FolderID":5,"ID":7,"SiteID":0,"SecretTemplateID":0,"LauncherConnectAsSecretID":0,"#;
        assert!(text.starts_with(want), "{text}");
        let want = r#""Items":[{"ItemID":1,"FieldID":0,"FileAttachmentID":0,"FieldName":"User","Slug":"user","FieldDescription":"","Filename":"","ItemValue":"bob","IsFile":false,"IsNotes":false,"IsPassword":false}]}"#;
        assert!(text.ends_with(want), "{text}");
    }

    #[test]
    fn a_file_keeps_its_bytes_through_a_shared_read() {
        let mut secret = Secret::parse(ANSWER).unwrap();
        secret.files.insert(0, SecretValue::new(vec![0, 255]));

        let again = Secret::unpacked(&secret.packed().unwrap()).unwrap();

        assert_eq!(again.value(0), SecretValue::new(vec![0, 255]));
        assert_eq!(again.head.folder, 5);
    }
}
