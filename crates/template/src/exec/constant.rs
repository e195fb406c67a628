//! Literal constants, which take the type of the parameter they are given to.

use super::report::At;
use super::{Exec, Run};
use crate::ast::{ExprId, ExprKind, Number};
use crate::value::{Object, Ty, Value};

impl Exec<'_> {
    /// The value of a number where no type is asked for: its notation decides.
    pub(super) fn ideal_constant(&mut self, expr: ExprId, number: &Number) -> Run<Value> {
        self.at = At::Expr(expr);
        let text = self.ast.text(number.text);
        if let Some((re, im)) = number.complex {
            return Ok(Value::object(Object::Complex { re, im }));
        }
        if let Some(float) = number.float
            && !is_hex_int(text)
            && text.first() != Some(&b'\'')
            && text
                .iter()
                .any(|b| matches!(b, b'.' | b'e' | b'E' | b'p' | b'P'))
        {
            return Ok(Value::Float(float));
        }
        if let Some(int) = number.int {
            return Ok(Value::Int(int));
        }
        let shown = String::from_utf8_lossy(text);
        Err(self.error(format!("{shown} overflows int")))
    }

    /// A literal given to a parameter of type `ty`.
    pub(super) fn typed_constant(&mut self, expr: ExprId, ty: Ty) -> Run<Value> {
        let ast = self.ast;
        let kind = &ast.expr(expr).kind;
        let (value, wanted) = match ty {
            Ty::Any | Ty::Reflect => return self.untyped_constant(expr),
            Ty::Bool => (as_bool(kind), "bool"),
            Ty::Float64 => (
                self.as_number(kind).and_then(|n| n.float).map(Value::Float),
                "float",
            ),
            Ty::Int | Ty::Duration => (
                self.as_number(kind)
                    .and_then(|n| n.int)
                    .map(|n| signed(ty, n)),
                "integer",
            ),
            Ty::Uint32 => (
                self.as_number(kind).and_then(|n| n.uint).map(uint32),
                "unsigned integer",
            ),
            Ty::Str | Ty::HashAlgorithm => (as_string(kind), "string"),
            _ => {
                let (shown, ty) = (ast.show_expr(expr), ty.name());
                return Err(self.error(format!("can't handle {shown} for arg of type {ty}")));
            }
        };
        value.ok_or_else(|| self.error(format!("expected {wanted}; found {}", ast.show_expr(expr))))
    }

    fn as_number(&self, kind: &ExprKind) -> Option<&Number> {
        match kind {
            ExprKind::Number(at) => Some(self.ast.number(*at)),
            _ => None,
        }
    }

    fn untyped_constant(&mut self, expr: ExprId) -> Run<Value> {
        match &self.ast.expr(expr).kind {
            ExprKind::Bool(b) => Ok(Value::Bool(*b)),
            ExprKind::Number(at) => self.ideal_constant(expr, self.ast.number(*at)),
            ExprKind::String(_, text) => Ok(Value::Str(text.clone())),
            _ => Ok(Value::Nil),
        }
    }
}

fn as_bool(kind: &ExprKind) -> Option<Value> {
    match kind {
        ExprKind::Bool(b) => Some(Value::Bool(*b)),
        _ => None,
    }
}

fn as_string(kind: &ExprKind) -> Option<Value> {
    match kind {
        ExprKind::String(_, text) => Some(Value::Str(text.clone())),
        _ => None,
    }
}

fn signed(ty: Ty, n: i64) -> Value {
    match ty {
        Ty::Duration => Value::object(Object::Duration(
            lockstep_golang::duration::Duration::from_nanos(n),
        )),
        _ => Value::Int(n),
    }
}

/// Go cuts a constant that is too large for the parameter.
#[expect(
    clippy::cast_possible_truncation,
    reason = "reflect.Value.SetUint truncates"
)]
fn uint32(n: u64) -> Value {
    Value::Uint32(n as u32)
}

fn is_hex_int(text: &[u8]) -> bool {
    matches!(text, [b'0', b'x' | b'X', _, ..]) && !text.iter().any(|b| matches!(b, b'p' | b'P'))
}
