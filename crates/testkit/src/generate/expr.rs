//! Truth values and values of nominal types.

use burnside_ir::{BinaryOp, Domain, Expr, ExprKind, LocalId, LocalMode, Place, Quantifier, Type, TypeId};

use super::place::{Access, same_place};
use super::scope::{Focus, Role};
use super::{Choice, Generator};

const SIMPLE: [Choice<Expr>; 6] = [
    (1, |generator, _| generator.any_constant(TypeId::BOOL)),
    (5, |generator, depth| generator.read_of(TypeId::BOOL, depth)),
    (5, Generator::comparison),
    (5, Generator::equality),
    (2, Generator::definedness),
    (2, Generator::membership),
];

const NESTED: [Choice<Expr>; 6] = [
    (5, Generator::connective),
    (2, Generator::inversion),
    (4, Generator::quantified),
    (2, Generator::same_aggregate),
    (1, |generator, depth| generator.choice(TypeId::BOOL, depth)),
    (1, |generator, depth| generator.call_expr(depth, &|_, ty| ty == TypeId::BOOL)),
];

impl Generator {
    /// An expression of exactly this scalar type. There is always one unless the type holds members of a sort and
    /// none is in scope.
    pub(super) fn scalar(&mut self, ty: TypeId, depth: u32) -> Option<Expr> {
        match self.model.types.get(ty) {
            Type::Bool => Some(self.boolean(depth)),
            Type::Range { .. } => self.ranged(ty, depth),
            Type::Int => {
                let (value, zero) = (self.integer(depth), self.int(0));
                Some(self.binary(BinaryOp::Add, value, zero))
            }
            _ => self.nominal(ty, depth),
        }
    }

    /// A value of an enumeration, identity or union type.
    fn nominal(&mut self, ty: TypeId, depth: u32) -> Option<Expr> {
        let roll = self.rng.u32(0..10);
        let found = match roll {
            0..2 => self.any_constant(ty),
            2 if depth > 0 => self.call_expr(depth, &|_, result| result == ty),
            3 if depth > 0 => self.converted(ty, depth),
            4 if depth > 0 => self.choice(ty, depth),
            5..7 => self.bound_value(ty),
            _ => self.read_of(ty, depth),
        };
        found.or_else(|| self.bound_value(ty)).or_else(|| self.any_constant(ty)).or_else(|| self.converted(ty, 1))
    }

    /// A constant, unless that tells members of a sort apart.
    pub(super) fn any_constant(&mut self, ty: TypeId) -> Option<Expr> {
        let any_value = !self.holds_id(ty) || self.may_break_symmetry();
        let shape = self.model.types.shape(ty);
        let values = match self.model.types.get(ty) {
            Type::Int => -1..=3,
            _ if any_value => shape.lo..=shape.hi,
            Type::Union { members } => {
                let member = members.iter().copied().find(|&member| !self.holds_id(member))?;
                let offset = self.model.types.union_offset(ty, member)?;
                offset..=offset + self.model.types.shape(member).hi
            }
            _ => return None,
        };
        let value = self.rng.i64(values);
        Some(self.constant(ty, value))
    }

    fn choice(&mut self, ty: TypeId, depth: u32) -> Option<Expr> {
        let condition = self.boolean(depth - 1);
        let (then, other) = (self.scalar(ty, depth - 1)?, self.scalar(ty, depth - 1)?);
        Some(self.select(condition, then, other))
    }

    /// A value that comes from another type: from a member of the union, from a union, or from a number.
    fn converted(&mut self, ty: TypeId, depth: u32) -> Option<Expr> {
        if let Type::Union { members } = self.model.types.get(ty).clone() {
            let member = self.pick(&members)?;
            let value = self.scalar(member, depth - 1)?;
            return Some(self.convert(value, ty));
        }
        if self.chance(60) { self.of_union(ty, depth) } else { self.of_number(ty, depth) }
    }

