//! The whole way from text to model.

use std::collections::HashSet;

use burnside_diag::{Diagnostic, FileId};
use burnside_ir::Model;

use crate::ast::{Ast, ClaimKind, Decl, Item, RuleItem, TypeExpr, TypeKind};
use crate::check::check;
use crate::lower::{Undefined, lower};
use crate::parse::{parse, parse_claims};

/// How to read a model.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Values for top-level constants, in place of the declared ones.
    pub overrides: Vec<(String, i64)>,
    /// Whether the plain copy `x := y` of an undefined variable, and `=` on an undefined member of a scalarset or union,
    /// are faults, as in Rumur. In CMurphi the one copies "undefined" and the other takes it for one more member.
    pub strict_undefined: bool,
    /// Temporal formulas beside the model.
    pub claims: Vec<ClaimText>,
}

/// Temporal formulas that are not in the model's text.
#[derive(Debug, Clone)]
pub struct ClaimText {
    /// The text's own number.
    pub file: FileId,
    /// One formula, or items `ltl "name" …` and `ctl "name" …`.
    pub text: String,
    /// What the formula is, if it is one.
    pub kind: Option<ClaimKind>,
}

/// What came of reading a model.
#[derive(Debug)]
pub struct Loaded {
    /// The model, if there was no error.
    pub model: Option<Model>,
    /// Everything worth saying, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a model.
pub fn load(file: FileId, text: &str, options: &Options) -> Loaded {
    let (mut ast, mut diagnostics) = parse(file, text);
    let declared = declared_names(&ast);
    for claims in &options.claims {
        let is_declared = |name: &str| declared.contains(name);
        let (claims, found) = parse_claims((claims.file, &claims.text), claims.kind, &is_declared);
        ast.lost_text |= found.iter().any(Diagnostic::is_error);
        diagnostics.extend(found);
        ast.items.extend(claims.into_iter().map(|claim| Item::Rule(RuleItem::Claim(claim))));
    }
    let (program, found) = check(&ast, file, &options.overrides);
    diagnostics.extend(found);
    diagnostics.sort_by_key(|diagnostic| (diagnostic.primary.span.file, diagnostic.primary.span.start));
    let undefined = if options.strict_undefined { Undefined::Refused } else { Undefined::Tolerated };
    let sound = !diagnostics.iter().any(Diagnostic::is_error);
    Loaded { model: sound.then(|| lower(program, undefined)), diagnostics }
}

/// The names that a model declares at its top level.
fn declared_names(ast: &Ast) -> HashSet<String> {
    let mut names = HashSet::new();
    for item in &ast.items {
        match item {
            Item::Decl(decl) => {
                let (declared, ty) = match decl {
                    Decl::Const { names, .. } => (names, None),
                    Decl::Type { names, ty } | Decl::Var { names, ty } => (names, Some(ty)),
                };
                names.extend(declared.iter().map(|name| name.text.clone()));
                if let Some(ty) = ty {
                    add_members(ty, &mut names);
                }
            }
            Item::Function(function) => {
                names.insert(function.name.text.clone());
            }
            Item::Rule(_) => {}
        }
    }
    names
}

/// The members of enumerations in a type.
fn add_members(ty: &TypeExpr, names: &mut HashSet<String>) {
    match &ty.kind {
        TypeKind::Enum(members) => names.extend(members.iter().map(|name| name.text.clone())),
        TypeKind::Union(members) => members.iter().for_each(|member| add_members(member, names)),
        TypeKind::Array(index, element) => {
            add_members(index, names);
            add_members(element, names);
        }
        TypeKind::Record(fields) => fields.iter().for_each(|field| add_members(&field.ty, names)),
        TypeKind::Multiset(_, element) => add_members(element, names),
        _ => {}
    }
}
