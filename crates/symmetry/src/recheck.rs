//! A second look at proved symmetry, which shares nothing with the proof.
//!
//! The proof goes by what the model's text says (`infer`, `order`; for parts of a model `analysis::partition`); this goes
//! by what the model does. On every state of a bounded search by the reference evaluator, and for exchanges of two
//! members that generate all permutations of a class (or of a cell of a partition), the steps from the renamed state must
//! be the renamed steps, and properties must have the same value. The
//! renaming of states is the definition, written down again: positions move, values are renamed, multisets are put in
//! order.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use burnside_interp::{Interpreter, Limits, Outcome, Truth};
use burnside_ir::{Layout, Model, PropertyId, PropertyKind, RuleId, StartId, Type, TypeId, UNDEFINED};

use crate::{SymmetricClass, Symmetry};

/// What was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rechecked {
    /// States on which every exchange was tried.
    pub states: usize,
    /// Exchanges of two members.
    pub exchanges: usize,
    /// Whether these were all reachable states.
    pub complete: bool,
}

/// An exchange of two members that is no automorphism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refuted {
    /// The class they belong to.
    pub class: String,
    /// The two members.
    pub members: [String; 2],
    /// What tells them apart: a rule, start state or property.
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

/// Exchanges two members of a class, counted from its first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The class.
    pub class: SymmetricClass,
    /// The two.
    pub members: [u32; 2],
}

/// Says that exchanges take the steps of some instances to steps of these instances, or leave a property's value alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What it is about.
    pub part: Part,
    /// The instances of a rule or start state that are meant: in some element of this list, every parameter that is
    /// named by its number has one of the values.
    pub instances: Vec<Vec<(usize, Vec<i64>)>>,
    /// The exchanges.
    pub exchanges: Vec<Exchange>,
}

impl Claim {
    /// What is claimed of all instances of a part.
    pub fn about_all(part: Part, exchanges: Vec<Exchange>) -> Self {
        Self { part, instances: vec![Vec::new()], exchanges }
    }

    /// Parameters that are missing, because evaluating what comes before them faulted, may be any.
    fn means(&self, args: &[i64]) -> bool {
        let fits = |(at, values): &(usize, Vec<i64>)| args.get(*at).is_none_or(|value| values.contains(value));
        self.instances.iter().any(|choice| choice.iter().all(fits))
    }
}

