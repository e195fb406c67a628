//! External Secrets' functions on PKCS #12 files, JSON Web Keys and RSA-encrypted data.

use lockstep_golang::base64::{self, Encoding};

use super::{Args, Func, func};
use crate::context::Context;
use crate::crypto::jwk::Jwk;
use crate::crypto::keys::PrivateKey;
use crate::crypto::pkcs12::{self, Contents};
use crate::crypto::rsa::OaepHash;
use crate::failure::{Failure, Outcome};
use crate::pem;
use crate::value::{Ty, Value};
use crate::x509::{self, Certificate};

pub(super) const FUNCS: &[Func] = &[
    func("pkcs12key", &[Ty::Str], |cx, args| {
        key(cx, args.bytes(0), b"")
    }),
    func("pkcs12keyPass", &[Ty::Str, Ty::Str], |cx, args| {
        key(cx, args.bytes(1), args.bytes(0))
    }),
    func("pkcs12cert", &[Ty::Str], |cx, args| {
        certificates(cx, args.bytes(0), b"")
    }),
    func("pkcs12certPass", &[Ty::Str, Ty::Str], |cx, args| {
        certificates(cx, args.bytes(1), args.bytes(0))
    }),
    func("pemToPkcs12", &[Ty::Str, Ty::Str], |cx, args| {
        store(cx, args, b"", false)
    }),
    func(
        "pemToPkcs12Pass",
        &[Ty::Str, Ty::Str, Ty::Str],
        |cx, args| store(cx, args, args.bytes(2), false),
    ),
    func("fullPemToPkcs12", &[Ty::Str, Ty::Str], |cx, args| {
        store(cx, args, b"", true)
    }),
    func(
        "fullPemToPkcs12Pass",
        &[Ty::Str, Ty::Str, Ty::Str],
        |cx, args| store(cx, args, args.bytes(2), true),
    ),
    func("pemTruststoreToPKCS12", &[Ty::Str], |cx, args| {
        trust_store(cx, args.bytes(0), b"")
    }),
    func(
        "pemTruststoreToPKCS12Pass",
        &[Ty::Str, Ty::Str],
        |cx, args| trust_store(cx, args.bytes(0), args.bytes(1)),
    ),
    func("jwkPublicKeyPem", &[Ty::Str], |cx, args| {
        cx.meter.step(20_000)?;
        let kind = match jwk(args)? {
            Jwk::Public(der, _) => return cx.string(pem::encode("PUBLIC KEY", &der)),
            Jwk::Private(key) => private_type(&key),
            Jwk::WithoutPrimes => "*rsa.PrivateKey",
            Jwk::Other(kind) => kind,
        };
        Err(Failure::new(format!(
            "x509: unsupported public key type: {kind}"
        )))
    }),
    func("jwkPrivateKeyPem", &[Ty::Str], |cx, args| {
        cx.meter.step(20_000)?;
        let kind = match jwk(args)? {
            Jwk::Private(key) => {
                let der = key.to_pkcs8().unwrap_or_default();
                return cx.string(pem::encode("PRIVATE KEY", &der));
            }
            Jwk::WithoutPrimes => return Err(Failure::new("modulus must be > 1")),
            Jwk::Public(_, kind) | Jwk::Other(kind) => kind,
        };
        Err(Failure::new(format!(
            "x509: unknown key type while marshaling PKCS#8: {kind}"
        )))
    }),
    func(
        "rsaDecrypt",
        &[Ty::Str, Ty::Str, Ty::Str, Ty::Str],
        rsa_decrypt,
    ),
];

fn jwk(args: &Args) -> Outcome<Jwk> {
    Jwk::parse(args.bytes(0))
}

fn private_type(key: &PrivateKey) -> &'static str {
    match key {
        PrivateKey::Rsa(_) => "*rsa.PrivateKey",
        PrivateKey::Ec(_) => "*ecdsa.PrivateKey",
        PrivateKey::Ed25519(_) => "ed25519.PrivateKey",
        PrivateKey::Dsa(_) => "*dsa.PrivateKey",
    }
}

