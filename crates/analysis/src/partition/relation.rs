//! What tells points apart: a function of a few values, as a table.
//!
//! An expression such as `q < FirstWriter`, `rank(q) < rank(p)` or the constant `3` does not commute with all
//! permutations. It is a function of its *leaves* (variables, or parts of it that do commute), so which permutations it
//! commutes with can be read off the table of that function. The table is made by the reference interpreter, from a
//! model whose start states are the rows.

use std::ops::ControlFlow;

use burnside_diag::Span;
use burnside_group::mix;
use burnside_interp::{FaultKind, Interpreter, Limits, Outcome};
use burnside_ir::visit::Visitor;
use burnside_ir::{
    BinaryOp, Binder, Call, Domain, Expr, ExprKind, Global, GlobalId, Layout, Local, LocalId, LocalMode, Model,
    Operand, Place, StartState, Stmt, StmtKind, Type, TypeId,
};

use super::identities::Identities;

/// Larger tables are not made; the classes involved then count as told apart completely.
const MOST_ROWS: u64 = 1 << 15;

/// Bound on the absolute value of integer results, to give them a type that a state can hold.
const LARGEST: i64 = 1 << 55;

/// The value of rows that fault.
const FAULT: i64 = i64::MIN;

/// A leaf of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) ty: TypeId,
    /// Which rule parameter it is, counting parameters that range over points.
    pub(super) param: Option<usize>,
}

/// A function of some leaves that must commute with permutations.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    leaves: Vec<Leaf>,
    /// How many rows the next value of each leaf lies ahead.
    strides: Vec<usize>,
    /// The least value of each leaf and their number.
    domains: Vec<(i64, usize)>,
    /// The type as which the result is used.
    result: TypeId,
    rows: Vec<i64>,
}

/// What a row says.
pub(super) struct Fact {
    pub(super) label: u64,
    /// Roles and points.
    pub(super) ends: Vec<(u64, usize)>,
}

impl Relation {
    /// The table of the identity function, for a value of one type that is used as another.
    pub(super) fn identity(model: &Model, leaf: Leaf, result: TypeId) -> Option<Self> {
        let shape = model.types.shape(leaf.ty);
        if shape.cardinality() > MOST_ROWS {
            return None;
        }
        let rows: Vec<i64> = (shape.lo..=shape.hi).collect();
        Some(Self { leaves: vec![leaf], strides: vec![1], domains: vec![(shape.lo, rows.len())], result, rows })
    }

    /// A fixed value of a type.
    pub(super) fn constant(value: i64, result: TypeId) -> Self {
        Self { leaves: Vec::new(), strides: Vec::new(), domains: Vec::new(), result, rows: vec![value] }
    }

    /// Whether some row faults.
    pub(super) fn may_fault(&self) -> bool {
        self.rows.contains(&FAULT)
    }

