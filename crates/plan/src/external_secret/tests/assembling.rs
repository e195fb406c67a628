//! How fetched payloads become data: order, rewriting, conversion, decoding, absence.

use lockstep_api::ExternalSecret;
use lockstep_provider_api::error::{ErrorKind, Retry, Tombstone};
use lockstep_provider_api::{Error, SecretMap, SecretValue};

use crate::event::EventNote;
use crate::external_secret::assemble::{Assembled, assemble};
use crate::external_secret::*;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::store::StoreKey;
use crate::testing::{Scene, budget, external_secret, map, noon, one_value, work};

fn list(object: &ExternalSecret) -> FetchList {
    let decided = Scene::of(object.clone())
        .observe(|observed| decide(observed, &Settings::default(), noon()).decision);
    match decided {
        Decision::Fetch(list) => list,
        other => panic!("{other:?}"),
    }
}

fn assembled(
    object: &ExternalSecret,
    answers: Vec<Result<Payload, Error>>,
) -> Result<Assembled, Failure> {
    assemble(
        object,
        &list(object),
        &answers,
        work(&Settings::default(), &budget()),
    )
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is one of the answers to a list"
)]
fn value(text: &str) -> Result<Payload, Error> {
    Ok(Payload::Value(SecretValue::from(text)))
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is one of the answers to a list"
)]
fn set<const N: usize>(pairs: [(&str, &str); N]) -> Result<Payload, Error> {
    Ok(Payload::Map(map(pairs)))
}

fn data(object: &ExternalSecret, answers: Vec<Result<Payload, Error>>) -> SecretMap {
    assembled(object, answers).unwrap().data
}

fn event(object: &ExternalSecret, answers: Vec<Result<Payload, Error>>) -> String {
    assembled(object, answers).unwrap_err().event().to_owned()
}

/// An object with one `dataFrom` entry.
fn one_set(entry: &str) -> ExternalSecret {
    external_secret(&format!(
        "secretStoreRef: {{name: s}}\ndataFrom: [{{{entry}}}]"
    ))
}

#[test]
fn later_sources_win_and_single_values_win_over_all() {
    let object = external_secret(
        "secretStoreRef: {name: s}
dataFrom: [{extract: {key: x}}, {extract: {key: y}}]
data: [{secretKey: c, remoteRef: {key: k}}]",
    );

    let answers = vec![
        set([("a", "1"), ("b", "1"), ("c", "1")]),
        set([("b", "2"), ("c", "2")]),
        value("3"),
    ];

    assert_eq!(
        data(&object, answers),
        map([("a", "1"), ("b", "2"), ("c", "3")])
    );
}

#[test]
fn values_are_decoded_as_their_entry_says() {
    let cases = [
        ("None", "aGVsbG8=", Ok("aGVsbG8=")),
        ("", "aGVsbG8=", Ok("aGVsbG8=")),
        ("Base64", "aGVs\nbG8=\n", Ok("hello")),
        ("Base64URL", "Pz8_Pj4-", Ok("???>>>")),
        ("Auto", "aGVsbG8=", Ok("hello")),
        ("Auto", "Pz8_Pj4-", Ok("???>>>")),
        ("Auto", "hello world", Ok("hello world")),
        (
            "Base64",
            "aGVsbG8",
            Err("Base64 to data: illegal base64 data at input byte 4"),
        ),
        (
            "Hex",
            "00",
            Err("Hex to data: decoding strategy Hex is not supported"),
        ),
    ];
    for (strategy, remote, wanted) in cases {
        let object = external_secret(&format!(
            "secretStoreRef: {{name: s}}
data: [{{secretKey: a, remoteRef: {{key: k, decodingStrategy: '{strategy}'}}}}]"
        ));

        match wanted {
            Ok(text) => assert_eq!(data(&object, vec![value(remote)]), map([("a", text)])),
            Err(text) => assert_eq!(
                event(&object, vec![value(remote)]),
                format!(
                    "error processing spec.data[0] (key: k), err: error applying decoding strategy \
                     {text} (SecretStore \"s\")"
                )
            ),
        }
    }
}

#[test]
fn a_set_names_the_key_that_cannot_be_decoded() {
    let object = one_set("extract: {key: k, decodingStrategy: Base64}");

    assert_eq!(
        event(&object, vec![set([("a", "aGVsbG8="), ("b", "%%%")])]),
        "error processing spec.dataFrom[0].extract, err: error applying decoding strategy Base64 to \
         data: failure decoding key b: illegal base64 data at input byte 0 (key: k, SecretStore \"s\")"
    );
}

