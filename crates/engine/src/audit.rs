//! The audit inside a search: some of the states that it visits are looked at twice.
//!
//! In each of them, (i) native code is compared with the interpreter in the model's own order of evaluation: steps,
//! faults, prunes, cover points, values of properties; (ii) the steps of an image of the state under a permutation that
//! was proved are compared with the images of its steps; (iii) so are the values of properties. Start states are looked
//! at once, for the order of evaluation and for what is claimed about them; (iv) where the interpreter's steps lead is kept
//! ([`Follower`]), so that a search that says it has met everything can be asked for it. A difference is our bug:
//! the search ends without a verdict. Every thread has its own [`Auditor`]; which states it looks at depends on their
//! bits and on how much time is left for it, and changes nothing about the search.

use std::fmt;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use burnside_group::mix;
use burnside_interp::{Condition, Interpreter, Outcome, StepBuffer, StepEnd};
use burnside_ir::{PropertyId, PropertyKind, RuleId, StartId, TypeId, UNDEFINED};
use burnside_step::Code;
use burnside_symmetry::{Claim, Move, Part};

use crate::Task;

/// Which states are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AuditMode {
    /// None.
    Off,
    /// Some, as long as that takes less than a fiftieth of the time.
    #[default]
    Sample,
    /// All.
    All,
}

/// Of how many states one is in the sample.
const ONE_OF: u64 = 16;

/// The share of the time that a sample may take is one in so many: less than the fiftieth that is promised, because what
/// the next state takes is only guessed.
const SHARE: u32 = 100;

/// A sample may take so long whatever the search takes: even a search of a millisecond has its states.
const LEAST: Duration = Duration::from_micros(100);

/// What takes the search less than this takes the audit next to nothing.
const CHEAP: Duration = Duration::from_millis(1);

/// How much longer the interpreter takes for a step than the search, roughly and at most.
const SLOWNESS: u32 = 100;

/// Start states are looked at if there are no more instances of them than this.
const MOST_STARTS: usize = 256;

/// So many followers of states that were looked at are kept.
const MOST_FOLLOWERS: usize = 4096;

/// The most moves in a permutation that is tried.
const MOST_MOVES: u64 = 4;

/// Where two ways to compute what follows a state differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// What was compared.
    pub kind: DisagreementKind,
    /// What differs.
    pub part: Part,
    /// In this state, unpacked.
    pub state: Vec<i64>,
    /// Its image under the permutation, and the permutation.
    pub image: Option<(Vec<i64>, String)>,
}

/// What was compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisagreementKind {
    /// Native code and the interpreter.
    Native,
    /// A state and its image.
    Symmetry,
    /// Quantifiers evaluated in full and in the model's own order.
    Order,
    /// Where steps lead and what was met.
    Lost,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.kind, self.part) {
            (DisagreementKind::Native, Part::Property(_)) => "native code evaluates a property otherwise",
            (DisagreementKind::Native, _) => "native code takes other steps than the interpreter",
            (DisagreementKind::Lost, _) => "a state that a step leads to was never met",
            (DisagreementKind::Order, _) => "quantifiers evaluated in full lead to other start states",
            (DisagreementKind::Symmetry, Part::Property(_)) => "a permutation changes the value of a property",
            (DisagreementKind::Symmetry, _) => "a permutation does not take steps to steps",
        })
    }
}

/// Where a step leads, by the interpreter: a search that has met everything has met it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Follower {
    /// The state that was looked at.
    pub state: Vec<i64>,
    /// The rule.
    pub rule: RuleId,
    /// The state it leads to, which no assumption excludes.
    pub next: Vec<i64>,
}

impl Follower {
    /// What there is to say if the search has not met it.
    pub fn is_lost(&self) -> Box<Disagreement> {
        let (kind, part) = (DisagreementKind::Lost, Part::Rule(self.rule));
        Box::new(Disagreement { kind, part, state: self.state.clone(), image: None })
    }
}

/// Native code as an audit sees it.
pub trait Native {
    /// Appends the steps of all rule instances up to the first that faults, and tells which cover points were reached.
    fn expand(&mut self, state: &[u64], steps: &mut StepBuffer) -> Vec<PropertyId>;

    /// What a property's condition comes to, if there is code for it.
    fn condition(&mut self, state: &[u64], property: PropertyId) -> Option<Condition>;
}

