use std::collections::BTreeMap;
use std::time::Duration;

use lockstep_api::{ClusterSecretStore, SecretStore, SecretStoreStatus};
use lockstep_provider_api::{Capabilities, Check, Error, ErrorKind, Health, Stability};

use super::*;
use crate::event::EventNote;
use crate::next_run::NextRun;
use crate::settings::Settings;
use crate::testing::{noon, ready_cluster_store, ready_store};

fn store(spec: &str) -> SecretStore {
    let mut store = SecretStore::new("s", serde_saphyr::from_str(spec).unwrap());
    store.metadata.namespace = Some("ns".to_owned());
    store.metadata.generation = Some(3);
    store
}

fn fake() -> SecretStore {
    store("provider: {fake: {data: []}}")
}

fn checked(check: Check) -> CheckOutcome {
    CheckOutcome::Checked {
        check,
        capabilities: Capabilities {
            read: true,
            write: true,
            ..Capabilities::NONE
        },
        stability: Stability::Maintained,
        interval: Duration::from_mins(5),
        foreign_namespace: None,
    }
}

fn unmaintained() -> CheckOutcome {
    CheckOutcome::Checked {
        check: Check::Healthy(Health::Ready),
        capabilities: Capabilities {
            read: true,
            ..Capabilities::NONE
        },
        stability: Stability::NotMaintained,
        interval: Duration::from_mins(5),
        foreign_namespace: None,
    }
}

fn reported(store: &SecretStore, outcome: CheckOutcome) -> StorePlan {
    report(store, outcome, &Settings::default(), noon())
}

/// Status, reason and message of the Ready condition.
fn condition(plan: &StorePlan) -> (String, String, String) {
    let condition = plan.status.as_ref().unwrap().conditions[0].clone();
    (
        condition.status,
        condition.reason.unwrap(),
        condition.message.unwrap(),
    )
}

fn says(status: &str, reason: &str, message: &str) -> (String, String, String) {
    (status.to_owned(), reason.to_owned(), message.to_owned())
}

#[test]
fn only_stores_of_our_class_or_of_none_are_checked() {
    let settings = Settings {
        class: "blue".to_owned(),
        ..Settings::default()
    };
    for (class, skipped) in [("blue", false), ("", false), ("default", true)] {
        let store = store(&format!("controller: '{class}'\nprovider: {{fake: {{}}}}"));

        assert_eq!(
            decide(&store, &settings) == StoreDecision::Skip,
            skipped,
            "{class}"
        );
    }
}

#[test]
fn the_interval_may_be_seconds_or_a_duration() {
    let cases = [
        ("15", 15),
        ("2m", 120),
        ("0", 300),
        ("'0'", 300),
        ("0s", 300),
        ("null", 300),
    ];
    for (written, seconds) in cases {
        let store = store(&format!(
            "refreshInterval: {written}\nprovider: {{fake: {{}}}}"
        ));

        let StoreDecision::Check {
            interval, provider, ..
        } = decide(&store, &Settings::default())
        else {
            panic!("{written} is not checked");
        };
        assert_eq!(
            (provider.as_str(), interval),
            ("fake", Duration::from_secs(seconds)),
            "{written}"
        );
    }
}

#[test]
fn an_interval_that_cannot_be_read_gets_a_condition() {
    for (written, wanted) in [
        (
            "soon",
            "invalid refreshInterval \"soon\": time: invalid duration \"soon\"",
        ),
        ("-5", "invalid refreshInterval -5: must not be negative"),
        (
            "-1m",
            "invalid refreshInterval \"-1m\": must not be negative",
        ),
    ] {
        let store = store(&format!(
            "refreshInterval: {written}\nprovider: {{fake: {{}}}}"
        ));
        let StoreDecision::Refuse(failure) = decide(&store, &Settings::default()) else {
            panic!("{written} is not refused");
        };

        let plan = reported(&store, CheckOutcome::Refused(failure));

        let message = format!("invalid refreshInterval: InvalidSpec: {wanted}");
        assert_eq!(
            condition(&plan),
            says("False", "InvalidProviderConfig", &message)
        );
        assert_eq!(plan.next, NextRun::OnChange);
    }
}

