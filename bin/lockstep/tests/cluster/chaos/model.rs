//! The world as it should be: stores with their values, and objects with what their Secrets are to
//! hold. Made from a seed; knows no API server.

use std::collections::BTreeMap;

use lockstep_testkit::proxy::Proxy;

use super::remote::{Fields, Mood, Remote};

/// Where a store's secrets are.
pub(crate) enum Backing {
    /// An HTTP server. With `by_field` the store picks a field of the answer.
    Web { remote: Remote, by_field: bool },
    /// The store's own spec.
    Fake,
    /// Secrets of the vault namespace, read through a wire.
    Kube { wire: Proxy },
}

/// A SecretStore, or a ClusterSecretStore where it has no namespace.
#[expect(
    clippy::struct_excessive_bools,
    reason = "faults that come and go by themselves"
)]
pub(crate) struct Store {
    pub(crate) name: String,
    pub(crate) namespace: Option<String>,
    pub(crate) backing: Backing,
    pub(crate) token: String,
    pub(crate) values: BTreeMap<String, Fields>,
    /// Keys that are missing for the time being.
    pub(crate) absent: Vec<String>,
    pub(crate) exists: bool,
    pub(crate) broken: bool,
    /// Whether it was without a secret at any time of the round.
    pub(crate) was_absent: bool,
    /// Only PushSecrets use it, and it is never deleted.
    pub(crate) for_pushes: bool,
}

