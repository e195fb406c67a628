//! OpenPGP as Passbolt uses it: a private key that is unlocked once, messages to it, and the session
//! keys inside of them. Errors never show what a message holds.

use std::io::Read as _;

use data_encoding::{HEXUPPER, HEXUPPER_PERMISSIVE};
use lockstep_provider_api::prelude::*;
use pgp::composed::{
    ArmorOptions, Deserializable as _, Esk, Message, MessageBuilder, PlainSessionKey,
    SignedSecretKey,
};
use pgp::crypto::sym::SymmetricKeyAlgorithm;
use pgp::packet::PublicKeyEncryptedSessionKey;
use pgp::types::{
    DecryptionKey, EskType, KeyDetails as _, Password, PkeskVersion, S2kParams, SecretParams,
    SigningKey as _, StringToKey,
};
use rand_core_06::OsRng;

/// Largest plain text that is taken out of a message, which may be compressed.
const MAX_PLAIN: u64 = 16 << 20;
/// Most memory that unlocking a key may take, as a power of two of KiB: 64 MiB.
const MAX_MEMORY: u8 = 16;
/// Most passes over it.
const MAX_PASSES: u8 = 8;
/// Largest message or key that is looked at.
const MAX_ARMOR: usize = 16 << 20;

/// A private key that needs no passphrase any more.
pub(crate) struct PrivateKey(SignedSecretKey);

/// The key of one message.
#[derive(Clone)]
pub(crate) struct SessionKey(PlainSessionKey);

/// What a message held, and the key that opened it.
pub(crate) struct Opened {
    pub(crate) plain: SecretValue,
    pub(crate) session_key: SessionKey,
}

impl PrivateKey {
    /// Reads an armored private key and removes its passphrase. One final line break of the
    /// passphrase may come from a file.
    pub(crate) fn unlock(armored: &SecretValue, passphrase: &SecretValue) -> Result<Self> {
        let text = armored
            .expose_utf8()
            .ok()
            .filter(|text| text.len() <= MAX_ARMOR);
        let parsed = text.and_then(|text| SignedSecretKey::from_string(text).ok());
        let Some((mut key, _)) = parsed else {
            return Err(Error::invalid_spec(
                "key From Armored: this is not an armored OpenPGP private key",
            ));
        };
        let tries = [passphrase.expose(), passphrase.without_final_newline()];
        check_cost(&key)?;
        if tries
            .iter()
            .any(|passphrase| open_all(&mut key, passphrase))
        {
            return Ok(Self(key));
        }
        let text = "unlock Key: gopenpgp: error in unlocking key";
        Err(Error::new(ErrorKind::Unauthenticated, text))
    }

    /// The fingerprint in lower-case hexadecimal digits.
    pub(crate) fn fingerprint(&self) -> String {
        self.0.primary_key.fingerprint().to_string()
    }

    /// Opens an armored message to this key.
    pub(crate) fn open(&self, armored: &str) -> Result<Opened> {
        let message = parse(armored)?;
        let Message::Encrypted { esk, .. } = &message else {
            return Err(closed());
        };
        let found = esk.iter().find_map(|esk| match esk {
            Esk::PublicKeyEncryptedSessionKey(packet) => self.session_key(packet),
            Esk::SymKeyEncryptedSessionKey(_) => None,
        });
        let session_key = SessionKey(found.ok_or_else(closed)?);
        let plain = session_key.open_message(message)?;
        Ok(Opened { plain, session_key })
    }

    /// Makes an armored message to this key, signed by it.
    pub(crate) fn seal(&self, plain: &SecretValue) -> Result<String> {
        let key = &self.0.primary_key;
        let build = || -> pgp::errors::Result<String> {
            let mut builder = MessageBuilder::from_bytes("", plain.expose().to_vec())
                .seipd_v1(OsRng, SymmetricKeyAlgorithm::AES256);
            let public = self.0.to_public_key();
            let subkey = public
                .public_subkeys
                .iter()
                .find(|subkey| subkey.key.algorithm().can_encrypt());
            match subkey {
                Some(subkey) => builder.encrypt_to_key(OsRng, &subkey.key)?,
                None => builder.encrypt_to_key(OsRng, &public.primary_key)?,
            };
            builder.sign(key, Password::empty(), key.hash_alg());
            builder.to_armored_string(OsRng, ArmorOptions::default())
        };
        build()
            .map_err(|_| Error::invalid_spec("encrypt Message: this key cannot sign and encrypt"))
    }

