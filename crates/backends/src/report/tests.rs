use super::*;

fn rows() -> Vec<Row> {
    let until = "2026-12-17T10:00:00Z".parse().ok();
    let row = |name: &str, outcome, before, after, actions: &[Action], reason: &str| Row {
        name: name.to_owned(),
        outcome,
        before,
        after,
        actions: actions.to_vec(),
        reason: reason.to_owned(),
    };
    vec![
        row(
            "app/db",
            Outcome::Changed,
            Some(State::PendingDeletion { until }),
            Some(State::Available),
            &[Action::Restore, Action::Update],
            "deleted, can be restored until 2026-12-17T10:00:00Z; field changed: password",
        ),
        row(
            "app/same",
            Outcome::Unchanged,
            Some(State::Available),
            None,
            &[],
            "the value is the desired one",
        ),
        row(
            "app/theirs",
            Outcome::Refused,
            Some(State::Available),
            None,
            &[],
            "not marked as managed; take it over with --adopt",
        ),
        row(
            "app/down",
            Outcome::Failed,
            None,
            None,
            &[],
            "no answer within 180s",
        ),
        Row::not_started("app/later"),
    ]
}

fn subject() -> Subject {
    Subject {
        verb: "apply",
        store: "SecretStore default/aws".to_owned(),
        backend: "AWS Secrets Manager",
    }
}

#[test]
fn the_table_has_a_line_a_secret_and_counts() {
    let (subject, rows) = (subject(), rows());
    let report = Report {
        subject: &subject,
        rows: &rows,
    };

    insta::assert_snapshot!("table", report.text(Paint::OFF));
    insta::assert_snapshot!("json", format!("{:#}", report.json()));
}

#[test]
fn failures_count_more_than_refusals_and_those_more_than_nothing() {
    let (subject, rows) = (subject(), rows());
    let exit = |rows: &[Row]| {
        Report {
            subject: &subject,
            rows,
        }
        .exit()
    };

    assert_eq!(exit(&rows), Exit::Findings);
    assert_eq!(exit(&rows[..3]), Exit::Refused);
    assert_eq!(exit(&rows[..2]), Exit::Fine);
    assert_eq!(exit(&rows[4..]), Exit::Findings);
}

#[test]
fn a_run_that_was_interrupted_is_not_complete() {
    let rows = rows();

    assert_eq!(Complete::of(&rows), Complete::No);
    assert_eq!(Complete::of(&rows[..4]), Complete::Yes);
}

#[test]
fn a_reason_is_one_line() {
    let error = lockstep_provider_api::Error::unreachable("one\n\n  two");

    let row = Row::not_started("a").failed(&error);

    assert!(row.reason.ends_with("one two"), "{}", row.reason);
}
