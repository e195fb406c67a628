use lockstep_provider_api::error::{Error, ErrorKind, Retry, Tombstone};

use super::*;

#[test]
fn condition_message_is_the_constant_then_cause_then_detail_then_remedy() {
    let failure = Failure::of_error(
        "could not get secret data from provider",
        &Error::not_found(),
    );

    assert_eq!(
        failure.condition_message(),
        "could not get secret data from provider: NotFound: Secret does not exist; create it, or \
         correct the reference"
    );
    assert_eq!(failure.event(), "Secret does not exist");
    assert_eq!(failure.retry(), Retry::NextRefresh);
}

#[test]
fn request_ids_do_not_reach_the_condition() {
    let text = |id: &str| format!("api error: StatusCode: 400, RequestID: {id}, Denied");

    assert_eq!(stable(&text("abc123")), stable(&text("zzz")));
    assert_eq!(stable(&text("")), text(""));
    assert_eq!(
        stable("trace 0b5f2d0e-5a1c-4a0e-9a58-1f6e3c7d1a2b, denied"),
        "trace <id>, denied"
    );
}

#[test]
fn only_the_uuids_of_requests_are_left_out() {
    let id = "0b5f2d0e-5a1c-4a0e-9a58-1f6e3c7d1a2b";

    for label in [
        "\"requestId\":\"",
        "Correlation ID: ",
        "x-ms-request-id=",
        "(trace: ",
    ] {
        assert_eq!(stable(&format!("ü {label}{id}")), format!("ü {label}<id>"));
    }
    for text in [
        "entry {id} not found",
        "GET https://x/requests/{id}",
        "vault \"{id}\"",
    ] {
        let text = text.replace("{id}", id);
        assert_eq!(stable(&text), text);
    }
}

#[test]
fn texts_without_ids_stay_as_they_are() {
    let text = "key ünïcode-0b5f2d0e not found";

    assert_eq!(stable(text), text);
}

#[test]
fn a_tombstone_names_its_state_and_date() {
    let tombstone = Tombstone {
        state: "soft-deleted".into(),
        until: Some("2026-03-01T00:00:00Z".parse().unwrap()),
        counts_as_absent: false,
    };
    let error = Error::new(ErrorKind::Tombstoned(tombstone), "secret is gone");

    assert_eq!(
        describe(&error),
        "secret is gone (soft-deleted until 2026-03-01T00:00:00Z)"
    );
}

#[test]
fn a_provider_that_gives_advice_is_not_talked_over() {
    let error = Error::new(ErrorKind::Denied, "not allowed; allow the action Get").advised();

    for error in [error.duplicate(), error.context("reading")] {
        let failure = Failure::of_error("constant", &error);

        assert!(failure.condition_message().ends_with("the action Get"));
    }
}

#[test]
fn what_to_do_survives_a_text_that_is_too_long() {
    let failure = Failure::of_error(
        "constant",
        &Error::new(ErrorKind::Denied, "é".repeat(2_000)),
    );
    let worded = Failure::worded(Cause::TEMPLATE, "é".repeat(2_000));

    let message = failure.condition_message();
    assert!(message.len() <= 1_024 && message.ends_with("allow the store's identity to do this"));
    assert!(worded.condition_message().ends_with(" (Template)"));
}

#[test]
fn long_messages_are_cut_at_a_character() {
    let failure = Failure::new(
        "could not update secret",
        Cause::INVALID_SPEC,
        "é".repeat(2_000),
    );

    assert!(failure.condition_message().len() <= 1_024);
}
