//! Where a redirect leads, by the rules of Go's HTTP client: at most ten, other hosts do not get
//! credentials, and 301, 302 and 303 go on as GET. Beyond Go, nothing follows from https to http.

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HeaderMap, LOCATION};
use http::{Method, Request, Response, Uri};
use lockstep_provider_api::prelude::*;
use url::Url;

/// How many redirects are followed.
pub(crate) const LIMIT: usize = 10;

/// One request, kept to be sent again elsewhere.
#[derive(Clone)]
pub(crate) struct Sent {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
}

impl Sent {
    /// What a request looks like.
    pub(crate) fn of(request: &Request<Bytes>) -> Self {
        Self {
            method: request.method().clone(),
            uri: request.uri().clone(),
            headers: request.headers().clone(),
            body: request.body().clone(),
        }
    }

    /// The request an answer redirects to, if it does.
    pub(crate) fn next(&self, answer: &Response<Bytes>) -> Result<Option<Request<Bytes>>> {
        let keeps_method = match answer.status().as_u16() {
            301..=303 => false,
            307 | 308 => true,
            _ => return Ok(None),
        };
        let Some(location) = answer.headers().get(LOCATION) else {
            return Ok(None);
        };
        let target = location.to_str().ok().and_then(|text| self.target(text));
        let target = target.ok_or_else(|| {
            Error::invalid_data(
                "the endpoint redirects to an address that is neither http nor https",
            )
        })?;
        if self.uri.scheme_str() == Some("https") && target.scheme_str() != Some("https") {
            return Err(Error::invalid_data(
                "the endpoint redirects from https to http, which is not followed",
            ));
        }
        let mut request = Request::new(Bytes::new());
        *request.headers_mut() = self.headers.clone();
        if target.host() != self.uri.host() {
            request.headers_mut().remove(AUTHORIZATION);
            request.headers_mut().remove(COOKIE);
        }
        if keeps_method {
            *request.method_mut() = self.method.clone();
            *request.body_mut() = self.body.clone();
        } else {
            request.headers_mut().remove(CONTENT_TYPE);
            request.headers_mut().remove(CONTENT_LENGTH);
            if self.method == Method::HEAD {
                *request.method_mut() = Method::HEAD;
            }
        }
        *request.uri_mut() = target;
        Ok(Some(request))
    }

    /// A location as an absolute address, relative to the address that answered.
    fn target(&self, location: &str) -> Option<Uri> {
        let base = Url::parse(&self.uri.to_string()).ok()?;
        let mut target = base.join(location).ok()?;
        target.set_fragment(None);
        // The URL crate takes `http` with any authority; what `http` cannot parse is no address.
        let uri: Uri = target.as_str().parse().ok()?;
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        (is_http && uri.host().is_some()).then_some(uri)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_provider_api::conformance::response;

    fn follow(status: u16, location: &str) -> Result<Option<Request<Bytes>>> {
        let mut request = Request::new(Bytes::from_static(b"body"));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = Uri::from_static("https://a.test/v1/x");
        let headers = request.headers_mut();
        headers.insert(AUTHORIZATION, http::HeaderValue::from_static("Bearer t"));
        let mut answer = response(status, "");
        let value = http::HeaderValue::from_str(location).unwrap();
        answer.headers_mut().insert(LOCATION, value);
        Sent::of(&request).next(&answer)
    }

    #[test]
    fn a_found_redirect_goes_on_as_get_and_a_temporary_one_as_it_was() {
        let found = follow(302, "/y").unwrap().unwrap();
        let temporary = follow(307, "y").unwrap().unwrap();

        assert_eq!((found.method(), found.body().len()), (&Method::GET, 0));
        assert_eq!(found.uri(), "https://a.test/y");
        assert_eq!(
            (temporary.method(), temporary.body().len()),
            (&Method::POST, 4)
        );
        assert_eq!(temporary.uri(), "https://a.test/v1/y");
    }

    #[test]
    fn another_host_does_not_get_the_credential() {
        let same = follow(307, "https://a.test/y").unwrap().unwrap();
        let other = follow(307, "//b.test/y").unwrap().unwrap();

        assert!(same.headers().contains_key(AUTHORIZATION));
        assert!(!other.headers().contains_key(AUTHORIZATION));
        assert_eq!(other.uri(), "https://b.test/y");
    }

    #[test]
    fn nothing_leads_from_https_to_http() {
        assert!(follow(302, "http://a.test/y").is_err());
        assert!(follow(302, "file:///etc/passwd").is_err());
        assert!(follow(200, "/y").unwrap().is_none());
    }

    #[test]
    fn a_location_is_relative_to_the_address_that_answered() {
        let cases = [
            (
                "/login?next=https://x",
                "https://a.test/login?next=https://x",
            ),
            ("?a=b", "https://a.test/v1/x?a=b"),
            ("y?u=http://b.test/", "https://a.test/v1/y?u=http://b.test/"),
            ("../y", "https://a.test/y"),
            ("./y#part", "https://a.test/v1/y"),
            ("https://a.test:8443/y", "https://a.test:8443/y"),
            ("HTTPS://B.test/y", "https://b.test/y"),
        ];
        for (location, target) in cases {
            let next = follow(302, location).unwrap().unwrap();
            assert_eq!(next.uri(), target, "{location}");
        }
        for location in [
            "javascript:alert(1)",
            "https://",
            "mailto:a@b",
            "https://a b/",
        ] {
            assert!(follow(302, location).is_err(), "{location}");
        }
    }
}
