//! A signed-in client of the server: what goes with every request. The server is asked once a connection
//! whether it still takes the token; a token that it refuses later is renewed by the session.

use std::sync::Arc;

use async_lock::OnceCell;
use lockstep_provider_api::http::{Answer, Method, RequestBuilder, Tls};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::not_absence;
use lockstep_provider_kit::{Address, Rest, Session};

use crate::spec::DvlsSpec;
use crate::{auth, error};

/// The metric's label.
const PROVIDER: &str = "Devolutions/Server";

/// A signed-in client.
pub(crate) struct Client {
    anonymous: Rest,
    rest: Rest,
    session: Arc<Session>,
    /// Whether the server was asked if the token is still good.
    asked: OnceCell<()>,
}

impl Client {
    /// Signs in, so that a refusal shows in the store.
    pub(crate) async fn connect(spec: &DvlsSpec, ctx: &Ctx) -> Result<Self> {
        let base = Address::new("serverUrl", &spec.server_url)?;
        let rest = Rest::new(ctx, PROVIDER, base, &Tls::default())?;
        let session = Arc::new(auth::connect(spec, &rest).await?);
        session.token().await.map_err(login_failed)?;
        Ok(Self {
            anonymous: rest.clone(),
            rest: rest.signed(Arc::clone(&session)),
            session,
            asked: OnceCell::new(),
        })
    }

    /// Whether the application can sign in.
    pub(crate) async fn check(&self) -> Result<()> {
        let signed_in = self.session.sign_in().await;
        signed_in.map(drop).map_err(login_failed)
    }

    /// Begins a request.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.rest.request(method, path)
    }

    /// Sends a request.
    pub(crate) async fn send(&self, call: &'static str, request: RequestBuilder) -> Result<Answer> {
        let request = request.build()?;
        let asked = self.asked.get_or_try_init(|| self.renew()).await;
        asked.map_err(|error| error::submitting(request.uri(), error))?;
        let check = error::check(request.uri());
        self.rest.call(call, request, check).await
    }

    /// Signs in again where the server forgot the token.
    async fn renew(&self) -> Result<()> {
        let logged = self.is_logged().await;
        if logged.map_err(|error| error.context("failed to fetch login status"))? {
            return Ok(());
        }
        self.session.drop_token(&self.session.token().await?);
        let renewed = self.session.token().await;
        let renewed = renewed.map_err(|error| error.context("failed to refresh login token"));
        renewed.map(drop)
    }

    async fn is_logged(&self) -> Result<bool> {
        let token = self.session.token().await?;
        let request = self.anonymous.get("/api/is-logged");
        let request = request.secret_header("tokenid", &token).build()?;
        let check = error::check(request.uri());
        let answer = self.anonymous.call("IsLogged", request, check).await;
        let answer = answer.map_err(|error| {
            not_absence(error).context("error while submitting isLogged request")
        })?;
        Ok(answer.expose_body().trim_ascii() != b"false")
    }
}

fn login_failed(error: Error) -> Error {
    error.map_message(|text| format!("failed to create DVLS client: login failed \"{text}\""))
}
