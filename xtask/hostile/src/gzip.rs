//! A gzip body that is small on the wire and huge when it is unpacked: one literal and matches of the
//! greatest length, written with Deflate's fixed codes. Its check sum is wrong, which a reader can
//! only tell after it has unpacked everything.

const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// What one match stands for.
const MATCH: usize = 258;

/// The compressed form of about `size` bytes of `a`.
pub(crate) fn bomb(size: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.push(1, 1);
    bits.push(1, 2);
    bits.code(0x30 + u32::from(b'a'), 8);
    for _ in 0..size / MATCH {
        // Length 258 is symbol 285, distance 1 is symbol 0.
        bits.code(0b1100_0101, 8);
        bits.code(0, 5);
    }
    bits.code(0, 7);
    let mut body = HEAD.to_vec();
    body.extend(bits.done());
    body.extend([0; 8]);
    body
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    held: u32,
    count: u32,
}

impl Bits {
    /// Adds a number, lowest bit first.
    fn push(&mut self, value: u32, bits: u32) {
        self.held |= value << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.bytes.push(self.held.to_le_bytes()[0]);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// Adds a Huffman code, highest bit first.
    fn code(&mut self, value: u32, bits: u32) {
        self.push(value.reverse_bits() >> (32 - bits), bits);
    }

    fn done(mut self) -> Vec<u8> {
        self.push(0, 7);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gigabyte_takes_less_than_seven_megabytes() {
        let body = bomb(1 << 30);

        assert!(body.len() < 7 << 20, "{}", body.len());
        assert_eq!(body[..2], HEAD[..2]);
    }

    #[test]
    fn the_bits_are_those_that_zlib_writes_for_one_letter() {
        let body = bomb(1);

        assert_eq!(body[10..13], [0x4b, 0x04, 0x00]);
    }
}
