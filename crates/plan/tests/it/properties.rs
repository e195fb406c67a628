//! Properties that hold for every mix of policies and data: a second run does nothing, the order of
//! entries does not matter where keys differ, and no key comes from nowhere.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Secret;
use lockstep_api::{ExternalSecret, SecretStore, keys};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use crate::remote::{Held, Remote};
use crate::world::World;

fn noon() -> Timestamp {
    "2026-05-01T12:00:00Z".parse().unwrap()
}

pub(crate) fn store() -> SecretStore {
    serde_saphyr::from_str(
        "{metadata: {name: s, namespace: ns, uid: s}, spec: {provider: {fake: {}}}, \
         status: {conditions: [{type: Ready, status: 'True'}]}}",
    )
    .unwrap()
}

#[derive(Clone, Debug)]
struct Scenario {
    creation: &'static str,
    deletion: &'static str,
    refresh: &'static str,
    immutable: bool,
    labels: BTreeMap<String, String>,
    /// Secret key to remote key.
    entries: BTreeMap<String, String>,
    remote: BTreeMap<String, String>,
    existing: Option<BTreeMap<String, String>>,
}

fn small() -> impl Strategy<Value = String> {
    "[a-d]".prop_map(|text| text)
}

fn scenario() -> impl Strategy<Value = Scenario> {
    let policies = (
        prop::sample::select(vec!["Owner", "Orphan", "CreateOrMerge", "Merge", "None"]),
        prop::sample::select(vec!["Retain", "Delete", "Merge"]),
        prop::sample::select(vec![
            "refreshInterval: 1h",
            "refreshInterval: '0'",
            "refreshPolicy: CreatedOnce",
            "refreshPolicy: OnChange",
        ]),
        any::<bool>(),
    );
    let data = (
        btree_map(small(), small(), 0..3),
        btree_map(small(), small(), 0..4),
        btree_map(small(), "[x-z]{0,2}", 0..4),
        prop::option::of(btree_map(small(), "[x-z]{0,2}", 0..3)),
    );
    (policies, data).prop_map(
        |((creation, deletion, refresh, immutable), (labels, entries, remote, existing))| {
            Scenario {
                creation,
                deletion,
                refresh,
                immutable,
                labels,
                entries,
                remote,
                existing,
            }
        },
    )
}

impl Scenario {
    fn object(&self, entries: &[(&String, &String)]) -> ExternalSecret {
        let data: Vec<String> = entries
            .iter()
            .map(|(key, remote)| format!("{{secretKey: {key}, remoteRef: {{key: {remote}}}}}"))
            .collect();
        let mut object: ExternalSecret = serde_saphyr::from_str(&format!(
            "metadata: {{name: es, namespace: ns, uid: es-uid, generation: 1}}
spec:
  secretStoreRef: {{name: s}}
  {}
  target: {{creationPolicy: {}, deletionPolicy: {}, immutable: {}}}
  data: [{}]",
            self.refresh,
            self.creation,
            self.deletion,
            self.immutable,
            data.join(", ")
        ))
        .unwrap();
        object.metadata.labels = Some(self.labels.clone());
        object
    }

    fn world(&self, entries: &[(&String, &String)]) -> World {
        let held = self
            .remote
            .iter()
            .map(|(key, value)| (key.clone(), Held::Value(value.clone())));
        let remote = Remote([("s".to_owned(), held.collect())].into());
        let mut world = World::new(self.object(entries), remote).with_store(&store());
        if let Some(existing) = &self.existing {
            let mut secret = Secret::default();
            secret.metadata.name = Some("es".to_owned());
            secret.metadata.namespace = Some("ns".to_owned());
            secret.string_data = Some(existing.clone());
            world.put(secret);
        }
        world
    }

    fn in_order(&self) -> Vec<(&String, &String)> {
        self.entries.iter().collect()
    }
}

fn data(world: &World) -> BTreeMap<String, Vec<u8>> {
    let secrets = world.secrets.values();
    let data = secrets.flat_map(|secret| secret.data.iter().flatten());
    data.map(|(key, value)| (key.clone(), value.0.clone()))
        .collect()
}

