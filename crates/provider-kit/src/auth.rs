//! How requests prove who sends them. [`Authenticator`] is what the REST client asks before each
//! request; a fixed credential is [`StaticHeader`], a token that ends is [`crate::Session`], and a
//! signature over the request is an implementation in the provider.

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt as _, ready};
use http::header::{AUTHORIZATION, COOKIE, HeaderName, HeaderValue};
use lockstep_golang::base64::{Encoding, encode};
use lockstep_provider_api::prelude::*;

/// A request that is ready to be sent.
pub type Request = http::Request<Bytes>;

/// Adds credentials to requests.
pub trait Authenticator: Send + Sync {
    /// Adds headers or a signature, and returns the token that was used where it can be renewed.
    fn authorize<'a>(
        &'a self,
        request: &'a mut Request,
    ) -> BoxFuture<'a, Result<Option<SecretValue>>>;

    /// Drops a token that the backend refused. The client then repeats the request once.
    fn forget(&self, _refused: &SecretValue) {}
}

/// Where a credential stands in a request: a header, and what surrounds the credential in it.
#[derive(Clone, Debug)]
pub struct Scheme {
    header: HeaderName,
    before: &'static str,
    after: &'static str,
}

impl Scheme {
    /// `Authorization: Bearer …`
    pub const BEARER: Self = Self::authorization("Bearer ", "");
    /// `Cookie: …`
    pub const COOKIE: Self = Self {
        header: COOKIE,
        before: "",
        after: "",
    };

    /// An `Authorization` header with other words around the credential.
    pub const fn authorization(before: &'static str, after: &'static str) -> Self {
        Self {
            header: AUTHORIZATION,
            before,
            after,
        }
    }

    /// A header of its own, by its lower-case name.
    pub const fn header(name: &'static str) -> Self {
        Self {
            header: HeaderName::from_static(name),
            before: "",
            after: "",
        }
    }

    /// Puts a credential into a request. A final line break does not belong to it.
    pub fn apply(&self, request: &mut Request, credential: &SecretValue) -> Result<()> {
        let parts = [
            self.before.as_bytes(),
            credential.without_final_newline(),
            self.after.as_bytes(),
        ];
        let text = SecretValue::new(parts.concat());
        let mut value = HeaderValue::from_bytes(text.expose()).map_err(|_| {
            Error::invalid_spec(format!(
                "the credential for header {} has characters that a header cannot have, such as a \
                 line break",
                self.header
            ))
        })?;
        value.set_sensitive(true);
        request.headers_mut().insert(self.header.clone(), value);
        Ok(())
    }
}

/// A credential that does not change: API keys, personal tokens, basic authorization.
pub struct StaticHeader {
    scheme: Scheme,
    credential: SecretValue,
}

impl StaticHeader {
    /// Sends `credential` as `scheme` says.
    pub fn new(scheme: Scheme, credential: SecretValue) -> Self {
        Self { scheme, credential }
    }

    /// Sends user name and password as basic authorization.
    pub fn basic(user: &SecretValue, password: &SecretValue) -> Self {
        Self::new(
            Scheme::authorization("Basic ", ""),
            basic_credential(user, password),
        )
    }
}

/// User name and password as basic authorization encodes them.
pub fn basic_credential(user: &SecretValue, password: &SecretValue) -> SecretValue {
    let pair = SecretValue::new([user.expose(), b":", password.expose()].concat());
    SecretValue::from(encode(Encoding::Standard, pair.expose()))
}

impl Authenticator for StaticHeader {
    fn authorize<'a>(
        &'a self,
        request: &'a mut Request,
    ) -> BoxFuture<'a, Result<Option<SecretValue>>> {
        let applied = self.scheme.apply(request, &self.credential);
        ready(applied.map(|()| None)).boxed()
    }
}

/// For backends that take credentials in the body, or none.
pub struct Anonymous;

impl Authenticator for Anonymous {
    fn authorize<'a>(
        &'a self,
        _request: &'a mut Request,
    ) -> BoxFuture<'a, Result<Option<SecretValue>>> {
        ready(Ok(None)).boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(scheme: Scheme, credential: &str, name: &str) -> Result<String> {
        let mut request = Request::new(Bytes::new());
        scheme.apply(&mut request, &credential.into())?;
        let value = &request.headers()[name];
        assert!(value.is_sensitive());
        Ok(value.to_str().unwrap().to_owned())
    }

    #[test]
    fn each_scheme_puts_the_credential_into_its_header() {
        let token = Scheme::authorization("Token token=\"", "\"");

        assert_eq!(
            header(Scheme::BEARER, "t\n", "authorization").unwrap(),
            "Bearer t"
        );
        assert_eq!(
            header(token, "t", "authorization").unwrap(),
            "Token token=\"t\""
        );
        assert_eq!(
            header(Scheme::header("private-token"), "t", "private-token").unwrap(),
            "t"
        );
    }

    #[test]
    fn a_credential_with_a_line_break_inside_is_refused_without_showing_it() {
        let error = header(Scheme::BEARER, "hun\nter2", "authorization").unwrap_err();

        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
        assert!(!error.to_string().contains("ter2"));
    }

    #[test]
    fn basic_authorization_keeps_both_parts_as_they_are() {
        let basic = StaticHeader::basic(&"user".into(), &"pass\n".into());

        assert_eq!(basic.credential, "dXNlcjpwYXNzCg==".into());
    }
}