impl Native for &Code {
    fn expand(&mut self, state: &[u64], steps: &mut StepBuffer) -> Vec<PropertyId> {
        self.expand_once(state, steps)
    }

    fn condition(&mut self, state: &[u64], property: PropertyId) -> Option<Condition> {
        self.evaluate_once(state, property)
    }
}

/// The permutations that a search relies on.
pub enum Relied<'m> {
    /// Generators of a group of automorphisms of the model; there may be none.
    Automorphisms(Vec<Move>),
    /// For each number some permutation, and the parts of the model that are said to be invariant under it.
    Claims(ClaimSource<'m>),
}

/// Gives for each number some permutation and what is said about it.
pub type ClaimSource<'m> = Box<dyn Fn(u64) -> Option<(Move, Vec<Claim>)> + Send + 'm>;

/// Looks at some states twice.
pub struct Auditor<'m> {
    task: Task<'m>,
    relied: Relied<'m>,
    own: Interpreter<'m>,
    strict: Interpreter<'m>,
    steps: StepBuffer,
    /// Start states, if they were looked at and are few.
    starts: Option<Vec<Start>>,
    begun: Instant,
    spent: Duration,
    last: Duration,
    n_states: u64,
    followers: Vec<Follower>,
    found: Option<Box<Disagreement>>,
}

/// A step: rule, parameters, and where it ends.
type Step = (RuleId, Vec<i64>, End);

/// The same for a start state.
type Start = (StartId, Vec<i64>, End);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    State(Vec<i64>),
    Pruned,
    Fault,
}

impl End {
    fn of(outcome: Outcome<'_>) -> Self {
        match outcome {
            Outcome::Next(next) => Self::State(next.to_vec()),
            Outcome::Pruned => Self::Pruned,
            Outcome::Fault(..) => Self::Fault,
        }
    }
}

impl<'m> Auditor<'m> {
    /// An auditor for one thread of a search that begins now and evaluates quantifiers over the `strict` types in full.
    pub fn new(task: &Task<'m>, strict: &[TypeId], relied: Relied<'m>) -> Self {
        let interpreter = || Interpreter::new(task.model, task.layout, task.step_limits);
        Self {
            task: *task,
            relied,
            own: interpreter(),
            strict: interpreter().strict(strict),
            steps: StepBuffer::new(task.layout.n_words()),
            starts: None,
            begun: Instant::now(),
            spent: Duration::ZERO,
            last: Duration::ZERO,
            n_states: 0,
            followers: Vec::new(),
            found: None,
        }
    }

    /// How many states were looked at.
    pub fn n_states(&self) -> u64 {
        self.n_states
    }

    /// What was found since the last call.
    pub fn take_disagreement(&mut self) -> Option<Box<Disagreement>> {
        self.found.take()
    }

    /// Where steps of the states looked at lead, since the last call.
    pub fn take_followers(&mut self) -> Vec<Follower> {
        std::mem::take(&mut self.followers)
    }

    /// Whether it is a state's turn to be looked at.
    #[inline]
    pub fn is_due(&self, state: &[u64]) -> bool {
        match self.task.audit {
            AuditMode::Off => false,
            AuditMode::Sample => hash(state).is_multiple_of(ONE_OF),
            AuditMode::All => true,
        }
    }

    /// Looks at a state whose steps took the search so long, unless that would take too long here.
    pub fn look(&mut self, state: &[u64], taken: Duration, native: Option<&mut dyn Native>) {
        let now = Instant::now();
        let allowed = LEAST + now.duration_since(self.begun) / SHARE;
        let guess = if taken < CHEAP { self.last } else { taken * SLOWNESS };
        if self.task.audit == AuditMode::Sample && self.spent + guess > allowed {
            return;
        }
        let found = if self.n_states == 0 { self.compare_starts() } else { None };
        let found = found.or_else(|| self.compare(state, native));
        self.found = self.found.take().or(found);
        self.n_states += 1;
        self.last = now.elapsed();
        self.spent += self.last;
    }

