//! Values of every kind under a verb.

use super::{Printed, Printer};
use crate::limits::{Exceeded, MAX_NESTING};
use crate::time::Time;
use crate::value::{Elem, List, Object, Value};

impl Printer {
    /// An operand of `print` or `printf`.
    pub(super) fn argument(&mut self, value: &Value, verb: char) -> Printed {
        match verb {
            'T' if value.is_nil() => return self.pad(b"<nil>"),
            'T' => {
                let name = value.type_name().as_bytes();
                let shown = self.flags.precision.unwrap_or(name.len()).min(name.len());
                return self.pad(&name[..shown]);
            }
            'p' => return self.pointer(value),
            _ => {}
        }
        self.value(value, verb, true)
    }

    /// Go prints addresses here; they mean nothing to a template, so one stands for all.
    fn pointer(&mut self, value: &Value) -> Printed {
        match value.kind() {
            crate::value::Kind::Map | crate::value::Kind::Slice | crate::value::Kind::Ptr => {
                self.write(b"0xc000000000")
            }
            _ => self.bad_verb(value, 'p'),
        }
    }

    /// `top` is false for what stands inside a list, map or struct.
    fn value(&mut self, value: &Value, verb: char, top: bool) -> Printed {
        if let Some(printed) = self.by_method(value, verb) {
            return printed;
        }
        let printed = match value {
            Value::Nil => return self.nil(verb, top),
            Value::Bool(b) => self.boolean(*b, verb),
            Value::Int(n) | Value::Int64(n) => self.integer(n.cast_unsigned(), true, verb),
            Value::Uint8(n) => self.integer(u64::from(*n), false, verb),
            Value::Uint32(n) => self.integer(u64::from(*n), false, verb),
            Value::Uint64(n) => self.integer(*n, false, verb),
            Value::Float(x) => self.float(*x, verb),
            Value::Str(text) => self.string(text, verb),
            Value::List(list) => return self.nested(|p| p.list(value, list, verb)),
            Value::Map(map) => {
                let absent = map.is_nil();
                let entries = map.entries();
                let pairs = entries.iter().map(|(key, value)| (key.as_bytes(), value));
                return self.nested(|p| p.map(value, absent, pairs, verb));
            }
            Value::StrMap(map) => {
                let entries: Vec<_> = map
                    .iter()
                    .map(|(key, text)| (key, Value::Str(text.clone())))
                    .collect();
                let pairs = entries.iter().map(|(key, value)| (key.as_bytes(), value));
                return self.nested(|p| p.map(value, false, pairs, verb));
            }
            Value::Object(object) => self.object(value, &object.0, verb),
        };
        printed.unwrap_or_else(|| self.bad_verb(value, verb))
    }

    fn nested(&mut self, print: impl FnOnce(&mut Self) -> Printed) -> Printed {
        if self.nesting >= MAX_NESTING {
            return Err(Exceeded::Nesting);
        }
        self.nesting += 1;
        let printed = print(self);
        self.nesting -= 1;
        printed
    }

    fn nil(&mut self, verb: char, top: bool) -> Printed {
        match verb {
            'v' if !top && self.flags.sharp_v => self.write(b"interface {}(nil)"),
            'v' if top => self.pad(b"<nil>"),
            _ if top => self.write(format!("%!{verb}(<nil>)").as_bytes()),
            _ => self.write(b"<nil>"),
        }
    }

    /// Types that know their own text.
    fn by_method(&mut self, value: &Value, verb: char) -> Option<Printed> {
        if self.erroring {
            return None;
        }
        if verb == 'w' {
            return Some(self.bad_verb(value, verb));
        }
        let object = value.as_object()?;
        if self.flags.sharp_v {
            let Object::Time(time) = object else {
                return None;
            };
            return Some(self.pad(time.go_string().as_bytes()));
        }
        if !matches!(verb, 'v' | 's' | 'x' | 'X' | 'q') {
            return None;
        }
        let text = object.text()?;
        self.string(text.as_bytes(), verb)
    }

    fn list(&mut self, value: &Value, list: &List, verb: char) -> Printed {
        if list.elem() == Elem::Byte && matches!(verb, 's' | 'q' | 'x' | 'X') {
            let bytes: Vec<u8> = list.to_vec().iter().filter_map(byte).collect();
            return self.string(&bytes, verb).unwrap_or(Ok(()));
        }
        let sharp = self.flags.sharp_v;
        if sharp {
            self.write(value.type_name().as_bytes())?;
            if list.is_nil() {
                return self.write(b"(nil)");
            }
        }
        self.write(if sharp { b"{" } else { b"[" })?;
        for (at, item) in list.to_vec().iter().enumerate() {
            self.separator(at)?;
            self.value(item, verb, false)?;
        }
        self.write(if sharp { b"}" } else { b"]" })
    }

