//! Logs as upstream's zap writes them: JSON lines with `level`, `ts`, `logger` and `msg`, fields
//! inline; or a console form for people. To stderr, filtered by level, floods thinned out. Only our
//! own code is heard: libraries may log what they received, secret values included.

use std::io::{self, Write};
use std::panic::PanicHookInfo;

use tracing::level_filters::LevelFilter;
use tracing::subscriber::SetGlobalDefaultError;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::Registry;

mod encode;
mod layer;
mod sample;
mod times;

pub use times::TimeEncoding;

#[cfg(test)]
mod tests;

/// How to log.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Least weight that is logged.
    pub level: Level,
    /// Form of lines.
    pub format: Format,
    /// Form of times.
    pub times: TimeEncoding,
}

/// Upstream's levels. The three above error are never used by us, so they silence the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Everything of use to a developer.
    Debug,
    /// Start, stop, changes.
    #[default]
    Info,
    /// What may need attention.
    Warn,
    /// What failed.
    Error,
    /// Nothing of ours.
    Dpanic,
    /// Nothing of ours.
    Panic,
    /// Nothing of ours.
    Fatal,
}

/// Form of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line.
    #[default]
    Json,
    /// Columns for people.
    Console,
}

impl std::str::FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "debug" => Self::Debug,
            "info" | "" => Self::Info,
            "warn" | "warning" => Self::Warn,
            "error" => Self::Error,
            "dpanic" => Self::Dpanic,
            "panic" => Self::Panic,
            "fatal" => Self::Fatal,
            _ => {
                return Err(format!(
                    "unrecognized level: {text:?}; use debug, info, warn, error, dpanic, panic or fatal"
                ));
            }
        })
    }
}

impl Level {
    fn filter(self) -> LevelFilter {
        match self {
            Self::Debug => LevelFilter::DEBUG,
            Self::Info => LevelFilter::INFO,
            Self::Warn => LevelFilter::WARN,
            Self::Error => LevelFilter::ERROR,
            Self::Dpanic | Self::Panic | Self::Fatal => LevelFilter::OFF,
        }
    }
}

/// Starts logging for the whole process, panics included. Fails when logging was started before.
pub fn init(settings: Settings) -> Result<(), SetGlobalDefaultError> {
    let layer = layer::Output::new(settings, |line: &[u8]| {
        // Nowhere is left to tell that stderr is gone.
        let _ = io::stderr().lock().write_all(line);
    });
    tracing::subscriber::set_global_default(Registry::default().with(layer))?;
    std::panic::set_hook(Box::new(log_panic));
    Ok(())
}

fn log_panic(info: &PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string);
    let place = place.unwrap_or_default();
    let panic = info.payload_as_str().unwrap_or("panic without text");
    tracing::error!(%place, %panic, "panic");
}
