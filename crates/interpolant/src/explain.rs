//! Why a state is safe, given why those that its steps lead to are.
//!
//! The explanation of a state has facts for every property, for every instance of a rule that is not enabled, and for
//! the way that every enabled one takes and the explanation of where it leads, taken back through the step. See
//! `docs/internals/interpolant.md` for the argument that this is enough.

use burnside_engine::DeadlockMode;
use burnside_ir::{Binder, Domain, PropertyId, PropertyKind, RuleId};
use rustc_hash::FxHashMap;

use crate::facts::Reason;
use crate::memory::Log;
use crate::runs::Shifts;
use crate::setup::{Author, Setup};
use crate::term::{Term, Terms};
use crate::trace::{Bound, Stop, Traced, Tracer};
use crate::wide::{Area, Family, Settled};

/// What a step of a state led to.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// An assumption inside the step failed.
    Nowhere,
    /// A state that an assumption about states leaves out.
    Excluded(PropertyId),
    /// A state whose own explanation is finished, or is being worked on together with this one's.
    Node { node: u32, moves: bool },
    /// A state that this one's explanation, renamed, covers.
    Covered { node: u32, renaming: Shifts, moves: bool },
}

/// An enabled instance of a rule and what it led to.
#[derive(Debug, Clone)]
pub(crate) struct Edge {
    pub(crate) rule: RuleId,
    pub(crate) args: Box<[i64]>,
    pub(crate) target: Target,
}

/// A state and its steps.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) state: &'a [i64],
    pub(crate) edges: &'a [Edge],
    /// What is known of instances of rules with large parameters that are not among the steps.
    pub(crate) settled: &'a Settled,
}

/// An instance of a rule with large parameters, and what it led to; none if it is not enabled.
#[derive(Clone, Copy)]
pub(crate) struct Example<'a> {
    pub(crate) state: &'a [i64],
    pub(crate) family: &'a Family,
    pub(crate) point: &'a [i64],
    pub(crate) target: Option<&'a Target>,
}

/// What is known of a state's explanation before those of its own component are.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) facts: Vec<Term>,
    /// Steps inside the component: where to, and what they write.
    pub(crate) internal: Vec<(u32, Log)>,
}

/// Where the reasons of other states are looked up; none for a state of the same component.
pub(crate) trait Reasons {
    /// The reason of a finished state.
    fn reason(&self, node: u32) -> Option<&Reason>;
}

/// Collects the facts of a state; lost if facts cannot say why it is safe.
pub(crate) fn explain(setup: &Setup<'_>, terms: &mut Terms, scene: Scene<'_>, reasons: &dyn Reasons) -> Traced<Draft> {
    let by_instance = scene.edges.iter().map(|edge| ((edge.rule, &*edge.args), &edge.target)).collect();
    let tracer = Tracer::new(setup, terms, scene.state, Author::Rule(RuleId(0)));
    let urgent = scene.edges.first().map(|edge| setup.model().rule(edge.rule).priority);
    if scene.settled.is_lost {
        return Err(Stop::Lost);
    }
    let witness = scene.settled.witness.clone();
    let mut explainer = Explainer { tracer, by_instance, reasons, urgent, draft: Draft::default(), witness };
    explainer.properties()?;
    explainer.rules(scene.edges)?;
    explainer.enabled()?;
    let Explainer { tracer, mut draft, .. } = explainer;
    draft.facts = tracer.facts;
    draft.facts.extend_from_slice(&scene.settled.facts);
    Ok(draft)
}

/// Finds out for which other values of the large parameters an instance is safe for the same reason, and the facts
/// that make it so. Lost if there are none.
pub(crate) fn generalise(
    setup: &Setup<'_>,
    terms: &mut Terms,
    example: Example<'_>,
    reasons: &dyn Reasons,
) -> Traced<(Area, Settled)> {
    let Example { state, family, point, target } = example;
    let rule = setup.model().rule(family.rule);
    let mut tracer = Tracer::new(setup, terms, state, Author::Rule(family.rule));
    tracer.params = point.to_vec();
    tracer.enter(Author::Rule(family.rule), &rule.locals);
    let by_instance = FxHashMap::default();
    let mut explainer =
        Explainer { tracer, by_instance, reasons, urgent: None, draft: Draft::default(), witness: None };
    let args = explainer.parameters(family);
    explainer.bind(&rule.binders, &args)?;
    let guard = explainer.tracer.expr(&rule.guard)?;
    let n_conditions = explainer.step(family.rule, guard, target)?;
    if !explainer.draft.internal.is_empty() {
        return Err(Stop::Lost);
    }
    let Explainer { mut tracer, witness, .. } = explainer;
    let mut facts = std::mem::take(&mut tracer.facts);
    let mut of_step = facts.split_off(n_conditions);
    tracer.drop_implied(guard, &mut of_step);
    facts.append(&mut of_step);
    let mut area = family.area.clone();
    tracer.narrow(&facts, point, &mut area)?;
    let facts = tracer.project(facts, point, &area)?;
    let witness = match witness {
        Some(facts) => Some(facts.into_iter().map(|fact| tracer.fixed(fact, point)).collect::<Traced<_>>()?),
        None => None,
    };
    Ok((area, Settled { facts, witness, is_lost: false }))
}

