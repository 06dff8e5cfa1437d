//! A second look at proved symmetry, which shares nothing with the proof.
//!
//! The proof goes by what the model's text says (`infer`, `order`; for parts of a model and for other groups
//! `analysis::partition`); this goes by what the model does. On every state of a bounded search by the reference
//! evaluator, and for permutations that generate all of them (exchanges of two members of a class or of a cell of a
//! partition, the generators of other groups), the steps from the renamed state must be the renamed steps, and properties
//! must have the same value. The
//! renaming of states is the definition, written down again: positions move, values are renamed, multisets are put in
//! order.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use burnside_interp::{Interpreter, Limits, Outcome, Truth};
use burnside_ir::{Layout, Model, PropertyId, PropertyKind, RuleId, StartId, Type, TypeId, UNDEFINED};

use crate::{Joint, Permutations, SymmetricClass};

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
    /// What does not commute with it: a rule, start state or property.
    pub part: Part,
    /// In this state; in none if it is a start state.
    pub state: Vec<i64>,
}

/// A part of a model that has instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A rule.
    Rule(RuleId),
    /// A start state.
    Start(StartId),
    /// A property.
    Property(PropertyId),
}

/// A permutation of a class's members, counted from its first: each that moves with its image, in ascending order. A class
/// of thousands has as many exchanges of neighbours, so those that stay are not listed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Images(Vec<(i64, i64)>);

impl Images {
    fn new(pairs: impl Iterator<Item = (i64, i64)>) -> Self {
        Self(pairs.filter(|(from, to)| from != to).collect())
    }

    fn of(&self, member: i64) -> i64 {
        self.0.binary_search_by_key(&member, |(from, _)| *from).map_or(member, |at| self.0[at].1)
    }

    /// First this permutation, then another, in a class of `size` members.
    fn then(&self, next: &Self, size: u32) -> Self {
        Self::new((0..i64::from(size)).map(|member| (member, next.of(self.of(member)))))
    }
}

/// A permutation of the members of some classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    classes: Vec<(SymmetricClass, Images)>,
    /// The permutation as cycles.
    cycles: String,
    is_exchange: bool,
}

impl Move {
    /// Exchanges two members of a class, counted from its first.
    pub fn exchange(model: &Model, class: &SymmetricClass, [one, other]: [usize; 2]) -> Self {
        let ty = class.named_type(model);
        let name = |number: usize| model.types.value_name(ty, model.types.shape(ty).lo + number as i64);
        let [low, high] = [one.min(other) as i64, one.max(other) as i64];
        let images = Images::new([(low, high), (high, low)].into_iter());
        let cycles = format!("({} {})", name(one), name(other));
        Self { classes: vec![(class.clone(), images)], cycles, is_exchange: true }
    }

    /// The generators of a group.
    fn generators(model: &Model, joint: &Joint) -> impl Iterator<Item = Self> {
        joint.group.generators().iter().map(move |generator| {
            let mut first = 0;
            let classes = joint.classes.iter().map(|class| {
                let points = first..first + class.size as usize;
                let number = |point: usize| point as i64 - first as i64;
                let images = points.clone().map(|point| (number(point), number(generator.image(point))));
                let images = Images::new(images);
                first = points.end;
                (class.clone(), images)
            });
            Self { classes: classes.collect(), cycles: joint.cycles(model, generator), is_exchange: false }
        })
    }

    /// The moves that generate all that was proved: exchanges of neighbours in symmetric classes, and the generators of
    /// other groups.
    pub fn all(model: &Model, symmetry: &Permutations) -> Vec<Self> {
        let exchanges = symmetry
            .classes
            .iter()
            .flat_map(|class| (1..class.size as usize).map(move |next| Self::exchange(model, class, [next - 1, next])));
        exchanges.chain(symmetry.joints.iter().flat_map(|joint| Self::generators(model, joint))).collect()
    }

