//! One call to AWS: sent, repeated while that may help, counted, and its failure explained. Every
//! request to a service goes through here.

use std::error::Error as StdError;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_sts::error::SdkError;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use lockstep_provider_api::prelude::*;

use crate::auth::SignIn;
use crate::error::{self, Failure, Place};

/// Attempts of a call where the store says nothing about them.
const ATTEMPTS: u32 = 3;
/// Longest time one call may spend between attempts; the caller's own limit is not far above.
const PATIENCE: Duration = Duration::from_secs(20);
/// Longest wait before an attempt that nobody asked for.
const MAX_DELAY: Duration = Duration::from_secs(4);

/// Names of a service.
#[derive(Debug)]
pub(crate) struct Names {
    /// As upstream's SDK prints it.
    pub(crate) title: &'static str,
    /// In IAM actions.
    pub(crate) prefix: &'static str,
    /// In `externalsecret_provider_api_calls_count`.
    pub(crate) metric: &'static str,
    /// What the service keeps, for messages.
    pub(crate) noun: &'static str,
}

/// Makes the calls of one connection.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) ctx: Ctx,
    pub(crate) names: &'static Names,
    pub(crate) region: Arc<str>,
    pub(crate) sign_in: SignIn,
}

impl Caller {
    /// The same caller for another service.
    pub(crate) fn with_names(&self, names: &'static Names) -> Self {
        Self {
            names,
            ..self.clone()
        }
    }

    /// Makes a call about one object; `send` builds the request again for every attempt.
    pub(crate) async fn call<T, E, F>(
        &self,
        operation: &'static str,
        key: &str,
        send: impl Fn() -> F + Send + Sync,
    ) -> Result<T, Failure>
    where
        T: Send,
        E: ProvideErrorMetadata + StdError + Send + Sync + 'static,
        F: Future<Output = Result<T, SdkError<E, HttpResponse>>> + Send,
    {
        let subject = format!("{} {key:?}", self.names.noun);
        let place = Place {
            service: self.names.title,
            prefix: self.names.prefix,
            operation,
            subject: &subject,
            region: &self.region,
            who: self.sign_in.who(),
        };
        let result = self.attempts(&place, send).await;
        let outcome = result.as_ref().map(|_| ());
        let outcome = outcome.map_err(|failure| failure.error.duplicate());
        drop(
            self.ctx
                .counted(self.names.metric, counted(operation), outcome),
        );
        if let Err(failure) = &result
            && *failure.error.kind() == ErrorKind::Unauthenticated
        {
            self.sign_in.forget().await;
        }
        result
    }

    async fn attempts<T, E, F>(
        &self,
        place: &Place<'_>,
        send: impl Fn() -> F + Send + Sync,
    ) -> Result<T, Failure>
    where
        T: Send,
        E: ProvideErrorMetadata + StdError + Send + Sync + 'static,
        F: Future<Output = Result<T, SdkError<E, HttpResponse>>> + Send,
    {
        let settings = self.ctx.retry();
        let most = settings.map_or(ATTEMPTS, |settings| {
            settings.max_retries.unwrap_or(ATTEMPTS)
        });
        let fixed = settings.and_then(|settings| settings.interval);
        let mut waited = Duration::ZERO;
        let mut attempt = 1;
        loop {
            let failure = match Box::pin(send()).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error::of(&error, place),
            };
            if !failure.is_transient() {
                return Err(failure);
            }
            let told = failure.error.retry_after();
            let delay = told.or(fixed).unwrap_or_else(|| back_off(attempt));
            waited += delay;
            // No attempts at all means any number of them.
            if (most != 0 && attempt >= most) || waited > PATIENCE {
                return Err(failure.exhausted(attempt));
            }
            self.ctx.time().sleep(delay).await;
            attempt += 1;
        }
    }
}

/// Exponential with full jitter, as AWS asks its clients to do.
fn back_off(attempt: u32) -> Duration {
    let most = Duration::from_secs(1) * 2_u32.saturating_pow(attempt.min(8) - 1);
    most.min(MAX_DELAY).mul_f64(fastrand::f64())
}

/// The name of an operation in metrics, where upstream's differs.
fn counted(operation: &'static str) -> &'static str {
    match operation {
        "DescribeParameters" => "DescribeParameter",
        other => other,
    }
}
