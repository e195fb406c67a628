//! The command line of the original operator, flag by flag: an existing Deployment starts with every
//! one of them, and what it leaves out means what it meant.

use std::collections::BTreeSet;

use clap::{Arg, Command, CommandFactory};

use crate::cli::Cli;
use crate::values::go_switches;

/// Every flag of the original's controller, and its default.
const CONTROLLER: [(&str, &str); 47] = [
    ("metrics-addr", ":8080"),
    ("metrics-auth", "false"),
    ("metrics-secure", "false"),
    ("metrics-cert-dir", ""),
    ("metrics-cert-name", "tls.crt"),
    ("metrics-key-name", "tls.key"),
    ("live-addr", ":8082"),
    ("controller-class", "default"),
    ("enable-leader-election", "false"),
    ("leader-election-id", "external-secrets-controller"),
    ("leader-election-lease-duration", "15s"),
    ("leader-election-renew-deadline", "10s"),
    ("leader-election-retry-period", "2s"),
    ("concurrent", "1"),
    ("client-qps", "50"),
    ("client-burst", "100"),
    ("loglevel", "info"),
    ("zap-time-encoding", "epoch"),
    ("namespace", ""),
    ("enable-cluster-store-reconciler", "true"),
    ("enable-secret-store-reconciler", "true"),
    ("enable-cluster-external-secret-reconciler", "true"),
    ("enable-cluster-push-secret-reconciler", "true"),
    ("enable-push-secret-reconciler", "true"),
    ("enable-secrets-caching", "false"),
    ("enable-configmaps-caching", "false"),
    ("enable-managed-secrets-caching", "true"),
    ("enable-secret-api-read-on-cache-mismatch", "true"),
    ("store-requeue-interval", "5m"),
    ("enable-flood-gate", "true"),
    ("enable-generator-state", "true"),
    ("enable-extended-metric-labels", "false"),
    ("enable-http2", "false"),
    ("unsafe-allow-generic-targets", "false"),
    ("generator-gc-grace-period", "2m"),
    ("template-left-delimiter", "{{"),
    ("template-right-delimiter", "}}"),
    ("enable-vault-token-cache", "false"),
    ("vault-token-cache-size", "262144"),
    ("experimental-enable-vault-token-cache", "false"),
    ("experimental-vault-token-cache-size", "262144"),
    ("experimental-enable-doppler-oidc-cache", "false"),
    ("experimental-doppler-oidc-cache-size", "262144"),
    ("doppler-etag-cache-size", "16384"),
    ("mysterybox-tokens-cache-size", "4096"),
    ("mysterybox-connections-cache-size", "128"),
    ("help", ""),
];

/// The same for its webhook.
const WEBHOOK: [(&str, &str); 17] = [
    ("metrics-addr", ":8080"),
    ("healthz-addr", ":8081"),
    ("metrics-auth", "false"),
    ("metrics-secure", "false"),
    ("metrics-cert-dir", ""),
    ("metrics-cert-name", "tls.crt"),
    ("metrics-key-name", "tls.key"),
    ("port", "10250"),
    ("dns-name", "localhost"),
    ("cert-dir", "/tmp/k8s-webhook-server/serving-certs"),
    ("zap-time-encoding", "epoch"),
    ("loglevel", "info"),
    ("check-interval", "5m"),
    ("lookahead-interval", "2160h"),
    ("tls-ciphers", ""),
    ("tls-min-version", "1.2"),
    ("enable-http2", "false"),
];

/// The same for its certificate controller.
const CERT_CONTROLLER: [(&str, &str); 18] = [
    ("metrics-addr", ":8080"),
    ("healthz-addr", ":8081"),
    ("metrics-auth", "false"),
    ("metrics-secure", "false"),
    ("metrics-cert-dir", ""),
    ("metrics-cert-name", "tls.crt"),
    ("metrics-key-name", "tls.key"),
    ("service-name", "external-secrets-webhook"),
    ("service-namespace", "default"),
    ("secret-name", "external-secrets-webhook"),
    ("secret-namespace", "default"),
    (
        "crd-names",
        "externalsecrets.external-secrets.io,clustersecretstores.external-secrets.io,\
         secretstores.external-secrets.io",
    ),
    ("enable-partial-cache", "false"),
    ("enable-leader-election", "false"),
    ("loglevel", "info"),
    ("zap-time-encoding", "epoch"),
    ("crd-requeue-interval", "5m"),
    ("enable-http2", "false"),
];

