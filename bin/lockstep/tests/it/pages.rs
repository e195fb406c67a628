//! Pages for users: links lead to files, and pages that list parts of the build list all of them.

use std::path::{Path, PathBuf};

use lockstep_testkit::place;

/// README and every page below docs.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![place::workspace().join("README.md")];
    let mut folders = vec![place::workspace().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages
}

/// Targets of the links of a page that lead to files.
fn links(page: &str) -> impl Iterator<Item = &str> {
    let targets = page.split("](").skip(1);
    let targets = targets.filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    targets.filter(|target| {
        let is_path = target
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "./-_#".contains(letter));
        is_path && !target.starts_with('#') && !target.contains("//")
    })
}

#[test]
fn links_of_all_pages_lead_to_files() {
    let mut checked = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for target in links(&text) {
            let file = target.split('#').next().unwrap();
            let found = page.parent().unwrap_or(Path::new(".")).join(file);
            assert!(found.exists(), "{}: {target}", page.display());
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} links");
}

#[test]
fn every_provider_of_the_build_has_a_row_on_the_page_of_maturity() {
    let page = std::fs::read_to_string(place::workspace().join("docs/versions.md")).unwrap();
    let version = std::process::Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .arg("--version")
        .output()
        .unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let line = version.lines().find(|line| line.starts_with("providers:"));
    let names = line.unwrap().trim_start_matches("providers:").trim();

    for name in names.split(',') {
        assert!(page.contains(&format!("| `{name}`")), "{name} has no row");
    }
}

/// All source files below a folder, without white space.
fn sources(folder: &Path) -> String {
    let mut text = String::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                text.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    text.split_whitespace().collect()
}

/// What stands in quotes behind a mark in a text.
fn quoted<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
    let behind = text.split(mark).skip(1);
    behind.filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_provider_that_counts_its_calls_is_on_the_page_of_metrics() {
    let page = std::fs::read_to_string(place::workspace().join("docs/metrics.md")).unwrap();
    let text = sources(&place::workspace().join("providers"));
    let marks = ["constMETRIC:&str=\"", "constPROVIDER:&str=\"", "metric:\""];

    let names: Vec<_> = marks.iter().flat_map(|mark| quoted(&text, mark)).collect();

    assert!(names.len() >= 12, "{names:?}");
    for name in names {
        assert!(
            page.contains(&format!("\n| {name} | `")),
            "{name} has no row"
        );
    }
}

/// The services that tests of providers run on compare each call that a test makes; this finds those that no
/// test makes.
#[test]
fn every_call_to_a_backend_is_on_the_page_of_metrics() {
    let page = std::fs::read_to_string(place::workspace().join("docs/metrics.md")).unwrap();
    let mut found = 0;
    for (provider, marks) in [
        ("aws", &["call(\""][..]),
        ("doppler", &["rest.send(\""]),
        ("gcpsm", &["call(\"", "counted(METRIC,\""]),
        ("gitlab", &["=>\"Project", "=>\"Group", "rest.call(\""]),
        (
            "infisical",
            &["rest.call(\"", "rest.send(\"", "\"MachineIdentityLogin"],
        ),
        ("kubernetes", &["Call::new(Some(\""]),
        ("vault", &["Ask::new(\""]),
    ] {
        let folder = place::workspace().join("providers").join(provider);
        let text = sources(&folder.join("src"));
        for (mark, name) in marks.iter().flat_map(|mark| {
            let names = quoted(&text, mark).into_iter();
            names.map(move |name| (mark.rsplit('"').next().unwrap_or_default(), name))
        }) {
            // The original counts it under this name.
            let name = format!("{mark}{name}").replace("DescribeParameters", "DescribeParameter");
            assert!(page.contains(&format!("`{name}`")), "{provider}: {name}");
            found += 1;
        }
    }
    assert!(found > 60, "only {found} calls");
}
