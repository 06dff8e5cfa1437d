//! Expressions seen as operators over leaves.
//!
// SOUND: a table speaks of leaf values only, so whether a leaf is evaluated at all must not depend on what the table
// hides. Operators that evaluate all their operands may have any leaves. Those that leave operands out (`&`, `|`, `->`,
// `?:`) are taken into an atom only if every leaf below is a variable that always has a value, so that leaving it out
// makes no difference.

use burnside_diag::Span;
use burnside_ir::{Arg, BinaryOp, Call, Expr, ExprKind, LocalId, LocalMode, Operand, Place, PlaceBase, TypeId};

use super::closed::{Passed, passed};
use super::relation::Leaf;
use super::scan::Scan;

/// An expression over leaves: its locals are numbered like the leaves.
#[derive(Default)]
pub(super) struct Atom<'m> {
    pub(super) leaves: Vec<Leaf>,
    /// The expression that each leaf stands for, unless it is a mere variable, and that variable.
    pub(super) origins: Vec<(Option<&'m Expr>, Option<LocalId>)>,
    /// Whether an operator or constant may not commute with permutations.
    pub(super) tainted: bool,
}

impl<'m> Scan<'_, 'm> {
    /// The expression over leaves.
    pub(super) fn atom(&mut self, expr: &'m Expr) -> (Expr, Atom<'m>) {
        let mut atom = Atom::default();
        let over_leaves = self.operator(expr, &mut atom);
        (over_leaves, atom)
    }

    fn operator(&mut self, expr: &'m Expr, atom: &mut Atom<'m>) -> Expr {
        let kind = match &expr.kind {
            ExprKind::Const(value) => {
                atom.tainted |= self.context.identities.point(expr.ty, *value).is_some();
                ExprKind::Const(*value)
            }
            ExprKind::Unary(op, operand) => {
                atom.tainted |= self.acts_on(operand);
                ExprKind::Unary(*op, Box::new(self.operator(operand, atom)))
            }
            ExprKind::Binary(op, ..) if op.is_logical() && !self.always_defined(expr) => {
                return self.leaf(expr, atom);
            }
            ExprKind::Binary(op, left, right) => {
                let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
                let alike = self.act_alike(left.ty, right.ty);
                let commutes = if equality { alike } else { !self.acts_on(left) && !self.acts_on(right) };
                atom.tainted |= !commutes;
                let (left, right) = (self.operator(left, atom), self.operator(right, atom));
                ExprKind::Binary(*op, Box::new(left), Box::new(right))
            }
            ExprKind::Conditional(condition, yes, no) if self.always_defined(expr) => {
                atom.tainted |= !self.act_alike(yes.ty, expr.ty) || !self.act_alike(no.ty, expr.ty);
                let [condition, yes, no] = [condition, yes, no].map(|part| Box::new(self.operator(part, atom)));
                ExprKind::Conditional(condition, yes, no)
            }
            ExprKind::Convert(inner) => {
                atom.tainted |= !self.converts_alike(inner.ty, expr.ty);
                ExprKind::Convert(Box::new(self.operator(inner, atom)))
            }
            ExprKind::Call(call) => match self.closed_call(call, atom) {
                Some(call) => ExprKind::Call(Box::new(call)),
                None => return self.leaf(expr, atom),
            },
            ExprKind::Read(_)
            | ExprKind::IsUndefined(_)
            | ExprKind::SameAggregate(..)
            | ExprKind::Conditional(..)
            | ExprKind::IsMember(..)
            | ExprKind::Quantified(..)
            | ExprKind::Count(..)
            | ExprKind::SlotNumber(_) => return self.leaf(expr, atom),
        };
        Expr { kind, ty: expr.ty, span: expr.span }
    }

    fn closed_call(&mut self, call: &'m Call, atom: &mut Atom<'m>) -> Option<Call> {
        let args = self.defined_args(call)?;
        let params = &self.context.model.function(call.function).locals;
        let reached = self.context.reached(&[call.function]);
        atom.tainted |= reached.into_iter().any(|id| !self.context.body(id).0.is_empty());
        let over_leaves: Vec<Expr> = args
            .into_iter()
            .map(|arg| match arg {
                Passed::Value(expr) => self.operator(expr, atom),
                Passed::Place(place) => self.variable_leaf(place, atom),
            })
            .collect();
        atom.tainted |= over_leaves.iter().zip(params).any(|(arg, param)| !self.act_alike(arg.ty, param.ty));
        let args = over_leaves.into_iter().map(|arg| Arg::Value(Operand::Value(arg))).collect();
        Some(Call { function: call.function, args, span: call.span })
    }

    /// The arguments of a closed function, if each has a value whenever it can be evaluated at all.
    fn defined_args<'e>(&self, call: &'e Call) -> Option<Vec<Passed<'e>>> {
        let args = passed(call).filter(|_| self.context.closed[call.function.index()])?;
        let is_defined = |arg: &Passed<'_>| match arg {
            Passed::Value(_) => true,
            Passed::Place(place) => self.own_variable(place).is_some_and(|local| self.fixed[local.index()]),
        };
        args.iter().all(is_defined).then_some(args)
    }

    fn leaf(&mut self, expr: &'m Expr, atom: &mut Atom<'m>) -> Expr {
        let variable = self.variable(expr);
        self.new_leaf((Some(expr), variable), expr.ty, expr.span, atom)
    }

    fn variable_leaf(&mut self, place: &Place, atom: &mut Atom<'m>) -> Expr {
        self.new_leaf((None, self.own_variable(place)), place.ty, place.span, atom)
    }

    fn new_leaf(
        &mut self,
        (expr, variable): (Option<&'m Expr>, Option<LocalId>),
        ty: TypeId,
        span: Span,
        atom: &mut Atom<'m>,
    ) -> Expr {
        let fixed = variable.filter(|local| self.fixed[local.index()]);
        let known = atom.origins.iter().position(|(_, known)| variable.is_some() && *known == variable);
        let at = known.unwrap_or_else(|| {
            let param = fixed.and_then(|local| self.params.iter().position(|&param| param == local));
            atom.leaves.push(Leaf { ty, param });
            atom.origins.push((expr, variable));
            atom.leaves.len() - 1
        });
        Expr::read(Place::local(LocalId(at as u32), ty, span))
    }

    /// The variable of its own that an expression reads.
    fn variable(&self, expr: &Expr) -> Option<LocalId> {
        let ExprKind::Read(place) = &expr.kind else { return None };
        self.own_variable(place)
    }

    fn own_variable(&self, place: &Place) -> Option<LocalId> {
        let PlaceBase::Local(local) = place.base else { return None };
        (place.path.is_empty() && self.locals[local.index()].mode == LocalMode::Owned).then_some(local)
    }

    /// Whether all leaves below operators are bound variables that nothing assigns.
    pub(super) fn always_defined(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Const(_) => true,
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => self.always_defined(operand),
            ExprKind::Binary(_, left, right) => self.always_defined(left) && self.always_defined(right),
            ExprKind::Conditional(condition, yes, no) => {
                [condition, yes, no].into_iter().all(|part| self.always_defined(part))
            }
            ExprKind::Call(call) => self.defined_args(call).is_some_and(|args| {
                args.into_iter().all(|arg| match arg {
                    Passed::Value(expr) => self.always_defined(expr),
                    Passed::Place(_) => true,
                })
            }),
            ExprKind::Read(_)
            | ExprKind::IsUndefined(_)
            | ExprKind::SameAggregate(..)
            | ExprKind::IsMember(..)
            | ExprKind::Quantified(..)
            | ExprKind::Count(..)
            | ExprKind::SlotNumber(_) => self.variable(expr).is_some_and(|local| self.fixed[local.index()]),
        }
    }

    fn acts_on(&self, expr: &Expr) -> bool {
        self.context.identities.acts_on(expr.ty)
    }

    /// Whether `Convert` commutes with permutations: into a union, out of one, or between types that act alike.
    fn converts_alike(&self, from: TypeId, to: TypeId) -> bool {
        let types = &self.context.model.types;
        types.union_offset(to, from).is_some() || types.union_offset(from, to).is_some() || self.act_alike(from, to)
    }
}
