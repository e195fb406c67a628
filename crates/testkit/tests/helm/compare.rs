//! The chart beside the original one, object by object, over many sets of values. What the original renders is recorded in
//! `compare/facts.txt`; where this chart differs, `compare/allowed.yaml` has the reason. With
//! `LOCKSTEP_ORIGINAL_CHART=FOLDER` (the original chart without its dependencies) the facts are recorded anew first.

mod facts;
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lockstep_testkit::helm::{Helm, Render};
use lockstep_testkit::manifest;
use serde::Deserialize;
use serde_json::Value;

use crate::merged;
use facts::{Facts, Rendering};
use rules::Rule;

/// One way to render both charts.
#[derive(Deserialize)]
struct Set {
    name: String,
    /// Without the values that answer for both charts where their defaults differ.
    #[serde(default)]
    bare: bool,
    release: Option<String>,
    namespace: Option<String>,
    kube: Option<String>,
    #[serde(default)]
    apis: Vec<String>,
    #[serde(default)]
    values: Value,
}

#[derive(Deserialize)]
struct Sets {
    base: Value,
    sets: Vec<Set>,
}

fn file(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/helm/compare")).join(name)
}

fn read<T: for<'a> Deserialize<'a>>(name: &str) -> T {
    let text = std::fs::read_to_string(file(name)).unwrap();
    serde_saphyr::from_str(&text).unwrap()
}

/// What `chart` renders with each set; nothing where it refuses to.
fn renderings(chart: &Path, sets: &Sets) -> BTreeMap<String, Rendering> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let helm = Helm::ready().unwrap();
                while let Some(set) = sets.sets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let rendering = rendering(&helm, chart, sets, set);
                    found.lock().unwrap().insert(set.name.clone(), rendering);
                }
            });
        }
    });
    found.into_inner().unwrap()
}

fn rendering(helm: &Helm, chart: &Path, sets: &Sets, set: &Set) -> Rendering {
    let usual = Render::default();
    let apis: Vec<_> = set.apis.iter().map(String::as_str).collect();
    let render = Render {
        release: set.release.as_deref().unwrap_or(usual.release),
        namespace: set.namespace.as_deref().unwrap_or(usual.namespace),
        kube: set.kube.as_deref().unwrap_or(usual.kube),
        apis: &apis,
    };
    let none = Value::Object(serde_json::Map::new());
    let base = if set.bare { &none } else { &sets.base };
    let values = if set.values.is_null() {
        &none
    } else {
        &set.values
    };
    let text = helm.text_of(chart, render, &merged(base, values)).ok()?;
    let mut objects = BTreeMap::new();
    for object in manifest::parse(&text).unwrap() {
        let label = manifest::label(&object);
        let other = objects.insert(label.clone(), facts::of(&object));
        assert!(other.is_none(), "{}: {label} is there twice", set.name);
    }
    Some(objects)
}

/// A place where the charts differ.
struct Difference {
    set: String,
    object: String,
    place: String,
    original: String,
    ours: String,
}

fn differences(set: &str, original: &Rendering, ours: &Rendering) -> Vec<Difference> {
    let nothing = Facts::default();
    let word = |there: bool| if there { "rendered" } else { "-" }.to_owned();
    let difference = |object: &str, place: &str, original: String, ours: String| Difference {
        set: set.to_owned(),
        object: object.to_owned(),
        place: place.to_owned(),
        original,
        ours,
    };
    let (Some(original), Some(ours)) = (original, ours) else {
        let both = original.is_some() == ours.is_some();
        let whole = difference("all", "", word(original.is_some()), word(ours.is_some()));
        return if both { Vec::new() } else { vec![whole] };
    };
    let mut out = Vec::new();
    for object in original.keys().chain(ours.keys()).collect::<BTreeSet<_>>() {
        let (theirs, own) = (original.get(object), ours.get(object));
        if theirs.is_some() != own.is_some() {
            out.push(difference(
                object,
                "",
                word(theirs.is_some()),
                word(own.is_some()),
            ));
            continue;
        }
        let (theirs, own) = (theirs.unwrap_or(&nothing), own.unwrap_or(&nothing));
        for place in theirs.keys().chain(own.keys()).collect::<BTreeSet<_>>() {
            let text = |facts: &Facts| facts.get(place).map_or("-", String::as_str).to_owned();
            if theirs.get(place) != own.get(place) {
                out.push(difference(object, place, text(theirs), text(own)));
            }
        }
    }
    out
}

#[test]
fn the_charts_differ_only_where_a_reason_is_written_down() {
    let sets: Sets = read("sets.yaml");
    assert!(sets.sets.len() >= 60, "{} sets", sets.sets.len());
    if let Some(chart) = std::env::var_os("LOCKSTEP_ORIGINAL_CHART") {
        let recorded = renderings(Path::new(&chart), &sets);
        let order: Vec<_> = sets.sets.iter().map(|set| set.name.as_str()).collect();
        std::fs::write(file("facts.txt"), facts::written(&order, &recorded)).unwrap();
    }
    let original = facts::read(&std::fs::read_to_string(file("facts.txt")).unwrap());
    let rules: Vec<Rule> = read("allowed.yaml");
    let ours = renderings(&Helm::chart(), &sets);

    let (mut unexplained, mut used, mut objects) = (Vec::new(), BTreeSet::new(), 0);
    for set in &sets.sets {
        let theirs = original.get(&set.name);
        assert!(theirs.is_some(), "{} is not recorded", set.name);
        let found = differences(&set.name, theirs.unwrap(), &ours[&set.name]);
        objects += found
            .iter()
            .map(|one| &one.object)
            .collect::<BTreeSet<_>>()
            .len();
        for one in found {
            let rule = rules
                .iter()
                .position(|rule| rule.covers(&one.set, &one.object, &one.place, &one.ours));
            match rule {
                Some(rule) => drop(used.insert(rule)),
                None => unexplained.push(format!(
                    "{}: {} {}: {} in the original, {} here",
                    one.set, one.object, one.place, one.original, one.ours
                )),
            }
        }
    }

    println!("{objects} objects differ over {} sets", sets.sets.len());
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
    for (number, rule) in rules.iter().enumerate() {
        assert!(
            used.contains(&number),
            "no difference needs: {}",
            rule.reason
        );
    }
}
