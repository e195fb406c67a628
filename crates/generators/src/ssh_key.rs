//! `SSHKey`: a key pair in OpenSSH's own formats. What a key costs is known before it is made: RSA
//! keys are searched for and are made off the workers.

mod keys;
mod openssh;

use lockstep_provider_api::{Error, LocalGenerator, Random, Result, SecretMap, SecretValue};
use serde::Deserialize;

use keys::{Curve, ecdsa, ed25519, rsa};
use openssh::KeyPair;

const DEFAULT_RSA_BITS: usize = 2048;
/// Bounds of the API; a spec inside a ClusterGenerator passes no schema.
const MAX_RSA_BITS: usize = 8192;
/// Shorter keys can be broken and are refused as Go does.
const MIN_RSA_BITS: usize = 1024;
/// Longest comment.
const MAX_COMMENT: usize = 4_096;

/// `spec` of an SSHKey.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
    key_type: Option<String>,
    key_size: Option<usize>,
    #[serde(default)]
    comment: String,
}

enum Algorithm {
    Rsa(usize),
    Ecdsa(Curve),
    Ed25519,
}

pub(crate) struct SshKey;

impl LocalGenerator for SshKey {
    const KIND: &'static str = "SSHKey";
    type Spec = Spec;

    fn is_costly(spec: &Spec) -> bool {
        matches!(algorithm(spec), Ok(Algorithm::Rsa(_)))
    }

    fn generate(spec: Spec, random: &mut dyn Random) -> Result<SecretMap> {
        let algorithm = algorithm(&spec);
        let algorithm = algorithm.map_err(|error| error.context("unable to generate SSH key"))?;
        if spec.comment.len() > MAX_COMMENT || spec.comment.contains(['\n', '\r']) {
            return Err(Error::invalid_spec(format!(
                "spec.comment must be one line of at most {MAX_COMMENT} bytes"
            )));
        }
        let pair: KeyPair = match algorithm {
            Algorithm::Rsa(bits) => rsa(bits, random)?,
            Algorithm::Ecdsa(curve) => ecdsa(curve, random),
            Algorithm::Ed25519 => ed25519(random),
        };
        let mut check = [0; 4];
        random.fill(&mut check);
        let private = pair.private_file(&spec.comment, check);
        let public = pair.public_line(&spec.comment);
        Ok(SecretMap::from_iter([
            ("privateKey".to_owned(), SecretValue::from(private)),
            ("publicKey".to_owned(), SecretValue::from(public)),
        ]))
    }
}

fn algorithm(spec: &Spec) -> Result<Algorithm> {
    match spec.key_type.as_deref().unwrap_or_default() {
        "" | "rsa" => match spec.key_size.unwrap_or(DEFAULT_RSA_BITS) {
            bits @ MIN_RSA_BITS..=MAX_RSA_BITS => Ok(Algorithm::Rsa(bits)),
            bits => Err(Error::invalid_spec(format!(
                "spec.keySize is {bits}; an RSA key has {MIN_RSA_BITS} to {MAX_RSA_BITS} bits"
            ))),
        },
        "ecdsa" => Ok(Algorithm::Ecdsa(match spec.key_size {
            Some(384) => Curve::P384,
            Some(521) => Curve::P521,
            // Any other size means this one, as upstream has it.
            _ => Curve::P256,
        })),
        "ed25519" => Ok(Algorithm::Ed25519),
        other => Err(Error::invalid_spec(format!(
            "unsupported key type: {other}; spec.keyType is one of rsa, ecdsa, ed25519"
        ))),
    }
}

#[cfg(test)]
mod tests;
