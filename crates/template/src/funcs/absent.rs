//! The functions that need cryptography, in a build without it: known, but refused when called.

use super::{Args, Func, func};
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::value::{Ty, Value};

fn refuse(_: &mut Context<'_>, _: &mut Args) -> Outcome<Value> {
    Err(Failure::new(
        "not part of this build: it lacks the feature \"crypto\"",
    ))
}

const S1: &[Ty] = &[Ty::Str];
const S2: &[Ty] = &[Ty::Str, Ty::Str];
const S3: &[Ty] = &[Ty::Str, Ty::Str, Ty::Str];

pub(super) const FUNCS: &[Func] = &[
    func("bcrypt", S1, refuse),
    func("htpasswd", &[Ty::Str, Ty::Str, Ty::HashAlgorithm], refuse),
    func(
        "derivePassword",
        &[Ty::Uint32, Ty::Str, Ty::Str, Ty::Str, Ty::Str],
        refuse,
    ),
    func("encryptAES", S2, refuse),
    func("decryptAES", S2, refuse),
    func("genPrivateKey", S1, refuse),
    func("buildCustomCert", S2, refuse),
    func("genCA", &[Ty::Str, Ty::Int], refuse),
    func("genCAWithKey", &[Ty::Str, Ty::Int, Ty::Str], refuse),
    func(
        "genSelfSignedCert",
        &[Ty::Str, Ty::ListAny, Ty::ListAny, Ty::Int],
        refuse,
    ),
    func(
        "genSelfSignedCertWithKey",
        &[Ty::Str, Ty::ListAny, Ty::ListAny, Ty::Int, Ty::Str],
        refuse,
    ),
    func(
        "genSignedCert",
        &[Ty::Str, Ty::ListAny, Ty::ListAny, Ty::Int, Ty::Certificate],
        refuse,
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
        refuse,
    ),
    func("pkcs12key", S1, refuse),
    func("pkcs12keyPass", S2, refuse),
    func("pkcs12cert", S1, refuse),
    func("pkcs12certPass", S2, refuse),
    func("pemToPkcs12", S2, refuse),
    func("pemToPkcs12Pass", S3, refuse),
    func("fullPemToPkcs12", S2, refuse),
    func("fullPemToPkcs12Pass", S3, refuse),
    func("pemTruststoreToPKCS12", S1, refuse),
    func("pemTruststoreToPKCS12Pass", S2, refuse),
    func("jwkPublicKeyPem", S1, refuse),
    func("jwkPrivateKeyPem", S1, refuse),
    func("rsaDecrypt", &[Ty::Str, Ty::Str, Ty::Str, Ty::Str], refuse),
];
