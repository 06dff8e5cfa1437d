//! Channels: questions about them, sends and receives.

use super::eval::Context;
use super::exec::Outcome;
use super::explore::Explorer;
use super::state::State;
use super::{Fault, Stop};
use crate::ast::ChanOp;
use crate::typed::{Expr, Pattern, Place};

/// What a field must be; `None` where any value will do.
type Wanted = Vec<Option<i32>>;

impl Explorer<'_> {
    /// The channel at a place, by index; none is a fault.
    fn chan_at(&mut self, state: &mut State, context: Context, place: &Place) -> Result<Option<usize>, Stop> {
        let read = Expr { kind: crate::typed::ExprKind::Read(place.clone()), span: place.span };
        let value = self.eval(state, context, &read)?;
        let index = usize::try_from(value - 1).ok().filter(|&index| index < state.chans.len());
        if index.is_none() {
            self.fault(Fault::NoChannel);
        }
        Ok(index)
    }

    fn capacity(&self, state: &State, chan: usize) -> usize {
        self.program.chan_types[state.chans[chan].ty.index()].capacity as usize
    }

    /// A rendezvous channel holds one message between the halves of a handshake.
    fn is_full(&self, state: &State, chan: usize) -> bool {
        state.chans[chan].messages.len() >= self.capacity(state, chan).max(1)
    }

    pub(super) fn ask_channel(
        &mut self,
        state: &mut State,
        context: Context,
        operator: ChanOp,
        place: &Place,
    ) -> Result<i32, Stop> {
        let Some(chan) = self.chan_at(state, context, place)? else { return Ok(0) };
        let len = state.chans[chan].messages.len();
        let full = self.is_full(state, chan);
        Ok(match operator {
            ChanOp::Len => len as i32,
            ChanOp::Full => i32::from(full),
            ChanOp::NotFull => i32::from(!full),
            ChanOp::Empty => i32::from(len == 0),
            ChanOp::NotEmpty => i32::from(len > 0),
        })
    }

    fn wanted(&mut self, state: &mut State, context: Context, pattern: &[Pattern]) -> Result<Wanted, Stop> {
        let field = |field: &Pattern| match field {
            Pattern::Match(expr) => self.eval(state, context, expr).map(Some),
            Pattern::Store(_) => Ok(None),
        };
        pattern.iter().map(field).collect()
    }

    pub(super) fn poll(
        &mut self,
        state: &mut State,
        context: Context,
        place: &Place,
        pattern: &[Pattern],
        random: bool,
    ) -> Result<bool, Stop> {
        let Some(chan) = self.chan_at(state, context, place)? else { return Ok(false) };
        if self.capacity(state, chan) == 0 {
            self.fault(Fault::PollRendezvous);
        }
        let wanted = self.wanted(state, context, pattern)?;
        // Without anything to match, only the oldest message is looked at, which is enough.
        Ok(find(&state.chans[chan].messages, &wanted, random).is_some())
    }

    pub(super) fn send(
        &mut self,
        state: &mut State,
        context: Context,
        place: &Place,
        args: &[Expr],
        sorted: bool,
    ) -> Result<Outcome, Stop> {
        let Some(chan) = self.chan_at(state, context, place)? else { return Ok(Outcome::Blocked) };
        if self.is_full(state, chan) {
            return Ok(Outcome::Blocked);
        }
        let mut given = Vec::with_capacity(args.len());
        for arg in args {
            given.push(self.eval(state, context, arg)?);
        }
        let fields = &self.program.chan_types[state.chans[chan].ty.index()].fields;
        if fields.len() != given.len() {
            self.fault(Fault::MessageFields);
        }
        given.resize(fields.len(), 0);
        let message: Vec<i32> = fields.iter().zip(&given).map(|(field, &value)| field.store(value)).collect();
        let messages = &mut state.chans[chan].messages;
        let at = if sorted {
            messages.iter().position(|other| given < *other).unwrap_or(messages.len())
        } else {
            messages.len()
        };
        messages.insert(at, message);
        self.observe(state, chan, true)?;
        let handshake = self.capacity(state, chan) == 0;
        Ok(if handshake { Outcome::Offered(chan) } else { Outcome::Done })
    }

    /// Whether a receive could be executed now, as far as the channel goes.
    fn may_receive(&mut self, state: &State, chan: usize, offered: Option<usize>, keep: bool) -> bool {
        if self.capacity(state, chan) == 0 {
            if keep {
                self.fault(Fault::PollRendezvous);
                return false;
            }
            return offered == Some(chan);
        }
        offered.is_none()
    }

    pub(super) fn receive(
        &mut self,
        state: &mut State,
        context: Context,
        offered: Option<usize>,
        receive: &Receive<'_>,
    ) -> Result<Outcome, Stop> {
        let Some(chan) = self.chan_at(state, context, receive.chan)? else { return Ok(Outcome::Blocked) };
        if !self.may_receive(state, chan, offered, receive.keep) {
            return Ok(Outcome::Blocked);
        }
        let wanted = self.wanted(state, context, receive.pattern)?;
        let Some(at) = find(&state.chans[chan].messages, &wanted, receive.random) else { return Ok(Outcome::Blocked) };
        let message = if receive.keep {
            state.chans[chan].messages[at].clone()
        } else {
            self.observe(state, chan, false)?;
            state.chans[chan].messages.remove(at)
        };
        if message.len() != receive.pattern.len() {
            self.fault(Fault::MessageFields);
        }
        for (index, field) in receive.pattern.iter().enumerate() {
            if let Pattern::Store(target) = field {
                let value = message.get(index).copied().unwrap_or(0);
                self.store(state, context, target, value)?;
            }
        }
        Ok(Outcome::Done)
    }

    /// Moves the `trace`, if it speaks about this channel in this direction.
    fn observe(&mut self, state: &mut State, chan: usize, send: bool) -> Result<(), Stop> {
        let Some(automaton) = &self.model.flow.trace else { return Ok(()) };
        if !self.in_trace(state, chan, send)? {
            return Ok(());
        }
        let negated = self.program.trace.as_ref().is_some_and(|trace| trace.negated);
        if state.event != automaton.end {
            for step in automaton.moves(state.event) {
                if self.event_fits(state, chan, send, automaton.action(step.action))? {
                    state.event = step.to.unwrap_or(automaton.end);
                    if negated && state.event == automaton.end {
                        self.fault(Fault::Trace);
                    }
                    return Ok(());
                }
            }
        }
        if negated {
            state.event = automaton.end;
        } else {
            self.fault(Fault::Trace);
        }
        Ok(())
    }

    /// Whether some event of the `trace` is about this channel and direction.
    fn in_trace(&mut self, state: &mut State, chan: usize, send: bool) -> Result<bool, Stop> {
        let Some(automaton) = &self.model.flow.trace else { return Ok(false) };
        for step in &automaton.actions {
            if let Some(event) = Event::of(&step.action)
                && event.send == send
                && self.chan_at(state, Context { me: 0, timeout: false }, event.chan)? == Some(chan)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn event_fits(
        &mut self,
        state: &mut State,
        chan: usize,
        send: bool,
        action: &crate::flow::Action,
    ) -> Result<bool, Stop> {
        let context = Context { me: 0, timeout: false };
        let Some(event) = Event::of(action) else {
            return Ok(matches!(action, crate::flow::Action::Jump | crate::flow::Action::Basic(_)));
        };
        if event.send != send || self.chan_at(state, context, event.chan)? != Some(chan) {
            return Ok(false);
        }
        let mut wanted = Wanted::new();
        for field in event.fields {
            wanted.push(match field {
                Some(expr) => Some(self.eval(state, context, expr)?),
                None => None,
            });
        }
        let messages = &state.chans[chan].messages;
        let message = if send { messages.last() } else { messages.first() };
        Ok(message.is_some_and(|message| fits(message, &wanted)))
    }
}

/// A receive's parts.
pub(super) struct Receive<'a> {
    pub(super) chan: &'a Place,
    pub(super) pattern: &'a [Pattern],
    pub(super) random: bool,
    pub(super) keep: bool,
}