    /// Whether the other function has the same table. Which leaves are parameters makes no difference.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        let types = |relation: &Self| relation.leaves.iter().map(|leaf| leaf.ty).collect::<Vec<TypeId>>();
        self.result == other.result && self.rows == other.rows && types(self) == types(other)
    }

    /// Whether a permutation commutes with the function: `images` says where each point goes, within its class.
    pub(super) fn commutes_with(&self, identities: &Identities, images: &[u32]) -> bool {
        (0..self.rows.len()).all(|row| {
            let mut image = row;
            for (at, leaf) in self.leaves.iter().enumerate() {
                let value = self.value(row, at);
                let moved = identities.rename(leaf.ty, value, images);
                image = image.wrapping_add_signed((moved - value) as isize * self.strides[at] as isize);
            }
            self.rows[image] == self.renamed_result(identities, row, images)
        })
    }

    fn renamed_result(&self, identities: &Identities, row: usize, images: &[u32]) -> i64 {
        let value = self.rows[row];
        if value == FAULT { FAULT } else { identities.rename(self.result, value, images) }
    }

    /// What each row says: the points among its leaves and as its result, each with its role, and the rest as a number.
    /// Rows without points are left out.
    pub(super) fn facts(&self, identities: &Identities) -> Vec<Fact> {
        let facts = (0..self.rows.len()).map(|row| {
            let mut fact = Fact { label: 0, ends: Vec::new() };
            let leaves = self.leaves.iter().enumerate().map(|(at, leaf)| (leaf.ty, self.value(row, at)));
            for (role, (ty, value)) in leaves.chain([(self.result, self.rows[row])]).enumerate() {
                match identities.point(ty, value).filter(|_| value != FAULT) {
                    Some(point) => fact.ends.push((role as u64, point)),
                    None => fact.label = mix(mix(fact.label, role as u64), value as u64),
                }
            }
            fact
        });
        facts.filter(|fact| !fact.ends.is_empty()).collect()
    }

    /// Whether exchanging two points commutes with the function, on the rows whose parameters `admits` admits.
    pub(super) fn commutes(
        &self,
        identities: &Identities,
        (one, other): (usize, usize),
        admits: &dyn Fn(usize, usize) -> bool,
    ) -> bool {
        let exchanged = |ty: TypeId, value: i64| match identities.point(ty, value) {
            Some(point) if point == one => value + (other as i64 - one as i64),
            Some(point) if point == other => value + (one as i64 - other as i64),
            _ => value,
        };
        let row_commutes = |row: usize| {
            let mut image = row;
            for (at, leaf) in self.leaves.iter().enumerate() {
                let value = self.value(row, at);
                if let (Some(param), Some(point)) = (leaf.param, identities.point(leaf.ty, value))
                    && !admits(param, point)
                {
                    return true;
                }
                let moved = exchanged(leaf.ty, value);
                image = image.wrapping_add_signed((moved - value) as isize * self.strides[at] as isize);
            }
            let value = self.rows[row];
            let expected = if value == FAULT { FAULT } else { exchanged(self.result, value) };
            self.rows[image] == expected
        };
        if identities.acts_on(self.result) {
            return (0..self.rows.len()).all(row_commutes);
        }
        // PERF: rows in which neither point occurs commute by themselves. `table-1` with 80 processes takes its whole
        // second here otherwise.
        self.leaves.iter().enumerate().filter(|(_, leaf)| identities.acts_on(leaf.ty)).all(|(at, leaf)| {
            let (lo, n) = self.domains[at];
            let hit = |number: &usize| {
                let point = identities.point(leaf.ty, lo + *number as i64);
                point == Some(one) || point == Some(other)
            };
            (0..n).filter(hit).all(|number| self.rows_with(at, number).all(row_commutes))
        })
    }

    fn value(&self, row: usize, leaf: usize) -> i64 {
        let (lo, n) = self.domains[leaf];
        lo + (row / self.strides[leaf] % n) as i64
    }

    /// The rows in which a leaf has its value of this number.
    fn rows_with(&self, leaf: usize, number: usize) -> impl Iterator<Item = usize> {
        let stride = self.strides[leaf];
        let block = stride * self.domains[leaf].1;
        (0..self.rows.len() / block).flat_map(move |outer| {
            let from = outer * block + number * stride;
            from..from + stride
        })
    }
}

/// Makes tables of expressions.
#[derive(Debug, Default)]
pub(super) struct TableMaker {
    /// A model without functions whose start states are to be the rows, once it was needed.
    // PERF: large models have hundreds of types, and thousands of tables.
    table: Option<Model>,
}

impl TableMaker {
    /// The table of `expr`, whose locals are numbered like `leaves`; `None` if it is too large or its values are.
    pub(super) fn relation(
        &mut self,
        model: &Model,
        leaves: Vec<Leaf>,
        expr: Expr,
        result: TypeId,
    ) -> Option<Relation> {
        let shapes: Vec<_> = leaves.iter().map(|leaf| model.types.shape(leaf.ty)).collect();
        let mut n_rows: u64 = 1;
        for shape in &shapes {
            n_rows = n_rows.checked_mul(shape.cardinality()).filter(|&rows| rows <= MOST_ROWS)?;
        }
        let domains: Vec<(i64, usize)> = shapes.iter().map(|shape| (shape.lo, shape.cardinality() as usize)).collect();
        let mut strides = vec![1; leaves.len()];
        for at in (1..leaves.len()).rev() {
            strides[at - 1] = strides[at] * domains[at].1;
        }
        let rows = rows_of_simple(model, &leaves, &expr).or_else(|| self.evaluate(model, &leaves, expr))?;
        debug_assert_eq!(rows.len() as u64, n_rows, "one row for each combination of values");
        Some(Relation { leaves, strides, domains, result, rows })
    }

