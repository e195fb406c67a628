use lockstep_provider_api::lifecycle::{Owner, Purging, Undo, Writing};

use super::*;

fn status(name: &str, state: State, owner: Owner, value: Comparison) -> Status {
    let description = Description {
        state,
        owner,
        readable: Some(u64::from(state == State::Available)),
        undo: Undo::Open,
        writing: Writing::Direct,
        purging: Purging::Allowed,
    };
    Status {
        name: name.to_owned(),
        known: Ok(Known {
            description,
            value,
            tags: None,
        }),
    }
}

fn tagged(name: &str, tags: &[&str]) -> Status {
    let mut status = status(name, State::Available, Owner::Ours, Comparison::Same);
    if let Ok(known) = &mut status.known {
        known.tags = Some(tags.iter().map(|tag| (*tag).to_owned()).collect());
    }
    status
}

fn all() -> Vec<Status> {
    let until = "2026-12-17T10:00:00Z".parse().ok();
    let differs = Difference {
        added: vec!["host".to_owned()],
        changed: vec!["password".to_owned(), "user".to_owned()],
        ..Difference::default()
    };
    vec![
        status("app/db", State::Available, Owner::Ours, Comparison::Same),
        status(
            "app/api",
            State::Available,
            Owner::Foreign,
            Comparison::Differs(differs),
        ),
        status(
            "app/old",
            State::PendingDeletion { until },
            Owner::Ours,
            Comparison::NotCompared,
        ),
        status(
            "app/new",
            State::Missing,
            Owner::Unknown,
            Comparison::NotCompared,
        ),
        tagged("app/tags", &["owner", "team"]),
        Status {
            name: "app/denied".to_owned(),
            known: Err("403 Forbidden".to_owned()),
        },
    ]
}

#[test]
fn the_table_and_the_document_say_the_same() {
    let subject = Subject {
        verb: "status",
        store: "SecretStore default/aws".to_owned(),
        backend: "AWS Secrets Manager",
    };

    insta::assert_snapshot!("text", text(&all(), &subject, Paint::OFF));
    insta::assert_snapshot!("json", format!("{:#}", json(&all(), &subject)));
}

#[test]
fn a_secret_that_is_not_available_or_differs_is_not_fine() {
    let all = all();

    assert_eq!(exit(&all[..1]), Exit::Fine);
    assert_eq!(exit(&all[..2]), Exit::Missing);
    assert_eq!(exit(&all[2..3]), Exit::Missing);
    assert_eq!(exit(&[tagged("a", &["team"])]), Exit::Missing);
    assert_eq!(exit(&[tagged("a", &[])]), Exit::Fine);
    assert_eq!(exit(&all), Exit::Findings);
}
