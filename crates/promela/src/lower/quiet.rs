//! Statements that nobody but their process can notice become part of the step before them (`--slim`), as SPIN's `-o3` has
//! it: `x = 1; y = x + 1` with variables of the process's own is one step.
//!
//! A statement is quiet if it is the only move at an unlabelled place, can always be executed, and reads and assigns nothing
//! but variables of its process.
//!
// SOUND: at a place with a quiet statement that move, and no other, is always possible for the process. Nothing that others
// do changes what it does, and nothing that others read or wait for is changed by it, so in every execution it can be moved
// forward to just behind the step that led there: the steps of others commute with it. The one thing about a place that
// others can feel is whether a partner for a handshake stands there: an `else` or an escape beside a rendezvous send is possible
// only until the partner has come, and only until then a send in the middle of an `atomic` blocks, which lets everybody move. So
// where a model has one, no statement that leads to a receive is quiet. What is left out
// are states in which the process could still move, so no deadlock is; a fault of the statement is one of the joined step. Where somebody
// can tell places or the number of steps apart (claims, labels that are asked for, references to other processes,
// `enabled`, `_last`, priorities, `provided`, promises) nothing is joined. A loop of quiet statements ends the way at the first
// place that it comes to again, a state like others, where everybody may move.

use super::Lowering;
use crate::flow::{Action, Location};
use crate::typed::{Basic, Builtin, Expr, ExprKind, Place, ProcId, Scope, Target};

impl Lowering<'_> {
    /// Whether a process that comes to a place goes on with the statement there at once.
    pub(super) fn is_quiet(&self, proc: ProcId, at: Location) -> bool {
        let automaton = &self.flow.procs[proc.index()];
        let node = &automaton.nodes[at.index()];
        let [step] = node.moves.as_slice() else { return false };
        let is_marked = node.valid_end || node.accept || node.progress || automaton.labels.contains(&at);
        let is_awaited = self.sites.iter().any(|site| site.proc == proc && Some(site.at) == step.to);
        let is_own = is_own_step(automaton.action(step.action));
        self.joins
            && is_own
            && !is_marked
            && !step.atomic
            && step.escape.is_none()
            && !(is_awaited && self.misses_partners())
    }

    /// Whether something may happen only because nobody is there to receive what a process could send: another option, or
    /// the loss of the exclusive right inside an `atomic`.
    fn misses_partners(&self) -> bool {
        let procs = self.flow.procs.iter().enumerate().filter_map(|(index, automaton)| {
            let places = &self.shapes.procs[index].as_ref()?.places;
            Some((ProcId(index as u32), automaton, places))
        });
        let mut all = procs.flat_map(|(proc, automaton, places)| places.keys().map(move |&at| (proc, automaton, at)));
        all.any(|(proc, automaton, at)| {
            let moves = automaton.moves(at);
            let may_miss = moves.len() > 1 || self.exclusive_places.contains(&(proc, at));
            may_miss && moves.iter().any(|step| self.may_offer(proc, automaton.action(step.action)))
        })
    }

    /// Whether an action may be the first half of a handshake.
    fn may_offer(&self, proc: ProcId, action: &Action) -> bool {
        matches!(action, Action::Basic(Basic::Send { chan, .. }) if self.may_meet(proc, chan))
    }

    /// Whether steps of one process may be joined, as far as the whole model is concerned.
    pub(super) fn may_join(&self) -> bool {
        let model = self.model;
        let labels = model.labels();
        let is_claimed = model.asked().next().is_some()
            || model.asked_nevers().next().is_some()
            || labels.acceptance
            || labels.non_progress;
        let is_seen = self.cells.asks_others || self.program.uses_last || self.program.uses_priority;
        model.is_slim() && !is_claimed && !is_seen && !model.checks_promises()
    }
}

fn is_own_step(action: &Action) -> bool {
    match action {
        Action::Jump => true,
        Action::Basic(Basic::Assign(Target::Place(target), value)) => is_own_place(target) && is_own(value),
        Action::Basic(Basic::Condition(value)) => matches!(value.kind, ExprKind::Const(value) if value != 0),
        Action::Basic(Basic::Printf { args, .. }) => args.iter().all(is_own),
        Action::Basic(Basic::Printm(value)) => is_own(value),
        Action::Basic(
            Basic::Assign(..)
            | Basic::DeclareStruct(_)
            | Basic::Send { .. }
            | Basic::Receive { .. }
            | Basic::Assert(_)
            | Basic::SetPriority(..),
        )
        | Action::Else
        | Action::DStep(_)
        | Action::Terminate
        | Action::Structure => false,
    }
}

fn is_own_place(place: &Place) -> bool {
    place.scope == Scope::Local && place.indices.iter().all(|index| is_own(&index.expr))
}

/// Whether the value of an expression depends on variables of the process alone.
fn is_own(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Builtin(Builtin::Pid) => true,
        ExprKind::Read(place) => is_own_place(place),
        ExprKind::Unary(_, inner) => is_own(inner),
        ExprKind::Binary(_, left, right) => is_own(left) && is_own(right),
        ExprKind::Conditional(condition, yes, no) => is_own(condition) && is_own(yes) && is_own(no),
        ExprKind::Builtin(Builtin::NrPr | Builtin::Last | Builtin::Priority)
        | ExprKind::Run(_)
        | ExprKind::Chan(..)
        | ExprKind::Poll { .. }
        | ExprKind::Timeout
        | ExprKind::NonProgress
        | ExprKind::Enabled(_)
        | ExprKind::PcValue(_)
        | ExprKind::GetPriority(_)
        | ExprKind::RemoteLabel { .. }
        | ExprKind::RemoteVar { .. } => false,
    }
}