    /// First this permutation, then another.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let mut classes = self.classes.clone();
        for (class, images) in &next.classes {
            match classes.iter_mut().find(|(known, _)| known == class) {
                Some((_, own)) => *own = own.then(images, class.size),
                None => classes.push((class.clone(), images.clone())),
            }
        }
        Self { classes, cycles: format!("{} {}", self.cycles, next.cycles), is_exchange: false }
    }

    /// The permutation as a product of cycles, read from left to right.
    pub fn cycles(&self) -> &str {
        &self.cycles
    }

    /// The image of an unpacked state.
    pub fn rename(&self, model: &Model, layout: &Layout, state: &[i64]) -> Vec<i64> {
        let mut image = vec![UNDEFINED; state.len()];
        let mut at = 0;
        for global in &model.globals {
            let next = at + model.types.shape(global.ty).n_slots as usize;
            self.rename_value(model, global.ty, &state[at..next], &mut image[at..next]);
            at = next;
        }
        layout.normalise(&mut image);
        image
    }

    fn rename_value(&self, model: &Model, ty: TypeId, from: &[i64], to: &mut [i64]) {
        let types = &model.types;
        match types.get(ty) {
            &Type::Array { index, element } => {
                let (stride, lo) = (types.shape(element).n_slots as usize, types.shape(index).lo);
                for (position, part) in from.chunks(stride.max(1)).enumerate() {
                    let at = (self.rename_scalar(model, index, lo + position as i64) - lo) as usize * stride;
                    self.rename_value(model, element, part, &mut to[at..at + stride]);
                }
            }
            Type::Record { fields } => {
                let mut at = 0;
                for field in fields {
                    let next = at + types.shape(field.ty).n_slots as usize;
                    self.rename_value(model, field.ty, &from[at..next], &mut to[at..next]);
                    at = next;
                }
            }
            &Type::Multiset { element, .. } => {
                let stride = types.shape(element).n_slots as usize + 1;
                for (from, to) in from.chunks(stride).zip(to.chunks_mut(stride)) {
                    to[0] = from[0];
                    self.rename_value(model, element, &from[1..], &mut to[1..]);
                }
            }
            _ => to[0] = self.rename_scalar(model, ty, from[0]),
        }
    }

    fn rename_scalar(&self, model: &Model, ty: TypeId, value: i64) -> i64 {
        let types = &model.types;
        if value == UNDEFINED {
            return UNDEFINED;
        }
        if matches!(types.get(ty), Type::Union { .. }) {
            let Some((member, inner)) = types.union_member(ty, value) else { return value };
            return value - inner + self.rename_scalar(model, member, inner);
        }
        let lo = types.shape(ty).lo;
        match self.classes.iter().find(|(class, _)| class.types.contains(&ty)) {
            Some((_, images)) => lo + images.of(value - lo),
            None => value,
        }
    }
}

/// Says that permutations take the steps of some instances to steps of these instances, or leave a property's value alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What it is about.
    pub part: Part,
    /// The instances of a rule or start state that are meant: in some element of this list, every parameter that is
    /// named by its number has one of the values.
    pub instances: Vec<Vec<(usize, Vec<i64>)>>,
    /// The permutations.
    pub moves: Vec<Move>,
}

impl Claim {
    /// What is claimed of all instances of a part.
    pub fn about_all(part: Part, moves: Vec<Move>) -> Self {
        Self { part, instances: vec![Vec::new()], moves }
    }

    /// Whether an instance with these parameters is meant. Parameters that are missing, because evaluating what comes before them faulted, may be any.
    pub fn means(&self, args: &[i64]) -> bool {
        let fits = |(at, values): &(usize, Vec<i64>)| args.get(*at).is_none_or(|value| values.contains(value));
        self.instances.iter().any(|choice| choice.iter().all(fits))
    }
}

/// Tries the symmetry of a model on at most `most_states` states.
pub fn recheck(
    model: &Model,
    layout: &Layout,
    symmetry: &Permutations,
    limits: Limits,
    most_states: usize,
) -> Result<Rechecked, Box<Refuted>> {
    let moves = Move::all(model, symmetry);
    let rules = (0..model.rules.len() as u32).map(|at| Part::Rule(RuleId(at)));
    let properties = (0..model.properties.len() as u32).map(|at| Part::Property(PropertyId(at)));
    let claims: Vec<Claim> = rules.chain(properties).map(|part| Claim::about_all(part, moves.clone())).collect();
    recheck_claims((model, layout, limits), &symmetry.strict_types(model), &claims, most_states)
}

