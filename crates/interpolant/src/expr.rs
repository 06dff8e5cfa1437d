//! Expressions as terms.

use burnside_ir::{
    Arg, BinaryOp, Call, Domain, Expr, ExprKind, LocalId, Place, PlaceBase, Projection, Quantifier, Type, TypeId,
    UNDEFINED,
};

use crate::memory::Spot;
use crate::stmt::Flow;
use crate::term::{Index, Root, Term};
use crate::trace::{Bound, Stop, Traced, Tracer};

/// Quantifiers and loops over more values are not taken apart.
const MOST_VALUES: u64 = 4096;

impl<'m> Tracer<'_, 'm> {
    /// A term that evaluates as the expression does, faults included, wherever the facts so far hold.
    pub(crate) fn expr(&mut self, expr: &'m Expr) -> Traced<Term> {
        match &expr.kind {
            ExprKind::Const(value) => Ok(self.terms.constant(*value)),
            ExprKind::Read(place) => {
                let raw = self.raw(place)?;
                Ok(self.terms.defined(raw))
            }
            ExprKind::IsUndefined(place) => {
                let raw = self.raw(place)?;
                let undefined = self.terms.constant(UNDEFINED);
                Ok(self.terms.same(raw, undefined))
            }
            ExprKind::Unary(op, operand) => {
                let operand = self.expr(operand)?;
                Ok(self.terms.unary(*op, operand))
            }
            ExprKind::Binary(op, left, right) if op.is_logical() => self.logical(*op, left, right),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                Ok(self.terms.binary(*op, left, right))
            }
            ExprKind::SameAggregate(left, right) => self.same_aggregate(left, right),
            ExprKind::Conditional(condition, yes, no) => self.conditional(condition, yes, no),
            ExprKind::Convert(inner) => {
                let term = self.expr(inner)?;
                self.convert(term, inner.ty, expr.ty)
            }
            ExprKind::IsMember(place, member) => {
                let raw = self.raw(place)?;
                let types = &self.setup.model().types;
                let Some(offset) = types.union_offset(place.ty, *member) else { return Err(Stop::Lost) };
                let size = types.shape(*member).cardinality() as i64;
                Ok(self.terms.among(raw, offset, offset + size - 1))
            }
            ExprKind::Quantified(quantifier, local, domain, body) => self.quantified(*quantifier, *local, domain, body),
            ExprKind::Call(call) => {
                let (root, ty) = self.call(call)?.ok_or(Stop::Lost)?;
                let raw = self.read(Spot { root, offset: 0, indices: Vec::new(), ty })?;
                Ok(self.terms.defined(raw))
            }
            ExprKind::Count(..) | ExprKind::SlotNumber(_) => Err(Stop::Lost),
        }
    }

    /// What a scalar place holds, possibly undefined.
    pub(crate) fn raw(&mut self, place: &'m Place) -> Traced<Term> {
        let spot = self.locate(place)?;
        self.read(spot)
    }

    /// Finds a place. An index outside its type faults when the term of the index is evaluated.
    pub(crate) fn locate(&mut self, place: &'m Place) -> Traced<Spot> {
        let model = self.setup.model();
        let mut spot = match &place.base {
            PlaceBase::Global(global) => {
                let offset = self.setup.task.layout.global(*global);
                Spot { root: Root::State, offset, indices: Vec::new(), ty: model.global(*global).ty }
            }
            PlaceBase::Local(local) => self.local_spot(*local)?,
            PlaceBase::Call(call) => {
                let (root, ty) = self.call(call)?.ok_or(Stop::Lost)?;
                Spot { root, offset: 0, indices: Vec::new(), ty }
            }
        };
        for projection in &place.path {
            match (projection, model.types.get(spot.ty)) {
                (Projection::Field(field), Type::Record { fields }) => {
                    spot.offset += model.types.field_offset(spot.ty, *field);
                    spot.ty = fields[*field as usize].ty;
                }
                (Projection::Index(index), &Type::Array { index: ty, element }) => {
                    let shape = model.types.shape(ty);
                    let term = self.expr(index)?;
                    let term = self.terms.within(term, shape.lo, shape.hi);
                    let stride = model.types.shape(element).n_slots;
                    spot.indices.push(Index { term, ty, lo: shape.lo, stride });
                    spot.ty = element;
                }
                _ => return Err(Stop::Lost),
            }
        }
        Ok(spot)
    }

    /// Traces what is not reached in this state; whatever would need a fact is lost.
    fn speculate<T>(&mut self, trace: impl FnOnce(&mut Self) -> Traced<T>) -> Traced<T> {
        let (was, height) = (self.speculative, self.frames.len());
        self.speculative = true;
        let traced = trace(self);
        self.speculative = was;
        self.frames.truncate(height);
        traced
    }

    fn logical(&mut self, op: BinaryOp, left: &'m Expr, right: &'m Expr) -> Traced<Term> {
        let left = self.expr(left)?;
        // The value of the left operand that decides, and what it decides for.
        let (deciding, decided) = match op {
            BinaryOp::And => (0, false),
            BinaryOp::Or => (1, true),
            _ => (0, true),
        };
        if self.terms.as_const(left) == Some(deciding) {
            return Ok(self.terms.truth(decided));
        }
        let is_decided = !self.speculative && self.value(left) == Ok(deciding);
        if !is_decided {
            let right = self.expr(right)?;
            return Ok(self.terms.binary(op, left, right));
        }
        match self.speculate(|tracer| tracer.expr(right)) {
            Ok(right) => Ok(self.terms.binary(op, left, right)),
            Err(_) => {
                self.rely(left, deciding != 0)?;
                Ok(self.terms.truth(decided))
            }
        }
    }

    fn conditional(&mut self, condition: &'m Expr, yes: &'m Expr, no: &'m Expr) -> Traced<Term> {
        let condition = self.expr(condition)?;
        match self.terms.as_const(condition) {
            Some(0) => return self.expr(no),
            Some(_) => return self.expr(yes),
            None => {}
        }
        if self.speculative {
            let (yes, no) = (self.expr(yes)?, self.expr(no)?);
            return Ok(self.terms.choice(condition, yes, no));
        }
        let is_true = self.value(condition).map_err(|_| Stop::Lost)? != 0;
        let (taken, other) = if is_true { (yes, no) } else { (no, yes) };
        let taken = self.expr(taken)?;
        match self.speculate(|tracer| tracer.expr(other)) {
            Ok(other) if is_true => Ok(self.terms.choice(condition, taken, other)),
            Ok(other) => Ok(self.terms.choice(condition, other, taken)),
            Err(_) => {
                self.rely(condition, is_true)?;
                Ok(taken)
            }
        }
    }

    fn same_aggregate(&mut self, left: &'m Place, right: &'m Place) -> Traced<Term> {
        let (left, right) = (self.locate(left)?, self.locate(right)?);
        let mut parts = Vec::new();
        for (left, right) in self.leaf_pairs(left, right)? {
            let (left, right) = (self.read(left)?, self.read(right)?);
            parts.push(self.terms.same(left, right));
        }
        // Comparing slots faults only where finding the places does, which comes first for all of them.
        Ok(self.terms.all(parts, true))
    }

    fn convert(&mut self, term: Term, from: TypeId, to: TypeId) -> Traced<Term> {
        let types = &self.setup.model().types;
        if let Some(offset) = types.union_offset(to, from) {
            return Ok(self.terms.plus(term, offset));
        }
        if from != to && matches!(types.get(from), Type::Union { .. }) {
            let offset = types.union_offset(from, to).ok_or(Stop::Lost)?;
            let size = types.shape(to).cardinality() as i64;
            let member = self.terms.within(term, offset, offset + size - 1);
            return Ok(self.terms.plus(member, -offset));
        }
        let shape = types.shape(to);
        Ok(self.terms.within(term, shape.lo, shape.hi))
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        local: LocalId,
        domain: &'m Domain,
        body: &'m Expr,
    ) -> Traced<Term> {
        let (values, are_names) = self.domain(domain, true)?;
        if are_names {
            let facts = self.facts.len();
            if let Ok(term) = self.quantified_names(quantifier, local, &values, body) {
                return Ok(term);
            }
            self.facts.truncate(facts);
        }
        let Domain::Type(ty) = domain else { return self.quantified_values(quantifier, local, &values, body) };
        let shape = self.setup.model().types.shape(*ty);
        let values: Vec<Term> = (shape.lo..=shape.hi).map(|value| self.terms.constant(value)).collect();
        self.quantified_values(quantifier, local, &values, body)
    }

    /// A quantifier over names, all of which are looked at.
    // SOUND: the interpreter stops at the first value that decides, in an order that a renaming does not keep. Here it is
    // a condition that no value at all faults, so the order makes no difference.
    fn quantified_names(
        &mut self,
        quantifier: Quantifier,
        local: LocalId,
        values: &[Term],
        body: &'m Expr,
    ) -> Traced<Term> {
        let height = self.frames.len();
        let mut parts = Vec::with_capacity(values.len());
        for &value in values {
            self.set_local(local, value)?;
            let part = self.expr(body);
            if part.is_err() {
                self.frames.truncate(height);
            }
            parts.push(part?);
        }
        let term = self.junction(quantifier, parts, true);
        let is_good = self.speculative || self.value(term).is_ok();
        if is_good { Ok(term) } else { Err(Stop::Lost) }
    }

    /// A quantifier over values in their order, up to the first that decides.
    fn quantified_values(
        &mut self,
        quantifier: Quantifier,
        local: LocalId,
        values: &[Term],
        body: &'m Expr,
    ) -> Traced<Term> {
        let deciding = i64::from(quantifier == Quantifier::Exists);
        let mut parts = Vec::new();
        for &value in values {
            self.set_local(local, value)?;
            let part = self.expr(body)?;
            parts.push(part);
            if self.terms.as_const(part) == Some(deciding) {
                break;
            }
            if !self.speculative && self.value(part) == Ok(deciding) {
                // Nothing behind it is reached here, so that it may not be reached elsewhere either.
                let reached = self.junction(quantifier, parts, false);
                self.rely(reached, deciding != 0)?;
                return Ok(self.terms.truth(deciding != 0));
            }
        }
        Ok(self.junction(quantifier, parts, false))
    }

    fn junction(&mut self, quantifier: Quantifier, parts: Vec<Term>, strict: bool) -> Term {
        match quantifier {
            Quantifier::Forall => self.terms.all(parts, strict),
            Quantifier::Exists => self.terms.any(parts, strict),
        }
    }

    /// The values of a domain, and whether names are among them. With `by_name` unset they are numbers all.
    pub(crate) fn domain(&mut self, domain: &'m Domain, by_name: bool) -> Traced<(Vec<Term>, bool)> {
        match domain {
            Domain::Type(ty) => {
                let shape = self.setup.model().types.shape(*ty);
                if shape.cardinality() > MOST_VALUES {
                    return Err(Stop::Lost);
                }
                let mut are_names = false;
                let mut values = Vec::new();
                for value in shape.lo..=shape.hi {
                    let term = if by_name { self.word(*ty, value) } else { self.terms.constant(value) };
                    are_names |= self.terms.as_const(term).is_none();
                    values.push(term);
                }
                Ok((values, are_names))
            }
            Domain::Range { from, to, step } => {
                let (from, to) = (self.pinned(from)?, self.pinned(to)?);
                let mut values = Vec::new();
                let mut next = Some(from);
                while let Some(value) = next.filter(|&value| if *step > 0 { value <= to } else { value >= to }) {
                    if values.len() as u64 == MOST_VALUES {
                        return Err(Stop::Lost);
                    }
                    values.push(self.terms.constant(value));
                    next = value.checked_add(*step);
                }
                Ok((values, false))
            }
            Domain::Slots(_) => Err(Stop::Lost),
        }
    }

    /// The value of an expression, which it is a fact to have.
    fn pinned(&mut self, expr: &'m Expr) -> Traced<i64> {
        let term = self.expr(expr)?;
        if let Some(value) = self.terms.as_const(term) {
            return Ok(value);
        }
        if self.speculative {
            return Err(Stop::Lost);
        }
        let value = self.value(term).map_err(|_| Stop::Lost)?;
        let constant = self.terms.constant(value);
        let equal = self.terms.binary(BinaryOp::Eq, term, constant);
        self.rely(equal, true)?;
        Ok(value)
    }

    /// Traces the body of a function; what it returns lies where the result says.
    pub(crate) fn call(&mut self, call: &'m Call) -> Traced<Option<(Root, TypeId)>> {
        let function = self.setup.model().function(call.function);
        let limits = self.setup.task.step_limits;
        if self.frames.len() as u32 > limits.call_depth.min(2_000) {
            return Err(Stop::Lost);
        }
        let result = function.result.map(|ty| (self.fresh(), ty));
        let mut bound = Vec::new();
        for (param, arg) in function.locals.iter().zip(&call.args) {
            bound.push(match arg {
                Arg::Value(operand) => {
                    let root = self.fresh();
                    let spot = Spot { root, offset: 0, indices: Vec::new(), ty: param.ty };
                    self.store(spot, operand)?;
                    Bound::Owned(root)
                }
                Arg::Reference(place) => {
                    let spot = self.locate(place)?;
                    self.demand_indices(&spot)?;
                    Bound::Reference(Some(spot))
                }
            });
        }
        self.push_frame(&function.locals, result);
        let frame = self.frame();
        for (at, bound) in bound.into_iter().enumerate() {
            frame.bound[at] = bound;
        }
        let flow = self.block(&function.body)?;
        self.frames.pop();
        if function.result.is_some() && flow != Flow::Return { Err(Stop::Lost) } else { Ok(result) }
    }
}
