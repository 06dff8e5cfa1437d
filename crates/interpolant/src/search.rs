//! The search: depth first, each state either new, covered by an explanation, or known already.

use std::ops::ControlFlow;
use std::rc::Rc;

use burnside_engine::{Breach, Counts, Monitor, Reasoning, Shortfall, Step, Task, Trace, Violation};
use burnside_interp::{Interpreter, Outcome, Site};
use burnside_ir::{RuleId, StartId};
use burnside_step::{Judge, faulty_start};
use burnside_symmetry::{Canonicaliser, Reduction};
use rustc_hash::FxHashMap;

use crate::component::{self, Member};
use crate::control::Palette;
use crate::engine::Mode;
use crate::eval::Renaming;
use crate::explain::{Edge, Reasons, Target};
use crate::facts::Reason;
use crate::matching::{Candidate, Effort};
use crate::memo::Memo;
use crate::runs::{Pending, Shifts};
use crate::setup::Setup;
use crate::term::Terms;
use crate::wide::{Settled, Wide};

/// Why the search ended before everything was explored.
pub(crate) enum Halt {
    Found(Box<Violation>),
    Short(Shortfall),
    /// Too few states were covered.
    NotWorth,
}

/// A state that was not explored, and why.
#[derive(Debug, Clone)]
pub(crate) struct Covering {
    pub(crate) state: Box<[u64]>,
    pub(crate) by: Box<[u64]>,
    pub(crate) renaming: Renaming,
    pub(crate) facts: Rc<[crate::term::Term]>,
}

/// A state that was explored.
pub(crate) struct Node {
    pub(crate) state: Rc<[u64]>,
    /// When it was met, and the earliest state of the stack that it leads back to.
    met: u32,
    low: u32,
    pub(crate) edges: Vec<Edge>,
    /// What is known of its steps by rules with large parameters.
    pub(crate) settled: Settled,
    reason: Option<Reason>,
    is_done: bool,
}

/// A state on the way from the start state to the one that is being looked at.
pub(crate) struct Frame {
    node: u32,
    /// Enabled instances that were not fired yet.
    pending: Pending,
    /// The instance that led from this state to the next frame's.
    pub(crate) taken: Option<(RuleId, Box<[i64]>)>,
    /// The instances of rules with large parameters, until all are settled.
    pub(crate) wide: Option<Box<Wide>>,
    /// Memory that it was made with.
    bytes: u64,
}

/// How a state that a step leads to is treated.
pub(crate) enum Met {
    New(u32),
    Old(Target),
}

pub(crate) struct Search<'m> {
    pub(crate) setup: &'m Setup<'m>,
    monitor: &'m Monitor,
    pub(crate) mode: Mode,
    canonicaliser: Option<Box<dyn Canonicaliser + 'm>>,
    pub(crate) interpreter: Interpreter<'m>,
    judge: Judge,
    pub(crate) terms: Terms,
    memo: Memo,
    palette: Palette,
    pub(crate) nodes: Vec<Node>,
    seen: FxHashMap<Rc<[u64]>, u32>,
    /// States whose component is not complete.
    open: Vec<u32>,
    pub(crate) frames: Vec<Frame>,
    start: (StartId, Vec<i64>),
    pub(crate) tally: Reasoning,
    pub(crate) counts: Counts,
    pub(crate) fired: Vec<u64>,
    /// Whether explanations are still of use: a state behind the present one may be covered.
    is_last_start: bool,
    cut_at: Option<u32>,
    pub(crate) bytes: u64,
    /// Every covering, if they are to be kept, else a few.
    pub(crate) coverings: Vec<Covering>,
    keeps_coverings: usize,
    patience: Option<u64>,
}

/// What the search is run with.
pub(crate) struct Config<'m> {
    pub(crate) setup: &'m Setup<'m>,
    pub(crate) monitor: &'m Monitor,
    pub(crate) mode: Mode,
    /// The symmetry up to which states are known.
    pub(crate) reduction: Option<&'m Reduction>,
    /// How many coverings are kept to be shown.
    pub(crate) keeps_coverings: usize,
    /// After how many stored states it is asked whether explanations pay.
    pub(crate) patience: Option<u64>,
}

pub(crate) struct Finished<'a>(pub(crate) &'a [Node]);

