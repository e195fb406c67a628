//! The tracing layer behind the log: what passes, and how a line is put together.

use std::fmt::Write;

use jiff::Timestamp;
use lockstep_provider_api::context::Time;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::encode::{Fields, string};
use super::sample::Sampler;
use super::{Format, Settings, TimeEncoding};
use crate::clock::SystemTime;

/// First words of the targets that are ours: our crates, and the logger names upstream has.
const OURS: [&str; 4] = ["controllers", "setup", "clientmanager", "webhook"];

/// Writes events as lines.
pub(super) struct Output<W> {
    settings: Settings,
    filter: LevelFilter,
    sampler: Sampler,
    write: W,
}

impl<W: Fn(&[u8])> Output<W> {
    pub(super) fn new(settings: Settings, write: W) -> Self {
        Self {
            filter: settings.level.filter(),
            settings,
            sampler: Sampler::default(),
            write,
        }
    }

    fn wants(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.filter && is_ours(metadata.target())
    }

    fn line(&self, metadata: &Metadata<'_>, at: Timestamp, fields: &Fields) -> String {
        let logger = logger(metadata.target());
        let level = word(*metadata.level());
        let mut line = String::with_capacity(256);
        match self.settings.format {
            Format::Json => {
                // Writing to a string cannot fail.
                let _ = write!(line, "{{\"level\":\"{level}\",\"ts\":");
                self.settings.times.write(&mut line, at);
                line.push_str(",\"logger\":");
                string(&mut line, &logger);
                line.push_str(",\"msg\":");
                string(&mut line, &fields.message);
                line.push_str(&fields.members);
                line.push('}');
            }
            Format::Console => {
                let mut time = String::new();
                TimeEncoding::Rfc3339.write(&mut time, at);
                let time = time.trim_matches('"');
                let message = &fields.message;
                let _ = write!(line, "{time}\t{level}\t{logger}\t{message}");
                if let Some(members) = fields.members.strip_prefix(',') {
                    let _ = write!(line, "\t{{{members}}}");
                }
            }
        }
        line.push('\n');
        line
    }
}

/// Fields of a span, as JSON members.
struct SpanMembers(String);

impl<S, W> Layer<S> for Output<W>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: Fn(&[u8]) + 'static,
{
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.wants(metadata) {
            Interest::always()
        } else {
            Interest::never()
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        self.wants(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.filter)
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(SpanMembers(fields.members));
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        if let Some(span) = context.span(id)
            && let Some(known) = span.extensions_mut().get_mut::<SpanMembers>()
        {
            known.0.push_str(&fields.members);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let metadata = event.metadata();
        let at = SystemTime.now();
        if !self.sampler.passes(&metadata.callsite(), at.as_second()) {
            return;
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        for span in context.event_scope(event).into_iter().flatten() {
            if let Some(members) = span.extensions().get::<SpanMembers>() {
                fields.members.push_str(&members.0);
            }
        }
        (self.write)(self.line(metadata, at, &fields).as_bytes());
    }
}

fn is_ours(target: &str) -> bool {
    let first = target.split(['.', ':']).next().unwrap_or_default();
    first == "lockstep" || first.starts_with("lockstep_") || OURS.contains(&first)
}

/// A module's path as a logger name: `lockstep_runtime::watch` is `runtime.watch`.
fn logger(target: &str) -> String {
    target.trim_start_matches("lockstep_").replace("::", ".")
}

fn word(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error",
        Level::WARN => "warn",
        Level::INFO => "info",
        Level::DEBUG | Level::TRACE => "debug",
    }
}
