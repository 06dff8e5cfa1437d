//! Declarations of constants, types, variables, functions and procedures.

use burnside_ir::{FunctionId, Global, GlobalId, TypeId};

use super::scope::Symbol;
use super::{Checker, Returns};
use crate::ast::{self, Decl, Name, Passing, TypeExpr};
use crate::typed::{Function, Role, VarId};

impl Checker<'_> {
    pub(super) fn global_decl(&mut self, decl: &Decl) {
        match decl {
            Decl::Const { names, value } => {
                for name in names {
                    let symbol = self.global_const(name, value);
                    self.declare(name, symbol);
                }
            }
            Decl::Type { names, ty } => self.type_decl(names, ty),
            Decl::Var { names, ty } => {
                let ty = self.type_expr(ty, None);
                for name in names {
                    let symbol = match ty {
                        Some(ty) => {
                            let global = Global { name: name.text.clone(), ty, span: name.span };
                            self.program.globals.push(global);
                            Symbol::Global(GlobalId(self.program.globals.len() as u32 - 1))
                        }
                        None => Symbol::Broken,
                    };
                    self.declare(name, symbol);
                }
            }
        }
    }

    pub(super) fn local_decl(&mut self, decl: &Decl) {
        match decl {
            Decl::Const { names, value } => {
                for name in names {
                    let symbol = match self.constant(value, &format!("`{}`", name.text)) {
                        Some((ty, value)) => Symbol::Const(ty, value),
                        None => Symbol::Broken,
                    };
                    self.declare(name, symbol);
                }
            }
            Decl::Type { names, ty } => self.type_decl(names, ty),
            Decl::Var { names, ty } => {
                let ty = self.type_expr(ty, None);
                self.local_vars(names, ty, Role::Variable);
            }
        }
    }

    /// All names of one declaration are one type, known by the first.
    fn type_decl(&mut self, names: &[Name], ty: &TypeExpr) {
        let symbol = self.type_expr(ty, names.first()).map_or(Symbol::Broken, Symbol::Type);
        for name in names {
            self.declare(name, symbol);
        }
    }

    /// Declares locals and returns those whose type is right.
    fn local_vars(&mut self, names: &[Name], ty: Option<TypeId>, role: Role) -> Vec<VarId> {
        let mut vars = Vec::new();
        for name in names {
            let symbol = match ty {
                Some(ty) => {
                    let var = self.add_local(&name.text, ty, role, name.span);
                    vars.push(var);
                    Symbol::Local(var)
                }
                None => Symbol::Broken,
            };
            self.declare(name, symbol);
        }
        vars
    }

    pub(super) fn function(&mut self, function: &ast::Function) {
        self.within = format!("`{}`", function.name.text);
        let result = function.result.as_ref().map(|ty| self.type_expr(ty, None));
        let types: Vec<_> = function.params.iter().map(|param| self.type_expr(&param.ty, None)).collect();
        let id = FunctionId(self.program.functions.len() as u32);
        self.program.functions.push(Function {
            name: function.name.text.clone(),
            params: Vec::new(),
            result: result.flatten(),
            body: Vec::new(),
            span: function.name.span,
        });
        let sound = result != Some(None) && types.iter().all(Option::is_some);
        // Declared before its body is checked: it may call itself.
        self.declare(&function.name, if sound { Symbol::Function(id) } else { Symbol::Broken });
        self.returns = match result {
            None => Returns::Nothing,
            Some(ty) => ty.map_or(Returns::Unknown, Returns::Value),
        };
        self.scoped(|checker| {
            checker.program.functions[id.index()].params = checker.params(&function.params, &types);
            checker.scoped(|checker| {
                checker.local_decls(&function.decls);
                let n_errors_before = checker.n_errors();
                let body = checker.block(&function.body);
                // Statements with errors are not in the body, so nothing can be said about its paths.
                if checker.n_errors() == n_errors_before {
                    checker.check_return_paths(function, &body);
                }
                checker.program.functions[id.index()].body = body;
            });
        });
        self.returns = Returns::Nothing;
    }

    fn params(&mut self, params: &[ast::Param], types: &[Option<TypeId>]) -> Vec<VarId> {
        let mut vars = Vec::new();
        for (param, &ty) in params.iter().zip(types) {
            let role = match param.passing {
                Passing::Value => Role::ValueParam,
                Passing::Reference => Role::VarParam,
            };
            vars.extend(self.local_vars(&param.names, ty, role));
        }
        vars
    }
}
