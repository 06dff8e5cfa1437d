//! Integer expressions. Without risk their values stay so small that no operation on them overflows.

use burnside_ir::{BinaryOp, Expr, ExprKind, Type, TypeId, UnaryOp};

use super::place::Access;
use super::scope::Role;
use super::{Choice, Generator};

const SIMPLE: [Choice<Expr>; 3] =
    [(2, Generator::small_number), (8, Generator::read_integer), (3, Generator::integer_local)];

const NESTED: [Choice<Expr>; 6] = [
    (5, Generator::arithmetic),
    (1, Generator::negation),
    (2, Generator::ordinal),
    (2, Generator::count),
    (1, Generator::choice_of_integers),
    (1, Generator::integer_call),
];

impl Generator {
    /// An expression of any integer type.
    pub(super) fn integer(&mut self, depth: u32) -> Expr {
        let mut choices = SIMPLE.to_vec();
        if depth > 0 {
            choices.extend(NESTED);
        }
        match self.first_of(choices, depth) {
            Some(expr) => expr,
            None => self.int(0),
        }
    }

    fn small_number(&mut self, _depth: u32) -> Option<Expr> {
        let value = if self.takes_risk() { self.rng.i64(-70..70) } else { self.rng.i64(-1..4) };
        Some(self.int(value))
    }

    pub(super) fn read_integer(&mut self, depth: u32) -> Option<Expr> {
        let found =
            self.purely(|generator| generator.place(Access::Read, depth, &|generator, ty| generator.is_range(ty)))?;
        self.read_found(found)
    }

    /// A local that holds an unbounded integer, or the position of an element, which tells elements apart.
    fn integer_local(&mut self, _depth: u32) -> Option<Expr> {
        let with_slots = self.may_break_symmetry();
        let vars = self.scope.vars.iter().filter(|var| {
            let fits = match var.role {
                Role::Value | Role::Bound | Role::Counter => var.defined,
                Role::Slot(_) => return with_slots,
                Role::Reference { .. } | Role::Gone => false,
            };
            fits && var.ty == TypeId::INT
        });
        let locals: Vec<_> = vars.map(|var| (var.local, matches!(var.role, Role::Slot(_)))).collect();
        let (local, is_slot) = self.pick(&locals)?;
        if is_slot {
            return Some(self.expr(ExprKind::SlotNumber(local), TypeId::INT));
        }
        Some(self.read_local(local))
    }

    fn arithmetic(&mut self, depth: u32) -> Option<Expr> {
        use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
        let op = self.pick(&[Add, Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr])?;
        let left = self.integer(depth - 1);
        let right = match op {
            Div | Rem => self.divisor(depth - 1),
            Shl | Shr => {
                let distance = if self.takes_risk() { self.rng.i64(-70..70) } else { self.rng.i64(-2..4) };
                self.int(distance)
            }
            _ => self.integer(depth - 1),
        };
        Some(self.binary(op, left, right))
    }

    /// An integer that is not zero, unless that is worth a risk.
    fn divisor(&mut self, depth: u32) -> Expr {
        if self.takes_risk() {
            return self.integer(depth);
        }
        let value = self.purely(|generator| generator.integer(0));
        if value.as_const().is_some_and(|value| value != 0) {
            return value;
        }
        let zero = self.int(0);
        let is_zero = self.binary(BinaryOp::Eq, value.clone(), zero);
        let (two, ty) = (self.int(2), TypeId::INT);
        self.expr(ExprKind::Conditional(Box::new(is_zero), Box::new(two), Box::new(value)), ty)
    }

    fn negation(&mut self, depth: u32) -> Option<Expr> {
        let op = self.pick(&[UnaryOp::Neg, UnaryOp::BitNot])?;
        let operand = self.integer(depth - 1);
        Some(self.expr(ExprKind::Unary(op, Box::new(operand)), TypeId::INT))
    }

    /// The number of an enumeration value or, where that is allowed, of a member of a sort.
    fn ordinal(&mut self, depth: u32) -> Option<Expr> {
        let with_ids = self.may_break_symmetry();
        let types = self.model.types.iter().filter(|(_, def)| match def.ty {
            Type::Enum { .. } => true,
            Type::Id(_) => with_ids,
            _ => false,
        });
        let types: Vec<TypeId> = types.map(|(id, _)| id).collect();
        let ty = self.pick(&types)?;
        let operand = self.scalar(ty, depth - 1)?;
        Some(self.convert(operand, TypeId::INT))
    }

    /// How many elements of a multiset satisfy a condition.
    pub(super) fn count(&mut self, depth: u32) -> Option<Expr> {
        let found = self.steady_multiset(Access::Read)?;
        Some(self.count_in(found.place, |generator| generator.boolean(depth - 1)))
    }

    fn choice_of_integers(&mut self, depth: u32) -> Option<Expr> {
        let condition = self.boolean(depth - 1);
        let (then, other) = (self.integer(depth - 1), self.integer(depth - 1));
        let kind = ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(other));
        Some(self.expr(kind, TypeId::INT))
    }

    fn integer_call(&mut self, depth: u32) -> Option<Expr> {
        self.call_expr(depth, &|generator, ty| generator.is_range(ty))
    }

    /// The value brought into a range.
    pub(super) fn fit(&mut self, value: Expr, lo: i64, hi: i64) -> Expr {
        let n_values = hi - lo + 1;
        if lo == 0 && (n_values & hi) == 0 && self.chance(30) {
            let mask = self.int(hi);
            return self.binary(BinaryOp::BitAnd, value, mask);
        }
        let remainder = self.remainder(value, n_values);
        let offset = self.int(n_values);
        let positive = self.binary(BinaryOp::Add, remainder, offset);
        let reduced = self.remainder(positive, n_values);
        let lo = self.int(lo);
        self.binary(BinaryOp::Add, reduced, lo)
    }

    fn remainder(&mut self, value: Expr, divisor: i64) -> Expr {
        let divisor = self.int(divisor);
        self.binary(BinaryOp::Rem, value, divisor)
    }

    /// An expression of exactly this range type.
    pub(super) fn ranged(&mut self, ty: TypeId, depth: u32) -> Option<Expr> {
        let &Type::Range { lo, hi } = self.model.types.get(ty) else { return None };
        match self.rng.u32(0..10) {
            0..3 => self.any_constant(ty),
            3..5 if depth > 0 => {
                let value = self.integer(depth - 1);
                let fitting = if self.takes_risk() { value } else { self.fit(value, lo, hi) };
                Some(self.convert(fitting, ty))
            }
            _ => self.read_of(ty, depth).or_else(|| self.any_constant(ty)),
        }
    }
}
