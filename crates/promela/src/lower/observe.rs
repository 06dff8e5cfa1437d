//! The automaton of a `trace` or `notrace`, which moves along with the messages it speaks about.

use burnside_diag::Span;
use burnside_ir::{BinaryOp as Op, Expr, Place, Stmt, StmtKind};

use super::build::{Val, all, any, assign, binary, equal, stmt, when};
use super::exprs::Body;
use crate::flow::{Action, Automaton};
use crate::typed::{Basic, ExprKind, Pattern};

/// A statement of a `trace`: only constants and matches are compared.
struct Event<'a> {
    send: bool,
    chan: &'a crate::typed::Place,
    fields: Vec<Option<&'a crate::typed::Expr>>,
}

fn event(action: &Action) -> Option<Event<'_>> {
    match action {
        Action::Basic(Basic::Send { chan, args, .. }) => {
            let fields = args.iter().map(|arg| matches!(arg.kind, ExprKind::Const(_)).then_some(arg)).collect();
            Some(Event { send: true, chan, fields })
        }
        Action::Basic(Basic::Receive { chan, pattern, .. }) => {
            Some(Event { send: false, chan, fields: pattern.iter().map(matched).collect() })
        }
        _ => None,
    }
}

/// What a field must be.
fn matched(field: &Pattern) -> Option<&crate::typed::Expr> {
    match field {
        Pattern::Match(expr) => Some(expr),
        Pattern::Store(_) => None,
    }
}

/// A message that is sent or received.
pub(super) struct Seen<'a> {
    pub(super) send: bool,
    /// The channel.
    pub(super) number: &'a Val,
    /// The message.
    pub(super) values: &'a [Val],
}

impl Body<'_> {
    /// Moves the `trace`, if it speaks about this channel in this direction.
    pub(super) fn observe(&mut self, seen: &Seen<'_>, span: Span, out: &mut Vec<Stmt>) {
        let low = self.low;
        let (Some(automaton), Some(trace), Some(claim)) = (&low.flow.trace, &low.shapes.trace, &low.program.trace)
        else {
            return;
        };
        let mut about = Vec::new();
        for step in &automaton.actions {
            if let Some(event) = event(&step.action).filter(|event| event.send == seen.send) {
                let number = self.read(None, event.chan);
                about.push(equal(self.types(), seen.number, &number));
            }
        }
        let about = any(about, span);
        if about.as_const() == Some(0) {
            return;
        }
        let at = Place::global(trace.global, trace.ty, span);
        let broken = || match claim.negated {
            true => assign(at.clone(), Expr::constant(trace.ty, trace.places[&automaton.end], span)),
            false => stmt(StmtKind::Error("a message that the trace does not allow".to_owned()), span),
        };
        let mut places: Vec<_> = trace.places.iter().map(|(&location, &place)| (place, location)).collect();
        places.sort_unstable();
        let mut arms = Vec::new();
        for (place, location) in places.into_iter().filter(|(_, location)| *location != automaton.end) {
            let here = binary(Op::Eq, Expr::read(at.clone()), Expr::constant(trace.ty, place, span));
            let mut ways = Vec::new();
            for step in automaton.moves(location) {
                let to = step.to.unwrap_or(automaton.end);
                let go = match claim.negated && to == automaton.end {
                    true => stmt(StmtKind::Error("the messages that `notrace` rules out".to_owned()), span),
                    false => assign(at.clone(), Expr::constant(trace.ty, trace.places[&to], span)),
                };
                ways.push((self.event_fits(automaton, step.action, seen, span), vec![go]));
            }
            arms.push((here, vec![stmt(StmtKind::If { arms: ways, otherwise: vec![broken()] }, span)]));
        }
        let moved = stmt(StmtKind::If { arms, otherwise: vec![broken()] }, span);
        match about.as_const() {
            Some(_) => out.push(moved),
            None => out.push(when(about, vec![moved], Vec::new())),
        }
    }

    fn event_fits(
        &mut self,
        automaton: &Automaton,
        action: crate::flow::ActionId,
        seen: &Seen<'_>,
        span: Span,
    ) -> Expr {
        let action = automaton.action(action);
        let Some(event) = event(action) else {
            return Expr::boolean(matches!(action, Action::Jump | Action::Basic(_)), span);
        };
        if event.send != seen.send {
            return Expr::boolean(false, span);
        }
        let number = self.read(None, event.chan);
        let mut parts = vec![equal(self.types(), seen.number, &number)];
        for (at, field) in event.fields.iter().enumerate() {
            let Some(wanted) = field else { continue };
            let wanted = self.value(None, wanted);
            let found = seen.values.get(at).cloned().unwrap_or_else(|| Val::constant(0, span));
            parts.push(equal(self.types(), &found, &wanted));
        }
        all(parts, span)
    }
}
