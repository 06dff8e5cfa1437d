//! Loops, and statements that go over all elements of a multiset.

use burnside_ir::{
    BinaryOp, Block, Domain, GlobalId, LocalId, LocalMode, Operand, Place, PlaceBase, Projection, Stmt, StmtKind, Type,
    TypeId,
};

use super::Generator;
use super::place::Access;
use super::scope::{Focus, Role, Var, Writes};

impl Generator {
    /// A loop that a counter ends, unless it is worth a risk.
    pub(super) fn while_loop(&mut self, depth: u32) -> Option<Block> {
        if self.takes_risk() {
            let condition = self.boolean(1);
            let body = self.round(depth - 1);
            return Some(vec![self.stmt(StmtKind::While { condition, body })]);
        }
        let counter = self.declare("w", TypeId::INT, LocalMode::Owned);
        let (target, zero) = (self.local_place(counter), self.int(0));
        let start = self.assign(target, Operand::Value(zero));
        let n_rounds = self.rng.i64(1..=3);
        let (value, bound) = (self.read_local(counter), self.int(n_rounds));
        let condition = self.binary(BinaryOp::Lt, value, bound);
        let mut body = self.scoped(|generator| {
            generator.admit(counter, Role::Counter, true);
            generator.round(depth - 1)
        });
        let (target, value, one) = (self.local_place(counter), self.read_local(counter), self.int(1));
        let next = self.binary(BinaryOp::Add, value, one);
        body.push(self.assign(target, Operand::Value(next)));
        Some(vec![start, self.stmt(StmtKind::While { condition, body })])
    }

    /// The body of a loop in which elements that are in scope must stay, because the next round relies on them.
    fn round(&mut self, depth: u32) -> Block {
        let relied = self.n_elements_in_scope() > 0;
        let stay = self.scope.elements_stay || (relied && !self.takes_risk());
        let before = std::mem::replace(&mut self.scope.elements_stay, stay);
        let n_stmts = self.rng.usize(1..=2);
        let body = self.block(depth, n_stmts);
        self.scope.elements_stay = before;
        body
    }

    /// How many locals rely on elements of multisets being where they are.
    fn n_elements_in_scope(&self) -> usize {
        let relies = |role: &Role| matches!(role, Role::Slot(_) | Role::Reference { in_element: true });
        self.scope.vars.iter().filter(|var| relies(&var.role)).count()
    }

    /// One round for each value of a domain.
    pub(super) fn for_loop(&mut self, depth: u32) -> Option<Block> {
        let domain = self.domain(1)?;
        let body_and_local = if self.must_commute(&domain) {
            self.commuting_body(&domain)
        } else {
            self.scoped(|generator| {
                let local = generator.bind(&domain);
                Some((generator.ordered_body(local, &domain, depth), local))
            })
        };
        let (body, local) = body_and_local?;
        Some(vec![self.stmt(StmtKind::For { local, domain, body })])
    }

    /// A body in which anything may happen; at its end the element of the round may go.
    fn ordered_body(&mut self, local: LocalId, domain: &Domain, depth: u32) -> Block {
        let mut body = self.round(depth - 1);
        if self.chance(40) {
            body.extend(self.last_round_wins(local));
        }
        if let Domain::Slots(multiset) = domain
            && self.may_reshape(multiset)
            && self.n_elements_in_scope() == 1
            && self.chance(40)
        {
            let element = self.part(multiset.clone(), Projection::Element(local));
            body.push(self.stmt(StmtKind::Remove(element)));
            self.forget_elements();
        }
        body
    }

    /// A loop over a sort of which only the last round leaves traces.
    pub(super) fn telling_loop(&mut self) -> Option<Stmt> {
        let ids = self.model.types.iter().filter(|(_, def)| matches!(def.ty, Type::Id(_)));
        let ids: Vec<TypeId> = ids.map(|(id, _)| id).collect();
        let domain = Domain::Type(self.pick(&ids)?);
        self.scoped(|generator| {
            let local = generator.bind(&domain);
            let body = vec![generator.last_round_wins(local)?];
            Some(generator.stmt(StmtKind::For { local, domain, body }))
        })
    }

