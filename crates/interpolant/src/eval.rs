//! The value of a term in a state, with names renamed.

use burnside_ir::{BinaryOp, UNDEFINED};

use crate::names::Class;
use crate::products::Products;
use crate::term::{AddressId, Node, Root, Term, Terms};

/// By class and name, the name that takes its place.
pub(crate) type Renaming = Vec<Vec<u32>>;

/// Evaluation ended in a fault. Which one, the interpreter knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Faulted;

/// A state and what names stand for in it.
#[derive(Clone, Copy)]
pub(crate) struct World<'a> {
    pub(crate) terms: &'a Terms,
    pub(crate) classes: &'a [Class],
    pub(crate) state: &'a [i64],
    pub(crate) renaming: &'a [Vec<u32>],
    /// The values of the large parameters of the instance that is looked at; facts of finished states mention none.
    pub(crate) params: &'a [i64],
}

impl World<'_> {
    /// The value of a term, `UNDEFINED` included.
    pub(crate) fn value(&self, term: Term) -> Result<i64, Faulted> {
        match self.terms.node(term) {
            Node::Const(value) => Ok(*value),
            Node::Name { class, index } => {
                let renamed = self.renaming[*class as usize][*index as usize];
                Ok(self.classes[*class as usize].lo + i64::from(renamed))
            }
            Node::Parameter { at, .. } => Ok(self.params[*at as usize]),
            Node::Load(address) => Ok(self.state[self.slot(*address)?]),
            Node::Sum { products, constant } => {
                let value = self.total(products)? + i128::from(*constant);
                checked(i64::try_from(value).ok())
            }
            Node::Apply(BinaryOp::Gt, left, right) => Ok(self.value(*left)?.cmp(&self.value(*right)?) as i64),
            Node::Apply(op, left, right) => apply(*op, self.value(*left)?, self.value(*right)?).ok_or(Faulted),
            Node::Defined(inner) => checked(Some(self.value(*inner)?)),
            Node::Within(inner, lo, hi) => {
                let value = self.value(*inner)?;
                if (*lo..=*hi).contains(&value) { Ok(value) } else { Err(Faulted) }
            }
            Node::AtMost { products, bound } => Ok(i64::from(self.total(products)? <= i128::from(*bound))),
            Node::Equals { products, value } => Ok(i64::from(self.total(products)? == i128::from(*value))),
            Node::Not(inner) => Ok(1 - self.value(*inner)?),
            Node::All { parts, strict } => self.junction(parts, *strict, 0),
            Node::Any { parts, strict } => self.junction(parts, *strict, 1),
            Node::Choice(condition, yes, no) => {
                let branch = if self.value(*condition)? != 0 { yes } else { no };
                self.value(*branch)
            }
            Node::Same(left, right) => Ok(i64::from(self.value(*left)? == self.value(*right)?)),
            Node::Among(inner, lo, hi) => {
                let value = self.value(*inner)?;
                Ok(i64::from(value != UNDEFINED && (*lo..=*hi).contains(&value)))
            }
            Node::Evaluates(inner) => Ok(i64::from(self.value(*inner).is_ok())),
        }
    }

    /// Whether a fact holds: the term evaluates, and is true.
    pub(crate) fn holds(&self, fact: Term) -> bool {
        self.value(fact) == Ok(1)
    }

    /// The slot that an address of the state leads to.
    pub(crate) fn slot(&self, address: AddressId) -> Result<usize, Faulted> {
        let address = self.terms.address(address);
        debug_assert!(address.root == Root::State, "only the state is loaded from");
        let mut slot = i64::from(address.offset);
        for index in &address.indices {
            slot += (self.value(index.term)? - index.lo) * i64::from(index.stride);
        }
        Ok(slot as usize)
    }

    fn total(&self, products: &Products) -> Result<i128, Faulted> {
        let mut total = 0i128;
        for (term, factor) in products.iter() {
            total += i128::from(self.value(term)?) * i128::from(factor);
        }
        Ok(total)
    }

    fn junction(&self, parts: &[Term], strict: bool, deciding: i64) -> Result<i64, Faulted> {
        let mut value = 1 - deciding;
        for &part in parts {
            if self.value(part)? == deciding {
                value = deciding;
                if !strict {
                    break;
                }
            }
        }
        Ok(value)
    }
}

fn checked(value: Option<i64>) -> Result<i64, Faulted> {
    value.filter(|&value| value != UNDEFINED).ok_or(Faulted)
}

/// An arithmetic operator as the interpreter has it; none for a fault.
pub(crate) fn apply(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
    let value = match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Sub => left.checked_sub(right),
        BinaryOp::Mul => left.checked_mul(right),
        BinaryOp::Div => left.checked_div(right),
        BinaryOp::Rem => left.checked_rem(right),
        BinaryOp::BitAnd => Some(left & right),
        BinaryOp::BitOr => Some(left | right),
        BinaryOp::BitXor => Some(left ^ right),
        BinaryOp::Shl => shifted_left(left, right),
        BinaryOp::Shr => shifted_left(left, right.saturating_neg()),
        BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Implies => None,
    };
    value.filter(|&value| value != UNDEFINED)
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
