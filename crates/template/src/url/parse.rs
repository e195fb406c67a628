//! `url.Parse`

use std::net::Ipv6Addr;

use super::escape::{EscapeError, Mode, escape, unescape};
use super::{Url, UrlError, User};
use crate::strconv::quote;

type Cause = (&'static str, String, &'static str);

fn plain(text: &'static str) -> Cause {
    (text, String::new(), "")
}

impl From<EscapeError> for Cause {
    fn from(error: EscapeError) -> Self {
        match error {
            EscapeError::Escape(bytes) => ("invalid URL escape ", quote(&bytes), ""),
            EscapeError::HostCharacter(byte) => {
                ("invalid character ", quote(&[byte]), " in host name")
            }
        }
    }
}

impl Url {
    pub(crate) fn parse(text: &[u8]) -> Result<Self, UrlError> {
        let (body, fragment) = cut(text, b'#');
        let mut url = parse(body).map_err(|cause| UrlError {
            url: body.to_vec(),
            cause,
        })?;
        let fragment = fragment.unwrap_or_default();
        url.fragment = unescape(fragment, Mode::Fragment).map_err(|error| UrlError {
            url: text.to_vec(),
            cause: error.into(),
        })?;
        url.raw_fragment = raw(fragment, &url.fragment, Mode::Fragment);
        Ok(url)
    }
}

/// The text as written, unless escaping gives the same.
fn raw(written: &[u8], text: &[u8], mode: Mode) -> Vec<u8> {
    if escape(text, mode) == written {
        Vec::new()
    } else {
        written.to_vec()
    }
}

fn cut(text: &[u8], at: u8) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(at, text) {
        Some(found) => (&text[..found], Some(&text[found + 1..])),
        None => (text, None),
    }
}

fn parse(text: &[u8]) -> Result<Url, Cause> {
    if text.iter().any(u8::is_ascii_control) {
        return Err(plain("net/url: invalid control character in URL"));
    }
    let mut url = Url::default();
    if text == b"*" {
        url.path = b"*".to_vec();
        return Ok(url);
    }
    let (scheme, rest) = scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (mut rest, query) = cut(rest, b'?');
    url.force_query = query == Some(b"");
    url.query = query.unwrap_or_default().to_vec();
    if !rest.starts_with(b"/") {
        if !url.scheme.is_empty() {
            url.opaque = rest.to_vec();
            return Ok(url);
        }
        if cut(rest, b'/').0.contains(&b':') {
            return Err(plain("first path segment in URL cannot contain colon"));
        }
    }
    if (!url.scheme.is_empty() || !rest.starts_with(b"///"))
        && let Some(after) = rest.strip_prefix(b"//")
    {
        let slash = memchr::memchr(b'/', after).unwrap_or(after.len());
        let authority = &after[..slash];
        rest = &after[slash..];
        (url.user, url.host) = parse_authority(&url.scheme, authority)?;
    } else if !url.scheme.is_empty() && rest.starts_with(b"/") {
        url.omit_host = true;
    }
    url.path = unescape(rest, Mode::Path)?;
    url.raw_path = raw(rest, &url.path, Mode::Path);
    Ok(url)
}

fn scheme(text: &[u8]) -> Result<(&[u8], &[u8]), Cause> {
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err(plain("missing protocol scheme")),
            b':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok((&[], text))
}

fn parse_authority(scheme: &[u8], authority: &[u8]) -> Result<(Option<User>, Vec<u8>), Cause> {
    let Some(at) = memchr::memrchr(b'@', authority) else {
        return Ok((None, parse_host(scheme, authority)?));
    };
    let host = parse_host(scheme, &authority[at + 1..])?;
    let info = &authority[..at];
    let valid = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(byte);
    if !info.iter().all(valid) {
        return Err(plain("net/url: invalid userinfo"));
    }
    let (name, password) = cut(info, b':');
    let name = unescape(name, Mode::User)?;
    let password = password
        .map(|text| unescape(text, Mode::User))
        .transpose()?;
    Ok((Some(User { name, password }), host))
}

fn parse_host(scheme: &[u8], host: &[u8]) -> Result<Vec<u8>, Cause> {
    match memchr::memrchr(b'[', host) {
        Some(0) => return parse_ip_literal(host),
        Some(_) => return Err(plain("invalid IP-literal")),
        None => {}
    }
    if let Some(first) = memchr::memchr(b':', host) {
        // Lists of hosts with ports are common outside the web.
        let web = matches!(scheme, b"http" | b"https");
        let last = memchr::memrchr(b':', host).unwrap_or(first);
        check_port(&host[if web { first } else { last }..])?;
    }
    Ok(unescape(host, Mode::Host)?)
}

fn check_port(colon_port: &[u8]) -> Result<(), Cause> {
    if is_optional_port(colon_port) {
        return Ok(());
    }
    Err(("invalid port ", quote(colon_port), " after host"))
}

pub(super) fn is_optional_port(text: &[u8]) -> bool {
    match text {
        [] => true,
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// `[fe80::1%25en0]:80`
fn parse_ip_literal(host: &[u8]) -> Result<Vec<u8>, Cause> {
    let close = memchr::memrchr(b']', host).ok_or_else(|| plain("missing ']' in host"))?;
    let port = &host[close + 1..];
    check_port(port)?;
    let inner = &host[1..close];
    let address = match memchr::memmem::find(inner, b"%25") {
        Some(at) => {
            let mut address = unescape(&inner[..at], Mode::Host)?;
            address.extend(unescape(&inner[at..], Mode::Zone)?);
            address
        }
        None => unescape(inner, Mode::Host)?,
    };
    check_address(&address)?;
    Ok([b"[", &address[..], b"]", port].concat())
}

fn check_address(address: &[u8]) -> Result<(), Cause> {
    let bad = || {
        (
            "invalid host: ParseAddr(",
            quote(address),
            "): unable to parse IP",
        )
    };
    let text = std::str::from_utf8(address).map_err(|_| bad())?;
    if text.parse::<std::net::Ipv4Addr>().is_ok() {
        return Err(plain("invalid IP-literal"));
    }
    let (ip, zone) = match text.split_once('%') {
        Some((ip, zone)) => (ip, Some(zone)),
        None => (text, None),
    };
    if ip.parse::<Ipv6Addr>().is_err() || zone == Some("") {
        return Err(bad());
    }
    Ok(())
}
