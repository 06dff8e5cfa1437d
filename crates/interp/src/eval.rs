//! Expressions.

use burnside_diag::Span;
use burnside_ir::{
    Arg, BinaryOp, Call, Domain, Expr, ExprKind, LocalId, Place, Quantifier, Type, TypeId, UNDEFINED, UnaryOp,
};

use crate::FaultKind;
use crate::frame::{Frame, Location};
use crate::machine::{Eval, Machine};

impl<'p> Machine<'p, '_> {
    /// Evaluates an expression to a defined value.
    pub(crate) fn eval(&mut self, expr: &'p Expr) -> Eval<i64> {
        match &expr.kind {
            ExprKind::Const(value) => Ok(*value),
            ExprKind::Read(place) => self.read(place),
            ExprKind::IsUndefined(place) => {
                let at = self.locate(place)?;
                Ok(i64::from(self.load(at) == UNDEFINED))
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, expr.span),
            ExprKind::Binary(op, left, right) if op.is_logical() => self.logical(*op, left, right),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                self.binary(*op, left, right, expr.span)
            }
            ExprKind::SameAggregate(left, right) => self.same_aggregate(left, right),
            ExprKind::Conditional(condition, yes, no) => {
                let branch = if self.eval_bool(condition)? { yes } else { no };
                self.eval(branch)
            }
            ExprKind::Convert(inner) => {
                let value = self.eval(inner)?;
                self.convert(value, inner.ty, expr.ty, expr.span)
            }
            ExprKind::IsMember(place, member) => {
                let at = self.locate(place)?;
                let value = self.load(at);
                Ok(i64::from(self.types().union_member(place.ty, value).is_some_and(|(ty, _)| ty == *member)))
            }
            ExprKind::Quantified(quantifier, local, domain, body) => self.quantified(*quantifier, *local, domain, body),
            ExprKind::Count(local, multiset, condition) => {
                let at = self.locate(multiset)?;
                let mut count = 0;
                for slot in self.occupied(at, multiset.ty) {
                    self.set_local(*local, slot);
                    count += self.eval(condition)?;
                }
                Ok(count)
            }
            ExprKind::SlotNumber(slot) => Ok(self.slot_number(*slot)),
            ExprKind::Call(call) => {
                let at = self.call(call)?;
                let value = self.scratch.stack[at];
                if value == UNDEFINED {
                    let name = &self.program.model.function(call.function).name;
                    let message = format!("the result of `{name}` is undefined");
                    return self.fault(FaultKind::UndefinedRead, call.span, message);
                }
                Ok(value)
            }
        }
    }

    pub(crate) fn eval_bool(&mut self, expr: &'p Expr) -> Eval<bool> {
        Ok(self.eval(expr)? != 0)
    }

    fn read(&mut self, place: &'p Place) -> Eval<i64> {
        let at = self.locate(place)?;
        let value = self.load(at);
        if value == UNDEFINED {
            let name = match at {
                Location::Global(slot) => self.program.layout.slot_name(self.program.model, slot as u32),
                Location::Stack(_) => self.place_name(place),
            };
            return self.fault(FaultKind::UndefinedRead, place.span, format!("`{name}` is undefined"));
        }
        Ok(value)
    }

    fn unary(&mut self, op: UnaryOp, operand: &'p Expr, span: Span) -> Eval<i64> {
        let value = self.eval(operand)?;
        match op {
            UnaryOp::Not => Ok(1 - value),
            UnaryOp::BitNot => self.checked(Some(!value), span),
            UnaryOp::Neg => self.checked(value.checked_neg(), span),
        }
    }

    fn logical(&mut self, op: BinaryOp, left: &'p Expr, right: &'p Expr) -> Eval<i64> {
        let left = self.eval_bool(left)?;
        match op {
            BinaryOp::And if !left => Ok(0),
            BinaryOp::Or if left => Ok(1),
            BinaryOp::Implies if !left => Ok(1),
            _ => self.eval(right),
        }
    }

    fn binary(&self, op: BinaryOp, left: i64, right: i64, span: Span) -> Eval<i64> {
        match op {
            BinaryOp::Add => self.checked(left.checked_add(right), span),
            BinaryOp::Sub => self.checked(left.checked_sub(right), span),
            BinaryOp::Mul => self.checked(left.checked_mul(right), span),
            BinaryOp::Div | BinaryOp::Rem if right == 0 => {
                self.fault(FaultKind::DivisionByZero, span, format!("`{left}` is divided by zero"))
            }
            BinaryOp::Div => self.checked(left.checked_div(right), span),
            BinaryOp::Rem => self.checked(left.checked_rem(right), span),
            BinaryOp::BitAnd => self.checked(Some(left & right), span),
            BinaryOp::BitOr => self.checked(Some(left | right), span),
            BinaryOp::BitXor => self.checked(Some(left ^ right), span),
            BinaryOp::Shl => self.checked(shifted_left(left, right), span),
            BinaryOp::Shr => self.checked(shifted_left(left, right.saturating_neg()), span),
            BinaryOp::Eq => Ok(i64::from(left == right)),
            BinaryOp::Ne => Ok(i64::from(left != right)),
            BinaryOp::Lt => Ok(i64::from(left < right)),
            BinaryOp::Le => Ok(i64::from(left <= right)),
            BinaryOp::Gt => Ok(i64::from(left > right)),
            BinaryOp::Ge => Ok(i64::from(left >= right)),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => unreachable!("evaluated lazily by `logical`"),
        }
    }

    /// The least 64-bit integer stands for "undefined", so arithmetic may not produce it either.
    fn checked(&self, value: Option<i64>, span: Span) -> Eval<i64> {
        match value {
            Some(value) if value != UNDEFINED => Ok(value),
            _ => self.fault(FaultKind::Overflow, span, "the result does not fit 64 bits"),
        }
    }

    fn same_aggregate(&mut self, left: &'p Place, right: &'p Place) -> Eval<i64> {
        let (left_at, right_at) = (self.locate(left)?, self.locate(right)?);
        let n_slots = self.types().shape(left.ty).n_slots as usize;
        let same = (0..n_slots).all(|slot| self.load(left_at.offset(slot)) == self.load(right_at.offset(slot)));
        Ok(i64::from(same))
    }

    fn convert(&self, value: i64, from: TypeId, to: TypeId, span: Span) -> Eval<i64> {
        let types = self.types();
        if let Some(offset) = types.union_offset(to, from) {
            return Ok(value + offset);
        }
        if from != to && matches!(types.get(from), Type::Union { .. }) {
            return match types.union_member(from, value) {
                Some((member, inner)) if member == to => Ok(inner),
                _ => {
                    let (value, to) = (types.value_name(from, value), types.type_name(to));
                    self.fault(FaultKind::ValueOutOfRange, span, format!("value `{value}` is not a `{to}`"))
                }
            };
        }
        self.check_range(value, to, from, span)?;
        Ok(value)
    }

    fn quantified(&mut self, quantifier: Quantifier, local: LocalId, domain: &'p Domain, body: &'p Expr) -> Eval<i64> {
        let deciding = quantifier == Quantifier::Exists;
        let strict = matches!(domain, Domain::Type(ty) if self.program.strict[ty.index()]);
        let mut decided = false;
        for value in self.domain(domain)? {
            self.set_local(local, value);
            decided |= self.eval_bool(body)? == deciding;
            if decided && !strict {
                break;
            }
        }
        Ok(i64::from(decided == deciding))
    }

    /// The values of a domain, fixed before the first is used.
    pub(crate) fn domain(&mut self, domain: &'p Domain) -> Eval<DomainValues> {
        Ok(match domain {
            Domain::Type(ty) => {
                let shape = self.types().shape(*ty);
                DomainValues::Range { next: shape.lo, to: shape.hi, step: 1 }
            }
            Domain::Range { from, to, step } => {
                DomainValues::Range { next: self.eval(from)?, to: self.eval(to)?, step: *step }
            }
            Domain::Slots(multiset) => {
                let at = self.locate(multiset)?;
                DomainValues::Listed(self.occupied(at, multiset.ty).into_iter())
            }
        })
    }

    /// Runs a function in a frame of its own and returns the stack slot where its result starts (meaningless for a
    /// procedure). The result lives until the statement that contains the call ends.
    pub(crate) fn call(&mut self, call: &'p Call) -> Eval<usize> {
        let function = self.program.model.function(call.function);
        if self.call_depth >= self.program.limits.call_depth {
            let message =
                format!("calls of `{}` are nested more than {} deep", function.name, self.program.limits.call_depth);
            return self.fault(FaultKind::CallLimit, call.span, message);
        }
        let layout = self.program.function_frame(call.function);
        let result_size = function.result.map_or(0, |ty| self.types().shape(ty).n_slots);
        let call_slots = self.call_slots.saturating_add(layout.size).saturating_add(result_size);
        if call_slots > self.program.limits.call_slots {
            let message = format!(
                "the variables of nested calls of `{}` take more than {} scalars",
                function.name, self.program.limits.call_slots
            );
            return self.fault(FaultKind::CallLimit, call.span, message);
        }
        let result_at = self.scratch.stack.len();
        let result_size = result_size as usize;
        let base = result_at + result_size;
        self.scratch.stack.resize(base + layout.size as usize, UNDEFINED);
        for ((param, arg), offset) in function.locals.iter().zip(&call.args).zip(&layout.offsets) {
            let at = base + *offset as usize;
            match arg {
                Arg::Value(operand) => self.store_operand(Location::Stack(at), param.ty, operand, call.span)?,
                Arg::Reference(place) => {
                    let target = self.locate(place)?;
                    self.scratch.stack[at] = target.to_value();
                }
            }
        }
        let result = function.result.map(|ty| (result_at, ty));
        let caller = std::mem::replace(&mut self.frame, Frame { layout, locals: &function.locals, base, result });
        let outer_slots = std::mem::replace(&mut self.call_slots, call_slots);
        self.call_depth += 1;
        let returned = self.run(&function.body)?;
        self.call_depth -= 1;
        self.call_slots = outer_slots;
        self.frame = caller;
        self.scratch.stack.truncate(base);
        if function.result.is_some() && !returned {
            let message = format!("function `{}` ended without a result", function.name);
            return self.fault(FaultKind::NoResult, function.span, message);
        }
        Ok(result_at)
    }
}

