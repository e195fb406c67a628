//! Go's `fmt`: how every value prints, and `printf` with all its verbs.
//!
//! Output is bounded while it is written, because a value can be small and its text endless.

mod float;
mod format;
mod text;
mod value;

use crate::limits::Exceeded;
use crate::value::Value;

pub(crate) use float::format_float;

type Printed = Result<(), Exceeded>;

/// How much may be printed, and what to say when that is not enough.
#[derive(Clone, Copy)]
pub(crate) struct Cap {
    pub(crate) bytes: usize,
    pub(crate) exceeded: Exceeded,
}

impl Cap {
    /// So many bytes of output.
    pub(crate) fn output(bytes: usize) -> Self {
        Self {
            bytes,
            exceeded: Exceeded::Output(bytes),
        }
    }
}

/// Flags, width and precision of one verb.
#[derive(Default, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "these are the flags of the format language"
)]
struct Flags {
    plus: bool,
    minus: bool,
    sharp: bool,
    space: bool,
    zero: bool,
    /// `%+v`
    plus_v: bool,
    /// `%#v`
    sharp_v: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

struct Printer {
    out: Vec<u8>,
    cap: Cap,
    flags: Flags,
    /// Showing a value that did not fit its verb: methods are not consulted.
    erroring: bool,
    nesting: usize,
}

impl Printer {
    fn new(out: Vec<u8>, cap: Cap) -> Self {
        Self {
            out,
            cap,
            flags: Flags::default(),
            erroring: false,
            nesting: 0,
        }
    }

    fn room(&self, bytes: usize) -> Printed {
        if self.out.len().saturating_add(bytes) > self.cap.bytes {
            return Err(self.cap.exceeded);
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Printed {
        self.room(bytes.len())?;
        self.out.extend_from_slice(bytes);
        Ok(())
    }
}

/// Prints `value` as an action does, behind what `out` holds already.
pub(crate) fn append(out: Vec<u8>, value: &Value, cap: Cap) -> (Vec<u8>, Printed) {
    let mut printer = Printer::new(out, cap);
    let result = printer.argument(value, 'v');
    (printer.out, result)
}

/// `fmt.Sprint`: spaces between operands when neither is a string.
pub(crate) fn sprint(values: &[Value], cap: Cap) -> Result<Vec<u8>, Exceeded> {
    let mut printer = Printer::new(Vec::new(), cap);
    let mut after_string = true;
    for value in values {
        let is_string = matches!(value, Value::Str(_));
        if !is_string && !after_string {
            printer.write(b" ")?;
        }
        printer.argument(value, 'v')?;
        after_string = is_string;
    }
    Ok(printer.out)
}

/// `fmt.Sprintln`: spaces between all operands, a newline at the end.
pub(crate) fn sprintln(values: &[Value], cap: Cap) -> Result<Vec<u8>, Exceeded> {
    let mut printer = Printer::new(Vec::new(), cap);
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            printer.write(b" ")?;
        }
        printer.argument(value, 'v')?;
    }
    printer.write(b"\n")?;
    Ok(printer.out)
}

/// `fmt.Sprintf`
pub(crate) fn sprintf(format: &[u8], values: &[Value], cap: Cap) -> Result<Vec<u8>, Exceeded> {
    let mut printer = Printer::new(Vec::new(), cap);
    printer.printf(format, values)?;
    Ok(printer.out)
}