struct Explainer<'a, 'm> {
    tracer: Tracer<'a, 'm>,
    by_instance: FxHashMap<(RuleId, &'a [i64]), &'a Target>,
    reasons: &'a dyn Reasons,
    /// The priority of the rules that fire.
    urgent: Option<i64>,
    draft: Draft,
    /// Facts that make some instance enabled (and, if that is asked for, lead to another state): the fewest found.
    witness: Option<Vec<Term>>,
}

impl<'m> Explainer<'_, 'm> {
    fn properties(&mut self) -> Traced<()> {
        let task = self.tracer.setup.task;
        for kind in [PropertyKind::Assumption, PropertyKind::Invariant] {
            for property in task.properties(kind) {
                let definition = task.model.property(property);
                self.tracer.enter(Author::Property(property), &definition.locals);
                self.instances(&definition.binders, &mut Vec::new(), &mut |explainer, _| {
                    let condition = explainer.tracer.expr(&definition.condition)?;
                    match kind {
                        // Where it fails there is nothing to show.
                        PropertyKind::Assumption => explainer.tracer.demand(condition),
                        _ => explainer.tracer.rely(condition, true),
                    }
                })?;
            }
        }
        Ok(())
    }

    fn rules(&mut self, edges: &[Edge]) -> Traced<()> {
        let model = self.tracer.setup.model();
        for (at, rule) in model.rules.iter().enumerate() {
            // What a more urgent rule holds back is not evaluated.
            if self.urgent.is_some_and(|urgent| rule.priority > urgent) {
                continue;
            }
            let id = RuleId(at as u32);
            if self.tracer.setup.wide.contains(id) {
                for edge in edges.iter().filter(|edge| edge.rule == id) {
                    self.tracer.enter(Author::Rule(id), &rule.locals);
                    let args = self.arguments(id, &edge.args);
                    self.bind(&rule.binders, &args)?;
                    let guard = self.tracer.expr(&rule.guard)?;
                    self.step(id, guard, Some(&edge.target))?;
                }
                continue;
            }
            self.tracer.enter(Author::Rule(id), &rule.locals);
            self.instances(&rule.binders, &mut Vec::new(), &mut |explainer, args| explainer.instance(id, args))?;
        }
        Ok(())
    }

    /// The parameters of a family as terms.
    fn parameters(&mut self, family: &Family) -> Vec<Term> {
        let args: Vec<i64> = family.args.iter().map(|arg| arg.unwrap_or(0)).collect();
        let mut terms = self.arguments(family.rule, &args);
        let wide = family.args.iter().zip(&mut terms).filter(|(arg, _)| arg.is_none());
        for ((at, &bounds), (_, term)) in (0..).zip(&family.area).zip(wide) {
            *term = self.tracer.terms.parameter(at, bounds);
        }
        terms
    }

    /// The arguments of a rule with large parameters as terms: names where they are names.
    fn arguments(&mut self, rule: RuleId, args: &[i64]) -> Vec<Term> {
        let setup = self.tracer.setup;
        let types = setup.model().rule(rule).binders.iter().filter_map(|binder| match binder {
            Binder::Param { domain: Domain::Type(ty), .. } => Some(*ty),
            _ => None,
        });
        let wide = setup.wide.params(rule);
        let word = |((ty, &value), &is_wide)| match is_wide {
            true => self.tracer.terms.constant(value),
            false => self.tracer.word(ty, value),
        };
        types.zip(args).zip(wide).map(word).collect()
    }

    /// Binds the parameters of one instance.
    fn bind(&mut self, binders: &'m [Binder], args: &[Term]) -> Traced<()> {
        let mut args = args.iter();
        for binder in binders {
            match binder {
                Binder::Param { local, .. } => self.tracer.set_local(*local, *args.next().ok_or(Stop::Lost)?)?,
                _ => self.bind_other(binder)?,
            }
        }
        Ok(())
    }

    fn bind_other(&mut self, binder: &'m Binder) -> Traced<()> {
        match binder {
            Binder::Param { .. } => Err(Stop::Lost),
            Binder::Value { local, source } => {
                let spot = self.tracer.local_spot(*local)?;
                self.tracer.store(spot, source)
            }
            Binder::Reference { local, place } => {
                let spot = self.tracer.locate(place)?;
                self.tracer.demand_indices(&spot)?;
                self.tracer.frame().bound[local.index()] = Bound::Reference(Some(spot));
                Ok(())
            }
        }
    }

