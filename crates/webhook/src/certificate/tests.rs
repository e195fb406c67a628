use super::*;

const NAME: &str = "hook.ns.svc";
const QUARTER: Duration = Duration::from_hours(90 * 24);

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn fresh() -> Bundle {
    let now = at("2026-01-01T00:00:00Z");
    Bundle::renewed(None, NAME, now, QUARTER).unwrap().unwrap()
}

#[test]
fn a_new_bundle_is_good_at_once_and_is_left_alone() {
    let bundle = fresh();

    bundle.served(NAME, at("2026-01-01T00:00:00Z")).unwrap();
    let later = at("2030-01-01T00:00:00Z");
    assert_eq!(
        Bundle::renewed(Some(&bundle), NAME, later, QUARTER),
        Ok(None)
    );
}

#[test]
fn both_are_renewed_before_they_end_and_the_old_authority_stays_trusted() {
    let old = fresh();
    let late = at("2035-11-20T00:00:00Z");

    let new = Bundle::renewed(Some(&old), NAME, late, QUARTER)
        .unwrap()
        .unwrap();

    new.served(NAME, late).unwrap();
    assert!(
        new.authority.ends_with(&old.authority),
        "old authority is kept"
    );
    let both = Some(new.authority.as_bytes());
    checked(
        old.certificate.as_bytes(),
        old.key.expose(),
        both,
        NAME,
        late,
    )
    .unwrap();
}

#[test]
fn a_third_authority_drops_the_first() {
    let old = fresh();
    let second = Bundle::renewed(Some(&old), NAME, at("2035-11-20T00:00:00Z"), QUARTER);
    let second = second.unwrap().unwrap();

    let third = Bundle::renewed(Some(&second), NAME, at("2045-10-20T00:00:00Z"), QUARTER);

    let third = third.unwrap().unwrap();
    assert_eq!(third.authority.matches("BEGIN CERTIFICATE").count(), 2);
    assert!(!third.authority.contains(old.authority.trim()));
}

#[test]
fn another_name_is_signed_by_the_same_authority() {
    let old = fresh();
    let now = at("2027-01-01T00:00:00Z");

    let new = Bundle::renewed(Some(&old), "other.ns.svc", now, QUARTER)
        .unwrap()
        .unwrap();

    assert_eq!(new.authority, old.authority);
    new.served("other.ns.svc", now).unwrap();
}

#[test]
fn a_damaged_bundle_is_replaced() {
    let now = at("2026-06-01T00:00:00Z");
    let mut foreign = fresh();
    foreign.authority = fresh().authority;
    let mut garbled = fresh();
    garbled.certificate = "nonsense".to_owned();
    garbled.authority_key = SecretValue::new(b"nonsense".to_vec());

    for broken in [foreign, garbled] {
        let new = Bundle::renewed(Some(&broken), NAME, now, QUARTER)
            .unwrap()
            .unwrap();
        new.served(NAME, now).unwrap();
    }
}

#[test]
fn what_is_wrong_with_a_pair_is_named() {
    let one = fresh();
    let two = fresh();
    let now = at("2026-06-01T00:00:00Z");
    let check = |chain: &str, key: &SecretValue, authority: &str, name: &str, now| {
        let authority = Some(authority.as_bytes());
        let checked = checked(chain.as_bytes(), key.expose(), authority, name, now);
        checked.err().unwrap_or_default()
    };

    assert_eq!(
        check(&one.certificate, &one.key, &one.authority, NAME, now),
        ""
    );
    let cases = [
        (
            check(&one.certificate, &one.key, &one.authority, "x.svc", now),
            "not for x.svc",
        ),
        (
            check(&one.certificate, &two.key, &one.authority, NAME, now),
            "do not belong together",
        ),
        (
            check(&one.certificate, &one.key, &two.authority, NAME, now),
            "did not sign",
        ),
        (
            check("", &one.key, &one.authority, NAME, now),
            "no PEM certificate",
        ),
        (
            check(
                &one.certificate,
                &one.key,
                &one.authority,
                NAME,
                at("2040-01-01T00:00:00Z"),
            ),
            "ends on 2035-12-30T00:00:00Z",
        ),
    ];
    for (found, wanted) in cases {
        assert!(found.contains(wanted), "{found:?} should say {wanted:?}");
    }
}

#[test]
fn the_secret_has_the_original_keys_and_comes_back_unchanged() {
    let bundle = fresh();
    let data: BTreeMap<_, _> = bundle
        .to_data()
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();

    assert_eq!(data.keys().map(String::as_str).collect::<Vec<_>>(), KEYS);
    assert_eq!(Bundle::from_data(&data), Some(bundle));
    assert_eq!(Bundle::from_data(&BTreeMap::new()), None);
}
