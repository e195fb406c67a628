//! Sprig's keys and certificates.

use std::net::IpAddr;

use lockstep_golang::base64::{self, Encoding};
use lockstep_golang::duration::Duration;
use num_bigint::BigUint;

use super::{Args, Func, func};
use crate::context::Context;
use crate::crypto::create::{Request, Signer, create};
use crate::crypto::ec::{Curve, EcKey};
use crate::crypto::keys::PrivateKey;
use crate::crypto::rng;
use crate::crypto::rsa::RsaKey;
use crate::der;
use crate::failure::{Failure, Outcome};
use crate::pem;
use crate::print::Cap;
use crate::time::Time;
use crate::value::{self, Object, Str, Ty, Value};
use crate::x509::Certificate;

const SELF_SIGNED: &[Ty] = &[Ty::Str, Ty::ListAny, Ty::ListAny, Ty::Int];

pub(super) const FUNCS: &[Func] = &[
    func("genPrivateKey", &[Ty::Str], generate_key),
    func("buildCustomCert", &[Ty::Str, Ty::Str], custom),
    func("genCA", &[Ty::Str, Ty::Int], |cx, args| {
        let key = rsa_key(cx, 2048)?;
        authority(cx, args, &key)
    }),
    func("genCAWithKey", &[Ty::Str, Ty::Int, Ty::Str], |cx, args| {
        let key = given_key(args.bytes(2))?;
        authority(cx, args, &key)
    }),
    func("genSelfSignedCert", SELF_SIGNED, |cx, args| {
        let key = rsa_key(cx, 2048)?;
        self_signed(cx, args, &key)
    }),
    func(
        "genSelfSignedCertWithKey",
        &[Ty::Str, Ty::ListAny, Ty::ListAny, Ty::Int, Ty::Str],
        |cx, args| {
            let key = given_key(args.bytes(4))?;
            self_signed(cx, args, &key)
        },
    ),
    func(
        "genSignedCert",
        &[Ty::Str, Ty::ListAny, Ty::ListAny, Ty::Int, Ty::Certificate],
        |cx, args| {
            let key = rsa_key(cx, 2048)?;
            signed(cx, args, &key)
        },
    ),
    func(
        "genSignedCertWithKey",
        &[
            Ty::Str,
            Ty::ListAny,
            Ty::ListAny,
            Ty::Int,
            Ty::Certificate,
            Ty::Str,
        ],
        |cx, args| {
            let key = given_key(args.bytes(5))?;
            signed(cx, args, &key)
        },
    ),
];

fn rsa_key(cx: &mut Context<'_>, bits: usize) -> Outcome<PrivateKey> {
    cx.meter.step(bits as u64 * bits as u64 / 8)?;
    let key = RsaKey::generate(&mut rng(cx)?, bits);
    key.map(PrivateKey::Rsa)
        .ok_or_else(|| Failure::new("error generating rsa key"))
}

fn generate_key(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let key = match args.bytes(0) {
        b"" | b"rsa" => Some(rsa_key(cx, 4096)?),
        b"dsa" => Some(dsa_key(cx)?),
        b"ecdsa" => {
            cx.meter.step(10_000)?;
            EcKey::generate(&mut rng(cx)?, Curve::P256).map(PrivateKey::Ec)
        }
        b"ed25519" => {
            let mut seed = [0; 32];
            cx.fill(&mut seed)?;
            Some(PrivateKey::Ed25519(seed))
        }
        kind => return cx.string([b"Unknown type ", kind].concat()),
    };
    match key {
        Some(key) => cx.string(key.to_pem()),
        None => cx.string("failed to generate private key"),
    }
}

/// A DSA key of 2048 and 256 bits, in the old form that sprig writes.
fn dsa_key(cx: &mut Context<'_>) -> Outcome<PrivateKey> {
    cx.meter.step(2_000_000)?;
    let mut rng = rng(cx)?;
    let Ok(components) =
        dsa::Components::try_generate_from_rng_with_key_size(&mut rng, dsa::KeySize::DSA_2048_256);
    let number = |bytes: &[u8]| BigUint::from_bytes_be(bytes);
    let prime = number(&components.p().to_be_bytes());
    let divisor = number(&components.q().to_be_bytes());
    let generator = number(&components.g().to_be_bytes());
    // More bits than needed, so that the remainder is as good as even.
    let one = BigUint::from(1u8);
    let private = number(&cx.random(48)?) % (&divisor - &one) + &one;
    let public = generator.modpow(&private, &prime);
    let mut body = der::number(0);
    for part in [&prime, &divisor, &generator, &public, &private] {
        body.extend(der::unsigned(&part.to_bytes_be()));
    }
    Ok(PrivateKey::Dsa(der::element(der::tag::SEQUENCE, &body)))
}

/// A private key in any of the PEM forms sprig reads.
fn parse_key(text: &[u8]) -> Outcome<PrivateKey> {
    let (block, _) = pem::decode(text).ok_or_else(|| Failure::new("no PEM data in input"))?;
    let kind = String::from_utf8_lossy(&block.kind).into_owned();
    if kind == "PRIVATE KEY" {
        return PrivateKey::parse_pkcs8(&block.bytes).ok_or_else(|| {
            Failure::new("decoding PEM as PKCS#8: x509: failed to parse private key")
        });
    }
    let Some(algorithm) = kind.strip_suffix(" PRIVATE KEY") else {
        return Err(Failure::new(format!(
            "no private key data in PEM block of type {kind}"
        )));
    };
    let parsed = match algorithm {
        "RSA" => RsaKey::parse_pkcs1(&block.bytes).map(PrivateKey::Rsa),
        "EC" => EcKey::parse(&block.bytes, None).map(PrivateKey::Ec),
        "DSA" => der::Reader::single(&block.bytes, der::tag::SEQUENCE)
            .map(|_| PrivateKey::Dsa(block.bytes.clone())),
        _ => return Err(Failure::new(format!("invalid private key type {kind}"))),
    };
    parsed.ok_or_else(|| {
        Failure::new(format!(
            "parsing {algorithm} private key from PEM: x509: failed to parse private key"
        ))
    })
}

