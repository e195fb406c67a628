//! Who signs in and where. A token is sent as it is. A user name and password are traded in for one: at a
//! Secret Server by the password grant, at a Delinea Platform by client credentials, where the secrets
//! are then in the default vault. Which of both a server is, its health checks tell.

use std::sync::Arc;
use std::time::Duration;

use async_lock::OnceCell;
use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::login::oauth2_token;
use lockstep_provider_kit::{Address, Rest, Scheme, Session, StaticHeader};
use serde::Deserialize;

use crate::error;
use crate::secret::folded;
use crate::spec::SecretserverSpec;

/// Life of a token that does not say how long it is good for.
const LIFE: Duration = Duration::from_mins(10);

/// What a server is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Product {
    SecretServer,
    Platform,
}

/// A user at a server whose product is found out with the first request.
pub(crate) struct User {
    name: SecretValue,
    password: SecretValue,
    domain: Option<String>,
    rest: Rest,
    product: OnceCell<Product>,
}

/// How requests are signed.
pub(crate) enum Identity {
    Token(Arc<StaticHeader>),
    User(Arc<User>, Arc<Session>),
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Health {
    healthy: bool,
}

#[derive(Deserialize)]
struct Vaults {
    #[serde(default)]
    vaults: Vec<Vault>,
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Vault {
    isdefault: bool,
    isactive: bool,
    connection: Connection,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Connection {
    url: String,
}

/// Resolves the credentials; signs in with the first request.
pub(crate) async fn connect(spec: &SecretserverSpec, rest: &Rest) -> Result<Identity> {
    let ctx = rest.ctx();
    if let Some(token) = &spec.token {
        let token = token.resolve(ctx).await?;
        let header = StaticHeader::new(Scheme::BEARER, token);
        return Ok(Identity::Token(Arc::new(header)));
    }
    let (Some(name), Some(password)) = (&spec.username, &spec.password) else {
        return Err(Error::invalid_spec("username must not be empty"));
    };
    let user = Arc::new(User {
        name: name.resolve(ctx).await?,
        password: password.resolve(ctx).await?,
        domain: spec.domain.clone().filter(|domain| !domain.is_empty()),
        rest: rest.clone(),
        product: OnceCell::new(),
    });
    let key = Fingerprint::of([
        b"secretserver".as_slice(),
        rest.base().as_str().as_bytes(),
        user.name.expose(),
        user.password.expose(),
        user.domain.as_deref().unwrap_or_default().as_bytes(),
    ]);
    let own = Arc::clone(&user);
    let login = move || {
        let user = Arc::clone(&own);
        async move { user.sign_in().await }
    };
    let session = Arc::new(Session::new(ctx, key, Scheme::BEARER, login));
    Ok(Identity::User(user, session))
}

impl User {
    async fn sign_in(&self) -> Result<AccessToken> {
        let (name, password) = (self.name.expose_utf8()?, self.password.expose_utf8()?);
        let (path, mut form) = match self.product().await? {
            Product::SecretServer => (
                "/oauth2/token",
                vec![
                    ("grant_type", "password"),
                    ("password", password),
                    ("username", name),
                ],
            ),
            Product::Platform => (
                "/identity/api/oauth2/token/xpmplatform",
                vec![
                    ("client_id", name),
                    ("client_secret", password),
                    ("grant_type", "client_credentials"),
                    ("scope", "xpmheadless"),
                ],
            ),
        };
        if let (Some(domain), "/oauth2/token") = (&self.domain, path) {
            form.push(("domain", domain));
        }
        let request = self.rest.post(path).form(&form);
        let answer = self.rest.send("GetToken", request, error::sign_in).await?;
        oauth2_token(&answer, LIFE, self.rest.ctx().now())
    }

    /// Where the secrets are.
    pub(crate) async fn place(&self, session: &Session) -> Result<Address> {
        if self.product().await? == Product::SecretServer {
            return Ok(self.rest.base().clone());
        }
        let token = session.token().await?;
        let request = self.rest.get("/vaultbroker/api/vaults").bearer(&token);
        let answer = self.rest.send("ListVaults", request, error::other).await?;
        let vaults: Vaults = folded(answer.expose_body())?;
        let mut vaults = vaults.vaults.into_iter();
        let vault = vaults.find(|vault| vault.isdefault && vault.isactive);
        let url = vault.map(|vault| vault.connection.url).unwrap_or_default();
        if url.is_empty() {
            return Err(Error::invalid_spec("no configured vault found"));
        }
        Address::new("the address of the default vault", &url)
    }

    async fn product(&self) -> Result<Product> {
        self.product.get_or_try_init(|| self.probe()).await.copied()
    }

    /// An outage is not remembered: it says nothing about the product.
    async fn probe(&self) -> Result<Product> {
        let server = self.healthy("/api/v1/healthcheck").await;
        if matches!(server, Ok(true)) {
            return Ok(Product::SecretServer);
        }
        let platform = self.healthy("/health").await;
        match (server, platform) {
            (_, Ok(true)) => Ok(Product::Platform),
            (Err(error), _) | (_, Err(error)) => Err(error.context("invalid URL")),
            _ => Err(Error::invalid_spec("invalid URL")),
        }
    }

    async fn healthy(&self, path: &str) -> Result<bool> {
        let request = self.rest.get(path);
        let answer = self.rest.send("CheckHealth", request, no_outage).await?;
        let body = answer.expose_body();
        Ok(match folded::<Health>(body) {
            Ok(health) => health.healthy,
            Err(_) => String::from_utf8_lossy(body).contains("Healthy"),
        })
    }
}

/// Any answer but an outage or a throttle tells something about the product.
fn no_outage(answer: Answer) -> Result<Answer> {
    match answer.error() {
        Some(error) if matches!(error.kind(), ErrorKind::Unreachable | ErrorKind::Throttled) => {
            Err(error)
        }
        _ => Ok(answer),
    }
}
