//! What functions do besides giving a result.
//!
//! A function has *effects* if it may change a global variable or something passed to it by reference, make an
//! assumption, or mark a cover point, itself or through what it calls. Faults and output are no effects: a fault ends
//! the execution, and output is for the reader alone. The verifier admits calls with effects as statements only.

use std::collections::BTreeSet;

use crate::visit::{Visitor, walk_call, walk_stmt};
use crate::{Arg, Call, Function, FunctionId, Local, LocalId, LocalMode, Model, Place, PlaceBase, Stmt, StmtKind};

/// What the functions of a model do.
#[derive(Debug, Clone)]
pub struct Effects {
    functions: Vec<Effect>,
    is_recursive: Vec<bool>,
}

/// What a function does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Effect {
    /// Whether it changes a global variable, makes an assumption or marks a cover point.
    outside: bool,
    /// The reference parameters through which it changes something.
    params: BTreeSet<LocalId>,
}

impl Effects {
    /// Examines every function. Calls of functions that do not exist are passed over.
    pub fn new(model: &Model) -> Self {
        let mut functions = vec![Effect::default(); model.functions.len()];
        loop {
            let before = functions.clone();
            for (effect, function) in functions.iter_mut().zip(&model.functions) {
                let own = own_references(function);
                let mut scan = Scan { function, own, known: &before, found: Effect::default() };
                scan.block(&function.body);
                *effect = scan.found;
            }
            if functions == before {
                break;
            }
        }
        let calls: Vec<Vec<FunctionId>> = model.functions.iter().map(calls_of).collect();
        let is_recursive = (0..calls.len()).map(|from| reaches_itself(&calls, from)).collect();
        Self { functions, is_recursive }
    }

    /// Whether a function does something besides giving a result.
    pub fn of(&self, function: FunctionId) -> bool {
        self.functions.get(function.index()).is_some_and(|effect| effect.outside || !effect.params.is_empty())
    }

    /// Whether a function can reach itself.
    pub fn is_recursive(&self, function: FunctionId) -> bool {
        self.is_recursive[function.index()]
    }
}

fn calls_of(function: &Function) -> Vec<FunctionId> {
    struct Calls(Vec<FunctionId>);
    impl Visitor for Calls {
        fn call(&mut self, call: &Call) {
            self.0.push(call.function);
            walk_call(self, call);
        }
    }
    let mut calls = Calls(Vec::new());
    calls.block(&function.body);
    calls.0
}

fn reaches_itself(calls: &[Vec<FunctionId>], from: usize) -> bool {
    let mut reached = vec![false; calls.len()];
    let mut pending = vec![from];
    while let Some(at) = pending.pop() {
        for callee in calls[at].iter().map(|id| id.index()).filter(|&callee| callee < calls.len()) {
            if !std::mem::replace(&mut reached[callee], true) {
                pending.push(callee);
            }
        }
    }
    reached[from]
}

/// Whether a place is a part of a function's own variables.
fn is_own(locals: &[Local], own: &BTreeSet<LocalId>, place: &Place) -> bool {
    match place.base {
        PlaceBase::Global(_) => false,
        PlaceBase::Local(local) => {
            let owned = locals.get(local.index()).is_some_and(|local| local.mode == LocalMode::Owned);
            owned || own.contains(&local)
        }
        PlaceBase::Call(_) => true,
    }
}

/// The references that are bound to nothing but the function's own variables: what is bound to something else, or to
/// a reference that may be, is left out until nothing changes.
fn own_references(function: &Function) -> BTreeSet<LocalId> {
    let mut bindings = Bindings::default();
    bindings.block(&function.body);
    let params = function.n_params as usize;
    let mut own: BTreeSet<LocalId> =
        bindings.0.iter().map(|(local, _)| *local).filter(|local| local.index() >= params).collect();
    while let Some((foreign, _)) =
        bindings.0.iter().find(|(local, place)| own.contains(local) && !is_own(&function.locals, &own, place))
    {
        own.remove(foreign);
    }
    own
}

