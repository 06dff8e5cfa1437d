//! The audit: from the start states over all steps, up to the permutations listed.
//!
// SOUND: let X be the listed states with all their images under the group that the generators generate. What is shown:
// every start state is in X; in every listed state that is met, every property holds and every step leads into X; and if
// x is the image of a listed state r under g, the steps from x are the images of the steps from r and properties have the
// same values (`images`). So X is closed under steps, contains what is reachable, and no state of it violates a
// property. States that no step leads to, up to images, are not part of the proof; covers and liveness are therefore
// judged on what was met.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use burnside_interp::{Condition, Interpreter, Limits, Outcome as StepOutcome, Truth};
use burnside_ir::{Layout, Model, PropertyId, PropertyKind, RuleId};

use crate::action::Action;
use crate::canon::Canon;
use crate::certificate::{Certificate, Deadlock, Unusable};
use crate::finding::{Finding, Rejection, Way};
use crate::members::Members;

/// How far an audit goes.
#[derive(Clone, Copy)]
pub struct Scope<'s> {
    /// On how many images of listed states permutations are tried, beside the listed states themselves.
    pub images: usize,
    /// Whether to stop now.
    pub is_over: &'s dyn Fn() -> bool,
}

/// What was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Account {
    /// Listed states that steps lead to; of states annotated with partitions, all that are meant.
    pub states: u64,
    /// Listed states that none leads to, or whose image is listed already.
    pub superfluous: u64,
    /// Steps followed from them.
    pub steps: u64,
    /// Images of listed states in which steps and properties were compared.
    pub images: u64,
    /// Whether these were all images there are.
    pub all_images: bool,
    /// The order of the group of the permutations listed.
    pub group_order: String,
}

/// What an audit comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The certificate proves its claim.
    Accepted(Account),
    /// It does not.
    Rejected(Box<Rejection>, Account),
    /// Somebody said stop.
    Unfinished(Account),
}

/// Checks a certificate against a model, which must be loaded as the certificate's claim says.
pub fn audit(model: &Model, layout: &Layout, certificate: &Certificate, scope: Scope<'_>) -> Result<Outcome, Unusable> {
    certificate.is_sound_in_form()?;
    certificate.fits(model, layout)?;
    let properties = Properties::new(model, certificate)?;
    let action = Action::new(model, layout, &certificate.classes);
    let generators: Vec<Vec<u32>> = certificate.generators.iter().map(|it| it.images.clone()).collect();
    let multisets = layout.multisets().iter();
    let multisets = multisets.map(|it| [it.first as usize, it.capacity as usize, it.stride as usize]).collect();
    let canon = Canon::new(&action, certificate.n_points(), &generators, multisets)?;
    let mut account = Account { group_order: canon.order.clone(), ..Account::default() };
    if let Some(&property) = properties
        .liveness
        .first()
        .filter(|&&it| !certificate.generators.is_empty() && !model.property(it).binders.is_empty())
    {
        let rejection = Rejection { finding: Finding::LivenessOfOne(property), state: None, way: None };
        return Ok(Outcome::Rejected(Box::new(rejection), account));
    }
    let Some(members) = Members::new(layout, (&action, &canon), certificate, scope.is_over) else {
        return Ok(Outcome::Unfinished(account));
    };
    let limits: Limits = certificate.claim.limits;
    let mut audit = Audit {
        interpreter: Interpreter::new(model, layout, limits),
        members: &members,
        deadlock: if certificate.claim.property.is_some() { Deadlock::Off } else { certificate.claim.deadlock },
        found_from: vec![None; members.len()],
        met: Vec::new(),
        edges: Vec::new(),
        covered: BTreeSet::new(),
        account: &mut account,
        properties,
    };
    let end = audit.run(scope.is_over).and_then(|()| {
        let met = std::mem::take(&mut audit.met);
        audit.compare_images(&met, (&action, &generators), scope)
    });
    audit.account.superfluous = certificate.n_states().saturating_sub(audit.account.states as usize) as u64;
    Ok(match end {
        Ok(()) => Outcome::Accepted(account),
        Err(Halt::Over) => Outcome::Unfinished(account),
        Err(Halt::Found(rejection)) => Outcome::Rejected(rejection, account),
    })
}

