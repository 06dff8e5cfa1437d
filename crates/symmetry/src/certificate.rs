//! Why the permutations of a class are automorphisms, part by part of the model.

use std::collections::BTreeSet;

use burnside_diag::Span;
use burnside_ir::visit::{Visitor, walk_binder, walk_call, walk_expr, walk_place, walk_stmt};
use burnside_ir::{
    Binder, Call, Domain, Expr, ExprKind, FunctionId, Model, Place, PropertyId, RuleId, Stmt, StmtKind, Type, TypeId,
};

use crate::SymmetricClass;
use crate::order::{self, Argument};
use crate::recheck::Part;
use crate::symmetry::members;

/// The proof that exchanging any two members of a class changes nothing, for each part of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// One for each rule and each property. Start states have none: they need not be symmetric.
    pub obligations: Vec<Obligation>,
    /// The loops over members of the class, and the quantifiers over them, in order of the text.
    pub loops: Vec<(Span, Vec<Argument>)>,
}

/// A part of the model and why it does not tell members apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obligation {
    /// Which part.
    pub part: Part,
    /// Why.
    pub ground: Ground,
}

/// Why a part of a model does not tell members apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// Nothing in it is of a type of the class.
    Absent,
    /// Members are only stored, compared for equality, used as indices and gone through as a whole.
    Types,
}

impl Ground {
    /// In words that follow the part's name.
    pub fn words(self) -> &'static str {
        match self {
            Self::Absent => "does not mention them",
            Self::Types => "only stores, compares, indexes by and goes through them",
        }
    }
}

impl Certificate {
    /// The certificate of a class that [`Symmetry::find`](crate::Symmetry::find) proved.
    pub fn new(model: &Model, class: &SymmetricClass) -> Self {
        let concerns = |ty| members(model, ty).iter().any(|member| class.types.contains(member));
        let mentions = || Mentions { model, class, found: false, functions: BTreeSet::new() };
        let rules = (0..).map(RuleId).zip(&model.rules).map(|(id, rule)| {
            let mut mentions = mentions();
            mentions.binders(&rule.binders);
            mentions.expr(&rule.guard);
            mentions.block(&rule.action);
            Obligation { part: Part::Rule(id), ground: mentions.ground() }
        });
        let properties = (0..).map(PropertyId).zip(&model.properties).map(|(id, property)| {
            let mut mentions = mentions();
            mentions.binders(&property.binders);
            mentions.expr(&property.condition);
            Obligation { part: Part::Property(id), ground: mentions.ground() }
        });
        let obligations = rules.chain(properties).collect();
        let unordered = order::orders(model).unordered.into_iter().filter(|it| concerns(it.domain));
        let mut loops: Vec<(Span, Vec<Argument>)> =
            unordered.map(|it| (it.span, it.arguments.into_iter().collect())).collect();
        loops.sort();
        Self { obligations, loops }
    }
}

/// Looks for anything of a class's types, in called functions too.
struct Mentions<'m> {
    model: &'m Model,
    class: &'m SymmetricClass,
    found: bool,
    functions: BTreeSet<FunctionId>,
}

impl Mentions<'_> {
    fn ground(&self) -> Ground {
        if self.found { Ground::Types } else { Ground::Absent }
    }

    fn binders(&mut self, binders: &[Binder]) {
        for binder in binders {
            if let Binder::Param { domain, .. } = binder {
                self.domain(domain);
            }
            walk_binder(self, binder);
        }
    }

    fn domain(&mut self, domain: &Domain) {
        if let Domain::Type(ty) = domain {
            self.note(*ty);
        }
    }

    fn note(&mut self, ty: TypeId) {
        self.found |= self.class.types.contains(&ty);
        match self.model.types.get(ty) {
            &Type::Array { index, element } => {
                self.note(index);
                self.note(element);
            }
            Type::Record { fields } => fields.iter().for_each(|field| self.note(field.ty)),
            &Type::Multiset { element, .. } => self.note(element),
            Type::Union { members } => members.iter().for_each(|&member| self.note(member)),
            _ => {}
        }
    }
}

impl Visitor for Mentions<'_> {
    fn expr(&mut self, expr: &Expr) {
        self.note(expr.ty);
        if let ExprKind::Quantified(_, _, domain, _) = &expr.kind {
            self.domain(domain);
        }
        walk_expr(self, expr);
    }

    fn place(&mut self, place: &Place) {
        self.note(place.ty);
        walk_place(self, place);
    }

    fn call(&mut self, call: &Call) {
        if self.functions.insert(call.function) {
            self.block(&self.model.function(call.function).body);
        }
        walk_call(self, call);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::For { domain, .. } = &stmt.kind {
            self.domain(domain);
        }
        walk_stmt(self, stmt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Symmetry;

    #[test]
    fn each_part_has_its_ground() {
        let text = "type P: scalarset(2); var a: array[P] of boolean; b: boolean;
                    startstate for i: P do a[i] := false end; b := false; end;
                    rule \"flip\" begin b := !b end;
                    rule \"clear\" begin for i: P do a[i] := false end end;
                    ruleset i: P do rule \"set\" begin a[i] := true end end;
                    invariant \"all\" forall i: P do a[i] -> a[i] end;";
        let loaded = burnside_murphi::load(burnside_diag::FileId(0), text, &burnside_murphi::Options::default());
        let model = loaded.model.expect("the model is right");
        let certificate = Certificate::new(&model, &Symmetry::find(&model).classes[0]);
        let grounds: Vec<Ground> = certificate.obligations.iter().map(|it| it.ground).collect();
        assert_eq!(grounds, [Ground::Absent, Ground::Types, Ground::Types, Ground::Types]);
        let arguments: Vec<&[Argument]> = certificate.loops.iter().map(|it| &it.1[..]).collect();
        assert_eq!(arguments, [&[Argument::OwnPlaces][..], &[Argument::ReadsOnly]]);
    }
}
