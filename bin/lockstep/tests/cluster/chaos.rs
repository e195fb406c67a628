//! Random worlds, random faults, and the same end every time: when all is well again, every object
//! is right within a bounded time, and no Secret was lost on the way.
//!
//! A seed makes a world (stores of three providers, ExternalSecrets of all policies, PushSecrets) and
//! a script of steps: servers that fail in every way, stores and credentials that go and come back,
//! targets that others edit, operators and API servers that are killed. After each round everything is
//! healed and checked. The seeds here are few and small. A long run takes its size from the
//! environment:
//!
//! ```text
//! LOCKSTEP_CHAOS="seeds=100..160 objects=80 steps=60 rounds=3 replicas=2 apiserver" \
//!   cargo test -p lockstep --test cluster chaos -- --nocapture
//! ```

mod checks;
mod ledger;
mod manifests;
mod model;
mod remote;
mod replicas;
mod steps;

use std::net::SocketAddr;
use std::ops::Range;
use std::time::{Duration, Instant};

use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::ControlPlane;
use lockstep_testkit::kubeconfig::Access;
use lockstep_testkit::progress::say;
use lockstep_testkit::proxy::Proxy;

use ledger::{Ledger, Rule, Watcher};
use model::World;
use replicas::{Replicas, Weight};
use steps::{Step, place};

/// How much is done.
#[derive(Clone, Debug)]
struct Size {
    seeds: Range<u64>,
    objects: usize,
    steps: usize,
    rounds: usize,
    replicas: usize,
    api_server: bool,
}

impl Size {
    /// Small enough for every run of the tests, or what the environment says.
    fn chosen() -> Self {
        let mut size = Self {
            seeds: 1..3,
            objects: 24,
            steps: 14,
            rounds: 1,
            replicas: 1,
            api_server: false,
        };
        let given = std::env::var("LOCKSTEP_CHAOS").unwrap_or_default();
        for word in given.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            match name {
                "seeds" => {
                    let (from, to) = value.split_once("..").unwrap();
                    size.seeds = from.parse().unwrap()..to.parse().unwrap();
                }
                "objects" => size.objects = value.parse().unwrap(),
                "steps" => size.steps = value.parse().unwrap(),
                "rounds" => size.rounds = value.parse().unwrap(),
                "replicas" => size.replicas = value.parse().unwrap(),
                "apiserver" => size.api_server = true,
                other => unreachable!("LOCKSTEP_CHAOS knows no {other}"),
            }
        }
        size
    }
}

/// One seed under way.
struct Run<'a> {
    seed: u64,
    plane: &'a mut ControlPlane,
    api: Api,
    access: Access,
    world: World,
    ledger: Ledger,
    watcher: Watcher,
    replicas: Replicas,
    /// Whether there was a time of the round without an operator.
    was_down: bool,
    /// Targets of before that must be gone.
    former: Vec<String>,
    script: Vec<String>,
}

#[test]
fn whatever_happens_all_is_right_soon_after_it_and_no_secret_is_lost() {
    let size = Size::chosen();
    let mut plane = ControlPlane::start(None).unwrap();
    plane.install_crds().unwrap();
    for seed in size.seeds.clone() {
        let began = Instant::now();
        let mut run = Run::start(seed, &mut plane, &size);
        let first = run.settle(Duration::ZERO, true);
        say(&format!(
            "seed {seed}: all right {first:.1?} after the start"
        ));
        let mut weights = Vec::new();
        for _ in 0..size.rounds {
            run.round(&size);
            weights.extend(run.replicas.weight());
        }
        does_not_grow(seed, &weights);
        run.end();
        say(&format!("seed {seed}: done in {:.0?}", began.elapsed()));
    }
}

