//! Why permutations are automorphisms, part by part of the model.

use std::collections::BTreeSet;

use burnside_analysis::{Identities, Tables};
use burnside_diag::Span;
use burnside_ir::visit::{Visitor, walk_binder, walk_call, walk_expr, walk_place, walk_stmt};
use burnside_ir::{
    Binder, Call, Domain, Expr, ExprKind, FunctionId, Model, Place, PropertyId, RuleId, Stmt, StmtKind, TypeId,
};

use crate::order::{self, Argument};
use crate::recheck::Part;
use crate::symmetry::members;
use crate::{Joint, SymmetricClass};

/// The proof that permutations of one class or several change nothing, for each part of the model.
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
    /// What else is done with members is a function of few values, whose table commutes with the permutations.
    Tables,
}

impl Ground {
    /// In words that follow the part's name.
    pub fn words(self) -> &'static str {
        match self {
            Self::Absent => "does not mention them",
            Self::Types => "only stores, compares, indexes by and goes through them",
            Self::Tables => "what it computes with them commutes with every generator, value by value",
        }
    }
}

impl Certificate {
    /// The certificate of a class that [`Symmetry::find`](crate::Symmetry::find) proved.
    pub fn new(model: &Model, class: &SymmetricClass) -> Self {
        Self::of_types(model, &class.types, |_| false)
    }

    /// The certificate of a group that [`Symmetry::find`](crate::Symmetry::find) proved.
    pub fn of_joint(model: &Model, joint: &Joint) -> Self {
        let classes: Vec<Vec<TypeId>> = joint.classes.iter().map(|class| class.types.clone()).collect();
        let identities = Identities::new(model, &classes);
        let tables = Tables::new(model, &identities, &[]);
        let needs_tables = |part| match part {
            Part::Rule(rule) => tables.rule_needs_some(rule),
            Part::Property(property) => tables.property_needs_some(property),
            // A reduction does not ask whether start states are symmetric.
            Part::Start(_) => false,
        };
        Self::of_types(model, &classes.concat(), needs_tables)
    }

    fn of_types(model: &Model, types: &[TypeId], needs_tables: impl Fn(Part) -> bool) -> Self {
        let concerns = |ty| members(model, ty).iter().any(|member| types.contains(member));
        let mentions = || Mentions { model, types, found: false, functions: BTreeSet::new() };
        let obligation = |part, mentions: &Mentions<'_>| {
            let ground = if needs_tables(part) { Ground::Tables } else { mentions.ground() };
            Obligation { part, ground }
        };
        let rules = (0..).map(RuleId).zip(&model.rules).map(|(id, rule)| {
            let mut mentions = mentions();
            burnside_ir::Part::rule(rule).walk(&mut mentions);
            obligation(Part::Rule(id), &mentions)
        });
        let properties = (0..).map(PropertyId).zip(&model.properties).map(|(id, property)| {
            let mut mentions = mentions();
            burnside_ir::Part::property(property).walk(&mut mentions);
            obligation(Part::Property(id), &mentions)
        });
        let obligations = rules.chain(properties).collect();
        let unordered = order::orders(model).unordered.into_iter().filter(|it| concerns(it.domain));
        let mut loops: Vec<(Span, Vec<Argument>)> =
            unordered.map(|it| (it.span, it.arguments.into_iter().collect())).collect();
        loops.sort();
        Self { obligations, loops }
    }
}

/// Looks for anything of some types, in called functions too.
struct Mentions<'m> {
    model: &'m Model,
    types: &'m [TypeId],
    found: bool,
    functions: BTreeSet<FunctionId>,
}

impl Mentions<'_> {
    fn ground(&self) -> Ground {
        if self.found { Ground::Types } else { Ground::Absent }
    }

    fn domain(&mut self, domain: &Domain) {
        if let Domain::Type(ty) = domain {
            self.note(*ty);
        }
    }

    fn note(&mut self, ty: TypeId) {
        self.found |= self.types.contains(&ty);
        self.model.types.get(ty).parts().for_each(|part| self.note(part));
    }
}

impl Visitor for Mentions<'_> {
    fn binder(&mut self, binder: &Binder) {
        match binder {
            Binder::Param { domain, .. } => self.domain(domain),
            Binder::Value { .. } | Binder::Reference { .. } => {}
        }
        walk_binder(self, binder);
    }

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
