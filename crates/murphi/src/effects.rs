//! Which functions do something besides giving a result, and where such functions are called.
//!
//! A function has effects if it may change a global variable or something passed to it by reference, make an assumption
//! or mark a cover point, itself or through what it calls. The same as `burnside_ir::Effects`, but known before there is
//! an IR, and with places in the text.

use std::collections::{BTreeMap, HashMap};

use burnside_diag::Span;
use burnside_ir::FunctionId;

use crate::typed::{
    AliasTarget, Argument, Base, Call, Domain, Expr, ExprKind, Function, Place, Program, Projection, Role, Source,
    Stmt, StmtKind, VarId,
};

/// What each function does.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    functions: Vec<Effect>,
}

/// What a function does, with the first place where it does so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Effect {
    outside: Option<Span>,
    /// By number of the parameter.
    params: BTreeMap<usize, Span>,
}

impl Effects {
    pub(crate) fn new(program: &Program) -> Self {
        let mut effects = Self { functions: vec![Effect::default(); program.functions.len()] };
        loop {
            let found: Vec<Effect> =
                program.functions.iter().map(|function| Scan::of(program, &effects, function)).collect();
            if found == effects.functions {
                return effects;
            }
            effects.functions = found;
        }
    }

    /// Where a function does something besides giving a result.
    pub(crate) fn of(&self, function: FunctionId) -> Option<Span> {
        let effect = &self.functions[function.index()];
        effect.outside.or_else(|| effect.params.values().next().copied())
    }

    fn is_any(&self) -> bool {
        (0..self.functions.len() as u32).any(|at| self.of(FunctionId(at)).is_some())
    }

    /// The first call with effects in an expression.
    pub(crate) fn in_expr<'e>(&self, expr: &'e Expr) -> Option<&'e Call> {
        self.first(|search| search.expr(expr))
    }

    /// The first call with effects in the indices of a place.
    pub(crate) fn in_place<'e>(&self, place: &'e Place) -> Option<&'e Call> {
        self.first(|search| search.place(place))
    }

    /// The first call with effects in a domain.
    pub(crate) fn in_domain<'e>(&self, domain: &'e Domain) -> Option<&'e Call> {
        self.first(|search| search.domain(domain))
    }

    fn first<'e>(&self, look: impl FnOnce(&mut First<'_, 'e>)) -> Option<&'e Call> {
        if !self.is_any() {
            return None;
        }
        let mut search = First { effects: self, found: None };
        look(&mut search);
        search.found
    }
}

/// Sees every call, and what statements write.
pub(crate) trait Visitor<'e> {
    fn call(&mut self, call: &'e Call);

    fn expr(&mut self, expr: &'e Expr) {
        match &expr.kind {
            ExprKind::Const(_) => {}
            ExprKind::Read(place) | ExprKind::IsUndefined(place) | ExprKind::IsMember(place, _) => self.place(place),
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => self.expr(operand),
            ExprKind::Binary(_, left, right) | ExprKind::Same(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Conditional(condition, yes, no) => {
                [condition, yes, no].into_iter().for_each(|part| self.expr(part));
            }
            ExprKind::Quantified(_, bound, body) => {
                bound.iter().for_each(|(_, domain)| self.domain(domain));
                self.expr(body);
            }
            ExprKind::Call(call) => {
                self.args(call);
                self.call(call);
            }
            ExprKind::Count(_, set, condition) => {
                self.place(set);
                self.expr(condition);
            }
        }
    }

    fn args(&mut self, call: &'e Call) {
        for arg in &call.args {
            match arg {
                Argument::Value(source) => self.source(source),
                Argument::Reference(place) => self.place(place),
            }
        }
    }

    fn source(&mut self, source: &'e Source) {
        match source {
            Source::Value(value) => self.expr(value),
            Source::Undefined => {}
        }
    }

    fn place(&mut self, place: &'e Place) {
        for projection in &place.path {
            match projection {
                Projection::Field(_) => {}
                Projection::Index(index) | Projection::Element(index) => self.expr(index),
            }
        }
    }

    fn domain(&mut self, domain: &'e Domain) {
        match domain {
            Domain::Type(_) => {}
            Domain::Steps { from, to, .. } => {
                self.expr(from);
                self.expr(to);
            }
            Domain::Slots(set) => self.place(set),
        }
    }
}

/// Finds the first call with effects.
struct First<'a, 'e> {
    effects: &'a Effects,
    found: Option<&'e Call>,
}

impl<'e> Visitor<'e> for First<'_, 'e> {
    fn call(&mut self, call: &'e Call) {
        if self.found.is_none() && self.effects.of(call.function).is_some() {
            self.found = Some(call);
        }
    }
}

/// Where a place of a function lies.
#[derive(Debug, Clone, Copy)]
enum Root {
    /// Among its own variables.
    Own,
    /// What a `var` parameter stands for.
    Param(usize),
    Outside,
}

/// Finds what one function does, given what is known so far of the others.
struct Scan<'a> {
    program: &'a Program,
    effects: &'a Effects,
    params: &'a [VarId],
    aliases: HashMap<VarId, Root>,
    found: Effect,
}

