//! Calls of functions, procedures and built-ins.

use burnside_diag::{Diagnostic, Span};
use burnside_ir::FunctionId;

use super::Checker;
use super::coerce::Purpose;
use super::scope::Symbol;
use crate::ast::{self, ExprKind as Syntax, Name};
use crate::codes;
use crate::typed::{Argument, Call, Expr, ExprKind, Role, Source, StmtKind, VarId};

/// CMurphi's functions on real numbers.
const REAL_FUNCTIONS: [&str; 18] = [
    "acos", "asin", "atan", "ceil", "cos", "cosh", "exp", "fabs", "floor", "fmod", "log", "log10", "pow", "sin",
    "sinh", "sqrt", "tan", "tanh",
];

impl Checker<'_> {
    /// A call for its value.
    pub(super) fn call_expr(&mut self, name: &Name, args: &[ast::Expr], span: Span) -> Option<Expr> {
        if self.scopes.lookup(&name.text).is_none() {
            let word = name.text.to_ascii_lowercase();
            if word == "ismember" {
                return self.is_member(args, span);
            }
            if let ("next" | "prev", [arg]) = (word.as_str(), args)
                && self.has_ringset()
            {
                return self.neighbour(&word, arg, span);
            }
            if REAL_FUNCTIONS.contains(&word.as_str()) {
                self.refuse_real(name.span);
                return None;
            }
        }
        let call = self.call(name, args, span)?;
        let function = &self.program.functions[call.function.index()];
        match function.result {
            Some(ty) => Some(Expr { kind: ExprKind::Call(call), ty, span }),
            None => {
                let message = format!("the procedure `{}` returns no value", name.text);
                let finding = Diagnostic::error(codes::PROCEDURE_VALUE, message, span)
                    .also(function.span, "declared here")
                    .help("declare it as a `function`, or call it as a statement");
                self.report(finding);
                None
            }
        }
    }

    /// A call as a statement. Rumur lets a function's result be dropped.
    pub(super) fn call_stmt(&mut self, name: &Name, args: &[ast::Expr], span: Span) -> Option<StmtKind> {
        if self.scopes.lookup(&name.text).is_none() {
            match name.text.to_ascii_lowercase().as_str() {
                "multisetadd" => return self.multiset_add(args, span),
                "multisetremove" => return self.multiset_remove(args, span),
                _ => {}
            }
        }
        self.call(name, args, span).map(StmtKind::Call)
    }

    fn call(&mut self, name: &Name, args: &[ast::Expr], span: Span) -> Option<Call> {
        let function = match self.resolve(&name.text, name.span) {
            Some(Symbol::Function(function)) => Some(function),
            Some(_) => {
                let finding = self.wrong_kind(&name.text, name.span, "a function or procedure");
                self.report(finding);
                None
            }
            None => None,
        };
        let Some(function) = function else {
            // The arguments may hold errors of their own.
            for arg in args.iter().filter(|arg| !self.is_undefined_literal(arg)).collect::<Vec<_>>() {
                self.expr(arg);
            }
            return None;
        };
        let params = self.program.functions[function.index()].params.clone();
        self.check_arity(function, params.len(), args.len(), span)?;
        let args: Vec<_> =
            params.iter().zip(args).enumerate().map(|(at, (&param, arg))| self.argument(at, param, arg)).collect();
        let args = args.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Call { function, args, span })
    }

    fn check_arity(&mut self, function: FunctionId, expected: usize, given: usize, span: Span) -> Option<()> {
        if expected == given {
            return Some(());
        }
        let function = &self.program.functions[function.index()];
        let plural = if expected == 1 { "" } else { "s" };
        let message = format!("`{}` takes {expected} argument{plural}, not {given}", function.name);
        let finding = Diagnostic::error(codes::ARGUMENT_COUNT, message, span)
            .also(function.span, "declared here")
            .help(if given > expected { "remove the rest" } else { "add what is missing" });
        self.report(finding);
        None
    }

    fn argument(&mut self, at: usize, param: VarId, arg: &ast::Expr) -> Option<Argument> {
        let local = self.program.local(param);
        let (ty, role, declared) = (local.ty, local.role, local.span);
        let what = format!("parameter `{}`", local.name);
        if role == Role::VarParam {
            return self.reference_argument(at, param, arg);
        }
        if self.is_undefined_literal(arg) {
            return Some(Argument::Value(Source::Undefined));
        }
        let value = self.expr(arg)?;
        let value = self.coerce(value, ty, &Purpose { what: &what, declared: Some(declared) })?;
        Some(Argument::Value(Source::Value(value)))
    }

    /// The callee works on the caller's variable, so its type must be the same, not only convertible.
    fn reference_argument(&mut self, at: usize, param: VarId, arg: &ast::Expr) -> Option<Argument> {
        let purpose = format!("argument {}, for a `var` parameter,", at + 1);
        if !matches!(arg.kind, Syntax::Name(_) | Syntax::Field(..) | Syntax::Index(..) | Syntax::Error) {
            self.expr(arg)?;
            let message = format!("{purpose} must be a variable");
            let finding = Diagnostic::error(codes::VAR_ARGUMENT, message, arg.span)
                .label("this is only a value")
                .also(self.program.local(param).span, "the parameter")
                .help("store the value in a variable first");
            self.report(finding);
            return None;
        }
        let place = self.writable_place(arg, &purpose)?;
        let local = self.program.local(param);
        if self.same_structure(place.ty, local.ty) {
            return Some(Argument::Reference(place));
        }
        let (found, needed) = (self.show(place.ty), self.show(local.ty));
        let message = format!("{purpose} must have exactly the type {needed}, not {found}");
        let finding = Diagnostic::error(codes::VAR_ARGUMENT, message, arg.span)
            .label(format!("this is {found}"))
            .also(local.span, "the parameter")
            .help("declare both with one type");
        self.report(finding);
        None
    }
}
