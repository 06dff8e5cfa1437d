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

/// Sees every part of what it is sent over. A method that does not call the matching `walk_…` function leaves out what is
/// inside.
pub(crate) trait Visitor<'e> {
    fn call(&mut self, call: &'e Call);

    fn expr(&mut self, expr: &'e Expr) {
        walk_expr(self, expr);
    }

    fn stmt(&mut self, stmt: &'e Stmt) {
        walk_stmt(self, stmt);
    }

    fn block(&mut self, block: &'e [Stmt]) {
        block.iter().for_each(|stmt| self.stmt(stmt));
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

/// Visits what an expression consists of; the arguments of a call before the call.
pub(crate) fn walk_expr<'e, V: Visitor<'e> + ?Sized>(visitor: &mut V, expr: &'e Expr) {
    match &expr.kind {
        ExprKind::Const(_) => {}
        ExprKind::Read(place) | ExprKind::IsUndefined(place) | ExprKind::IsMember(place, _) => visitor.place(place),
        ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => visitor.expr(operand),
        ExprKind::Binary(_, left, right) | ExprKind::Same(left, right) => {
            visitor.expr(left);
            visitor.expr(right);
        }
        ExprKind::Conditional(condition, yes, no) => {
            [condition, yes, no].into_iter().for_each(|part| visitor.expr(part));
        }
        ExprKind::Quantified(_, bound, body) => {
            bound.iter().for_each(|(_, domain)| visitor.domain(domain));
            visitor.expr(body);
        }
        ExprKind::Call(call) => walk_call(visitor, call),
        ExprKind::Count(_, set, condition) => {
            visitor.place(set);
            visitor.expr(condition);
        }
    }
}

fn walk_call<'e, V: Visitor<'e> + ?Sized>(visitor: &mut V, call: &'e Call) {
    for arg in &call.args {
        match arg {
            Argument::Value(source) => visitor.source(source),
            Argument::Reference(place) => visitor.place(place),
        }
    }
    visitor.call(call);
}

/// Visits what a statement consists of.
pub(crate) fn walk_stmt<'e, V: Visitor<'e> + ?Sized>(visitor: &mut V, stmt: &'e Stmt) {
    match &stmt.kind {
        StmtKind::Assign(target, source) => {
            visitor.source(source);
            visitor.place(target);
        }
        StmtKind::Clear(place) => visitor.place(place),
        StmtKind::If(arms, otherwise) => {
            for (condition, block) in arms {
                visitor.expr(condition);
                visitor.block(block);
            }
            visitor.block(otherwise);
        }
        StmtKind::Switch(switch) => {
            visitor.expr(&switch.subject);
            for (labels, block) in &switch.cases {
                labels.iter().for_each(|label| visitor.expr(label));
                visitor.block(block);
            }
            visitor.block(&switch.otherwise);
        }
        StmtKind::For(bound, body) => {
            bound.iter().for_each(|(_, domain)| visitor.domain(domain));
            visitor.block(body);
        }
        StmtKind::While(condition, body) => {
            visitor.expr(condition);
            visitor.block(body);
        }
        StmtKind::Alias(bindings, body) => {
            for (_, target) in bindings {
                match target {
                    AliasTarget::Place(place) => visitor.place(place),
                    AliasTarget::Value(value) => visitor.expr(value),
                }
            }
            visitor.block(body);
        }
        StmtKind::Call(call) => walk_call(visitor, call),
        StmtKind::Return(value) => value.iter().for_each(|value| visitor.expr(value)),
        StmtKind::Assert(value, _) | StmtKind::Assume(value) | StmtKind::Cover(_, value) | StmtKind::Put(value) => {
            visitor.expr(value);
        }
        StmtKind::Error(_) | StmtKind::PutText(_) => {}
        StmtKind::MultisetAdd(set, value)
        | StmtKind::MultisetRemove(set, value)
        | StmtKind::MultisetRemoveWhere(set, _, value) => {
            visitor.place(set);
            visitor.expr(value);
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
}

impl<'a> Visitor<'a> for Scan<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Assign(place, _)
            | StmtKind::Clear(place)
            | StmtKind::MultisetAdd(place, _)
            | StmtKind::MultisetRemove(place, _)
            | StmtKind::MultisetRemoveWhere(place, ..) => self.written(place, stmt.span),
            StmtKind::Assume(_) | StmtKind::Cover(..) => _ = self.found.outside.get_or_insert(stmt.span),
            StmtKind::Alias(bindings, _) => {
                for (var, target) in bindings {
                    if let AliasTarget::Place(place) = target {
                        self.aliases.insert(*var, self.root(place));
                    }
                }
            }
            StmtKind::If(..)
            | StmtKind::Switch(_)
            | StmtKind::For(..)
            | StmtKind::While(..)
            | StmtKind::Call(_)
            | StmtKind::Return(_)
            | StmtKind::Assert(..)
            | StmtKind::Error(_)
            | StmtKind::PutText(_)
            | StmtKind::Put(_) => {}
        }
        walk_stmt(self, stmt);
    }

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