    /// Visits the instances of a rule or property in the order of their parameters.
    fn instances(
        &mut self,
        binders: &'m [Binder],
        args: &mut Vec<i64>,
        visit: &mut dyn FnMut(&mut Self, &[i64]) -> Traced<()>,
    ) -> Traced<()> {
        let Some((binder, rest)) = binders.split_first() else { return visit(self, args) };
        match binder {
            Binder::Param { local, domain } => {
                let (values, _) = self.tracer.domain(domain, true)?;
                for value in values {
                    let log = self.tracer.log.clone();
                    self.tracer.set_local(*local, value)?;
                    args.push(self.tracer.value(value).map_err(|_| Stop::Lost)?);
                    self.instances(rest, args, visit)?;
                    args.pop();
                    self.tracer.log = log;
                    self.tracer.frames.truncate(1);
                }
                Ok(())
            }
            _ => {
                self.bind_other(binder)?;
                self.instances(rest, args, visit)
            }
        }
    }

    fn instance(&mut self, id: RuleId, args: &[i64]) -> Traced<()> {
        let rule = self.tracer.setup.model().rule(id);
        let guard = self.tracer.expr(&rule.guard)?;
        let target = self.by_instance.get(&(id, args)).copied();
        self.step(id, guard, target).map(|_| ())
    }

    /// Explains an instance whose guard was traced. The first facts, so many, are about the guard alone.
    fn step(&mut self, id: RuleId, guard: Term, target: Option<&Target>) -> Traced<usize> {
        let rule = self.tracer.setup.model().rule(id);
        let is_enabled = self.tracer.value(guard).map_err(|_| Stop::Lost)? != 0;
        let Some(target) = target else {
            if is_enabled {
                return Err(Stop::Lost);
            }
            self.tracer.rely(guard, false)?;
            return Ok(self.tracer.facts.len());
        };
        // That the guard is true is no condition: where it is false, this instance leads nowhere.
        self.tracer.demand(guard)?;
        let n_conditions = self.tracer.facts.len();
        match (self.tracer.block(&rule.action), target) {
            (Ok(_), Target::Nowhere) | (Err(Stop::Lost), _) => return Err(Stop::Lost),
            (Err(Stop::Pruned), Target::Nowhere) => {
                self.offer(guard, false)?;
                return Ok(n_conditions);
            }
            (Err(Stop::Pruned), _) => return Err(Stop::Lost),
            (Ok(_), _) => {}
        }
        self.tracer.frames.truncate(1);
        self.control()?;
        match target {
            Target::Nowhere => {}
            Target::Excluded(assumption) => {
                self.offer(guard, true)?;
                self.excluded(*assumption)?;
            }
            Target::Node { node, moves } => {
                self.offer(guard, *moves)?;
                match self.reasons.reason(*node) {
                    Some(Reason::Facts(facts)) => self.tracer.pull(facts, &self.tracer.setup.identity)?,
                    Some(Reason::Exact) => return Err(Stop::Lost),
                    None => {
                        let mut log = self.tracer.log.clone();
                        log.keep_state();
                        self.draft.internal.push((*node, log));
                    }
                }
            }
            Target::Covered { node, renaming, moves } => {
                self.offer(guard, *moves)?;
                match self.reasons.reason(*node) {
                    Some(Reason::Facts(facts)) => {
                        let renaming = renaming.renaming(&self.tracer.setup.names.classes);
                        self.tracer.pull(facts, &renaming)?;
                    }
                    _ => return Err(Stop::Lost),
                }
            }
        }
        Ok(n_conditions)
    }

    /// Makes it a condition that the step leads to the same control.
    // SOUND: every write to a control slot is one through the name whose slot it is, so it meets the renamed slot and no
    // other, and it stores a value that does not depend on the state.
    fn control(&mut self) -> Traced<()> {
        let writes: Vec<_> = self.tracer.log.to_state().copied().collect();
        for write in writes {
            let slot = self.tracer.world().slot(write.address).map_err(|_| Stop::Lost)?;
            if self.tracer.setup.names.owner[slot].is_none() {
                continue;
            }
            let plain = self.tracer.plain(write.address)?;
            let pairs: Vec<(Term, Term)> = {
                let (one, other) = (self.tracer.terms.address(write.address), self.tracer.terms.address(plain));
                one.indices.iter().zip(&other.indices).map(|(one, other)| (one.term, other.term)).collect()
            };
            for (index, name) in pairs {
                let equal = self.tracer.terms.binary(burnside_ir::BinaryOp::Eq, index, name);
                self.tracer.rely(equal, true)?;
            }
            let stored = self.tracer.look_up(plain)?;
            let value = self.tracer.value(stored).map_err(|_| Stop::Lost)?;
            let value = self.tracer.terms.constant(value);
            let same = self.tracer.terms.same(stored, value);
            self.tracer.rely(same, true)?;
        }
        Ok(())
    }

