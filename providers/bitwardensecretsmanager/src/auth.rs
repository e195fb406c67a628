//! From the spec's `auth` to the headers that the sidecar takes: the access token, and where it
//! signs in with it.

use futures_util::future::{BoxFuture, FutureExt as _, ready};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Scheme;
use lockstep_provider_kit::auth::{Authenticator, Request};

use crate::spec::BitwardenSpec;

const TOKEN: Scheme = Scheme::header("warden-access-token");
const API: Scheme = Scheme::header("warden-api-url");
const IDENTITY: Scheme = Scheme::header("warden-identity-url");

/// The headers of every request.
pub(crate) struct Headers(Vec<(Scheme, SecretValue)>);

/// Resolves the access token.
pub(crate) async fn connect(spec: &BitwardenSpec, ctx: &Ctx) -> Result<Headers> {
    let token = ctx.secret(&spec.auth.secret_ref.credentials).await?;
    let mut headers = vec![(TOKEN, token)];
    for (scheme, url) in [(API, &spec.api_url), (IDENTITY, &spec.identity_url)] {
        let url = url.as_deref().unwrap_or_default().trim_end_matches('/');
        if !url.is_empty() {
            headers.push((scheme, SecretValue::from(url)));
        }
    }
    Ok(Headers(headers))
}

impl Authenticator for Headers {
    fn authorize<'a>(
        &'a self,
        request: &'a mut Request,
    ) -> BoxFuture<'a, Result<Option<SecretValue>>> {
        let mut headers = self.0.iter();
        let applied = headers.try_for_each(|(scheme, value)| scheme.apply(request, value));
        ready(applied.map(|()| None)).boxed()
    }
}
