//! Bodies of each kind and version, and the texts of what is missing.

use serde_json::json;

use super::*;

fn made(metadata: Value, value: &str, version: &str) -> Result<(String, Value)> {
    let user = User {
        id: 7,
        email: Some("e@x".to_owned()),
        login: Some("eso".to_owned()),
        name: Some("ESO".to_owned()),
    };
    let value = SecretValue::from(value);
    let metadata = metadata.as_object().unwrap();
    let details = Details::new(metadata, &value, &user, version)?;
    let (kind, _, _) = details.request()?;
    let body = serde_json::to_value(&details.body).unwrap();
    Ok((kind.to_owned(), body))
}

fn refusal(metadata: Value, value: &str, version: &str) -> String {
    made(metadata, value, version).unwrap_err().to_string()
}

#[test]
fn a_credential_of_version_3_0_has_owners_by_owner_id() {
    let metadata = json!({
        "title": "t", "username": "u", "owner_id": 1, "owner_type": "User",
        "owners": [{"owner_id": 9, "owner": "o", "email": "o@x"}],
        "urls": [{"id": "no uuid", "url": "https://x"}],
    });

    let (kind, body) = made(metadata, "v1", "3.0").unwrap();

    let want = json!({
        "Title": "t", "Username": "u", "Password": "v1", "OwnerId": 1, "OwnerType": "User",
        "Owners": [{"OwnerId": 7, "Owner": "eso", "Email": "e@x"}, {"OwnerId": 9, "Owner": "o", "Email": "o@x"}],
        "Urls": [{"Id": NO_ID, "CredentialId": NO_ID, "Url": "https://x"}],
    });
    assert_eq!((kind.as_str(), body), ("secrets", want));
}

#[test]
fn later_versions_have_owners_by_group_id() {
    let metadata = json!({"title": "t", "secret_type": "text", "group_id": 3.5});

    let (kind, body) = made(metadata, "v1", "3.2").unwrap();

    let owners = json!([{"GroupId": 3, "UserId": 7, "Name": "ESO", "Email": "e@x"}]);
    let want = json!({"Title": "t", "Text": "v1", "Owners": owners, "FolderId": NO_ID});
    assert_eq!((kind.as_str(), body), ("secrets/text", want));
}

#[test]
fn a_file_is_sent_as_a_form() {
    let metadata =
        json!({"title": "t", "secret_type": "FILE", "file_name": "f.txt", "group_id": 3});

    let (kind, body) = made(metadata, "v1", "3.1").unwrap();

    assert_eq!(kind, "secrets/file");
    assert_eq!(body["FileName"], "f.txt");
    assert_eq!(body["FileContent"], "v1");
}

#[test]
fn what_is_missing_is_named_in_the_order_of_the_vendors_client() {
    let full = json!({"title": "t", "username": "u", "owner_type": "User"});
    let with = |name: &str, value: Value| {
        let mut changed = full.clone();
        changed[name] = value;
        changed
    };

    assert_eq!(
        refusal(json!({}), "v", "3.0"),
        "The field 'Title' is required."
    );
    assert_eq!(refusal(json!({}), "v", ""), "unsupported API version: ");
    assert_eq!(
        refusal(with("username", json!(1)), "v", "3.0"),
        "The field 'Username' is required."
    );
    assert_eq!(
        refusal(with("owner_type", json!("")), "v", "3.0"),
        "The field 'OwnerType' is required."
    );
    assert_eq!(
        refusal(with("secret_type", json!("KEY")), "v", "3.0"),
        "Unknown secret type"
    );
    assert_eq!(
        refusal(with("owner_type", json!("Group")), "v", "3.0"),
        "Field 'OwnerId' is mandatory when OwnerType Group"
    );
    assert_eq!(
        refusal(full.clone(), &"x".repeat(257), "3.1"),
        "Max length '256' for 'Password' field."
    );
    assert_eq!(
        refusal(full, "", "3.1"),
        "The field 'Password' is required when the field 'PasswordRuleID' is not provided."
    );
}
