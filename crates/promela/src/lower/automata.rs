//! Claims as automata: `never`, and what `accept` and `progress` labels of processes say.
//!
//! A `never` reads an execution state by state: it moves first, in the first state, and then once before each step of the
//! processes. A run that cannot move is dropped; one that comes to the closing brace is an error, whatever follows. What
//! it passes inside an `atomic` of its own it passes in one state. It accepts what comes to an `accept` label again and
//! again, of its own or of any process, as in SPIN. `np_` is false in the last state of an execution that ends, so that
//! such an execution is never without progress for ever.

use burnside_diag::Span;
use burnside_ir::{Automaton, AutomatonEdge, Condition, Expr, Literal, Property, PropertyId, PropertyKind, Quantifier};

use super::build::{any, not};
use super::claims::{asks_progress, is_about_state, proposition};
use super::exprs::{Body, Ended};
use super::{Lowering, condition};
use crate::flow::{self, Action, ActionId, Location, Node};
use crate::typed::{Basic, ExprKind, Never, ProcId};

/// The name of the property that `accept` labels stand for.
pub(crate) const ACCEPTANCE: &str = "acceptance";
/// The name of the property that `progress` labels stand for.
pub(crate) const NON_PROGRESS: &str = "nonprogress";

/// The execution has not ended.
const GOES_ON: Literal = Literal { what: Condition::Ended, holds: false };

/// Adds the automata that are asked for to the properties.
pub(super) fn automata(low: &Lowering<'_>, properties: &mut Vec<Property>) -> Vec<Automaton> {
    let mut made = Vec::new();
    for (never, automaton) in low.model.asked_nevers() {
        let states = Claim { low, automaton, properties, accepts: None, ended: Ended::No, known: Vec::new() }.states();
        made.push(property((&never.name, never.span), PropertyKind::Never, states, properties));
    }
    if low.model.labels().acceptance {
        let accepts = low.at_label(|node| node.accept);
        let at = condition_id("a process is at an accept label", accepts, properties);
        let stay = AutomatonEdge { when: Vec::new(), target: 0, accepting: false };
        let pass = AutomatonEdge {
            when: vec![Literal { what: Condition::Property(at), holds: true }],
            target: 0,
            accepting: true,
        };
        let states = vec![vec![stay, pass]];
        made.push(property((ACCEPTANCE, Span::NOWHERE), PropertyKind::Acceptance, states, properties));
    }
    if low.model.labels().non_progress {
        let progresses = low.at_label(|node| node.progress);
        let at = condition_id("a process is at a progress label", progresses, properties);
        let without = |target, accepting| {
            let when = vec![Literal { what: Condition::Property(at), holds: false }, GOES_ON];
            AutomatonEdge { when, target, accepting }
        };
        let stay = AutomatonEdge { when: Vec::new(), target: 0, accepting: false };
        let states = vec![vec![stay, without(1, false)], vec![without(1, true)]];
        made.push(property((NON_PROGRESS, Span::NOWHERE), PropertyKind::NonProgress, states, properties));
    }
    made
}

fn property(
    (name, span): (&str, Span),
    kind: PropertyKind,
    states: Vec<Vec<AutomatonEdge>>,
    properties: &mut Vec<Property>,
) -> Automaton {
    let id = PropertyId(properties.len() as u32);
    let always = Expr::boolean(true, span);
    properties.push(Property { span, ..condition(name, kind, Vec::new(), always) });
    Automaton { property: id, states }
}

fn condition_id(
    name: &str,
    (locals, truth): (burnside_ir::Locals, Expr),
    properties: &mut Vec<Property>,
) -> PropertyId {
    properties.push(condition(name, PropertyKind::Proposition, locals, truth));
    PropertyId(properties.len() as u32 - 1)
}

impl Lowering<'_> {
    /// Whether some process stands at a place of a kind.
    fn at_label(&self, is_one: impl Fn(&Node) -> bool) -> (burnside_ir::Locals, Expr) {
        let mut body = Body::new(self, false);
        let expr = body.some_at(&is_one, Span::NOWHERE);
        (body.locals, expr)
    }

    fn has_accept_labels(&self) -> bool {
        self.flow.procs.iter().any(|automaton| automaton.nodes.iter().any(|node| node.accept))
    }
}