/// What ends an audit early.
pub(crate) enum Halt {
    Over,
    Found(Box<Rejection>),
}

impl Halt {
    fn about_all(finding: Finding) -> Self {
        Self::Found(Box::new(Rejection { finding, state: None, way: None }))
    }
}

/// The properties that count, by kind.
pub(crate) struct Properties {
    assumptions: Vec<PropertyId>,
    invariants: Vec<PropertyId>,
    covers: Vec<PropertyId>,
    cover_points: Vec<PropertyId>,
    liveness: Vec<PropertyId>,
    /// Those of states that are only passed through, or in which executions may end.
    marks: Vec<PropertyId>,
}

impl Properties {
    fn new(model: &Model, certificate: &Certificate) -> Result<Self, Unusable> {
        let only = match &certificate.claim.property {
            None => None,
            Some(name) => {
                let named = (0..).map(PropertyId).zip(&model.properties).find(|(_, it)| it.name == *name);
                Some(named.ok_or_else(|| Unusable(format!("the model has no property called `{name}`")))?.0)
            }
        };
        // What shapes the state space always counts.
        let wanted = |id: &PropertyId| only.is_none_or(|only| only == *id) || !model.property(*id).kind.is_claim();
        let of = |kind| -> Vec<PropertyId> { model.properties_of(kind).filter(wanted).collect() };
        Ok(Self {
            assumptions: of(PropertyKind::Assumption),
            invariants: of(PropertyKind::Invariant),
            covers: of(PropertyKind::Cover),
            cover_points: of(PropertyKind::CoverPoint),
            liveness: of(PropertyKind::Liveness),
            marks: [of(PropertyKind::Passing), of(PropertyKind::Ending)].concat(),
        })
    }

    /// Those with a value in a state.
    pub(crate) fn of_states(&self) -> impl Iterator<Item = PropertyId> {
        let claims = self.assumptions.iter().chain(&self.invariants).chain(&self.covers).chain(&self.liveness);
        claims.chain(&self.marks).copied()
    }
}

/// An audit under way.
pub(crate) struct Audit<'a, 'm> {
    pub(crate) interpreter: Interpreter<'m>,
    pub(crate) members: &'a Members<'a, 'm>,
    pub(crate) properties: Properties,
    deadlock: Deadlock,
    /// For each listed state that was met, the one it was met from; itself if it is an image of a start state.
    found_from: Vec<Option<u32>>,
    /// In the order of meeting.
    met: Vec<u32>,
    /// Steps between listed states, if a liveness property needs them.
    edges: Vec<(u32, u32)>,
    covered: BTreeSet<PropertyId>,
    pub(crate) account: &'a mut Account,
}

impl Audit<'_, '_> {
    fn run(&mut self, is_over: &dyn Fn() -> bool) -> Result<(), Halt> {
        self.begin()?;
        let mut next = 0;
        while let Some(&member) = self.met.get(next) {
            if is_over() {
                return Err(Halt::Over);
            }
            let values = self.members.values(member);
            let reached = self.examine(&values).map_err(|finding| self.reject(member, finding))?;
            for target in reached {
                self.meet(member, target);
            }
            next += 1;
            self.account.states += 1;
        }
        self.judge_covers()?;
        self.judge_liveness()
    }

    fn meet(&mut self, from: u32, member: u32) {
        if !self.properties.liveness.is_empty() && from != member {
            self.edges.push((from, member));
        }
        if self.found_from[member as usize].is_none() {
            self.found_from[member as usize] = Some(from);
            self.met.push(member);
        }
    }

    fn begin(&mut self) -> Result<(), Halt> {
        let mut starts = Vec::new();
        self.interpreter.starts(|start, args, outcome| {
            starts.push((start, args.to_vec(), Step::of(outcome)));
            ControlFlow::Continue(())
        });
        self.note_covers();
        for (start, args, step) in starts {
            match step {
                Step::Fault(fault) => return Err(Halt::about_all(Finding::StartFault(start, args, fault))),
                Step::Pruned => {}
                Step::Next(state) if self.is_excluded(&state).map_err(Halt::about_all)? => {}
                Step::Next(state) => match self.members.find(&state) {
                    Some(member) => self.meet(member, member),
                    None => return Err(Halt::about_all(Finding::StartUnlisted(start, args, state))),
                },
            }
        }
        Ok(())
    }

