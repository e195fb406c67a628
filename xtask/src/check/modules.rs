//! Finds cycles between the top-level modules of a crate, from the paths its source files name. Reads
//! source text only; which crates must have no cycle is listed here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use syn::visit::Visit;

use crate::shell;

/// Crates whose top-level modules must form no cycle.
const ACYCLIC: &[&str] = &[
    "crates/plan",
    "crates/scheduling",
    "crates/index",
    "crates/remote",
    "crates/reconcile",
    "crates/controllers",
];

/// Every cycle, as sentences.
pub(super) fn problems(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in ACYCLIC {
        let sources = read(root, folder)?;
        let cycles = cycles(&edges(&sources));
        found.extend(cycles.iter().map(|modules| {
            format!(
                "{folder}: the modules {} use each other in a cycle",
                modules.join(", ")
            )
        }));
    }
    Ok(found)
}

/// Parsed files by module path; the crate root is the empty path. Test files are left out.
type Sources = BTreeMap<Vec<String>, syn::File>;

fn read(root: &Path, folder: &str) -> Result<Sources> {
    let source = format!("{folder}/src/");
    let mut list = std::process::Command::new("git");
    list.current_dir(root).args(["ls-files", &source]);
    let names = shell::output(&mut list).context("the layout rules need a git checkout")?;
    let mut sources = Sources::new();
    for name in names.lines() {
        let Some(stem) = name.strip_suffix(".rs") else {
            continue;
        };
        let path = module_path(stem.trim_start_matches(&source));
        if path.iter().any(|part| part == "tests" || part == "testing") {
            continue;
        }
        // A file that is deleted but not yet committed is listed too.
        let Ok(text) = std::fs::read_to_string(root.join(name)) else {
            continue;
        };
        let file = syn::parse_file(&text).with_context(|| format!("parse {name}"))?;
        sources.insert(path, file);
    }
    Ok(sources)
}

fn module_path(stem: &str) -> Vec<String> {
    match stem {
        "lib" | "main" => Vec::new(),
        _ => stem.split('/').map(str::to_owned).collect(),
    }
}

/// Which top-level module uses which.
fn edges(sources: &Sources) -> BTreeMap<String, BTreeSet<String>> {
    let tops: BTreeSet<&str> = sources
        .keys()
        .filter_map(|path| path.first().map(String::as_str))
        .collect();
    let exports = sources.get(&Vec::new()).map(root_exports);
    let exports = exports.unwrap_or_default();
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, file) in sources {
        let Some(own) = module.first() else {
            continue;
        };
        let mut paths = Paths::default();
        paths.visit_file(file);
        let used = paths.found.iter().filter_map(|path| {
            let first = from_root(module, path)?;
            let top = exports.get(&first).unwrap_or(&first);
            (top != own && tops.contains(top.as_str())).then(|| top.clone())
        });
        edges.entry(own.clone()).or_default().extend(used);
    }
    edges
}

/// The part of `path` right below the crate root, for a path that begins with `crate` or with enough `super`.
fn from_root(module: &[String], path: &[String]) -> Option<String> {
    let supers = path.iter().take_while(|part| *part == "super").count();
    match path.first()?.as_str() {
        "crate" => path.get(1).cloned(),
        "super" if supers >= module.len() => path.get(supers).cloned(),
        _ => None,
    }
}

/// Names the crate root re-exports, with the top-level module each comes from.
fn root_exports(file: &syn::File) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for item in &file.items {
        if let syn::Item::Use(item) = item {
            for path in use_paths(&item.tree) {
                let module = path.iter().find(|part| *part != "crate" && *part != "self");
                if let (Some(module), Some(name)) = (module, path.last()) {
                    exports.insert(name.clone(), module.clone());
                }
            }
        }
    }
    exports
}

/// Collects the paths a file names outside of its tests.
#[derive(Default)]
struct Paths {
    found: Vec<Vec<String>>,
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_test(&item.attrs) {
            self.found.extend(use_paths(&item.tree));
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts = path.segments.iter().map(|part| part.ident.to_string());
        self.found.push(parts.collect());
        syn::visit::visit_path(self, path);
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("cfg") && list.is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

/// Every path of a use tree, without renames.
fn use_paths(tree: &syn::UseTree) -> Vec<Vec<String>> {
    match tree {
        syn::UseTree::Path(path) => {
            let rest = use_paths(&path.tree).into_iter();
            rest.map(|rest| {
                std::iter::once(path.ident.to_string())
                    .chain(rest)
                    .collect()
            })
            .collect()
        }
        syn::UseTree::Group(group) => group.items.iter().flat_map(use_paths).collect(),
        syn::UseTree::Name(name) => vec![vec![name.ident.to_string()]],
        syn::UseTree::Rename(rename) => vec![vec![rename.ident.to_string()]],
        syn::UseTree::Glob(_) => vec![Vec::new()],
    }
}

/// Groups of modules that reach each other.
fn cycles(edges: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> = edges
        .keys()
        .map(|from| (from.as_str(), reachable(edges, from)))
        .collect();
    let reaches = |from: &str, to: &str| reach.get(from).is_some_and(|all| all.contains(to));
    let mut groups: Vec<Vec<String>> = Vec::new();
    for module in edges.keys().filter(|module| reaches(module, module)) {
        let known = groups.iter_mut().find(|group| {
            let first = group.first().map_or("", String::as_str);
            reaches(first, module) && reaches(module, first)
        });
        match known {
            Some(group) => group.push(module.clone()),
            None => groups.push(vec![module.clone()]),
        }
    }
    groups
}

fn reachable<'a>(edges: &'a BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        for to in edges.get(next).into_iter().flatten() {
            if seen.insert(to.as_str()) {
                open.push(to);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(files: &[(&str, &str)]) -> Sources {
        let parse = |(name, text): &(&str, &str)| {
            let file = syn::parse_file(text).unwrap();
            (module_path(name.trim_end_matches(".rs")), file)
        };
        files.iter().map(parse).collect()
    }

    fn found(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        cycles(&edges(&sources(files)))
    }

    #[test]
    fn modules_that_use_each_other_are_a_cycle() {
        let cycle = found(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::{self, Thing};"),
            ("b/inner.rs", "fn f() { crate::c::g() }"),
            ("c.rs", "use super::a::Other;"),
        ]);

        assert_eq!(cycle, [["a", "b", "c"]]);
    }

    #[test]
    fn a_name_from_the_crate_root_counts_for_the_module_that_defines_it() {
        let cycle = found(&[
            ("lib.rs", "mod a; mod b; pub use a::Thing;"),
            ("a.rs", "use crate::b;"),
            ("b.rs", "use crate::Thing;"),
        ]);

        assert_eq!(cycle, [["a", "b"]]);
    }

    #[test]
    fn tests_and_modules_below_one_another_are_no_cycle() {
        let none = found(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod inner; use crate::b; "),
            ("a/inner.rs", "use super::Thing;"),
            ("b.rs", "#[cfg(test)] mod tests { use crate::a::Thing; }"),
        ]);

        assert!(none.is_empty(), "{none:?}");
    }
}
