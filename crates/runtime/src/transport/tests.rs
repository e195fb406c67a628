//! The transport against small servers on loopback, plain and TLS.

use std::net::SocketAddr;

use lockstep_provider_api::error::ErrorKind;
use lockstep_provider_api::http::Identity;
use lockstep_provider_api::value::SecretValue;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::server::WebPkiClientVerifier;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;

mod http2;

async fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Reads one request head and answers with `body`.
async fn answer(mut stream: impl AsyncRead + AsyncWrite + Unpin, body: &str) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let length = body.len();
    let text = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(text.as_bytes()).await.unwrap();
    stream.flush().await.unwrap();
    String::from_utf8(head).unwrap()
}

fn get(uri: impl AsRef<str>) -> Request<Bytes> {
    Request::get(uri.as_ref()).body(Bytes::new()).unwrap()
}

async fn fetch(settings: Settings, tls: Tls, uri: String) -> Result<Response<Bytes>> {
    let transport = HttpTransports::new(settings).connect(&tls)?;
    transport.send(get(uri)).await
}

#[tokio::test]
async fn an_answer_of_any_status_is_returned_whole() {
    let (listener, address) = listen().await;
    let server = async {
        let (stream, _) = listener.accept().await.unwrap();
        answer(stream, "hello").await
    };

    let uri = format!("http://{address}/x?y=z");
    let (head, got) = tokio::join!(server, fetch(Settings::default(), Tls::default(), uri));

    assert_eq!(got.unwrap().body(), "hello");
    assert!(head.starts_with("GET /x?y=z HTTP/1.1\r\n"));
    assert!(head.contains("User-Agent: external-secrets\r\n"));
}

#[tokio::test]
async fn a_server_can_be_tried_without_a_request() {
    let (listener, address) = listen().await;
    let transports = HttpTransports::new(Settings::default());

    let (reached, accepted) = tokio::join!(
        transports.reach("127.0.0.1", address.port()),
        listener.accept()
    );
    drop(listener);
    let refused = transports.reach("127.0.0.1", address.port()).await;

    reached.unwrap();
    let mut sent = Vec::new();
    accepted.unwrap().0.read_to_end(&mut sent).await.unwrap();
    assert!(sent.is_empty());
    assert_eq!(refused.unwrap_err().kind(), &ErrorKind::Unreachable);
}

#[tokio::test]
async fn a_refused_connection_is_unreachable_and_names_the_host_alone() {
    let (listener, address) = listen().await;
    drop(listener);

    let uri = format!("http://user:pw@{address}/token-in-path?token=in-query");
    let error = fetch(Settings::default(), Tls::default(), uri)
        .await
        .unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unreachable);
    let text = error.to_string();
    assert!(text.starts_with(&format!("cannot reach http://{address}: ")));
    assert!(text.contains("refused"), "{text}");
    assert!(!text.contains("token") && !text.contains("pw"), "{text}");
}

#[tokio::test]
async fn a_connection_dropped_before_the_answer_is_unreachable() {
    let (listener, address) = listen().await;
    let server = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read_u8().await.unwrap();
    };

    let uri = format!("http://{address}/");
    let ((), got) = tokio::join!(server, fetch(Settings::default(), Tls::default(), uri));

    assert_eq!(got.unwrap_err().kind(), &ErrorKind::Unreachable);
}

#[tokio::test]
async fn a_silent_server_is_given_up_after_the_timeout() {
    let (_listener, address) = listen().await;
    let settings = Settings {
        request_timeout: Duration::from_millis(50),
        ..Settings::default()
    };

    let got = fetch(settings, Tls::default(), format!("http://{address}/")).await;

    let error = got.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Unreachable);
    assert!(error.to_string().starts_with("no answer from"));
}

#[tokio::test]
async fn an_answer_above_the_limit_is_refused() {
    let (listener, address) = listen().await;
    let server = async {
        let (stream, _) = listener.accept().await.unwrap();
        answer(stream, "0123456789").await
    };
    let settings = Settings {
        answer_limit: 9,
        ..Settings::default()
    };

    let uri = format!("http://{address}/");
    let (_, got) = tokio::join!(server, fetch(settings, Tls::default(), uri));

    assert_eq!(got.unwrap_err().kind(), &ErrorKind::InvalidData);
}