#[test]
fn a_store_with_two_providers_or_none_is_refused() {
    for (providers, found) in [("{}", 0), ("{fake: {}, vault: {}}", 2)] {
        let store = store(&format!("provider: {providers}"));

        let StoreDecision::Refuse(failure) = decide(&store, &Settings::default()) else {
            panic!("{providers} is not refused");
        };

        assert_eq!(failure.message, "unable to create client");
        assert_eq!(
            failure.text,
            format!(
                "store error for s: secret stores must only have exactly one backend specified, \
                 found {found}"
            )
        );
    }
}

#[test]
fn a_healthy_store_is_valid_and_says_what_it_can_do() {
    for health in [Health::Ready, Health::Unknown] {
        let plan = reported(&fake(), checked(Check::Healthy(health)));

        assert_eq!(condition(&plan), says("True", "Valid", "store validated"));
        let status = plan.status.unwrap();
        assert_eq!(status.capabilities.unwrap().as_str(), "ReadWrite");
        assert_eq!(status.observed_generation, Some(3));
        assert_eq!(plan.events, [EventNote::normal("Valid", "store validated")]);
        assert_eq!(plan.next, NextRun::After(Duration::from_mins(5)));
    }
}

#[test]
fn a_store_that_stays_valid_is_silent() {
    let mut store = fake();
    store.status = reported(&store, checked(Check::Healthy(Health::Ready))).status;

    let plan = reported(&store, checked(Check::Healthy(Health::Ready)));

    assert_eq!(plan.status, None);
    assert_eq!(plan.events, []);
    assert!(!plan.condition_changed);
}

#[test]
fn a_store_of_another_operator_that_stays_valid_is_not_written() {
    let mut store = fake();
    let mut status = reported(&store, checked(Check::Healthy(Health::Ready)))
        .status
        .unwrap();
    status.observed_generation = None;
    store.status = Some(status);

    assert_eq!(
        reported(&store, checked(Check::Healthy(Health::Ready))).status,
        None
    );
}

#[test]
fn the_generation_is_left_out_where_the_schema_drops_it() {
    let settings = Settings {
        observed_generation: false,
        ..Settings::default()
    };

    let plan = report(
        &fake(),
        checked(Check::Healthy(Health::Ready)),
        &settings,
        noon(),
    );

    assert_eq!(plan.status.unwrap().observed_generation, None);
}

#[test]
fn a_store_that_shows_a_generation_gets_its_own_even_if_earlier_schemas_kept_none() {
    let settings = Settings {
        observed_generation: false,
        ..Settings::default()
    };
    let mut store = fake();
    store.status = Some(SecretStoreStatus {
        observed_generation: Some(-1),
        ..SecretStoreStatus::default()
    });

    let healthy = checked(Check::Healthy(Health::Ready));
    let plan = report(&store, healthy, &settings, noon());

    let noted = plan.status.unwrap().observed_generation;
    assert!(
        noted.is_some() && noted == store.metadata.generation,
        "{noted:?}"
    );
}

#[test]
fn a_store_that_cannot_tell_stays_ready() {
    let error = Error::unreachable("unable to validate");

    let plan = reported(&fake(), checked(Check::Undetermined(error)));

    assert_eq!(
        condition(&plan),
        says(
            "True",
            "ValidationUnknown",
            "could not determine validation status"
        )
    );
    assert_eq!(
        plan.events,
        [EventNote::warning(
            "ValidationUnknown",
            "unable to validate"
        )]
    );
    assert_eq!(plan.status.unwrap().capabilities, None);
    assert_eq!(plan.next, NextRun::After(Duration::from_mins(5)));
}