impl Body<'_> {
    /// Whether some process stands at a place of a kind.
    fn some_at(&mut self, is_one: &impl Fn(&Node) -> bool, span: Span) -> Expr {
        let low = self.low;
        let mut parts = Vec::new();
        for (index, processes) in low.shapes.procs.iter().enumerate() {
            let Some(processes) = processes else { continue };
            let automaton = &low.flow.procs[index];
            let marked = processes.places.iter().filter(|(at, _)| is_one(&automaton.nodes[at.index()]));
            let mut marked: Vec<i64> = marked.map(|(_, &place)| place).collect();
            marked.sort_unstable();
            if marked.is_empty() {
                continue;
            }
            parts.push(self.some_process(ProcId(index as u32), span, Quantifier::Exists, |body, who| {
                any(marked.iter().map(|&place| body.stands(who, place, span)).collect::<Vec<_>>(), span)
            }));
        }
        any(parts, span)
    }

    /// `np_`: no process stands at a `progress` label. Where nobody can move, it is false.
    pub(super) fn non_progress(&mut self, span: Span) -> Expr {
        match self.ended {
            Ended::Yes => Expr::boolean(false, span),
            Ended::No => not(self.some_at(&|node: &Node| node.progress, span)),
        }
    }
}

/// A `never` that becomes an automaton.
struct Claim<'a, 'l> {
    low: &'a Lowering<'l>,
    automaton: &'a flow::Automaton,
    properties: &'a mut Vec<Property>,
    /// The condition that a process stands at an `accept` label, once it was needed.
    accepts: Option<PropertyId>,
    /// Whether what is read now is the last state.
    ended: Ended,
    /// The conditions of the claim's statements.
    known: Vec<((ActionId, Ended), PropertyId)>,
}

/// One way through an `atomic`, or one step: what must be so, and where it leads.
struct Way {
    when: Vec<Literal>,
    to: Target,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Place(Location),
    /// The closing brace, or an assertion that fails: the execution is in error whatever follows.
    Error,
}

impl Claim<'_, '_> {
    fn states(mut self) -> Vec<Vec<AutomatonEdge>> {
        let mut numbers = vec![Target::Place(self.automaton.start)];
        let mut states = Vec::new();
        while let Some(&at) = numbers.get(states.len()) {
            let ways = self.ways(at);
            let is_accepting = self.is_accepting(at);
            let mut edges = Vec::new();
            for Way { when, to } in ways {
                let known = numbers.iter().position(|own| *own == to);
                let target = known.unwrap_or(numbers.len()) as u32;
                if known.is_none() {
                    numbers.push(to);
                }
                edges.push(AutomatonEdge { when, target, accepting: is_accepting });
            }
            if !is_accepting && self.low.has_accept_labels() {
                let accepts = Literal { what: Condition::Property(self.accept_labels()), holds: true };
                let passing = edges.clone().into_iter().map(|mut edge| {
                    edge.when.push(accepts);
                    AutomatonEdge { accepting: true, ..edge }
                });
                edges.extend(passing.collect::<Vec<_>>());
            }
            states.push(edges);
        }
        states
    }

    fn is_accepting(&self, at: Target) -> bool {
        match at {
            Target::Place(at) => self.automaton.nodes[at.index()].accept,
            Target::Error => true,
        }
    }

    /// Whether the claim asks for `np_`, so that it matters whether the execution has ended.
    fn asks_progress(&self) -> bool {
        self.automaton.actions.iter().any(|step| match &step.action {
            Action::Basic(Basic::Condition(expr) | Basic::Assert(expr)) => asks_progress(expr),
            _ => false,
        })
    }

    fn accept_labels(&mut self) -> PropertyId {
        if let Some(known) = self.accepts {
            return known;
        }
        let truth = self.low.at_label(|node| node.accept);
        let id = condition_id("a process is at an accept label", truth, self.properties);
        self.accepts = Some(id);
        id
    }

    fn ways(&mut self, at: Target) -> Vec<Way> {
        let mut ways = Vec::new();
        match at {
            Target::Error => ways.push(Way { when: Vec::new(), to: Target::Error }),
            Target::Place(at) if self.asks_progress() => {
                for ended in [Ended::No, Ended::Yes] {
                    self.ended = ended;
                    let before = Truth(Some(vec![Literal { holds: ended == Ended::Yes, ..GOES_ON }]));
                    self.follow(at, &before, &mut Vec::new(), &mut ways);
                }
            }
            Target::Place(at) => self.follow(at, &Truth::always(), &mut Vec::new(), &mut ways),
        }
        ways
    }

