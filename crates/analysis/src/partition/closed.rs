//! Functions whose result depends on their arguments alone.

use burnside_ir::visit::{Visitor, walk_call, walk_place, walk_stmt};
use burnside_ir::{Arg, Call, Expr, ExprKind, FunctionId, LocalMode, Model, Operand, Place, PlaceBase, Stmt, StmtKind};

/// Whether each function is closed: it takes scalars by value and returns one, looks at no global variable, changes
/// nothing, always ends, and leaves no trace (no output, cover point or assumption).
pub(super) fn closed_functions(model: &Model) -> Vec<bool> {
    let mut closed = vec![false; model.functions.len()];
    // Least fixpoint: a function that can reach itself never counts as closed.
    loop {
        let next = (0..closed.len()).find(|&at| !closed[at] && is_closed(model, FunctionId(at as u32), &closed));
        match next {
            Some(at) => closed[at] = true,
            None => return closed,
        }
    }
}

/// Something passed to a closed function.
pub(super) enum Passed<'m> {
    Value(&'m Expr),
    /// A place as it is, which may be undefined.
    Place(&'m Place),
}

/// The arguments of a call, unless one is passed by reference or is nothing at all.
pub(super) fn passed(call: &Call) -> Option<Vec<Passed<'_>>> {
    let args = call.args.iter().map(|arg| match arg {
        Arg::Value(Operand::Value(expr)) => Some(Passed::Value(expr)),
        Arg::Value(Operand::Copy(place)) => Some(Passed::Place(place)),
        Arg::Value(Operand::Undefined) | Arg::Reference(_) => None,
    });
    args.collect()
}

fn is_closed(model: &Model, id: FunctionId, closed: &[bool]) -> bool {
    let function = model.function(id);
    let is_scalar = |ty| model.types.shape(ty).scalar;
    let by_value = function.locals.iter().all(|local| local.mode == LocalMode::Owned && is_scalar(local.ty));
    let mut scan = Scan { closed, fine: by_value && function.result.is_some_and(is_scalar) };
    scan.block(&function.body);
    scan.fine
}

struct Scan<'a> {
    closed: &'a [bool],
    fine: bool,
}

impl Visitor for Scan<'_> {
    fn expr(&mut self, expr: &Expr) {
        self.fine &= !matches!(expr.kind, ExprKind::Count(..) | ExprKind::SlotNumber(_));
        burnside_ir::visit::walk_expr(self, expr);
    }

    fn place(&mut self, place: &Place) {
        self.fine &= !matches!(place.base, PlaceBase::Global(_));
        walk_place(self, place);
    }

    fn call(&mut self, call: &Call) {
        self.fine &= self.closed[call.function.index()] && passed(call).is_some();
        walk_call(self, call);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.fine &= matches!(
            stmt.kind,
            StmtKind::Assign { .. }
                | StmtKind::Clear(_)
                | StmtKind::If { .. }
                | StmtKind::For { .. }
                | StmtKind::Assert { .. }
                | StmtKind::Error(_)
                | StmtKind::Return(_)
        );
        walk_stmt(self, stmt);
    }
}