    /// Makes it a condition that an assumption leaves out the state that the traced step leads to.
    fn excluded(&mut self, assumption: PropertyId) -> Traced<()> {
        let definition = self.tracer.setup.model().property(assumption);
        let author = std::mem::replace(&mut self.tracer.author, Author::Property(assumption));
        self.tracer.push_frame(&definition.locals, None);
        let mut conditions = Vec::new();
        self.conditions(&definition.binders, &definition.condition, &mut conditions)?;
        self.tracer.frames.truncate(1);
        self.tracer.author = author;
        // As a conjunction of instances, all of which the interpreter looks at.
        let all = self.tracer.terms.all(conditions, true);
        self.tracer.rely(all, false)
    }

    fn conditions(
        &mut self,
        binders: &'m [Binder],
        condition: &'m burnside_ir::Expr,
        found: &mut Vec<Term>,
    ) -> Traced<()> {
        let Some((binder, rest)) = binders.split_first() else {
            found.push(self.tracer.expr(condition)?);
            return Ok(());
        };
        let Binder::Param { local, domain } = binder else { return Err(Stop::Lost) };
        let (values, _) = self.tracer.domain(domain, true)?;
        for value in values {
            self.tracer.set_local(*local, value)?;
            self.conditions(rest, condition, found)?;
        }
        Ok(())
    }

    /// Considers the instance just traced as the one that shows that something is enabled.
    fn offer(&mut self, guard: Term, moves: bool) -> Traced<()> {
        let task = self.tracer.setup.task;
        let must_move = task.deadlocks() == DeadlockMode::Stuttering;
        if !self.needs_witness() || (must_move && !moves) {
            return Ok(());
        }
        let mut facts = self.tracer.why(guard, true)?.into_vec();
        if self.witness.as_ref().is_some_and(|best| best.len() <= facts.len()) {
            return Ok(());
        }
        if must_move {
            let begin = self.tracer.facts.len();
            let found = self.change();
            facts.extend(self.tracer.facts.split_off(begin));
            if !found? {
                return Ok(());
            }
        }
        self.witness = Some(facts);
        Ok(())
    }

    /// Relies on some scalar being changed by the traced step; false if none was found to be.
    fn change(&mut self) -> Traced<bool> {
        let writes: Vec<_> = self.tracer.log.to_state().copied().collect();
        for write in writes {
            let slot = self.tracer.world().slot(write.address).map_err(|_| Stop::Lost)?;
            let after = self.tracer.look_up(write.address)?;
            if self.tracer.value(after) == Ok(self.tracer.state[slot]) {
                continue;
            }
            let before = self.tracer.load(write.address);
            let same = self.tracer.terms.same(before, after);
            self.tracer.rely(same, false)?;
            return Ok(true);
        }
        Ok(false)
    }

    fn needs_witness(&self) -> bool {
        self.tracer.setup.task.checks_deadlocks() || self.is_held_back()
    }

    /// Whether more urgent rules keep some from firing.
    fn is_held_back(&self) -> bool {
        let rules = &self.tracer.setup.model().rules;
        self.urgent.is_some_and(|urgent| rules.iter().any(|rule| rule.priority > urgent))
    }

    /// Makes it a condition that something is enabled, where that matters.
    fn enabled(&mut self) -> Traced<()> {
        match self.witness.take() {
            _ if !self.needs_witness() => Ok(()),
            Some(facts) => {
                self.tracer.facts.extend(facts);
                Ok(())
            }
            None if self.is_held_back() => Err(Stop::Lost),
            None => self.may_end(),
        }
    }

    /// Makes it a condition that an execution may end here.
    fn may_end(&mut self) -> Traced<()> {
        let model = self.tracer.setup.model();
        for property in model.properties_of(PropertyKind::Ending) {
            let definition = model.property(property);
            let begin = self.tracer.facts.len();
            self.tracer.enter(Author::Property(property), &definition.locals);
            let traced = self.instances(&definition.binders, &mut Vec::new(), &mut |explainer, _| {
                let condition = explainer.tracer.expr(&definition.condition)?;
                explainer.tracer.rely(condition, true)
            });
            if traced.is_ok() {
                return Ok(());
            }
            self.tracer.facts.truncate(begin);
        }
        Err(Stop::Lost)
    }
}
