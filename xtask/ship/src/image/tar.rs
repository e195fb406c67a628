//! Tar archives whose bytes depend on names and contents alone: no times, one owner, in the order that is given.

/// Records of an archive.
const RECORD: usize = 512;
const FOLDER: u8 = b'5';
const FILE: u8 = b'0';

/// An archive that is being written.
#[derive(Default)]
pub(super) struct Tar {
    bytes: Vec<u8>,
}

impl Tar {
    /// A folder; its name ends with a slash.
    pub(super) fn folder(&mut self, name: &str) {
        self.header(name, 0, 0o755, FOLDER);
    }

    /// A file.
    pub(super) fn file(&mut self, name: &str, content: &[u8], mode: u32) {
        self.header(name, content.len(), mode, FILE);
        self.bytes.extend_from_slice(content);
        let rest = content.len().next_multiple_of(RECORD) - content.len();
        self.bytes.extend(std::iter::repeat_n(0, rest));
    }

    /// The archive with its end.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.extend(std::iter::repeat_n(0, 2 * RECORD));
        self.bytes
    }

    /// A header as POSIX has it (ustar). Names are short here: blobs and a few files of our own.
    fn header(&mut self, name: &str, size: usize, mode: u32, kind: u8) {
        let mut header = [0_u8; RECORD];
        let mut put = |at: usize, text: &[u8]| {
            for (place, byte) in header.iter_mut().skip(at).zip(text) {
                *place = *byte;
            }
        };
        put(0, name.as_bytes());
        put(100, format!("{mode:07o}\0").as_bytes());
        put(108, b"0000000\x000000000\0");
        put(124, format!("{size:011o}\0").as_bytes());
        put(136, b"00000000000\0");
        put(148, b"        ");
        put(156, &[kind]);
        put(257, b"ustar\x0000");
        let sum: u32 = header.iter().copied().map(u32::from).sum();
        let sum = format!("{sum:06o}\0 ");
        for (place, byte) in header.iter_mut().skip(148).zip(sum.bytes()) {
            *place = byte;
        }
        self.bytes.extend_from_slice(&header);
    }
}
