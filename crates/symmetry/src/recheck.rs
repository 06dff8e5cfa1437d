//! A second look at proved symmetry, which shares nothing with the proof.
//!
//! The proof goes by what the model's text says (`infer`, `order`); this goes by what the model does. On every state of
//! a bounded search by the reference evaluator, and for permutations that generate all of them (exchanges of two members
//! of a symmetric class, the generators of other groups), the steps from the renamed state must be the renamed steps, and properties must have the same value. The
//! renaming of states is the definition, written down again: positions move, values are renamed, multisets are put in
//! order.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use burnside_interp::{Interpreter, Limits, Outcome, Truth};
use burnside_ir::{Layout, Model, PropertyId, PropertyKind, RuleId, Type, TypeId, UNDEFINED};

use crate::{Joint, SymmetricClass, Symmetry};

/// What was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rechecked {
    /// States on which every permutation was tried.
    pub states: usize,
    /// Exchanges of two members of a symmetric class.
    pub exchanges: usize,
    /// Generators of other groups.
    pub generators: usize,
    /// Whether these were all reachable states.
    pub complete: bool,
}

/// A permutation that is no automorphism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refuted {
    /// The class whose members it moves, or the classes.
    pub class: String,
    /// The permutation as cycles of members.
    pub permutation: String,
    /// What does not commute with it: a rule or a property.
    pub part: Part,
    /// In this state.
    pub state: Vec<i64>,
}

/// A part of a model that has instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A rule.
    Rule(RuleId),
    /// A property.
    Property(PropertyId),
}

/// Tries the symmetry of a model on at most `most_states` states.
pub fn recheck(
    model: &Model,
    layout: &Layout,
    symmetry: &Symmetry,
    limits: Limits,
    most_states: usize,
) -> Result<Rechecked, Box<Refuted>> {
    let interpreter = Interpreter::new(model, layout, limits).strict(&symmetry.strict_types(model));
    let mut trial = Trial { model, layout, interpreter };
    let exchanges: Vec<Moved<'_>> = symmetry.classes.iter().flat_map(|class| exchanges(model, class)).collect();
    let generators: Vec<Moved<'_>> = symmetry.joints.iter().flat_map(|joint| generators(model, joint)).collect();
    let rechecked =
        |states, complete| Ok(Rechecked { states, exchanges: exchanges.len(), generators: generators.len(), complete });
    let mut known = BTreeSet::new();
    let mut frontier = VecDeque::new();
    trial.interpreter.starts(|_, _, outcome| {
        if let Outcome::Next(state) = outcome
            && known.insert(state.to_vec())
        {
            frontier.push_back(state.to_vec());
        }
        ControlFlow::Continue(())
    });
    let mut states = 0;
    while let Some(state) = frontier.pop_front() {
        if states == most_states {
            return rechecked(states, false);
        }
        states += 1;
        let steps = trial.steps(&state);
        let values = trial.values(&state);
        for moved in exchanges.iter().chain(&generators) {
            trial.compare(moved, &state, &steps, &values)?;
        }
        for step in steps {
            if let End::State(next) = step.1
                && known.insert(next.clone())
            {
                frontier.push_back(next);
            }
        }
    }
    rechecked(states, true)
}

/// Where the members of classes go.
struct Moved<'s> {
    /// For each class the numbers of its members' images, counted from its first.
    classes: Vec<(&'s SymmetricClass, Vec<i64>)>,
    /// The permutation as cycles.
    cycles: String,
}

/// The exchanges of a member with the next one.
fn exchanges<'s>(model: &'s Model, class: &'s SymmetricClass) -> impl Iterator<Item = Moved<'s>> {
    let ty = class.named_type(model);
    let name = move |number: usize| model.types.value_name(ty, model.types.shape(ty).lo + number as i64);
    (1..class.size as usize).map(move |second| {
        let mut images: Vec<i64> = (0..i64::from(class.size)).collect();
        images.swap(second - 1, second);
        Moved { classes: vec![(class, images)], cycles: format!("({} {})", name(second - 1), name(second)) }
    })
}

fn generators<'s>(model: &'s Model, joint: &'s Joint) -> impl Iterator<Item = Moved<'s>> {
    joint.group.generators().iter().map(move |generator| {
        let mut first = 0;
        let classes = joint.classes.iter().map(|class| {
            let points = first..first + class.size as usize;
            let images = points.clone().map(|point| generator.image(point) as i64 - first as i64).collect();
            first = points.end;
            (class, images)
        });
        Moved { classes: classes.collect(), cycles: joint.cycles(model, generator) }
    })
}

/// Where a step ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    State(Vec<i64>),
    Dropped,
    /// Which fault comes first may depend on names; that there is one may not.
    Fault,
}

/// What a property's condition is in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    Fault,
}

struct Trial<'m> {
    model: &'m Model,
    layout: &'m Layout,
    interpreter: Interpreter<'m>,
}

