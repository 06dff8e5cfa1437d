//! Models as text: declarations here, expressions and statements in the modules below.

mod claim;
mod expr;
mod stmt;

use std::fmt::Display;

use burnside_diag::Span;

use super::lex::{is_name_char, quote};
use super::sexp::{Breaking, Sexp};
use super::words::Worded;
use super::{Scope, implied_type};
use crate::{
    Binder, Block, Expr, Function, FunctionId, GlobalId, Local, LocalId, LocalMode, Model, Property, PropertyId, Rule,
    Sort, SortId, StartState, Type, TypeDef, TypeId,
};

/// The text of a model, with the spans that are not the default one.
pub fn print(model: &Model) -> String {
    print_model(model, Spans::Keep)
}

/// The text of a model without spans, for people.
pub fn print_brief(model: &Model) -> String {
    print_model(model, Spans::Omit)
}

/// Whether places in the model's source are part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spans {
    Keep,
    Omit,
}

fn print_model(model: &Model, spans: Spans) -> String {
    let printer = Printer { model, locals: &[], spans };
    let mut items = vec![Sexp::atom("model")];
    items.extend(model.types.sorts().map(|(id, sort)| printer.sort(id, sort)));
    items.extend(model.types.iter().skip(N_BUILT_IN_TYPES).map(|(id, def)| printer.type_def(id, def)));
    items.extend((0..).zip(&model.globals).map(|(at, global)| {
        let name = Sexp::atom(quote(&global.name));
        Sexp::list(vec![printer.head("global", global.span), index('g', at), name, printer.ty(global.ty)])
    }));
    items.extend(
        (0..).zip(&model.functions).map(|(at, function)| printer.within(&function.locals).function(at, function)),
    );
    items.extend((0..).zip(&model.starts).map(|(at, start)| printer.within(&start.locals).start(at, start)));
    items.extend((0..).zip(&model.rules).map(|(at, rule)| printer.within(&rule.locals).rule(at, rule)));
    items.extend(
        (0..).zip(&model.properties).map(|(at, property)| printer.within(&property.locals).property(at, property)),
    );
    items.extend(model.claims.iter().map(|claim| printer.claim(claim)));
    items.extend(model.automata.iter().map(|automaton| printer.automaton(automaton)));
    Sexp::broken(items, Breaking::After(1)).pretty() + "\n"
}

/// Every model begins with the types `t0` and `t1`, which are not written.
const N_BUILT_IN_TYPES: usize = 2;

/// How many items of a declaration stay on its first line: word, number, name.
const HEADING: usize = 3;

/// Prints pieces of one model inside one owner of locals.
#[derive(Clone, Copy)]
struct Printer<'a> {
    model: &'a Model,
    locals: &'a [Local],
    spans: Spans,
}

/// A reference or declared number such as `g3`.
fn index(letter: char, at: u32) -> Sexp {
    Sexp::atom(format!("{letter}{at}"))
}

/// A reference or value that shows the name of what it stands for, if that can be shown.
fn decorated(prefix: &str, number: impl Display, name: Option<&str>) -> String {
    match name {
        Some(name) if !name.is_empty() && name.chars().all(is_name_char) => format!("{prefix}{number}'{name}"),
        _ => format!("{prefix}{number}"),
    }
}

impl<'a> Printer<'a> {
    fn within(self, locals: &'a [Local]) -> Self {
        Self { locals, ..self }
    }