    /// Start states in the model's own order of evaluation against those with quantifiers evaluated in full, which only
    /// faults may tell apart.
    fn compare_starts(&mut self) -> Option<Box<Disagreement>> {
        let starts = starts(&mut self.own)?;
        let strict = self::starts(&mut self.strict)?;
        let faults = strict.iter().any(|(_, _, end)| *end == End::Fault);
        let differs = starts.iter().zip(&strict).find(|(own, strict)| own != strict);
        let part = differs.map(|(own, _)| Part::Start(own.0)).filter(|_| !faults);
        self.starts = Some(starts);
        let kind = DisagreementKind::Order;
        part.map(|part| Box::new(Disagreement { kind, part, state: Vec::new(), image: None }))
    }

    fn compare(&mut self, packed: &[u64], native: Option<&mut dyn Native>) -> Option<Box<Disagreement>> {
        let mut state = vec![UNDEFINED; self.task.layout.slots().len()];
        self.task.layout.unpack(packed, &mut state);
        self.own.take_covered();
        let steps = steps(&mut self.own, &state);
        let covered = self.covered();
        self.follow(&state, &steps);
        let in_native = native.and_then(|native| self.compare_native((packed, &state), (&steps, &covered), native));
        let differs = |(kind, part, image)| Box::new(Disagreement { kind, part, state: state.clone(), image });
        match in_native {
            Some(part) => Some(differs((DisagreementKind::Native, part, None))),
            None => {
                let (part, image) = self.compare_images((packed, &state), (&steps, &covered))?;
                Some(differs((DisagreementKind::Symmetry, part, Some(image))))
            }
        }
    }

    /// Keeps where steps lead, as far as assumptions let them.
    fn follow(&mut self, state: &[i64], steps: &[Step]) {
        let assumptions = self.task.properties(PropertyKind::Assumption);
        for (rule, _, end) in steps {
            let End::State(next) = end else { continue };
            let is_met = assumptions.iter().all(|&it| self.own.condition(next, it) == Condition::Holds);
            if is_met && self.followers.len() < MOST_FOLLOWERS {
                self.followers.push(Follower { state: state.to_vec(), rule: *rule, next: next.clone() });
            }
        }
    }

    fn covered(&mut self) -> Vec<PropertyId> {
        let mut covered = self.own.take_covered();
        covered.sort_unstable();
        covered.dedup();
        covered
    }

    /// What native code does otherwise than the interpreter in the model's own order of evaluation. Code that looks at
    /// every value of some quantifiers may fault where the model's own order does not; the search then looks again.
    fn compare_native(
        &mut self,
        (packed, state): (&[u64], &[i64]),
        (steps, covered): (&[Step], &[PropertyId]),
        native: &mut dyn Native,
    ) -> Option<Part> {
        self.steps.clear();
        let native_covered = native.expand(packed, &mut self.steps);
        let has_fault = |steps: &[Step]| steps.iter().any(|step| step.2 == End::Fault);
        // Native code stops at the first fault, so it does not reach the cover points behind it.
        let mut faults = has_fault(steps);
        if let Some(rule) = self.first_difference(steps) {
            let strict_steps = self::steps(&mut self.strict, state);
            if !has_fault(&strict_steps) || self.first_difference(&strict_steps).is_some() {
                return Some(Part::Rule(rule));
            }
            faults = true;
        }
        let missed = covered.iter().find(|point| !native_covered.contains(point));
        if let Some(&point) = missed.filter(|_| !faults) {
            return Some(Part::Property(point));
        }
        let properties: Vec<PropertyId> = watched(&self.task).collect();
        let differs = |property: &PropertyId| !self.agree_on(*property, packed, state, native);
        if let Some(property) = properties.into_iter().find(differs) {
            return Some(Part::Property(property));
        }
        // States that assumptions exclude are never visited, so these are looked at where steps lead.
        let assumptions = self.task.properties(PropertyKind::Assumption);
        for (_, _, end) in steps.iter().filter(|_| !assumptions.is_empty()) {
            let End::State(next) = end else { continue };
            let mut packed = vec![0; self.task.layout.n_words()];
            self.task.layout.pack(next, &mut packed);
            let mut properties = assumptions.iter();
            if let Some(&property) = properties.find(|&&it| !self.agree_on(it, &packed, next, native)) {
                return Some(Part::Property(property));
            }
        }
        None
    }

    /// Whether native code and the interpreter have one value for a property.
    fn agree_on(&mut self, property: PropertyId, packed: &[u64], state: &[i64], native: &mut dyn Native) -> bool {
        let Some(found) = native.condition(packed, property) else { return true };
        found == self.own.condition(state, property)
            || (found == Condition::Faults && self.strict.condition(state, property) == Condition::Faults)
    }