impl Reasons for Finished<'_> {
    fn reason(&self, node: u32) -> Option<&Reason> {
        let node = &self.0[node as usize];
        if node.is_done { node.reason.as_ref() } else { None }
    }
}

impl<'m> Search<'m> {
    pub(crate) fn new(config: Config<'m>) -> Self {
        let Config { setup, monitor, mode, reduction, keeps_coverings, patience } = config;
        let strict = reduction.map_or(&[][..], Reduction::strict_types);
        let canonicaliser = reduction.map(Reduction::exact);
        let task = setup.task;
        let effort = match mode {
            Mode::None | Mode::Rotations | Mode::Plain => Effort::Identity,
            Mode::One => Effort::One,
            Mode::All => Effort::All,
        };
        Self {
            setup,
            monitor,
            mode,
            canonicaliser,
            interpreter: Interpreter::new(task.model, task.layout, task.step_limits).strict(strict),
            judge: Judge::new(task),
            terms: Terms::new(&setup.names.classes),
            memo: Memo::new(effort),
            palette: Palette::default(),
            nodes: Vec::new(),
            seen: FxHashMap::default(),
            open: Vec::new(),
            frames: Vec::new(),
            start: (StartId(0), Vec::new()),
            tally: Reasoning::default(),
            counts: Counts::default(),
            fired: vec![0; task.model.rules.len()],
            is_last_start: false,
            cut_at: None,
            bytes: 0,
            coverings: Vec::new(),
            keeps_coverings,
            patience,
        }
    }

    pub(crate) fn task(&self) -> &'m Task<'m> {
        self.setup.task
    }

    /// Explores everything; the end is a reason why not.
    pub(crate) fn run(&mut self, starts: Vec<(StartId, Vec<i64>, Vec<i64>)>) -> Result<(), Halt> {
        if let Some((breach, trace)) = faulty_start(&mut self.interpreter) {
            return Err(Halt::Found(Box::new(Violation { breach, trace: Some(trace) })));
        }
        let n_starts = starts.len();
        for (at, (start, args, values)) in starts.into_iter().enumerate() {
            self.is_last_start = at + 1 == n_starts;
            self.start = (start, args);
            if let Met::New(node) = self.meet(&values)? {
                self.explore(node, &values)?;
            }
        }
        self.publish()?;
        self.tally.configurations = self.memo.n_configurations() as u64;
        self.cut_at.map_or(Ok(()), |depth| Err(Halt::Short(Shortfall::Depth(depth))))
    }

    fn explore(&mut self, root: u32, values: &[i64]) -> Result<(), Halt> {
        self.enter(root, values)?;
        let mut state = vec![0; values.len()];
        while let Some(frame) = self.frames.last_mut() {
            let node = frame.node;
            let Some((rule, args)) = frame.pending.pop() else {
                if !self.by_interval(node)? {
                    self.leave(node);
                }
                continue;
            };
            frame.taken = Some((rule, args.clone()));
            self.task().layout.unpack(&self.nodes[node as usize].state, &mut state);
            let next = self.interpreter.fire(&state, rule, &args, |outcome| match outcome {
                Outcome::Next(values) => Some(values.to_vec()),
                Outcome::Pruned => None,
                Outcome::Fault(..) => panic!("faults are found when a state is entered"),
            });
            self.counts.rules_fired += 1;
            self.fired[rule.index()] += 1;
            let target = match next.expect("the instance is enabled") {
                None => Target::Nowhere,
                Some(values) => match self.meet(&values)? {
                    Met::New(child) => {
                        self.enter(child, &values)?;
                        let moves = true;
                        let edge = Edge { rule, args, target: Target::Node { node: child, moves } };
                        self.nodes[node as usize].edges.push(edge);
                        continue;
                    }
                    Met::Old(target) => self.settle(node, target),
                },
            };
            self.nodes[node as usize].edges.push(Edge { rule, args, target });
        }
        Ok(())
    }

    /// Notes where an edge to an old state leads back to.
    pub(crate) fn settle(&mut self, node: u32, target: Target) -> Target {
        let Target::Node { node: child, .. } = target else { return target };
        if !self.nodes[child as usize].is_done {
            let met = self.nodes[child as usize].met;
            let low = &mut self.nodes[node as usize].low;
            *low = (*low).min(met);
        }
        Target::Node { node: child, moves: child != node }
    }