    /// Stores the member of a sort that the round is about, or what belongs to it, where the next round stores its own.
    fn last_round_wins(&mut self, local: LocalId) -> Option<Stmt> {
        let ty = self.scope.locals[local.index()].ty;
        if self.scope.locals[local.index()].mode == LocalMode::Slot {
            return None;
        }
        if let Some(target) = self.place_of(Access::Write, 0, ty) {
            let value = self.read_local(local);
            return Some(self.assign(target.place, Operand::Value(value)));
        }
        let indexed =
            (0..).zip(&self.model.globals).filter_map(|(at, global)| match *self.model.types.get(global.ty) {
                Type::Array { index, element } if index == ty && self.is_scalar(element) => Some((at, global.ty)),
                _ => None,
            });
        let indexed: Vec<(u32, TypeId)> = indexed.collect();
        let (at, array) = self.pick(&indexed)?;
        let whole = Place::global(GlobalId(at), array, self.span());
        let step = Projection::Index(Box::new(self.read_local(local)));
        let source = self.part(whole, step);
        let target = self.place_of(Access::Write, 0, source.ty)?;
        let harmless = !target.defined || self.is_defined(&source);
        harmless.then(|| self.assign(target.place, Operand::Copy(source)))
    }

    /// A body that changes only what belongs to the round, from what no other round changes.
    fn commuting_body(&mut self, domain: &Domain) -> Option<(Block, LocalId)> {
        if self.scope.focus.is_some() || self.scope.writes == Writes::Nothing {
            return None;
        }
        self.scoped(|generator| {
            let local = generator.bind(domain);
            let focus = generator.focus(local, domain)?;
            let stay = std::mem::replace(&mut generator.scope.elements_stay, true);
            let n_stmts = generator.rng.usize(1..=2);
            let body = generator.focused(focus, |generator| generator.block(1, n_stmts));
            generator.scope.elements_stay = stay;
            Some((body, local))
        })
    }

    /// The part of the state that belongs to one round.
    fn focus(&mut self, local: LocalId, domain: &Domain) -> Option<Focus> {
        match domain {
            Domain::Type(ty) => {
                let arrays = (0..).zip(&self.model.globals).filter(
                    |(_, global)| matches!(self.model.types.get(global.ty), Type::Array { index, .. } if index == ty),
                );
                let arrays: Vec<(u32, TypeId)> = arrays.map(|(at, global)| (at, global.ty)).collect();
                let (at, array) = self.pick(&arrays)?;
                let global = GlobalId(at);
                let whole = Place::global(global, array, self.span());
                let index = Box::new(self.read_local(local));
                Some(Focus { global, part: self.part(whole, Projection::Index(index)) })
            }
            Domain::Slots(multiset) => self.element_focus(local, multiset),
            Domain::Range { .. } => None,
        }
    }

    fn element_focus(&mut self, local: LocalId, multiset: &Place) -> Option<Focus> {
        let PlaceBase::Global(global) = multiset.base else { return None };
        let var = Var { local, ty: TypeId::INT, role: Role::Bound, defined: true };
        Some(Focus { global, part: self.element(multiset, &var) })
    }

    /// Whether elements of this multiset may go here.
    pub(super) fn may_reshape(&self, multiset: &Place) -> bool {
        let permitted = self.is_own(multiset) || self.scope.writes == Writes::Everything;
        permitted && !self.scope.elements_stay && self.scope.focus.is_none()
    }

    /// Takes out all elements that satisfy a condition. The condition sees of the multiset only the element in
    /// question, since others may be gone already.
    pub(super) fn remove_where(&mut self, _depth: u32) -> Option<Block> {
        let multiset = self.steady_multiset(Access::Reshape)?.place;
        let (local, condition) = self.scoped(|generator| {
            let local = generator.bind(&Domain::Slots(multiset.clone()));
            let focus = generator.element_focus(local, &multiset)?;
            Some((local, generator.focused(focus, |generator| generator.boolean(1))))
        })?;
        self.forget_elements();
        Some(vec![self.stmt(StmtKind::RemoveWhere { multiset, local, condition })])
    }
}