    /// The rule whose steps in native code are the first to differ from the interpreter's, up to the first fault.
    fn first_difference(&self, steps: &[Step]) -> Option<RuleId> {
        let n_expected = steps.iter().position(|step| step.2 == End::Fault).map_or(steps.len(), |at| at + 1);
        let mut packed = vec![0; self.task.layout.n_words()];
        for (at, (rule, _, end)) in steps[..n_expected].iter().enumerate() {
            if at >= self.steps.len() {
                return Some(*rule);
            }
            let found = self.steps.get(at);
            let same = match (end, found.end) {
                (End::State(next), StepEnd::Next) => {
                    self.task.layout.pack(next, &mut packed);
                    found.state == packed
                }
                (End::Pruned, StepEnd::Pruned) | (End::Fault, StepEnd::Fault) => true,
                _ => false,
            };
            if found.rule != *rule || !same {
                return Some(*rule);
            }
        }
        (self.steps.len() > n_expected).then(|| self.steps.get(n_expected).rule)
    }

    /// What a permutation, chosen by the state's bits, does not commute with. Where quantifiers evaluated in full fault,
    /// the search itself has found that and looks again.
    fn compare_images(
        &mut self,
        (packed, state): (&[u64], &[i64]),
        (steps, covered): (&[Step], &[PropertyId]),
    ) -> Option<(Part, (Vec<i64>, String))> {
        let number = hash(packed) / ONE_OF;
        let (moved, claims) = self.permutation(number)?;
        let image = moved.rename(self.task.model, self.task.layout, state);
        let own_values = self.values(state);
        self.own.take_covered();
        let image_steps = self::steps(&mut self.own, &image);
        let image_covered = self.covered();
        let image_values = self.values(&image);
        let own = self.renamed(&moved, steps);
        let part = self.difference(claims.as_deref(), (&own, &own_values), (&image_steps, &image_values));
        let part = part.or_else(|| self.changed_start(&moved, claims.as_deref()?));
        let in_covers = || {
            let mut points = covered.iter().chain(&image_covered);
            points.find(|point| covered.contains(point) != image_covered.contains(point))
        };
        let part = part.or_else(|| in_covers().filter(|_| claims.is_none()).map(|&point| Part::Property(point)))?;
        let faults = self::steps(&mut self.strict, state).iter().any(|step| step.2 == End::Fault);
        let value_faults =
            matches!(part, Part::Property(property) if self.strict.condition(state, property) == Condition::Faults);
        (!faults && !value_faults).then(|| (part, (image, moved.cycles().to_owned())))
    }

    /// A permutation to try, and what is said about it unless that is everything.
    fn permutation(&self, mut number: u64) -> Option<(Move, Option<Vec<Claim>>)> {
        match &self.relied {
            Relied::Automorphisms(moves) => {
                let mut product = moves.get(number as usize % moves.len().max(1))?.clone();
                for _ in 0..number % MOST_MOVES {
                    number = mix(number, 0);
                    product = product.then(&moves[number as usize % moves.len()]);
                }
                Some((product, None))
            }
            Relied::Claims(claims) => claims(number).map(|(moved, claims)| (moved, Some(claims))),
        }
    }

    fn renamed(&self, moved: &Move, steps: &[Step]) -> Vec<Step> {
        let renamed = |end: &End| match end {
            End::State(next) => End::State(moved.rename(self.task.model, self.task.layout, next)),
            end => end.clone(),
        };
        steps.iter().map(|(rule, args, end)| (*rule, args.clone(), renamed(end))).collect()
    }

    /// The first part of the model, of those that something is claimed about, that differs.
    fn difference(
        &self,
        claims: Option<&[Claim]>,
        (steps, values): (&[Step], &[(PropertyId, Condition)]),
        (image_steps, image_values): (&[Step], &[(PropertyId, Condition)]),
    ) -> Option<Part> {
        let differs = |part: Part, is_meant: &dyn Fn(&[i64]) -> bool| match part {
            Part::Rule(rule) => ends(steps, rule, is_meant) != ends(image_steps, rule, is_meant),
            Part::Property(property) => value(values, property) != value(image_values, property),
            Part::Start(_) => false,
        };
        match claims {
            Some(claims) => {
                let mut claims = claims.iter();
                claims.find(|claim| differs(claim.part, &|args| claim.means(args))).map(|claim| claim.part)
            }
            None => {
                let rules = (0..self.task.model.rules.len() as u32).map(|at| Part::Rule(RuleId(at)));
                let mut parts = rules.chain(values.iter().map(|(property, _)| Part::Property(*property)));
                parts.find(|part| differs(*part, &|_| true))
            }
        }
    }

