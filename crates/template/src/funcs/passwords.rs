//! Password hashes, derived passwords and sprig's AES.

use aes::cipher::KeyInit as _;
use hmac::{Hmac, Mac as _};
use lockstep_golang::base64::{self, Encoding};
use parking_lot::Mutex;
use sha1::{Digest as _, Sha1};
use sha2::Sha256;

use super::{Args, Func, func};
use crate::context::Context;
use crate::crypto::cbc;
use crate::failure::{Failure, Outcome};
use crate::value::{Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    func("bcrypt", &[Ty::Str], |cx, args| {
        let hash = hashed(cx, args.bytes(0))?;
        cx.string(hash)
    }),
    func("htpasswd", &[Ty::Str, Ty::Str, Ty::HashAlgorithm], htpasswd),
    func(
        "derivePassword",
        &[Ty::Uint32, Ty::Str, Ty::Str, Ty::Str, Ty::Str],
        derive,
    ),
    func("encryptAES", &[Ty::Str, Ty::Str], encrypt),
    func("decryptAES", &[Ty::Str, Ty::Str], decrypt),
];

/// Work that takes as long as so many steps.
const BCRYPT_STEPS: u64 = 300_000;
const SCRYPT_STEPS: u64 = 600_000;

/// Held while a password is derived.
static DERIVING: Mutex<()> = Mutex::new(());

fn hashed(cx: &mut Context<'_>, password: &[u8]) -> Outcome<String> {
    const FAILED: &str = "failed to encrypt string with bcrypt: ";
    if password.len() > 72 {
        return Ok(format!("{FAILED}bcrypt: password length exceeds 72 bytes"));
    }
    cx.meter.step(BCRYPT_STEPS)?;
    let mut salt = [0; 16];
    cx.fill(&mut salt)?;
    match bcrypt::hash_with_salt(password, 10, salt) {
        Ok(parts) => Ok(parts.format_for_version(bcrypt::Version::TwoA)),
        Err(error) => Ok(format!("{FAILED}{error}")),
    }
}

fn htpasswd(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let (user, password) = (args.bytes(0), args.bytes(1));
    if user.contains(&b':') {
        return cx.string([b"invalid username: ", user].concat());
    }
    let hash = if args.bytes(2) == b"sha" {
        let digest = base64::encode(Encoding::Standard, Sha1::digest(password));
        format!("{{SHA}}{digest}")
    } else {
        hashed(cx, password)?
    };
    cx.string([user, b":", hash.as_bytes()].concat())
}

/// The templates of each kind of password.
fn templates(kind: &[u8]) -> Option<&'static [&'static str]> {
    Some(match kind {
        b"maximum" => &["anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"],
        b"long" => &[
            "CvcvnoCvcvCvcv",
            "CvcvCvcvnoCvcv",
            "CvcvCvcvCvcvno",
            "CvccnoCvcvCvcv",
            "CvccCvcvnoCvcv",
            "CvccCvcvCvcvno",
            "CvcvnoCvccCvcv",
            "CvcvCvccnoCvcv",
            "CvcvCvccCvcvno",
            "CvcvnoCvcvCvcc",
            "CvcvCvcvnoCvcc",
            "CvcvCvcvCvccno",
            "CvccnoCvccCvcv",
            "CvccCvccnoCvcv",
            "CvccCvccCvcvno",
            "CvcvnoCvccCvcc",
            "CvcvCvccnoCvcc",
            "CvcvCvccCvccno",
            "CvccnoCvcvCvcc",
            "CvccCvcvnoCvcc",
            "CvccCvcvCvccno",
        ],
        b"medium" => &["CvcnoCvc", "CvcCvcno"],
        b"short" => &["Cvcn"],
        b"basic" => &["aaanaaan", "aannaaan", "aaannaaa"],
        b"pin" => &["nnnn"],
        _ => return None,
    })
}

/// The characters a letter of a template stands for.
fn characters(class: u8) -> &'static [u8] {
    match class {
        b'C' => b"BCDFGHJKLMNPQRSTVWXYZ",
        b'v' => b"aeiou",
        b'c' => b"bcdfghjklmnpqrstvwxyz",
        b'a' => b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
        b'n' => b"0123456789",
        b'o' => b"@&%?,=[]_:-+*$#!'^~;()/.",
        _ => b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
    }
}

