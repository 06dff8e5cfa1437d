//! Unary and binary operators, `?:` and equality.

use burnside_diag::{Diagnostic, Span};
use burnside_ir::{BinaryOp as Op, Type, TypeId, UnaryOp as Unary};

use super::Checker;
use super::numbers::number_of;
use crate::ast::{self, BinaryOp, UnaryOp};
use crate::codes;
use crate::typed::{Expr, ExprKind};

impl Checker<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, operand: &ast::Expr, span: Span) -> Option<Expr> {
        let mut operand = self.expr(operand)?;
        if op != UnaryOp::Not && self.is_identity(operand.ty) {
            operand = self.number(operand);
        }
        let (typed_op, ty, fits) = match op {
            UnaryOp::Not => (Unary::Not, TypeId::BOOL, operand.ty == TypeId::BOOL),
            UnaryOp::Negate => (Unary::Neg, TypeId::INT, self.is_integer(operand.ty)),
            UnaryOp::Complement => (Unary::BitNot, TypeId::INT, self.is_integer(operand.ty)),
        };
        if !fits {
            let needed = if op == UnaryOp::Not { "a truth value" } else { "an integer" };
            self.report_operand(op.symbol(), needed, &operand);
            return None;
        }
        match operand.as_const() {
            Some(value) => self.fold_unary(typed_op, value, ty, span),
            None => Some(Expr { kind: ExprKind::Unary(typed_op, Box::new(operand)), ty, span }),
        }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: &ast::Expr, b: &ast::Expr, span: Span) -> Option<Expr> {
        let left = self.expr(a);
        let right = self.expr(b);
        let (left, right) = (left?, right?);
        match op {
            BinaryOp::Equal => self.equality(left, right, Op::Eq, span),
            BinaryOp::NotEqual => self.equality(left, right, Op::Ne, span),
            BinaryOp::Implies => self.logical(op, Op::Implies, left, right, span),
            BinaryOp::LogicalAnd => self.logical(op, Op::And, left, right, span),
            BinaryOp::LogicalOr => self.logical(op, Op::Or, left, right, span),
            // `&` and `|` are Rumur's bitwise operators when both sides are integers.
            BinaryOp::And | BinaryOp::Or if self.is_number(left.ty) && self.is_number(right.ty) => {
                let bitwise = if op == BinaryOp::And { Op::BitAnd } else { Op::BitOr };
                self.arithmetic(op, bitwise, left, right, span)
            }
            BinaryOp::And => self.logical(op, Op::And, left, right, span),
            BinaryOp::Or => self.logical(op, Op::Or, left, right, span),
            BinaryOp::Xor => self.arithmetic(op, Op::BitXor, left, right, span),
            BinaryOp::Less => self.arithmetic(op, Op::Lt, left, right, span),
            BinaryOp::LessEqual => self.arithmetic(op, Op::Le, left, right, span),
            BinaryOp::Greater => self.arithmetic(op, Op::Gt, left, right, span),
            BinaryOp::GreaterEqual => self.arithmetic(op, Op::Ge, left, right, span),
            BinaryOp::ShiftLeft => self.arithmetic(op, Op::Shl, left, right, span),
            BinaryOp::ShiftRight => self.arithmetic(op, Op::Shr, left, right, span),
            BinaryOp::Add => self.arithmetic(op, Op::Add, left, right, span),
            BinaryOp::Subtract => self.arithmetic(op, Op::Sub, left, right, span),
            BinaryOp::Multiply => self.arithmetic(op, Op::Mul, left, right, span),
            BinaryOp::Divide => self.arithmetic(op, Op::Div, left, right, span),
            BinaryOp::Remainder => self.arithmetic(op, Op::Rem, left, right, span),
        }
    }

    fn logical(&mut self, symbol: BinaryOp, op: Op, left: Expr, right: Expr, span: Span) -> Option<Expr> {
        let wrong = [&left, &right].into_iter().find(|operand| operand.ty != TypeId::BOOL);
        if let Some(operand) = wrong {
            self.report_operand(symbol.symbol(), "a truth value", &operand.clone());
            return None;
        }
        self.combine(op, left, right, span)
    }

    /// Members of scalarsets count as their numbers here, which tells them apart.
    fn arithmetic(&mut self, symbol: BinaryOp, op: Op, left: Expr, right: Expr, span: Span) -> Option<Expr> {
        let [left, right] = [left, right].map(|operand| match self.is_identity(operand.ty) {
            true => self.number(operand),
            false => operand,
        });
        let wrong = [&left, &right].into_iter().find(|operand| !self.is_integer(operand.ty));
        if let Some(operand) = wrong {
            self.report_operand(symbol.symbol(), "an integer", &operand.clone());
            return None;
        }
        self.combine(op, left, right, span)
    }

    /// The operator applied, at once if both sides are constants or the first one decides.
    fn combine(&mut self, op: Op, left: Expr, right: Expr, span: Span) -> Option<Expr> {
        let ty = if op.is_predicate() { TypeId::BOOL } else { TypeId::INT };
        match (left.as_const(), right.as_const()) {
            (Some(a), Some(b)) => self.fold_binary(op, (a, b), ty, span),
            (Some(a), None) if decides(op, a).is_some() => Some(Expr::constant(ty, decides(op, a)?, span)),
            _ => Some(Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }),
        }
    }

    fn equality(&mut self, left: Expr, right: Expr, op: Op, span: Span) -> Option<Expr> {
        if let Some((left, right)) = self.foreign_identities(&left, &right, span) {
            return self.combine(op, left, right, span);
        }
        let (left, right) = match (self.is_identity(left.ty), self.is_identity(right.ty)) {
            (true, false) if self.is_integer(right.ty) => (self.number(left), right),
            (false, true) if self.is_integer(left.ty) => (left, self.number(right)),
            _ => (left, right),
        };
        let Some(ty) = self.common_type(left.ty, right.ty) else {
            let (left_ty, right_ty) = (self.show(left.ty), self.show(right.ty));
            let message = format!("{left_ty} and {right_ty} cannot be compared");
            let finding = Diagnostic::error(codes::TYPE_MISMATCH, message, span)
                .also(left.span, format!("this is {left_ty}"))
                .also(right.span, format!("this is {right_ty}"))
                .help("compare values of one type");
            self.report(finding);
            return None;
        };
        let (left, right) = (self.brought_to(left, ty), self.brought_to(right, ty));
        if self.is_scalar(ty) {
            return self.combine(op, left, right, span);
        }
        let same = Expr { kind: ExprKind::Same(Box::new(left), Box::new(right)), ty: TypeId::BOOL, span };
        Some(match op {
            Op::Ne => Expr { kind: ExprKind::Unary(Unary::Not, Box::new(same)), ty: TypeId::BOOL, span },
            _ => same,
        })
    }

    /// Rumur compares members of different scalarsets by position. That is no symmetric question, so it is allowed but
    /// asked of the numbers, where the symmetry proof will see it.
    fn foreign_identities(&mut self, left: &Expr, right: &Expr, span: Span) -> Option<(Expr, Expr)> {
        if left.ty == right.ty || !self.is_identity(left.ty) || !self.is_identity(right.ty) {
            return None;
        }
        let message =
            format!("members of {} and {} are compared by their numbers", self.show(left.ty), self.show(right.ty));
        let finding = Diagnostic::warning(codes::SCALARSET_POSITION, message, span)
            .help("this breaks the symmetry of both; compare members of one scalarset");
        self.report(finding);
        Some((number_of(left.clone()), number_of(right.clone())))
    }

    pub(super) fn conditional(&mut self, parts: [&ast::Expr; 3], span: Span) -> Option<Expr> {
        let condition = self.condition(parts[0], "the condition of `?:`");
        let then = self.expr(parts[1]);
        let otherwise = self.expr(parts[2]);
        let (condition, then, otherwise) = (condition?, then?, otherwise?);
        let Some(ty) = self.common_type(then.ty, otherwise.ty) else {
            let (then_ty, other_ty) = (self.show(then.ty), self.show(otherwise.ty));
            let message = format!("`?:` cannot choose between {then_ty} and {other_ty}");
            let finding = Diagnostic::error(codes::TYPE_MISMATCH, message, span)
                .also(then.span, format!("this is {then_ty}"))
                .also(otherwise.span, format!("this is {other_ty}"))
                .help("give both branches one type");
            self.report(finding);
            return None;
        };
        let (then, otherwise) = (self.brought_to(then, ty), self.brought_to(otherwise, ty));
        if !self.is_scalar(ty) {
            let message = format!("`?:` cannot choose between values of type {}", self.show(ty));
            let finding = Diagnostic::error(codes::AGGREGATE_CONDITIONAL, message, span)
                .help("use `if … then … else … end` around two assignments");
            self.report(finding);
            return None;
        }
        match condition.as_const() {
            Some(0) => Some(otherwise),
            Some(_) => Some(then),
            None => {
                let kind = ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise));
                Some(Expr { kind, ty, span })
            }
        }
    }

    fn report_operand(&mut self, symbol: &str, needed: &str, operand: &Expr) {
        let shown = self.show(operand.ty);
        let label = format!("this is {shown}");
        let finding = match self.types().get(operand.ty) {
            Type::Enum { .. } | Type::Union { .. } => {
                let message = format!("`{symbol}` is not defined on the members of {shown}");
                Diagnostic::error(codes::ENUM_ORDER, message, operand.span)
                    .help("compare with `=` and `!=`, or use a range if order matters")
            }
            _ => {
                Diagnostic::error(codes::OPERAND_TYPE, format!("`{symbol}` needs {needed}, not {shown}"), operand.span)
                    .help(format!("use {needed} here"))
            }
        };
        self.report(finding.label(label));
    }
}

/// The value of a logical operator if its left side settles it.
fn decides(op: Op, left: i64) -> Option<i64> {
    match (op, left) {
        (Op::And, 0) => Some(0),
        (Op::Or, 1) | (Op::Implies, 0) => Some(1),
        _ => None,
    }
}