#[test]
fn a_failed_check_keeps_the_capabilities_and_is_tried_again() {
    let mut store = fake();
    store.status = reported(&store, checked(Check::Healthy(Health::Ready))).status;

    let plan = reported(
        &store,
        checked(Check::Failed(Error::invalid_spec("no such mount"))),
    );

    assert_eq!(
        condition(&plan),
        says(
            "False",
            "InvalidProviderConfig",
            "unable to validate store: InvalidSpec: no such mount"
        )
    );
    assert_eq!(
        plan.events,
        [EventNote::warning("InvalidProviderConfig", "no such mount")]
    );
    assert!(plan.status.unwrap().capabilities.is_some());
    assert_eq!(plan.next, NextRun::Backoff);
}

#[test]
fn a_store_that_cannot_be_reached_is_checked_as_often_as_one_that_is_probed() {
    let unreachable = || Error::unreachable("connection refused");

    let unchecked = reported(&fake(), checked(Check::Failed(unreachable())));
    let unconnected = reported(&fake(), CheckOutcome::NotConnected(unreachable()));
    let refused = reported(&fake(), checked(Check::Failed(Error::invalid_spec("no"))));

    let within = NextRun::BackoffWithin(Duration::from_secs(30));
    assert_eq!((unchecked.next, unconnected.next), (within, within));
    assert_eq!(refused.next, NextRun::Backoff);
}

#[test]
fn a_store_without_a_connection_names_the_cause() {
    let error = Error::new(
        lockstep_provider_api::ErrorKind::Unauthenticated,
        "token expired",
    );

    let plan = reported(&fake(), CheckOutcome::NotConnected(error));

    assert_eq!(
        condition(&plan),
        says(
            "False",
            "InvalidProviderConfig",
            "unable to create client: Unauthenticated: token expired; renew the store's credentials"
        )
    );
    assert_eq!(plan.next, NextRun::Backoff);
}

#[test]
fn providers_outside_this_build_are_told_from_unknown_ones() {
    let provider = || "vault".to_owned();

    let absent = reported(
        &fake(),
        CheckOutcome::NotInBuild {
            text: "provider \"vault\" is not in this build, which has aws, fake".to_owned(),
        },
    );
    let unknown = reported(
        &fake(),
        CheckOutcome::UnknownProvider {
            provider: provider(),
        },
    );

    assert_eq!(
        condition(&absent).2,
        "unable to create client: Unsupported: provider \"vault\" is not in this build, which has aws, \
         fake; use one of these, or leave the store to an operator that has it by spec.controller"
    );
    assert_eq!(
        condition(&unknown).2,
        "unable to create client: InvalidSpec: failed to find registered store backend for type: \
         vault, name: s"
    );
    let never = NextRun::OnChange;
    assert_eq!((absent.next, unknown.next), (never, never));
}

#[test]
fn an_unmaintained_provider_warns_unless_silenced() {
    let mut store = fake();
    let reasons = |store: &SecretStore| -> Vec<&str> {
        reported(store, unmaintained())
            .events
            .iter()
            .map(|event| event.reason)
            .collect()
    };
    assert_eq!(reasons(&store), ["Valid", "StoreUnmaintained"]);

    let silence = "external-secrets.io/ignore-maintenance-checks".to_owned();
    store.metadata.annotations = Some([(silence, String::new())].into());

    assert_eq!(reasons(&store), ["Valid"]);
}

fn check(
    store: &ClusterSecretStore,
    namespace: &str,
    labels: &[(&str, &str)],
) -> Result<(), Denied> {
    let labels: BTreeMap<String, String> = labels
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    StoreView::of(store).access.check(namespace, Some(&labels))
}

