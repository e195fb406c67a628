use super::*;

const CANARY: &str = "hunter2-canary";

fn read(cluster: &str, user: &str) -> Result<Access> {
    let text = format!(
        "apiVersion: v1\n\
         kind: Config\n\
         current-context: here\n\
         clusters:\n\
         - {{name: other, cluster: {{server: 'https://wrong'}}}}\n\
         - {{name: c, cluster: {{{cluster}}}}}\n\
         users:\n\
         - {{name: u, user: {{{user}}}}}\n\
         contexts:\n\
         - {{name: here, context: {{cluster: c, user: u, namespace: ignored}}}}\n"
    );
    access(&SecretValue::from(text))
}

fn refused(cluster: &str, user: &str) -> String {
    let error = read(cluster, user).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    error.to_string()
}

fn encoded(text: &str) -> String {
    STANDARD.encode(text)
}

#[test]
fn the_current_context_chooses_server_and_user() {
    let ca = encoded("PEM");
    let cluster = format!("server: 'https://h:6443', certificate-authority-data: {ca}");

    let found = read(&cluster, &format!("token: {CANARY}")).unwrap();

    assert_eq!(found.server, "https://h:6443");
    assert_eq!(found.tls.ca.as_deref(), Some(b"PEM".as_slice()));
    assert_eq!(found.tls.verification, Verification::Full);
    assert!(matches!(found.login, Login::Bearer(token) if token == CANARY.into()));
}

#[test]
fn a_client_certificate_is_taken_with_its_key() {
    let (cert, key) = (encoded("CERT"), encoded("KEY"));
    let user = format!("client-certificate-data: {cert}, client-key-data: {key}");

    let found = read("server: 'https://h'", &user).unwrap();

    let identity = found.tls.identity.unwrap();
    assert_eq!(identity.certificate, b"CERT");
    assert_eq!(identity.key, "KEY".into());
    assert!(
        refused(
            "server: 'https://h'",
            &format!("client-certificate-data: {cert}")
        )
        .contains("client-key-data")
    );
}

#[test]
fn a_user_name_and_password_are_basic_authentication() {
    let found = read("server: 'https://h'", "username: jane, password: pw").unwrap();

    assert!(
        matches!(found.login, Login::Basic(user, password) if user == "jane" && password == "pw".into())
    );
    assert!(refused("server: 'https://h'", "username: jane, token: t").contains("only one way"));
}

#[test]
fn verification_may_be_off_or_for_another_name_but_not_contradict_itself() {
    let off = "server: 'https://h', insecure-skip-tls-verify: true";
    let named = "server: 'https://h', tls-server-name: kubernetes";
    let ca = encoded("PEM");

    assert_eq!(
        read(off, "token: t").unwrap().tls.verification,
        Verification::Off
    );
    assert_eq!(
        read(named, "token: t").unwrap().tls.verification,
        Verification::ServerName("kubernetes".to_owned())
    );
    assert!(
        refused(
            &format!("{off}, certificate-authority-data: {ca}"),
            "token: t"
        )
        .contains("exclude each other")
    );
}

#[test]
fn credentials_are_not_sent_in_the_clear() {
    let found = read("server: 'http://h'", &format!("token: {CANARY}")).unwrap();

    assert_eq!(found.server, "http://h");
    assert!(matches!(found.login, Login::Anonymous));
}

#[test]
fn the_user_to_act_as_becomes_headers() {
    let user = "token: t, as: jane, as-groups: [dev], as-user-extra: {scope: [a, b]}";

    let found = read("server: 'https://h'", user).unwrap();

    let names: Vec<_> = found
        .impersonation
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "impersonate-user",
            "impersonate-group",
            "impersonate-extra-scope",
            "impersonate-extra-scope"
        ]
    );
}

#[test]
fn paths_plugins_and_proxies_are_refused_with_a_remedy() {
    let https = "server: 'https://h'";
    let table = [
        (
            "server: 'https://h', certificate-authority: /ca.crt",
            "token: t",
            "certificate-authority names a file",
        ),
        (
            https,
            "client-certificate: /c, client-key-data: a2V5",
            "client-certificate names a file",
        ),
        (
            https,
            "client-certificate-data: Yw==, client-key: /k",
            "client-key names a file",
        ),
        (https, "tokenFile: /var/run/token", "tokenFile names a file"),
        (
            https,
            "exec: {command: aws, apiVersion: v1}",
            "exec would run a program",
        ),
        (
            https,
            "auth-provider: {name: gcp}",
            "auth-provider would run a program",
        ),
        (
            "server: 'https://h', proxy-url: 'http://p'",
            "token: t",
            "proxy-url is not supported",
        ),
    ];

    for (cluster, user, text) in table {
        let error = refused(cluster, user);
        assert!(error.contains(text), "{error}");
    }
}

#[test]
fn inline_data_wins_over_a_path() {
    let data = encoded("PEM");
    let cluster = format!(
        "server: 'https://h', certificate-authority: /ca.crt, certificate-authority-data: {data}"
    );

    let found = read(&cluster, "token: t, tokenFile: /var/run/token").unwrap();

    assert!(found.tls.ca.is_some());
    assert!(matches!(found.login, Login::Bearer(_)));
}

#[test]
fn what_is_missing_is_named() {
    let no_context = access(&"current-context: x".into()).unwrap_err();
    let no_user = access(
        &"{current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}], \
          clusters: [{name: c, cluster: {server: 'https://h'}}]}"
            .into(),
    );

    assert!(no_context.to_string().contains("context \"x\""));
    assert!(no_user.unwrap_err().to_string().contains("user \"u\""));
    assert!(refused("tls-server-name: x", "token: t").contains("no server"));
}

#[test]
fn an_unreadable_file_is_told_by_place_without_its_content() {
    let broken = [
        format!("users: [{{name: u, user: {{token: [{CANARY}]}}}}]"),
        format!("{CANARY}: ["),
        format!("users: {CANARY}"),
    ];

    for text in broken {
        let error = access(&text.into()).unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains(CANARY), "{shown}");
        assert!(error.to_string().starts_with("invalid kubeconfig: "));
    }
    let bad_data = format!("certificate-authority-data: '{CANARY}', server: 'https://h'");
    assert!(!refused(&bad_data, "token: t").contains(CANARY));
}

#[test]
fn debug_output_shows_no_credential() {
    let user = format!("token: {CANARY}, as: jane");

    let found = read("server: 'https://h'", &user).unwrap();

    assert!(!format!("{found:?}").contains(CANARY));
}
