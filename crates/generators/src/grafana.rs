//! `Grafana`: a token of a service account, which is made where it does not exist. Clean-up deletes
//! the token; the account stays, because others may use it.

use jiff::SignedDuration;
use lockstep_provider_api::http::{Answer, HttpClient, RequestBuilder, StatusCode, Tls};
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_api::{
    Ctx, Error, Generated, Generator, Random, Result, SecretMap, SecretValue,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::refusal::{explanation, refusal};

const EXPLANATIONS: &[&str] = &["/message"];

/// `spec` of a Grafana.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
    url: String,
    #[serde(default)]
    auth: Auth,
    service_account: ServiceAccount,
}

#[derive(Default, Deserialize)]
struct Auth {
    token: Option<SecretKeySelector>,
    basic: Option<Basic>,
}

#[derive(Deserialize)]
struct Basic {
    username: String,
    password: SecretKeySelector,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServiceAccount {
    name: String,
    role: String,
    seconds_to_live: Option<i64>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct State {
    service_account: Held,
}

#[derive(Deserialize, Serialize)]
struct Held {
    id: Option<i64>,
    login: Option<String>,
    #[serde(rename = "tokenID")]
    token_id: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    #[serde(default)]
    service_accounts: Vec<Account>,
}

#[derive(Deserialize)]
struct Account {
    id: i64,
    #[serde(default)]
    name: String,
    #[serde(default)]
    login: String,
}

#[derive(Deserialize)]
struct Token {
    id: i64,
    #[serde(default)]
    key: String,
}

pub(crate) struct Grafana;

impl Generator for Grafana {
    const KIND: &'static str = "Grafana";
    const KEEPS_STATE: bool = true;
    type Spec = Spec;

    async fn generate(spec: Spec, ctx: &Ctx, random: &mut dyn Random) -> Result<Generated> {
        let name = crate::uuid::text(random);
        let api = Api::new(&spec, ctx).await?;
        let account = match api.account(&spec.service_account).await? {
            Some(account) => account,
            None => api.create_account(&spec.service_account).await?,
        };
        let mut body = json!({ "name": name });
        let lifetime = spec
            .service_account
            .seconds_to_live
            .filter(|life| *life > 0);
        if let Some(seconds) = lifetime {
            body["secondsToLive"] = json!(seconds);
        }
        let token: Token = api.create_token(&account, &body).await?;
        if token.key.is_empty() {
            return Err(Error::invalid_data("the answer of Grafana has no token"));
        }
        let state = State {
            service_account: Held {
                id: Some(account.id),
                login: Some(account.login.clone()),
                token_id: Some(token.id),
            },
        };
        let state = serde_json::to_value(state);
        let life = lifetime.map(SignedDuration::from_secs);
        Ok(Generated {
            values: SecretMap::from_iter([
                ("login".to_owned(), SecretValue::from(account.login)),
                ("token".to_owned(), SecretValue::from(token.key)),
            ]),
            state: Some(state.map_err(|error| Error::invalid_data(error.to_string()))?),
            expires: life.and_then(|life| ctx.now().checked_add(life).ok()),
        })
    }

    async fn cleanup(spec: Spec, state: Value, ctx: &Ctx) -> Result<()> {
        let state: State = serde_json::from_value(state).map_err(|error| {
            Error::invalid_spec(format!("error parsing generator state: {error}"))
        })?;
        let (Some(account), Some(token)) =
            (state.service_account.id, state.service_account.token_id)
        else {
            return Ok(());
        };
        Api::new(&spec, ctx)
            .await?
            .delete_token(account, token)
            .await
    }
}

enum Login {
    Token(SecretValue),
    Basic(String, SecretValue),
}

struct Api {
    http: HttpClient,
    base: String,
    login: Login,
}

impl Api {
    async fn new(spec: &Spec, ctx: &Ctx) -> Result<Self> {
        let login = match (&spec.auth.token, &spec.auth.basic) {
            (Some(token), _) => Login::Token(ctx.secret(token).await?),
            (None, Some(basic)) => {
                let password = ctx.secret(&basic.password).await?;
                Login::Basic(basic.username.clone(), password)
            }
            (None, None) => return Err(Error::invalid_spec("no auth configuration found")),
        };
        Ok(Self {
            http: ctx.http(&Tls::default())?,
            base: format!("{}/api/serviceaccounts", spec.url.trim_end_matches('/')),
            login,
        })
    }

    /// The account of that very name: the search also finds parts of names.
    async fn account(&self, wanted: &ServiceAccount) -> Result<Option<Account>> {
        let request = self.http.get(format!("{}/search", self.base));
        let request = request.query("query", &wanted.name);
        let answer = self.send(request, "GET /serviceaccounts/search").await?;
        let found: Found = answer.json()?;
        let mut accounts = found.service_accounts.into_iter();
        Ok(accounts.find(|account| account.name == wanted.name))
    }

    async fn create_account(&self, wanted: &ServiceAccount) -> Result<Account> {
        let body = json!({ "name": wanted.name, "role": wanted.role });
        let request = self.http.post(&*self.base).json(&body);
        self.send(request, "POST /serviceaccounts").await?.json()
    }

    async fn create_token(&self, account: &Account, body: &Value) -> Result<Token> {
        let url = format!("{}/{}/tokens", self.base, account.id);
        let request = self.http.post(url).json(body);
        let called = "POST /serviceaccounts/{serviceAccountId}/tokens";
        self.send(request, called).await?.json()
    }

    async fn delete_token(&self, account: i64, token: i64) -> Result<()> {
        let url = format!("{}/{account}/tokens/{token}", self.base);
        let answer = self.authorized(self.http.delete(url)).send().await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Ok(());
        }
        let called = "DELETE /serviceaccounts/{serviceAccountId}/tokens/{tokenId}";
        checked(answer, called).map(|_| ())
    }

    async fn send(&self, request: RequestBuilder, called: &str) -> Result<Answer> {
        checked(self.authorized(request).send().await?, called)
    }

    fn authorized(&self, request: RequestBuilder) -> RequestBuilder {
        let request = request.accept_json();
        match &self.login {
            Login::Token(token) => request.bearer(token),
            Login::Basic(user, password) => request.basic(user, password),
        }
    }
}

fn checked(answer: Answer, called: &str) -> Result<Answer> {
    let refused = refusal(&answer, |status| {
        format!(
            "[{called}][{status}] {}",
            explanation(&answer, EXPLANATIONS)
        )
    });
    refused.map_or(Ok(answer), Err)
}

#[cfg(test)]
mod tests;
