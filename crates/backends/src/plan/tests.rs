use super::*;

const AVAILABLE: Description = Description {
    state: State::Available,
    owner: Owner::Ours,
    readable: Some(1),
    undo: Undo::Open,
    writing: Writing::Direct,
    purging: Purging::Allowed,
};

fn in_state(state: State) -> Description {
    Description {
        state,
        readable: Some(0),
        ..AVAILABLE
    }
}

fn scheduled() -> State {
    State::PendingDeletion {
        until: "2026-12-01T00:00:00Z".parse().ok(),
    }
}

fn seen(description: &Description) -> Applied<'_> {
    Applied {
        description,
        difference: None,
        tags: &[],
        needs_current: false,
        is_plain: false,
        shape: Shape::Any,
        restore: Switch::On,
        adopt: Switch::Off,
    }
}

#[test]
fn tags_that_differ_are_set_without_the_value_or_together_with_it() {
    let same = Ok(Difference::default());
    let other = Ok(Difference {
        whole: true,
        ..Difference::default()
    });
    let tags = ["owner".to_owned(), "team".to_owned()];
    let with = |difference, description, adopt| {
        apply(&Applied {
            difference: Some(difference),
            tags: &tags,
            adopt,
            ..seen(description)
        })
    };
    let foreign = Description {
        owner: Owner::Foreign,
        ..AVAILABLE
    };

    assert_eq!(
        with(&same, &AVAILABLE, Switch::Off),
        Step::new(Action::Tag, "tags differ: owner, team")
    );
    assert_eq!(
        with(&other, &AVAILABLE, Switch::Off),
        Step::new(
            Action::Update,
            "the value differs; tags differ: owner, team"
        )
    );
    assert_eq!(with(&same, &foreign, Switch::Off).action, Action::Refuse);
    assert_eq!(with(&same, &foreign, Switch::On).action, Action::Adopt);
}

#[test]
fn a_missing_secret_is_created() {
    let missing = Description::missing(Undo::Never);

    assert_eq!(apply(&seen(&missing)).action, Action::Create);
}

#[test]
fn an_available_secret_is_updated_only_where_it_differs() {
    let same = Ok(Difference::default());
    let other = Ok(Difference {
        changed: vec!["password".to_owned()],
        ..Difference::default()
    });
    let with = |difference| {
        apply(&Applied {
            difference: Some(difference),
            ..seen(&AVAILABLE)
        })
    };

    assert_eq!(with(&same).action, Action::Nothing);
    assert_eq!(
        with(&other),
        Step::new(Action::Update, "field changed: password")
    );
}

#[test]
fn somebody_elses_secret_is_refused_or_adopted_first_and_left_alone_where_it_is_right() {
    let foreign = Description {
        owner: Owner::Foreign,
        ..AVAILABLE
    };
    let same = Ok(Difference::default());
    let other = Ok(Difference {
        whole: true,
        ..Difference::default()
    });
    let with = |difference, adopt| {
        apply(&Applied {
            difference: Some(difference),
            adopt,
            ..seen(&foreign)
        })
        .action
    };

    assert_eq!(with(&same, Switch::Off), Action::Nothing);
    assert_eq!(with(&other, Switch::Off), Action::Refuse);
    assert_eq!(with(&other, Switch::On), Action::Adopt);
}

#[test]
fn what_must_be_restored_to_be_written_is_restored_first() {
    let pending = Description {
        writing: Writing::AfterRestore,
        ..in_state(scheduled())
    };
    let blocked = Description {
        writing: Writing::AfterRestore,
        purging: Purging::Blocked,
        ..in_state(State::PurgeBlocked { until: None })
    };

    assert_eq!(
        apply(&seen(&pending)),
        Step::new(
            Action::Restore,
            "deleted, can be restored until 2026-12-01T00:00:00Z"
        )
    );
    assert_eq!(apply(&seen(&blocked)).action, Action::Restore);
}

#[test]
fn nothing_is_restored_where_that_is_forbidden() {
    let pending = Description {
        writing: Writing::AfterRestore,
        ..in_state(scheduled())
    };

    let step = apply(&Applied {
        restore: Switch::Off,
        ..seen(&pending)
    });

    assert_eq!(step.action, Action::Refuse);
    assert!(step.reason.contains("--no-restore"), "{step:?}");
}

#[test]
fn a_disabled_or_deleted_version_is_written_past_unless_its_value_is_needed() {
    for state in [State::Disabled, State::PendingDeletion { until: None }] {
        let description = in_state(state);
        let needed = Applied {
            needs_current: true,
            ..seen(&description)
        };

        assert_eq!(apply(&seen(&description)).action, Action::NewVersion);
        assert_eq!(apply(&needed).action, Action::Restore);
    }
}