    /// Decides about a state that a step, or nothing, led to.
    pub(crate) fn meet(&mut self, values: &[i64]) -> Result<Met, Halt> {
        self.tally.visited += 1;
        if self.tally.visited.is_multiple_of(64) {
            self.publish()?;
        }
        if let Some(assumption) = self.judge.excludes(&mut self.interpreter, values) {
            return Ok(Met::Old(Target::Excluded(assumption)));
        }
        let mut words = vec![0; self.task().layout.n_words()];
        self.task().layout.pack(values, &mut words);
        let state: Rc<[u64]> = words.clone().into();
        if let Some(canonicaliser) = &mut self.canonicaliser {
            canonicaliser.canonicalise(&mut words);
        }
        if let Some(&node) = self.seen.get(&words[..]) {
            self.tally.subsumed += 1;
            return Ok(Met::Old(Target::Node { node, moves: true }));
        }
        if self.mode.explains() {
            let configuration = self.palette.configuration(&self.setup.names, values);
            let candidate = Candidate {
                terms: &self.terms,
                classes: &self.setup.names.classes,
                state: values,
                configuration: &configuration,
            };
            if let Some((node, renaming)) = self.memo.find(candidate) {
                return Ok(Met::Old(self.covered(&state, node, renaming)));
            }
        }
        let met = self.nodes.len() as u32;
        let key = if self.canonicaliser.is_some() { words.into() } else { state.clone() };
        self.seen.insert(key, met);
        self.nodes.push(Node {
            state,
            met,
            low: met,
            edges: Vec::new(),
            settled: Settled::default(),
            reason: None,
            is_done: false,
        });
        self.bytes += self.task().layout.n_words() as u64 * 8 + 160;
        self.counts.states += 1;
        Ok(Met::New(met))
    }

    fn covered(&mut self, state: &Rc<[u64]>, node: u32, renaming: Renaming) -> Target {
        self.tally.subsumed += 1;
        self.tally.covered += 1;
        if self.coverings.len() < self.keeps_coverings
            && let Some(Reason::Facts(facts)) = &self.nodes[node as usize].reason
        {
            self.coverings.push(Covering {
                state: (**state).into(),
                by: (*self.nodes[node as usize].state).into(),
                renaming: renaming.clone(),
                facts: facts.clone(),
            });
        }
        // A covered state is another one than the state before the step: that is on the stack, and not covered.
        Target::Covered { node, renaming: Shifts::new(&renaming), moves: true }
    }

