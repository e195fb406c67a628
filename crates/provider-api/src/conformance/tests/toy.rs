//! A small REST provider with a backend in memory, and every flaw the suite should find.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::conformance::{Subject, response, scripted};
use crate::find::NameMatcher;
use crate::http::{Answer, HttpClient, Page, Tls, Transport, encode_component, pages};
use crate::json::json_object;
use crate::prelude::*;
use crate::property::{Dots, extract_wanted};

/// What the provider does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) enum Flaw {
    None,
    DeniedIsAbsent,
    DropIsAbsent,
    ForgetsRetryAfter,
    GarbageIsAbsent,
    FirstPageOnly,
    SwallowsPages,
    TextOnly,
    TrimsPushes,
    ShowsBody,
    ShowsBodyInSource,
    ClaimsTags,
    HidesDelete,
    ClaimsVersions,
    AlwaysCreated,
    KeepsDeleted,
    RefusesSecondDelete,
    ReversedBatch,
    BatchOfSingles,
    PartsByOtherDots,
    PartsInOtherWords,
    StaysBusy,
}

#[derive(Clone, Deserialize, JsonSchema)]
pub(super) struct ToySpec {
    flaw: Flaw,
}

pub(super) struct Toy;

impl Provider for Toy {
    const NAME: &'static str = "toy";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = ToySpec;
    type Store = ToyStore;

    fn validate(_: &ToySpec, _: &Scope) -> Result<Warnings> {
        Ok(Warnings::new())
    }

    fn capabilities(spec: &ToySpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: spec.flaw != Flaw::HidesDelete,
            exists: true,
            find_by_name: true,
            find_by_tags: spec.flaw == Flaw::ClaimsTags,
            versions: spec.flaw == Flaw::ClaimsVersions,
            batch: 100,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: ToySpec, ctx: Ctx) -> Result<ToyStore> {
        Ok(ToyStore {
            flaw: spec.flaw,
            http: ctx.http(&Tls::default())?,
            busy: AtomicBool::new(false),
        })
    }
}

pub(super) struct ToyStore {
    flaw: Flaw,
    http: HttpClient,
    busy: AtomicBool,
}

#[derive(Deserialize)]
struct List {
    names: Vec<String>,
    next: Option<String>,
}

impl ToyStore {
    fn url(key: &str) -> String {
        format!("http://toy/s/{}", encode_component(key))
    }

    fn check_answer(&self, answer: Answer) -> Result<Answer> {
        let body = String::from_utf8_lossy(answer.expose_body()).into_owned();
        let Some(error) = answer.error() else {
            return Ok(answer);
        };
        Err(match (self.flaw, error.kind()) {
            (Flaw::DeniedIsAbsent, ErrorKind::Denied) => Error::not_found(),
            (Flaw::ForgetsRetryAfter, kind) => Error::new(kind.clone(), error.to_string()),
            (Flaw::ShowsBody, _) => error.context(body),
            (Flaw::ShowsBodyInSource, _) => error.with_source(Error::invalid_data(body)),
            _ => error,
        })
    }

    async fn read(&self, key: &str) -> Result<SecretValue> {
        let sent = self.http.get(Self::url(key)).send().await;
        if self.flaw == Flaw::DropIsAbsent && sent.is_err() {
            return Err(Error::not_found());
        }
        let value = self.check_answer(sent?)?.into_secret();
        match self.flaw {
            Flaw::GarbageIsAbsent if value.expose().starts_with(b"<") => Err(Error::not_found()),
            Flaw::TextOnly => Ok(String::from_utf8_lossy(value.expose()).into_owned().into()),
            _ => Ok(value),
        }
    }

    async fn page(&self, after: Option<String>) -> Result<Page<String>> {
        let first = after.is_none();
        let request = self.http.get("http://toy/list");
        let sent = request.query_some("after", after.as_deref()).send().await;
        let answer = sent.and_then(|answer| self.check_answer(answer));
        if self.flaw == Flaw::SwallowsPages && !first && answer.is_err() {
            return Ok(Page {
                items: Vec::new(),
                next: None,
            });
        }
        let list: List = answer?.json()?;
        Ok(Page {
            items: list.names,
            next: list.next.filter(|_| self.flaw != Flaw::FirstPageOnly),
        })
    }
}

