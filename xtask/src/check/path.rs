//! The path of one sync as ARCHITECTURE.md lists it: every file and function it names exists. Reads
//! source text only; whether the functions call each other in that order is not checked.

use std::path::Path;

use anyhow::{Context, Result};

const PAGE: &str = "ARCHITECTURE.md";
const HEADING: &str = "## Path of one sync";

/// One line of the list.
#[derive(Debug, PartialEq, Eq)]
struct Station {
    file: String,
    function: String,
}

/// Every station that is no longer there, as sentences.
pub(super) fn problems(root: &Path) -> Result<Vec<String>> {
    let page = std::fs::read_to_string(root.join(PAGE)).context(PAGE)?;
    let stations = stations(&page);
    if stations.is_empty() {
        return Ok(vec![format!("{PAGE}: no station below {HEADING:?}")]);
    }
    let missing = stations.iter().filter_map(|station| {
        let source = std::fs::read_to_string(root.join(&station.file)).ok();
        missing(station, source.as_deref())
    });
    Ok(missing.collect())
}

/// The rows of the table below the heading whose first two cells with code are a file and a function.
fn stations(page: &str) -> Vec<Station> {
    let section = page.split(HEADING).nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with('|'));
    rows.filter_map(|row| {
        let mut code = row.split('`').skip(1).step_by(2);
        let (file, function) = (code.next()?, code.next()?);
        (Path::new(file).extension() == Some("rs".as_ref())).then(|| Station {
            file: file.to_owned(),
            function: function.to_owned(),
        })
    })
    .collect()
}

fn missing(station: &Station, source: Option<&str>) -> Option<String> {
    let Station { file, function } = station;
    let Some(source) = source else {
        return Some(format!("{PAGE} lists {file}, which does not exist"));
    };
    let defined = ["(", "<"]
        .iter()
        .any(|next| source.contains(&format!("fn {function}{next}")));
    (!defined).then(|| format!("{PAGE} lists {function}, which {file} does not define"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "\
# Page

## Path of one sync

| | File | Function | What |
|---|---|---|---|
| 1 | `crates/a/src/b.rs` | `run` | runs `it` |

## Next

| `crates/other.rs` | `not_listed` |
";

    fn station() -> Station {
        Station {
            file: "crates/a/src/b.rs".to_owned(),
            function: "run".to_owned(),
        }
    }

    #[test]
    fn stations_are_the_rows_below_the_heading_alone() {
        assert_eq!(stations(LISTED), [station()]);
    }

    #[test]
    fn a_function_that_was_renamed_is_named() {
        let source = Some("pub(crate) async fn run_all(x: u8) {}");

        let problem = missing(&station(), source).unwrap();

        assert_eq!(
            problem,
            "ARCHITECTURE.md lists run, which crates/a/src/b.rs does not define"
        );
    }

    #[test]
    fn a_file_that_was_moved_is_named() {
        assert!(
            missing(&station(), None)
                .unwrap()
                .contains("does not exist")
        );
    }

    #[test]
    fn a_function_that_is_there_is_no_problem() {
        assert_eq!(missing(&station(), Some("fn run<K>(key: K) {}")), None);
    }
}
