//! Nodes with fresh spans.

use burnside_ir::{
    BinaryOp, Block, Expr, ExprKind, LocalId, LocalMode, Operand, Place, PlaceBase, Projection, Stmt, StmtKind, TypeId,
    UnaryOp,
};

use super::Generator;

impl Generator {
    pub(super) fn expr(&mut self, kind: ExprKind, ty: TypeId) -> Expr {
        Expr { kind, ty, span: self.span() }
    }

    pub(super) fn truth(&mut self, kind: ExprKind) -> Expr {
        self.expr(kind, TypeId::BOOL)
    }

    pub(super) fn constant(&mut self, ty: TypeId, value: i64) -> Expr {
        self.expr(ExprKind::Const(value), ty)
    }

    pub(super) fn int(&mut self, value: i64) -> Expr {
        self.constant(TypeId::INT, value)
    }

    pub(super) fn not(&mut self, operand: Expr) -> Expr {
        self.truth(ExprKind::Unary(UnaryOp::Not, Box::new(operand)))
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let ty = if op.is_predicate() { TypeId::BOOL } else { TypeId::INT };
        self.expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty)
    }

    /// `then` if `condition` holds, else `other`, which has the same type.
    pub(super) fn select(&mut self, condition: Expr, then: Expr, other: Expr) -> Expr {
        let ty = then.ty;
        self.expr(ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(other)), ty)
    }

    pub(super) fn convert(&mut self, operand: Expr, ty: TypeId) -> Expr {
        self.expr(ExprKind::Convert(Box::new(operand)), ty)
    }

    /// A read without any test; sometimes it stands elsewhere than its place.
    pub(super) fn read(&mut self, place: Place) -> Expr {
        let read = Expr::read(place);
        if self.chance(90) { read } else { Expr { span: self.span(), ..read } }
    }

    pub(super) fn is_undefined(&mut self, place: Place) -> Expr {
        self.truth(ExprKind::IsUndefined(Box::new(place)))
    }

    pub(super) fn local_place(&mut self, local: LocalId) -> Place {
        let ty = self.scope.locals[local.index()].ty;
        Place::local(local, ty, self.span())
    }

    pub(super) fn read_local(&mut self, local: LocalId) -> Expr {
        let place = self.local_place(local);
        self.read(place)
    }

    /// The place one step further.
    pub(super) fn part(&mut self, whole: Place, step: Projection) -> Place {
        let ty = step.part_type(&self.model.types, whole.ty).expect("the step fits the place");
        let mut path = whole.path;
        path.push(step);
        Place { base: whole.base, path, ty, span: self.span() }
    }

    /// The same place under a span of its own, for a second use.
    pub(super) fn again(&mut self, place: &Place) -> Place {
        Place { span: self.span(), ..place.clone() }
    }

    pub(super) fn stmt(&mut self, kind: StmtKind) -> Stmt {
        Stmt { kind, span: self.span() }
    }

    pub(super) fn assign(&mut self, target: Place, source: Operand) -> Stmt {
        self.stmt(StmtKind::Assign { target, source })
    }

    /// A statement that is executed only if a condition holds.
    pub(super) fn when(&mut self, condition: Expr, block: Block) -> Stmt {
        self.stmt(StmtKind::If { arms: vec![(condition, block)], otherwise: Vec::new() })
    }

    /// Whether a place starts at a local that is not a reference, so that only the declaration itself can see it.
    pub(super) fn is_own(&self, place: &Place) -> bool {
        match place.base {
            PlaceBase::Local(local) => self.scope.locals[local.index()].mode == LocalMode::Owned,
            _ => false,
        }
    }
}