    /// Whether an assumption excludes a state.
    fn is_excluded(&mut self, state: &[i64]) -> Result<bool, Finding> {
        for property in self.properties.assumptions.clone() {
            match self.interpreter.holds(state, property) {
                Ok(Truth::Everywhere) => {}
                Ok(Truth::FailsFor(_)) => return Ok(true),
                Err(fault) => return Err(Finding::PropertyFault(property, fault)),
            }
        }
        Ok(false)
    }

    fn note_covers(&mut self) {
        self.covered.extend(self.interpreter.take_covered());
    }

    /// Evaluates properties and follows steps; returns the listed states that steps lead to.
    fn examine(&mut self, state: &[i64]) -> Result<Vec<u32>, Finding> {
        self.inspect(state)?;
        let steps = self.steps(state);
        self.note_covers();
        let leads_on = |(_, _, step): &(RuleId, Vec<i64>, Step)| match step {
            Step::Next(next) => next != state,
            Step::Pruned => false,
            Step::Fault(_) => true,
        };
        let is_dead = match self.deadlock {
            Deadlock::Off => false,
            Deadlock::Stuck => steps.is_empty(),
            Deadlock::Stuttering => !steps.iter().any(leads_on),
        };
        if is_dead && !self.interpreter.may_end(state) {
            return Err(Finding::Deadlock);
        }
        let mut reached = Vec::new();
        for (rule, args, step) in steps {
            self.account.steps += 1;
            match step {
                Step::Fault(fault) => return Err(Finding::StepFault(rule, args, fault)),
                Step::Pruned => {}
                Step::Next(next) if self.is_excluded(&next)? => {}
                Step::Next(next) => match self.members.find(&next) {
                    Some(member) => reached.push(member),
                    None => return Err(Finding::StepUnlisted(rule, args, next)),
                },
            }
        }
        Ok(reached)
    }

    /// Evaluates the properties of a state.
    fn inspect(&mut self, state: &[i64]) -> Result<(), Finding> {
        let checked = self.properties.assumptions.iter().chain(&self.properties.invariants);
        for property in checked.copied().collect::<Vec<_>>() {
            match self.interpreter.holds(state, property) {
                Ok(Truth::Everywhere) => {}
                Ok(Truth::FailsFor(args)) => return Err(Finding::Broken(property, args)),
                Err(fault) => return Err(Finding::PropertyFault(property, fault)),
            }
        }
        for property in self.properties.covers.clone() {
            match self.interpreter.holds_somewhere(state, property) {
                Ok(true) => self.covered.extend([property]),
                Ok(false) => {}
                Err(fault) => return Err(Finding::PropertyFault(property, fault)),
            }
        }
        Ok(())
    }

    /// What every enabled rule instance comes to.
    pub(crate) fn steps(&mut self, state: &[i64]) -> Vec<(RuleId, Vec<i64>, Step)> {
        let mut steps = Vec::new();
        self.interpreter.passages(state, |_, (rule, args), outcome, _| {
            steps.push((rule, args.to_vec(), Step::of(outcome)));
            ControlFlow::Continue(())
        });
        steps
    }

    /// The value of every property of states.
    pub(crate) fn values(&mut self, state: &[i64]) -> Vec<(PropertyId, Condition)> {
        let Self { properties, interpreter, .. } = self;
        properties.of_states().map(|property| (property, interpreter.condition(state, property))).collect()
    }

    fn judge_covers(&self) -> Result<(), Halt> {
        let mut wanted = self.properties.covers.iter().chain(&self.properties.cover_points);
        match wanted.find(|property| !self.covered.contains(property)) {
            Some(&property) => Err(Halt::about_all(Finding::Uncovered(property))),
            None => Ok(()),
        }
    }

