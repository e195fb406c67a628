//! External Secrets' functions on PEM texts: filters, chains and alternative names.

use super::{Func, func};
use crate::failure::{Failure, Outcome};
use crate::pem;
use crate::value::Value;
use crate::value::{List, Str, Ty};
use crate::x509::{self, Certificate};

pub(super) const FUNCS: &[Func] = &[
    func("filterPEM", &[Ty::Str, Ty::Str], |cx, args| {
        cx.reserve(args.bytes(1).len().saturating_mul(2))?;
        filter(args.bytes(0), args.bytes(1))
    }),
    func("filterCertChain", &[Ty::Str, Ty::Str], |cx, args| {
        cx.reserve(args.bytes(1).len().saturating_mul(2))?;
        filter_chain(args.bytes(0), args.bytes(1))
    }),
    func("certSANs", &[Ty::Str], |cx, args| {
        cx.reserve(args.bytes(0).len())?;
        alternative_names(args.bytes(0))
    }),
];

/// Text before the first block does not count.
fn trim_junk(text: &[u8]) -> &[u8] {
    memchr::memmem::find(text, b"-----BEGIN").map_or(text, |at| &text[at..])
}

fn filter(kind: &[u8], text: &[u8]) -> Outcome<Value> {
    let mut rest = trim_junk(text);
    let mut out = Vec::new();
    while let Some((block, after)) = pem::decode(rest) {
        rest = after;
        if same_folded(&block.kind, kind) {
            let text = pem::encode_block(&block).ok_or_else(|| {
                Failure::new("pem: cannot encode a header key that contains a colon")
            })?;
            out.extend(text);
        }
    }
    if out.is_empty() && !rest.is_empty() {
        return Err(Failure::new("error filtering pem: found junk"));
    }
    Ok(Value::from(out))
}

/// Equality under simple case folding.
fn same_folded(a: &[u8], b: &[u8]) -> bool {
    let folded = |text: &[u8]| -> Vec<char> {
        lockstep_golang::unicode::runes(text)
            .map(|(_, rune)| crate::unicode::to_lower(crate::unicode::to_upper(rune)))
            .collect()
    };
    folded(a) == folded(b)
}

/// All blocks of `text` as certificates.
pub(super) fn certificates(text: &[u8]) -> Outcome<Vec<Certificate>> {
    let mut rest = text;
    let mut found = Vec::new();
    while let Some((block, after)) = pem::decode(rest) {
        rest = after;
        found.push(Certificate::parse(&block.bytes).map_err(Failure::new)?);
    }
    Ok(found)
}

fn filter_chain(kind: &[u8], text: &[u8]) -> Outcome<Value> {
    let certificates = certificates(text)?;
    let ordered = x509::order(&certificates).map_err(Failure::new)?;
    let chosen: Vec<&Certificate> = match kind {
        b"leaf" => ordered
            .iter()
            .take(1)
            .filter(|leaf| !leaf.is_root())
            .copied()
            .collect(),
        b"intermediate" => ordered
            .iter()
            .skip(1)
            .take_while(|c| !c.is_root())
            .copied()
            .collect(),
        b"root" => ordered
            .last()
            .filter(|root| root.is_root())
            .copied()
            .into_iter()
            .collect(),
        _ => Vec::new(),
    };
    let texts = chosen
        .iter()
        .map(|certificate| pem::encode("CERTIFICATE", &certificate.raw));
    Ok(Value::from(texts.collect::<Vec<_>>().concat()))
}

fn alternative_names(text: &[u8]) -> Outcome<Value> {
    let Some((block, _)) = pem::decode(trim_junk(text)) else {
        return Err(Failure::new("failed to decode PEM block"));
    };
    let certificate = Certificate::parse(&block.bytes)
        .map_err(|problem| Failure::new(format!("failed to parse certificate: {problem}")))?;
    let names = certificate.names.into_iter().map(Str::from).collect();
    Ok(Value::List(List::strings(names)))
}