#[test]
fn labels_that_are_not_known_admit_nobody_whatever_the_operator() {
    let expression = |operator: &str| {
        format!(
            "conditions: [{{namespaceSelector: {{matchExpressions: [{{key: team, {operator}}}]}}}}]"
        )
    };
    let operators = [
        "operator: NotIn, values: [red]",
        "operator: DoesNotExist",
        "operator: In, values: [red]",
        "operator: Exists",
    ];
    for operator in operators {
        let store = ready_cluster_store("s", &expression(operator));

        let unknown = StoreView::of(&store).access.check("ns", None);

        assert_eq!(unknown, Err(Denied::LabelsUnknown), "{operator}");
    }
}

#[test]
fn what_needs_no_labels_is_decided_without_them() {
    let cases = [
        ("conditions: []", Ok(())),
        ("conditions: [{namespaceSelector: {}}]", Ok(())),
        (
            "conditions: [{namespaceSelector: {matchLabels: {a: b}}, namespaces: [ns]}]",
            Ok(()),
        ),
        (
            "conditions: [{namespaceSelector: {matchLabels: {a: b}}}, {namespaceRegexes: ['^n']}]",
            Ok(()),
        ),
        (
            "conditions: [{namespaces: [other], namespaceRegexes: ['^x']}]",
            Err(Denied::NoMatch),
        ),
    ];
    for (conditions, wanted) in cases {
        let store = ready_cluster_store("s", conditions);

        let checked = StoreView::of(&store).access.check("ns", None);

        assert_eq!(checked, wanted, "{conditions}");
    }
}

#[test]
fn conditions_admit_by_any_member_of_any_of_them() {
    let cases = [
        ("conditions: []", true),
        ("conditions: [{namespaces: [other, ns]}]", true),
        ("conditions: [{namespaces: [other]}]", false),
        (
            "conditions: [{namespaces: [other]}, {namespaces: [ns]}]",
            true,
        ),
        ("conditions: [{namespaceRegexes: ['^n']}]", true),
        ("conditions: [{namespaceRegexes: ['s$', x]}]", true),
        ("conditions: [{namespaceRegexes: ['^prod-.*']}]", false),
        ("conditions: [{namespaceSelector: {}}]", true),
        (
            "conditions: [{namespaceSelector: {matchLabels: {team: red}}}]",
            true,
        ),
        (
            "conditions: [{namespaceSelector: {matchLabels: {team: blue}}}]",
            false,
        ),
        (
            "conditions: [{namespaceSelector: {matchExpressions: \
             [{key: team, operator: In, values: [red, green]}]}}]",
            true,
        ),
        (
            "conditions: [{namespaceSelector: {matchExpressions: \
             [{key: team, operator: DoesNotExist}]}}]",
            false,
        ),
        (
            "conditions: [{namespaces: [x], namespaceRegexes: [y], namespaceSelector: {}}]",
            true,
        ),
        ("conditions: [{}]", false),
    ];
    for (conditions, admitted) in cases {
        let store = ready_cluster_store("s", conditions);

        let wanted = if admitted {
            Ok(())
        } else {
            Err(Denied::NoMatch)
        };
        assert_eq!(
            check(&store, "ns", &[("team", "red")]),
            wanted,
            "{conditions}"
        );
    }
}

#[test]
fn a_pattern_that_does_not_compile_counts_only_when_it_is_reached() {
    let broken = "failed to compile regex (: error parsing regexp: missing closing ): `(`";
    let store = ready_cluster_store("s", "conditions: [{namespaceRegexes: [a, '(']}]");
    assert_eq!(
        check(&store, "ns", &[]),
        Err(Denied::Broken(broken.to_owned()))
    );

    assert_eq!(check(&store, "a", &[]), Ok(()));
}

#[test]
fn a_selector_that_can_never_match_admits_nobody_by_its_negation() {
    for values in ["[]", "[not a label]"] {
        let expression = format!("{{key: team, operator: NotIn, values: {values}}}");
        let selector = format!("{{matchExpressions: [{expression}]}}");
        let store = ready_cluster_store(
            "s",
            &format!("conditions: [{{namespaceSelector: {selector}}}]"),
        );

        let denied = check(&store, "ns", &[("team", "red")]);

        assert!(matches!(denied, Err(Denied::Broken(_))), "{denied:?}");
    }
}