    /// From every state that was met, one that satisfies the property must be reachable.
    fn judge_liveness(&mut self) -> Result<(), Halt> {
        for property in self.properties.liveness.clone() {
            // For each choice of parameters, the states that satisfy it and, later, those that lead to one.
            let mut instances: BTreeMap<Vec<i64>, Vec<bool>> = BTreeMap::new();
            let n_members = self.members.len();
            for at in 0..self.met.len() {
                let member = self.met[at];
                let end = self.interpreter.instances(&self.members.values(member), property, |args, holds| {
                    let entry = instances.entry(args.to_vec()).or_insert_with(|| vec![false; n_members]);
                    entry[member as usize] = holds;
                });
                end.map_err(|fault| self.reject(member, Finding::PropertyFault(property, fault)))?;
            }
            for (args, mut leads) in instances {
                self.close(&mut leads);
                if let Some(&member) = self.met.iter().find(|&&member| !leads[member as usize]) {
                    return Err(self.reject(member, Finding::Liveness(property, args)));
                }
            }
        }
        Ok(())
    }

    /// Adds every state with a step to a marked one until nothing changes.
    fn close(&self, marked: &mut [bool]) {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); marked.len()];
        self.edges.iter().for_each(|&(from, to)| before[to as usize].push(from));
        let mut pending: Vec<u32> = (0..marked.len() as u32).filter(|&at| marked[at as usize]).collect();
        while let Some(member) = pending.pop() {
            for &from in &before[member as usize] {
                if !std::mem::replace(&mut marked[from as usize], true) {
                    pending.push(from);
                }
            }
        }
    }

    /// A rejection that is about a listed state. Told about a state that is really reached, if something is wrong there.
    pub(crate) fn reject(&mut self, member: u32, finding: Finding) -> Halt {
        let state = self.members.values(member);
        let way = self.way_to(member);
        let reached = way.as_ref().map(|way| way.steps.last().map_or(&way.first, |step| &step.2).clone());
        let told = match (&finding, reached) {
            (Finding::Asymmetric { .. } | Finding::Liveness(..) | Finding::PropertyFault(..), Some(reached)) => {
                (reached == state).then_some((finding.clone(), reached))
            }
            (_, Some(reached)) => self.examine(&reached).err().map(|finding| (finding, reached)),
            (_, None) => None,
        };
        Halt::Found(Box::new(match told {
            Some((finding, state)) => Rejection { finding, state: Some(state), way },
            None => Rejection { finding, state: Some(state), way: None },
        }))
    }

    /// An execution to an image of a listed state, forward from a start state.
    fn way_to(&mut self, member: u32) -> Option<Way> {
        let (mut wanted, mut members) = (member, Vec::new());
        while self.found_from[wanted as usize]? != wanted {
            members.push(wanted);
            wanted = self.found_from[wanted as usize]?;
        }
        let mut begun = None;
        let known = self.members;
        self.interpreter.starts(|start, args, outcome| match outcome {
            StepOutcome::Next(state) if known.find(state) == Some(wanted) => {
                begun = Some(((start, args.to_vec()), state.to_vec()));
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        });
        let (start, first) = begun?;
        let mut way = Way { start, first, steps: Vec::new() };
        while let Some(wanted) = members.pop() {
            let state = way.steps.last().map_or(&way.first, |step| &step.2).clone();
            let step = self.steps(&state).into_iter().find_map(|(rule, args, step)| match step {
                Step::Next(next) if known.find(&next) == Some(wanted) => Some((rule, args, next)),
                _ => None,
            });
            way.steps.push(step?);
        }
        Some(way)
    }
}

/// Where a step ends.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Next(Vec<i64>),
    Pruned,
    Fault(Box<burnside_interp::Fault>),
}

impl Step {
    fn of(outcome: StepOutcome<'_>) -> Self {
        match outcome {
            StepOutcome::Next(state) => Self::Next(state.to_vec()),
            StepOutcome::Pruned => Self::Pruned,
            StepOutcome::Fault(_, fault) => Self::Fault(fault),
        }
    }
}