/// A statement of a `trace`: only constants are compared.
struct Event<'a> {
    send: bool,
    chan: &'a Place,
    fields: Vec<Option<&'a Expr>>,
}

impl<'a> Event<'a> {
    fn of(action: &'a crate::flow::Action) -> Option<Self> {
        use crate::typed::{Basic, ExprKind};
        let crate::flow::Action::Basic(basic) = action else { return None };
        match basic {
            Basic::Send { chan, args, .. } => {
                let field = |arg: &'a Expr| matches!(arg.kind, ExprKind::Const(_)).then_some(arg);
                Some(Self { send: true, chan, fields: args.iter().map(field).collect() })
            }
            Basic::Receive { chan, pattern, .. } => {
                let field = |field: &'a Pattern| match field {
                    Pattern::Match(expr) => Some(expr),
                    Pattern::Store(_) => None,
                };
                Some(Self { send: false, chan, fields: pattern.iter().map(field).collect() })
            }
            _ => None,
        }
    }
}

fn fits(message: &[i32], wanted: &[Option<i32>]) -> bool {
    let field = |(index, wanted): (usize, &Option<i32>)| {
        wanted.is_none_or(|wanted| message.get(index).copied().unwrap_or(0) == wanted)
    };
    wanted.iter().enumerate().all(field)
}

/// The message a pattern takes: the oldest one, or the oldest that fits.
fn find(messages: &[Vec<i32>], wanted: &[Option<i32>], random: bool) -> Option<usize> {
    let n_looked_at = if random { messages.len() } else { messages.len().min(1) };
    messages[..n_looked_at].iter().position(|message| fits(message, wanted))
}
