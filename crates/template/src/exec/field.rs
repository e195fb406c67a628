//! Field access: entries of maps, fields of structs, methods of named types.

use super::pipeline::Operands;
use super::report::At;
use super::{Exec, Run, Slot};
use crate::ast::Span;
use crate::methods;
use crate::template::MissingKey;
use crate::value::{MapKind, Object, StrMap, Value};

impl Exec<'_> {
    /// Walks `.a.b.c` from `receiver`; arguments go to the last name, which must be a method then.
    pub(super) fn fields(
        &mut self,
        at: At,
        mut receiver: Slot,
        fields: Span,
        operands: Operands<'_>,
    ) -> Run<Slot> {
        let ast = self.ast;
        let Some((last, before)) = ast.fields[fields.range()].split_last() else {
            return Ok(receiver);
        };
        for field in before {
            receiver = self.field(at, receiver, ast.text(*field), Operands::default())?;
        }
        self.field(at, receiver, ast.text(*last), operands)
    }

    /// `.name` of data that has it: what most operands are.
    pub(super) fn text_field(&self, fields: Span) -> Option<Slot> {
        let (Value::StrMap(map), [name]) = (&self.dot.value, &self.ast.fields[fields.range()])
        else {
            return None;
        };
        let text = map.get(self.ast.text(*name))?;
        Some(Slot::concrete(Value::Str(text.clone())))
    }

    pub(super) fn field(
        &mut self,
        at: At,
        receiver: Slot,
        name: &[u8],
        operands: Operands<'_>,
    ) -> Run<Slot> {
        let has_args = !operands.is_empty();
        match &receiver.value {
            Value::StrMap(map) => {
                self.refuse_args(name, has_args, "is not a method but has arguments")?;
                match map.get(name) {
                    Some(text) => Ok(Slot::concrete(Value::Str(text.clone()))),
                    None => self.missing(name, Slot::concrete(Value::from(""))),
                }
            }
            Value::Map(map) => {
                self.refuse_args(name, has_args, "is not a method but has arguments")?;
                let any = map.kind() == MapKind::Any;
                match map.get(name) {
                    Some(value) => Ok(Slot {
                        value,
                        interface: any,
                    }),
                    None if any => self.missing(name, Slot::interface(Value::Nil)),
                    None => self.missing(name, Slot::concrete(Value::StrMap(StrMap::default()))),
                }
            }
            Value::Nil if receiver.interface => {
                let name = String::from_utf8_lossy(name);
                Err(self.error(format!("nil pointer evaluating interface {{}}.{name}")))
            }
            Value::Nil if self.missing_key == MissingKey::Error => {
                let name = crate::strconv::quote(name);
                Err(self.error(format!("nil data; no entry for key {name}")))
            }
            Value::Nil => Ok(Slot::invalid()),
            value => {
                if let Some(func) = methods::lookup(value, name) {
                    self.check_arity(func, &operands)?;
                    return self.invoke(func, Some(value), at, operands);
                }
                if let Some(why) = methods::refusal(value, name) {
                    return Err(self.error(why.to_owned()));
                }
                self.struct_field(&receiver, name, has_args)
            }
        }
    }

    fn struct_field(&self, receiver: &Slot, name: &[u8], has_args: bool) -> Run<Slot> {
        let shown = String::from_utf8_lossy(name);
        let ty = receiver.type_name();
        if let Some(Object::Certificate(certificate)) = receiver.value.as_object()
            && let Some(text) = match name {
                b"Cert" => Some(&certificate.cert),
                b"Key" => Some(&certificate.key),
                _ => None,
            }
        {
            self.refuse_args(
                name,
                has_args,
                "has arguments but cannot be invoked as function",
            )?;
            return Ok(Slot::concrete(Value::Str(text.clone())));
        }
        let hidden: &[&[u8]] = match receiver.value.as_object() {
            Some(Object::Time(_)) => &[b"wall", b"ext", b"loc"],
            Some(Object::Version(_) | Object::VersionPtr(_)) => &[
                b"major",
                b"minor",
                b"patch",
                b"pre",
                b"metadata",
                b"original",
            ],
            _ => &[],
        };
        if hidden.contains(&name) {
            return Err(self.error(format!(
                "{shown} is an unexported field of struct type {ty}"
            )));
        }
        Err(self.error(format!("can't evaluate field {shown} in type {ty}")))
    }

    fn refuse_args(&self, name: &[u8], has_args: bool, complaint: &str) -> Run<()> {
        if !has_args {
            return Ok(());
        }
        let name = String::from_utf8_lossy(name);
        Err(self.error(format!("{name} {complaint}")))
    }

    /// What a key that is not there stands for.
    fn missing(&self, name: &[u8], zero: Slot) -> Run<Slot> {
        match self.missing_key {
            MissingKey::Default => Ok(Slot::invalid()),
            MissingKey::Zero => Ok(zero),
            MissingKey::Error => {
                let name = crate::strconv::quote(name);
                Err(self.error(format!("map has no entry for key {name}")))
            }
        }
    }
}
