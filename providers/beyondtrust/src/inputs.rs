//! Limits on what a manifest and its Secrets hold, in the words of the vendor's client: users know them
//! from the condition of a store. Checked for every connection, before anything is sent.

use http::Uri;
use lockstep_provider_api::prelude::*;

use crate::auth::{Certificate, Credentials};
use crate::spec::Server;

/// What the path of every API address has in it.
const API_PATH: &str = "/BeyondTrust/api/public/v";
/// Limit on the texts of a client certificate, in bits.
const CERTIFICATE_BITS: usize = 32_768;

/// Checks address, credentials and certificate.
pub(crate) fn check(
    server: &Server,
    credentials: &Credentials,
    certificate: Option<&Certificate>,
) -> Result<()> {
    address(server.api_url.trim())?;
    match credentials {
        Credentials::Key(key) => length("ApiKey", key.expose_utf8()?, 128, 263)?,
        Credentials::Client { id, secret } => {
            length("ClientId", id.expose_utf8()?, 36, 36)?;
            length("ClientSecret", secret.expose_utf8()?, 36, 64)?;
        }
    }
    length("ApiVersion", server.version().unwrap_or_default(), 3, 3)?;
    match server.client_time_out_seconds.unwrap_or_default() {
        0..=300 => {}
        limit if limit < 1 => return Err(fault("ClientTimeOutinSeconds", "gte", 1)),
        _ => return Err(fault("ClientTimeOutinSeconds", "lte", 300)),
    }
    certificate.map_or(Ok(()), pair)
}

fn address(url: &str) -> Result<()> {
    let refused = |text: String| Err(Error::invalid_spec(text));
    let Ok(url) = url.parse::<Uri>() else {
        return refused("the API URL is not valid".to_owned());
    };
    match url.scheme_str() {
        Some("https") => {}
        scheme => {
            let scheme = scheme.unwrap_or_default();
            return refused(format!("{scheme} is not support. Use https"));
        }
    }
    if !url.path().contains(API_PATH) {
        return refused(format!(
            "invalid API URL, it must contains {API_PATH} as part of the path"
        ));
    }
    Ok(())
}

/// An empty text is not looked at, as in the vendor's client.
fn length(field: &str, text: &str, least: usize, most: usize) -> Result<()> {
    match text.trim_end_matches(['\r', '\n']).chars().count() {
        0 => Ok(()),
        count if count < least => Err(fault(field, "min", least)),
        count if count > most => Err(Error::invalid_spec(format!(
            "Max length '{most}' for '{field}' field."
        ))),
        _ => Ok(()),
    }
}

fn fault(field: &str, rule: &str, limit: usize) -> Error {
    Error::invalid_spec(format!("Error in field {field} : {rule} / {limit}."))
}

/// A final line break is no fault here: files end in one.
fn pair(pair: &Certificate) -> Result<()> {
    let parts = [
        ("certificate", &pair.certificate, "CERTIFICATE"),
        ("certificate key", &pair.key, "PRIVATE KEY"),
    ];
    for (name, text, _) in parts {
        if text.len().saturating_mul(8) > CERTIFICATE_BITS {
            return Err(Error::invalid_spec(format!(
                "invalid length for {name}, the maximum size is {CERTIFICATE_BITS} bits"
            )));
        }
    }
    for (name, text, label) in parts {
        let text = text.expose_utf8()?.trim_end();
        let begin = format!("-----BEGIN {label}-----");
        let end = format!("-----END {label}-----");
        if !text.starts_with(&begin) || !text.ends_with(&end) {
            return Err(Error::invalid_spec(format!(
                "invalid {name} content, must contain BEGIN and END {label}"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://ps.test/BeyondTrust/api/public/v3";

    fn refusal(change: impl FnOnce(&mut Server), credentials: &Credentials) -> Option<String> {
        let mut server = Server {
            api_url: URL.to_owned(),
            ..Server::default()
        };
        change(&mut server);
        let checked = check(&server, credentials, None);
        checked.err().map(|error| error.to_string())
    }

    fn key(length: usize) -> Credentials {
        Credentials::Key("k".repeat(length).into())
    }

    #[test]
    fn an_api_key_has_128_to_263_characters() {
        assert_eq!(refusal(|_| {}, &key(128)), None);
        assert_eq!(
            refusal(|_| {}, &key(127)).unwrap(),
            "Error in field ApiKey : min / 128."
        );
        assert_eq!(
            refusal(|_| {}, &key(264)).unwrap(),
            "Max length '263' for 'ApiKey' field."
        );
    }

    #[test]
    fn the_address_is_an_https_address_of_the_api() {
        let with = |url: &str| refusal(|server| server.api_url = url.to_owned(), &key(128));

        assert_eq!(with(&format!(" {URL}/ ")), None);
        assert_eq!(
            with("http://ps.test/BeyondTrust/api/public/v3").unwrap(),
            "http is not support. Use https"
        );
        assert!(
            with("https://ps.test/api")
                .unwrap()
                .starts_with("invalid API URL")
        );
    }

    #[test]
    fn version_and_time_limit_have_their_ranges() {
        let version = refusal(
            |server| server.api_version = Some("3".to_owned()),
            &key(128),
        );
        let limit = |seconds| {
            refusal(
                |server| server.client_time_out_seconds = Some(seconds),
                &key(128),
            )
        };

        assert_eq!(version.unwrap(), "Error in field ApiVersion : min / 3.");
        assert_eq!(limit(300), None);
        assert_eq!(
            limit(-1).unwrap(),
            "Error in field ClientTimeOutinSeconds : gte / 1."
        );
        assert_eq!(
            limit(301).unwrap(),
            "Error in field ClientTimeOutinSeconds : lte / 300."
        );
    }

    #[test]
    fn a_certificate_may_end_in_a_line_break_and_must_be_one() {
        let certificate = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";
        let key = "-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n";
        let of = |certificate: &str, key: &str| {
            let both = Certificate {
                certificate: certificate.into(),
                key: key.into(),
            };
            pair(&both).err().map(|error| error.to_string())
        };

        assert_eq!(of(certificate, key), None);
        assert!(
            of("x", key)
                .unwrap()
                .starts_with("invalid certificate content")
        );
        assert!(
            of(certificate, "x")
                .unwrap()
                .starts_with("invalid certificate key content")
        );
        assert!(of(&"x".repeat(4097), key).unwrap().contains("32768 bits"));
    }
}