#[test]
fn conditions_of_a_namespaced_store_have_no_effect() {
    let store = store("provider: {fake: {}}\nconditions: [{namespaces: [other]}]");

    assert_eq!(
        StoreView::of(&store)
            .access
            .check("ns", Some(&BTreeMap::new())),
        Ok(())
    );
}

#[test]
fn keys_print_as_messages_name_stores() {
    assert_eq!(
        StoreKey::namespaced("ns", "a").to_string(),
        "SecretStore \"a\""
    );
    assert_eq!(
        StoreKey::cluster("b").to_string(),
        "ClusterSecretStore \"b\""
    );
}

#[test]
fn a_store_that_names_another_namespace_is_valid_and_says_so_once() {
    let outcome = || {
        let mut outcome = checked(Check::Healthy(Health::Ready));
        if let CheckOutcome::Checked {
            foreign_namespace, ..
        } = &mut outcome
        {
            *foreign_namespace = Some("invalid ClientID: namespace should".to_owned());
        }
        outcome
    };
    let mut store = fake();

    let first = reported(&store, outcome());
    store.status = first.status.clone();
    let second = reported(&store, outcome());

    assert_eq!(condition(&first).0, "True");
    let text = "invalid ClientID: namespace should; the namespace of the store is read instead";
    let note = EventNote::normal("NamespaceIgnored", text);
    assert!(first.events.contains(&note), "{:?}", first.events);
    assert!(second.events.is_empty());
}

fn healthy() -> CheckOutcome {
    CheckOutcome::Checked {
        check: Check::Healthy(Health::Ready),
        capabilities: Capabilities::NONE,
        stability: Stability::Maintained,
        interval: Duration::from_mins(5),
        foreign_namespace: None,
    }
}

#[test]
fn a_store_whose_reads_fail_is_not_ready_says_why_once_and_may_still_be_used() {
    let refused = || Error::new(ErrorKind::Unauthenticated, "the token expired");
    let away = || Error::unreachable("cannot reach http://x: connection refused");
    let cases: [(&dyn Fn() -> Error, &str, &str); 2] = [
        (
            &away,
            "ProviderUnreachable",
            "unable to validate store: Unreachable: cannot reach http://x: connection refused; check \
             server, address and network; it goes on when the provider answers",
        ),
        (
            &refused,
            "CredentialsRefused",
            "unable to validate store: Unauthenticated: the token expired; renew the store's \
             credentials",
        ),
    ];
    for (error, reason, message) in cases {
        let mut store = ready_store("s");
        let check = |store: &SecretStore, trouble: Option<Error>| {
            let outcome = healthy().with_trouble(trouble);
            report(store, outcome, &Settings::default(), noon())
        };

        let plan = check(&store, Some(error()));
        store.status.clone_from(&plan.status);
        let again = check(&store, Some(error()));
        let back = check(&store, None);

        let status = plan.status.unwrap();
        let ready = &status.conditions[0];
        assert_eq!((ready.status.as_str(), plan.is_ready), ("False", false));
        assert_eq!(ready.reason.as_deref(), Some(reason));
        assert_eq!(ready.message.as_deref(), Some(message));
        assert_eq!(plan.events.len(), 1);
        assert_eq!((again.status, again.events), (None, vec![]));
        assert!(StoreView::of(&store).is_open());
        assert!(back.is_ready && back.condition_changed);
    }
}

#[test]
fn what_a_check_itself_finds_counts_for_more_than_failing_reads() {
    let refused = CheckOutcome::NotConnected(Error::invalid_spec("no region"));
    let outcome = refused.with_trouble(Some(Error::unreachable("away")));

    let plan = report(&ready_store("s"), outcome, &Settings::default(), noon());

    let status = plan.status.unwrap();
    assert_eq!(
        status.conditions[0].reason.as_deref(),
        Some("InvalidProviderConfig")
    );
}
