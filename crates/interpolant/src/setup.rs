//! What is known of a model before any state of it is looked at.

use std::collections::{BTreeMap, BTreeSet};

use burnside_analysis::{Definedness, Owner};
use burnside_diag::Span;
use burnside_engine::Task;
use burnside_ir::{Expr, GlobalId, Model, Place, PlaceBase, Projection, PropertyId, RuleId, Type, TypeId};
use burnside_symmetry::ordered_in_part;

use crate::eval::Renaming;
use crate::names::Names;
use crate::wide::WideRules;

/// Whose text is being evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Author {
    Rule(RuleId),
    Property(PropertyId),
}

/// A task with all that explanations need to know about its model.
pub(crate) struct Setup<'m> {
    pub(crate) task: &'m Task<'m>,
    pub(crate) names: Names,
    pub(crate) wide: WideRules,
    /// Every name in its own place.
    pub(crate) identity: Renaming,
    /// By slot, whether its scalar, and those that differ from it in indices alone, are always defined.
    pub(crate) defined: Vec<bool>,
    /// The types whose loops may depend on the order of rounds; none stands for all.
    ordered: BTreeMap<Author, BTreeSet<Option<TypeId>>>,
}

impl<'m> Setup<'m> {
    /// Prepares explanations, given all start states.
    pub(crate) fn new(task: &'m Task<'m>, starts: &[Vec<i64>]) -> Self {
        let (model, layout) = (task.model, task.layout);
        let names = Names::new(model, layout);
        let identity = names.classes.iter().map(|class| (0..class.size).collect()).collect();
        let definedness = Definedness::new(model, layout, starts.iter().map(Vec::as_slice));
        let mut defined = Vec::new();
        for (at, global) in model.globals.iter().enumerate() {
            let place = Place::global(GlobalId(at as u32), global.ty, Span::NOWHERE);
            note_defined(model, &definedness, &place, &mut defined);
        }
        Self { task, names, wide: WideRules::new(model), identity, defined, ordered: find_ordered(model) }
    }

    pub(crate) fn model(&self) -> &'m Model {
        self.task.model
    }

    /// Whether a loop over a type may go through names: whether no order of its rounds can be told from another.
    // SOUND: `order` proves that every order of rounds gives the same state and the same decision about faults. So the
    // rounds of the renamed state may be taken in the order of the renamed names. Where it proves nothing, the values
    // of the loop are no names, and nothing renames them.
    pub(crate) fn is_unordered(&self, author: Author, ty: TypeId) -> bool {
        self.ordered.get(&author).is_none_or(|types| !types.contains(&None) && !types.contains(&Some(ty)))
    }
}

/// Appends, for each slot of a place, whether it is always defined.
fn note_defined(model: &Model, definedness: &Definedness, place: &Place, defined: &mut Vec<bool>) {
    let part = |projection: Projection, ty: TypeId| {
        let mut path = place.path.clone();
        path.push(projection);
        Place {
            base: match &place.base {
                PlaceBase::Global(global) => PlaceBase::Global(*global),
                other => other.clone(),
            },
            path,
            ty,
            span: place.span,
        }
    };
    match model.types.get(place.ty) {
        &Type::Array { index, element } => {
            let shape = model.types.shape(index);
            let first = part(Projection::Index(Box::new(Expr::constant(index, shape.lo, place.span))), element);
            let begin = defined.len();
            note_defined(model, definedness, &first, defined);
            let end = defined.len();
            for _ in 1..shape.cardinality() {
                defined.extend_from_within(begin..end);
            }
        }
        Type::Record { fields } => {
            for (at, field) in fields.iter().enumerate() {
                note_defined(model, definedness, &part(Projection::Field(at as u32), field.ty), defined);
            }
        }
        Type::Multiset { .. } => {
            let n_slots = model.types.shape(place.ty).n_slots as usize;
            defined.extend(std::iter::repeat_n(false, n_slots));
        }
        // Globals are no locals of anybody, so that it does not matter whose text asks.
        _ => defined.push(definedness.always_defined(model, Owner::Rule(0), &[], place)),
    }
}

fn find_ordered(model: &Model) -> BTreeMap<Author, BTreeSet<Option<TypeId>>> {
    let bare = Model { rules: Vec::new(), properties: Vec::new(), starts: Vec::new(), ..model.clone() };
    let mut found = BTreeMap::new();
    let mut note = |author, part: &Model| {
        let types: BTreeSet<Option<TypeId>> = ordered_in_part(part).into_iter().map(|it| it.domain).collect();
        if !types.is_empty() {
            found.insert(author, types);
        }
    };
    for (at, rule) in model.rules.iter().enumerate() {
        let part = Model { rules: vec![rule.clone()], ..bare.clone() };
        note(Author::Rule(RuleId(at as u32)), &part);
    }
    for (at, property) in model.properties.iter().enumerate() {
        let part = Model { properties: vec![property.clone()], ..bare.clone() };
        note(Author::Property(PropertyId(at as u32)), &part);
    }
    found
}
