//! URLs as Go's `net/url` reads and writes them, which is not the way browsers do.

mod escape;
mod parse;

pub(crate) use escape::{Mode, escape};

/// A parsed URL, unescaped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: Vec<u8>,
    pub(crate) opaque: Vec<u8>,
    pub(crate) user: Option<User>,
    pub(crate) host: Vec<u8>,
    pub(crate) path: Vec<u8>,
    /// The path as written, if escaping it anew would not give that.
    pub(crate) raw_path: Vec<u8>,
    pub(crate) query: Vec<u8>,
    /// There was a question mark with nothing behind it.
    pub(crate) force_query: bool,
    /// There was a scheme and a path, but no `//` between them.
    pub(crate) omit_host: bool,
    pub(crate) fragment: Vec<u8>,
    /// As [`raw_path`](Self::raw_path).
    pub(crate) raw_fragment: Vec<u8>,
}

/// Name and perhaps password before the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    name: Vec<u8>,
    password: Option<Vec<u8>>,
}

/// Why a text is no URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UrlError {
    /// The part of the text that was looked at.
    pub(crate) url: Vec<u8>,
    /// The cause in three parts, the middle one taken from the text.
    pub(crate) cause: (&'static str, String, &'static str),
}

impl User {
    /// The escaped form.
    pub(crate) fn text(&self) -> Vec<u8> {
        let mut out = escape(&self.name, Mode::User);
        if let Some(password) = &self.password {
            out.push(b':');
            out.extend(escape(password, Mode::User));
        }
        out
    }
}

impl Url {
    /// The host without port and brackets.
    pub(crate) fn hostname(&self) -> &[u8] {
        let mut host = &self.host[..];
        if let Some(colon) = memchr::memrchr(b':', host)
            && parse::is_optional_port(&host[colon..])
        {
            host = &host[..colon];
        }
        match host {
            [b'[', inner @ .., b']'] => inner,
            _ => host,
        }
    }

    /// The URL as text, escaped where needed.
    pub(crate) fn text(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if !self.scheme.is_empty() {
            out.extend_from_slice(&self.scheme);
            out.push(b':');
        }
        if self.opaque.is_empty() {
            self.write_authority(&mut out);
            self.write_path(&mut out);
        } else {
            out.extend_from_slice(&self.opaque);
        }
        if self.force_query || !self.query.is_empty() {
            out.push(b'?');
            out.extend_from_slice(&self.query);
        }
        if !self.fragment.is_empty() {
            out.push(b'#');
            out.extend(escaped(&self.fragment, &self.raw_fragment, Mode::Fragment));
        }
        out
    }

    fn write_authority(&self, out: &mut Vec<u8>) {
        let bare = self.host.is_empty() && self.user.is_none();
        if bare && (self.scheme.is_empty() || self.omit_host) {
            return;
        }
        if !self.host.is_empty() || !self.path.is_empty() || self.user.is_some() {
            out.extend_from_slice(b"//");
        }
        if let Some(user) = &self.user {
            out.extend(user.text());
            out.push(b'@');
        }
        out.extend(escape(&self.host, Mode::Host));
    }

    fn write_path(&self, out: &mut Vec<u8>) {
        let path = match &self.path[..] {
            b"*" => b"*".to_vec(),
            path => escaped(path, &self.raw_path, Mode::Path),
        };
        if !self.host.is_empty() && !path.is_empty() && path[0] != b'/' {
            out.push(b'/');
        }
        if out.is_empty() {
            // A colon in the first segment would be taken for the end of a scheme.
            let segment = path.split(|b| *b == b'/').next().unwrap_or_default();
            if segment.contains(&b':') {
                out.extend_from_slice(b"./");
            }
        }
        out.extend(path);
    }
}

/// The text as it was written, if that still means the same, or else escaped anew.
fn escaped(text: &[u8], raw: &[u8], mode: Mode) -> Vec<u8> {
    if !raw.is_empty() && escape::is_encoded(raw, mode) {
        return raw.to_vec();
    }
    escape(text, mode)
}