#[tokio::test]
async fn plain_http_goes_to_the_proxy_in_absolute_form_with_its_credentials() {
    let (listener, address) = listen().await;
    let server = async {
        let (stream, _) = listener.accept().await.unwrap();
        answer(stream, "via proxy").await
    };
    let settings = Settings {
        proxy: Proxy {
            http: format!("http://user:pw@{address}"),
            ..Proxy::default()
        },
        ..Settings::default()
    };

    let uri = "http://backend.example/x".to_owned();
    let (head, got) = tokio::join!(server, fetch(settings, Tls::default(), uri));

    assert_eq!(got.unwrap().body(), "via proxy");
    assert!(head.starts_with("GET http://backend.example/x HTTP/1.1\r\n"));
    assert!(head.contains("Proxy-Authorization: Basic dXNlcjpwdw==\r\n"));
}

#[tokio::test]
async fn https_asks_the_proxy_for_a_tunnel_but_excepted_hosts_do_not() {
    let (listener, address) = listen().await;
    let server = async {
        let (stream, _) = listener.accept().await.unwrap();
        answer(stream, "").await
    };
    let settings = Settings {
        proxy: Proxy {
            https: format!("http://{address}"),
            no: "inside.example".to_owned(),
            ..Proxy::default()
        },
        ..Settings::default()
    };

    let uri = "https://backend.example/x".to_owned();
    let (head, _) = tokio::join!(server, fetch(settings.clone(), Tls::default(), uri));

    assert!(head.starts_with("CONNECT backend.example:443 HTTP/1.1\r\n"));
    let connector = Connector::new(&settings.proxy, settings.connect_timeout);
    let direct = |uri: &'static str| connector.intercepted(&Uri::from_static(uri));
    assert!(!direct("https://inside.example/"));
    assert!(!direct("https://127.0.0.1/"));
    assert!(!direct("https://169.254.169.254/"));
    assert!(!direct("https://[fd00:ec2::254]/"));
    assert!(direct("https://backend.example/"));
}

#[test]
fn equal_trust_shares_a_client_and_different_identity_does_not() {
    let authority = Authority::new();
    let transports = HttpTransports::new(Settings::default());
    let plain = Tls::default();
    let own = Tls {
        ca: Some(authority.pem()),
        ..Tls::default()
    };
    let with_identity = |name: &str| Tls {
        identity: Some(authority.identity(name)),
        ..own.clone()
    };
    let (one, two) = (with_identity("one"), with_identity("two"));

    let client = |tls: &Tls| transports.client(tls).unwrap();

    assert!(Arc::ptr_eq(&client(&plain), &client(&plain)));
    let kept = client(&one);
    assert!(Arc::ptr_eq(&kept, &client(&one.clone())));
    assert!(!Arc::ptr_eq(&kept, &client(&two)));
    assert!(!Arc::ptr_eq(&kept, &client(&own)));
}

