//! Files that are attached to fields: each is uploaded as a form of its own after its secret, or removed
//! where nothing is left of it.

use lockstep_provider_api::http::{Method, encode_component};
use lockstep_provider_api::prelude::*;
use serde_json::json;

use crate::api::Api;

const BOUNDARY: &str = "lockstep-3f7a1c0de5b94a62";

/// Uploads a file, or removes it where its content is empty.
pub(crate) async fn attach(
    api: &Api,
    id: i64,
    slug: &str,
    name: &str,
    content: &SecretValue,
) -> Result<()> {
    if content.is_empty() {
        let change =
            json!({"Data": {"SecretFields": [{"Slug": slug, "Dirty": true, "Value": null}]}});
        let body = ("application/json", change.to_string().into_bytes());
        let path = format!("{id}/general");
        return api.change("RemoveFile", (Method::PATCH, &path), body).await;
    }
    let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
    let head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n",
        file_name(name)
    );
    let tail = format!("\r\n--{BOUNDARY}--\r\n");
    let body = [head.as_bytes(), content.expose(), tail.as_bytes()].concat();
    let path = format!("{id}/fields/{}", encode_component(slug));
    let body = (content_type.as_str(), body);
    api.change("UploadFile", (Method::PUT, &path), body).await
}

/// A file's name with an extension, without what would end the header.
fn file_name(name: &str) -> String {
    let plain: String = name
        .chars()
        .filter(|c| !c.is_control() && *c != '"' && *c != '\\')
        .collect();
    let extended = plain
        .rsplit_once('.')
        .is_some_and(|(stem, ending)| !stem.is_empty() && is_word(ending));
    match plain.as_str() {
        "" => "File.txt".to_owned(),
        _ if extended => plain,
        _ => format!("{plain}.txt"),
    }
}

fn is_word(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.is_empty() && text.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gets_an_extension_and_cannot_end_its_header() {
        assert_eq!(file_name(""), "File.txt");
        assert_eq!(file_name("key"), "key.txt");
        assert_eq!(file_name("key.pem"), "key.pem");
        assert_eq!(file_name("a\"\r\nx: y"), "ax: y.txt");
    }
}
