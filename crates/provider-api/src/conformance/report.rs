//! What the suite found, check by check.

use std::fmt;

/// A check of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// Statuses and broken connections become the right kinds of error.
    ErrorKinds,
    /// `Retry-After` reaches the caller.
    RetryAfter,
    /// An answer that makes no sense is never absence.
    GarbledAnswers,
    /// Lists are read to their end.
    Paging,
    /// A list that breaks is an error, not half a list.
    PartialLists,
    /// Values of every shape come back as they are.
    Values,
    /// Pushed values of every shape come back as they are.
    PushedValues,
    /// A push says truly what it did, and `exists` agrees with it.
    Writes,
    /// What was deleted is gone, and deleting it again succeeds.
    Deletes,
    /// `Capabilities` says what is true, no more and no less.
    Capabilities,
    /// A batch reads what single reads do.
    Batches,
    /// Parts of a wider read are what the reads themselves give.
    SharedReads,
    /// Dropping a call leaves the store usable.
    Cancellation,
    /// No value in any error or debug output.
    Leaks,
}

/// Outcome of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All is well.
    Passed,
    /// The check says nothing of this provider, and why.
    Skipped(String),
    /// What is wrong, one line a fault.
    Failed(Vec<String>),
}

/// Outcome of the suite.
#[derive(Clone, Debug)]
pub struct Report {
    provider: &'static str,
    verdicts: Vec<(Topic, Verdict)>,
}

impl Report {
    pub(super) fn new(provider: &'static str, verdicts: Vec<(Topic, Verdict)>) -> Self {
        Self { provider, verdicts }
    }

    /// The verdict on one check.
    pub fn verdict(&self, topic: Topic) -> Option<&Verdict> {
        let found = self.verdicts.iter().find(|(checked, _)| *checked == topic);
        found.map(|(_, verdict)| verdict)
    }

    /// The checks that failed.
    pub fn failed(&self) -> Vec<Topic> {
        self.topics(|verdict| matches!(verdict, Verdict::Failed(_)))
    }

    /// The checks that say nothing of this provider.
    pub fn skipped(&self) -> Vec<Topic> {
        self.topics(|verdict| matches!(verdict, Verdict::Skipped(_)))
    }

    /// Ends the test with the whole report unless every check passed or was skipped.
    #[track_caller]
    pub fn assert_passed(&self) {
        assert!(self.failed().is_empty(), "{self}");
    }

    fn topics(&self, wanted: impl Fn(&Verdict) -> bool) -> Vec<Topic> {
        let matching = self.verdicts.iter().filter(|(_, verdict)| wanted(verdict));
        matching.map(|(topic, _)| *topic).collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "conformance of provider {}", self.provider)?;
        for (topic, verdict) in &self.verdicts {
            match verdict {
                Verdict::Passed => writeln!(f, "  passed   {topic:?}")?,
                Verdict::Skipped(reason) => writeln!(f, "  skipped  {topic:?}: {reason}")?,
                Verdict::Failed(faults) => {
                    writeln!(f, "  failed   {topic:?}")?;
                    for fault in faults {
                        writeln!(f, "             {fault}")?;
                    }
                }
            }
        }
        Ok(())
    }
}
