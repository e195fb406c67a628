//! One message in a body: a byte that says whether it is compressed, four bytes of length, the message.
//! Nobody here offers compression, so a compressed message is a fault of the server.

use bytes::{BufMut as _, Bytes, BytesMut};
use lockstep_provider_api::prelude::*;

use super::status::{Code, Status};

const PREFIX: usize = 5;
/// Largest message that is taken, as in Go's client.
const LIMIT: usize = 4 << 20;

/// A body with one message.
pub(super) fn encode(message: &[u8]) -> Bytes {
    let mut body = BytesMut::with_capacity(PREFIX + message.len());
    body.put_u8(0);
    // A question of this program has some kilobytes.
    body.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    body.extend_from_slice(message);
    body.freeze()
}

/// The one message of a body.
pub(super) fn decode(body: &Bytes) -> Result<Bytes> {
    let refused = |code, text: String| {
        let status = Status::new(code, text);
        Err(status.into_error(ErrorKind::InvalidData))
    };
    let Some((prefix, message)) = body.split_first_chunk::<PREFIX>() else {
        return refused(Code::Internal, "the answer has no message".to_owned());
    };
    let [compressed, length @ ..] = *prefix;
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if compressed != 0 {
        let text = "grpc: the server compressed its answer without being asked to";
        return refused(Code::Internal, text.to_owned());
    }
    if length > LIMIT {
        let text = format!("grpc: received message larger than max ({length} vs. {LIMIT})");
        return refused(Code::ResourceExhausted, text);
    }
    if length != message.len() {
        let text = format!(
            "the answer has {} bytes where one message of {length} is due",
            message.len()
        );
        return refused(Code::Internal, text);
    }
    Ok(body.slice(PREFIX..))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_back_as_it_went() {
        for message in [Vec::new(), vec![7], vec![7; 70_000]] {
            assert_eq!(decode(&encode(&message)).unwrap(), message);
        }
    }

    #[test]
    fn what_is_not_one_plain_message_is_refused_without_showing_it() {
        let bodies: [&[u8]; 5] = [
            b"",
            b"\0\0\0",
            b"\x01\0\0\0\x07hunter2",
            b"\0\0\0\0\x08hunter2",
            b"\0\xff\xff\xff\xffhunter2",
        ];

        for body in bodies {
            let error = decode(&Bytes::from_static(body)).unwrap_err();

            assert_eq!(error.kind(), &ErrorKind::InvalidData, "{body:?}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }
}
