//! `range`: iterates over lists, maps in key order, and integers.

use super::{Exec, Run, Scope, Slot};
use crate::ast::{Decl, PipeId};
use crate::print::Cap;
use crate::value::{Elem, List, Object, Str, Value};

/// A running `range`.
pub(super) struct Loop {
    items: Items,
    next: usize,
    pipe: PipeId,
    body: usize,
    end: usize,
    /// Variables there are at the start of a round.
    vars: usize,
    /// The else part is running: nothing was iterated.
    is_else: bool,
}

enum Items {
    List(List),
    Entries(Vec<(Str, Slot)>),
    /// Counts up to the number, in its own type.
    Count(Value, u64),
}

impl Items {
    fn get(&self, at: usize) -> Option<(Slot, Slot)> {
        match self {
            Self::List(list) => {
                let value = list.get(at)?;
                let interface = list.elem() == Elem::Any;
                let index = i64::try_from(at).unwrap_or(i64::MAX);
                Some((Slot::concrete(Value::Int(index)), Slot { value, interface }))
            }
            Self::Entries(entries) => {
                let (key, slot) = entries.get(at)?;
                Some((Slot::concrete(Value::Str(key.clone())), slot.clone()))
            }
            Self::Count(model, count) => {
                let at = at as u64;
                (at < *count).then(|| (Slot::invalid(), Slot::concrete(counted(model, at))))
            }
        }
    }
}

/// The number `at` in the type of `model`.
fn counted(model: &Value, at: u64) -> Value {
    let signed = i64::try_from(at).unwrap_or(i64::MAX);
    let small = u8::try_from(at).unwrap_or(u8::MAX);
    match model {
        Value::Int64(_) => Value::Int64(signed),
        Value::Uint8(_) => Value::Uint8(small),
        Value::Uint32(_) => Value::Uint32(u32::try_from(at).unwrap_or(u32::MAX)),
        Value::Uint64(_) => Value::Uint64(at),
        _ => match model.as_object() {
            Some(Object::Duration(_)) => Value::object(Object::Duration(
                lockstep_golang::duration::Duration::from_nanos(signed),
            )),
            Some(Object::Month(_)) => Value::object(Object::Month(small)),
            Some(Object::Weekday(_)) => Value::object(Object::Weekday(small)),
            _ => Value::Int(signed),
        },
    }
}

impl Exec<'_> {
    pub(super) fn enter_range(&mut self, pipe: PipeId, otherwise: u32, end: u32) -> Run<()> {
        let body = self.pc;
        let vars = self.vars.len();
        let value = self.pipeline(pipe)?;
        let items = self.items(pipe, &value.value)?;
        let mut running = Loop {
            items,
            next: 0,
            pipe,
            body,
            end: end as usize,
            vars: self.vars.len(),
            is_else: false,
        };
        let dot = Some(self.dot.clone());
        let first = running.items.get(0);
        running.is_else = first.is_none();
        running.next = 1;
        self.scopes.push(Scope {
            vars,
            dot,
            range: Some(running),
        });
        let Some((index, elem)) = first else {
            self.pc = otherwise as usize;
            return Ok(());
        };
        self.begin_round(pipe, index, elem)
    }

    fn items(&self, pipe: PipeId, value: &Value) -> Run<Items> {
        let count = match value {
            Value::Nil => return Ok(Items::Entries(Vec::new())),
            Value::List(list) => return Ok(Items::List(list.clone())),
            Value::Map(map) => {
                let interface = map.kind() == crate::value::MapKind::Any;
                let entries = map.entries().into_iter();
                return Ok(Items::Entries(
                    entries
                        .map(|(key, value)| (key, Slot { value, interface }))
                        .collect(),
                ));
            }
            Value::StrMap(map) => {
                return Ok(Items::Entries(
                    map.iter()
                        .map(|(key, text)| (key.clone(), Slot::concrete(Value::Str(text.clone()))))
                        .collect(),
                ));
            }
            _ => match (value.as_signed(), value.as_unsigned()) {
                (Some(n), _) => u64::try_from(n).unwrap_or(0),
                (None, Some(n)) => n,
                (None, None) => {
                    let shown = self.show_value(pipe, value);
                    return Err(self.error(format!("range can't iterate over {shown}")));
                }
            },
        };
        if matches!(self.ast.pipe(pipe).decl, Decl::Two(..)) {
            let shown = self.show_value(pipe, value);
            return Err(self.error(format!(
                "can't use {shown} to iterate over more than one variable"
            )));
        }
        Ok(Items::Count(value.clone(), count))
    }

    /// The value for an error text: only if the template itself spells it out.
    fn show_value(&self, pipe: PipeId, value: &Value) -> String {
        if self.is_constant_pipe(pipe) {
            let (text, _) = crate::print::append(Vec::new(), value, Cap::output(64 << 10));
            return lockstep_golang::unicode::to_valid_utf8(&text);
        }
        crate::failure::WITHHELD.to_owned()
    }

    fn begin_round(&mut self, pipe: PipeId, index: Slot, elem: Slot) -> Run<()> {
        let pipe = self.ast.pipe(pipe);
        let top = self.vars.len();
        match pipe.decl {
            Decl::None => {}
            Decl::One(name) if pipe.is_assign => self.assign(name, elem.clone())?,
            Decl::Two(first, second) if pipe.is_assign => {
                self.assign(first, index)?;
                self.assign(second, elem.clone())?;
            }
            Decl::One(_) => self.set_var(top - 1, elem.clone()),
            Decl::Two(..) => {
                self.set_var(top - 1, elem.clone());
                self.set_var(top - 2, index);
            }
        }
        self.dot = elem;
        Ok(())
    }

    fn set_var(&mut self, at: usize, slot: Slot) {
        if let Some(var) = self.vars.get_mut(at) {
            var.1 = slot;
        }
    }

    /// The end of a round: the next one, or past the range.
    pub(super) fn next_round(&mut self) -> Run<()> {
        let Some(running) = self
            .scopes
            .last_mut()
            .and_then(|scope| scope.range.as_mut())
        else {
            return Ok(());
        };
        self.vars.truncate(running.vars);
        let Some((index, elem)) = running.items.get(running.next) else {
            self.pc = running.end;
            return Ok(());
        };
        running.next += 1;
        self.pc = running.body;
        let pipe = running.pipe;
        self.begin_round(pipe, index, elem)
    }

    /// Leaves the innermost range; as in Go that is one whose else part is running, too.
    pub(super) fn break_range(&mut self) {
        while let Some(scope) = self.scopes.last() {
            if let Some(running) = &scope.range {
                self.pc = running.end;
                return;
            }
            self.end_scope();
        }
    }

    /// Goes to the next round of the innermost range that is iterating.
    pub(super) fn continue_range(&mut self) -> Run<()> {
        while let Some(scope) = self.scopes.last() {
            if scope.range.as_ref().is_some_and(|running| !running.is_else) {
                return self.next_round();
            }
            self.end_scope();
        }
        Ok(())
    }
}