/// Cases are generated each time; a failure prints what it takes to keep it as a test.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 128,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_second_run_does_nothing(scenario in scenario()) {
        let mut world = scenario.world(&scenario.in_order());
        let first = world.run(noon());
        prop_assert!(first.document().contains_key("next"));

        let soon = noon().checked_add(SignedDuration::from_secs(1)).unwrap();
        let second = world.run(soon);

        prop_assert!(!second.writes(), "{second:?}");
        let failed = first.events().is_some_and(|events| events.to_string().contains("Warning"));
        prop_assert_eq!(second.status(), None);
        if !failed {
            prop_assert!(!second.reads(), "{second:?}");
        }
    }

    #[test]
    fn an_unchanged_refresh_writes_no_secret(scenario in scenario()) {
        let mut world = scenario.world(&scenario.in_order());
        world.run(noon());

        let later = noon().checked_add(SignedDuration::from_hours(2)).unwrap();
        let second = world.run(later);

        prop_assert!(!second.writes(), "{second:?}");
    }

    #[test]
    fn the_order_of_entries_does_not_matter(scenario in scenario(), seed in vec(any::<u8>(), 4)) {
        let mut forward = scenario.world(&scenario.in_order());
        let mut shuffled = scenario.in_order();
        shuffled.sort_by_key(|(key, _)| seed[usize::from(key.as_bytes()[0] - b'a')]);
        let mut backward = scenario.world(&shuffled);

        forward.run(noon());
        backward.run(noon());

        prop_assert_eq!(data(&forward), data(&backward));
    }

    #[test]
    fn no_key_comes_from_nowhere(scenario in scenario()) {
        let mut world = scenario.world(&scenario.in_order());
        world.run(noon());

        let wanted = scenario.entries.keys();
        let held = scenario.existing.iter().flatten().map(|(key, _)| key);
        let known: BTreeSet<&String> = wanted.chain(held).collect();
        for (key, _) in data(&world) {
            prop_assert!(known.contains(&key), "{key}");
        }
    }

    #[test]
    fn a_key_that_leaves_the_spec_leaves_the_secret_and_foreign_keys_stay(
        scenario in scenario(),
        creates in any::<bool>(),
        drop in any::<prop::sample::Index>(),
    ) {
        prop_assume!(scenario.entries.len() > 1);
        let creation = if creates { "CreateOrMerge" } else { "Merge" };
        let refresh = "refreshInterval: 1h";
        let scenario = Scenario { creation, refresh, immutable: false, ..scenario };
        let mut world = scenario.world(&scenario.in_order());
        world.run(noon());
        let synced = world.object.status.as_ref().unwrap().refresh_time.is_some();
        prop_assume!(synced);

        let dropped = drop.get(&scenario.in_order()).0.clone();
        let kept: Vec<(&String, &String)> =
            scenario.in_order().into_iter().filter(|(key, _)| **key != dropped).collect();
        world.object.spec = scenario.object(&kept).spec;
        world.object.metadata.generation = Some(2);
        let soon = noon().checked_add(SignedDuration::from_secs(1)).unwrap();
        world.run(soon);

        prop_assume!(world.object.status.as_ref().unwrap().conditions[0].is_true());
        // A key that was there with the very value we wanted, or that we never got, is not ours.
        let wanted = scenario.remote.get(&scenario.entries[&dropped]);
        let before = scenario.existing.as_ref().and_then(|held| held.get(&dropped));
        if wanted.is_some() && before != wanted {
            prop_assert!(!data(&world).contains_key(&dropped));
        }
        for key in scenario.existing.iter().flatten().map(|(key, _)| key) {
            prop_assert!(scenario.entries.contains_key(key) || data(&world).contains_key(key));
        }
    }

    #[test]
    fn a_secret_of_others_keeps_its_labels(scenario in scenario()) {
        let mut world = scenario.world(&scenario.in_order());
        if let Some(secret) = world.secrets.get_mut("es") {
            let labels = secret.metadata.labels.get_or_insert_default();
            labels.insert("own".to_owned(), "1".to_owned());
        }
        let existed = scenario.existing.is_some();
        world.run(noon());

        if let Some(secret) = world.secrets.get("es").filter(|_| existed) {
            let labels = secret.metadata.labels.as_ref().unwrap();
            prop_assert_eq!(labels.get("own").map(String::as_str), Some("1"));
        }
        prop_assert_eq!(world.secrets.contains_key("es") || !existed, true);
    }
}

#[test]
fn an_external_secret_that_goes_takes_its_finalizer_along() {
    let scenario = Scenario {
        creation: "Owner",
        deletion: "Delete",
        refresh: "refreshInterval: 1h",
        immutable: false,
        labels: BTreeMap::new(),
        entries: [("a".to_owned(), "k".to_owned())].into(),
        remote: [("k".to_owned(), "v".to_owned())].into(),
        existing: None,
    };
    let mut world = scenario.world(&scenario.in_order());
    world.run(noon());
    assert!(world.secrets.contains_key("es"));
    let finalizers = world.object.metadata.finalizers.as_ref().unwrap();
    assert_eq!(finalizers.as_slice(), [keys::FINALIZER_EXTERNAL_SECRET]);

    world.object.metadata.deletion_timestamp = Some(noon().into());
    let trace = world.run(noon());

    assert!(trace.writes());
    assert!(world.secrets.is_empty());
}
