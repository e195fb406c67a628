//! Series by object, written while a scrape runs. A source hands out its samples page by page, so
//! it holds its lock for one page only and a scrape of any size needs the memory of one page.

use super::text::{Kind, Text};

/// Name, type and description of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// Name as dashboards know it.
    pub name: &'static str,
    /// Type.
    pub kind: Kind,
    /// One line of help.
    pub help: &'static str,
}

/// A source of samples.
pub trait Rows: Send + Sync {
    /// The families it has, in the order they are written.
    fn families(&self) -> &'static [Family];

    /// Writes samples of `family` after `cursor` (from the start for `None`) until there are no
    /// more or the page is full. Returns where to go on, or `None` at the end.
    fn page(&self, family: &Family, cursor: Option<String>, page: &mut Page<'_>) -> Option<String>;
}

/// One page of samples of one family.
pub struct Page<'a> {
    text: &'a mut Text,
    name: &'static str,
    limit: usize,
}

impl<'a> Page<'a> {
    pub(super) fn new(text: &'a mut Text, name: &'static str, limit: usize) -> Self {
        Self { text, name, limit }
    }

    /// Writes one sample.
    pub fn sample(&mut self, labels: &[(&str, &str)], value: f64) {
        self.text.sample(self.name, labels, value);
    }

    /// Whether the source should stop here and say where to go on.
    pub fn is_full(&self) -> bool {
        self.text.len() >= self.limit
    }

    /// The text itself, for families of other shapes such as histograms.
    pub fn text(&mut self) -> &mut Text {
        self.text
    }
}
