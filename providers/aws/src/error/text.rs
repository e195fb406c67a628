//! Texts of errors: what of an answer may be shown, and what is added to it. Nothing here changes
//! from one attempt to the next, and nothing here shows a value.

use std::error::Error as StdError;
use std::fmt::Write as _;

use lockstep_provider_api::prelude::*;

use super::Place;

/// Longest part of a message of AWS that is repeated; conditions and events have limits.
const MAX_MESSAGE: usize = 600;

/// A message without what differs between two equal failures, and without the signature.
pub(super) fn clean(message: &str) -> String {
    let message = message
        .split_once(" Credential=")
        .map_or(message, |(head, _)| head);
    let mut words: Vec<&str> = message.split(' ').collect();
    let mut index = 0;
    while index < words.len() {
        let id = words[index].eq_ignore_ascii_case("id:")
            && index > 0
            && words[index - 1]
                .trim_start_matches('(')
                .eq_ignore_ascii_case("request");
        if id {
            let end = words.len().min(index + 2);
            words.drain(index - 1..end);
            index -= 1;
        } else if is_time(words[index]) {
            words.remove(index);
        } else {
            index += 1;
        }
    }
    let text = words.join(" ");
    let end = text.floor_char_boundary(MAX_MESSAGE);
    text[..end].trim_end().to_owned()
}

/// `20260131T101500Z`, as signature errors have it, with or without brackets.
fn is_time(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let bytes = word.as_bytes();
    bytes.len() == 16
        && bytes[8] == b'T'
        && bytes[15] == b'Z'
        && bytes[..8].iter().all(u8::is_ascii_digit)
}

/// What a call met at the other end.
pub(super) enum Met<'a> {
    /// The service, which gave this code.
    Code(&'a str, &'a str),
    /// Somebody who does not answer as the service does, with this status.
    Stranger(&'a str, u16),
    /// A certificate of an authority that is not trusted.
    Untrusted,
    /// A certificate that cannot be used otherwise; the text says why.
    BadCertificate,
    /// Nobody.
    Nobody,
}

/// Who asked for what, where, and what would help.
pub(super) fn detail(place: &Place<'_>, kind: &ErrorKind, met: &Met<'_>) -> String {
    let mut text = format!(
        " ({} in region {}, as {}",
        place.subject, place.region, place.who
    );
    let (prefix, operation) = (place.prefix, place.operation);
    let code = match met {
        Met::Code(_, code) => code,
        _ => "",
    };
    let help = match kind {
        ErrorKind::Denied if code.contains("KMS") || code.ends_with("cryptionFailure") => {
            "allow kms:Decrypt and kms:GenerateDataKey on its KMS key, and enable the key"
                .to_owned()
        }
        ErrorKind::Denied => format!("allow the IAM action {prefix}:{operation} on it"),
        ErrorKind::Unauthenticated if code == "RequestTimeTooSkewed" => {
            "the operator's clock is wrong; correct it".to_owned()
        }
        ErrorKind::Unauthenticated => {
            "the credentials are invalid or expired; renew them".to_owned()
        }
        ErrorKind::Unreachable => unreachable(met),
        ErrorKind::InvalidSpec if matches!(met, Met::Stranger(..)) => unreachable(met),
        ErrorKind::Tombstoned(_) => "restore it, or take the reference out".to_owned(),
        _ => String::new(),
    };
    if !help.is_empty() {
        let _ = write!(text, "; {help}");
    }
    text.push(')');
    text
}

/// What would help where no answer of the service came.
fn unreachable(met: &Met<'_>) -> String {
    match met {
        Met::Untrusted => "for AWS alone, AWS_CA_BUNDLE names a file with the authority".to_owned(),
        Met::BadCertificate => String::new(),
        Met::Nobody => {
            "the endpoint does not answer; check region, network and the AWS_…_ENDPOINT \
                        variables"
                .to_owned()
        }
        Met::Code(server, _) => {
            format!("{server} answers that it has a fault; the call is repeated")
        }
        Met::Stranger(server, status) => format!(
            "{server} answers {status}, and not as AWS does; check proxy, region and the \
             AWS_…_ENDPOINT variables"
        ),
    }
}

/// Code and message of an error that came as XML; moto and some gateways answer so.
pub(super) fn xml_error(body: &[u8]) -> (Option<String>, Option<String>) {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let part = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        let (part, _) = rest.split_once(&format!("</{tag}>"))?;
        (!part.contains('<')).then(|| part.to_owned())
    };
    (part("Code"), part("Message"))
}

/// Kind and text of a call that could not be signed.
pub(super) fn no_credentials(
    error: &(dyn StdError + 'static),
) -> (ErrorKind, String, Option<std::time::Duration>) {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = format!(
        "get identity: get credentials: {}",
        clean(&cause.to_string())
    );
    (ErrorKind::Unauthenticated, text, None)
}
