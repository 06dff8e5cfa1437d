//! Finds the places of a source file.
//!
//! Left out: tests, constants and `const fn`, macros, types and patterns, `fmt`, functions that return text, `drop`, and
//! calls that only reserve memory.

use std::ops::Range;

use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ReturnType, Stmt, Type, UnOp};

use crate::site::{Change, Site};

/// Calls whose absence nobody could notice but by the clock.
const RESERVING: [&str; 6] = ["with_capacity", "reserve", "shrink_to_fit", "prefetch", "drop", "spin_loop"];

/// All places of a file, outer ones first.
pub(crate) fn sites(text: &str) -> Result<Vec<Site>, String> {
    let file = syn::parse_file(text).map_err(|error| error.to_string())?;
    let mut finder = Finder { sites: Vec::new(), owner: String::new(), function: String::new() };
    finder.visit_file(&file);
    Ok(finder.sites)
}

struct Finder {
    sites: Vec<Site>,
    owner: String,
    function: String,
}

impl Finder {
    fn add(&mut self, change: Change, range: Range<usize>, operator: Option<Range<usize>>, line: usize) {
        self.sites.push(Site { change, range, operator, line, function: self.function.clone() });
    }

    /// A change of a whole expression or statement.
    fn wrap(&mut self, change: Change, it: &impl syn::spanned::Spanned) {
        let span = it.span();
        self.add(change, span.byte_range(), None, span.start().line);
    }

    fn function(&mut self, signature: &syn::Signature, attrs: &[syn::Attribute], block: &syn::Block) {
        let name = signature.ident.to_string();
        let is_left_out = signature.constness.is_some() || is_test(attrs) || ["fmt", "drop"].contains(&&*name);
        if is_left_out || returns_text(&signature.output) {
            return;
        }
        let owner = if self.owner.is_empty() { String::new() } else { format!("{}::", self.owner) };
        let outer = std::mem::replace(&mut self.function, owner + &name);
        if let Some(values) = defaults(&signature.output)
            && !block.stmts.is_empty()
        {
            let span = block.brace_token.span.open();
            let at = span.byte_range().end;
            self.add(Change::Return(values), at..at, None, span.start().line);
        }
        visit::visit_block(self, block);
        self.function = outer;
    }

    fn binary(&mut self, it: &syn::ExprBinary) {
        let change = match it.op {
            BinOp::Lt(_) => Change::Compare { operator: "<", call: "lt", into: &["<=", ">="] },
            BinOp::Le(_) => Change::Compare { operator: "<=", call: "le", into: &["<", ">"] },
            BinOp::Gt(_) => Change::Compare { operator: ">", call: "gt", into: &[">=", "<="] },
            BinOp::Ge(_) => Change::Compare { operator: ">=", call: "ge", into: &[">", "<"] },
            BinOp::Eq(_) => Change::Compare { operator: "==", call: "eq", into: &["!="] },
            BinOp::Ne(_) => Change::Compare { operator: "!=", call: "ne", into: &["=="] },
            BinOp::And(_) if !has_let(&it.left) && !has_let(&it.right) => Change::Connect { is_and: true },
            BinOp::Or(_) => Change::Connect { is_and: false },
            BinOp::Add(_) => Change::Sum { is_add: true },
            BinOp::Sub(_) => Change::Sum { is_add: false },
            BinOp::AddAssign(_) => Change::SumAssign { is_add: true },
            BinOp::SubAssign(_) => Change::SumAssign { is_add: false },
            _ => return,
        };
        let (span, operator) = (it.span(), it.op.span());
        self.add(change, span.byte_range(), Some(operator.byte_range()), operator.start().line);
    }

