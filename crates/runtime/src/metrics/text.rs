//! Prometheus' text format: families, samples, escaping, and numbers as Go writes them, so that
//! label values such as `le="1e-08"` are those dashboards know.

use std::fmt::Write;

use lockstep_golang::float;

/// Type of a metric family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Buckets, sum and count.
    Histogram,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// Exposition text being written.
#[derive(Debug, Default)]
pub struct Text(String);

impl Text {
    /// Starts a family.
    pub fn family(&mut self, name: &str, kind: Kind, help: &str) {
        let kind = kind.word();
        let help = help.replace('\\', r"\\").replace('\n', r"\n");
        // Writing to a string cannot fail.
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    /// Writes one sample.
    pub fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        self.0.push_str(name);
        for (place, (label, text)) in labels.iter().enumerate() {
            self.0.push(if place == 0 { '{' } else { ',' });
            self.0.push_str(label);
            self.0.push_str("=\"");
            self.escaped(text);
            self.0.push('"');
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        self.0.push(' ');
        self.0.push_str(&float::general(value));
        self.0.push('\n');
    }

    fn escaped(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '\\' => self.0.push_str(r"\\"),
                '"' => self.0.push_str("\\\""),
                '\n' => self.0.push_str(r"\n"),
                other => self.0.push(other),
            }
        }
    }

    /// Bytes written.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is written yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}