    fn scope(self) -> Scope<'a> {
        Scope { types: &self.model.types, globals: &self.model.globals, locals: self.locals }
    }

    /// `@file:start-end`, or nothing.
    fn span(self, span: Span) -> String {
        if self.spans == Spans::Omit || span == Span::NOWHERE {
            return String::new();
        }
        format!("@{}:{}-{}", span.file.0, span.start, span.end)
    }

    /// The first word of a list, with the list's span.
    fn head(self, word: &str, span: Span) -> Sexp {
        Sexp::Atom(format!("{word}{}", self.span(span)))
    }

    fn type_ref(self, ty: TypeId) -> String {
        decorated("t", ty.0, self.model.types.try_def(ty).and_then(|def| def.name.as_deref()))
    }

    fn ty(self, ty: TypeId) -> Sexp {
        Sexp::Atom(self.type_ref(ty))
    }

    fn global_ref(self, global: GlobalId) -> String {
        decorated("g", global.0, self.model.globals.get(global.index()).map(|global| global.name.as_str()))
    }

    fn local_ref(self, local: LocalId) -> String {
        decorated("l", local.0, self.locals.get(local.index()).map(|local| local.name.as_str()))
    }

    fn function_ref(self, function: FunctionId) -> String {
        let function_named = self.model.functions.get(function.index());
        decorated("f", function.0, function_named.map(|function| function.name.as_str()))
    }

    fn property_ref(self, property: PropertyId) -> String {
        let property_named = self.model.properties.get(property.index());
        decorated("p", property.0, property_named.map(|property| property.name.as_str()))
    }

    fn sort(self, id: SortId, sort: &Sort) -> Sexp {
        Sexp::list(vec![
            self.head("sort", sort.span),
            index('s', id.0),
            Sexp::Atom(quote(&sort.name)),
            Sexp::atom(sort.kind.word()),
            Sexp::atom(sort.size.to_string()),
        ])
    }

    fn type_def(self, id: TypeId, def: &TypeDef) -> Sexp {
        let mut items = vec![self.head("type", def.span), index('t', id.0)];
        items.extend(def.name.as_deref().map(|name| Sexp::Atom(quote(name))));
        items.push(self.structure(&def.ty));
        Sexp::list(items)
    }

    fn structure(self, ty: &Type) -> Sexp {
        let mut items = Vec::new();
        match ty {
            Type::Bool => return Sexp::atom("bool"),
            Type::Int => return Sexp::atom("int"),
            Type::Range { lo, hi } => {
                items.extend([Sexp::atom("range"), Sexp::atom(lo.to_string()), Sexp::atom(hi.to_string())]);
            }
            Type::Enum { members } => {
                items.push(Sexp::atom("enum"));
                items.extend(members.iter().map(|name| Sexp::Atom(quote(name))));
            }
            Type::Id(sort) => {
                let name = self.model.types.sort(*sort).name.as_str();
                items.extend([Sexp::atom("id"), Sexp::Atom(decorated("s", sort.0, Some(name)))]);
            }
            Type::Union { members } => {
                items.push(Sexp::atom("union"));
                items.extend(members.iter().map(|&member| self.ty(member)));
            }
            &Type::Array { index, element } => {
                items.extend([Sexp::atom("array"), self.ty(index), self.ty(element)]);
            }
            Type::Record { fields } => {
                items.push(Sexp::atom("record"));
                let field = |name: &str, ty| Sexp::list(vec![Sexp::Atom(quote(name)), self.ty(ty)]);
                items.extend(fields.iter().map(|of| field(&of.name, of.ty)));
            }
            &Type::Multiset { capacity, element } => {
                items.extend([Sexp::atom("multiset"), Sexp::atom(capacity.to_string()), self.ty(element)]);
            }
        }
        Sexp::list(items)
    }

    fn function(self, at: u32, function: &Function) -> Sexp {
        let mut items = self.heading("function", function.span, index('f', at), &function.name);
        items.extend(self.declared_locals());
        items.push(Sexp::list(vec![Sexp::atom("params"), Sexp::atom(function.n_params.to_string())]));
        items.extend(function.result.map(|ty| Sexp::list(vec![Sexp::atom("result"), self.ty(ty)])));
        items.push(self.action(&function.body));
        Sexp::broken(items, Breaking::After(HEADING))
    }

    fn start(self, at: u32, start: &StartState) -> Sexp {
        let mut items = self.heading("start", start.span, index('i', at), &start.name);
        items.extend(self.declared_locals());
        items.extend(start.binders.iter().map(|binder| self.binder(binder)));
        items.push(self.action(&start.action));
        Sexp::broken(items, Breaking::After(HEADING))
    }

    fn rule(self, at: u32, rule: &Rule) -> Sexp {
        let mut items = self.heading("rule", rule.span, index('r', at), &rule.name);
        if rule.priority != 0 {
            items.push(Sexp::list(vec![Sexp::atom("priority"), Sexp::atom(rule.priority.to_string())]));
        }
        items.extend(rule.owners.iter().map(|owner| {
            let member = owner.member.map(|local| index('l', local.0));
            Sexp::list([Sexp::atom("by"), index('g', owner.global.0)].into_iter().chain(member).collect())
        }));
        items.extend(self.declared_locals());
        items.extend(rule.binders.iter().map(|binder| self.binder(binder)));
        items.push(Sexp::list(vec![Sexp::atom("guard"), self.expr(&rule.guard)]));
        items.push(self.action(&rule.action));
        Sexp::broken(items, Breaking::After(HEADING))
    }

    fn property(self, at: u32, property: &Property) -> Sexp {
        let mut items = self.heading("property", property.span, index('p', at), &property.name);
        items.push(Sexp::atom(property.kind.word()));
        items.extend(self.declared_locals());
        items.extend(property.binders.iter().map(|binder| self.binder(binder)));
        items.push(Sexp::list(vec![Sexp::atom("condition"), self.expr(&property.condition)]));
        Sexp::broken(items, Breaking::After(HEADING + 1))
    }

    fn heading(self, word: &str, span: Span, index: Sexp, name: &str) -> Vec<Sexp> {
        vec![self.head(word, span), index, Sexp::Atom(quote(name))]
    }

    fn declared_locals(self) -> impl Iterator<Item = Sexp> {
        (0..).zip(self.locals).map(move |(at, local)| {
            let mut items = self.heading("local", local.span, index('l', at), &local.name);
            items.push(self.ty(local.ty));
            match local.mode {
                LocalMode::Owned => {}
                LocalMode::Reference => items.push(Sexp::atom("ref")),
                LocalMode::Slot => items.push(Sexp::atom("slot")),
            }
            Sexp::list(items)
        })
    }

    fn binder(self, binder: &Binder) -> Sexp {
        let (word, bound) = match binder {
            Binder::Param { domain, .. } => ("param", self.domain(domain)),
            Binder::Value { source, .. } => ("value", self.operand(source)),
            Binder::Reference { place, .. } => ("ref", Sexp::Atom(self.place(place))),
        };
        Sexp::list(vec![Sexp::atom(word), Sexp::Atom(self.local_ref(binder.local())), bound])
    }

    fn action(self, block: &Block) -> Sexp {
        let mut items = vec![Sexp::atom("do")];
        items.extend(block.iter().map(|stmt| self.stmt(stmt)));
        Sexp::broken(items, Breaking::After(1))
    }

    /// A list for an expression, whose head shows its type unless the type is implied.
    fn compound(self, word: &str, expr: &Expr, operands: Vec<Sexp>) -> Sexp {
        let head = if implied_type(&expr.kind) == Some(expr.ty) {
            format!("{word}{}", self.span(expr.span))
        } else {
            format!("{word}:{}{}", self.type_ref(expr.ty), self.span(expr.span))
        };
        let mut items = vec![Sexp::Atom(head)];
        items.extend(operands);
        Sexp::list(items)
    }
}