#[test]
fn unreadable_certificates_are_refused_without_quoting_the_key() {
    let transports = HttpTransports::new(Settings::default());
    let authority = Authority::new();
    let bad_ca = Tls {
        ca: Some(b"nothing".to_vec()),
        ..Tls::default()
    };
    let bad_key = Tls {
        identity: Some(Identity {
            certificate: authority.identity("x").certificate,
            key: SecretValue::from("canary-key"),
        }),
        ..Tls::default()
    };

    for tls in [bad_ca, bad_key] {
        let error = transports.client(&tls).err().unwrap();

        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
        assert!(!format!("{error:?}").contains("canary"));
    }
}

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    fn pem(&self) -> Vec<u8> {
        self.0.pem().into_bytes()
    }

    fn identity(&self, name: &str) -> Identity {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        Identity {
            certificate: certificate.pem().into_bytes(),
            key: SecretValue::from(key.serialize_pem()),
        }
    }

    /// A server for `name` that asks for a client certificate when `clients` is given.
    fn acceptor(&self, name: &str, clients: Option<&Self>) -> TlsAcceptor {
        self.acceptor_with(name, clients, &[])
    }

    /// The same for a server that chooses among these protocols.
    fn acceptor_with(&self, name: &str, clients: Option<&Self>, alpn: &[&str]) -> TlsAcceptor {
        let identity = self.identity(name);
        let chain = CertificateDer::pem_slice_iter(&identity.certificate);
        let chain = chain.map(std::result::Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_slice(identity.key.expose()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = rustls::RootCertStore::empty();
                roots.add(authority.0.der().clone()).unwrap();
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let mut config = builder.with_single_cert(chain, key).unwrap();
        config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }
}

/// One request to a TLS server on loopback.
async fn exchange(acceptor: TlsAcceptor, tls: &Tls) -> Result<Response<Bytes>> {
    let (listener, address) = listen().await;
    let server = async {
        let (stream, _) = listener.accept().await.unwrap();
        if let Ok(stream) = acceptor.accept(stream).await {
            answer(stream, "secure").await;
        }
    };
    let uri = format!("https://localhost:{}/", address.port());
    let client = fetch(Settings::default(), tls.clone(), uri);
    tokio::pin!(server);
    tokio::pin!(client);
    let mut answered = false;
    loop {
        tokio::select! {
            got = &mut client => return got,
            () = &mut server, if !answered => answered = true,
        }
    }
}

#[tokio::test]
async fn a_server_signed_by_the_given_authority_is_believed_and_others_are_not() {
    let (trusted, other) = (Authority::new(), Authority::new());
    let tls = Tls {
        ca: Some(trusted.pem()),
        ..Tls::default()
    };

    let good = exchange(trusted.acceptor("localhost", None), &tls).await;
    let bad = exchange(other.acceptor("localhost", None), &tls).await;

    assert_eq!(good.unwrap().body(), "secure");
    let bad = bad.unwrap_err();
    assert_eq!(bad.kind(), &ErrorKind::Unreachable);
    let text = bad.to_string();
    assert!(
        text.contains("its certificate was issued by \"CN="),
        "{text}"
    );
    assert!(text.contains("CA bundle of the store"), "{text}");
    assert!(!text.contains("other error"), "{text}");
    assert!(bad.is_advised());
}

#[tokio::test]
async fn a_connection_that_ends_without_an_answer_reads_the_same_however_it_ends() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut told = Vec::new();
    for (reads, begins) in [
        (true, ""),
        (false, ""),
        (true, "HTTP/1.1 200 OK\r\nContent-Le"),
    ] {
        let (listener, address) = listen().await;
        let server = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            if reads {
                assert!(stream.read(&mut [0; 1_024]).await.unwrap() > 0);
            }
            stream.write_all(begins.as_bytes()).await.unwrap();
        };
        let uri = format!("http://{address}/");
        let client = fetch(Settings::default(), Tls::default(), uri);
        let (answer, ()) = tokio::join!(client, server);
        let text = answer.unwrap_err().to_string();
        told.push(text.replace(&address.to_string(), "HOST"));
    }

    for text in told {
        assert_eq!(
            text,
            "cannot reach http://HOST: the server closed the connection without an answer"
        );
    }
}

#[tokio::test]
async fn a_proxy_is_named_without_its_credentials_when_it_cannot_be_reached() {
    let (listener, address) = listen().await;
    drop(listener);
    let settings = Settings {
        proxy: Proxy {
            https: format!("http://user:pw@{address}"),
            ..Proxy::default()
        },
        ..Settings::default()
    };

    let uri = "https://backend.example/x".to_owned();
    let error = fetch(settings, Tls::default(), uri).await.unwrap_err();

    let text = error.to_string();
    let named = format!("cannot reach https://backend.example through proxy http://{address}: ");
    assert!(text.starts_with(&named), "{text}");
    assert!(!text.contains("pw"), "{text}");
}

#[tokio::test]
async fn another_server_name_is_accepted_only_when_asked_for() {
    let authority = Authority::new();
    let full = Tls {
        ca: Some(authority.pem()),
        ..Tls::default()
    };
    let named = Tls {
        verification: Verification::ServerName("vault.internal".to_owned()),
        ..full.clone()
    };

    let acceptor = || authority.acceptor("vault.internal", None);

    assert!(exchange(acceptor(), &full).await.is_err());
    assert!(exchange(acceptor(), &named).await.is_ok());
}

#[tokio::test]
async fn any_server_is_believed_without_verification() {
    let tls = Tls {
        verification: Verification::Off,
        ..Tls::default()
    };

    let got = exchange(Authority::new().acceptor("elsewhere", None), &tls).await;

    assert_eq!(got.unwrap().body(), "secure");
}

#[tokio::test]
async fn the_client_certificate_is_shown() {
    let authority = Authority::new();
    let without = Tls {
        ca: Some(authority.pem()),
        ..Tls::default()
    };
    let with = Tls {
        identity: Some(authority.identity("client")),
        ..without.clone()
    };

    let acceptor = || authority.acceptor("localhost", Some(&authority));

    assert!(exchange(acceptor(), &with).await.is_ok());
    assert!(exchange(acceptor(), &without).await.is_err());
}
