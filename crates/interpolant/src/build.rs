//! Making terms: every constructor simplifies where that changes neither value nor fault.

use burnside_ir::{BinaryOp, UNDEFINED, UnaryOp};

use crate::names::Class;
use crate::products::{Product, Products};
use crate::term::{AddressId, Knowledge, Node, Term, Terms};

impl Terms {
    pub(crate) fn constant(&mut self, value: i64) -> Term {
        let known = Knowledge { lo: value, hi: value, may_fault: false, may_be_undefined: value == UNDEFINED };
        self.intern(Node::Const(value), known)
    }

    pub(crate) fn truth(&mut self, value: bool) -> Term {
        self.constant(i64::from(value))
    }

    pub(crate) fn name(&mut self, classes: &[Class], class: u32, index: u32) -> Term {
        let Class { lo, size, .. } = classes[class as usize];
        let known = Knowledge { lo, hi: lo + (i64::from(size) - 1), may_fault: false, may_be_undefined: false };
        self.intern(Node::Name { class, index }, known)
    }

    pub(crate) fn parameter(&mut self, at: u32, (lo, hi): (i64, i64)) -> Term {
        let known = Knowledge { lo, hi, may_fault: false, may_be_undefined: false };
        self.intern(Node::Parameter { at, lo, hi }, known)
    }

    /// What is stored at an address whose type has these bounds.
    pub(crate) fn load(&mut self, address: AddressId, (lo, hi): (i64, i64), may_be_undefined: bool) -> Term {
        let indices: Vec<Term> = self.address(address).indices.iter().map(|index| index.term).collect();
        let may_fault = indices.iter().any(|&index| self.known(index).may_fault);
        self.intern(Node::Load(address), Knowledge { lo, hi, may_fault, may_be_undefined })
    }

