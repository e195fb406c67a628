//! Whether a program runs in an image with nothing else in it: an ELF file for the right processor that needs no loader.

use anyhow::{Result, bail};

use crate::compile::Arch;

const INTERPRETER: u32 = 3;

/// An error that says why the program would not start.
pub(super) fn check(program: &[u8], arch: Arch) -> Result<()> {
    let (Some(b"\x7fELF\x02\x01"), Some(machine), Some(offset), Some(size), Some(count)) = (
        program.get(..6),
        number(program, 18, 2),
        number(program, 32, 8),
        number(program, 54, 2),
        number(program, 56, 2),
    ) else {
        bail!("not a 64-bit ELF program");
    };
    let wanted = match arch {
        Arch::Amd64 => 62,
        Arch::Arm64 => 183,
    };
    if machine != wanted {
        bail!("not a program for {}", arch.name());
    }
    for header in 0..count {
        let at = offset + header * size;
        if number(program, at, 4) == Some(INTERPRETER as usize) {
            bail!("not static: it needs a loader, which the image does not have");
        }
    }
    Ok(())
}

/// A little-endian number of so many bytes.
fn number(program: &[u8], at: usize, bytes: usize) -> Option<usize> {
    let part = program.get(at..at.checked_add(bytes)?)?;
    let mut out = 0;
    for byte in part.iter().rev() {
        out = out << 8 | usize::from(*byte);
    }
    Some(out)
}