/// Unset, these mean no limit (`docs/differences.md`).
const NO_LIMIT: [&str; 2] = ["client-qps", "client-burst"];

fn command() -> Command {
    go_switches(Cli::command())
}

fn long<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    let mut arguments = command.get_arguments();
    arguments.find(|argument| argument.get_long() == Some(name))
}

/// Starts with every flag of the original at its default, one at a time and all at once.
fn accepts(subcommand: &[&str], flags: &[(&str, &str)]) {
    let given = |name: &str, value: &str| format!("--{name}={value}");
    let starts = |flags: &[String]| {
        let front = std::iter::once("lockstep").chain(subcommand.iter().copied());
        let line = front.map(str::to_owned).chain(flags.iter().cloned());
        command().try_get_matches_from(line)
    };
    let flags = flags.iter().filter(|(name, _)| *name != "help");
    let all: Vec<String> = flags.map(|(name, value)| given(name, value)).collect();
    for flag in &all {
        let started = starts(std::slice::from_ref(flag));
        assert!(started.is_ok(), "{flag}: {:?}", started.err());
    }
    let started = starts(&all);
    assert!(started.is_ok(), "{:?}", started.err());
}

/// Compares defaults; a flag without one has no effect here or is named above.
fn has_defaults(command: &Command, flags: &[(&str, &str)]) {
    for (name, default) in flags {
        let argument = long(command, name);
        let defaults = argument.map_or(&[][..], |argument| argument.get_default_values());
        let [own] = defaults else {
            let help = argument.and_then(Arg::get_help).map(ToString::to_string);
            let unused = help.is_some_and(|help| help.starts_with("No effect"));
            assert!(
                unused || NO_LIMIT.contains(name) || *name == "help" || default.is_empty(),
                "--{name} has no default"
            );
            continue;
        };
        assert_eq!(own, default, "--{name}");
    }
}

#[test]
fn every_flag_of_the_original_is_accepted_with_its_default() {
    accepts(&[], &CONTROLLER);
    accepts(&["webhook"], &WEBHOOK);
    accepts(&["certcontroller"], &CERT_CONTROLLER);
}

#[test]
fn what_is_not_given_means_what_it_meant() {
    let command = command();

    has_defaults(&command, &CONTROLLER);
    has_defaults(command.find_subcommand("webhook").unwrap(), &WEBHOOK);
    let certificates = command.find_subcommand("certcontroller").unwrap();
    has_defaults(certificates, &CERT_CONTROLLER);
}

#[test]
fn switches_stand_alone_or_with_a_value_behind_an_equals_sign() {
    let switches = CONTROLLER
        .iter()
        .filter(|(_, default)| matches!(*default, "true" | "false"));
    for (name, _) in switches {
        let line = |flag: String| command().try_get_matches_from(["lockstep".to_owned(), flag]);

        assert!(line(format!("--{name}")).is_ok(), "{name}");
        assert!(line(format!("--{name}=F")).is_ok(), "{name}");
        assert!(line(format!("--{name}=maybe")).is_err(), "{name}");
    }
}

#[test]
fn flags_of_our_own_are_on_the_page_of_differences() {
    let page = include_str!("../../../../../docs/differences.md");
    let theirs: BTreeSet<&str> = CONTROLLER.iter().map(|(name, _)| *name).collect();
    let command = command();
    let arguments = command.get_arguments().filter_map(Arg::get_long);
    let ours: Vec<&str> = arguments.filter(|name| !theirs.contains(name)).collect();

    for name in &ours {
        assert!(
            *name == "version" || page.contains(&format!("`--{name}`")),
            "--{name} is not documented"
        );
    }
    assert!(ours.contains(&"deletion-guard"), "{ours:?}");
}
