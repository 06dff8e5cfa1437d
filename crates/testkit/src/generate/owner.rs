//! Rules and properties.

use burnside_ir::{
    BinaryOp, Binder, Block, Domain, Expr, GlobalId, LocalMode, Owner, Property, PropertyKind, Rule, Type, TypeId,
};

use super::Generator;
use super::place::Access;
use super::scope::{Role, Writes};

impl Generator {
    pub(super) fn rules(&mut self) {
        let n_rules = self.rng.usize(self.config.n_rules.div_ceil(2)..=self.config.n_rules.max(1));
        for at in 0..n_rules.max(1) {
            self.rule(at);
        }
    }

    fn rule(&mut self, at: usize) {
        self.open_scope(Writes::Everything);
        let subject = GlobalId((at % self.model.globals.len()) as u32);
        let n_params = [0, 0, 0, 1, 1][self.rng.usize(0..5)];
        let mut binders = self.params_for(subject);
        binders.extend(self.binders(n_params));
        let guard = self.guard();
        let n_stmts = self.rng.usize(0..=2);
        let action: Block = self.scoped(|generator| {
            let first = generator.progress_of(subject);
            let telling = !generator.config.commuting_loops && generator.chance(15);
            let second = if telling { generator.telling_loop() } else { None };
            first.into_iter().chain(second).chain(generator.open_block(2, n_stmts)).collect()
        });
        let priority = if self.config.priorities { self.priority() } else { 0 };
        let owners = self.owners(&binders);
        let locals = std::mem::take(&mut self.scope.locals);
        let span = self.span();
        self.model.rules.push(Rule {
            name: format!("rule{at}"),
            binders,
            locals,
            guard,
            action,
            priority,
            owners,
            span,
        });
    }

    /// The first variable that a rule can name as the process that takes its steps.
    fn owners(&self, binders: &[Binder]) -> Vec<Owner> {
        let owner = |at: usize| {
            let global = GlobalId(at as u32);
            match *self.model.types.get(self.model.globals[at].ty) {
                Type::Array { index, .. } => binders.iter().find_map(|binder| match binder {
                    Binder::Param { local, domain: Domain::Type(ty) } if *ty == index => {
                        Some(Owner { global, member: Some(*local) })
                    }
                    _ => None,
                }),
                _ => Some(Owner { global, member: None }),
            }
        };
        (0..self.model.globals.len()).find_map(owner).into_iter().filter(|_| self.config.shapes).collect()
    }

    /// Mostly the same for all rules: one urgent rule that is always enabled is enough to stop all others.
    fn priority(&mut self) -> i64 {
        match self.rng.u32(0..100) {
            0 => -1,
            1..12 => 1,
            _ => 0,
        }
    }

    /// Parameters that make it possible to get at every part of a global, and to have values for it.
    fn params_for(&mut self, global: GlobalId) -> Vec<Binder> {
        let mut ty = self.model.global(global).ty;
        let mut domains = Vec::new();
        while let &Type::Array { index, element } = self.model.types.get(ty) {
            domains.push(Domain::Type(index));
            ty = element;
        }
        if matches!(self.model.types.get(ty), Type::Id(_) | Type::Union { .. }) {
            domains.push(Domain::Type(ty));
        }
        domains.truncate(2);
        domains.into_iter().map(|domain| Binder::Param { local: self.bind(&domain), domain }).collect()
    }

    fn guard(&mut self) -> Expr {
        match self.rng.u32(0..10) {
            0..5 => self.constant(TypeId::BOOL, 1),
            5..7 => self.is_some_value().unwrap_or_else(|| self.boolean(1)),
            7..9 => self.boolean(1),
            _ => self.boolean(2),
        }
    }

    /// Whether a scalar has one of its values, or has another.
    fn is_some_value(&mut self) -> Option<Expr> {
        let found = self.purely(|generator| generator.place(Access::Read, 1, &|of, ty| of.is_scalar(ty)))?;
        let value = self.any_constant(found.place.ty).or_else(|| self.bound_value(found.place.ty))?;
        let op = self.pick(&[BinaryOp::Eq, BinaryOp::Ne])?;
        let left = self.read_found(found)?;
        Some(self.binary(op, left, value))
    }

    /// Parameters, and now and then a snapshot or a reference. Nothing in them faults or has an effect: which
    /// instances there are should be a matter of the state alone.
    fn binders(&mut self, n_params: usize) -> Vec<Binder> {
        let tame = std::mem::replace(&mut self.scope.tame, true);
        let binders = self.purely(|generator| {
            let mut binders = Vec::new();
            for _ in 0..n_params {
                let Some(domain) = generator.domain(1) else { continue };
                binders.push(Binder::Param { local: generator.bind(&domain), domain });
            }
            if generator.chance(15) {
                binders.extend(generator.snapshot());
            }
            if generator.chance(15)
                && let Some((found, local)) = generator.new_reference()
            {
                binders.push(Binder::Reference { local, place: found.place });
            }
            binders
        });
        self.scope.tame = tame;
        binders
    }

    fn snapshot(&mut self) -> Option<Binder> {
        let found = self.place(Access::Read, 1, &|_, _| true)?;
        let local = self.declare("v", found.place.ty, LocalMode::Owned);
        let source = self.defined_operand(found.place.ty, 1);
        let defined = source.is_some();
        let source = if defined { source } else { self.operand(found.place.ty, 1) };
        self.admit(local, Role::Value, defined);
        let source = source?;
        Some(Binder::Value { local, source })
    }

    pub(super) fn properties(&mut self) {
        for at in 0..self.n_cover_points {
            self.open_scope(Writes::Nothing);
            let condition = self.constant(TypeId::BOOL, 1);
            self.property(format!("point{at}"), PropertyKind::CoverPoint, Vec::new(), condition);
        }
        let n_properties = self.rng.usize(0..=self.config.n_properties);
        for at in 0..n_properties {
            self.open_scope(Writes::Nothing);
            let kind = match self.rng.u32(0..10) {
                0..6 => PropertyKind::Invariant,
                6 => PropertyKind::Assumption,
                7 => PropertyKind::Cover,
                _ => PropertyKind::Liveness,
            };
            let n_params = self.rng.usize(0..=1);
            let binders = self.binders(n_params);
            let condition = self.likely(3);
            self.property(format!("property{at}"), kind, binders, condition);
        }
        for (name, kind) in [("inside", PropertyKind::Passing), ("last", PropertyKind::Ending)] {
            // Every way through states inside a step counts, so few rules may find few of them.
            if self.config.shapes && self.model.rules.len() <= 2 && self.rng.bool() {
                self.open_scope(Writes::Nothing);
                let condition = (0..2).fold(self.boolean(1), |condition, _| {
                    let other = self.boolean(1);
                    self.binary(BinaryOp::And, condition, other)
                });
                self.property(name.to_owned(), kind, Vec::new(), condition);
            }
        }
    }

    /// A condition with some alternatives, so that it often holds.
    fn likely(&mut self, n_most: usize) -> Expr {
        let n_alternatives = self.rng.usize(1..=n_most);
        (1..n_alternatives).fold(self.boolean(2), |condition, _| {
            let alternative = self.boolean(2);
            self.binary(BinaryOp::Or, condition, alternative)
        })
    }

    fn property(&mut self, name: String, kind: PropertyKind, binders: Vec<Binder>, condition: Expr) {
        let locals = std::mem::take(&mut self.scope.locals);
        let span = self.span();
        self.model.properties.push(Property { name, kind, binders, locals, condition, span });
    }
}
