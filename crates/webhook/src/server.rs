//! Answers admission reviews over HTTP under the paths that webhook configurations name, and counts
//! them under controller-runtime's names. What is refused is decided by [`review()`](crate::review()).

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use lockstep_runtime::clock::Stopwatch;
use lockstep_runtime::metrics::{Counters, Family, Gauge, Histogram, Kind, Page, Rows};
use lockstep_runtime::serve::{Body, Handler};
use serde_json::Value;

/// The paths, one a kind.
pub const PATHS: [&str; 3] = [
    "/validate-external-secrets-io-v1-clustersecretstore",
    "/validate-external-secrets-io-v1-externalsecret",
    "/validate-external-secrets-io-v1-secretstore",
];

/// Largest review: two objects of the API server's limit, and some more.
const LIMIT: usize = 8 << 20;

const BOUNDS: &[f64] = &[
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];
const REQUESTS: &str = "controller_runtime_webhook_requests_total";
const LATENCY: &str = "controller_runtime_webhook_latency_seconds";
const IN_FLIGHT: &str = "controller_runtime_webhook_requests_in_flight";

/// What the webhook counts.
#[derive(Debug)]
pub struct Reviews {
    answered: Counters<2>,
    latency: [Histogram; 3],
    in_flight: [Gauge; 3],
}

impl Default for Reviews {
    fn default() -> Self {
        Self {
            answered: Counters::new(["code", "webhook"]),
            latency: std::array::from_fn(|_| Histogram::new(BOUNDS)),
            in_flight: Default::default(),
        }
    }
}

/// The handler of all paths.
pub fn handler(reviews: Arc<Reviews>) -> Handler {
    Arc::new(move |request| {
        let reviews = Arc::clone(&reviews);
        async move { reviews.answer(request).await }.boxed()
    })
}

impl Reviews {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let path = request.uri().path();
        let Some(place) = PATHS.iter().position(|known| *known == path) else {
            return plain(StatusCode::NOT_FOUND, "404 page not found\n");
        };
        if request.method() != Method::POST {
            return plain(
                StatusCode::METHOD_NOT_ALLOWED,
                "only POST is answered here\n",
            );
        }
        let (began, path) = (Stopwatch::start(), PATHS[place]);
        self.in_flight[place].add(1);
        let answer = reviewed(request.into_body()).await;
        self.in_flight[place].add(-1);
        self.latency[place].observe(began.elapsed());
        let code = Cow::Owned(answer.status().as_u16().to_string());
        self.answered.add([code, Cow::Borrowed(path)]);
        answer
    }
}

async fn reviewed(body: Incoming) -> Response<Body> {
    let Ok(read) = Limited::new(body, LIMIT).collect().await else {
        return plain(StatusCode::BAD_REQUEST, "the review could not be read\n");
    };
    let Ok(request) = serde_json::from_slice::<Value>(&read.to_bytes()) else {
        return plain(StatusCode::BAD_REQUEST, "the review is not JSON\n");
    };
    let answer = crate::review(&request);
    let mut response = Response::new(Full::new(Bytes::from(answer.to_string())).boxed_unsync());
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed_unsync());
    *response.status_mut() = status;
    response
}

impl Rows for Reviews {
    fn families(&self) -> &'static [Family] {
        &[
            Family {
                name: LATENCY,
                kind: Kind::Histogram,
                help: "Time to answer a review",
            },
            Family {
                name: IN_FLIGHT,
                kind: Kind::Gauge,
                help: "Reviews being answered",
            },
        ]
    }

    fn page(&self, family: &Family, _: Option<String>, page: &mut Page<'_>) -> Option<String> {
        for (place, path) in PATHS.iter().enumerate() {
            let labels = [("webhook", *path)];
            if family.name == LATENCY {
                self.latency[place].render(page.text(), LATENCY, &labels);
            } else {
                let now = i32::try_from(self.in_flight[place].get()).unwrap_or(i32::MAX);
                page.sample(&labels, f64::from(now));
            }
        }
        // A family that writes its own heading, and only once something was counted.
        if family.name == IN_FLIGHT {
            self.answered.render(
                page.text(),
                REQUESTS,
                "Number of answered reviews, by status code",
            );
        }
        None
    }
}
