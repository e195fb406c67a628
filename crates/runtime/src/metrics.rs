//! What the program tells Prometheus, under upstream's names. Fixed series live here as plain
//! counters; series by object are never kept but rendered from [`Rows`] while a scrape is written,
//! page by page, so that a scrape needs the memory of one page.

use std::borrow::Cow;
use std::sync::Arc;

use lockstep_provider_api::context::{CallOutcome, CallRecorder};
use parking_lot::Mutex;

mod controller;
mod process;
mod rows;
mod text;
mod value;

pub use controller::{ControllerMetrics, QueueState, Run, RunResult, Waiting};
pub use rows::{Family, Page, Rows};
pub use text::{Kind, Text};
pub use value::{Counter, Counters, Gauge, Histogram, number};

/// Bytes after which a page of a scrape is handed on.
const PAGE: usize = 16 * 1024;

/// Every series of the process.
pub struct Metrics {
    controllers: Mutex<Vec<Arc<ControllerMetrics>>>,
    rows: Mutex<Vec<Arc<dyn Rows>>>,
    leader: Mutex<Option<(String, bool)>>,
    provider_calls: Counters<3>,
    api_requests: Counters<3>,
    task_restarts: Counters<1>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            controllers: Mutex::default(),
            rows: Mutex::default(),
            leader: Mutex::default(),
            provider_calls: Counters::new(["provider", "call", "status"]),
            api_requests: Counters::new(["code", "method", "host"]),
            task_restarts: Counters::new(["task"]),
        }
    }
}

impl Metrics {
    /// The series of a controller, made when first asked for.
    pub fn controller(&self, name: &'static str) -> Arc<ControllerMetrics> {
        let mut controllers = self.controllers.lock();
        if let Some(known) = controllers.iter().find(|known| known.name() == name) {
            return Arc::clone(known);
        }
        let new = Arc::new(ControllerMetrics::new(name));
        controllers.push(Arc::clone(&new));
        controllers.sort_by_key(|controller| controller.name());
        new
    }

    /// Adds families whose samples are rendered at scrape.
    pub fn add_rows(&self, rows: Arc<dyn Rows>) {
        self.rows.lock().push(rows);
    }

    /// Counts an answered request to the API server. Transport failures have the code `<error>`.
    pub fn api_request(&self, code: Cow<'static, str>, method: &http::Method, host: &str) {
        let method = Cow::Owned(method.as_str().to_owned());
        self.api_requests
            .add([code, method, Cow::Owned(host.to_owned())]);
    }

    /// Shows the restarts of a background task from its start on.
    pub fn task_started(&self, task: &'static str) {
        self.task_restarts.show([task.into()]);
    }

    /// Counts a background task that panicked and was started again.
    pub fn task_restarted(&self, task: &'static str) {
        self.task_restarts.add([task.into()]);
    }

    /// Tells whether this process holds the lease of that name.
    pub fn set_leader(&self, lease: &str, leads: bool) {
        *self.leader.lock() = Some((lease.to_owned(), leads));
    }

    /// One scrape: pages of text in Prometheus' exposition format.
    pub fn scrape(self: &Arc<Self>) -> Scrape {
        Scrape {
            metrics: Arc::clone(self),
            rows: self.rows.lock().clone(),
            stage: Stage::Fixed,
        }
    }

    fn fixed(&self, text: &mut Text) {
        self.provider_calls.render(
            text,
            "externalsecret_provider_api_calls_count",
            "Number of API calls towards the secret provider",
        );
        self.api_requests.render(
            text,
            "rest_client_requests_total",
            "Number of HTTP requests to the API server, by status code, method and host",
        );
        self.task_restarts.render(
            text,
            "lockstep_background_task_restarts_total",
            "Number of restarts of background tasks that panicked, by task",
        );
        if let Some((name, leads)) = self.leader.lock().as_ref() {
            text.family(
                "leader_election_master_status",
                Kind::Gauge,
                "Whether this process holds the lease: 1 for leader, 0 for standby",
            );
            let leads = if *leads { 1.0 } else { 0.0 };
            text.sample("leader_election_master_status", &[("name", name)], leads);
        }
        controller::render(&self.controllers.lock(), text);
        process::render(text);
    }
}

impl CallRecorder for Metrics {
    fn record(&self, provider: &'static str, call: &'static str, outcome: CallOutcome) {
        let status = match outcome {
            CallOutcome::Success => "success",
            CallOutcome::Error => "error",
        };
        self.provider_calls
            .add([provider.into(), call.into(), status.into()]);
    }
}

/// The pages of one scrape.
pub struct Scrape {
    metrics: Arc<Metrics>,
    rows: Vec<Arc<dyn Rows>>,
    stage: Stage,
}

enum Stage {
    Fixed,
    Rows {
        source: usize,
        family: usize,
        cursor: Option<String>,
    },
}

impl Scrape {
    fn rows_page(&mut self, text: &mut Text) -> bool {
        let Stage::Rows {
            source,
            family,
            cursor,
        } = &mut self.stage
        else {
            return false;
        };
        while let Some(rows) = self.rows.get(*source) {
            let Some(wanted) = rows.families().get(*family) else {
                (*source, *family) = (*source + 1, 0);
                continue;
            };
            if cursor.is_none() {
                text.family(wanted.name, wanted.kind, wanted.help);
            }
            let mut page = Page::new(text, wanted.name, PAGE);
            *cursor = rows.page(wanted, cursor.take(), &mut page);
            if cursor.is_none() {
                *family += 1;
            }
            if text.len() >= PAGE {
                return true;
            }
        }
        false
    }
}

impl Iterator for Scrape {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let mut text = Text::default();
        if matches!(self.stage, Stage::Fixed) {
            self.metrics.fixed(&mut text);
            self.stage = Stage::Rows {
                source: 0,
                family: 0,
                cursor: None,
            };
            return Some(text.into_string());
        }
        self.rows_page(&mut text);
        let text = text.into_string();
        (!text.is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests;
