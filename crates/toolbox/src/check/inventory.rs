//! Counts what an installation uses, each with its ruling. Objects are counted by kind, provider and
//! generator; flags and Helm values by name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::objects::{self, GENERATORS, GROUP};
use super::served::{self, Ruling, Verdict};
use super::{KnownFlag, helm};

/// Names shown for something that is not served.
const SHOWN: usize = 5;

/// What a row is about, in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Area {
    Kind,
    Provider,
    Generator,
    Flag,
    Value,
}

impl Area {
    /// The word of the table.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Kind => "kind",
            Self::Provider => "provider",
            Self::Generator => "generator",
            Self::Flag => "flag",
            Self::Value => "value",
        }
    }
}

/// One thing an installation uses.
#[derive(Debug)]
pub(super) struct Use {
    pub(super) verdict: Verdict,
    pub(super) note: String,
    pub(super) objects: BTreeSet<String>,
    /// Objects that use these, for example those that read through a store.
    pub(super) users: BTreeSet<String>,
}

type StoreKey = (String, String, String);

/// Everything an installation uses.
pub(super) struct Inventory<'a> {
    known: &'a [KnownFlag],
    uses: BTreeMap<(Area, String), Use>,
    /// Providers of the stores that were read.
    stores: BTreeMap<StoreKey, Vec<String>>,
    /// Users of stores, whether the store was read or not.
    users: BTreeMap<StoreKey, BTreeSet<String>>,
}

impl<'a> Inventory<'a> {
    pub(super) fn new(known: &'a [KnownFlag]) -> Self {
        Self {
            known,
            uses: BTreeMap::new(),
            stores: BTreeMap::new(),
            users: BTreeMap::new(),
        }
    }

    /// Adds one manifest; those of other programs count for nothing.
    pub(super) fn add(&mut self, object: &Value) {
        let (group, version) = objects::group_version(object);
        let kind = object["kind"].as_str().unwrap_or_default();
        let name = objects::name(object);
        match group {
            GROUP => {
                let (ruling, counted) = (served::kind(version, kind), format!("{kind} {name}"));
                // A row for the version, so that the table separates its objects from those that are served.
                if served::is_other_version(version, kind) {
                    let named = format!("{kind} {version}");
                    self.count(Area::Kind, &named, ruling, &counted);
                } else {
                    self.count(Area::Kind, kind, ruling, &counted);
                }
                self.add_stores(object, kind, &name);
            }
            GENERATORS => {
                let kind = objects::generator_kind(object);
                let ruling = served::generator(kind);
                self.count(Area::Generator, kind, ruling, &format!("{kind} {name}"));
            }
            _ => {
                for flag in objects::operator_flags(object) {
                    self.add_flag(flag, &format!("{kind} {name}"));
                }
            }
        }
    }

    /// Adds the values of a Helm release.
    pub(super) fn add_values(&mut self, values: &Value) {
        for (path, ruling) in helm::rulings(values) {
            self.count(Area::Value, &path, ruling, "");
        }
        for flag in helm::extra_args(values) {
            self.add_flag(&flag, "values extraArgs");
        }
    }

    fn add_stores(&mut self, object: &Value, kind: &str, name: &str) {
        if matches!(kind, "SecretStore" | "ClusterSecretStore") {
            let (namespace, plain) = name.split_once('/').unwrap_or(("", name));
            let namespace = match (kind, namespace) {
                ("SecretStore", "") => "default",
                ("SecretStore", namespace) => namespace,
                _ => "",
            };
            let key = (kind.to_owned(), namespace.to_owned(), plain.to_owned());
            for provider in objects::providers(object) {
                let ruling = served::provider(provider);
                self.count(Area::Provider, provider, ruling, &format!("{kind} {name}"));
                let entry = self.stores.entry(key.clone()).or_default();
                entry.push(provider.to_owned());
            }
            return;
        }
        for store in objects::stores(object) {
            let users = self.users.entry(store).or_default();
            users.insert(format!("{kind} {name}"));
        }
    }

    fn add_flag(&mut self, written: &str, place: &str) {
        let name = written.split('=').next().unwrap_or(written);
        let known = self.known.iter().find(|flag| flag.name == name);
        let ruling = match known {
            Some(flag) if flag.has_effect => (Verdict::Served, String::new()),
            Some(_) => (Verdict::Ignored, "accepted without effect".to_owned()),
            None => {
                let note = "unknown flag: the process would not start; remove it";
                (Verdict::NotServed, note.to_owned())
            }
        };
        self.count(Area::Flag, name, ruling, place);
    }

    fn count(&mut self, area: Area, name: &str, (verdict, note): Ruling, object: &str) {
        let entry = self.uses.entry((area, name.to_owned()));
        let counted = entry.or_insert_with(|| Use {
            verdict,
            note: note.clone(),
            objects: BTreeSet::new(),
            users: BTreeSet::new(),
        });
        // Shows the worst ruling of several.
        if verdict > counted.verdict {
            (counted.verdict, counted.note) = (verdict, note);
        }
        counted.objects.insert(object.to_owned());
    }

    /// The uses, each with the objects that depend on it.
    pub(super) fn finish(mut self) -> BTreeMap<(Area, String), Use> {
        for (store, providers) in &self.stores {
            let users = self.users.get(store).into_iter().flatten();
            let users: Vec<&String> = users.collect();
            for provider in providers {
                let key = (Area::Provider, provider.clone());
                if let Some(counted) = self.uses.get_mut(&key) {
                    counted
                        .users
                        .extend(users.iter().map(|user| (*user).clone()));
                }
            }
        }
        self.uses
    }
}

/// A few names of many.
pub(super) fn some_of(names: &BTreeSet<String>) -> String {
    let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
    let shown = shown.join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