impl<'a> Scan<'a> {
    fn of(program: &'a Program, effects: &'a Effects, function: &'a Function) -> Effect {
        let found = Effect::default();
        let mut scan = Self { program, effects, params: &function.params, aliases: HashMap::new(), found };
        scan.block(&function.body);
        scan.found
    }

    fn root(&self, place: &Place) -> Root {
        let Base::Local(var) = place.base else { return Root::Outside };
        match self.program.local(var).role {
            Role::Variable | Role::Loop | Role::RuleParam | Role::ValueParam | Role::ValueAlias | Role::Slot(_) => {
                Root::Own
            }
            Role::VarParam => self.params.iter().position(|param| *param == var).map_or(Root::Outside, Root::Param),
            Role::PlaceAlias(_) => self.aliases.get(&var).copied().unwrap_or(Root::Outside),
        }
    }

    fn written(&mut self, place: &Place, span: Span) {
        match self.root(place) {
            Root::Own => {}
            Root::Param(at) => _ = self.found.params.entry(at).or_insert(span),
            Root::Outside => _ = self.found.outside.get_or_insert(span),
        }
    }

    fn block(&mut self, block: &'a [Stmt]) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Assign(target, source) => {
                self.source(source);
                self.place(target);
                self.written(target, stmt.span);
            }
            StmtKind::Clear(place) => {
                self.place(place);
                self.written(place, stmt.span);
            }
            StmtKind::If(arms, otherwise) => {
                for (condition, block) in arms {
                    self.expr(condition);
                    self.block(block);
                }
                self.block(otherwise);
            }
            StmtKind::Switch(switch) => {
                self.expr(&switch.subject);
                for (labels, block) in &switch.cases {
                    labels.iter().for_each(|label| self.expr(label));
                    self.block(block);
                }
                self.block(&switch.otherwise);
            }
            StmtKind::For(bound, body) => {
                bound.iter().for_each(|(_, domain)| self.domain(domain));
                self.block(body);
            }
            StmtKind::While(condition, body) => {
                self.expr(condition);
                self.block(body);
            }
            StmtKind::Alias(bindings, body) => {
                for (var, target) in bindings {
                    match target {
                        AliasTarget::Place(place) => {
                            self.place(place);
                            self.aliases.insert(*var, self.root(place));
                        }
                        AliasTarget::Value(value) => self.expr(value),
                    }
                }
                self.block(body);
            }
            StmtKind::Call(call) => {
                self.args(call);
                self.call(call);
            }
            StmtKind::Return(value) => value.iter().for_each(|value| self.expr(value)),
            StmtKind::Assert(condition, _) | StmtKind::Put(condition) => self.expr(condition),
            StmtKind::Assume(condition) | StmtKind::Cover(_, condition) => {
                self.expr(condition);
                self.found.outside.get_or_insert(stmt.span);
            }
            StmtKind::Error(_) | StmtKind::PutText(_) => {}
            StmtKind::MultisetAdd(set, value)
            | StmtKind::MultisetRemove(set, value)
            | StmtKind::MultisetRemoveWhere(set, _, value) => {
                self.place(set);
                self.expr(value);
                self.written(set, stmt.span);
            }
        }
    }
}

impl<'a> Visitor<'a> for Scan<'a> {
    fn call(&mut self, call: &'a Call) {
        let effect = self.effects.functions[call.function.index()].clone();
        if let Some(span) = effect.outside {
            self.found.outside.get_or_insert(span);
        }
        for (param, span) in effect.params {
            if let Some(Argument::Reference(place)) = call.args.get(param) {
                self.written(place, span);
            }
        }
    }
}
