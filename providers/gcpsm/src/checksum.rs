//! CRC-32C (Castagnoli) of a payload, as Secret Manager computes and checks it.

const POLYNOMIAL: u32 = 0x82f6_3b78;

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let (mut index, mut first) = (0, 0);
    while index < 256 {
        let mut value: u32 = first;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 {
                (value >> 1) ^ POLYNOMIAL
            } else {
                value >> 1
            };
            bit += 1;
        }
        table[index] = value;
        index += 1;
        first += 1;
    }
    table
}

/// The checksum of some bytes.
pub(crate) fn crc32c(bytes: &[u8]) -> u32 {
    let folded = bytes.iter().fold(u32::MAX, |value, byte| {
        let [low, ..] = (value ^ u32::from(*byte)).to_le_bytes();
        (value >> 8) ^ TABLE[usize::from(low)]
    });
    !folded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of RFC 3720, appendix B.4, and the usual check value.
    #[test]
    fn the_published_vectors_hold() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(crc32c(b""), 0);
    }
}
