use super::*;

fn place() -> Place {
    Place {
        method: "GET",
        url: "http://v/v1/kv/data/x".to_owned(),
        namespace: Some("team".to_owned()),
        path: "kv/data/x".to_owned(),
    }
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap()
}

fn kind_for(code: u16, errors: &[&str]) -> ErrorKind {
    let errors: Vec<String> = errors.iter().map(|error| (*error).to_owned()).collect();
    kind(status(code), &errors, true)
}

#[test]
fn only_an_empty_404_is_absence() {
    assert_eq!(kind_for(404, &[]), ErrorKind::NotFound);
    assert_eq!(kind(status(404), &[], false), ErrorKind::InvalidSpec);
    let mount = "no handler for route \"kv/data/x\". route entry not found.";
    assert_eq!(kind_for(404, &[mount]), ErrorKind::InvalidSpec);
    assert_eq!(
        kind_for(404, &["namespace not found"]),
        ErrorKind::InvalidSpec
    );
}

#[test]
fn a_sealed_server_a_standby_and_a_quota_are_told_apart() {
    let help = |code, error: &str| advice(status(code), &[error.to_owned()], &place()).unwrap();

    assert_eq!(kind_for(503, &["Vault is sealed"]), ErrorKind::Unreachable);
    assert_eq!(kind_for(412, &[]), ErrorKind::Unreachable);
    assert_eq!(kind_for(429, &[]), ErrorKind::Throttled);
    assert!(help(503, "Vault is sealed").contains("unseal it"));
    let standby = "local node not active but active cluster node not found";
    assert!(help(500, standby).contains("without an active node"));
    assert!(help(429, "").contains("rate limit"));
    assert!(help(404, "no handler for route \"kv\"").contains("nothing is mounted at \"kv\""));
}

#[test]
fn a_write_against_another_version_is_a_conflict() {
    let error = "check-and-set parameter did not match the current version";

    assert_eq!(kind_for(400, &[error]), ErrorKind::Conflict);
    assert_eq!(kind_for(400, &["bad"]), ErrorKind::InvalidData);
}

#[test]
fn the_text_is_that_of_the_vendors_client() {
    let errors = ["permission denied".to_owned()];

    let text = message(&place(), status(403), &errors, true);

    assert_eq!(
        text,
        "Error making API request.\n\nNamespace: team\nURL: GET http://v/v1/kv/data/x\n\
         Code: 403. Errors:\n\n* permission denied"
    );
}
