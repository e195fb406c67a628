//! The canonical text of expressions, as Go shows them in error messages.
//!
//! Only for messages: spacing is normalised and what the source held beyond it is lost.

use super::{Ast, Call, Cmd, CmdId, Expr, ExprId, ExprKind, PipeId, Span};

impl Ast {
    pub(crate) fn show_pipe(&self, id: PipeId) -> String {
        let mut out = Vec::new();
        self.write_pipe(&mut out, id);
        text(&out)
    }

    pub(crate) fn show_cmd(&self, id: CmdId) -> String {
        let mut out = Vec::new();
        self.write_cmd(&mut out, self.cmd(id));
        text(&out)
    }

    pub(crate) fn show_expr(&self, id: ExprId) -> String {
        let mut out = Vec::new();
        self.write_expr(&mut out, self.expr(id));
        text(&out)
    }

    pub(crate) fn show_call(&self, call: &Call) -> String {
        let mut out = b"{{template ".to_vec();
        out.extend_from_slice(crate::strconv::quote(&call.name).as_bytes());
        if let Some(pipe) = call.pipe {
            out.push(b' ');
            self.write_pipe(&mut out, pipe);
        }
        out.extend_from_slice(b"}}");
        text(&out)
    }

    fn write_pipe(&self, out: &mut Vec<u8>, id: PipeId) {
        let pipe = self.pipe(id);
        let mut declares = false;
        for name in pipe.decl.names() {
            if declares {
                out.extend_from_slice(b", ");
            }
            out.extend_from_slice(self.name(name));
            declares = true;
        }
        if declares {
            out.extend_from_slice(if pipe.is_assign { b" = " } else { b" := " });
        }
        for (at, cmd) in self.stages[pipe.stages.range()].iter().enumerate() {
            if at > 0 {
                out.extend_from_slice(b" | ");
            }
            self.write_cmd(out, self.cmd(*cmd));
        }
    }

    fn write_cmd(&self, out: &mut Vec<u8>, cmd: &Cmd) {
        for (at, arg) in self.args(cmd).iter().enumerate() {
            if at > 0 {
                out.push(b' ');
            }
            self.write_grouped(out, *arg);
        }
    }

    /// A pipeline that is part of something else stands in parentheses.
    fn write_grouped(&self, out: &mut Vec<u8>, id: ExprId) {
        let expr = self.expr(id);
        if let ExprKind::Pipe(pipe) = expr.kind {
            out.push(b'(');
            self.write_pipe(out, pipe);
            out.push(b')');
        } else {
            self.write_expr(out, expr);
        }
    }

    fn write_expr(&self, out: &mut Vec<u8>, expr: &Expr) {
        match &expr.kind {
            ExprKind::Bool(true) => out.extend_from_slice(b"true"),
            ExprKind::Bool(false) => out.extend_from_slice(b"false"),
            ExprKind::Dot => out.push(b'.'),
            ExprKind::Nil => out.extend_from_slice(b"nil"),
            ExprKind::Number(at) => out.extend_from_slice(self.text(self.number(*at).text)),
            ExprKind::String(literal, _) => out.extend_from_slice(self.text(*literal)),
            ExprKind::Field(fields) => self.write_fields(out, *fields),
            ExprKind::Variable(name, fields) => {
                out.extend_from_slice(self.name(*name));
                self.write_fields(out, *fields);
            }
            ExprKind::Chain(node, fields) => {
                self.write_grouped(out, *node);
                self.write_fields(out, *fields);
            }
            ExprKind::Function(func) => out.extend_from_slice(func.name.as_bytes()),
            ExprKind::Pipe(pipe) => self.write_pipe(out, *pipe),
        }
    }

    fn write_fields(&self, out: &mut Vec<u8>, fields: Span) {
        for field in &self.fields[fields.range()] {
            out.push(b'.');
            out.extend_from_slice(self.text(*field));
        }
    }
}

fn text(bytes: &[u8]) -> String {
    lockstep_golang::unicode::to_valid_utf8(bytes)
}
