//! Checksums, in hexadecimal; Adler-32 in decimal.

use data_encoding::HEXLOWER;
use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha512};

use super::{Func, func};
use crate::value::{Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    func("sha1sum", &[Ty::Str], |_, args| {
        Ok(hex(&Sha1::digest(args.bytes(0))))
    }),
    func("sha256sum", &[Ty::Str], |_, args| {
        Ok(hex(&Sha256::digest(args.bytes(0))))
    }),
    func("sha512sum", &[Ty::Str], |_, args| {
        Ok(hex(&Sha512::digest(args.bytes(0))))
    }),
    func("adler32sum", &[Ty::Str], |_, args| {
        Ok(Value::from(adler32(args.bytes(0)).to_string()))
    }),
];

fn hex(digest: &[u8]) -> Value {
    Value::from(HEXLOWER.encode(digest))
}

fn adler32(data: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (mut a, mut b) = (1u32, 0u32);
    // So many bytes cannot overflow 32 bits between reductions.
    for block in data.chunks(5552) {
        for byte in block {
            a += u32::from(*byte);
            b += a;
        }
        a %= MODULUS;
        b %= MODULUS;
    }
    b << 16 | a
}
