//! Host names that providers have built in and that the scripted backend answers for
//! (`tests/cases/backends/script-hosts.txt`). Says which areas need them, and the hosts file that
//! makes them lead to the script.

use anyhow::{Context, Result};
use lockstep_testkit::place;

/// The hosts file of a machine that knows nobody.
pub(super) const LOCAL: &str = "127.0.0.1 localhost\n";
/// Where the script listens for these names.
pub(super) const ADDRESS: &str = "127.0.0.20";
/// Tells the script that the names lead to it.
pub(super) const ADDRESS_VARIABLE: &str = "SCRIPT_HOSTS_ADDR";

/// Whether a case of the area has a route for one of the names.
pub(super) fn are_named_in(area: &str) -> bool {
    let Ok(names) = names() else {
        return false;
    };
    let folder = place::workspace().join("tests/cases/cases").join(area);
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .filter_map(|file| std::fs::read_to_string(file.path()).ok())
        .any(|case| case.contains("name: script") && names.iter().any(|name| case.contains(name)))
}

/// The hosts file in which every name leads to the script.
pub(super) fn file() -> Result<String> {
    let lines = names()?
        .into_iter()
        .map(|name| format!("{ADDRESS} {name}\n"));
    Ok(LOCAL.to_owned() + &lines.collect::<String>())
}

fn names() -> Result<Vec<String>> {
    let path = place::workspace().join("tests/cases/backends/script-hosts.txt");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines();
    let names = lines.map(|line| line.split('#').next().unwrap_or_default().trim());
    Ok(names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect())
}