    fn map<'v>(
        &mut self,
        value: &Value,
        absent: bool,
        pairs: impl Iterator<Item = (&'v [u8], &'v Value)>,
        verb: char,
    ) -> Printed {
        let sharp = self.flags.sharp_v;
        if sharp {
            self.write(value.type_name().as_bytes())?;
            if absent {
                return self.write(b"(nil)");
            }
        }
        self.write(if sharp { b"{" } else { b"map[" })?;
        for (at, (key, item)) in pairs.enumerate() {
            self.separator(at)?;
            let key = Value::from(key.to_vec());
            self.value(&key, verb, false)?;
            self.write(b":")?;
            self.value(item, verb, false)?;
        }
        self.write(if sharp { b"}" } else { b"]" })
    }

    fn separator(&mut self, at: usize) -> Printed {
        match (at, self.flags.sharp_v) {
            (0, _) => Ok(()),
            (_, true) => self.write(b", "),
            (_, false) => self.write(b" "),
        }
    }

    fn object(&mut self, value: &Value, object: &Object, verb: char) -> Option<Printed> {
        match object {
            Object::Complex { re, im } => self.complex(*re, *im, verb),
            Object::Duration(_) | Object::Month(_) | Object::Weekday(_) => {
                let n = value.as_signed().unwrap_or(0);
                self.integer(n.cast_unsigned(), true, verb)
            }
            _ => Some(self.nested(|p| p.structure(value, object, verb))),
        }
    }

    fn structure(&mut self, value: &Value, object: &Object, verb: char) -> Printed {
        let name = value.type_name();
        let name = match name.strip_prefix('*') {
            Some(pointee) => {
                self.write(b"&")?;
                pointee
            }
            None => name,
        };
        if self.flags.sharp_v {
            self.write(name.as_bytes())?;
        }
        self.write(b"{")?;
        for (at, (field, item)) in object.fields().iter().enumerate() {
            self.separator(at)?;
            if self.flags.plus_v || self.flags.sharp_v {
                self.write(field.as_bytes())?;
                self.write(b":")?;
            }
            self.value(item, verb, false)?;
        }
        self.write(b"}")
    }

    /// What Go prints for a verb that does not fit: `%!d(string=x)`.
    fn bad_verb(&mut self, value: &Value, verb: char) -> Printed {
        let erroring = std::mem::replace(&mut self.erroring, true);
        self.write(format!("%!{verb}(").as_bytes())?;
        if value.is_nil() {
            self.write(b"<nil>")?;
        } else {
            self.write(value.type_name().as_bytes())?;
            self.write(b"=")?;
            self.value(value, 'v', true)?;
        }
        self.erroring = erroring;
        self.write(b")")
    }
}

fn byte(value: &Value) -> Option<u8> {
    match value {
        Value::Uint8(byte) => Some(*byte),
        _ => None,
    }
}

impl Object {
    /// The text of types that have a `String` method.
    pub(crate) fn text(&self) -> Option<String> {
        Some(match self {
            Self::Time(time) => time.to_string(),
            Self::Duration(span) => span.to_string(),
            Self::Month(month) => crate::time::month_name(*month),
            Self::Weekday(day) => crate::time::weekday_name(*day).to_owned(),
            Self::Location(zone) => zone.name().to_owned(),
            Self::Version(version) | Self::VersionPtr(version) => version.to_string(),
            Self::Certificate(_) | Self::Complex { .. } => return None,
        })
    }

    /// The fields of struct types, as Go declares them.
    fn fields(&self) -> Vec<(&'static str, Value)> {
        match self {
            Self::Certificate(pair) => vec![
                ("Cert", Value::Str(pair.cert.clone())),
                ("Key", Value::Str(pair.key.clone())),
            ],
            Self::Version(v) | Self::VersionPtr(v) => vec![
                ("major", Value::Uint64(v.major)),
                ("minor", Value::Uint64(v.minor)),
                ("patch", Value::Uint64(v.patch)),
                ("pre", Value::from(v.pre.as_str())),
                ("metadata", Value::from(v.metadata.as_str())),
                ("original", Value::from(v.original.as_str())),
            ],
            Self::Time(time) => vec![
                ("wall", Value::Uint64(u64::from(time.nanos()))),
                ("ext", Value::Int64(time.seconds() - Time::zero().seconds())),
                ("loc", Value::Uint64(0)),
            ],
            _ => Vec::new(),
        }
    }
}
