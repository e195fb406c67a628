//! X.509 certificates, read as far as templates need them.
//!
//! Nothing is verified here: no signature, no validity, no chain of trust. Error texts follow
//! Go's `crypto/x509` in the common cases and do not promise more.

mod chain;
mod name;
mod names;

pub(crate) use chain::order;

use crate::der::{Element, Reader, oid, tag};

/// What is known of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Certificate {
    /// The whole of it, in DER.
    pub(crate) raw: Vec<u8>,
    /// The subject, in DER.
    pub(crate) subject: Vec<u8>,
    /// The public key with its algorithm, in DER.
    pub(crate) public_key: Vec<u8>,
    pub(crate) subject_key_id: Vec<u8>,
    pub(crate) authority_key_id: Option<Vec<u8>>,
    /// DNS names, then addresses, mail addresses and URIs.
    pub(crate) names: Vec<Vec<u8>>,
}

/// Why bytes are no certificate.
pub(crate) type Problem = &'static str;

const MALFORMED: Problem = "x509: malformed certificate";

impl Certificate {
    pub(crate) fn parse(der: &[u8]) -> Result<Self, Problem> {
        let mut reader = Reader::new(der);
        let whole = reader.read(tag::SEQUENCE).ok_or(MALFORMED)?;
        if !reader.is_empty() {
            return Err("x509: trailing data");
        }
        let mut outer = Reader::new(whole.body);
        let body = outer
            .read(tag::SEQUENCE)
            .ok_or("x509: malformed tbs certificate")?;
        let signature_algorithm = outer
            .read(tag::SEQUENCE)
            .ok_or("x509: malformed signature algorithm identifier")?;
        outer
            .read(tag::BIT_STRING)
            .ok_or("x509: malformed signature")?;

        let mut fields = Reader::new(body.body);
        check_version(fields.optional(tag::CONTEXT_0))?;
        fields
            .read(tag::INTEGER)
            .ok_or("x509: malformed serial number")?;
        let algorithm = fields
            .read(tag::SEQUENCE)
            .ok_or("x509: malformed signature algorithm identifier")?;
        if algorithm.whole != signature_algorithm.whole {
            return Err("x509: inner and outer signature algorithm identifiers don't match");
        }
        fields.read(tag::SEQUENCE).ok_or("x509: malformed issuer")?;
        check_validity(
            fields
                .read(tag::SEQUENCE)
                .ok_or("x509: malformed validity")?,
        )?;
        let subject = fields.read(tag::SEQUENCE).ok_or("x509: malformed issuer")?;
        let public_key = fields.read(tag::SEQUENCE).ok_or("x509: malformed spki")?;
        check_public_key(public_key)?;

        let mut certificate = Self {
            raw: whole.whole.to_vec(),
            subject: subject.whole.to_vec(),
            public_key: public_key.whole.to_vec(),
            subject_key_id: Vec::new(),
            authority_key_id: None,
            names: Vec::new(),
        };
        // Unique identifiers of issuer and subject, which nobody uses.
        fields.optional(0x81);
        fields.optional(0x82);
        if let Some(extensions) = fields.optional(tag::CONTEXT_3) {
            certificate.read_extensions(extensions)?;
        }
        Ok(certificate)
    }

    fn read_extensions(&mut self, extensions: Element<'_>) -> Result<(), Problem> {
        const BAD: Problem = "x509: malformed extensions";
        let mut list = Reader::new(extensions.body).sequence().ok_or(BAD)?;
        let mut seen: Vec<&[u8]> = Vec::new();
        while !list.is_empty() {
            let mut extension = list.sequence().ok_or("x509: malformed extension")?;
            let id = extension
                .oid()
                .ok_or("x509: malformed extension OID field")?;
            extension.optional(tag::BOOLEAN);
            let value = extension
                .octets()
                .ok_or("x509: malformed extension value field")?;
            if seen.contains(&id) {
                return Err("x509: certificate contains duplicate extensions");
            }
            seen.push(id);
            match id {
                oid::SUBJECT_KEY_ID => {
                    let id = Reader::single(value, tag::OCTET_STRING)
                        .ok_or("x509: invalid subject key identifier")?;
                    self.subject_key_id = id.body.to_vec();
                }
                oid::AUTHORITY_KEY_ID => {
                    let mut fields = Reader::new(value)
                        .sequence()
                        .ok_or("x509: invalid authority key identifier")?;
                    self.authority_key_id = fields.optional(0x80).map(|id| id.body.to_vec());
                }
                oid::SUBJECT_ALT_NAME => self.names = names::parse(value)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The subject as Go prints it: the last part first, joined by commas.
    pub(crate) fn subject_text(&self) -> String {
        name::text(&self.subject)
    }

    /// Whether it signs itself as far as its key identifiers tell.
    pub(crate) fn is_root(&self) -> bool {
        self.authority_key_id
            .as_ref()
            .is_none_or(|id| *id == self.subject_key_id)
    }
}

fn check_version(version: Option<Element<'_>>) -> Result<(), Problem> {
    let Some(version) = version else {
        return Ok(());
    };
    match Reader::new(version.body).number() {
        Some(0..=2) => Ok(()),
        Some(_) => Err("x509: invalid version"),
        None => Err("x509: malformed version"),
    }
}

fn check_validity(validity: Element<'_>) -> Result<(), Problem> {
    let mut times = Reader::new(validity.body);
    for _ in 0..2 {
        let time = times.any().ok_or("x509: malformed validity")?;
        if !matches!(time.tag, tag::UTC_TIME | tag::GENERALIZED_TIME) {
            return Err("x509: unsupported time format");
        }
    }
    Ok(())
}

fn check_public_key(key: Element<'_>) -> Result<(), Problem> {
    let mut fields = Reader::new(key.body);
    let mut algorithm = fields
        .sequence()
        .ok_or("x509: malformed public key algorithm identifier")?;
    let id = algorithm
        .oid()
        .ok_or("x509: malformed public key algorithm identifier")?;
    let bits = fields.bits().ok_or("x509: malformed subjectPublicKey")?;
    match id {
        oid::RSA_ENCRYPTION => {
            let mut numbers = Reader::new(bits)
                .sequence()
                .ok_or("x509: invalid RSA public key")?;
            numbers.unsigned().ok_or("x509: invalid RSA modulus")?;
            numbers
                .unsigned()
                .ok_or("x509: invalid RSA public exponent")?;
        }
        oid::EC_PUBLIC_KEY => {
            algorithm.oid().ok_or("x509: invalid ECDSA parameters")?;
        }
        _ => {}
    }
    Ok(())
}