impl Trial<'_> {
    fn compare(
        &mut self,
        moved: &Moved<'_>,
        state: &[i64],
        steps: &[(RuleId, End)],
        values: &[Answer],
    ) -> Result<(), Box<Refuted>> {
        let image = self.rename(moved, state);
        let mut expected: Vec<(RuleId, End)> = steps.to_vec();
        for (_, end) in &mut expected {
            if let End::State(next) = end {
                *next = self.rename(moved, next);
            }
        }
        expected.sort();
        let found = self.steps(&image);
        if found != expected {
            let differs = found.iter().zip(&expected).find(|(found, expected)| found != expected);
            let longer = || found.get(expected.len()).or(expected.get(found.len()));
            let rule = differs.map(|(found, expected)| found.0.min(expected.0)).or_else(|| longer().map(|step| step.0));
            let rule = rule.expect("unequal lists differ somewhere");
            return Err(self.refuted(moved, Part::Rule(rule), state));
        }
        let found = self.values(&image);
        match (0..).map(PropertyId).zip(found.iter().zip(values)).find(|(_, (found, value))| found != value) {
            Some((property, _)) => Err(self.refuted(moved, Part::Property(property), state)),
            None => Ok(()),
        }
    }

    fn refuted(&self, moved: &Moved<'_>, part: Part, state: &[i64]) -> Box<Refuted> {
        let class = moved.classes.iter().map(|(class, _)| class.name.as_str()).collect::<Vec<_>>().join(" and ");
        Box::new(Refuted { class, permutation: moved.cycles.clone(), part, state: state.to_vec() })
    }

    /// The steps from a state, sorted.
    fn steps(&mut self, state: &[i64]) -> Vec<(RuleId, End)> {
        let mut steps = Vec::new();
        self.interpreter.successors(state, |rule, _, outcome| {
            let end = match outcome {
                Outcome::Next(next) => End::State(next.to_vec()),
                Outcome::Pruned => End::Dropped,
                Outcome::Fault(..) => End::Fault,
            };
            steps.push((rule, end));
            ControlFlow::Continue(())
        });
        steps.sort();
        steps
    }

    /// The value of every property.
    fn values(&mut self, state: &[i64]) -> Vec<Answer> {
        let properties = (0..).map(PropertyId).zip(&self.model.properties);
        let value = |(id, property): (PropertyId, &burnside_ir::Property)| match property.kind {
            PropertyKind::Cover => match self.interpreter.holds_somewhere(state, id) {
                Ok(true) => Answer::Yes,
                Ok(false) => Answer::No,
                Err(_) => Answer::Fault,
            },
            kind => match self.interpreter.holds(state, id) {
                Ok(Truth::Everywhere) => Answer::Yes,
                // A failing and a faulting instance of an invariant are both violations; which comes first may depend
                // on names.
                Err(_) if kind != PropertyKind::Invariant => Answer::Fault,
                Ok(Truth::FailsFor(_)) | Err(_) => Answer::No,
            },
        };
        properties.map(value).collect()
    }

    fn rename(&self, moved: &Moved<'_>, state: &[i64]) -> Vec<i64> {
        let mut image = vec![UNDEFINED; state.len()];
        let mut at = 0;
        for global in &self.model.globals {
            let next = at + self.model.types.shape(global.ty).n_slots as usize;
            self.rename_value(moved, global.ty, &state[at..next], &mut image[at..next]);
            at = next;
        }
        self.layout.normalise(&mut image);
        image
    }

    fn rename_value(&self, moved: &Moved<'_>, ty: TypeId, from: &[i64], to: &mut [i64]) {
        let types = &self.model.types;
        match types.get(ty) {
            &Type::Array { index, element } => {
                let (stride, lo) = (types.shape(element).n_slots as usize, types.shape(index).lo);
                for (position, part) in from.chunks(stride.max(1)).enumerate() {
                    let at = (self.rename_scalar(moved, index, lo + position as i64) - lo) as usize * stride;
                    self.rename_value(moved, element, part, &mut to[at..at + stride]);
                }
            }
            Type::Record { fields } => {
                let mut at = 0;
                for field in fields {
                    let next = at + types.shape(field.ty).n_slots as usize;
                    self.rename_value(moved, field.ty, &from[at..next], &mut to[at..next]);
                    at = next;
                }
            }
            &Type::Multiset { element, .. } => {
                let stride = types.shape(element).n_slots as usize + 1;
                for (from, to) in from.chunks(stride).zip(to.chunks_mut(stride)) {
                    to[0] = from[0];
                    self.rename_value(moved, element, &from[1..], &mut to[1..]);
                }
            }
            _ => to[0] = self.rename_scalar(moved, ty, from[0]),
        }
    }

    fn rename_scalar(&self, moved: &Moved<'_>, ty: TypeId, value: i64) -> i64 {
        let types = &self.model.types;
        if value == UNDEFINED {
            return UNDEFINED;
        }
        if matches!(types.get(ty), Type::Union { .. }) {
            let Some((member, inner)) = types.union_member(ty, value) else { return value };
            return value - inner + self.rename_scalar(moved, member, inner);
        }
        let lo = types.shape(ty).lo;
        match moved.classes.iter().find(|(class, _)| class.types.contains(&ty)) {
            Some((_, images)) => lo + images[(value - lo) as usize],
            None => value,
        }
    }
}
