//! Whether a function can end without a result, which is a fault when it happens.

use burnside_diag::Diagnostic;
use burnside_ir::Types;

use super::Checker;
use crate::ast;
use crate::codes;
use crate::typed::{Stmt, StmtKind, Switch};

impl Checker<'_> {
    pub(super) fn check_return_paths(&mut self, function: &ast::Function, body: &[Stmt]) {
        if function.result.is_none() || !falls_through(body, self.types()) {
            return;
        }
        let message = format!("`{}` can end without returning a value", function.name.text);
        let finding = Diagnostic::warning(codes::MISSING_RETURN, message, function.end)
            .label("a fault if this is reached")
            .also(function.name.span, "declared here")
            .help("return a value on every path, or end the others with `error`");
        self.report(finding);
    }
}

/// Whether execution can reach the end of the statements.
fn falls_through(stmts: &[Stmt], types: &Types) -> bool {
    stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Error(_) => false,
        StmtKind::If(arms, otherwise) => {
            arms.iter().any(|(_, body)| falls_through(body, types)) || falls_through(otherwise, types)
        }
        StmtKind::Switch(switch) => {
            switch.cases.iter().any(|(_, body)| falls_through(body, types))
                || (!is_exhaustive(switch, types) && falls_through(&switch.otherwise, types))
        }
        StmtKind::Alias(_, body) => falls_through(body, types),
        StmtKind::While(condition, _) => condition.as_const() != Some(1),
        StmtKind::Assert(condition, _) => condition.as_const() != Some(0),
        _ => true,
    })
}

/// Whether the labels name every value of the subject's type.
fn is_exhaustive(switch: &Switch, types: &Types) -> bool {
    let mut values: Vec<i64> =
        switch.cases.iter().flat_map(|(labels, _)| labels).filter_map(|label| label.as_const()).collect();
    values.sort_unstable();
    values.dedup();
    let shape = types.shape(switch.subject.ty);
    values.iter().filter(|&&value| shape.admits(value)).count() as u64 == shape.cardinality()
}