    /// The condition of `if` and `while`, or one link of a chain with `let`.
    fn condition(&mut self, condition: &Expr) {
        match condition {
            Expr::Binary(it) if matches!(it.op, BinOp::And(_)) && has_let(condition) => {
                self.condition(&it.left);
                self.condition(&it.right);
            }
            Expr::Path(_) | Expr::Field(_) | Expr::MethodCall(_) | Expr::Call(_) | Expr::Macro(_) => {
                self.wrap(Change::Condition, condition);
            }
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_fn(&mut self, it: &'ast syn::ItemFn) {
        self.function(&it.sig, &it.attrs, &it.block);
    }

    fn visit_impl_item_fn(&mut self, it: &'ast syn::ImplItemFn) {
        self.function(&it.sig, &it.attrs, &it.block);
    }

    fn visit_trait_item_fn(&mut self, it: &'ast syn::TraitItemFn) {
        if let Some(block) = &it.default {
            self.function(&it.sig, &it.attrs, block);
        }
    }

    fn visit_item_impl(&mut self, it: &'ast syn::ItemImpl) {
        let name = |path: &syn::Path| path.segments.last().map(|it| it.ident.to_string()).unwrap_or_default();
        let of = it.trait_.as_ref().map(|(_, path, _)| name(path)).unwrap_or_default();
        if is_test(&it.attrs) || ["Display", "Debug"].contains(&&*of) {
            return;
        }
        let owner = if let Type::Path(path) = &*it.self_ty { name(&path.path) } else { String::new() };
        let outer = std::mem::replace(&mut self.owner, owner);
        visit::visit_item_impl(self, it);
        self.owner = outer;
    }

    fn visit_item_mod(&mut self, it: &'ast syn::ItemMod) {
        if !is_test(&it.attrs) {
            visit::visit_item_mod(self, it);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_expr_repeat(&mut self, it: &'ast syn::ExprRepeat) {
        self.visit_expr(&it.expr);
    }

    fn visit_stmt(&mut self, it: &'ast Stmt) {
        if let Stmt::Expr(expr, Some(_)) = it
            && can_be_left_out(expr)
        {
            self.wrap(Change::Statement, it);
        }
        visit::visit_stmt(self, it);
    }

    fn visit_arm(&mut self, it: &'ast syn::Arm) {
        if let Some((_, guard)) = &it.guard
            && !has_let(guard)
        {
            self.wrap(Change::Guard, &**guard);
        }
        visit::visit_arm(self, it);
    }

    fn visit_expr(&mut self, it: &'ast Expr) {
        match it {
            Expr::Call(call) if is_reserving(&call.func) => return,
            Expr::MethodCall(call) if RESERVING.iter().any(|name| call.method == name) => return,
            Expr::Binary(binary) => self.binary(binary),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                let (span, operator) = (unary.span(), unary.op.span().byte_range());
                self.add(Change::Negation, span.byte_range(), Some(operator), span.start().line);
            }
            Expr::Lit(literal) if matches!(literal.lit, syn::Lit::Int(_)) => self.wrap(Change::Integer, it),
            Expr::If(branch) => self.condition(&branch.cond),
            Expr::While(branch) => self.condition(&branch.cond),
            _ => {}
        }
        visit::visit_expr(self, it);
    }
}

fn is_test(attrs: &[syn::Attribute]) -> bool {
    let mentions = |list: &syn::MetaList| ["test", "loom"].iter().any(|it| list.tokens.to_string().contains(it));
    attrs.iter().any(|attr| match &attr.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) => list.path.is_ident("cfg") && mentions(list),
        syn::Meta::NameValue(_) => false,
    })
}

fn is_reserving(function: &Expr) -> bool {
    let Expr::Path(path) = function else { return false };
    path.path.segments.last().is_some_and(|last| RESERVING.iter().any(|name| last.ident == name))
}

fn can_be_left_out(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(call) => !RESERVING.iter().any(|name| call.method == name),
        Expr::Call(call) => !is_reserving(&call.func),
        Expr::Try(it) => can_be_left_out(&it.expr),
        Expr::Assign(_) => true,
        Expr::Binary(it) => !matches!(it.op, BinOp::And(_) | BinOp::Or(_)),
        _ => false,
    }
}

/// Whether an expression is a chain of conditions of which one is a `let`.
fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(it) if matches!(it.op, BinOp::And(_)) => has_let(&it.left) || has_let(&it.right),
        _ => false,
    }
}

fn returns_text(output: &ReturnType) -> bool {
    let ReturnType::Type(_, ty) = output else { return false };
    match &**ty {
        Type::Path(path) => path.path.is_ident("String"),
        Type::Reference(it) => matches!(&*it.elem, Type::Path(path) if path.path.is_ident("str")),
        _ => false,
    }
}

/// Values that a function of this type can return without having done anything.
fn defaults(output: &ReturnType) -> Option<&'static [&'static str]> {
    let ReturnType::Type(_, ty) = output else { return Some(&["()"]) };
    let Type::Path(path) = &**ty else { return None };
    let last = path.path.segments.last()?;
    match last.ident.to_string().as_str() {
        "bool" => Some(&["true", "false"]),
        "Option" => Some(&["None"]),
        "Vec" => Some(&["Vec::new()"]),
        "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" => Some(&["0"]),
        "Result" => matches!(&last.arguments, syn::PathArguments::AngleBracketed(it)
                if matches!(it.args.first(), Some(syn::GenericArgument::Type(Type::Tuple(unit))) if unit.elems.is_empty()))
            .then_some(&["Ok(())"]),
        _ => None,
    }
}