    /// A union value taken as one of its members, which it is unless that is worth a risk.
    fn of_union(&mut self, member: TypeId, depth: u32) -> Option<Expr> {
        let unions = self.model.types.iter().map(|(id, _)| id);
        let unions: Vec<_> = unions.filter(|&id| self.model.types.union_offset(id, member).is_some()).collect();
        let union = self.pick(&unions)?;
        if self.takes_risk() {
            let value = self.scalar(union, depth - 1)?;
            return Some(self.convert(value, member));
        }
        let found = self.purely(|generator| generator.place_of(Access::Read, depth - 1, union))?;
        let other = self.bound_value(member).or_else(|| self.any_constant(member))?;
        let again = Box::new(self.again(&found.place));
        let is_member = self.truth(ExprKind::IsMember(again, member));
        let value = self.read(found.place);
        let value = self.convert(value, member);
        Some(self.select(is_member, value, other))
    }

    fn of_number(&mut self, ty: TypeId, depth: u32) -> Option<Expr> {
        if self.holds_id(ty) && !self.may_break_symmetry() {
            return None;
        }
        let value = self.integer(depth - 1);
        let shape = self.model.types.shape(ty);
        let fitting = if self.takes_risk() { value } else { self.fit(value, shape.lo, shape.hi) };
        Some(self.convert(fitting, ty))
    }

    /// A truth value.
    pub(super) fn boolean(&mut self, depth: u32) -> Expr {
        let mut choices = SIMPLE.to_vec();
        if depth > 0 {
            choices.extend(NESTED);
        }
        match self.first_of(choices, depth) {
            Some(expr) => expr,
            None => self.constant(TypeId::BOOL, 1),
        }
    }

