//! Addresses as Go's client sends them. Templates may leave characters in an address that no URL may
//! hold, such as those of `<no value>`; Go escapes them, and so does this. Knows no template.

/// The address with every character escaped that would not be understood.
pub(crate) fn escape(address: &str) -> String {
    let address = address.split('#').next().unwrap_or_default();
    let (place, query) = match address.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (address, None),
    };
    let authority = place.find("://").map_or(0, |at| at + 3);
    let start = place[authority..].find('/').map(|at| authority + at);
    let (server, path) = place.split_at(start.unwrap_or(place.len()));
    let mut out = format!("{server}{}", escaped_path(path));
    if let Some(query) = query {
        out.push('?');
        push_escaped(&mut out, query.as_bytes(), |byte| {
            byte.is_ascii_graphic() && !br#""<>`{}|\^"#.contains(&byte)
        });
    }
    out
}

/// A path that is escaped well stays as it is; another one is escaped again as a whole.
fn escaped_path(path: &str) -> String {
    let valid = |byte: u8| is_plain(byte) || b"!'()*[]%".contains(&byte);
    let decoded = match unescape(path) {
        Some(decoded) if !path.bytes().all(valid) => decoded,
        _ => return path.to_owned(),
    };
    let mut out = String::with_capacity(path.len() + 8);
    push_escaped(&mut out, &decoded, is_plain);
    out
}

/// What Go leaves as it is in a path.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(&byte)
}

fn unescape(path: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(path.len());
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let (high, low) = (digit(bytes.next()?)?, digit(bytes.next()?)?);
        out.push(u8::try_from(high * 16 + low).ok()?);
    }
    Some(out)
}

fn push_escaped(out: &mut String, bytes: &[u8], keep: impl Fn(u8) -> bool) {
    for byte in bytes {
        if keep(*byte) {
            out.push(char::from(*byte));
            continue;
        }
        let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
        out.push('%');
        out.extend([byte >> 4, byte & 15].map(|half| digit(half).to_ascii_uppercase()));
    }
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn an_address_that_is_escaped_well_stays_as_it_is() {
        let address = "https://u:p@a.test:8443/v1/a%2Fb/(c)?q=a+b&r=%20";

        assert_eq!(escape(address), address);
        assert_eq!(escape("http://a.test"), "http://a.test");
    }

    #[test]
    fn a_path_with_other_characters_is_escaped_as_a_whole() {
        assert_eq!(
            escape("http://a.test/x/<no value>"),
            "http://a.test/x/%3Cno%20value%3E"
        );
        assert_eq!(
            escape("http://a.test/a%2Fb/\u{e9}*"),
            "http://a.test/a/b/%C3%A9%2A"
        );
    }

    #[test]
    fn a_query_keeps_everything_that_can_be_sent() {
        assert_eq!(
            escape("http://a.test/?v=<no value>&w=a/b"),
            "http://a.test/?v=%3Cno%20value%3E&w=a/b"
        );
    }

    #[test]
    fn a_broken_escape_is_left_for_whoever_reads_the_address() {
        assert_eq!(escape("http://a.test/%zz<"), "http://a.test/%zz<");
    }
}