#[test]
fn null_bytes_are_refused_only_where_the_policy_says_so() {
    let text = "contains null bytes; use a text-safe format such as PEM/base64 or leave \
                nullBytePolicy unset for intentional binary data";
    let strict = one_set("extract: {key: k, decodingStrategy: Base64, nullBytePolicy: Fail}");
    let lax = one_set("extract: {key: k, decodingStrategy: Base64}");
    let answer = || vec![set([("b", "YQBi"), ("a", "YQBi")])];

    assert_eq!(
        event(&strict, answer()),
        format!(
            "error processing spec.dataFrom[0].extract, err: fetched secret value for key \"a\" \
             {text} (key: k, SecretStore \"s\")"
        )
    );
    assert_eq!(data(&lax, answer()).get("a").unwrap().expose(), b"a\0b");

    let single = external_secret(
        "secretStoreRef: {name: s}
data: [{secretKey: a, remoteRef: {key: k, nullBytePolicy: Fail}}]",
    );
    assert_eq!(
        event(&single, vec![value("x\0")]),
        format!(
            "error processing spec.data[0] (key: k), err: fetched secret value for key \"a\" {text} \
             (SecretStore \"s\")"
        )
    );
}

#[test]
fn keys_are_converted_unless_they_are_rewritten() {
    let remote = || vec![set([("a/b", "1"), ("x😀", "2")])];
    let rewrite = "rewrite: [{regexp: {source: b, target: c}}]";

    assert_eq!(
        data(&one_set("extract: {key: k}"), remote()),
        map([("a_b", "1"), ("x_", "2")])
    );
    assert_eq!(
        data(
            &one_set("find: {name: {regexp: x}, conversionStrategy: Unicode}"),
            remote()
        ),
        map([("a_U002f_b", "1"), ("x_U1f600_", "2")])
    );
    assert_eq!(
        event(
            &one_set(&format!("extract: {{key: k}}, {rewrite}")),
            vec![set([("a/b", "1")])]
        ),
        "error processing spec.dataFrom[0].extract, err: invalid secret keys (TIP: use rewrite or \
         conversionStrategy to change keys): key has invalid character /, only alphanumeric, '-', \
         '.' and '_' are allowed: a/c (key: k, SecretStore \"s\")"
    );
}

#[test]
fn two_keys_that_convert_to_one_are_an_error() {
    let object = one_set("extract: {key: k, conversionStrategy: Default}");

    assert_eq!(
        event(&object, vec![set([("a/b", "1"), ("a b", "2")])]),
        "error processing spec.dataFrom[0].extract, err: error applying conversion strategy Default \
         to keys: secret name collision during conversion: a_b (key: k, SecretStore \"s\")"
    );
}

#[test]
fn a_key_rewritten_to_nothing_is_dropped() {
    let object = one_set("extract: {key: k}, rewrite: [{regexp: {source: '^drop.*', target: ''}}]");

    assert_eq!(
        data(&object, vec![set([("drop-me", "1"), ("b", "2")])]),
        map([("b", "2")])
    );
}

#[test]
fn values_of_a_generator_are_taken_as_they_are_but_their_keys_are_checked() {
    let generator = "sourceRef: {generatorRef: {kind: Fake, name: g}}";
    let object = one_set(generator);

    assert_eq!(
        data(&object, vec![set([("a", "x\0")])]),
        map([("a", "x\0")])
    );
    assert_eq!(
        event(
            &object,
            vec![Err(Error::unsupported("generators are not in this build"))]
        ),
        "error processing spec.dataFrom[0].sourceRef.generatorRef, err: error using generator: \
         generators are not in this build"
    );
    assert!(event(&object, vec![set([("a/b", "1")])]).contains("invalid secret keys"));
}

#[test]
fn a_failed_search_says_so_in_front() {
    let object = one_set("find: {name: {regexp: x}}");

    assert_eq!(
        event(&object, vec![Err(Error::new(ErrorKind::Denied, "no"))]),
        "error processing spec.dataFrom[0].find, err: error getting all secrets: no (SecretStore \"s\")"
    );
}