fn given_key(text: &[u8]) -> Outcome<PrivateKey> {
    parse_key(text).map_err(|why| prefixed(why, "parsing private key: "))
}

fn prefixed(why: Failure, text: &str) -> Failure {
    match why {
        limit @ Failure::Limit(_) => limit,
        Failure::Message(parts) => parts.into_iter().fold(Failure::new(text), Failure::with),
    }
}

fn pair(cert: Vec<u8>, key: Vec<u8>) -> Value {
    let pair = value::Certificate {
        cert: Str::from(cert),
        key: Str::from(key),
    };
    Value::object(Object::Certificate(pair))
}

fn custom(_: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let decode = |at: usize, what: &str| {
        base64::decode(Encoding::Standard, args.bytes(at))
            .map_err(|_| Failure::new(format!("unable to decode base64 {what}")))
    };
    let (cert, key) = (decode(0, "certificate")?, decode(1, "private key")?);
    let (block, _) =
        pem::decode(&cert).ok_or_else(|| Failure::new("unable to decode certificate"))?;
    Certificate::parse(&block.bytes).map_err(|problem| {
        Failure::new(format!(
            "error parsing certificate: decodedCert.Bytes: {problem}"
        ))
    })?;
    parse_key(&key).map_err(|why| prefixed(why, "error parsing private key: "))?;
    Ok(pair(cert, key))
}

/// The request for a certificate of this name, valid from now for so many days.
fn request<'a>(cx: &mut Context<'_>, name: &'a [u8], days: i64) -> Outcome<Request<'a>> {
    const DAY: i64 = 24 * 3600 * 1_000_000_000;
    let mut serial = [0; 16];
    cx.fill(&mut serial)?;
    // Signing with an RSA key.
    cx.meter.step(100_000)?;
    let now = Time::from_timestamp(cx.env.now);
    Ok(Request {
        common_name: name,
        dns_names: Vec::new(),
        addresses: Vec::new(),
        not_after: now.add(Duration::from_nanos(DAY.wrapping_mul(days))),
        not_before: now,
        serial,
        is_ca: false,
    })
}

fn issue(request: &Request<'_>, key: &PrivateKey, signer: &Signer<'_>) -> Outcome<Value> {
    let der = create(request, key, signer)
        .map_err(|error| Failure::new("error creating certificate: ").value(error))?;
    Ok(pair(pem::encode("CERTIFICATE", &der), key.to_pem()))
}

fn authority(cx: &mut Context<'_>, args: &Args, key: &PrivateKey) -> Outcome<Value> {
    let mut request = request(cx, args.bytes(0), args.int(1))?;
    request.is_ca = true;
    issue(
        &request,
        key,
        &Signer {
            key,
            certificate: None,
        },
    )
}

/// A request with addresses and names, the second and third arguments.
fn named<'a>(cx: &mut Context<'_>, args: &'a Args) -> Outcome<Request<'a>> {
    let addresses = addresses(args.value(1))?;
    let dns_names = dns_names(args.value(2))?;
    let request = request(cx, args.bytes(0), args.int(3))?;
    Ok(Request {
        dns_names,
        addresses,
        ..request
    })
}

fn self_signed(cx: &mut Context<'_>, args: &Args, key: &PrivateKey) -> Outcome<Value> {
    let request = named(cx, args)?;
    issue(
        &request,
        key,
        &Signer {
            key,
            certificate: None,
        },
    )
}

fn signed(cx: &mut Context<'_>, args: &Args, key: &PrivateKey) -> Outcome<Value> {
    let Some(Object::Certificate(authority)) = args.value(4).as_object() else {
        return Err(Failure::new("unable to decode certificate"));
    };
    let (block, _) =
        pem::decode(&authority.cert).ok_or_else(|| Failure::new("unable to decode certificate"))?;
    let parent = Certificate::parse(&block.bytes).map_err(|problem| {
        Failure::new(format!(
            "error parsing certificate: decodedSignerCert.Bytes: {problem}"
        ))
    })?;
    let parent_key =
        parse_key(&authority.key).map_err(|why| prefixed(why, "error parsing private key: "))?;
    let request = named(cx, args)?;
    issue(
        &request,
        key,
        &Signer {
            key: &parent_key,
            certificate: Some(&parent),
        },
    )
}

fn items(value: &Value) -> Vec<Value> {
    match value {
        Value::List(list) => list.to_vec(),
        _ => Vec::new(),
    }
}

fn shown(value: &Value) -> String {
    let (text, _) = crate::print::append(Vec::new(), value, Cap::output(256));
    lockstep_golang::unicode::to_valid_utf8(&text)
}

fn addresses(value: &Value) -> Outcome<Vec<IpAddr>> {
    let address = |item: &Value| match item {
        Value::Str(text) => std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| Failure::new("error parsing ip: ").value(String::from_utf8_lossy(text))),
        other => Err(Failure::new("error parsing ip: ")
            .value(shown(other))
            .text(" is not a string")),
    };
    items(value).iter().map(address).collect()
}

fn dns_names(value: &Value) -> Outcome<Vec<Vec<u8>>> {
    let name = |item: &Value| match item {
        Value::Str(text) => Ok(text.to_vec()),
        other => Err(Failure::new("error processing alternate dns name: ")
            .value(shown(other))
            .text(" is not a string")),
    };
    items(value).iter().map(name).collect()
}
