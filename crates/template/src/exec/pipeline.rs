//! Evaluates pipelines and commands.

use super::report::At;
use super::{Exec, Run, Slot};
use crate::ast::{CmdId, ExprId, ExprKind, PipeId};
use crate::value::Value;

/// What the stages before the current one amount to.
pub(super) struct Piped {
    pub(super) slot: Slot,
    /// Whether it was written out in the template, without any data in it.
    pub(super) pipe: PipeId,
    pub(super) stages: usize,
}

/// What a function or method is given: operands, and perhaps a value from the stage before.
#[derive(Default)]
pub(super) struct Operands<'e> {
    pub(super) args: &'e [ExprId],
    pub(super) piped: Option<Piped>,
}

impl Operands<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.args.is_empty() && self.piped.is_none()
    }
}

impl Exec<'_> {
    /// The value of a pipeline; declares or assigns its variables.
    pub(super) fn pipeline(&mut self, id: PipeId) -> Run<Slot> {
        self.at = At::Pipe(id);
        let ast = self.ast;
        let pipe = ast.pipe(id);
        let mut piped: Option<Piped> = None;
        for (at, cmd) in ast.stages[pipe.stages.range()].iter().enumerate() {
            let mut slot = self.command(*cmd, piped.take())?;
            slot.interface = false;
            piped = Some(Piped {
                slot,
                pipe: id,
                stages: at + 1,
            });
        }
        let value = piped.map_or_else(Slot::invalid, |piped| piped.slot);
        for name in pipe.decl.names() {
            if pipe.is_assign {
                self.assign(name, value.clone())?;
            } else {
                self.vars.push((name, value.clone()));
            }
        }
        Ok(value)
    }

    fn command(&mut self, cmd: CmdId, piped: Option<Piped>) -> Run<Slot> {
        self.step(1)?;
        let ast = self.ast;
        let args = ast.args(ast.cmd(cmd));
        let Some((&first, rest)) = args.split_first() else {
            return Ok(Slot::invalid());
        };
        let operands = Operands { args: rest, piped };
        match &ast.expr(first).kind {
            ExprKind::Field(fields) => {
                self.at = At::Expr(first);
                if operands.is_empty()
                    && let Some(text) = self.text_field(*fields)
                {
                    return Ok(text);
                }
                let dot = self.dot.clone();
                self.fields(self.at, dot, *fields, operands)
            }
            ExprKind::Chain(node, fields) => {
                let receiver = self.chain_receiver(first, *node)?;
                self.fields(At::Expr(first), receiver, *fields, operands)
            }
            ExprKind::Function(func) => {
                self.at = At::Expr(first);
                self.call(func, At::Cmd(cmd), operands)
            }
            ExprKind::Pipe(pipe) => {
                self.not_a_function(first, &operands)?;
                self.pipeline(*pipe)
            }
            ExprKind::Variable(name, fields) => {
                self.at = At::Expr(first);
                let value = self.lookup(*name)?;
                if fields.range().is_empty() {
                    self.not_a_function(first, &operands)?;
                    return Ok(value);
                }
                self.fields(At::Expr(first), value, *fields, operands)
            }
            kind => {
                self.at = At::Expr(first);
                self.not_a_function(first, &operands)?;
                match kind {
                    ExprKind::Bool(b) => Ok(Slot::concrete(Value::Bool(*b))),
                    ExprKind::Dot => Ok(self.dot.clone()),
                    ExprKind::Number(at) => self
                        .ideal_constant(first, ast.number(*at))
                        .map(Slot::concrete),
                    ExprKind::String(_, text) => Ok(Slot::concrete(Value::Str(text.clone()))),
                    _ => Err(self.error("nil is not a command".to_owned())),
                }
            }
        }
    }

    /// The value that `(pipe).a.b` or `function.a.b` takes its fields from.
    pub(super) fn chain_receiver(&mut self, chain: ExprId, node: ExprId) -> Run<Slot> {
        self.at = At::Expr(chain);
        self.at = At::Expr(node);
        match self.ast.expr(node).kind {
            ExprKind::Pipe(pipe) => self.pipeline(pipe),
            ExprKind::Function(func) => self.call(func, At::Expr(node), Operands::default()),
            // The parser makes chains of nothing else.
            _ => Ok(Slot::invalid()),
        }
    }

    fn not_a_function(&self, first: ExprId, operands: &Operands<'_>) -> Run<()> {
        if operands.is_empty() {
            return Ok(());
        }
        let shown = self.ast.show_expr(first);
        Err(self.error(format!("can't give argument to non-function {shown}")))
    }
}