/// Tries claims about parts of a model on at most `most_states` states. Quantifiers over the `strict` types are evaluated
/// for every value.
pub fn recheck_claims(
    (model, layout, limits): (&Model, &Layout, Limits),
    strict: &[TypeId],
    claims: &[Claim],
    most_states: usize,
) -> Result<Rechecked, Box<Refuted>> {
    let interpreter = Interpreter::new(model, layout, limits).strict(strict);
    let mut trial = Trial { model, layout, interpreter };
    let mut moves: Vec<(&Move, Vec<&Claim>)> = Vec::new();
    for claim in claims {
        for moved in &claim.moves {
            match moves.iter_mut().find(|(known, _)| *known == moved) {
                Some((_, about)) => about.push(claim),
                None => moves.push((moved, vec![claim])),
            }
        }
    }
    let exchanges = moves.iter().filter(|(moved, _)| moved.is_exchange).count();
    let rechecked = |states, complete| Rechecked { states, exchanges, generators: moves.len() - exchanges, complete };
    let starts = trial.starts();
    for (moved, claims) in &moves {
        trial.compare_starts(moved, claims, &starts)?;
    }
    let mut known = BTreeSet::new();
    let mut frontier = VecDeque::new();
    for (_, _, end) in starts {
        if let End::State(state) = end
            && known.insert(state.clone())
        {
            frontier.push_back(state);
        }
    }
    let mut states = 0;
    while let Some(state) = frontier.pop_front() {
        if states == most_states {
            return Ok(rechecked(states, false));
        }
        states += 1;
        let steps = trial.steps(&state);
        let values = trial.values(&state);
        for (moved, claims) in &moves {
            trial.compare(moved, claims, &state, (&steps, &values))?;
        }
        for step in steps {
            if let End::State(next) = step.2
                && known.insert(next.clone())
            {
                frontier.push_back(next);
            }
        }
    }
    Ok(rechecked(states, true))
}

/// Where a step ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    State(Vec<i64>),
    Dropped,
    /// Which fault comes first may depend on names; that there is one may not.
    Fault,
}

impl End {
    fn of(outcome: Outcome<'_>) -> Self {
        match outcome {
            Outcome::Next(next) => Self::State(next.to_vec()),
            Outcome::Pruned => Self::Dropped,
            Outcome::Fault(..) => Self::Fault,
        }
    }
}

/// A step by an instance of a rule or start state.
type Step = (Part, Vec<i64>, End);

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
    /// Compares what the parts that claims are about do in a state and in its image.
    fn compare(
        &mut self,
        moved: &Move,
        claims: &[&Claim],
        state: &[i64],
        (steps, values): (&[Step], &[Answer]),
    ) -> Result<(), Box<Refuted>> {
        let image = moved.rename(self.model, self.layout, state);
        let (image_steps, image_values) = (self.steps(&image), self.values(&image));
        for claim in claims {
            let stands = match claim.part {
                Part::Start(_) => true,
                Part::Rule(_) => self.takes(moved, claim, steps, &image_steps),
                Part::Property(property) => values[property.index()] == image_values[property.index()],
            };
            if !stands {
                return Err(self.refuted(moved, claim.part, state));
            }
        }
        Ok(())
    }

    /// Start states are what is reached from nothing, which every permutation leaves alone.
    fn compare_starts(&self, moved: &Move, claims: &[&Claim], starts: &[Step]) -> Result<(), Box<Refuted>> {
        let mut about_starts = claims.iter().filter(|claim| matches!(claim.part, Part::Start(_)));
        match about_starts.find(|claim| !self.takes(moved, claim, starts, starts)) {
            Some(claim) => Err(self.refuted(moved, claim.part, &[])),
            None => Ok(()),
        }
    }

    /// Whether a permutation takes the claimed instances' steps to their steps in the image.
    fn takes(&self, moved: &Move, claim: &Claim, steps: &[Step], image_steps: &[Step]) -> bool {
        let is_meant = |step: &&Step| step.0 == claim.part && claim.means(&step.1);
        let mut expected: Vec<End> = steps.iter().filter(is_meant).map(|step| step.2.clone()).collect();
        for end in &mut expected {
            if let End::State(next) = end {
                *next = moved.rename(self.model, self.layout, next);
            }
        }
        let mut found: Vec<&End> = image_steps.iter().filter(is_meant).map(|step| &step.2).collect();
        expected.sort();
        found.sort();
        expected.iter().eq(found)
    }

    fn refuted(&self, moved: &Move, part: Part, state: &[i64]) -> Box<Refuted> {
        let class = moved.classes.iter().map(|(class, _)| class.name.as_str()).collect::<Vec<_>>().join(" and ");
        Box::new(Refuted { class, permutation: moved.cycles.clone(), part, state: state.to_vec() })
    }

    fn starts(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        self.interpreter.starts(|start, args, outcome| {
            steps.push((Part::Start(start), args.to_vec(), End::of(outcome)));
            ControlFlow::Continue(())
        });
        steps
    }

    fn steps(&mut self, state: &[i64]) -> Vec<Step> {
        let mut steps = Vec::new();
        self.interpreter.successors(state, |rule, args, outcome| {
            steps.push((Part::Rule(rule), args.to_vec(), End::of(outcome)));
            ControlFlow::Continue(())
        });
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
                // on names. Instances of a liveness property are claims of their own.
                Err(_) if !kind.is_claim() => Answer::Fault,
                Ok(Truth::FailsFor(_)) | Err(_) => Answer::No,
            },
        };
        properties.map(value).collect()
    }
}