    /// One row for each combination of leaf values, the last leaf fastest.
    fn evaluate(&mut self, model: &Model, leaves: &[Leaf], expr: Expr) -> Option<Vec<i64>> {
        let span = Span::NOWHERE;
        let table = self.table.get_or_insert_with(|| {
            let mut types = model.types.clone();
            let integers = types.add(None, Type::Range { lo: -LARGEST, hi: LARGEST }, span);
            let result = Global { name: "result".to_owned(), ty: integers, span };
            let row = StartState { name: "row".to_owned(), binders: vec![], locals: vec![], action: vec![], span };
            Model { types, globals: vec![result], starts: vec![row], ..Model::default() }
        });
        let (integers, _) = table.types.iter().last().expect("it was added last");
        let result = if *model.types.get(expr.ty) == Type::Int { integers } else { expr.ty };
        let locals = leaves.iter().enumerate();
        let local =
            |(at, leaf): (usize, &Leaf)| Local { name: format!("leaf{at}"), ty: leaf.ty, mode: LocalMode::Owned, span };
        let binder = |at: usize| Binder::Param { local: LocalId(at as u32), domain: Domain::Type(leaves[at].ty) };
        table.functions = if has_calls(&expr) { model.functions.clone() } else { Vec::new() };
        table.globals[0].ty = result;
        table.starts[0].locals = locals.map(local).collect();
        table.starts[0].binders = (0..leaves.len()).map(binder).collect();
        let target = Place::global(GlobalId(0), result, span);
        table.starts[0].action = vec![Stmt { kind: StmtKind::Assign { target, source: Operand::Value(expr) }, span }];
        let layout = Layout::new(table).ok()?;
        let mut rows = Vec::new();
        let mut too_large = false;
        Interpreter::new(table, &layout, Limits::default()).starts(|_, _, outcome| {
            rows.push(match outcome {
                Outcome::Next(state) => state[0],
                Outcome::Pruned => FAULT,
                Outcome::Fault(_, fault) => {
                    // The only value that the table cannot hold for a reason of its own.
                    too_large |= fault.kind == FaultKind::ValueOutOfRange && fault.span == span;
                    FAULT
                }
            });
            ControlFlow::Continue(())
        });
        (!too_large).then_some(rows)
    }
}

/// The rows of a constant, and of a comparison of the only leaf with one.
///
// PERF: by far the most tables are of these forms. Cache protocols of 2,000 lines spent seconds on them otherwise.
fn rows_of_simple(model: &Model, leaves: &[Leaf], expr: &Expr) -> Option<Vec<i64>> {
    let (op, left, right) = match (&expr.kind, leaves) {
        (&ExprKind::Const(value), []) => return Some(vec![value]),
        (ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right), [_]) => (op, left, right),
        _ => return None,
    };
    let is_leaf = |expr: &Expr| matches!(expr.kind, ExprKind::Read(_));
    let value = match (left.as_const(), right.as_const()) {
        (None, Some(value)) if is_leaf(left) => value,
        (Some(value), None) if is_leaf(right) => value,
        _ => return None,
    };
    let shape = model.types.shape(leaves[0].ty);
    Some((shape.lo..=shape.hi).map(|leaf| i64::from((leaf == value) == (*op == BinaryOp::Eq))).collect())
}

fn has_calls(expr: &Expr) -> bool {
    struct Calls(bool);
    impl Visitor for Calls {
        fn call(&mut self, _: &Call) {
            self.0 = true;
        }
    }
    let mut calls = Calls(false);
    calls.expr(expr);
    calls.0
}
