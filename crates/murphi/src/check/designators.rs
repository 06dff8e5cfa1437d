//! Designators: a variable, constant or alias, followed by fields and indices.

use burnside_diag::{Diagnostic, Span};
use burnside_ir::{Type, TypeId};

use super::Checker;
use super::coerce::Purpose;
use super::scope::Symbol;
use crate::ast::{self, ExprKind as Syntax, Name};
use crate::codes;
use crate::typed::{Access, Base, Expr, ExprKind, Place, Projection, Role};

/// What a designator turns out to be.
pub(super) enum Designated {
    Const(Expr),
    Place(Place),
}

impl Checker<'_> {
    /// A name with what follows it.
    pub(super) fn designated(&mut self, expr: &ast::Expr) -> Option<Designated> {
        match &expr.kind {
            Syntax::Name(name) => self.named(name, expr.span),
            Syntax::Field(base, field) => {
                let place = self.projected(base)?;
                self.select_field(place, field, expr.span).map(Designated::Place)
            }
            Syntax::Index(base, index) => {
                // Both are checked even if one is wrong.
                let place = self.projected(base);
                let index = self.expr(index);
                self.select_element(place?, index?, expr.span).map(Designated::Place)
            }
            _ => unreachable!("callers pass names, fields and indices only"),
        }
    }

    fn named(&mut self, name: &str, span: Span) -> Option<Designated> {
        if self.scopes.lookup(name).is_none() && is_undefined_word(name) {
            self.misplaced_undefined(span);
            return None;
        }
        let (base, ty) = match self.resolve(name, span)? {
            Symbol::Const(ty, value) => return Some(Designated::Const(Expr::constant(ty, value, span))),
            Symbol::Global(global) => (Base::Global(global), self.program.globals[global.index()].ty),
            Symbol::Local(var) => (Base::Local(var), self.program.local(var).ty),
            symbol => {
                let mut finding = self.wrong_kind(name, span, "a value");
                if let Symbol::Function(_) = symbol {
                    finding = finding.help(format!("call it: `{name}(…)`"));
                }
                self.report(finding);
                return None;
            }
        };
        Some(Designated::Place(Place { base, path: Vec::new(), ty, span }))
    }

    /// The place before a `.` or `[`.
    fn projected(&mut self, base: &ast::Expr) -> Option<Place> {
        match self.designated(base)? {
            Designated::Place(place) => Some(place),
            Designated::Const(constant) => {
                let message = format!("a constant of type {} has no parts", self.show(constant.ty));
                let finding = Diagnostic::error(codes::NOT_INDEXED, message, base.span).help("use a variable here");
                self.report(finding);
                None
            }
        }
    }

    fn select_field(&mut self, mut place: Place, field: &Name, span: Span) -> Option<Place> {
        let Type::Record { fields } = self.types().get(place.ty) else {
            if let Some(name) = self.slot_name(&place) {
                let message = format!("`{name}` is the place of an element in a multiset, not the element");
                let help = format!("write `net[{name}].{}`, where `net` is the multiset", field.text);
                self.report(Diagnostic::error(codes::NOT_A_RECORD, message, field.span).help(help));
                return None;
            }
            let message = format!("a value of type {} has no fields", self.show(place.ty));
            let finding = Diagnostic::error(codes::NOT_A_RECORD, message, field.span)
                .label("not a record")
                .help("select fields of records only");
            self.report(finding);
            return None;
        };
        let Some(at) = fields.iter().position(|candidate| candidate.name == field.text) else {
            let names: Vec<_> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
            let message = format!("{} has no field `{}`", self.show(place.ty), field.text);
            let finding = Diagnostic::error(codes::UNKNOWN_FIELD, message, field.span)
                .help(format!("its fields are {}", names.join(", ")));
            self.report(finding);
            return None;
        };
        place.ty = fields[at].ty;
        place.path.push(Projection::Field(at as u32));
        place.span = span;
        Some(place)
    }

    /// The variable of a `choose`, if that is what a place is.
    pub(super) fn slot_name(&self, place: &Place) -> Option<String> {
        let Base::Local(var) = place.base else { return None };
        let local = self.program.local(var);
        (place.path.is_empty() && matches!(local.role, Role::Slot(_))).then(|| local.name.clone())
    }

    fn select_element(&mut self, mut place: Place, index: Expr, span: Span) -> Option<Place> {
        match *self.types().get(place.ty) {
            Type::Array { index: index_ty, element } => {
                let purpose = Purpose { what: "the index of this array", declared: None };
                let index = self.coerce(index, index_ty, &purpose)?;
                place.ty = element;
                place.path.push(Projection::Index(Box::new(index)));
            }
            Type::Multiset { element, .. } => {
                self.check_slot(&index, place.ty)?;
                place.ty = element;
                place.path.push(Projection::Element(Box::new(index)));
            }
            _ => {
                let message = format!("a value of type {} has no elements", self.show(place.ty));
                let finding =
                    Diagnostic::error(codes::NOT_INDEXED, message, span).help("index arrays and multisets only");
                self.report(finding);
                return None;
            }
        }
        place.span = span;
        Some(place)
    }

    /// A place, where a constant will not do. `purpose` completes "… must be a variable".
    pub(super) fn place(&mut self, expr: &ast::Expr, purpose: &str) -> Option<Place> {
        if matches!(expr.kind, Syntax::Error) {
            return None;
        }
        if matches!(expr.kind, Syntax::Name(_) | Syntax::Field(..) | Syntax::Index(..)) {
            match self.designated(expr)? {
                Designated::Place(place) => return Some(place),
                Designated::Const(_) => {}
            }
        } else {
            self.expr(expr)?;
        }
        let message = format!("{purpose} must be a variable");
        let finding = Diagnostic::error(codes::NOT_ASSIGNABLE, message, expr.span)
            .label("this is only a value")
            .help("name a variable or a part of one");
        self.report(finding);
        None
    }

    /// A place that may be changed.
    pub(super) fn writable_place(&mut self, expr: &ast::Expr, purpose: &str) -> Option<Place> {
        let place = self.place(expr, purpose)?;
        let Some((reason, help)) = self.why_read_only(&place) else { return Some(place) };
        let declared = match place.base {
            Base::Local(var) => self.program.local(var).span,
            Base::Global(global) => self.program.globals[global.index()].span,
        };
        let message = format!("{purpose} must be a variable that may change");
        let finding = Diagnostic::error(codes::NOT_ASSIGNABLE, message, expr.span)
            .label(reason)
            .also(declared, "declared here")
            .help(help);
        self.report(finding);
        None
    }

    fn why_read_only(&self, place: &Place) -> Option<(&'static str, &'static str)> {
        let Base::Local(var) = place.base else { return None };
        match self.program.local(var).role {
            Role::Variable | Role::Loop | Role::VarParam | Role::PlaceAlias(Access::ReadWrite) => None,
            Role::ValueParam => Some(("a read-only parameter", "declare the parameter with `var`")),
            Role::RuleParam => Some(("the parameter of a ruleset", "copy it to a local variable first")),
            Role::Slot(_) => Some(("names an element of a multiset", "assign the element: `net[i] := …`")),
            Role::ValueAlias => Some(("an alias of a value", "alias a variable, or assign a local one")),
            Role::PlaceAlias(Access::ReadOnly) => {
                Some(("an alias of something read-only", "copy it to a local variable first"))
            }
        }
    }

    /// Whether `alias` of this place lets it be assigned.
    pub(super) fn access(&self, place: &Place) -> Access {
        if self.why_read_only(place).is_some() { Access::ReadOnly } else { Access::ReadWrite }
    }

    /// `undefined` as a literal is not a value: it can be assigned and passed, nothing else.
    pub(super) fn is_undefined_literal(&self, expr: &ast::Expr) -> bool {
        matches!(&expr.kind, Syntax::Name(name) if is_undefined_word(name) && self.scopes.lookup(name).is_none())
    }

    fn misplaced_undefined(&mut self, span: Span) {
        let finding = Diagnostic::error(codes::UNDEFINED_POSITION, "`undefined` is not a value to compute with", span)
            .help("test with `isundefined(x)`; `undefined` itself can only be assigned or passed as an argument");
        self.report(finding);
    }

    /// A read of a place as an expression.
    pub(super) fn read(place: Place) -> Expr {
        let (ty, span) = (place.ty, place.span);
        Expr { kind: ExprKind::Read(place), ty, span }
    }

    /// The declared name of a whole variable or parameter, for messages.
    pub(super) fn place_name(&self, place: &Place) -> String {
        let base = match place.base {
            Base::Global(global) => &self.program.globals[global.index()].name,
            Base::Local(var) => &self.program.local(var).name,
        };
        if place.path.is_empty() { format!("`{base}`") } else { format!("this part of `{base}`") }
    }

    /// Where the base of a place is declared.
    pub(super) fn declaration(&self, place: &Place) -> Option<Span> {
        place.path.is_empty().then(|| match place.base {
            Base::Global(global) => self.program.globals[global.index()].span,
            Base::Local(var) => self.program.local(var).span,
        })
    }

    /// Whether a symbol is a variable that holds a multiset.
    pub(super) fn is_multiset_variable(&self, symbol: Symbol) -> bool {
        let ty: TypeId = match symbol {
            Symbol::Global(global) => self.program.globals[global.index()].ty,
            Symbol::Local(var) => self.program.local(var).ty,
            _ => return false,
        };
        matches!(self.types().get(ty), Type::Multiset { .. })
    }
}

fn is_undefined_word(name: &str) -> bool {
    name.eq_ignore_ascii_case("undefined")
}
