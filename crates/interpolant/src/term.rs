//! Terms: what a model computes, as a function of the state a step starts from and of names.
//!
//! Every term is kept once ([`Terms`]) and known by its number, together with what follows from it alone: between which
//! bounds its value lies, whether evaluating it may fault, whether the value may be undefined.

use std::rc::Rc;

use burnside_ir::{BinaryOp, TypeId};
use rustc_hash::FxHashMap;

use crate::names::Class;
use crate::products::Products;

/// A term, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term(pub(crate) u32);

/// An address, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct AddressId(pub(crate) u32);

/// The forms of a term. Truth values are 0 and 1, as everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// A value, possibly undefined.
    Const(i64),
    /// A member of a class of names.
    Name { class: u32, index: u32 },
    /// A large parameter of the instance that is looked at, which lies between bounds.
    Parameter { at: u32, lo: i64, hi: i64 },
    /// What is stored at an address, possibly undefined.
    Load(AddressId),
    /// A sum; sorted by term, and proved not to leave the 64-bit integers.
    Sum { products: Products, constant: i64 },
    /// An operator that is not further looked into.
    Apply(BinaryOp, Term, Term),
    /// The value; a fault if it is undefined.
    Defined(Term),
    /// The value; a fault if it lies outside.
    Within(Term, i64, i64),
    /// Whether a sum is at most a bound.
    AtMost { products: Products, bound: i64 },
    /// Whether a sum has a value.
    Equals { products: Products, value: i64 },
    /// Negation.
    Not(Term),
    /// Whether all are true. If `strict` all are evaluated, else only up to the first that is false.
    All { parts: Box<[Term]>, strict: bool },
    /// Whether some are true. If `strict` all are evaluated, else only up to the first that is true.
    Any { parts: Box<[Term]>, strict: bool },
    /// The second if the first is true, else the third.
    Choice(Term, Term, Term),
    /// Whether two values are equal, undefined being equal to itself.
    Same(Term, Term),
    /// Whether a value is defined and lies within bounds.
    Among(Term, i64, i64),
    /// Whether a term evaluates without a fault. Never faults itself.
    Evaluates(Term),
}

/// Where a scalar lies: a slot of its variable for each choice of indices.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Address {
    pub(crate) root: Root,
    /// The slot, counted from the root's first, where all indices are least.
    pub(crate) offset: u32,
    /// The indices on the way.
    pub(crate) indices: Box<[Index]>,
    /// The type of the scalar.
    pub(crate) ty: TypeId,
}

/// What an address starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// The slots of the state.
    State,
    /// A variable that lives while a step is taken.
    Local(u32),
}

/// An index into an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Index {
    /// Its value, a value of `ty`.
    pub(crate) term: Term,
    pub(crate) ty: TypeId,
    /// The least value.
    pub(crate) lo: i64,
    /// Slots between elements.
    pub(crate) stride: u32,
}

/// What follows from a term alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Knowledge {
    pub(crate) lo: i64,
    pub(crate) hi: i64,
    pub(crate) may_fault: bool,
    pub(crate) may_be_undefined: bool,
}

/// How much of a tree a term is, with shared parts counted each time.
#[derive(Debug, Clone, Copy)]
struct Weight {
    size: u32,
    depth: u32,
}

/// Terms with more nodes are not reasoned about.
const MOST_NODES: u32 = 20_000;
/// Nor are those with more levels.
const MOST_LEVELS: u32 = 100;

/// All terms and addresses in use.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    nodes: Vec<Rc<Node>>,
    known: Vec<Knowledge>,
    weights: Vec<Weight>,
    numbers: FxHashMap<Rc<Node>, Term>,
    addresses: Vec<Address>,
    address_numbers: FxHashMap<Address, AddressId>,
    bytes: u64,
}

impl Terms {
    /// No terms but the names, one after the other.
    pub(crate) fn new(classes: &[Class]) -> Self {
        let mut terms = Self::default();
        for (class, definition) in (0..).zip(classes) {
            (0..definition.size).for_each(|index| {
                terms.name(classes, class, index);
            });
        }
        terms
    }

    pub(crate) fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    pub(crate) fn known(&self, term: Term) -> Knowledge {
        self.known[term.0 as usize]
    }

    pub(crate) fn address(&self, address: AddressId) -> &Address {
        &self.addresses[address.0 as usize]
    }

    /// Whether evaluating a term takes too long, or too much of the stack.
    pub(crate) fn is_heavy(&self, term: Term) -> bool {
        let Weight { size, depth } = self.weights[term.0 as usize];
        size > MOST_NODES || depth > MOST_LEVELS
    }

    /// Memory in use.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of a term, given what is known of it.
    pub(crate) fn intern(&mut self, node: Node, known: Knowledge) -> Term {
        if let Some(&term) = self.numbers.get(&node) {
            return term;
        }
        let term = Term(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.bytes += size_of::<Node>() as u64 + own_bytes(&node) + 96;
        let node = Rc::new(node);
        self.nodes.push(node.clone());
        self.known.push(known);
        self.numbers.insert(node, term);
        let mut weight = Weight { size: 1, depth: 0 };
        self.children(term, &mut |child| {
            let of_child = self.weights[child.0 as usize];
            weight.size = weight.size.saturating_add(of_child.size);
            weight.depth = weight.depth.max(of_child.depth + 1);
        });
        self.weights.push(weight);
        term
    }

    pub(crate) fn intern_address(&mut self, address: Address) -> AddressId {
        if let Some(&id) = self.address_numbers.get(&address) {
            return id;
        }
        let id = AddressId(self.addresses.len() as u32);
        let own = size_of::<Address>() + address.indices.len() * size_of::<Index>();
        self.bytes += 2 * own as u64 + 16;
        self.addresses.push(address.clone());
        self.address_numbers.insert(address, id);
        id
    }

    /// The terms that a term consists of.
    pub(crate) fn children(&self, term: Term, visit: &mut dyn FnMut(Term)) {
        match self.node(term) {
            Node::Const(_) | Node::Name { .. } | Node::Parameter { .. } => {}
            Node::Load(address) => self.address(*address).indices.iter().for_each(|index| visit(index.term)),
            Node::Sum { products, .. } | Node::AtMost { products, .. } | Node::Equals { products, .. } => {
                products.iter().for_each(|(term, _)| visit(term));
            }
            Node::Apply(_, left, right) | Node::Same(left, right) => [*left, *right].into_iter().for_each(visit),
            Node::Defined(inner)
            | Node::Within(inner, ..)
            | Node::Not(inner)
            | Node::Among(inner, ..)
            | Node::Evaluates(inner) => visit(*inner),
            Node::All { parts, .. } | Node::Any { parts, .. } => parts.iter().copied().for_each(visit),
            Node::Choice(condition, yes, no) => [*condition, *yes, *no].into_iter().for_each(visit),
        }
    }
}

fn own_bytes(node: &Node) -> u64 {
    let bytes = match node {
        Node::Sum { products, .. } | Node::AtMost { products, .. } | Node::Equals { products, .. } => products.bytes(),
        Node::All { parts, .. } | Node::Any { parts, .. } => size_of_val::<[Term]>(parts),
        _ => 0,
    };
    bytes as u64
}