fn length(text: &[u8]) -> [u8; 4] {
    u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes()
}

/// The Master Password algorithm.
fn derive(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    const SEED: &[u8] = b"com.lyndir.masterpassword";
    let Some(templates) = templates(args.bytes(1)) else {
        return cx.string([b"cannot find password template ", args.bytes(1)].concat());
    };
    let (password, user, site) = (args.bytes(2), args.bytes(3), args.bytes(4));
    cx.meter.step(SCRYPT_STEPS)?;
    let salt = [SEED, &length(user), user].concat();
    let params = scrypt::Params::new(15, 8, 2).map_err(|error| Failure::new(error.to_string()))?;
    let mut key = [0; 64];
    // Each derivation takes 32 MiB for a moment, more than all other values of an object together:
    // one at a time in the process.
    let alone = DERIVING.lock();
    let derived = scrypt::scrypt(password, &salt, &params, &mut key);
    drop(alone);
    derived.map_err(|error| Failure::new(error.to_string()))?;
    let counter = match args.value(0) {
        Value::Uint32(counter) => counter.to_be_bytes(),
        _ => [0; 4],
    };
    let message = [SEED, &length(site), site, &counter].concat();
    let mut mac =
        Hmac::<Sha256>::new_from_slice(&key).map_err(|error| Failure::new(error.to_string()))?;
    mac.update(&message);
    let seed = mac.finalize().into_bytes();
    let template = templates[usize::from(seed[0]) % templates.len()];
    let derived: Vec<u8> = template
        .bytes()
        .zip(seed.iter().skip(1))
        .map(|(class, byte)| {
            let set = characters(class);
            set[usize::from(*byte) % set.len()]
        })
        .collect();
    cx.string(derived)
}

/// The first bytes of the password, filled up with zeros.
fn aes_key(password: &[u8]) -> [u8; 32] {
    let mut key = [0; 32];
    let len = password.len().min(32);
    key[..len].copy_from_slice(&password[..len]);
    key
}

fn encrypt(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let plain = args.bytes(1);
    if plain.is_empty() {
        return Ok(Value::from(""));
    }
    cx.reserve(plain.len().saturating_mul(3))?;
    let iv = cx.random(16)?;
    let mut data = plain.to_vec();
    cbc::pad(&mut data, 16);
    cbc::encrypt(
        &aes::Aes256::new(&aes_key(args.bytes(0)).into()),
        &iv,
        &mut data,
    );
    Ok(Value::from(base64::encode(
        Encoding::Standard,
        [iv, data].concat(),
    )))
}

fn decrypt(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let text = args.bytes(1);
    if text.is_empty() {
        return Ok(Value::from(""));
    }
    cx.reserve(text.len().saturating_mul(2))?;
    let data = base64::decode(Encoding::Standard, text)
        .map_err(|error| Failure::new(error.to_string()))?;
    let bounds = |text: String| Failure::new(format!("runtime error: slice bounds {text}"));
    let Some((iv, data)) = data.split_at_checked(16) else {
        // Go rounds the room for decoded bytes up to whole groups.
        let capacity = text.len() / 4 * 3;
        return Err(bounds(format!(
            "out of range [:16] with capacity {capacity}"
        )));
    };
    if !data.len().is_multiple_of(16) {
        return Err(Failure::new("crypto/cipher: input not full blocks"));
    }
    let mut plain = data.to_vec();
    cbc::decrypt(
        &aes::Aes256::new(&aes_key(args.bytes(0)).into()),
        iv,
        &mut plain,
    );
    let Some(padding) = plain.last().copied() else {
        return Err(Failure::new("runtime error: index out of range [-1]"));
    };
    let Some(len) = plain.len().checked_sub(usize::from(padding)) else {
        let end = plain.len().cast_signed() - isize::from(padding);
        return Err(bounds(format!("out of range [:{end}]")));
    };
    plain.truncate(len);
    cx.string(plain)
}