    fn comparison(&mut self, depth: u32) -> Option<Expr> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let op = self.pick(&[Lt, Le, Gt, Ge, Eq, Ne])?;
        let depth = depth.saturating_sub(1);
        let left = self.read_integer(depth);
        let left = if left.is_some() { left } else { self.chance(20).then(|| self.integer(depth)) };
        let right = self.integer(depth);
        left.map(|left| self.binary(op, left, right))
    }

    /// Whether what is stored at a place of a nominal type is this or that.
    fn equality(&mut self, depth: u32) -> Option<Expr> {
        let op = self.pick(&[BinaryOp::Eq, BinaryOp::Ne])?;
        let found = self.purely(|generator| {
            generator.place(Access::Read, depth, &|generator, ty| {
                matches!(generator.model.types.get(ty), Type::Enum { .. } | Type::Id(_) | Type::Union { .. })
            })
        })?;
        let ty = found.place.ty;
        let left = self.read_found(found)?;
        let right = self.scalar(ty, depth.saturating_sub(1))?;
        let trivial = matches!((&left.kind, &right.kind), (ExprKind::Read(a), ExprKind::Read(b)) if same_place(a, b));
        (!trivial).then(|| self.binary(op, left, right))
    }

    fn definedness(&mut self, depth: u32) -> Option<Expr> {
        let found = self.place(Access::Read, depth, &|generator, ty| generator.is_scalar(ty))?;
        (!found.defined || self.chance(5)).then(|| self.is_undefined(found.place))
    }

    fn membership(&mut self, depth: u32) -> Option<Expr> {
        let is_union = |generator: &Self, ty| matches!(generator.model.types.get(ty), Type::Union { .. });
        let place = self.place(Access::Read, depth, &is_union)?.place;
        let Type::Union { members } = self.model.types.get(place.ty).clone() else { return None };
        let member = self.pick(&members)?;
        Some(self.truth(ExprKind::IsMember(Box::new(place), member)))
    }

    fn connective(&mut self, depth: u32) -> Option<Expr> {
        let op = self.pick(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Implies])?;
        let (left, right) = (self.boolean(depth - 1), self.boolean(depth - 1));
        Some(self.binary(op, left, right))
    }

    fn inversion(&mut self, depth: u32) -> Option<Expr> {
        let operand = self.boolean(depth - 1);
        Some(self.not(operand))
    }

    /// Whether two aggregates are equal. Multisets are compared slot by slot, which tells elements apart.
    fn same_aggregate(&mut self, depth: u32) -> Option<Expr> {
        let with_multisets = self.may_break_symmetry();
        let found = self.place(Access::Read, depth - 1, &|generator, ty| {
            !generator.is_scalar(ty) && (with_multisets || !generator.model.types.shape(ty).has_multiset)
        })?;
        let other = self.place_like(Access::Read, depth - 1, found.place.ty)?;
        if same_place(&found.place, &other.place) && self.chance(90) {
            return None;
        }
        Some(self.truth(ExprKind::SameAggregate(Box::new(found.place), Box::new(other.place))))
    }

    fn quantified(&mut self, depth: u32) -> Option<Expr> {
        let quantifier = self.pick(&[Quantifier::Forall, Quantifier::Exists])?;
        let domain = self.domain(depth - 1)?;
        Some(self.scoped(|generator| {
            let local = generator.bind(&domain);
            let body = generator.per_member(|generator| generator.boolean(depth - 1));
            generator.truth(ExprKind::Quantified(quantifier, local, Box::new(domain), Box::new(body)))
        }))
    }

    /// How many elements of a steady multiset satisfy a condition.
    pub(super) fn count_in(&mut self, multiset: Place, condition: impl FnOnce(&mut Self) -> Expr) -> Expr {
        self.scoped(|generator| {
            let local = generator.bind(&Domain::Slots(multiset.clone()));
            let condition = generator.per_member(condition);
            generator.expr(ExprKind::Count(local, Box::new(multiset), Box::new(condition)), TypeId::INT)
        })
    }

    /// Something to range over.
    pub(super) fn domain(&mut self, depth: u32) -> Option<Domain> {
        match self.rng.u32(0..10) {
            0..2 => self.steady_multiset(Access::Read).map(|found| Domain::Slots(found.place)),
            2..4 => {
                let (from, to) = (self.small_bound(depth), self.small_bound(depth));
                let step = self.pick(&[1, 1, 2, -1, -2])?;
                Some(Domain::Range { from, to, step })
            }
            _ => {
                let types = self.model.types.iter().map(|(id, _)| id);
                let mut types: Vec<TypeId> = types.filter(|&id| id != TypeId::INT && self.is_scalar(id)).collect();
                // What arrays are indexed with is what most loops range over.
                let indices = self.model.globals.iter().filter_map(|global| match *self.model.types.get(global.ty) {
                    Type::Array { index, .. } => Some(index),
                    _ => None,
                });
                types.extend(indices.collect::<Vec<_>>().repeat(5));
                self.pick(&types).map(Domain::Type)
            }
        }
    }

    /// An integer that is not far from zero.
    fn small_bound(&mut self, depth: u32) -> Expr {
        let value = self.purely(|generator| generator.integer(depth.min(1)));
        if value.as_const().is_some() || self.is_range(value.ty) { value } else { self.fit(value, 0, 2) }
    }

    /// Declares the local that takes the values of a domain, and makes it usable.
    pub(super) fn bind(&mut self, domain: &Domain) -> LocalId {
        let (ty, role) = match domain {
            Domain::Type(ty) if self.is_range(*ty) && self.chance(20) => (TypeId::INT, Role::Bound),
            Domain::Type(ty) => (*ty, Role::Bound),
            Domain::Range { .. } => (TypeId::INT, Role::Bound),
            Domain::Slots(multiset) => (multiset.ty, Role::Slot(Box::new(multiset.clone()))),
        };
        let mode = if matches!(role, Role::Slot(_)) { LocalMode::Slot } else { LocalMode::Owned };
        let local = self.declare("i", ty, mode);
        self.admit(local, role, true);
        local
    }

    /// Builds something in which of the global of `part` only `part` is used.
    pub(super) fn focused<T>(&mut self, focus: Focus, build: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scope.focus.replace(focus);
        let tame = std::mem::replace(&mut self.scope.tame, true);
        let built = self.purely(build);
        self.scope.tame = tame;
        self.scope.focus = before;
        built
    }
}
