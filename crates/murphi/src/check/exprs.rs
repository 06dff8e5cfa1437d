//! Expressions.

use burnside_diag::{Diagnostic, Span};
use burnside_ir::{Quantifier as Typed, Type, TypeId, UnaryOp};

use super::Checker;
use super::designators::Designated;
use super::scope::Symbol;
use crate::ast::{self, ExprKind as Syntax, Quantifier, Quantity};
use crate::codes;
use crate::typed::{Expr, ExprKind};

/// What a type written out in `ismember` means.
enum Written {
    Declared(TypeId),
    /// Nothing is a member.
    Empty(Expr),
}

impl Checker<'_> {
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let span = expr.span;
        match &expr.kind {
            Syntax::Name(_) | Syntax::Field(..) | Syntax::Index(..) => match self.designated(expr)? {
                Designated::Const(constant) => Some(constant),
                Designated::Place(place) => Some(Self::read(place)),
            },
            Syntax::Integer(value) => Some(Expr::constant(TypeId::INT, *value, span)),
            Syntax::LeadingZero { decimal, octal } => Some(self.leading_zero(*decimal, *octal, span)),
            Syntax::Real => {
                self.refuse_real(span);
                None
            }
            Syntax::Boolean(value) => Some(Expr::constant(TypeId::BOOL, i64::from(*value), span)),
            Syntax::Unary(op, operand) => self.unary(*op, operand, span),
            Syntax::Binary(op, left, right) => self.binary(*op, left, right, span),
            Syntax::Conditional(condition, then, otherwise) => self.conditional([condition, then, otherwise], span),
            Syntax::Quantified(quantity, quantifiers, body) => self.quantified(*quantity, quantifiers, body, span),
            Syntax::Call(name, args) => self.call_expr(name, args, span),
            Syntax::IsUndefined(argument) => self.is_undefined(argument, span),
            Syntax::CountMatching(matching) => self.count(matching, span),
            Syntax::Type(_) => {
                let message = "a type is not a value";
                let finding = Diagnostic::error(codes::WRONG_KIND, message, span).help("use a value of that type");
                self.report(finding);
                None
            }
            Syntax::Error => None,
        }
    }

    /// CMurphi reads `010` as ten, Rumur as eight.
    fn leading_zero(&mut self, decimal: i64, octal: Option<i64>, span: Span) -> Expr {
        let Some(octal) = octal.filter(|&octal| octal != decimal) else {
            return Expr::constant(TypeId::INT, decimal, span);
        };
        let (value, finding) = match self.rumur_syntax {
            Some(rumur) => {
                let message = format!("this number is read as octal: {octal}");
                let finding = Diagnostic::note(codes::LEADING_ZERO, message, span)
                    .also(rumur, "only Rumur reads this, and there a leading zero means octal")
                    .help(format!("write {octal} or {decimal} without the leading zero"));
                (octal, finding)
            }
            None => {
                let message = format!("this number is read as decimal: {decimal}");
                let finding = Diagnostic::note(codes::LEADING_ZERO, message, span)
                    .label(format!("Rumur would read octal, {octal}"))
                    .help(format!("write {decimal} without the leading zero"));
                (decimal, finding)
            }
        };
        self.report(finding);
        Expr::constant(TypeId::INT, value, span)
    }

    fn quantified(
        &mut self,
        quantity: Quantity,
        quantifiers: &[Quantifier],
        body: &ast::Expr,
        span: Span,
    ) -> Option<Expr> {
        let (bound, body) = self.scoped(|checker| {
            let bound = checker.loop_quantifiers(quantifiers);
            let what = if quantity == Quantity::All { "the body of `forall`" } else { "the body of `exists`" };
            (bound, checker.condition(body, what))
        });
        let quantifier = match quantity {
            Quantity::All => Typed::Forall,
            Quantity::Some => Typed::Exists,
        };
        let kind = ExprKind::Quantified(quantifier, bound?, Box::new(body?));
        Some(Expr { kind, ty: TypeId::BOOL, span })
    }

    fn is_undefined(&mut self, argument: &ast::Expr, span: Span) -> Option<Expr> {
        let place = self.place(argument, "the argument of `isundefined`")?;
        if let Some(name) = self.slot_name(&place) {
            let message = format!("`isundefined` looks at variables, but `{name}` names an element of a multiset");
            let finding = Diagnostic::error(codes::IS_UNDEFINED_ARGUMENT, message, argument.span)
                .help("ask about the element or a part of it");
            self.report(finding);
            return None;
        }
        if !self.is_scalar(place.ty) {
            let message = format!("`isundefined` looks at simple variables, not at {}", self.show(place.ty));
            let finding = Diagnostic::error(codes::IS_UNDEFINED_ARGUMENT, message, argument.span)
                .help("ask about a field or an element of a simple type");
            self.report(finding);
            return None;
        }
        Some(Expr { kind: ExprKind::IsUndefined(place), ty: TypeId::BOOL, span })
    }

    /// `ismember(designator, Type)`
    pub(super) fn is_member(&mut self, args: &[ast::Expr], span: Span) -> Option<Expr> {
        let [argument, member] = args else {
            self.report_is_member("`ismember` takes a variable and a type", span);
            return None;
        };
        let place = self.place(argument, "the first argument of `ismember`");
        let member_ty = match &member.kind {
            Syntax::Name(name) => {
                let Symbol::Type(member_ty) = self.resolve(name, member.span)? else {
                    let finding = self.wrong_kind(name, member.span, "a type");
                    self.report(finding);
                    return None;
                };
                member_ty
            }
            Syntax::Type(written) => match self.written_member(written, span)? {
                Written::Declared(ty) => ty,
                Written::Empty(nothing) => return place.map(|_| nothing),
            },
            _ => {
                self.report_is_member("the second argument of `ismember` must be a type", member.span);
                return None;
            }
        };
        let place = place?;
        let kind = if self.types().union_offset(place.ty, member_ty).is_some() {
            ExprKind::IsMember(place, member_ty)
        } else if place.ty == member_ty && matches!(self.types().get(member_ty), Type::Enum { .. } | Type::Id(_)) {
            // A variable of the very type is a member unless it has no value.
            let undefined = Expr { kind: ExprKind::IsUndefined(place), ty: TypeId::BOOL, span };
            ExprKind::Unary(UnaryOp::Not, Box::new(undefined))
        } else {
            let message = format!("a value of type {} is never in {}", self.show(place.ty), self.show(member_ty));
            self.report_is_member(&message, span);
            return None;
        };
        Some(Expr { kind, ty: TypeId::BOOL, span })
    }

    /// A type written out in `ismember`. The members of a declared enumeration mean that one; new names make a type that
    /// no variable has, which CMurphi accepts, so the answer is always no.
    fn written_member(&mut self, written: &ast::TypeExpr, call: Span) -> Option<Written> {
        let ast::TypeKind::Enum(members) = &written.kind else {
            self.report_is_member("a type written out in `ismember` must be an enumeration", written.span);
            return None;
        };
        let symbols: Vec<Option<Symbol>> =
            members.iter().map(|member| self.scopes.lookup(&member.text).map(|entry| entry.symbol)).collect();
        if symbols.iter().all(Option::is_none) {
            let finding = Diagnostic::warning(codes::IS_MEMBER_ARGUMENT, "no variable is of this type", written.span)
                .label("new names: this is always false")
                .help("name the members of a declared enumeration, or the type itself");
            self.report(finding);
            return Some(Written::Empty(Expr::constant(TypeId::BOOL, 0, call)));
        }
        let declared = symbols.iter().enumerate().map(|(at, symbol)| match symbol {
            Some(Symbol::Const(ty, value)) if *value == at as i64 => Some(*ty),
            _ => None,
        });
        let declared: Option<Vec<TypeId>> = declared.collect();
        let enumeration = declared.and_then(|types| {
            let (&first, rest) = types.split_first()?;
            let is_whole = matches!(self.types().get(first), Type::Enum { members } if members.len() == types.len());
            (is_whole && rest.iter().all(|&ty| ty == first)).then_some(first)
        });
        if enumeration.is_none() {
            let message = "these are not all the members of one enumeration, in their order";
            self.report_is_member(message, written.span);
        }
        enumeration.map(Written::Declared)
    }

    fn report_is_member(&mut self, message: &str, span: Span) {
        let finding = Diagnostic::error(codes::IS_MEMBER_ARGUMENT, message, span)
            .help("ask whether a union variable holds a value of one of the union's members: `ismember(x, T)`");
        self.report(finding);
    }
}
