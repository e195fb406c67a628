//! The suite can fail: a provider without flaws passes every check, and each flaw is found by the
//! check that is there for it, and by no other.

mod toy;

use std::time::Duration;

use toy::{Flaw, ToySubject};

use super::*;

fn examine(flaw: Flaw) -> Report {
    let subject = ToySubject::new(flaw);
    let suite = Suite::new(&subject).patience(Duration::from_millis(50));
    block_on(suite.run())
}

#[track_caller]
fn assert_found(flaw: Flaw, topics: &[Topic]) {
    let report = examine(flaw);
    assert_eq!(report.failed(), topics, "{flaw:?}: {report}");
}

#[test]
fn a_provider_without_flaws_passes_every_check() {
    let report = examine(Flaw::None);

    assert_eq!(report.failed(), [], "{report}");
    assert_eq!(report.skipped(), [], "{report}");
}

#[test]
fn wrong_kinds_of_error_are_found() {
    assert_found(Flaw::DeniedIsAbsent, &[Topic::ErrorKinds]);
    assert_found(Flaw::DropIsAbsent, &[Topic::ErrorKinds]);
    assert_found(Flaw::ForgetsRetryAfter, &[Topic::RetryAfter]);
    assert_found(Flaw::GarbageIsAbsent, &[Topic::GarbledAnswers]);
}

#[test]
fn half_lists_are_found() {
    assert_found(Flaw::FirstPageOnly, &[Topic::Paging]);
    assert_found(Flaw::SwallowsPages, &[Topic::PartialLists]);
}

#[test]
fn changed_values_are_found() {
    assert_found(Flaw::TextOnly, &[Topic::Values, Topic::PushedValues]);
    assert_found(Flaw::TrimsPushes, &[Topic::PushedValues]);
}

#[test]
fn leaks_are_found_in_messages_and_in_sources() {
    assert_found(Flaw::ShowsBody, &[Topic::Leaks]);
    assert_found(Flaw::ShowsBodyInSource, &[Topic::Leaks]);
}

#[test]
fn false_claims_are_found_in_both_directions() {
    assert_found(Flaw::ClaimsTags, &[Topic::Capabilities]);
    assert_found(Flaw::ClaimsVersions, &[Topic::Capabilities]);
    assert_found(Flaw::HidesDelete, &[Topic::Capabilities]);
}

#[test]
fn false_reports_of_writes_are_found() {
    assert_found(Flaw::AlwaysCreated, &[Topic::Writes]);
    assert_found(Flaw::KeepsDeleted, &[Topic::Deletes]);
    assert_found(Flaw::RefusesSecondDelete, &[Topic::Deletes]);
}

#[test]
fn batches_that_differ_from_single_reads_are_found() {
    assert_found(Flaw::ReversedBatch, &[Topic::Batches]);
    assert_found(Flaw::BatchOfSingles, &[Topic::Batches]);
}

#[test]
fn parts_that_differ_from_single_reads_are_found() {
    assert_found(Flaw::PartsByOtherDots, &[Topic::SharedReads]);
    assert_found(Flaw::PartsInOtherWords, &[Topic::SharedReads]);
}

#[test]
fn a_store_that_a_dropped_call_leaves_stuck_is_found() {
    assert_found(Flaw::StaysBusy, &[Topic::Cancellation]);
}

#[test]
fn a_report_names_the_faults_and_fails_the_test() {
    let report = examine(Flaw::FirstPageOnly);

    let text = report.to_string();
    let failed = std::panic::catch_unwind(|| report.assert_passed());

    assert!(text.contains("of 25 secrets; missing: [\"page-"), "{text}");
    assert!(failed.is_err());
}