#[test]
fn a_destroyed_value_and_a_missing_version_are_written_whatever_is_needed() {
    for state in [State::Destroyed, State::NoVersion] {
        let description = in_state(state);
        let needed = Applied {
            needs_current: true,
            ..seen(&description)
        };

        assert_eq!(apply(&needed).action, Action::NewVersion);
    }
}

#[test]
fn a_dead_version_of_somebody_else_is_refused() {
    let description = Description {
        owner: Owner::Foreign,
        ..in_state(State::Destroyed)
    };

    assert_eq!(apply(&seen(&description)).action, Action::Refuse);
}

#[test]
fn an_expired_value_that_is_needed_is_explained() {
    let description = in_state(State::Expired);
    let needed = Applied {
        needs_current: true,
        ..seen(&description)
    };

    assert_eq!(apply(&seen(&description)).action, Action::NewVersion);
    assert_eq!(apply(&needed).action, Action::Refuse);
}

#[test]
fn a_backend_of_fields_refuses_a_plain_value_before_it_is_asked() {
    let missing = Description::missing(Undo::Open);

    let step = apply(&Applied {
        shape: Shape::Object,
        is_plain: true,
        ..seen(&missing)
    });

    assert_eq!(step.action, Action::Refuse);
}

#[test]
fn every_verb_waits_for_a_backend_that_is_at_work() {
    let changing = in_state(State::Changing);

    assert_eq!(apply(&seen(&changing)).action, Action::Wait);
    assert_eq!(delete(&changing, Switch::Off).action, Action::Wait);
    assert_eq!(restore(&changing).action, Action::Wait);
    assert_eq!(purge(&changing, Switch::Off).action, Action::Wait);
}

#[test]
fn a_deletion_says_how_it_can_be_undone() {
    let with = |undo| delete(&Description { undo, ..AVAILABLE }, Switch::Off);

    assert_eq!(
        with(Undo::Days(30)),
        Step::new(Action::Delete, "can be restored for 30 days")
    );
    assert_eq!(
        with(Undo::Never),
        Step::new(Action::Delete, "cannot be restored")
    );
    assert_eq!(
        with(Undo::Open).reason,
        "can be restored until it is purged"
    );
}

#[test]
fn what_is_deleted_already_stays_so() {
    for state in [
        State::Missing,
        scheduled(),
        State::Destroyed,
        State::Disabled,
    ] {
        let step = delete(&in_state(state), Switch::Off);

        assert_eq!(step.action, Action::Nothing, "{state:?}");
    }
    // An older version can still be read.
    let half = Description {
        readable: Some(1),
        ..in_state(State::Disabled)
    };
    assert_eq!(delete(&half, Switch::Off).action, Action::Delete);
}

#[test]
fn what_is_not_marked_is_neither_deleted_nor_purged_without_a_word() {
    let foreign = Description {
        owner: Owner::Foreign,
        ..AVAILABLE
    };

    assert_eq!(delete(&foreign, Switch::Off).action, Action::Refuse);
    assert_eq!(purge(&foreign, Switch::Off).action, Action::Refuse);
    assert_eq!(delete(&foreign, Switch::On).action, Action::Delete);
    assert_eq!(purge(&foreign, Switch::On).action, Action::Purge);
}

#[test]
fn only_what_is_deleted_or_disabled_is_restored() {
    let table = [
        (State::Available, Action::Nothing),
        (State::Disabled, Action::Restore),
        (scheduled(), Action::Restore),
        (State::PurgeBlocked { until: None }, Action::Restore),
        (State::Missing, Action::Refuse),
        (State::NoVersion, Action::Refuse),
        (State::Destroyed, Action::Refuse),
        (State::Expired, Action::Refuse),
    ];

    for (state, action) in table {
        assert_eq!(restore(&in_state(state)).action, action, "{state:?}");
    }
}

#[test]
fn purge_protection_is_respected_before_and_after_the_deletion() {
    let live = Description {
        purging: Purging::Blocked,
        ..AVAILABLE
    };
    let until = "2026-12-01T00:00:00Z".parse().ok();
    let deleted = in_state(State::PurgeBlocked { until });

    assert_eq!(purge(&live, Switch::On).action, Action::Refuse);
    let step = purge(&deleted, Switch::On);
    assert_eq!(step.action, Action::Refuse);
    assert!(step.reason.contains("2026-12-01"), "{step:?}");
}

#[test]
fn everything_else_that_is_there_can_be_purged() {
    for state in [
        State::Available,
        State::Disabled,
        State::Destroyed,
        State::NoVersion,
        scheduled(),
    ] {
        assert_eq!(purge(&in_state(state), Switch::Off).action, Action::Purge);
    }
    assert_eq!(
        purge(&in_state(State::Missing), Switch::Off).action,
        Action::Nothing
    );
}
