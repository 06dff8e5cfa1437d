//! Statements: what they write, and the facts that make them take the way they take.

use burnside_ir::{Block, Operand, Place, PutItem, Stmt, StmtKind, TypeId, UNDEFINED};

use crate::memory::Spot;
use crate::term::Term;
use crate::trace::{Bound, Stop, Traced, Tracer};

/// Whether execution goes on behind a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    Return,
}

impl<'m> Tracer<'_, 'm> {
    pub(crate) fn block(&mut self, block: &'m Block) -> Traced<Flow> {
        for stmt in block {
            if self.stmt(stmt)? == Flow::Return {
                return Ok(Flow::Return);
            }
        }
        Ok(Flow::Next)
    }

    fn stmt(&mut self, stmt: &'m Stmt) -> Traced<Flow> {
        match &stmt.kind {
            StmtKind::Assign { target, source } => self.assign(target, source)?,
            StmtKind::Clear(place) => {
                let spot = self.located(place)?;
                let mut leaves = Vec::new();
                self.leaves(spot, true, &mut leaves)?;
                for leaf in leaves {
                    let least = self.setup.model().types.shape(leaf.ty).lo;
                    let least = self.terms.constant(least);
                    self.write(leaf, least);
                }
            }
            StmtKind::Bind { local, place } => {
                let spot = self.located(place)?;
                self.frame().bound[local.index()] = Bound::Reference(Some(spot));
            }
            StmtKind::If { arms, otherwise } => {
                for (condition, block) in arms {
                    if self.branch(condition)? {
                        return self.block(block);
                    }
                }
                return self.block(otherwise);
            }
            StmtKind::While { condition, body } => {
                let mut rounds = 0;
                while self.branch(condition)? {
                    rounds += 1;
                    if rounds > self.setup.task.step_limits.loop_rounds {
                        return Err(Stop::Lost);
                    }
                    if self.block(body)? == Flow::Return {
                        return Ok(Flow::Return);
                    }
                }
            }
            StmtKind::For { local, domain, body } => {
                let by_name = match domain {
                    burnside_ir::Domain::Type(ty) => self.setup.is_unordered(self.author, *ty),
                    _ => false,
                };
                let (values, _) = self.domain(domain, by_name)?;
                for value in values {
                    self.set_local(*local, value)?;
                    if self.block(body)? == Flow::Return {
                        return Ok(Flow::Return);
                    }
                }
            }
            StmtKind::Call { call, result } => {
                let returned = self.call(call)?;
                if let (Some(local), Some((root, ty))) = (result, returned) {
                    let target = self.local_spot(*local)?;
                    self.copy(Spot { root, offset: 0, indices: Vec::new(), ty }, target)?;
                }
            }
            StmtKind::Assert { condition, .. } => {
                if !self.branch(condition)? {
                    return Err(Stop::Lost);
                }
            }
            StmtKind::Assume(condition) => {
                if !self.branch(condition)? {
                    return Err(Stop::Pruned);
                }
            }
            StmtKind::Cover { condition, .. } => {
                let condition = self.expr(condition)?;
                self.demand(condition)?;
            }
            StmtKind::Put(items) => self.put(items)?,
            StmtKind::Return(value) => {
                if let (Some(operand), Some((root, ty))) = (value, self.frame().result) {
                    self.store(Spot { root, offset: 0, indices: Vec::new(), ty }, operand)?;
                }
                return Ok(Flow::Return);
            }
            StmtKind::Error(_) | StmtKind::Insert { .. } | StmtKind::Remove(_) | StmtKind::RemoveWhere { .. } => {
                return Err(Stop::Lost);
            }
        }
        Ok(Flow::Next)
    }

    /// Which way a condition sends the step, with the facts for it.
    fn branch(&mut self, condition: &'m burnside_ir::Expr) -> Traced<bool> {
        let condition = self.expr(condition)?;
        if let Some(value) = self.terms.as_const(condition) {
            return Ok(value != 0);
        }
        if self.speculative {
            return Err(Stop::Lost);
        }
        let value = self.value(condition).map_err(|_| Stop::Lost)? != 0;
        self.rely(condition, value)?;
        Ok(value)
    }

    fn assign(&mut self, target: &'m Place, source: &'m Operand) -> Traced<()> {
        if let Operand::Value(expr) = source {
            let value = self.expr(expr)?;
            self.fits(value, target.ty)?;
            let spot = self.located(target)?;
            self.write(spot, value);
            return Ok(());
        }
        let spot = self.located(target)?;
        self.store(spot, source)
    }

    /// A place whose indices are known to be right.
    fn located(&mut self, place: &'m Place) -> Traced<Spot> {
        let spot = self.locate(place)?;
        self.demand_indices(&spot)?;
        Ok(spot)
    }

    pub(crate) fn demand_indices(&mut self, spot: &Spot) -> Traced<()> {
        spot.indices.iter().try_for_each(|index| self.demand(index.term))
    }

    /// Stores an operand at a place of any type.
    pub(crate) fn store(&mut self, spot: Spot, operand: &'m Operand) -> Traced<()> {
        match operand {
            Operand::Value(expr) => {
                let value = self.expr(expr)?;
                self.fits(value, spot.ty)?;
                self.write(spot, value);
                Ok(())
            }
            Operand::Copy(place) => {
                let from = self.located(place)?;
                self.copy(from, spot)
            }
            Operand::Undefined => {
                let mut leaves = Vec::new();
                self.leaves(spot, true, &mut leaves)?;
                let undefined = self.terms.constant(UNDEFINED);
                leaves.into_iter().for_each(|leaf| self.write(leaf, undefined));
                Ok(())
            }
        }
    }

    /// Copies a place of any type, undefined parts included.
    fn copy(&mut self, from: Spot, to: Spot) -> Traced<()> {
        let mut writes = Vec::new();
        for (source, target) in self.leaf_pairs(from, to)? {
            let value = self.read(source)?;
            self.fits(value, target.ty)?;
            writes.push((target, value));
        }
        for (target, value) in writes {
            self.write(target, value);
        }
        Ok(())
    }

    /// Makes it a condition that a value evaluates and is admitted by a type, or undefined.
    fn fits(&mut self, value: Term, ty: TypeId) -> Traced<()> {
        if self.terms.is_heavy(value) {
            return Err(Stop::Lost);
        }
        let (known, shape) = (self.terms.known(value), self.setup.model().types.shape(ty));
        if known.may_be_undefined {
            let is_inside = shape.lo <= known.lo && known.hi <= shape.hi;
            if is_inside || self.terms.as_const(value) == Some(UNDEFINED) {
                return self.demand(value);
            }
            let undefined = self.terms.constant(UNDEFINED);
            let parts = vec![self.terms.same(value, undefined), self.terms.among(value, shape.lo, shape.hi)];
            let fits = self.terms.any(parts, false);
            return self.rely(fits, true);
        }
        let within = self.terms.within(value, shape.lo, shape.hi);
        self.demand(within)
    }

    fn put(&mut self, items: &'m [PutItem]) -> Traced<()> {
        for item in items {
            match item {
                PutItem::Text(_) => {}
                PutItem::Value(expr) => {
                    let value = self.expr(expr)?;
                    self.demand(value)?;
                }
                PutItem::Place(place) => {
                    self.located(place)?;
                }
            }
        }
        Ok(())
    }
}
