//! Writes template values as JSON.

use lockstep_golang::base64::{self, Encoding};
use lockstep_golang::float;
use lockstep_golang::json::{Html, append_string_bytes};

use crate::failure::{Failure, Outcome};
use crate::limits::{Exceeded, MAX_NESTING, Meter};
use crate::value::{Elem, List, Object, Value};

/// How the text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::funcs) enum Style {
    Compact,
    /// Two spaces for each level.
    Pretty,
    /// `<`, `>` and `&` as they are.
    Raw,
}

pub(in crate::funcs) fn encode(meter: &mut Meter, value: &Value, style: Style) -> Outcome<Vec<u8>> {
    let mut encoder = Encoder {
        out: Vec::with_capacity(about(value)),
        style,
        depth: 0,
        meter,
    };
    encoder.value(value)?;
    Ok(encoder.out)
}

/// About how long the text will be, where that is soon said.
fn about(value: &Value) -> usize {
    match value {
        Value::Str(text) => text.len() + 16,
        Value::StrMap(map) => map
            .iter()
            .map(|(key, text)| key.len() + text.len() + text.len() / 16 + 8)
            .sum(),
        _ => 64,
    }
}

struct Encoder<'m> {
    out: Vec<u8>,
    style: Style,
    depth: usize,
    meter: &'m mut Meter,
}

impl Encoder<'_> {
    fn value(&mut self, value: &Value) -> Outcome<()> {
        self.meter.step(1)?;
        self.meter.fits(self.out.len())?;
        match value {
            Value::Nil => self.out.extend_from_slice(b"null"),
            Value::Bool(b) => self
                .out
                .extend_from_slice(if *b { b"true" } else { b"false" }),
            Value::Int(n) | Value::Int64(n) => self.out.extend_from_slice(n.to_string().as_bytes()),
            Value::Uint8(_) | Value::Uint32(_) | Value::Uint64(_) => {
                self.out
                    .extend_from_slice(value.as_unsigned().unwrap_or(0).to_string().as_bytes());
            }
            Value::Float(x) => {
                let text = float::json(*x).ok_or_else(|| {
                    let shown = float::general(*x);
                    Failure::new(format!("json: unsupported value: {shown}"))
                })?;
                self.out.extend_from_slice(text.as_bytes());
            }
            Value::Str(text) => {
                self.meter.fits(self.out.len() + text.len())?;
                self.string(text);
            }
            Value::List(list) => return self.list(list),
            Value::Map(map) if map.is_nil() => self.out.extend_from_slice(b"null"),
            Value::Map(map) => {
                let entries = map.entries();
                return self.object(entries.iter().map(|(key, value)| (key.as_bytes(), value)));
            }
            Value::StrMap(map) => {
                self.meter.step(map.len() as u64)?;
                self.open(b'{')?;
                for (at, (key, text)) in map.iter().enumerate() {
                    self.meter.fits(self.out.len() + text.len())?;
                    self.key(at, key);
                    self.string(text);
                }
                self.close(b'}', map.is_empty());
            }
            Value::Object(object) => return self.named(value, &object.0),
        }
        Ok(())
    }

    fn string(&mut self, text: &[u8]) {
        let html = if self.style == Style::Raw {
            Html::Plain
        } else {
            Html::Escaped
        };
        append_string_bytes(&mut self.out, text, html);
    }

    fn list(&mut self, list: &List) -> Outcome<()> {
        if list.is_nil() {
            self.out.extend_from_slice(b"null");
            return Ok(());
        }
        let items = list.to_vec();
        if list.elem() == Elem::Byte {
            let byte = |item: &Value| item.as_unsigned().and_then(|n| u8::try_from(n).ok());
            let bytes: Vec<u8> = items.iter().filter_map(byte).collect();
            self.string(base64::encode(Encoding::Standard, bytes).as_bytes());
            return Ok(());
        }
        self.open(b'[')?;
        for (at, item) in items.iter().enumerate() {
            self.separate(at);
            self.value(item)?;
        }
        self.close(b']', items.is_empty());
        Ok(())
    }

    fn object<'v>(
        &mut self,
        entries: impl ExactSizeIterator<Item = (&'v [u8], &'v Value)>,
    ) -> Outcome<()> {
        let empty = entries.len() == 0;
        self.open(b'{')?;
        for (at, (key, value)) in entries.enumerate() {
            self.key(at, key);
            self.value(value)?;
        }
        self.close(b'}', empty);
        Ok(())
    }

    fn named(&mut self, value: &Value, object: &Object) -> Outcome<()> {
        match object {
            Object::Time(time) => {
                let year = time.calendar().year;
                if !(0..=9999).contains(&year) {
                    return Err(Failure::new(
                        "json: error calling MarshalJSON for type time.Time: \
                         Time.MarshalJSON: year outside of range [0,9999]",
                    ));
                }
                let text = time.format(b"2006-01-02T15:04:05.999999999Z07:00");
                self.string(&text);
            }
            Object::Duration(_) | Object::Month(_) | Object::Weekday(_) => {
                self.out
                    .extend_from_slice(value.as_signed().unwrap_or(0).to_string().as_bytes());
            }
            Object::Version(version) | Object::VersionPtr(version) => {
                self.string(version.to_string().as_bytes());
            }
            Object::Certificate(pair) => {
                let fields = [Value::Str(pair.cert.clone()), Value::Str(pair.key.clone())];
                let names: [&[u8]; 2] = [b"Cert", b"Key"];
                return self.object(names.into_iter().zip(&fields));
            }
            Object::Location(_) => self.out.extend_from_slice(b"{}"),
            Object::Complex { .. } => {
                return Err(Failure::new("json: unsupported type: complex128"));
            }
        }
        Ok(())
    }

    fn open(&mut self, bracket: u8) -> Outcome<()> {
        if self.depth >= MAX_NESTING {
            return Err(Exceeded::Nesting.into());
        }
        self.depth += 1;
        self.out.push(bracket);
        Ok(())
    }

    /// The name of a member and what stands around it.
    fn key(&mut self, at: usize, name: &[u8]) {
        self.separate(at);
        self.string(name);
        self.out.push(b':');
        if self.style == Style::Pretty {
            self.out.push(b' ');
        }
    }

    fn separate(&mut self, at: usize) {
        if at > 0 {
            self.out.push(b',');
        }
        self.line();
    }

    fn close(&mut self, bracket: u8, empty: bool) {
        self.depth -= 1;
        if !empty {
            self.line();
        }
        self.out.push(bracket);
    }

    fn line(&mut self) {
        if self.style == Style::Pretty {
            self.out.push(b'\n');
            self.out.resize(self.out.len() + 2 * self.depth, b' ');
        }
    }
}
