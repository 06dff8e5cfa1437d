//! Checked tree to IR.
//!
//! The two are close: types are shared, so what remains is to number locals per rule and function, to spell out
//! `switch`, aliases and lists of quantifiers, and to decide where an undefined value may be copied. Nothing is wrong
//! with a model that arrives here, so nothing is reported.
//!
//! Undefined values, as in CMurphi: the plain copy `x := y` of a simple variable copies them, and so do whole records
//! and arguments; a field, an element or an alias may be copied undefined unless it is of a range type; members of
//! scalarsets and unions are compared as if "undefined" were one more member. Every other read is a fault. Strict mode
//! makes all copies of simple values and the comparison faults too, as in Rumur.
//!
//! Expressions of the IR change nothing. Where a statement's expression calls a function with effects, the call becomes
//! a statement before it, from left to right (`sequence`).

mod equality;
mod exprs;
mod frame;
mod sequence;
mod slots;
mod stmts;

use std::convert::Infallible;

use burnside_ir::{
    Applied, Claim, ClaimVariable, Expr, Function, Model, Property, PropertyId, PropertyKind, Rule, StartState,
};

use crate::effects::Effects;
use crate::typed::{self, Program, VarId};
use frame::Frame;

/// What the plain copy of an undefined variable, and the comparison of an undefined member, mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Undefined {
    /// "Undefined" is copied, and equal to itself alone.
    Tolerated,
    /// A fault.
    Refused,
}

/// The model a checked program means.
pub(crate) fn lower(program: Program, undefined: Undefined) -> Model {
    let effects = Effects::new(&program);
    let lowering = Lowering { program: &program, effects: &effects, undefined };
    let mut model = Model {
        functions: program.functions.iter().map(|function| lowering.function(function)).collect(),
        starts: program.starts.iter().map(|start| lowering.start(start)).collect(),
        rules: program.rules.iter().map(|rule| lowering.rule(rule)).collect(),
        properties: lowering.properties(),
        claims: program.claims.iter().map(|claim| lowering.claim(claim)).collect(),
        ..Model::default()
    };
    model.types = program.types;
    model.globals = program.globals;
    model
}

/// What every part needs to know about the whole.
#[derive(Clone, Copy)]
struct Lowering<'p> {
    program: &'p Program,
    effects: &'p Effects,
    undefined: Undefined,
}

impl Lowering<'_> {
    fn function(&self, function: &typed::Function) -> Function {
        let mut frame = Frame::new(*self);
        for &param in &function.params {
            frame.add_param(param);
        }
        let body = frame.block(&function.body);
        Function {
            name: function.name.clone(),
            locals: frame.into_locals(),
            n_params: function.params.len() as u32,
            result: function.result,
            body,
            span: function.span,
        }
    }

    fn start(&self, start: &typed::Start) -> StartState {
        let mut frame = Frame::new(*self);
        let binders = frame.binders(&start.bindings);
        let action = frame.block(&start.body);
        StartState { name: start.name.clone(), binders, locals: frame.into_locals(), action, span: start.span }
    }

    fn rule(&self, rule: &typed::Rule) -> Rule {
        let mut frame = Frame::new(*self);
        let binders = frame.binders(&rule.bindings);
        let guard = match &rule.guard {
            Some(guard) => frame.expr(guard),
            None => Expr::boolean(true, rule.span),
        };
        let action = frame.block(&rule.body);
        Rule {
            name: rule.name.clone(),
            binders,
            locals: frame.into_locals(),
            guard,
            action,
            priority: rule.priority,
            owners: Vec::new(),
            span: rule.span,
        }
    }

    /// Declared properties, then one for each `cover` statement; [`Self::cover_point`] relies on that order.
    fn properties(&self) -> Vec<Property> {
        let declared = self.program.properties.iter().map(|property| self.property(property));
        let cover_points = self.program.cover_points.iter().map(|point| Property {
            name: point.name.clone(),
            kind: PropertyKind::CoverPoint,
            binders: Vec::new(),
            locals: Vec::new(),
            condition: Expr::boolean(true, point.span),
            span: point.span,
        });
        declared.chain(cover_points).collect()
    }

    fn claim(&self, claim: &typed::Claim) -> Claim {
        let variables = claim.variables.iter().map(|&var| {
            let local = self.program.local(var);
            ClaimVariable { name: local.name.clone(), ty: local.ty, span: local.span }
        });
        let number = |var: &VarId| {
            let number = claim.variables.iter().position(|own| own == var);
            number.expect("a formula's quantifiers bind its variables") as u32
        };
        let mut applied = |applied: &typed::Applied| {
            let arguments = applied.arguments.iter().map(number).collect();
            Ok::<_, Infallible>(Applied { condition: PropertyId(applied.property as u32), arguments })
        };
        let Ok(formula) = claim.formula.try_map(&mut applied, &mut |var| Ok(number(var)));
        Claim { property: PropertyId(claim.property as u32), variables: variables.collect(), formula }
    }

    fn property(&self, property: &typed::Property) -> Property {
        let mut frame = Frame::new(*self);
        let binders = frame.binders(&property.bindings);
        let condition = frame.expr(&property.condition);
        Property {
            name: property.name.clone(),
            kind: property.kind,
            binders,
            locals: frame.into_locals(),
            condition,
            span: property.span,
        }
    }
}