fn prefixed(why: Failure, text: &str) -> Failure {
    match why {
        limit @ Failure::Limit(_) => limit,
        Failure::Message(parts) => parts.into_iter().fold(Failure::new(text), Failure::with),
    }
}

fn key(cx: &mut Context<'_>, data: &[u8], password: &[u8]) -> Outcome<Value> {
    let contents = pkcs12::decode(&mut cx.meter, data, password)
        .map_err(|why| prefixed(why, "unable to decode pkcs12 with password: "))?;
    let der = contents.key.to_pkcs8().unwrap_or_default();
    cx.string(pem::encode("PRIVATE KEY", &der))
}

/// All certificates, as one chain if they are one, or else in the order of the file.
fn certificates(cx: &mut Context<'_>, data: &[u8], password: &[u8]) -> Outcome<Value> {
    let Contents {
        certificate,
        others,
        ..
    } = pkcs12::decode(&mut cx.meter, data, password)
        .map_err(|why| prefixed(why, "unable to decode pkcs12 certificate with password: "))?;
    let mut all = vec![certificate];
    all.extend(others);
    let ordered = x509::order(&all).unwrap_or_else(|_| all.iter().collect());
    let text: Vec<u8> = ordered
        .iter()
        .flat_map(|found| pem::encode("CERTIFICATE", &found.raw))
        .collect();
    cx.string(text)
}

/// What Go says when upstream looks into a block that is not there.
fn first_block(text: &[u8]) -> Outcome<(pem::Block, &[u8])> {
    pem::decode(text).ok_or_else(|| Failure::new(super::lists::NIL_POINTER))
}

fn parse(der: &[u8]) -> Outcome<Certificate> {
    Certificate::parse(der).map_err(Failure::new)
}

/// A text that is nothing but certificates.
fn only_certificates(text: &[u8]) -> Outcome<Vec<Certificate>> {
    let mut rest = text;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (block, after) = first_block(rest)?;
        found.push(parse(&block.bytes)?);
        rest = after;
    }
    Ok(found)
}

fn store(cx: &mut Context<'_>, args: &Args, password: &[u8], full: bool) -> Outcome<Value> {
    let (block, rest) = first_block(args.bytes(0))?;
    let certificate = parse(&block.bytes)?;
    let others = if full {
        only_certificates(rest)?
    } else {
        Vec::new()
    };
    let (block, _) = first_block(args.bytes(1))?;
    let key = PrivateKey::parse(&block.bytes)
        .ok_or_else(|| Failure::new("unable to parse private key type"))?;
    let file = pkcs12::encode(
        cx,
        &Contents {
            key,
            certificate,
            others,
        },
        password,
    )?;
    cx.string(base64::encode(Encoding::Standard, file))
}

fn trust_store(cx: &mut Context<'_>, text: &[u8], password: &[u8]) -> Outcome<Value> {
    let certificates = only_certificates(text)?;
    let file = pkcs12::encode_trust_store(cx, &certificates, password)?;
    cx.string(base64::encode(Encoding::Standard, file))
}

fn rsa_decrypt(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    match args.bytes(0) {
        b"None" => return Ok(args.take(2)),
        b"RSA-OAEP" => {}
        scheme => {
            return Err(Failure::new("decryption scheme ")
                .value(String::from_utf8_lossy(scheme))
                .text(" is not supported"));
        }
    }
    let (block, _) =
        pem::decode(args.bytes(3)).ok_or_else(|| Failure::new("failed to decode PEM block"))?;
    let key = match PrivateKey::parse(&block.bytes) {
        Some(PrivateKey::Rsa(key)) => key,
        Some(_) => return Err(Failure::new("could not parse RSA private key")),
        None => {
            return Err(Failure::new(
                "could not parse private key: unable to parse private key type",
            ));
        }
    };
    let hash = match args.bytes(1) {
        b"SHA1" => OaepHash::Sha1,
        b"SHA512" => OaepHash::Sha512,
        _ => OaepHash::Sha256,
    };
    cx.meter.step(20_000)?;
    match key.decrypt_oaep(hash, args.bytes(2)) {
        Some(plain) => cx.string(plain),
        None => Err(Failure::new(
            "error decrypting data with RSA: crypto/rsa: decryption error",
        )),
    }
}
