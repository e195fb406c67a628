//! Tries inputs and watches them: for a panic, for time and for memory.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use anyhow::{Context, Result, bail};
use lockstep_fuzz::seeds;
use lockstep_fuzz::target::Target;

/// How long one input may take; generous, since a machine may be busy with other things.
const LONGEST: Duration = Duration::from_secs(30);

/// How much memory the process may hold, in bytes.
const MOST: u64 = 1 << 30;

/// What is being tried.
pub(crate) struct Watch {
    target: Target,
    seed: u64,
    current: Mutex<Option<(u64, Instant, Vec<u8>)>>,
}

impl Watch {
    pub(crate) fn new(target: Target, seed: u64) -> Self {
        Self {
            target,
            seed,
            current: Mutex::new(None),
        }
    }

    /// Watches the time from a thread beside.
    pub(crate) fn start(self: Arc<Self>) -> Result<()> {
        thread::Builder::new().spawn(move || {
            loop {
                thread::park_timeout(Duration::from_millis(200));
                self.check_time();
            }
        })?;
        Ok(())
    }

    #[expect(
        clippy::print_stdout,
        reason = "the thread that hangs cannot be stopped otherwise"
    )]
    fn check_time(&self) {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((index, began, input)) = &*current
            && began.elapsed() > LONGEST
        {
            println!("FAILED: {:#}", self.failure(*index, input, "took too long"));
            std::process::exit(1);
        }
    }

    /// Tries one input.
    pub(crate) fn run(&self, index: u64, input: Vec<u8>) -> Result<()> {
        let began = Instant::now();
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((index, began, input.clone()));
        let outcome = catch_unwind(AssertUnwindSafe(|| self.target.run(&input)));
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if outcome.is_err() {
            return Err(self.failure(index, &input, "panicked"));
        }
        // What takes no time takes no memory worth looking for.
        if began.elapsed() > Duration::from_millis(2) && resident().is_some_and(|held| held > MOST)
        {
            return Err(self.failure(index, &input, "left too much memory in use"));
        }
        Ok(())
    }

    /// Saves an input and says what it did.
    fn failure(&self, index: u64, input: &[u8], what: &str) -> anyhow::Error {
        let place = match self.save(input) {
            Ok(file) => format!("saved as {}", file.display()),
            Err(error) => format!("not saved: {error:#}"),
        };
        anyhow::anyhow!(
            "{} {what} on input {index} of seed {}, {place}",
            self.target.name(),
            self.seed
        )
    }

    fn save(&self, input: &[u8]) -> Result<PathBuf> {
        let folder = seeds::failures(self.target);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut hasher = DefaultHasher::new();
        input.hash(&mut hasher);
        let file = folder.join(format!("{:016x}", hasher.finish()));
        if input.is_empty() {
            bail!("the input is empty");
        }
        fs::write(&file, input).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(file)
    }
}

/// The memory this process holds, where the system says so.
fn resident() -> Option<u64> {
    let pages: u64 = fs::read_to_string("/proc/self/statm")
        .ok()?
        .split_whitespace()
        .nth(1)?
        .parse()
        .ok()?;
    Some(pages * 4096)
}
