//! What goes wrong, one step at a time. A step is chosen from the seed and the model alone, so that
//! a seed always gives the same script; the ledger hears of a step before it is done.

use std::time::Duration;

use lockstep_testkit::poll;
use serde_json::json;

use super::Run;
use super::manifests::secret_path;
use super::model::{Backing, Object, Template};
use super::remote::Mood;

/// One thing that happens. Numbers are places in the model.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Mood(usize, Mood),
    Value(usize, String),
    Absent(usize, String),
    BreakStore(usize),
    RepairStore(usize),
    DeleteStore(usize),
    Rotate(usize, bool),
    DropLogin(usize),
    Template(usize),
    DropTemplate(usize),
    EditTarget(usize),
    DropTargetKey(usize),
    DeleteTarget(usize),
    Relabel(usize),
    Disown(usize),
    Interval(usize),
    Sources(usize),
    Rename(usize),
    DeleteObject(usize),
    RecreateObject(usize),
    Force(usize),
    PushValue(usize),
    RecreatePush(usize),
    Kill(usize),
    Terminate(usize),
    Freeze(usize, u64),
    Tend,
    ApiServer,
    Wait(u64),
}

impl Run<'_> {
    /// Chooses the next step.
    pub(crate) fn choose(&mut self, api_server: bool) -> Step {
        let stores = self.world.stores.len();
        let (objects, pushes) = (self.world.objects.len(), self.world.pushes.len());
        let (templates, replicas) = (self.world.templates.len(), self.replicas.count());
        let rng = &mut self.world.rng;
        let store = rng.usize(0..stores);
        let object = rng.usize(0..objects);
        let replica = rng.usize(0..replicas);
        match rng.u32(0..100) {
            0..14 => Step::Mood(store, Mood::bad(rng)),
            14..22 => Step::Mood(store, Mood::Well),
            22..32 => {
                let key = self.world.some_key();
                Step::Value(store, key)
            }
            32..35 => {
                let key = self.world.some_key();
                Step::Absent(store, key)
            }
            35..38 => Step::BreakStore(store),
            38..41 => Step::RepairStore(store),
            41..43 => Step::DeleteStore(store),
            43..47 => Step::Rotate(store, rng.bool()),
            47..49 => Step::DropLogin(store),
            49..52 => Step::Template(rng.usize(0..templates)),
            52..53 => Step::DropTemplate(rng.usize(0..templates)),
            53..58 => Step::EditTarget(object),
            58..60 => Step::DropTargetKey(object),
            60..64 => Step::DeleteTarget(object),
            64..65 => Step::Relabel(object),
            65..66 => Step::Disown(object),
            66..69 => Step::Interval(object),
            69..72 => Step::Sources(object),
            72..75 => Step::Rename(object),
            75..77 => Step::DeleteObject(object),
            77..81 => Step::RecreateObject(object),
            81..84 => Step::Force(object),
            84..86 => Step::PushValue(rng.usize(0..pushes)),
            86..88 => Step::RecreatePush(rng.usize(0..pushes)),
            88..90 => Step::Kill(replica),
            90..91 => Step::Terminate(replica),
            91..92 => Step::Freeze(replica, rng.u64(500..4000)),
            92..95 => Step::Tend,
            95..96 if api_server => Step::ApiServer,
            _ => Step::Wait(rng.u64(500..4000)),
        }
    }

    /// Does it.
    pub(crate) fn act(&mut self, step: &Step) {
        match step {
            Step::Mood(..)
            | Step::Value(..)
            | Step::Absent(..)
            | Step::BreakStore(_)
            | Step::RepairStore(_)
            | Step::DeleteStore(_)
            | Step::Rotate(..)
            | Step::DropLogin(_) => self.act_on_store(step),
            Step::Template(number) => {
                self.world.templates[*number] += 1;
                self.world.put_template(&self.api, *number);
            }
            Step::DropTemplate(number) => {
                for namespace in &self.world.namespaces {
                    let list = format!("/api/v1/namespaces/{namespace}/configmaps");
                    self.api
                        .delete(&format!("{list}/template-{number}"))
                        .unwrap();
                }
            }
            Step::PushValue(number) => {
                self.world.pushes[*number].value = self.world.next(&format!("push-{number}"));
                let push = &self.world.pushes[*number];
                if push.exists {
                    self.world.put_push(&self.api, push);
                }
            }
            Step::RecreatePush(number) => {
                let path = self.world.push_path(&self.world.pushes[*number]);
                self.api.delete(&path).unwrap();
                self.world.pushes[*number].exists = false;
                if self.is_gone_soon(&path) {
                    self.world.pushes[*number].exists = true;
                    self.world.put_push(&self.api, &self.world.pushes[*number]);
                }
            }
            Step::Kill(number) => {
                self.was_down = true;
                self.replicas.kill(*number);
            }
            Step::Terminate(number) => {
                self.was_down = true;
                self.replicas.terminate(*number);
            }
            Step::Freeze(number, millis) => {
                self.replicas
                    .freeze(*number, Duration::from_millis(*millis));
            }
            Step::Tend => self.replicas.tend(),
            Step::ApiServer => {
                // Replicas may lose their lease by it.
                self.was_down = true;
                self.plane.kill_api_server().unwrap();
                self.plane.start_api_server().unwrap();
                self.api = self.plane.admin().unwrap();
            }
            Step::Wait(millis) => std::thread::park_timeout(Duration::from_millis(*millis)),
            _ => self.act_on_object(step),
        }
    }

    fn act_on_store(&mut self, step: &Step) {
        match step {
            Step::Mood(number, mood) => {
                if mood.is_absence() {
                    self.absence(*number);
                }
                self.world.mood(*number, *mood);
            }
            Step::Value(number, key) => {
                let fields = self.world.fields(*number, key);
                self.world.stores[*number]
                    .values
                    .insert(key.clone(), fields);
                self.put_values(*number);
            }
            Step::Absent(number, key) => {
                self.absence(*number);
                self.world.stores[*number].absent.push(key.clone());
                self.put_values(*number);
            }
            Step::BreakStore(number) => {
                if !matches!(self.world.stores[*number].backing, Backing::Web { .. }) {
                    self.absence(*number);
                }
                self.world.stores[*number].broken = true;
                self.put_store(*number);
            }
            Step::RepairStore(number) => {
                self.world.stores[*number].broken = false;
                self.world.stores[*number].exists = true;
                self.put_store(*number);
            }
            Step::DeleteStore(number) => {
                let store = &mut self.world.stores[*number];
                if !store.for_pushes {
                    store.exists = false;
                    self.api.delete(&store.path()).unwrap();
                }
            }
            Step::Rotate(number, server_first) => self.rotate(*number, *server_first),
            Step::DropLogin(number) => {
                let (namespace, name) = self.world.credential(*number);
                self.api.delete(&secret_path(namespace, &name)).unwrap();
            }
            _ => unreachable!("{step:?} is no step of stores"),
        }
    }

    /// Values of a fake store are part of its spec.
    pub(crate) fn put_values(&self, store: usize) {
        self.world.put_values(&self.api, store);
        if matches!(self.world.stores[store].backing, Backing::Fake) {
            self.put_store(store);
        }
    }

    fn put_store(&self, store: usize) {
        if self.world.stores[store].exists {
            self.world.put_store(&self.api, store);
        }
    }

    /// A new password, at the server and in the Secret, one after the other.
    fn rotate(&mut self, number: usize, server_first: bool) {
        let token = self.world.next("token");
        self.world.stores[number].token.clone_from(&token);
        let server = |run: &Self| {
            if let Backing::Web { remote, .. } = &run.world.stores[number].backing {
                remote.token(&token);
            }
        };
        if server_first {
            server(self);
            std::thread::park_timeout(Duration::from_millis(300));
        }
        self.world.put_credential(&self.api, number, &self.access);
        if !server_first {
            std::thread::park_timeout(Duration::from_millis(300));
            server(self);
        }
    }

    fn act_on_object(&mut self, step: &Step) {
        match step {
            Step::EditTarget(number) => self.write_target(*number, &json!("ZWRpdGVk")),
            Step::DropTargetKey(number) => self.write_target(*number, &json!(null)),
            Step::DeleteTarget(number) => {
                let path = self.world.target_path(&self.world.objects[*number]);
                if let Some(secret) = self.api.find(&path).unwrap() {
                    let uid = secret["metadata"]["uid"].as_str().unwrap();
                    self.ledger.deleted.insert(uid.to_owned());
                    self.api.delete(&path).unwrap();
                }
            }
            Step::Relabel(number) => {
                self.world.objects[*number].unmarked = true;
                let path = self.world.target_path(&self.world.objects[*number]);
                let label = "reconcile.external-secrets.io/managed";
                let body = json!({"metadata": {"labels": {label: null, "by": "hand"}}});
                self.write(&path, &body);
            }
            Step::Disown(number) => {
                self.world.objects[*number].unmarked = true;
                let path = self.world.target_path(&self.world.objects[*number]);
                self.write(&path, &json!({"metadata": {"ownerReferences": null}}));
            }
            Step::Interval(number) => {
                let intervals = ["1s", "5s", "1m", "1h"];
                let chosen = intervals[self.world.rng.usize(0..intervals.len())];
                self.world.objects[*number].interval = chosen;
                self.put_edited(*number);
            }
            Step::Sources(number) => self.edit_sources(*number),
            Step::Rename(number) => self.rename(*number),
            Step::DeleteObject(number) => self.delete_object(*number),
            Step::RecreateObject(number) => {
                let path = self.world.object_path(&self.world.objects[*number]);
                self.delete_object(*number);
                if self.is_gone_soon(&path) {
                    self.world.objects[*number].exists = true;
                    self.put_edited(*number);
                }
            }
            Step::Force(number) => self.force(*number),
            _ => unreachable!("{step:?} is no step of objects"),
        }
    }

    fn write_target(&mut self, number: usize, value: &serde_json::Value) {
        let object = &self.world.objects[number];
        let path = self.world.target_path(object);
        let marks = self.world.marks(object);
        let key = marks.keys().next().unwrap();
        self.write(&path, &json!({"data": {key: value}}));
    }

    /// A write by somebody else. What is not there is left alone.
    fn write(&mut self, path: &str, body: &serde_json::Value) {
        let written = self.api.merge(path, body);
        let missing = |error| lockstep_testkit::api::status(error) == Some(404);
        if !written.as_ref().is_err_and(missing) {
            let version = &written.unwrap()["metadata"]["resourceVersion"];
            let version = version.as_str().unwrap_or_default();
            self.ledger.written.insert(version.to_owned());
        }
    }

    pub(crate) fn force(&mut self, number: usize) {
        let object = &self.world.objects[number];
        if object.exists {
            let path = self.world.object_path(object);
            let stamp = self.world.next("force");
            let body = json!({"metadata": {"annotations": {"force-sync": stamp}}});
            self.api.merge(&path, &body).unwrap();
        }
    }

    /// Another last source, and another template.
    fn edit_sources(&mut self, number: usize) {
        let namespace = self.world.objects[number].namespace;
        let store = self.world.some_store(namespace);
        let key = self.world.some_key();
        let entry = self.world.entry("x9", store, key);
        let object = &mut self.world.objects[number];
        object.edits += 1;
        if object.sources.len() > 1 {
            object.sources.pop();
        }
        object.sources.push(entry);
        if object.template == Template::None && self.world.rng.u32(0..4) == 0 {
            self.world.objects[number].template = Template::Inline;
        }
        self.put_edited(number);
    }

    /// Another target. What others own is not left behind.
    fn rename(&mut self, number: usize) {
        let object = &mut self.world.objects[number];
        if object.creation == "Merge" {
            return;
        }
        object.edits += 1;
        let place = place(&self.world.namespaces, object);
        object.target = format!("{}-t{}", object.name, object.edits);
        if let Some(rule) = self.ledger.rules.get_mut(&place) {
            rule.former = true;
        }
        // A Secret that does not say whose it is stays.
        let object = &mut self.world.objects[number];
        if !std::mem::take(&mut object.unmarked) && object.creation == "Owner" {
            self.former.push(place);
        }
        self.put_edited(number);
    }

    fn delete_object(&mut self, number: usize) {
        let path = self.world.object_path(&self.world.objects[number]);
        if let Some(found) = self.api.find(&path).unwrap() {
            let uid = found["metadata"]["uid"].as_str().unwrap();
            self.ledger.owners.insert(uid.to_owned());
            self.api.delete(&path).unwrap();
        }
        self.world.objects[number].exists = false;
    }

    /// Puts an edited object where it is; the ledger learns its new shape first.
    pub(crate) fn put_edited(&mut self, number: usize) {
        self.learn(number);
        let object = &self.world.objects[number];
        if object.exists {
            self.world.put_object(&self.api, object);
        }
    }

    /// Waits a little for the end of an object that was deleted; it may take until everything is
    /// well again.
    fn is_gone_soon(&self, path: &str) -> bool {
        let gone = || self.api.find(path).unwrap().is_none();
        poll::until_holds(Duration::from_secs(2), gone).is_some()
    }

    /// Somebody else's Secret that is needed is there again.
    pub(crate) fn restore_foreign(&mut self) {
        for object in &self.world.objects {
            if object.creation == "Merge" {
                let path = self.world.target_path(object);
                if self.api.find(&path).unwrap().is_none() {
                    self.world.put_foreign_target(&self.api, object);
                }
            }
        }
    }

    /// Remote secrets of a store will be missing.
    fn absence(&mut self, store: usize) {
        self.world.stores[store].was_absent = true;
        for number in 0..self.world.objects.len() {
            self.learn(number);
        }
    }

    /// All is as it should be again; nobody tells the operator but the watches.
    pub(crate) fn heal(&mut self) {
        for number in 0..self.world.stores.len() {
            self.world.mood(number, Mood::Well);
            let store = &mut self.world.stores[number];
            store.absent.clear();
            (store.broken, store.exists) = (false, true);
            if matches!(store.backing, Backing::Kube { .. }) {
                "first".clone_into(&mut store.token);
            }
            self.world.put_credential(&self.api, number, &self.access);
            self.put_values(number);
            self.put_store(number);
        }
        for number in 0..self.world.templates.len() {
            self.world.put_template(&self.api, number);
        }
        self.restore_foreign();
        self.replicas.tend();
        for number in 0..self.world.objects.len() {
            if !self.world.objects[number].exists {
                let path = self.world.object_path(&self.world.objects[number]);
                self.wait_for_end(&path);
                self.world.objects[number].exists = true;
                self.put_edited(number);
            }
        }
        for number in 0..self.world.pushes.len() {
            let path = self.world.push_path(&self.world.pushes[number]);
            if !self.world.pushes[number].exists {
                self.wait_for_end(&path);
                self.world.pushes[number].exists = true;
            }
            self.world.put_push(&self.api, &self.world.pushes[number]);
        }
    }
}

pub(crate) fn place(namespaces: &[String], object: &Object) -> String {
    format!("{}/{}", namespaces[object.namespace], object.target)
}
