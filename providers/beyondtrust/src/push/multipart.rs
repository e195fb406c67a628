//! The form that a file is sent in. The boundary is a hash of the content, so that it does not occur in it.

use std::fmt::Write as _;

use lockstep_provider_api::token_cache::Fingerprint;

/// Content type and body of a form with metadata and a file.
pub(super) fn form(metadata: &[u8], file_name: &str, content: &[u8]) -> (String, Vec<u8>) {
    let hash = Fingerprint::of([b"boundary".as_slice(), metadata, content]).to_bytes();
    let mut boundary = String::new();
    for byte in &hash[..20] {
        let _ = write!(boundary, "{byte:02x}");
    }
    let head =
        format!("--{boundary}\r\nContent-Disposition: form-data; name=\"secretmetadata\"\r\n\r\n");
    let file = format!(
        "\r\n--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n",
        quoted(file_name)
    );
    let end = format!("\r\n--{boundary}--\r\n");
    let parts = [
        head.as_bytes(),
        metadata,
        file.as_bytes(),
        content,
        end.as_bytes(),
    ];
    let body = parts.concat();
    (format!("multipart/form-data; boundary={boundary}"), body)
}

/// A file name cannot end its quotes or its line.
fn quoted(name: &str) -> String {
    let name = name.replace(['\r', '\n'], " ");
    name.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_stand_between_boundaries() {
        let (content_type, body) = form(b"{}", "a\"b\r\n.txt", b"\x00\xff");
        let boundary = content_type.rsplit('=').next().unwrap();
        let text = String::from_utf8_lossy(&body);

        let parts: Vec<&str> = text.split(&format!("--{boundary}")).collect();

        assert_eq!(parts.len(), 4);
        assert!(parts[1].ends_with("name=\"secretmetadata\"\r\n\r\n{}\r\n"));
        assert!(parts[2].contains("filename=\"a\\\"b  .txt\""));
        assert!(body.windows(2).any(|pair| pair == b"\x00\xff"));
        assert_eq!(parts[3], "--\r\n");
    }
}