impl<'a> Run<'a> {
    fn start(seed: u64, plane: &'a mut ControlPlane, size: &Size) -> Self {
        let (api, admin) = (plane.admin().unwrap(), plane.admin_kubeconfig());
        let access = Access::read(&admin).unwrap();
        let server: SocketAddr = access.server["https://".len()..].parse().unwrap();
        let world = World::new(seed, size.objects, || Proxy::start(server).unwrap());
        let lease = format!("chaos-{seed}");
        let mut run = Self {
            seed,
            watcher: Watcher::start(admin, format!("chaos-{seed}-")),
            replicas: Replicas::start(plane.operator_kubeconfig(), size.replicas, &lease),
            plane,
            api,
            access,
            world,
            ledger: Ledger::default(),
            was_down: false,
            former: Vec::new(),
            script: Vec::new(),
        };
        for number in 0..run.world.objects.len() {
            run.learn(number);
        }
        run.world.put_all(&run.api, &run.access);
        run
    }

    /// Faults, healing, and the checks.
    fn round(&mut self, size: &Size) {
        let began = Instant::now();
        for _ in 0..size.steps {
            let step = self.choose(size.api_server);
            let at = began.elapsed();
            self.script.push(format!("{at:>6.1?} {step:?}"));
            self.act(&step);
            let pause = self.world.rng.u64(0..900);
            std::thread::park_timeout(Duration::from_millis(pause));
        }
        let faults = began.elapsed();
        self.script
            .push(format!("{faults:>6.1?} all is well again"));
        self.heal();
        let settled = self.settle(faults, false);
        for number in 0..self.world.objects.len() {
            self.force(number);
        }
        for number in 0..self.world.pushes.len() {
            self.act(&Step::PushValue(number));
        }
        let exact = self.settle(Duration::ZERO, true);
        self.judge();
        say(&format!(
            "seed {}: {} steps in {faults:.0?}, right after {settled:.1?}, exact after {exact:.1?} more",
            self.seed, size.steps
        ));
    }

    /// Tells the ledger how an object's Secret may look from now on.
    fn learn(&mut self, number: usize) {
        let object = &self.world.objects[number];
        let marks = self.world.marks(object);
        let absent = object.deletion != "Retain"
            && object
                .stores()
                .any(|store| self.world.stores[store].was_absent);
        let rule: &mut Rule = self
            .ledger
            .rules
            .entry(place(&self.world.namespaces, object))
            .or_default();
        rule.foreign = object.creation == "Merge";
        rule.absent |= absent;
        if !rule.shapes.contains(&marks) {
            rule.shapes.push(marks);
        }
    }

    /// Everything is deleted, and nothing stays that should not.
    fn end(mut self) {
        for number in 0..self.world.objects.len() {
            self.act(&Step::DeleteObject(number));
        }
        for push in &self.world.pushes {
            self.api.delete(&self.world.push_path(push)).unwrap();
        }
        for number in 0..self.world.objects.len() {
            let path = self.world.object_path(&self.world.objects[number]);
            self.wait_for_end(&path);
            let object = &self.world.objects[number];
            let target = self.world.target_path(object);
            if object.creation == "Owner" {
                self.wait_for_end(&target);
            } else {
                assert!(
                    self.api.find(&target).unwrap().is_some(),
                    "{target} is gone"
                );
            }
        }
        for number in 0..self.world.pushes.len() {
            let path = self.world.push_path(&self.world.pushes[number]);
            self.wait_for_end(&path);
        }
        self.judge();
        for number in 0..self.world.stores.len() {
            let path = self.world.stores[number].path();
            self.api.delete(&path).unwrap();
            self.wait_for_end(&path);
        }
        for name in self.world.namespaces.iter().chain([&self.world.vault]) {
            self.api
                .delete(&format!("/api/v1/namespaces/{name}"))
                .unwrap();
        }
    }
}

/// A process that goes on holds no more after the last round than after the first, but for chance.
fn does_not_grow(seed: u64, weights: &[Weight]) {
    for (number, later) in weights.iter().enumerate() {
        let first = weights[..number]
            .iter()
            .find(|one| one.process == later.process);
        let Some(first) = first else { continue };
        assert!(later.files <= first.files + 40, "seed {seed}: {weights:?}");
        let most = first.kibibytes * 3 / 2 + (30 << 10);
        assert!(later.kibibytes <= most, "seed {seed}: {weights:?}");
    }
}