    /// Looks at a new state: its properties, and which rules are enabled.
    pub(crate) fn enter(&mut self, node: u32, values: &[i64]) -> Result<(), Halt> {
        self.frames.push(Frame { node, pending: Pending::default(), taken: None, wide: None, bytes: 0 });
        self.open.push(node);
        let depth = self.frames.len() as u32 - 1;
        self.counts.depth = self.counts.depth.max(u64::from(depth));
        if let Some(breach) = self.judge.breach(&mut self.interpreter, values) {
            return Err(self.found(breach, None));
        }
        if self.monitor.budget().depth.is_some_and(|bound| depth >= bound) {
            self.cut_at = Some(depth);
            return Ok(());
        }
        let mut pending = Vec::new();
        let mut fault = None;
        let mut leads_on = false;
        let deadlocks = self.task().deadlocks();
        let is_wide = self.mode.explains() && !self.setup.wide.is_empty();
        let mut visit = |rule: RuleId, args: &[i64], outcome: Outcome<'_>| {
            leads_on |= deadlocks.is_way_on(outcome.stays_in(values));
            if let Outcome::Fault(site, found) = outcome {
                fault = Some((rule, args.to_vec(), site, found));
                return ControlFlow::Break(());
            }
            pending.push((rule, Box::from(args)));
            ControlFlow::Continue(())
        };
        if is_wide {
            self.narrow_successors(values, &mut visit);
        } else {
            self.interpreter.successors(values, visit);
        }
        if let Some((rule, args, site, fault)) = fault {
            return Err(self.found(Breach::Fault(fault), Some((rule, args, site))));
        }
        if !is_wide {
            self.refuse_deadlock(values, leads_on)?;
        }
        // One identity after the other, which is how processes are thought of.
        pending.sort_by(|one: &(RuleId, Box<[i64]>), other| (one.1.first(), one.0).cmp(&(other.1.first(), other.0)));
        let frame = self.frames.last_mut().expect("just pushed");
        frame.pending = Pending::new(pending);
        frame.bytes = frame.pending.bytes() + size_of::<Frame>() as u64;
        self.bytes += frame.bytes;
        if is_wide {
            let todo = self.setup.wide.families(self.setup.task.model);
            frame.wide = Some(Box::new(Wide { todo, awaited: None, leads_on }));
        }
        Ok(())
    }

    /// Ends the search if a state is a deadlock, given whether some instance is a way on.
    pub(crate) fn refuse_deadlock(&mut self, values: &[i64], leads_on: bool) -> Result<(), Halt> {
        if self.task().deadlocks().is_dead(leads_on) && !self.interpreter.may_end(values) {
            return Err(self.found(Breach::Deadlock, None));
        }
        Ok(())
    }

    /// Goes back from a state all of whose steps were looked at.
    fn leave(&mut self, node: u32) {
        let frame = self.frames.pop().expect("the state was entered");
        self.bytes -= frame.bytes;
        let (met, low) = (self.nodes[node as usize].met, self.nodes[node as usize].low);
        if let Some(parent) = self.frames.last().map(|frame| frame.node) {
            let parent = &mut self.nodes[parent as usize];
            parent.low = parent.low.min(low);
        }
        if low == met {
            let at = self.open.iter().rposition(|&it| it == node).expect("open until its component is complete");
            let members = self.open.split_off(at);
            self.complete(&members);
        }
    }

    /// Explains the states of a complete component and makes their explanations known.
    fn complete(&mut self, component: &[u32]) {
        // What was cut short has no explanation, and where no state is met any more nobody asks for one.
        let is_of_use =
            self.mode.explains() && self.cut_at.is_none() && !(self.frames.is_empty() && self.is_last_start);
        let members: Vec<Member> = component.iter().map(|&node| self.member(node)).collect();
        let reasons = if is_of_use {
            component::solve(self.setup, &mut self.terms, &members, &Finished(&self.nodes))
        } else {
            members.iter().map(|_| Reason::Exact).collect()
        };
        for (member, reason) in members.into_iter().zip(reasons) {
            match &reason {
                Reason::Facts(facts) => {
                    self.tally.facts += facts.len() as u64;
                    let configuration = self.palette.configuration(&self.setup.names, &member.state);
                    self.memo.add(member.node, facts.clone(), &configuration);
                }
                Reason::Exact => self.tally.exact += 1,
            }
            let node = &mut self.nodes[member.node as usize];
            node.reason = Some(reason);
            node.is_done = true;
        }
    }

    fn member(&mut self, node: u32) -> Member {
        let mut state = vec![0; self.task().layout.slots().len()];
        let entry = &mut self.nodes[node as usize];
        self.setup.task.layout.unpack(&entry.state, &mut state);
        Member { node, state, edges: std::mem::take(&mut entry.edges), settled: std::mem::take(&mut entry.settled) }
    }

    pub(crate) fn publish(&mut self) -> Result<(), Halt> {
        self.counts.bytes = self.bytes + self.terms.bytes() + self.memo.bytes();
        self.counts.frontier = self.frames.len() as u64;
        if let Some(short) = self.monitor.publish(self.counts) {
            return Err(Halt::Short(short));
        }
        let is_poor = self
            .patience
            .is_some_and(|patience| self.counts.states >= patience && self.tally.covered < self.counts.states / 2);
        if is_poor { Err(Halt::NotWorth) } else { Ok(()) }
    }

    /// The violation in the state that was entered last, or in a step from it.
    pub(crate) fn found(&self, breach: Breach, fault: Option<(RuleId, Vec<i64>, Site)>) -> Halt {
        let state = |frame: &Frame| Box::from(&*self.nodes[frame.node as usize].state);
        let steps = self.frames.windows(2).map(|pair| {
            let (rule, args) = pair[0].taken.clone().expect("a step led on");
            Step { rule, args: args.into(), end: Ok(state(&pair[1])) }
        });
        let last = fault.map(|(rule, args, site)| Step { rule, args, end: Err(site) });
        let trace = Trace {
            start: self.start.0,
            start_args: self.start.1.clone(),
            first: self.frames.first().map(state),
            steps: steps.chain(last).collect(),
            loop_start: None,
        };
        Halt::Found(Box::new(Violation { breach, trace: Some(trace) }))
    }
}