/// The value times a power of two, rounded down; none if it leaves the 64-bit integers.
fn shifted_left(value: i64, distance: i64) -> Option<i64> {
    match distance {
        0..64 => Some(value << distance).filter(|shifted| shifted >> distance == value),
        64.. => (value == 0).then_some(0),
        -63..0 => Some(value >> -distance),
        _ => Some(value >> 63),
    }
}

/// An iterator over the values of a domain.
pub(crate) enum DomainValues {
    Range { next: i64, to: i64, step: i64 },
    Listed(std::vec::IntoIter<i64>),
}

impl DomainValues {
    /// Leaves out all values but one, without going through them.
    pub(crate) fn retain(&mut self, wanted: i64) {
        let kept = match self {
            Self::Range { next, to, step } => {
                let inside = if *step > 0 { (*next..=*to).contains(&wanted) } else { (*to..=*next).contains(&wanted) };
                inside && (i128::from(wanted) - i128::from(*next)) % i128::from(*step) == 0
            }
            Self::Listed(values) => values.as_slice().contains(&wanted),
        };
        *self = Self::Listed(if kept { vec![wanted] } else { Vec::new() }.into_iter());
    }
}

impl Iterator for DomainValues {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        match self {
            Self::Range { next, to, step } => {
                let value = *next;
                let inside = if *step > 0 { value <= *to } else { value >= *to };
                if !inside {
                    return None;
                }
                match value.checked_add(*step) {
                    Some(following) => *next = following,
                    None => *self = Self::Listed(Vec::new().into_iter()),
                }
                Some(value)
            }
            Self::Listed(values) => values.next(),
        }
    }
}