    /// The constant's value, if this is one.
    pub(crate) fn as_const(&self, term: Term) -> Option<i64> {
        match self.node(term) {
            Node::Const(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn defined(&mut self, inner: Term) -> Term {
        let known = self.known(inner);
        if !known.may_be_undefined {
            return inner;
        }
        self.intern(Node::Defined(inner), Knowledge { may_fault: true, may_be_undefined: false, ..known })
    }

    pub(crate) fn within(&mut self, inner: Term, lo: i64, hi: i64) -> Term {
        let known = self.known(inner);
        if !known.may_be_undefined && lo <= known.lo && known.hi <= hi {
            return inner;
        }
        let known = Knowledge { lo: lo.max(known.lo), hi: hi.min(known.hi), may_fault: true, may_be_undefined: false };
        self.intern(Node::Within(inner, lo, hi), known)
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, operand: Term) -> Term {
        let zero = self.constant(0);
        match op {
            UnaryOp::Not => self.not(operand),
            UnaryOp::Neg => self.binary(BinaryOp::Sub, zero, operand),
            // In two's complement, the complement of x is -1 - x.
            UnaryOp::BitNot => {
                let minus_one = self.constant(-1);
                self.binary(BinaryOp::Sub, minus_one, operand)
            }
        }
    }

    /// An operator on two defined values. Logical ones are for [`all`](Self::all) and [`any`](Self::any).
    pub(crate) fn binary(&mut self, op: BinaryOp, left: Term, right: Term) -> Term {
        match op {
            BinaryOp::Add => self.sum(op, &[(left, 1), (right, 1)]),
            BinaryOp::Sub => self.sum(op, &[(left, 1), (right, -1)]),
            BinaryOp::Mul => match (self.as_const(left), self.as_const(right)) {
                (Some(factor), _) if factor != 0 => self.sum_or(op, (left, right), &[(right, factor)]),
                (_, Some(factor)) if factor != 0 => self.sum_or(op, (left, right), &[(left, factor)]),
                _ => self.apply(op, left, right),
            },
            BinaryOp::Eq => self.equals(left, right),
            BinaryOp::Ne => {
                let equal = self.equals(left, right);
                self.not(equal)
            }
            BinaryOp::Le => self.at_most(left, right, 0),
            BinaryOp::Lt => self.at_most(left, right, -1),
            BinaryOp::Ge => self.at_most(right, left, 0),
            BinaryOp::Gt => self.at_most(right, left, -1),
            BinaryOp::And => self.all(vec![left, right], false),
            BinaryOp::Or => self.any(vec![left, right], false),
            BinaryOp::Implies => {
                let denied = self.not(left);
                self.any(vec![denied, right], false)
            }
            _ => self.apply(op, left, right),
        }
    }

    fn sum(&mut self, op: BinaryOp, products: &[Product]) -> Term {
        self.sum_or(op, (products[0].0, products[1].0), products)
    }

    /// The sum as a sum, if that is the same; else the operator as it stands.
    fn sum_or(&mut self, op: BinaryOp, operands: (Term, Term), products: &[Product]) -> Term {
        match self.linear(products) {
            Some(Linear { products, constant }) => self.intern_sum(products, constant),
            None => self.apply(op, operands.0, operands.1),
        }
    }

    /// The sum of products, unless it may overflow or lose a fault.
    pub(crate) fn sum_of(&mut self, products: &[Product]) -> Option<Term> {
        let Linear { products, constant } = self.linear(products)?;
        Some(self.intern_sum(products, constant))
    }

    /// A term and a number.
    pub(crate) fn plus(&mut self, term: Term, number: i64) -> Term {
        let number = self.constant(number);
        self.binary(BinaryOp::Add, term, number)
    }

    fn intern_sum(&mut self, products: Vec<Product>, constant: i64) -> Term {
        match products[..] {
            [] => self.constant(constant),
            [(term, 1)] if constant == 0 => term,
            _ => {
                let (lo, hi) = self.bounds(&products);
                let may_fault = products.iter().any(|&(term, _)| self.known(term).may_fault);
                let (lo, hi) = ((lo + i128::from(constant)) as i64, (hi + i128::from(constant)) as i64);
                let known = Knowledge { lo, hi, may_fault, may_be_undefined: false };
                self.intern(Node::Sum { products: Products::new(&products), constant }, known)
            }
        }
    }

    /// The products, flat and sorted, if neither overflow nor the loss of a fault is possible.
    pub(crate) fn linear(&self, products: &[Product]) -> Option<Linear> {
        let mut flat: Vec<(Term, i128)> = Vec::new();
        let mut constant = 0i128;
        for &(term, factor) in products {
            let factor = i128::from(factor);
            match self.node(term) {
                Node::Const(value) if *value != UNDEFINED => constant += factor * i128::from(*value),
                Node::Sum { products, constant: inner } => {
                    constant += factor * i128::from(*inner);
                    flat.extend(products.iter().map(|(term, inner)| (term, factor * i128::from(inner))));
                }
                _ => flat.push((term, factor)),
            }
        }
        flat.sort_unstable_by_key(|&(term, _)| term);
        let mut merged: Vec<Product> = Vec::with_capacity(flat.len());
        let mut at = 0;
        while at < flat.len() {
            let term = flat[at].0;
            let end = at + flat[at..].iter().take_while(|it| it.0 == term).count();
            let factor: i128 = flat[at..end].iter().map(|it| it.1).sum();
            at = end;
            if factor != 0 {
                merged.push((term, i64::try_from(factor).ok()?));
            } else if self.known(term).may_fault {
                return None;
            }
        }
        let constant = i64::try_from(constant).ok().filter(|constant| constant.unsigned_abs() < 1 << 62)?;
        let (lo, hi) = self.bounds(&merged);
        let fits = |bound: i128| i64::try_from(bound + i128::from(constant)).is_ok_and(|it| it != UNDEFINED);
        (fits(lo) && fits(hi)).then_some(Linear { products: merged, constant })
    }

    /// Between which values a sum lies.
    pub(crate) fn bounds(&self, products: &[Product]) -> (i128, i128) {
        let limit = i128::MAX / 4;
        products.iter().fold((0i128, 0i128), |(lo, hi), &(term, factor)| {
            let known = self.known(term);
            let ends = [i128::from(known.lo) * i128::from(factor), i128::from(known.hi) * i128::from(factor)];
            let (least, greatest) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            ((lo + least).clamp(-limit, limit), (hi + greatest).clamp(-limit, limit))
        })
    }

    /// The difference of two terms, or a term with the same sign where it cannot be taken apart.
    fn difference(&mut self, left: Term, right: Term) -> Linear {
        match self.linear(&[(left, 1), (right, -1)]) {
            Some(linear) => linear,
            None => Linear { products: vec![(self.apply_comparison(left, right), 1)], constant: 0 },
        }
    }

    /// -1, 0 or 1 as the left is less than, equal to or greater than the right.
    fn apply_comparison(&mut self, left: Term, right: Term) -> Term {
        if let (Some(left), Some(right)) = (self.as_const(left), self.as_const(right)) {
            return self.constant(left.cmp(&right) as i64);
        }
        let known = Knowledge { lo: -1, hi: 1, may_fault: self.one_may_fault(&[left, right]), may_be_undefined: false };
        self.intern(Node::Apply(BinaryOp::Gt, left, right), known)
    }

    fn one_may_fault(&self, terms: &[Term]) -> bool {
        terms.iter().any(|&term| self.known(term).may_fault)
    }

    fn equals(&mut self, left: Term, right: Term) -> Term {
        let Linear { products, constant } = self.difference(left, right);
        self.make_equals(products, -constant)
    }

    fn at_most(&mut self, left: Term, right: Term, slack: i64) -> Term {
        let Linear { products, constant } = self.difference(left, right);
        let bound = slack.saturating_sub(constant);
        self.make_at_most(products, bound)
    }

    /// Whether a sum of sorted products has a value.
    pub(crate) fn make_equals(&mut self, mut products: Vec<Product>, mut value: i64) -> Term {
        if products.first().is_some_and(|&(_, factor)| factor < 0) {
            products.iter_mut().for_each(|it| it.1 = -it.1);
            value = -value;
        }
        let divisor = products.iter().fold(0, |divisor, &(_, factor)| gcd(divisor, factor));
        let may_fault = products.iter().any(|&(term, _)| self.known(term).may_fault);
        let fits = divisor <= 1 || value % divisor == 0;
        if divisor > 1 && fits {
            products.iter_mut().for_each(|it| it.1 /= divisor);
            value /= divisor;
        }
        let (lo, hi) = self.bounds(&products);
        let value_wide = i128::from(value);
        if !may_fault {
            if products.is_empty() || lo == hi {
                return self.truth(lo == value_wide);
            }
            let never = value_wide < lo || hi < value_wide || !fits;
            if never || (value == 0 && self.are_two_names(&products)) {
                return self.truth(false);
            }
        }
        if let ([(term, 1)], true) = (&products[..], lo >= 0 && hi <= 1) {
            let term = *term;
            return match value {
                1 => term,
                0 => self.not(term),
                _ => self.intern_truth(Node::Equals { products: Products::new(&products), value }, may_fault),
            };
        }
        self.intern_truth(Node::Equals { products: Products::new(&products), value }, may_fault)
    }

    /// Whether the sum is the difference of two names of one class, which no renaming makes equal.
    fn are_two_names(&self, products: &[Product]) -> bool {
        let [(left, 1), (right, -1)] = products else { return false };
        match (self.node(*left), self.node(*right)) {
            (Node::Name { class, .. }, Node::Name { class: other, .. }) => class == other,
            _ => false,
        }
    }

    /// Whether a sum of sorted products is at most a bound.
    pub(crate) fn make_at_most(&mut self, mut products: Vec<Product>, mut bound: i64) -> Term {
        let divisor = products.iter().fold(0, |divisor, &(_, factor)| gcd(divisor, factor));
        if divisor > 1 {
            products.iter_mut().for_each(|it| it.1 /= divisor);
            bound = bound.div_euclid(divisor);
        }
        let may_fault = products.iter().any(|&(term, _)| self.known(term).may_fault);
        let (lo, hi) = self.bounds(&products);
        if !may_fault && (hi <= i128::from(bound) || i128::from(bound) < lo) {
            return self.truth(hi <= i128::from(bound));
        }
        if let [(term, factor @ (1 | -1))] = products[..] {
            let known = self.known(term);
            if known.lo == 0 && known.hi == 1 {
                return match (factor, bound) {
                    (1, 0) => self.not(term),
                    (-1, -1) => term,
                    _ => self.intern_truth(Node::AtMost { products: Products::new(&products), bound }, may_fault),
                };
            }
        }
        self.intern_truth(Node::AtMost { products: Products::new(&products), bound }, may_fault)
    }

    fn intern_truth(&mut self, node: Node, may_fault: bool) -> Term {
        self.intern(node, Knowledge { lo: 0, hi: 1, may_fault, may_be_undefined: false })
    }

    pub(crate) fn not(&mut self, inner: Term) -> Term {
        let may_fault = self.known(inner).may_fault;
        match self.node(inner) {
            Node::Const(value) => {
                let value = 1 - value;
                self.constant(value)
            }
            Node::Not(term) => *term,
            Node::AtMost { products, bound } if *bound != i64::MAX && *bound != i64::MIN => {
                let negated = products.iter().map(|(term, factor)| (term, -factor)).collect();
                let bound = -bound - 1;
                self.make_at_most(negated, bound)
            }
            _ => self.intern_truth(Node::Not(inner), may_fault),
        }
    }

    /// Whether all are true; see [`Node::All`].
    pub(crate) fn all(&mut self, parts: Vec<Term>, strict: bool) -> Term {
        self.junction(parts, strict, true)
    }

    /// Whether some are true; see [`Node::Any`].
    pub(crate) fn any(&mut self, parts: Vec<Term>, strict: bool) -> Term {
        self.junction(parts, strict, false)
    }

    /// `neutral` is the value that a part may have without deciding.
    fn junction(&mut self, parts: Vec<Term>, strict: bool, neutral: bool) -> Term {
        // Where nothing can fault, order and strictness make no difference.
        let strict = strict && self.one_may_fault(&parts);
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match self.node(part) {
                Node::Const(value) if (*value != 0) == neutral => {}
                Node::Const(_) if !strict => {
                    flat.push(part);
                    break;
                }
                Node::All { parts, strict: inner } if neutral && *inner == strict => flat.extend_from_slice(parts),
                Node::Any { parts, strict: inner } if !neutral && *inner == strict => flat.extend_from_slice(parts),
                _ => flat.push(part),
            }
        }
        let may_fault = self.one_may_fault(&flat);
        if !may_fault && let Some(&last) = flat.last().filter(|&&last| self.as_const(last).is_some()) {
            return last;
        }
        match flat[..] {
            [] => self.truth(neutral),
            [only] => only,
            _ if neutral => self.intern_truth(Node::All { parts: flat.into(), strict }, may_fault),
            _ => self.intern_truth(Node::Any { parts: flat.into(), strict }, may_fault),
        }
    }

    pub(crate) fn choice(&mut self, condition: Term, yes: Term, no: Term) -> Term {
        match self.as_const(condition) {
            Some(0) => return no,
            Some(_) => return yes,
            None => {}
        }
        if yes == no && !self.known(condition).may_fault {
            return yes;
        }
        let (one, other) = (self.known(yes), self.known(no));
        let known = Knowledge {
            lo: one.lo.min(other.lo),
            hi: one.hi.max(other.hi),
            may_fault: self.one_may_fault(&[condition, yes, no]),
            may_be_undefined: one.may_be_undefined || other.may_be_undefined,
        };
        self.intern(Node::Choice(condition, yes, no), known)
    }

    /// Whether two values, possibly undefined, are the same.
    pub(crate) fn same(&mut self, left: Term, right: Term) -> Term {
        let (one, other) = (self.known(left), self.known(right));
        if left == right && !one.may_fault {
            return self.truth(true);
        }
        if !one.may_be_undefined && !other.may_be_undefined {
            return self.equals(left, right);
        }
        let is_undefined = |value: Option<i64>| value == Some(UNDEFINED);
        let (left_const, right_const) = (self.as_const(left), self.as_const(right));
        let never = (is_undefined(left_const) && !other.may_be_undefined)
            || (is_undefined(right_const) && !one.may_be_undefined);
        let may_fault = one.may_fault || other.may_fault;
        if never && !may_fault {
            return self.truth(false);
        }
        if let (Some(left), Some(right)) = (left_const, right_const) {
            return self.truth(left == right);
        }
        let (left, right) = (left.min(right), left.max(right));
        self.intern_truth(Node::Same(left, right), may_fault)
    }

    /// Whether a value is defined and lies within bounds.
    pub(crate) fn among(&mut self, inner: Term, lo: i64, hi: i64) -> Term {
        let known = self.known(inner);
        if let Some(value) = self.as_const(inner) {
            return self.truth(value != UNDEFINED && (lo..=hi).contains(&value));
        }
        if !known.may_fault {
            if known.hi < lo || hi < known.lo {
                return self.truth(false);
            }
            if !known.may_be_undefined && lo <= known.lo && known.hi <= hi {
                return self.truth(true);
            }
        }
        self.intern_truth(Node::Among(inner, lo, hi), known.may_fault)
    }

    /// Whether a term evaluates without a fault.
    pub(crate) fn evaluates(&mut self, inner: Term) -> Term {
        if !self.known(inner).may_fault {
            return self.truth(true);
        }
        self.intern_truth(Node::Evaluates(inner), false)
    }

    /// An operator that is not looked into; [`BinaryOp::Gt`] stands for the sign of the difference.
    pub(crate) fn apply(&mut self, op: BinaryOp, left: Term, right: Term) -> Term {
        if let (Some(left), Some(right)) = (self.as_const(left), self.as_const(right))
            && let Some(value) = crate::eval::apply(op, left, right)
        {
            return self.constant(value);
        }
        if op == BinaryOp::Gt {
            return self.apply_comparison(left, right);
        }
        let known = self.apply_knowledge(op, left, right);
        self.intern(Node::Apply(op, left, right), known)
    }

    fn apply_knowledge(&self, op: BinaryOp, left: Term, right: Term) -> Knowledge {
        let inherited = self.one_may_fault(&[left, right]);
        let (one, other) = (self.known(left), self.known(right));
        let bounded = |lo, hi| Knowledge { lo, hi, may_fault: inherited, may_be_undefined: false };
        match op {
            BinaryOp::Rem if other.lo > 0 => {
                let most = other.hi - 1;
                bounded(if one.lo >= 0 { 0 } else { -most }, if one.hi <= 0 { 0 } else { most })
            }
            BinaryOp::Div if other.lo > 0 && one.lo >= 0 => bounded(0, one.hi),
            BinaryOp::Mul => {
                let ends = [one.lo, one.hi].map(|left| [other.lo, other.hi].map(|right| left.checked_mul(right)));
                let ends: Option<Vec<i64>> = ends.into_iter().flatten().collect();
                match ends {
                    Some(ends) if !ends.contains(&UNDEFINED) => {
                        bounded(ends.iter().copied().min().unwrap_or(0), ends.iter().copied().max().unwrap_or(0))
                    }
                    _ => Knowledge { may_fault: true, ..bounded(i64::MIN + 1, i64::MAX) },
                }
            }
            BinaryOp::BitAnd if one.lo >= 0 && other.lo >= 0 => bounded(0, one.hi.min(other.hi)),
            _ => Knowledge { may_fault: true, ..bounded(i64::MIN + 1, i64::MAX) },
        }
    }
}

/// A sum in its normal form: sorted, without zeros.
pub(crate) struct Linear {
    pub(crate) products: Vec<Product>,
    pub(crate) constant: i64,
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.saturating_abs(), b.saturating_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