    /// A start state that is claimed to be invariant under a permutation and is not.
    fn changed_start(&self, moved: &Move, claims: &[Claim]) -> Option<Part> {
        let starts = self.starts.as_ref().filter(|starts| starts.iter().all(|(_, _, end)| *end != End::Fault))?;
        let rename = |end: &End| match end {
            End::State(first) => End::State(moved.rename(self.task.model, self.task.layout, first)),
            end => end.clone(),
        };
        let differs = |claim: &&Claim| {
            let Part::Start(start) = claim.part else { return false };
            let own = starts.iter().filter(|(it, args, _)| *it == start && claim.means(args));
            let mut own: Vec<End> = own.map(|(_, _, end)| end.clone()).collect();
            let mut images: Vec<End> = own.iter().map(rename).collect();
            own.sort_unstable();
            images.sort_unstable();
            own != images
        };
        claims.iter().find(differs).map(|claim| claim.part)
    }

    /// The value of every property. An invariant that does not hold is a violation, faults or not.
    fn values(&mut self, state: &[i64]) -> Vec<(PropertyId, Condition)> {
        let liveness = self.task.properties(PropertyKind::Liveness);
        let properties: Vec<PropertyId> = watched(&self.task).chain(liveness).collect();
        let value = |property: PropertyId| {
            let value = self.own.condition(state, property);
            let is_invariant = self.task.model.property(property).kind == PropertyKind::Invariant;
            (property, if is_invariant && value == Condition::Faults { Condition::Fails } else { value })
        };
        properties.into_iter().map(value).collect()
    }
}

/// The properties that are evaluated in every state.
fn watched(task: &Task<'_>) -> impl Iterator<Item = PropertyId> {
    use PropertyKind::{Assumption, Cover, Ending, Invariant, Passing};
    let kinds = [Assumption, Invariant, Cover, Passing, Ending];
    kinds.map(|kind| task.properties(kind)).into_iter().flatten()
}

fn steps(interpreter: &mut Interpreter<'_>, state: &[i64]) -> Vec<Step> {
    let mut steps = Vec::new();
    interpreter.successors(state, |rule, args, outcome| {
        steps.push((rule, args.to_vec(), End::of(outcome)));
        ControlFlow::Continue(())
    });
    steps
}

/// All start states, if they are few.
fn starts(interpreter: &mut Interpreter<'_>) -> Option<Vec<Start>> {
    let mut starts = Vec::new();
    interpreter.starts(|start, args, outcome| {
        starts.push((start, args.to_vec(), End::of(outcome)));
        if starts.len() > MOST_STARTS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (starts.len() <= MOST_STARTS).then_some(starts)
}

fn value(values: &[(PropertyId, Condition)], property: PropertyId) -> Option<Condition> {
    values.iter().find(|(it, _)| *it == property).map(|(_, value)| *value)
}

/// Where the steps of some instances of a rule end, sorted.
fn ends<'s>(steps: &'s [Step], rule: RuleId, is_meant: &dyn Fn(&[i64]) -> bool) -> Vec<&'s End> {
    let meant = steps.iter().filter(|(it, args, _)| *it == rule && is_meant(args));
    let mut ends: Vec<&End> = meant.map(|(_, _, end)| end).collect();
    ends.sort_unstable();
    ends
}

/// Tells states apart well enough to choose some of them.
// PERF: every state that is expanded is asked for, so the products must not wait for each other: of models with large states
// 2 to 3 % of the samples were here.
fn hash(state: &[u64]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let products = state.iter().zip(1_u64..).map(|(word, at)| word.wrapping_mul(FACTOR.wrapping_mul(2 * at + 1)));
    mix(products.fold(0x6175_6469_7465_6421, u64::wrapping_add), 0)
}

#[cfg(test)]
mod tests;
