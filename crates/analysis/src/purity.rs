//! Which functions write outside their own variables, and which are recursive.

use burnside_ir::visit::{Visitor, walk_call, walk_stmt};
use burnside_ir::{Call, Expr, FunctionId, Local, LocalMode, Model, Place, PlaceBase, Stmt, StmtKind};

/// Facts about the call graph.
#[derive(Debug, Clone)]
pub struct Purity {
    writes: Vec<bool>,
    recursive: bool,
}

impl Purity {
    /// Examines every function.
    pub fn new(model: &Model) -> Self {
        let scans: Vec<Scan<'_>> =
            model.functions.iter().map(|function| Scan::of(&function.locals, &function.body)).collect();
        let mut writes: Vec<bool> = scans.iter().map(|scan| scan.writes).collect();
        while let Some(next) =
            (0..scans.len()).find(|&at| !writes[at] && scans[at].calls.iter().any(|f| writes[f.index()]))
        {
            writes[next] = true;
        }
        let recursive = (0..scans.len()).any(|from| reaches_itself(&scans, from));
        Self { writes, recursive }
    }

    /// Whether evaluating the expression may change a global variable or something passed by reference.
    pub fn may_write(&self, expr: &Expr) -> bool {
        let mut scan = Scan { locals: &[], writes: false, calls: Vec::new() };
        scan.expr(expr);
        scan.calls.iter().any(|function| self.writes[function.index()])
    }

    /// Whether some function can reach itself.
    pub fn has_recursion(&self) -> bool {
        self.recursive
    }
}

fn reaches_itself(scans: &[Scan<'_>], from: usize) -> bool {
    let mut reached = vec![false; scans.len()];
    let mut pending = vec![from];
    while let Some(at) = pending.pop() {
        for callee in &scans[at].calls {
            if !std::mem::replace(&mut reached[callee.index()], true) {
                pending.push(callee.index());
            }
        }
    }
    reached[from]
}

struct Scan<'a> {
    locals: &'a [Local],
    writes: bool,
    calls: Vec<FunctionId>,
}

impl<'a> Scan<'a> {
    fn of(locals: &'a [Local], body: &[Stmt]) -> Self {
        let mut scan = Self { locals, writes: false, calls: Vec::new() };
        for stmt in body {
            scan.stmt(stmt);
        }
        scan
    }

    fn written(&mut self, place: &Place) {
        self.writes |= match place.base {
            PlaceBase::Global(_) => true,
            PlaceBase::Local(local) => self.locals[local.index()].mode == LocalMode::Reference,
            PlaceBase::Call(_) => false,
        };
    }
}

impl Visitor for Scan<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target: place, .. }
            | StmtKind::Clear(place)
            | StmtKind::Insert { multiset: place, .. }
            | StmtKind::Remove { multiset: place, .. }
            | StmtKind::RemoveWhere { multiset: place, .. } => self.written(place),
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn call(&mut self, call: &Call) {
        self.calls.push(call.function);
        walk_call(self, call);
    }
}
