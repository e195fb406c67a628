//! Every flag with an effect reaches the setting it is about, and no other one.

use std::time::Duration;

use clap::{CommandFactory, FromArgMatches, Parser};

use super::*;
use crate::values::go_switches;

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    flags: ControllerFlags,
}

fn flags(given: &[&str]) -> ControllerFlags {
    let line = std::iter::once("lockstep").chain(given.iter().copied());
    let matches = go_switches(Line::command()).get_matches_from(line);
    Line::from_arg_matches(&matches).unwrap().flags
}

/// Everything a setting says, as text; the key of fingerprints is another one each time.
fn said(config: &Config) -> String {
    let settings = Settings {
        salt: Salt::default(),
        ..config.settings.clone()
    };
    let config = Config {
        settings,
        ..config.clone()
    };
    format!("{config:#?}")
}

/// Lines in which two configurations differ, the later ones alone.
fn changed(given: &str) -> Vec<String> {
    let (plain, set) = (config(&flags(&[])), config(&flags(&[given])));
    let (plain, set) = (said(&plain.unwrap()), said(&set.unwrap()));
    let pairs = plain.lines().zip(set.lines());
    let others = pairs.filter(|(one, other)| one != other);
    others.map(|(_, other)| other.trim().to_owned()).collect()
}

#[test]
fn one_flag_changes_one_setting() {
    for (flag, setting) in [
        ("--controller-class=mine", r#"class: "mine","#),
        ("--enable-flood-gate=false", "flood_gate: false,"),
        (
            "--enable-cluster-store-reconciler=false",
            "cluster_stores: false,",
        ),
        (
            "--enable-secret-store-reconciler=false",
            "secret_stores: false,",
        ),
        (
            "--enable-cluster-external-secret-reconciler=false",
            "cluster_external_secrets: false,",
        ),
        (
            "--enable-push-secret-reconciler=false",
            "push_secrets: false,",
        ),
        ("--unsafe-allow-generic-targets", "generic_targets: true,"),
        ("--store-requeue-interval=90s", "store_requeue: 90s,"),
        ("--write-every-refresh", "refresh_note: EveryRefresh,"),
        (
            "--drop-gitops-metadata",
            "copied_metadata: WithoutBookkeeping,",
        ),
        ("--template-left-delimiter=<<", r#"left: "<<","#),
        ("--template-right-delimiter=>>", r#"right: ">>","#),
        ("--deletion-guard=off", "deletion_guard: false,"),
        ("--probe-versions", "probe_versions: true,"),
        ("--enable-extended-metric-labels", "extended_labels: true,"),
    ] {
        assert_eq!(changed(flag), [setting], "{flag}");
    }
}

#[test]
fn a_namespace_is_looked_at_alone_only_when_it_is_named() {
    assert_eq!(config(&flags(&[])).unwrap().namespace, None);
    let named = config(&flags(&["--namespace=team"])).unwrap();

    assert_eq!(named.namespace.as_deref(), Some("team"));
}

#[test]
fn the_client_is_limited_only_when_a_limit_is_given() {
    let rate = |given: &[&str]| {
        let rate = client_settings(&flags(given)).rate;
        rate.map(|rate| (rate.per_second, rate.burst))
    };

    assert_eq!(rate(&[]), None);
    assert_eq!(rate(&["--client-qps=5"]), Some((5.0, 100)));
    assert_eq!(rate(&["--client-burst=7"]), Some((50.0, 7)));
}

#[test]
fn leader_election_has_the_originals_times() {
    let leader = flags(&[]).leader;

    assert!(!leader.enable_leader_election);
    let times = [
        leader.leader_election_lease_duration,
        leader.leader_election_renew_deadline,
        leader.leader_election_retry_period,
    ];
    assert_eq!(times, [15, 10, 2].map(Duration::from_secs));
}
