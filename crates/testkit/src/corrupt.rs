//! Models with a defect.

use burnside_ir::{
    Arg, Call, Expr, ExprKind, GlobalId, Model, Operand, Place, PlaceBase, Stmt, StmtKind, TypeId, UNDEFINED,
};

use crate::visit::{Visitor, walk_call, walk_expr, walk_model, walk_place, walk_stmt};

/// The model with one random change that makes it defective.
pub fn corrupt(model: &Model, seed: u64) -> Model {
    let mut rng = fastrand::Rng::with_seed(seed);
    loop {
        let mut corrupted = model.clone();
        let harm = HARMS[rng.usize(0..HARMS.len())];
        let mut count = Corruptor { harm, left: usize::MAX };
        walk_model(&mut count, &mut corrupted);
        let n_chances = usize::MAX - count.left;
        if harm == Harm::NoStart {
            corrupted.starts.clear();
            return corrupted;
        }
        if n_chances > 0 {
            walk_model(&mut Corruptor { harm, left: rng.usize(0..n_chances) }, &mut corrupted);
            return corrupted;
        }
    }
}

/// Changes that leave no model as good as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Harm {
    NoStart,
    TypeOfExpr,
    TypeOfPlace,
    UnknownGlobal,
    UndefinedConstant,
    ExtraArgument,
    IntegerCondition,
    UnknownCoverPoint,
}

const HARMS: [Harm; 8] = [
    Harm::NoStart,
    Harm::TypeOfExpr,
    Harm::TypeOfPlace,
    Harm::UnknownGlobal,
    Harm::UndefinedConstant,
    Harm::ExtraArgument,
    Harm::IntegerCondition,
    Harm::UnknownCoverPoint,
];

/// Does its harm at the first node that admits it after `left` others.
struct Corruptor {
    harm: Harm,
    left: usize,
}

impl Corruptor {
    /// Whether this is the node, given that it admits the harm.
    fn strikes(&mut self, harm: Harm) -> bool {
        if self.harm != harm {
            return false;
        }
        let strikes = self.left == 0;
        self.left = self.left.wrapping_sub(1);
        strikes
    }
}

impl Visitor for Corruptor {
    fn expr(&mut self, expr: &mut Expr) {
        if self.strikes(Harm::TypeOfExpr) {
            expr.ty = TypeId(u32::MAX);
        }
        if let ExprKind::Const(value) = &mut expr.kind
            && self.strikes(Harm::UndefinedConstant)
        {
            *value = UNDEFINED;
        }
        walk_expr(self, expr);
    }

    fn place(&mut self, place: &mut Place) {
        if self.strikes(Harm::TypeOfPlace) {
            place.ty = TypeId(u32::MAX);
        }
        if let PlaceBase::Global(global) = &mut place.base
            && self.strikes(Harm::UnknownGlobal)
        {
            *global = GlobalId(u32::MAX);
        }
        walk_place(self, place);
    }

    fn call(&mut self, call: &mut Call) {
        if self.strikes(Harm::ExtraArgument) {
            call.args.push(Arg::Value(Operand::Undefined));
        }
        walk_call(self, call);
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Assert { condition, .. }
            | StmtKind::Assume(condition)
            | StmtKind::While { condition, .. }
            | StmtKind::RemoveWhere { condition, .. }
                if self.strikes(Harm::IntegerCondition) =>
            {
                *condition = Expr::constant(TypeId::INT, 1, condition.span);
            }
            StmtKind::Cover { property, .. } if self.strikes(Harm::UnknownCoverPoint) => property.0 = u32::MAX,
            _ => {}
        }
        walk_stmt(self, stmt);
    }
}