    fn session_key(&self, packet: &PublicKeyEncryptedSessionKey) -> Option<PlainSessionKey> {
        let main = &self.0.primary_key;
        if packet.match_identity(main)
            && let Some(found) = decrypted(main, packet)
        {
            return Some(found);
        }
        let subkeys = self.0.secret_subkeys.iter().map(|subkey| &subkey.key);
        subkeys
            .filter(|subkey| packet.match_identity(*subkey))
            .find_map(|subkey| decrypted(subkey, packet))
    }
}

impl SessionKey {
    /// Reads a key in Passbolt's notation: the algorithm's number and hexadecimal digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (algorithm, digits) = text.split_once(':').unwrap_or(("9", text));
        let sym_alg = match algorithm {
            "7" => SymmetricKeyAlgorithm::AES128,
            "8" => SymmetricKeyAlgorithm::AES192,
            _ => SymmetricKeyAlgorithm::AES256,
        };
        let key = HEXUPPER_PERMISSIVE.decode(digits.as_bytes()).ok()?;
        let key = key.into();
        Some(Self(PlainSessionKey::V3_4 { sym_alg, key }))
    }

    /// Writes it in Passbolt's notation; `None` for messages of a kind that has none.
    pub(crate) fn to_text(&self) -> Option<String> {
        let PlainSessionKey::V3_4 { sym_alg, key } = &self.0 else {
            return None;
        };
        Some(format!(
            "{}:{}",
            u8::from(*sym_alg),
            HEXUPPER.encode(key.as_ref())
        ))
    }

    /// Opens an armored message that was made with this key.
    pub(crate) fn open(&self, armored: &str) -> Result<SecretValue> {
        self.open_message(parse(armored)?)
    }

    fn open_message(&self, message: Message<'_>) -> Result<SecretValue> {
        let read = || -> pgp::errors::Result<Vec<u8>> {
            let mut message = message.decrypt_with_session_key(self.0.clone())?;
            while message.is_compressed() {
                message = message.decompress()?;
            }
            let mut plain = Vec::new();
            message.take(MAX_PLAIN + 1).read_to_end(&mut plain)?;
            Ok(plain)
        };
        let plain = SecretValue::new(read().map_err(|_| closed())?);
        if u64::try_from(plain.len()).is_ok_and(|length| length > MAX_PLAIN) {
            let text = format!("decrypt: the message has more than {MAX_PLAIN} bytes");
            return Err(Error::invalid_data(text));
        }
        Ok(plain)
    }
}

fn parse(armored: &str) -> Result<Message<'_>> {
    let parsed = Message::from_string(armored);
    match parsed.ok().filter(|_| armored.len() <= MAX_ARMOR) {
        Some((message, _)) => Ok(message),
        None => Err(Error::invalid_data(
            "decrypt: this is not an armored OpenPGP message",
        )),
    }
}

fn closed() -> Error {
    Error::invalid_data("decrypt: the message cannot be opened with this key")
}

fn decrypted(
    key: &impl DecryptionKey,
    packet: &PublicKeyEncryptedSessionKey,
) -> Option<PlainSessionKey> {
    let kind = match packet.version() {
        PkeskVersion::V6 => EskType::V6,
        _ => EskType::V3_4,
    };
    key.decrypt(&Password::empty(), packet.values().ok()?, kind)
        .ok()?
        .ok()
}

fn open_all(key: &mut SignedSecretKey, passphrase: &[u8]) -> bool {
    let password = Password::from(passphrase);
    let mut opened = key.primary_key.remove_password(&password).is_ok();
    for subkey in &mut key.secret_subkeys {
        opened &= subkey.key.remove_password(&password).is_ok();
    }
    opened
}

/// A key says itself how much memory its passphrase costs; it comes from a tenant.
fn check_cost(key: &SignedSecretKey) -> Result<()> {
    let subkeys = key
        .secret_subkeys
        .iter()
        .map(|subkey| subkey.key.secret_params());
    let mut all = subkeys.chain([key.primary_key.secret_params()]);
    if all.any(is_costly) {
        return Err(Error::invalid_spec(
            "unlock Key: unlocking this key takes more than 64 MiB of memory; protect it with \
             other parameters",
        ));
    }
    Ok(())
}

fn is_costly(params: &SecretParams) -> bool {
    let SecretParams::Encrypted(params) = params else {
        return false;
    };
    match params.string_to_key_params() {
        S2kParams::Aead { s2k, .. } | S2kParams::Cfb { s2k, .. } => {
            matches!(s2k, StringToKey::Argon2 { m_enc, t, .. }
                if *m_enc > MAX_MEMORY || *t > MAX_PASSES)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
