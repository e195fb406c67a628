//! Takes what differs from try to try out of a message: ids of requests. Everything else stays, so
//! the message still says what the backend said, and which entry or vault it means.

use std::borrow::Cow;

const PLACEHOLDER: &str = "<id>";
/// Words before a UUID that say that it is of one try.
const TRIES: [&str; 7] = [
    "request",
    "trace",
    "correlation",
    "activity",
    "operation",
    "transaction",
    "invocation",
];

/// The text without request ids: UUIDs that are called so, and the value behind `RequestID:` or
/// `request id:`.
pub fn stable(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept = 0;
    let mut at = 0;
    while at < text.len() {
        if let Some(length) = uuid_length(&text[at..]).filter(|_| is_of_a_try(&text[..at])) {
            out.push_str(&text[kept..at]);
            out.push_str(PLACEHOLDER);
            at += length;
            kept = at;
        } else if let Some((label, length)) = labelled_id(&text[at..]) {
            out.push_str(&text[kept..at + label]);
            out.push_str(PLACEHOLDER);
            at += label + length;
            kept = at;
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

/// Whether what stands before a UUID ends in a label such as `"requestId":"` or `Trace ID: `.
fn is_of_a_try(before: &str) -> bool {
    let signs =
        |c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | ':' | '=' | '(' | '[');
    let label = before.trim_end_matches(signs);
    if label.len() == before.len() {
        return false;
    }
    let start = label.len().saturating_sub(20);
    let label = label[label.ceil_char_boundary(start)..].to_ascii_lowercase();
    let label = label.strip_suffix("id").unwrap_or(&label);
    let label = label.trim_end_matches([' ', '-', '_']);
    TRIES.iter().any(|word| label.ends_with(word))
}

/// Length of the UUID at the start of `text`.
fn uuid_length(text: &str) -> Option<usize> {
    const LENGTH: usize = 36;
    let bytes = text.as_bytes().get(..LENGTH)?;
    let fits = bytes.iter().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    fits.then_some(LENGTH)
}

/// Length of a label such as `RequestID: ` at the start of `text`, and of the id behind it.
fn labelled_id(text: &str) -> Option<(usize, usize)> {
    const LABELS: [&str; 4] = ["requestid:", "request id:", "request-id:", "request_id:"];
    let label = LABELS.iter().find(|label| {
        text.get(..label.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(label))
    })?;
    let rest = &text[label.len()..];
    let id = rest.trim_start_matches(' ');
    let length = id.find([',', ' ', '\n', ')', ']', ';']).unwrap_or(id.len());
    (length > 0).then_some((label.len() + rest.len() - id.len(), length))
}
