//! Errors with the place and the expression Go would name.

use super::{Exec, Stop};
use lockstep_golang::unicode::to_valid_utf8 as show;

use crate::ast::{CmdId, ExprId, ExprKind, PipeId, Span};
use crate::error::Error;
use crate::failure::Failure;
use crate::limits::Exceeded;

/// The node being evaluated.
#[derive(Debug, Clone, Copy)]
pub(super) enum At {
    Start,
    Pipe(PipeId),
    Cmd(CmdId),
    Expr(ExprId),
    Call(u32),
    /// `.name`, alone in its action.
    Field(Span),
}

impl Exec<'_> {
    pub(super) fn error(&self, message: String) -> Stop {
        let (place, context) = self.place();
        Error::execute(self.name, place, message).within(context)
    }

    pub(super) fn limit(&self, message: String) -> Stop {
        let (place, context) = self.place();
        Error::limit(self.name, place, message).within(context)
    }

    pub(super) fn exceeded(&self, exceeded: Exceeded) -> Stop {
        self.limit(exceeded.to_string())
    }

    /// The error of a call that failed; values are shown only if `constant`.
    pub(super) fn call_error(&mut self, at: At, name: &str, why: Failure, constant: bool) -> Stop {
        self.at = at;
        match why {
            Failure::Limit(exceeded) => self.exceeded(exceeded),
            Failure::Message(_) => {
                let sentence = why.sentence(constant);
                self.error(format!("error calling {name}: {sentence}"))
            }
        }
    }

    fn place(&self) -> ((u32, u32), String) {
        let ast = self.ast;
        let (pos, shown) = match self.at {
            At::Start => (0, String::new()),
            At::Pipe(id) => (ast.pipe(id).pos, ast.show_pipe(id)),
            At::Cmd(id) => (ast.cmd(id).pos, ast.show_cmd(id)),
            At::Expr(id) => (ast.expr(id).pos, ast.show_expr(id)),
            At::Call(at) => {
                let call = &ast.calls[at as usize];
                (call.pos, ast.show_call(call))
            }
            At::Field(field) => (field.start, show(ast.text(field))),
        };
        let unit = crate::strconv::quote(&ast.units[self.unit].name);
        (
            ast.line_column(pos as usize),
            format!("executing {unit} at <{shown}>"),
        )
    }

    /// Whether the operand is written out in the template, without any data in it.
    pub(super) fn is_constant(&self, expr: ExprId) -> bool {
        match &self.ast.expr(expr).kind {
            ExprKind::Bool(_)
            | ExprKind::Nil
            | ExprKind::Number(_)
            | ExprKind::String(..)
            | ExprKind::Function(_) => true,
            ExprKind::Dot | ExprKind::Field(_) | ExprKind::Variable(..) => false,
            ExprKind::Chain(node, _) => self.is_constant(*node),
            ExprKind::Pipe(pipe) => self.is_constant_pipe(*pipe),
        }
    }

    pub(super) fn is_constant_pipe(&self, pipe: PipeId) -> bool {
        let stages = self.ast.pipe(pipe).stages.range();
        self.ast.stages[stages]
            .iter()
            .all(|cmd| self.is_constant_cmd(*cmd))
    }

    pub(super) fn is_constant_cmd(&self, cmd: CmdId) -> bool {
        self.ast
            .args(self.ast.cmd(cmd))
            .iter()
            .all(|arg| self.is_constant(*arg))
    }
}