#[test]
fn a_missing_secret_fails_under_retain_and_is_skipped_otherwise() {
    let spec = |policy: &str| {
        external_secret(&format!(
            "secretStoreRef: {{name: s}}
target: {{deletionPolicy: {policy}}}
dataFrom: [{{extract: {{key: x}}}}]
data: [{{secretKey: a, remoteRef: {{key: k}}}}, {{secretKey: b, remoteRef: {{key: nope}}}}]"
        ))
    };
    let answers = || vec![Err(Error::not_found()), value("v"), Err(Error::not_found())];

    for policy in ["Delete", "Merge"] {
        let assembled = assembled(&spec(policy), answers()).unwrap();

        assert_eq!(assembled.data, map([("a", "v")]), "{policy}");
        let missing = |text: &str| EventNote::normal("MissingProviderSecret", text);
        assert_eq!(
            assembled.events,
            [
                missing("secret does not exist at provider using spec.dataFrom[0]"),
                missing("secret does not exist at provider using spec.dataFrom[1] (key=nope)"),
            ]
        );
    }
    let failure = assembled(&spec("Retain"), answers()).unwrap_err();
    assert_eq!(
        failure.event(),
        "error processing spec.dataFrom[0].extract, err: Secret does not exist (key: x, SecretStore \"s\")"
    );
    assert_eq!(
        failure.condition_message(),
        "could not get secret data from provider: NotFound: spec.dataFrom[0].extract (key: x): \
         SecretStore \"s\": Secret does not exist; create it, or correct the reference"
    );
    assert_eq!(failure.retry(), Retry::NextRefresh);
    assert_eq!(failure.store(), Some(&StoreKey::namespaced("ns", "s")));
}

#[test]
fn nothing_but_absence_counts_as_absence() {
    let object = one_value("target: {deletionPolicy: Delete}");
    let tombstone = |counts_as_absent| {
        ErrorKind::Tombstoned(Tombstone {
            state: "scheduled for deletion".into(),
            until: None,
            counts_as_absent,
        })
    };
    for kind in [
        ErrorKind::Denied,
        ErrorKind::Unauthenticated,
        ErrorKind::Throttled,
        ErrorKind::Unreachable,
        ErrorKind::InvalidSpec,
        ErrorKind::InvalidData,
        ErrorKind::Conflict,
        ErrorKind::Unsupported,
        ErrorKind::Internal,
        tombstone(false),
    ] {
        let answers = vec![Err(Error::new(kind.clone(), "x"))];

        assert!(assembled(&object, answers).is_err(), "{kind:?}");
    }
    let gone = assembled(&object, vec![Err(Error::new(tombstone(true), "gone"))]).unwrap();
    assert!(gone.data.is_empty());
    assert_eq!(
        gone.events[0].message,
        "secret does not exist at provider using spec.dataFrom[0] (key=k): gone (scheduled for \
         deletion)"
    );
}

#[test]
fn answers_that_do_not_fit_the_list_are_our_own_fault() {
    let object = one_value("");

    for answers in [vec![], vec![set([])]] {
        assert_eq!(assembled(&object, answers).unwrap_err().cause(), "Internal");
    }
}

#[test]
fn no_failure_shows_a_value() {
    let canary = "hunter2-canary";
    let sets = [
        "extract: {key: k, decodingStrategy: Base64}",
        "extract: {key: k, nullBytePolicy: Fail}",
        "extract: {key: k}, rewrite: [{merge: {}}]",
        "extract: {key: k}, rewrite: [{merge: {strategy: JSON}}]",
    ];
    for entry in sets {
        let object = one_set(entry);
        let payload = format!("{canary}\0");

        let failure = assembled(&object, vec![set([("a", payload.as_str())])]).unwrap_err();

        assert!(
            !format!("{failure:?} {failure}").contains(canary),
            "{entry}"
        );
    }
}

#[test]
fn more_than_an_object_may_fetch_is_refused() {
    let object = external_secret(
        "{secretStoreRef: {name: s}, dataFrom: [{extract: {key: a}}, {extract: {key: b}}]}",
    );
    let half = "x".repeat(crate::MOST_FETCHED_BYTES / 2);
    let answer = |key| Ok(Payload::Map(map([(key, half.as_str())])));

    let budget = budget();
    let answers = vec![answer("a"), answer("b")];
    let settings = Settings::default();
    let failed = assemble(&object, &list(&object), &answers, work(&settings, &budget)).unwrap_err();

    let text = failed.condition_message();
    assert!(text.contains("more than 4194304 bytes in all"), "{text}");
}
