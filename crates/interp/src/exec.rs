//! Statements.

use std::fmt::Write as _;

use burnside_ir::{Block, Operand, Place, PutItem, Stmt, StmtKind, TypeId, UNDEFINED, Value};

use crate::FaultKind;
use crate::frame::Location;
use crate::machine::{Eval, Machine, Stop};

/// Whether execution goes on behind a statement.
#[derive(PartialEq, Eq)]
enum Flow {
    Next,
    Return,
}

impl<'p> Machine<'p, '_> {
    /// Executes a body; true if it was left by a `return`.
    pub(crate) fn run(&mut self, block: &'p Block) -> Eval<bool> {
        Ok(self.block(block)? == Flow::Return)
    }

    fn block(&mut self, block: &'p Block) -> Eval<Flow> {
        for stmt in block {
            let height = self.scratch.stack.len();
            let flow = self.stmt(stmt)?;
            self.scratch.stack.truncate(height);
            if flow == Flow::Return {
                return Ok(Flow::Return);
            }
        }
        Ok(Flow::Next)
    }

    fn stmt(&mut self, stmt: &'p Stmt) -> Eval<Flow> {
        match &stmt.kind {
            StmtKind::Assign { target, source } => {
                self.assign(target, source, stmt)?;
            }
            StmtKind::Clear(place) => {
                let at = self.locate(place)?;
                self.clear(at, place.ty);
            }
            StmtKind::Bind { local, place } => {
                let at = self.locate(place)?;
                self.bind(*local, at);
            }
            StmtKind::If { arms, otherwise } => {
                for (condition, block) in arms {
                    if self.eval_bool(condition)? {
                        return self.block(block);
                    }
                }
                return self.block(otherwise);
            }
            StmtKind::While { condition, body } => {
                let mut rounds = 0;
                while self.eval_bool(condition)? {
                    rounds += 1;
                    if rounds > self.program.limits.loop_rounds {
                        let message = format!("the loop takes more than {} rounds", self.program.limits.loop_rounds);
                        return self.fault(FaultKind::LoopLimit, stmt.span, message);
                    }
                    if self.block(body)? == Flow::Return {
                        return Ok(Flow::Return);
                    }
                }
            }
            StmtKind::For { local, domain, body } => {
                for value in self.domain(domain)? {
                    self.set_local(*local, value);
                    if self.block(body)? == Flow::Return {
                        return Ok(Flow::Return);
                    }
                }
            }
            StmtKind::Call { call, result } => {
                let from = self.call(call)?;
                if let Some(local) = result {
                    let to = self.local_at(*local);
                    for slot in 0..self.types().shape(self.frame.locals[local.index()].ty).n_slots as usize {
                        self.store(to.offset(slot), self.load(Location::Stack(from + slot)));
                    }
                }
            }
            StmtKind::Assert { condition, message } => {
                if !self.eval_bool(condition)? {
                    let message = if message.is_empty() { "assertion failed".to_owned() } else { message.clone() };
                    return self.fault(FaultKind::Assertion, stmt.span, message);
                }
            }
            StmtKind::Assume(condition) => {
                if !self.eval_bool(condition)? {
                    return Err(Stop::Pruned);
                }
            }
            StmtKind::Cover { property, condition } => {
                if self.eval_bool(condition)? {
                    self.scratch.covered.push(*property);
                }
            }
            StmtKind::Error(message) => return self.fault(FaultKind::Error, stmt.span, message.clone()),
            StmtKind::Put(items) => self.put(items)?,
            StmtKind::Return(value) => {
                if let (Some(operand), Some((at, ty))) = (value, self.frame.result) {
                    self.store_operand(Location::Stack(at), ty, operand, stmt.span)?;
                }
                return Ok(Flow::Return);
            }
            StmtKind::Insert { multiset, element } => self.insert(multiset, element, stmt)?,
            StmtKind::Remove(element) => {
                let at = self.locate(element)?;
                self.vacate(at.before(), element.ty);
            }
            StmtKind::RemoveWhere { multiset, local, condition } => {
                let at = self.locate(multiset)?;
                let (_, stride) = self.multiset(multiset.ty);
                let element = self.element_type(multiset.ty);
                for slot in self.occupied(at, multiset.ty) {
                    self.set_local(*local, slot);
                    if self.eval_bool(condition)? {
                        self.vacate(at.offset(slot as usize * stride), element);
                    }
                }
            }
        }
        Ok(Flow::Next)
    }

    fn assign(&mut self, target: &'p Place, source: &'p Operand, stmt: &'p Stmt) -> Eval<()> {
        if let Operand::Value(expr) = source {
            let value = self.eval(expr)?;
            self.check_range(value, target.ty, expr.ty, stmt.span)?;
            let at = self.locate(target)?;
            self.store(at, value);
            return Ok(());
        }
        let at = self.locate(target)?;
        self.store_operand(at, target.ty, source, stmt.span)
    }

    fn insert(&mut self, multiset: &'p Place, element: &'p Operand, stmt: &'p Stmt) -> Eval<()> {
        let at = self.locate(multiset)?;
        let (capacity, stride) = self.multiset(multiset.ty);
        let free = (0..capacity).find(|slot| self.load(at.offset(slot * stride)) == UNDEFINED);
        let Some(slot) = free else {
            let message = format!("multiset `{}` already holds {capacity} elements", self.place_name(multiset));
            return self.fault(FaultKind::MultisetFull, stmt.span, message);
        };
        let presence = at.offset(slot * stride);
        self.store_operand(presence.offset(1), self.element_type(multiset.ty), element, stmt.span)?;
        self.store(presence, 0);
        Ok(())
    }

    fn vacate(&mut self, presence: Location, element: TypeId) {
        for slot in 0..self.types().shape(element).n_slots as usize + 1 {
            self.store(presence.offset(slot), UNDEFINED);
        }
    }

    fn element_type(&self, multiset: TypeId) -> TypeId {
        self.types().get(multiset).multiset().expect("verified: a multiset").1
    }

    fn put(&mut self, items: &'p [PutItem]) -> Eval<()> {
        for item in items {
            let text = match item {
                PutItem::Text(text) => text.clone(),
                PutItem::Value(expr) => {
                    let value = self.eval(expr)?;
                    self.types().value_name(expr.ty, value)
                }
                PutItem::Place(place) => {
                    let at = self.locate(place)?;
                    let n_slots = self.types().shape(place.ty).n_slots as usize;
                    let values: Vec<i64> = (0..n_slots).map(|slot| self.load(at.offset(slot))).collect();
                    Value::read(self.types(), place.ty, &values).to_string()
                }
            };
            if let Some(output) = &mut self.scratch.output {
                let _ = write!(output, "{text}");
            }
        }
        Ok(())
    }
}
