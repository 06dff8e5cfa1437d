//! Taking out statements and putting simpler expressions in place of others.

use burnside_ir::{Block, Expr, ExprKind, Model, Stmt, StmtKind, TypeId, Types};

use super::Shrinker;
use crate::visit::{Visitor, walk_expr, walk_model, walk_stmt};

impl<F: FnMut(&Model) -> bool> Shrinker<F> {
    /// Takes out statements, or puts in their place what they contain.
    pub(super) fn simplify_statements(&mut self) {
        self.edit_nodes(|model, at, variant| {
            let mut edit = StmtEdit { left: at, variant, outcome: Outcome::NoNode };
            walk_model(&mut edit, model);
            edit.outcome
        });
    }

    /// Puts constants and parts of expressions in place of the whole; a conjunction becomes one of its conjuncts.
    pub(super) fn simplify_exprs(&mut self) {
        self.edit_nodes(|model, at, variant| {
            let types = model.types.clone();
            let mut edit = ExprEdit { types, left: at, variant, outcome: Outcome::NoNode };
            walk_model(&mut edit, model);
            edit.outcome
        });
    }

    /// Tries every variant of an edit at every node. A node that was edited is looked at again.
    fn edit_nodes(&mut self, edit: impl Fn(&mut Model, usize, usize) -> Outcome) {
        let (mut at, mut variant) = (0, 0);
        loop {
            let mut candidate = self.best.clone();
            match edit(&mut candidate, at, variant) {
                Outcome::Edited => variant = if self.attempt(candidate) { 0 } else { variant + 1 },
                Outcome::NoVariant => (at, variant) = (at + 1, 0),
                Outcome::NoNode => return,
            }
        }
    }
}

/// What became of an edit.
enum Outcome {
    Edited,
    /// The node has no such variant.
    NoVariant,
    /// There are fewer nodes.
    NoNode,
}

/// Edits one statement: variant 0 takes it out, the others leave one of its blocks.
struct StmtEdit {
    /// How many statements come before the one to edit.
    left: usize,
    variant: usize,
    outcome: Outcome,
}

impl Visitor for StmtEdit {
    fn block(&mut self, block: &mut Block) {
        for at in 0..block.len() {
            if !matches!(self.outcome, Outcome::NoNode) {
                return;
            }
            if self.left > 0 {
                self.left -= 1;
                walk_stmt(self, &mut block[at]);
                continue;
            }
            self.outcome = match replacement(&block[at], self.variant) {
                Some(stmts) => {
                    block.splice(at..=at, stmts);
                    Outcome::Edited
                }
                None => Outcome::NoVariant,
            };
        }
    }

    /// Expressions hold no statements.
    fn expr(&mut self, _expr: &mut Expr) {}
}

fn replacement(stmt: &Stmt, variant: usize) -> Option<Block> {
    if variant == 0 {
        return Some(Block::new());
    }
    let blocks: Vec<&Block> = match &stmt.kind {
        StmtKind::If { arms, otherwise } => arms.iter().map(|(_, block)| block).chain([otherwise]).collect(),
        StmtKind::While { body, .. } | StmtKind::For { body, .. } => vec![body],
        _ => Vec::new(),
    };
    blocks.get(variant - 1).map(|&block| block.clone())
}

/// Edits one expression.
struct ExprEdit {
    types: Types,
    /// How many expressions come before the one to edit.
    left: usize,
    variant: usize,
    outcome: Outcome,
}

impl Visitor for ExprEdit {
    fn expr(&mut self, expr: &mut Expr) {
        if !matches!(self.outcome, Outcome::NoNode) {
            return;
        }
        if self.left > 0 {
            self.left -= 1;
            return walk_expr(self, expr);
        }
        self.outcome = match self.simpler(expr).into_iter().nth(self.variant) {
            Some(simpler) => {
                *expr = simpler;
                Outcome::Edited
            }
            None => Outcome::NoVariant,
        };
    }
}

impl ExprEdit {
    /// Expressions with fewer nodes, the simplest first.
    fn simpler(&self, expr: &Expr) -> Vec<Expr> {
        let parts: Vec<&Expr> = match &expr.kind {
            ExprKind::Const(_) | ExprKind::SlotNumber(_) => return Vec::new(),
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => vec![operand],
            ExprKind::Binary(_, left, right) => vec![left, right],
            ExprKind::Conditional(condition, then, other) => vec![then, other, condition],
            ExprKind::Quantified(_, _, _, body) | ExprKind::Count(_, _, body) => vec![body],
            ExprKind::Read(_)
            | ExprKind::IsUndefined(_)
            | ExprKind::SameAggregate(..)
            | ExprKind::IsMember(..)
            | ExprKind::Call(_) => Vec::new(),
        };
        let constants = self.constants(expr.ty).into_iter().map(|value| Expr::constant(expr.ty, value, expr.span));
        constants.chain(parts.into_iter().cloned()).collect()
    }

    /// The values that are most likely to do.
    fn constants(&self, ty: TypeId) -> Vec<i64> {
        match ty {
            TypeId::BOOL => vec![1, 0],
            TypeId::INT => vec![0, 1],
            _ if ty.index() < self.types.iter().len() => vec![self.types.shape(ty).lo],
            _ => Vec::new(),
        }
    }
}
