//! The formats of OpenSSH: the line of `authorized_keys` and the private key file without a
//! passphrase. Knows nothing of how keys are made.

use lockstep_golang::base64::{Encoding, encode};
use zeroize::Zeroizing;

const MAGIC: &[u8] = b"openssh-key-v1\0";
/// Block size of the cipher `none`, to which the private part is padded.
const BLOCK: usize = 8;
/// Characters a line of the file, as `ssh-keygen` writes them.
const LINE: usize = 70;

/// A key pair in the wire form.
pub(super) struct KeyPair {
    /// The name of the algorithm.
    pub(super) kind: &'static str,
    /// The public key.
    pub(super) public: Writer,
    /// The private key without check numbers, comment and padding.
    pub(super) private: Writer,
}

impl KeyPair {
    /// The line of `authorized_keys`.
    pub(super) fn public_line(&self, comment: &str) -> String {
        let key = encode(Encoding::Standard, &*self.public.0);
        let space = if comment.is_empty() { "" } else { " " };
        format!("{} {key}{space}{comment}\n", self.kind)
    }

    /// The private key file. Both check numbers are `check`.
    pub(super) fn private_file(&self, comment: &str, check: [u8; 4]) -> String {
        let mut private = Writer::default();
        private.0.extend_from_slice(&check);
        private.0.extend_from_slice(&check);
        private.0.extend_from_slice(&self.private.0);
        private.text(comment);
        for pad in 1..=u8::MAX {
            if private.0.len().is_multiple_of(BLOCK) {
                break;
            }
            private.0.push(pad);
        }
        let mut file = Writer::default();
        file.0.extend_from_slice(MAGIC);
        file.text("none").text("none").text("");
        file.0.extend_from_slice(&1u32.to_be_bytes());
        file.bytes(&self.public.0).bytes(&private.0);
        armour(&file.0)
    }
}

fn armour(bytes: &[u8]) -> String {
    let text = Zeroizing::new(encode(Encoding::Standard, bytes));
    let mut file = String::with_capacity(text.len() + text.len() / LINE + 80);
    file.push_str("-----BEGIN OPENSSH PRIVATE KEY-----\n");
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE));
        file.push_str(line);
        file.push('\n');
        rest = after;
    }
    file.push_str("-----END OPENSSH PRIVATE KEY-----\n");
    file
}

/// Writes the data types of RFC 4251, section 5.
#[derive(Default)]
pub(super) struct Writer(pub(super) Zeroizing<Vec<u8>>);

impl Writer {
    /// Bytes with their length in front.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        self.0.extend_from_slice(&length.to_be_bytes());
        self.0.extend_from_slice(bytes);
        self
    }

    /// A text.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// A positive number: no zeros in front, but one where the highest bit is set.
    pub(super) fn number(&mut self, bytes: &[u8]) -> &mut Self {
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        let digits = &bytes[zeros..];
        let mut number = Zeroizing::new(Vec::with_capacity(digits.len() + 1));
        if digits.first().is_some_and(|first| *first >= 0x80) {
            number.push(0);
        }
        number.extend_from_slice(digits);
        self.bytes(&number)
    }
}
