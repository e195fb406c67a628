//! URLs taken apart and put together.

use super::{Func, func};
use crate::failure::{Failure, Outcome};
use crate::strconv::quote;
use crate::url::{Mode, Url, UrlError, User, escape};
use crate::value::{Kind, Map, Str, Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    func("urlParse", &[Ty::Str], |cx, args| {
        cx.reserve(args.bytes(0).len().saturating_mul(3) + 1024)?;
        let url =
            Url::parse(args.bytes(0)).map_err(|error| failure("unable to parse url", &error))?;
        let hostname = url.hostname().to_vec();
        let user = url.user.as_ref().map(User::text).unwrap_or_default();
        let entries = [
            ("scheme", url.scheme),
            ("host", url.host),
            ("hostname", hostname),
            ("path", url.path),
            ("query", url.query),
            ("opaque", url.opaque),
            ("fragment", url.fragment),
            ("userinfo", user),
        ];
        let entry = |(key, text): (&str, Vec<u8>)| (Str::from(key), Value::from(text));
        Ok(Value::Map(Map::new(
            entries.into_iter().map(entry).collect(),
        )))
    }),
    func("urlJoin", &[Ty::MapAny], |cx, args| {
        let Value::Map(parts) = args.value(0) else {
            return Ok(Value::Nil);
        };
        let mut url = Url {
            scheme: part(parts, "scheme")?,
            host: part(parts, "host")?,
            path: part(parts, "path")?,
            query: part(parts, "query")?,
            opaque: part(parts, "opaque")?,
            fragment: part(parts, "fragment")?,
            ..Url::default()
        };
        let userinfo = part(parts, "userinfo")?;
        if !userinfo.is_empty() {
            let whole = [b"proto://", &userinfo[..], b"@host"].concat();
            let parsed = Url::parse(&whole)
                .map_err(|error| failure("unable to parse userinfo in dict", &error))?;
            url.user = parsed.user;
        }
        cx.string(url.text())
    }),
];

fn part(parts: &Map, key: &str) -> Outcome<Vec<u8>> {
    match parts.get(key.as_bytes()) {
        None => Ok(Vec::new()),
        Some(Value::Str(text)) => Ok(text.to_vec()),
        Some(Value::Nil) => Err(Failure::new(super::lists::NIL_POINTER)),
        Some(other) => {
            let kind: Kind = other.kind();
            let found = kind.name();
            Err(Failure::new(format!(
                "unable to parse {key} key, must be of type string, but {found} found"
            )))
        }
    }
}

fn failure(what: &str, error: &UrlError) -> Failure {
    let (before, value, after) = &error.cause;
    let failure = Failure::new(format!("{what}: parse ")).value(quote(&error.url));
    let failure = failure.text(format!(": {before}"));
    if value.is_empty() {
        failure
    } else {
        failure.value(value.as_str()).text(*after)
    }
}

/// `url.QueryEscape`
pub(super) fn query_escape(text: &[u8]) -> Vec<u8> {
    escape(text, Mode::Query)
}
