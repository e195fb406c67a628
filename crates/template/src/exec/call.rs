//! Calls functions and methods: arity, argument types, and the call itself.

use super::pipeline::Operands;
use super::report::At;
use super::{Exec, Run, Slot};
use crate::ast::{ExprId, ExprKind};
use crate::failure::Failure;
use crate::funcs::{Args, Body, Func};
use crate::value::{Elem, List, Map, Ty, Value};

impl Exec<'_> {
    pub(super) fn call(
        &mut self,
        func: &'static Func,
        at: At,
        operands: Operands<'_>,
    ) -> Run<Slot> {
        self.check_arity(func, &operands)?;
        match func.body {
            Body::And => self.short_circuit(operands, false),
            Body::Or => self.short_circuit(operands, true),
            Body::Call => self.call_value(at, operands),
            Body::Plain(_) | Body::Method(_) => self.invoke(func, None, at, operands),
        }
    }

    /// Evaluates the arguments and runs the function, or the method of `receiver`.
    pub(super) fn invoke(
        &mut self,
        func: &'static Func,
        receiver: Option<&Value>,
        at: At,
        Operands { args, piped }: Operands<'_>,
    ) -> Run<Slot> {
        let mut values = Args::default();
        for (position, arg) in args.iter().enumerate() {
            let slot = self.argument(func.param(position), *arg)?;
            values.push(slot.value, slot.interface);
        }
        if let Some(first) = args.first()
            && matches!(self.ast.expr(*first).kind, ExprKind::String(..))
        {
            values.mark_literal();
        }
        let origin = piped.as_ref().map(|piped| (piped.pipe, piped.stages));
        if let Some(piped) = piped {
            let slot = self.validate(piped.slot, func.param(args.len()))?;
            values.push(slot.value, slot.interface);
        }
        self.step(values.work())?;
        let result = match (func.body, receiver) {
            (Body::Plain(body), _) => body(&mut self.cx, &mut values),
            (Body::Method(body), Some(receiver)) => body(&mut self.cx, receiver, &mut values),
            _ => Ok(Value::Nil),
        };
        match result {
            Ok(value) => {
                let interface = value.is_nil();
                Ok(Slot { value, interface })
            }
            Err(why) => {
                let constant = receiver.is_none()
                    && args.iter().all(|arg| self.is_constant(*arg))
                    && self.is_constant_origin(origin);
                Err(self.call_error(at, func.name, why, constant))
            }
        }
    }

    fn is_constant_origin(&self, origin: Option<(crate::ast::PipeId, usize)>) -> bool {
        origin.is_none_or(|(pipe, stages)| {
            let all = &self.ast.stages[self.ast.pipe(pipe).stages.range()];
            all.iter()
                .take(stages)
                .all(|cmd| self.is_constant_cmd(*cmd))
        })
    }

    pub(super) fn check_arity(&self, func: &Func, operands: &Operands<'_>) -> Run<()> {
        let args = operands.args.len();
        let given = args + usize::from(operands.piped.is_some());
        let wanted = func.params.len();
        let name = func.name;
        if func.variadic {
            let least = wanted - 1;
            if given < least {
                return Err(self.error(format!(
                    "wrong number of args for {name}: want at least {least} got {args}"
                )));
            }
        } else if given != wanted {
            return Err(self.error(format!(
                "wrong number of args for {name}: want {wanted} got {given}"
            )));
        }
        Ok(())
    }

    /// `and` and `or` stop at the argument that decides, and return it.
    fn short_circuit(&mut self, Operands { args, piped }: Operands<'_>, until: bool) -> Run<Slot> {
        let mut last = Slot::invalid();
        for arg in args {
            last = self.argument(Ty::Reflect, *arg)?;
            if last.value.is_true() == until {
                return Ok(last);
            }
        }
        match piped {
            Some(piped) => self.validate(piped.slot, Ty::Reflect),
            None => Ok(last),
        }
    }

    /// `call`: no template value is a function, so this explains what it got instead.
    fn call_value(&mut self, at: At, Operands { args, piped }: Operands<'_>) -> Run<Slot> {
        let mut callee = None;
        for arg in args {
            let slot = self.argument(Ty::Reflect, *arg)?;
            callee.get_or_insert(slot);
        }
        let shown = args.first().map(|arg| self.ast.show_expr(*arg));
        let callee = match (callee, piped) {
            (Some(callee), _) => callee,
            (None, Some(piped)) => piped.slot,
            (None, None) => Slot::invalid(),
        };
        let why = match (&callee.value, shown) {
            (Value::Nil, _) => Failure::new("call of nil"),
            (value, Some(shown)) => Failure::new(format!(
                "non-function {shown} of type {}",
                value.type_name()
            )),
            (Value::Str(text), None) => Failure::new("non-function ")
                .value(String::from_utf8_lossy(text))
                .text(" of type string"),
            (value, None) => {
                let ty = value.type_name();
                Failure::new(format!("non-function <{ty} Value> of type {ty}"))
            }
        };
        Err(self.call_error(at, "call", why, false))
    }

    /// Evaluates an operand for a parameter of type `ty`.
    fn argument(&mut self, ty: Ty, expr: ExprId) -> Run<Slot> {
        self.at = At::Expr(expr);
        let ast = self.ast;
        let slot = match &ast.expr(expr).kind {
            ExprKind::Dot => self.dot.clone(),
            ExprKind::Nil => {
                if ty.takes_nil() {
                    return Ok(nil_of(ty));
                }
                return Err(self.error(format!("cannot assign nil to {}", ty.name())));
            }
            ExprKind::Field(fields) => {
                if let Some(text) = self.text_field(*fields) {
                    text
                } else {
                    let dot = self.dot.clone();
                    self.fields(self.at, dot, *fields, Operands::default())?
                }
            }
            ExprKind::Variable(name, fields) => {
                let value = self.lookup(*name)?;
                if fields.range().is_empty() {
                    value
                } else {
                    self.fields(At::Expr(expr), value, *fields, Operands::default())?
                }
            }
            ExprKind::Pipe(pipe) => self.pipeline(*pipe)?,
            ExprKind::Function(func) => self.call(func, At::Expr(expr), Operands::default())?,
            ExprKind::Chain(node, fields) => {
                let receiver = self.chain_receiver(expr, *node)?;
                self.fields(At::Expr(expr), receiver, *fields, Operands::default())?
            }
            _ => return self.typed_constant(expr, ty).map(Slot::concrete),
        };
        self.validate(slot, ty)
    }

    /// Checks that a value may be given to a parameter of type `ty`.
    pub(super) fn validate(&self, slot: Slot, ty: Ty) -> Run<Slot> {
        if slot.is_invalid() {
            if ty.takes_nil() {
                return Ok(nil_of(ty));
            }
            return Err(self.error(format!("invalid value; expected {}", ty.name())));
        }
        if ty.accepts(&slot.value) {
            return Ok(slot);
        }
        let got = if slot.value.is_nil() {
            slot.type_name()
        } else {
            slot.value.type_name()
        };
        Err(self.error(format!(
            "wrong type for value; expected {}; got {got}",
            ty.name()
        )))
    }
}

/// The nil of a type that has one.
fn nil_of(ty: Ty) -> Slot {
    match ty {
        Ty::ListAny => Slot::concrete(Value::List(List::nil(Elem::Any))),
        Ty::MapAny => Slot::concrete(Value::Map(Map::nil())),
        _ => Slot::invalid(),
    }
}