/// One source of an object.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A value of its own.
    Entry {
        name: String,
        store: usize,
        key: String,
        field: Option<String>,
    },
    /// All fields of a remote secret.
    Extract { store: usize, key: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Template {
    None,
    Inline,
    /// The ConfigMap of this number.
    From(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) namespace: usize,
    pub(crate) interval: &'static str,
    pub(crate) creation: &'static str,
    pub(crate) deletion: &'static str,
    pub(crate) sources: Vec<Source>,
    pub(crate) template: Template,
    pub(crate) target: String,
    /// Counts edits of the spec.
    pub(crate) edits: u32,
    pub(crate) exists: bool,
    /// Somebody took the marks from the target by which it is known.
    pub(crate) unmarked: bool,
}

impl Object {
    pub(crate) fn store(&self) -> usize {
        match &self.sources[0] {
            Source::Entry { store, .. } | Source::Extract { store, .. } => *store,
        }
    }

    /// Every store it reads from.
    pub(crate) fn stores(&self) -> impl Iterator<Item = usize> {
        self.sources.iter().map(|source| match source {
            Source::Entry { store, .. } | Source::Extract { store, .. } => *store,
        })
    }

    /// Whether a changed value is to be seen within seconds.
    pub(crate) fn is_quick(&self) -> bool {
        matches!(self.interval, "1s" | "2s" | "5s")
    }
}

/// A PushSecret with one entry.
pub(crate) struct Push {
    pub(crate) name: String,
    pub(crate) namespace: usize,
    pub(crate) store: usize,
    pub(crate) policy: &'static str,
    pub(crate) value: String,
    pub(crate) exists: bool,
}

/// Everything.
pub(crate) struct World {
    pub(crate) rng: fastrand::Rng,
    pub(crate) namespaces: Vec<String>,
    pub(crate) vault: String,
    pub(crate) stores: Vec<Store>,
    pub(crate) objects: Vec<Object>,
    pub(crate) pushes: Vec<Push>,
    /// Revisions of the ConfigMaps with templates; each is in every namespace.
    pub(crate) templates: Vec<u64>,
    counter: u64,
}

/// Keys of a store.
pub(crate) const KEYS: usize = 6;
/// ConfigMaps with templates.
const TEMPLATES: usize = 3;
/// The field every object has under its name.
pub(crate) const MAIN: &str = "u";

impl World {
    /// A world of so many objects, with its values but without its sources' wires in place.
    pub(crate) fn new(seed: u64, objects: usize, mut wire: impl FnMut() -> Proxy) -> Self {
        let mut world = Self {
            rng: fastrand::Rng::with_seed(seed),
            namespaces: (0..3).map(|one| format!("chaos-{seed}-{one}")).collect(),
            vault: format!("chaos-{seed}-vault"),
            stores: Vec::new(),
            objects: Vec::new(),
            pushes: Vec::new(),
            templates: vec![0; TEMPLATES],
            counter: 0,
        };
        for number in 0..7 {
            let backing = match number {
                0 | 2 => Self::web(false),
                1 | 3 => Self::web(true),
                4 => Backing::Fake,
                _ => Backing::Kube { wire: wire() },
            };
            world.add_store(seed, number, backing);
        }
        for number in 0..objects {
            let object = world.object(number);
            world.objects.push(object);
        }
        for number in 0..(objects / 10).max(2) {
            let push = Push {
                name: format!("push-{number}"),
                namespace: number % world.namespaces.len(),
                store: 6,
                policy: if number % 2 == 0 { "Delete" } else { "None" },
                value: world.next(&format!("push-{number}")),
                exists: true,
            };
            world.pushes.push(push);
        }
        world
    }

    fn web(by_field: bool) -> Backing {
        let remote = Remote::start("first");
        Backing::Web { remote, by_field }
    }

    /// The first store and the one for pushes are of the cluster, others of one namespace each.
    fn add_store(&mut self, seed: u64, number: usize, backing: Backing) {
        let cluster = matches!(number, 0 | 3 | 5 | 6);
        let namespace = (!cluster).then(|| self.namespaces[number % 3].clone());
        let mut store = Store {
            name: format!("chaos-{seed}-store-{number}"),
            namespace,
            backing,
            token: "first".to_owned(),
            values: BTreeMap::new(),
            absent: Vec::new(),
            exists: true,
            broken: false,
            was_absent: false,
            for_pushes: number == 6,
        };
        for key in 0..KEYS {
            let key = format!("key-{key}");
            let fields = self.fields(number, &key);
            store.values.insert(key, fields);
        }
        self.stores.push(store);
    }

    /// New values for a remote secret. Each says where it belongs, so that a value that got to
    /// somebody else is seen.
    pub(crate) fn fields(&mut self, store: usize, key: &str) -> Fields {
        let mut field = |name: &str| {
            let value = self.next(&token(store, key));
            (name.to_owned(), value)
        };
        [field(MAIN), field("p")].into()
    }

    /// A value that was never there before.
    pub(crate) fn next(&mut self, what: &str) -> String {
        self.counter += 1;
        format!("{what}={}", self.counter)
    }

    fn object(&mut self, number: usize) -> Object {
        let namespace = self.rng.usize(0..self.namespaces.len());
        let intervals = ["1s", "2s", "5s", "1m", "1h"];
        let (creation, deletion) = match self.rng.u32(0..8) {
            0 | 1 => ("Owner", "Retain"),
            2 | 3 => ("Owner", "Delete"),
            4 => ("Owner", "Merge"),
            5 => ("Orphan", "Retain"),
            6 => ("Merge", "Retain"),
            _ => ("Merge", "Merge"),
        };
        let template = match self.rng.u32(0..6) {
            0 => Template::Inline,
            1 | 2 => Template::From(self.rng.usize(0..TEMPLATES)),
            _ => Template::None,
        };
        let name = format!("es-{number}");
        Object {
            namespace,
            interval: intervals[self.rng.usize(0..intervals.len())],
            creation,
            deletion,
            sources: self.sources(namespace),
            template,
            target: format!("{name}-t"),
            name,
            edits: 0,
            exists: true,
            unmarked: false,
        }
    }

    /// One to three sources; the first gives the main field.
    fn sources(&mut self, namespace: usize) -> Vec<Source> {
        let first = self.some_store(namespace);
        let key = self.some_key();
        let by_field = matches!(
            self.stores[first].backing,
            Backing::Web { by_field: true, .. }
        );
        if !by_field && self.rng.u32(0..3) == 0 {
            return vec![Source::Extract { store: first, key }];
        }
        let mut sources = vec![self.entry(MAIN, first, key)];
        for number in 1..self.rng.usize(1..4) {
            let store = self.some_store(namespace);
            let key = self.some_key();
            sources.push(self.entry(&format!("x{number}"), store, key));
        }
        sources
    }

    pub(crate) fn entry(&mut self, name: &str, store: usize, key: String) -> Source {
        let whole = matches!(
            self.stores[store].backing,
            Backing::Web {
                by_field: false,
                ..
            }
        );
        let field = if self.rng.bool() { MAIN } else { "p" };
        Source::Entry {
            name: name.to_owned(),
            store,
            key,
            field: (!whole).then(|| field.to_owned()),
        }
    }

    pub(crate) fn some_key(&mut self) -> String {
        format!("key-{}", self.rng.usize(0..KEYS))
    }

    /// A store that objects of this namespace can use.
    pub(crate) fn some_store(&mut self, namespace: usize) -> usize {
        let name = &self.namespaces[namespace];
        let near: Vec<usize> = (0..self.stores.len())
            .filter(|number| {
                let store = &self.stores[*number];
                let own = store.namespace.as_ref();
                !store.for_pushes && own.is_none_or(|own| own == name)
            })
            .collect();
        near[self.rng.usize(0..near.len())]
    }

    /// What an object's Secret is to hold now.
    pub(crate) fn wanted(&self, object: &Object) -> BTreeMap<String, String> {
        self.rendered(object, |store, key, field| {
            let fields = &self.stores[store].values[key];
            match field {
                Some(field) => fields[field].clone(),
                None => serde_json::to_string(fields).unwrap(),
            }
        })
    }

    /// What each value of its Secret has to contain, whatever the time.
    pub(crate) fn marks(&self, object: &Object) -> BTreeMap<String, String> {
        let mut marks = self.rendered(object, |store, key, _| token(store, key));
        for mark in marks.values_mut() {
            let end = mark.find('+').unwrap_or(mark.len());
            mark.truncate(end);
        }
        marks
    }

    fn rendered(
        &self,
        object: &Object,
        value: impl Fn(usize, &str, Option<&str>) -> String,
    ) -> BTreeMap<String, String> {
        let mut data = BTreeMap::new();
        for source in &object.sources {
            match source {
                Source::Entry {
                    name,
                    store,
                    key,
                    field,
                } => {
                    data.insert(name.clone(), value(*store, key, field.as_deref()));
                }
                Source::Extract { store, key } => {
                    for field in [MAIN, "p"] {
                        data.insert(field.to_owned(), value(*store, key, Some(field)));
                    }
                }
            }
        }
        let main = &data[MAIN];
        match object.template {
            Template::None => data,
            Template::Inline => [("out".to_owned(), format!("{main}+{}", object.edits))].into(),
            Template::From(number) => [(
                "conf".to_owned(),
                format!("{main}+{}", self.templates[number]),
            )]
            .into(),
        }
    }

    /// Changes how a store's backend behaves.
    pub(crate) fn mood(&mut self, store: usize, mood: Mood) {
        let store = &mut self.stores[store];
        store.was_absent |= mood.is_absence();
        match &store.backing {
            // What takes the answer as it is takes anything for a value.
            Backing::Web { remote, by_field } if !by_field && mood == Mood::Garbage => {
                remote.mood(Mood::Status(500));
            }
            Backing::Web { remote, .. } => remote.mood(mood),
            Backing::Kube { wire } if mood == Mood::Well => wire.mend(),
            Backing::Kube { wire } => wire.cut(),
            Backing::Fake => {}
        }
    }
}

fn token(store: usize, key: &str) -> String {
    format!("s{store}.{key}")
}