    /// All ways from a place to the next one that is not inside an `atomic`.
    fn follow(&mut self, at: Location, before: &Truth, passed: &mut Vec<Location>, ways: &mut Vec<Way>) {
        if passed.contains(&at) {
            return;
        }
        passed.push(at);
        let automaton = self.automaton;
        // When no move so far is possible: what an `else` waits for.
        let mut otherwise = Truth::always();
        for step in automaton.moves(at) {
            let (possible, goes_on) = match automaton.action(step.action) {
                Action::Basic(Basic::Condition(expr)) => (self.literal(step.action, expr), Truth::always()),
                Action::Basic(Basic::Assert(expr)) => (Truth::always(), self.literal(step.action, expr)),
                Action::Else => (otherwise.clone(), Truth::always()),
                _ => (Truth::always(), Truth::always()),
            };
            if let Some(when) = goes_on.negated().and(&possible).and(before).0 {
                ways.push(Way { when, to: Target::Error });
            }
            otherwise = otherwise.and(&possible.negated());
            let Some(when) = goes_on.and(&possible).and(before).0 else { continue };
            match step.to.filter(|to| *to != automaton.end) {
                None => ways.push(Way { when, to: Target::Error }),
                Some(to) if step.atomic => self.follow(to, &Truth(Some(when)), passed, ways),
                Some(to) => ways.push(Way { when, to: Target::Place(to) }),
            }
        }
        passed.pop();
    }

    fn literal(&mut self, action: ActionId, expr: &crate::typed::Expr) -> Truth {
        if let ExprKind::Const(value) = expr.kind {
            return if value != 0 { Truth::always() } else { Truth(None) };
        }
        let ended = if asks_progress(expr) { self.ended } else { Ended::No };
        let known = self.known.iter().find(|(own, _)| *own == (action, ended));
        let condition = known.map(|(_, condition)| *condition).unwrap_or_else(|| {
            let condition = proposition(self.low, expr, ended, self.properties);
            self.known.push(((action, ended), condition));
            condition
        });
        Truth(Some(vec![Literal { what: Condition::Property(condition), holds: true }]))
    }
}

/// When something is so: if all these literals are, or never.
#[derive(Clone)]
struct Truth(Option<Vec<Literal>>);

impl Truth {
    fn always() -> Self {
        Truth(Some(Vec::new()))
    }

    fn and(&self, other: &Self) -> Self {
        let both = self.0.as_ref().zip(other.0.as_ref());
        Truth(both.map(|(own, other)| own.iter().chain(other).copied().collect()))
    }

    /// When one condition, or a constant, is not so. Of an `else` nobody asks: no move comes behind it.
    fn negated(&self) -> Self {
        match self.0.as_deref() {
            None => Self::always(),
            Some([only]) => Truth(Some(vec![Literal { holds: !only.holds, ..*only }])),
            Some(_) => Truth(None),
        }
    }
}

/// Why a `never` cannot be checked, if it cannot.
pub(crate) fn hindrance(never: &Never, automaton: &flow::Automaton) -> Option<(&'static str, Span)> {
    let steps = automaton.nodes.iter().flat_map(|node| &node.moves);
    let mut found = steps.filter_map(|step| {
        let reason = match automaton.action(step.action) {
            _ if step.escape.is_some() => "it has an `unless`",
            Action::Basic(Basic::Condition(expr) | Basic::Assert(expr)) if is_about_state(expr) => return None,
            Action::Basic(Basic::Condition(_) | Basic::Assert(_)) => {
                "conditions may read variables, channels, labels, `np_` and `_last`; not `timeout`, `enabled` or `_pid`"
            }
            Action::Basic(Basic::Printf { .. } | Basic::Printm(_)) | Action::Jump | Action::Else => return None,
            Action::Terminate | Action::Structure => return None,
            Action::Basic(_) => "it changes something",
            Action::DStep(_) => "it has a `d_step`",
        };
        let span = automaton.actions[step.action.index()].span;
        Some((reason, if span == Span::NOWHERE { never.span } else { span }))
    });
    found.next()
}