/// Tries the symmetry of a model on at most `most_states` states.
pub fn recheck(
    model: &Model,
    layout: &Layout,
    symmetry: &Symmetry,
    limits: Limits,
    most_states: usize,
) -> Result<Rechecked, Box<Refuted>> {
    let neighbours = |class: &SymmetricClass| {
        let class = class.clone();
        (1..class.size).map(move |next| Exchange { class: class.clone(), members: [next - 1, next] })
    };
    let exchanges: Vec<Exchange> = symmetry.classes.iter().flat_map(neighbours).collect();
    let rules = (0..model.rules.len() as u32).map(|at| Part::Rule(RuleId(at)));
    let properties = (0..model.properties.len() as u32).map(|at| Part::Property(PropertyId(at)));
    let claims: Vec<Claim> = rules.chain(properties).map(|part| Claim::about_all(part, exchanges.clone())).collect();
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
    let mut exchanges: Vec<(&Exchange, Vec<&Claim>)> = Vec::new();
    for claim in claims {
        for exchange in &claim.exchanges {
            match exchanges.iter_mut().find(|(known, _)| *known == exchange) {
                Some((_, about)) => about.push(claim),
                None => exchanges.push((exchange, vec![claim])),
            }
        }
    }
    let starts = trial.starts();
    for (exchange, claims) in &exchanges {
        trial.compare_starts(exchange, claims, &starts)?;
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
            return Ok(Rechecked { states, exchanges: exchanges.len(), complete: false });
        }
        states += 1;
        let steps = trial.steps(&state);
        let values = trial.values(&state);
        for (exchange, claims) in &exchanges {
            trial.compare(exchange, claims, &state, (&steps, &values))?;
        }
        for step in steps {
            if let End::State(next) = step.2
                && known.insert(next.clone())
            {
                frontier.push_back(next);
            }
        }
    }
    Ok(Rechecked { states, exchanges: exchanges.len(), complete: true })
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
        exchange: &Exchange,
        claims: &[&Claim],
        state: &[i64],
        (steps, values): (&[Step], &[Answer]),
    ) -> Result<(), Box<Refuted>> {
        let image = self.rename(exchange, state);
        let (image_steps, image_values) = (self.steps(&image), self.values(&image));
        for claim in claims {
            let stands = match claim.part {
                Part::Start(_) => true,
                Part::Rule(_) => self.takes(exchange, claim, steps, &image_steps),
                Part::Property(property) => values[property.index()] == image_values[property.index()],
            };
            if !stands {
                return Err(self.refuted(exchange, claim.part, state));
            }
        }
        Ok(())
    }

    /// Start states are what is reached from nothing, which every exchange leaves alone.
    fn compare_starts(&self, exchange: &Exchange, claims: &[&Claim], starts: &[Step]) -> Result<(), Box<Refuted>> {
        let mut about_starts = claims.iter().filter(|claim| matches!(claim.part, Part::Start(_)));
        match about_starts.find(|claim| !self.takes(exchange, claim, starts, starts)) {
            Some(claim) => Err(self.refuted(exchange, claim.part, &[])),
            None => Ok(()),
        }
    }

    /// Whether an exchange takes the claimed instances' steps to their steps in the image.
    fn takes(&self, exchange: &Exchange, claim: &Claim, steps: &[Step], image_steps: &[Step]) -> bool {
        let is_meant = |step: &&Step| step.0 == claim.part && claim.means(&step.1);
        let mut expected: Vec<End> = steps.iter().filter(is_meant).map(|step| step.2.clone()).collect();
        for end in &mut expected {
            if let End::State(next) = end {
                *next = self.rename(exchange, next);
            }
        }
        let mut found: Vec<&End> = image_steps.iter().filter(is_meant).map(|step| &step.2).collect();
        expected.sort();
        found.sort();
        expected.iter().eq(found)
    }

    fn refuted(&self, exchange: &Exchange, part: Part, state: &[i64]) -> Box<Refuted> {
        let ty = exchange.class.types[0];
        let lo = self.model.types.shape(ty).lo;
        let members = exchange.members.map(|member| self.model.types.value_name(ty, lo + i64::from(member)));
        Box::new(Refuted { class: exchange.class.name.clone(), members, part, state: state.to_vec() })
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
                Err(_) if kind == PropertyKind::Assumption => Answer::Fault,
                Ok(Truth::FailsFor(_)) | Err(_) => Answer::No,
            },
        };
        properties.map(value).collect()
    }

    fn rename(&self, exchange: &Exchange, state: &[i64]) -> Vec<i64> {
        let mut image = vec![UNDEFINED; state.len()];
        let mut at = 0;
        for global in &self.model.globals {
            let next = at + self.model.types.shape(global.ty).n_slots as usize;
            self.rename_value(exchange, global.ty, &state[at..next], &mut image[at..next]);
            at = next;
        }
        self.layout.normalise(&mut image);
        image
    }

    fn rename_value(&self, exchange: &Exchange, ty: TypeId, from: &[i64], to: &mut [i64]) {
        let types = &self.model.types;
        match types.get(ty) {
            &Type::Array { index, element } => {
                let (stride, lo) = (types.shape(element).n_slots as usize, types.shape(index).lo);
                for (position, part) in from.chunks(stride.max(1)).enumerate() {
                    let at = (self.rename_scalar(exchange, index, lo + position as i64) - lo) as usize * stride;
                    self.rename_value(exchange, element, part, &mut to[at..at + stride]);
                }
            }
            Type::Record { fields } => {
                let mut at = 0;
                for field in fields {
                    let next = at + types.shape(field.ty).n_slots as usize;
                    self.rename_value(exchange, field.ty, &from[at..next], &mut to[at..next]);
                    at = next;
                }
            }
            &Type::Multiset { element, .. } => {
                let stride = types.shape(element).n_slots as usize + 1;
                for (from, to) in from.chunks(stride).zip(to.chunks_mut(stride)) {
                    to[0] = from[0];
                    self.rename_value(exchange, element, &from[1..], &mut to[1..]);
                }
            }
            _ => to[0] = self.rename_scalar(exchange, ty, from[0]),
        }
    }

    fn rename_scalar(&self, exchange: &Exchange, ty: TypeId, value: i64) -> i64 {
        let types = &self.model.types;
        if value == UNDEFINED {
            return UNDEFINED;
        }
        if matches!(types.get(ty), Type::Union { .. }) {
            let Some((member, inner)) = types.union_member(ty, value) else { return value };
            return value - inner + self.rename_scalar(exchange, member, inner);
        }
        if !exchange.class.types.contains(&ty) {
            return value;
        }
        let lo = types.shape(ty).lo;
        let [one, other] = exchange.members.map(|member| lo + i64::from(member));
        match value {
            _ if value == one => other,
            _ if value == other => one,
            _ => value,
        }
    }
}