#[derive(Default)]
struct Bindings(Vec<(LocalId, Place)>);

impl Visitor for Bindings {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Bind { local, place } = &stmt.kind {
            self.0.push((*local, place.clone()));
        }
        walk_stmt(self, stmt);
    }
}

/// Finds what one function does, given what is known so far of those it calls.
struct Scan<'a> {
    function: &'a Function,
    /// References that only ever stand for the function's own variables.
    own: BTreeSet<LocalId>,
    known: &'a [Effect],
    found: Effect,
}

impl Scan<'_> {
    fn written(&mut self, place: &Place) {
        match place.base {
            PlaceBase::Local(local)
                if local.0 < self.function.n_params && !is_own(&self.function.locals, &self.own, place) =>
            {
                self.found.params.insert(local);
            }
            _ => self.found.outside |= !is_own(&self.function.locals, &self.own, place),
        }
    }
}

impl Visitor for Scan<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target: place, .. }
            | StmtKind::Clear(place)
            | StmtKind::Insert { multiset: place, .. }
            | StmtKind::Remove(place)
            | StmtKind::RemoveWhere { multiset: place, .. } => self.written(place),
            StmtKind::Assume(_) | StmtKind::Cover { .. } => self.found.outside = true,
            StmtKind::Bind { .. }
            | StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::For { .. }
            | StmtKind::Call { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Error(_)
            | StmtKind::Put(_)
            | StmtKind::Return(_) => {}
        }
        walk_stmt(self, stmt);
    }

    fn call(&mut self, call: &Call) {
        if let Some(effect) = self.known.get(call.function.index()) {
            self.found.outside |= effect.outside;
            for param in &effect.params {
                if let Some(Arg::Reference(place)) = call.args.get(param.index()) {
                    self.written(place);
                }
            }
        }
        walk_call(self, call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    fn check(functions: &str, expected: &[bool]) {
        let model = format!(
            "(model (type t2 (range 0 1)) (global g0 \"x\" t2) (property p0 \"c\" cover-point (condition true)) {functions})"
        );
        let model = text::parse(&model).expect("the model parses");
        let effects = Effects::new(&model);
        let found: Vec<bool> = (0..model.functions.len() as u32).map(|at| effects.of(FunctionId(at))).collect();
        assert_eq!(found, expected, "{functions}");
    }

    #[test]
    fn writing_outside_assuming_and_covering_are_effects() {
        check("(function f0 \"f\" (params 0) (do (assign g0 1)))", &[true]);
        check("(function f0 \"f\" (local l0 \"r\" t2 ref) (params 1) (do (clear l0)))", &[true]);
        check("(function f0 \"f\" (params 0) (do (assume true)))", &[true]);
        check("(function f0 \"f\" (params 0) (do (cover p0 true)))", &[true]);
        check(
            "(function f0 \"f\" (local l0 \"v\" t2) (params 1) (do (assign l0 1) (put \"hello\") (error \"no\")))",
            &[false],
        );
    }

    #[test]
    fn effects_are_those_of_everything_called() {
        let chain = "(function f0 \"f\" (params 0) (do (call f1))) (function f1 \"g\" (params 0) (do (call f2)))
                     (function f2 \"h\" (params 0) (do (assign g0 1))) (function f3 \"k\" (params 0) (do (call f3)))";
        check(chain, &[true, true, true, false]);
        let increment = r#"(function f0 "inc" (local l0 "r" t2 ref) (params 1) (do (assign l0 1)))"#;
        let own = r#"(function f1 "own" (local l0 "v" t2) (params 0) (do (call f0 (ref l0))))"#;
        let global = r#"(function f2 "global" (params 0) (do (call f0 (ref g0))))"#;
        let passed = r#"(function f3 "passed" (local l0 "r" t2 ref) (params 1) (do (call f0 (ref l0))))"#;
        check(&format!("{increment} {own} {global} {passed}"), &[true, false, true, true]);
    }
}