impl Store for ToyStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        if self.flaw == Flaw::StaysBusy && self.busy.swap(true, Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        let read = self.read(&reference.key).await;
        self.busy.store(false, Ordering::SeqCst);
        extract_wanted(read?, reference, Dots::Raw)
    }

    async fn get_many(&self, references: &[RemoteRef]) -> Vec<Result<SecretValue>> {
        let keys: Vec<&str> = references.iter().map(|of| of.key.as_str()).collect();
        let mut answers = Vec::new();
        if self.flaw == Flaw::BatchOfSingles {
            for reference in references {
                answers.push(Store::get(self, reference).await);
            }
            return answers;
        }
        let sent = self.http.post("http://toy/batch").json(&keys).send().await;
        let read = sent.and_then(|answer| self.check_answer(answer)?.json());
        let values: BTreeMap<String, Vec<u8>> = match read {
            Ok(values) => values,
            Err(error) => return references.iter().map(|_| Err(error.duplicate())).collect(),
        };
        for key in keys {
            let value = values.get(key).cloned();
            answers.push(value.map(SecretValue::new).ok_or_else(Error::not_found));
        }
        if self.flaw == Flaw::ReversedBatch {
            answers.reverse();
        }
        answers
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        read.value_read()
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let dots = match self.flaw {
            Flaw::PartsByOtherDots => Dots::EscapedThenRaw,
            _ => Dots::Raw,
        };
        let wanted = |value: &SecretValue, reference: &RemoteRef| {
            extract_wanted(value.clone(), reference, dots)
        };
        let part = read.extract_from_value(containing, wanted, |value, _| json_object(value));
        match self.flaw {
            Flaw::PartsInOtherWords => part.map_err(|error| error.context("in part")),
            _ => part,
        }
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        let Some(pattern) = &find.name else {
            return Err(Error::unsupported("only names can be searched for"));
        };
        let matcher = NameMatcher::new(pattern)?;
        let names = pages(|after| self.page(after)).await?;
        let mut found = SecretMap::new();
        for name in names.into_iter().filter(|name| matcher.matches(name)) {
            let value = self.read(&name).await?;
            found.insert(name, value);
        }
        Ok(found)
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        let key = &item.target.remote_key;
        let mut value = item.value()?;
        if self.flaw == Flaw::TrimsPushes {
            value = SecretValue::from(value.expose().trim_ascii());
        }
        let old = match self.read(key).await {
            Err(error) if error.kind() == &ErrorKind::NotFound => None,
            old => Some(old?),
        };
        if old.as_ref() == Some(&value) && self.flaw != Flaw::AlwaysCreated {
            return Ok(Pushed::Unchanged);
        }
        let body = value.expose().to_vec();
        let sent = self.http.put(Self::url(key)).body("x", body).send().await?;
        self.check_answer(sent)?;
        Ok(match old {
            Some(_) if self.flaw != Flaw::AlwaysCreated => Pushed::Updated,
            _ => Pushed::Created,
        })
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        if self.flaw == Flaw::KeepsDeleted {
            return Ok(());
        }
        let sent = self
            .http
            .delete(Self::url(&target.remote_key))
            .send()
            .await?;
        match self.check_answer(sent) {
            Err(error)
                if error.kind() == &ErrorKind::NotFound
                    && self.flaw != Flaw::RefusesSecondDelete =>
            {
                Ok(())
            }
            done => done.map(drop),
        }
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        match self.read(&target.remote_key).await {
            Err(error) if error.kind() == &ErrorKind::NotFound => Ok(false),
            read => read.map(|_| true),
        }
    }
}

type Kept = BTreeMap<String, Vec<u8>>;

/// The toy with its backend.
pub(super) struct ToySubject {
    pub(super) flaw: Flaw,
    kept: Arc<Mutex<Kept>>,
}

impl ToySubject {
    pub(super) fn new(flaw: Flaw) -> Self {
        Self {
            flaw,
            kept: Arc::default(),
        }
    }
}

impl Subject for ToySubject {
    type Provider = Toy;

    fn spec(&self) -> serde_json::Value {
        json!({ "flaw": self.flaw })
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let kept = Arc::clone(&self.kept);
        Some(scripted(move |request| {
            serve(&mut kept.lock().unwrap(), &request)
        }))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let mut kept = self.kept.lock().unwrap();
        kept.insert(key.to_owned(), value.expose().to_vec());
        Ok(())
    }
}

fn serve(kept: &mut Kept, request: &Request<Bytes>) -> Response<Bytes> {
    let path = request.uri().path();
    if path == "/list" {
        let after = request
            .uri()
            .query()
            .and_then(|query| query.strip_prefix("after="));
        let rest = kept
            .keys()
            .filter(|key| after.is_none_or(|after| key.as_str() > after));
        let names: Vec<_> = rest.take(10).cloned().collect();
        let next = names.last().filter(|_| names.len() == 10);
        return response(200, json!({ "next": next, "names": names }).to_string());
    }
    if path == "/batch" {
        let keys: Vec<String> = serde_json::from_slice(request.body()).unwrap();
        let held: BTreeMap<_, _> = keys
            .iter()
            .filter_map(|key| kept.get_key_value(key))
            .collect();
        return response(200, json!(held).to_string());
    }
    let key = path.trim_start_matches("/s/").to_owned();
    let held = match request.method().as_str() {
        "PUT" => {
            kept.insert(key, request.body().to_vec());
            Some(Vec::new())
        }
        "DELETE" => kept.remove(&key),
        _ => kept.get(&key).cloned(),
    };
    match held {
        Some(body) => response(200, body),
        None => response(404, Bytes::new()),
    }
}
