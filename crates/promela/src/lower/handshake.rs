//! The two halves of a rendezvous: one step of two processes.

use burnside_diag::Span;
use burnside_ir::{Expr, Place, Quantifier, Stmt};

use super::build::{Val, all, any, assign, equal, not};
use super::channels::Named;
use super::exprs::{Body, Who};
use super::observe::Seen;
use crate::flow::{Action, Location};
use crate::typed::{Basic, Pattern, ProcId};

/// The first half: a message, and the channel it is for.
#[derive(Clone)]
pub(super) struct Offer<'l> {
    pub(super) named: Named<'l>,
    /// As the channel keeps them.
    pub(super) values: Vec<Val>,
    /// Whether the message has as many fields as the channel.
    pub(super) is_complete: bool,
    pub(super) span: Span,
}

/// Where a process can make the second half.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site {
    pub(super) proc: ProcId,
    pub(super) at: Location,
    /// The move, by its position.
    pub(super) step: usize,
}

impl<'l> Body<'l> {
    /// What a statement offers.
    pub(super) fn offers(&mut self, who: Who, action: &Action) -> Vec<Offer<'l>> {
        let Action::Basic(Basic::Send { chan, args, .. }) = action else { return Vec::new() };
        let span = chan.span;
        let handshakes: Vec<Named<'l>> = self.named(Some(who), chan).into_iter().filter(Named::is_handshake).collect();
        if handshakes.is_empty() {
            return Vec::new();
        }
        let given: Vec<Val> = args.iter().map(|arg| self.value(Some(who), arg)).collect();
        let offer = |named: Named<'l>| {
            let fields = named.shape.fields.iter().zip(&named.shape.scalars).enumerate();
            let values = fields.map(|(at, (&ty, &scalar))| {
                let value = given.get(at).cloned().unwrap_or_else(|| Val::constant(0, span));
                let (lo, hi) = match value.expr.ty == ty {
                    true => (value.lo, value.hi),
                    false => {
                        let cut = value.clone().number(self.types()).cut(scalar);
                        (cut.lo, cut.hi)
                    }
                };
                Val::within(self.fit_type(value, ty, scalar), lo, hi)
            });
            let values = values.collect();
            let is_complete = given.len() == named.shape.fields.len();
            Offer { named, values, is_complete, span }
        };
        handshakes.into_iter().map(offer).collect()
    }

    /// The channels and pattern of a receive that may take an offer.
    fn acceptance<'a>(&mut self, who: Who, action: &'a Action, offer: &Offer<'_>) -> Option<(Expr, &'a [Pattern])> {
        let Action::Basic(Basic::Receive { chan, pattern, keep: false, .. }) = action else { return None };
        let named = self.named(Some(who), chan).into_iter().find(|named| named.family == offer.named.family)?;
        let same = equal(self.types(), &offer.named.number, &named.number);
        let mut parts = vec![named.is_it, same];
        for (at, field) in pattern.iter().enumerate() {
            let Pattern::Match(expr) = field else { continue };
            let wanted = self.value(Some(who), expr);
            let found = offer.values.get(at).cloned().unwrap_or_else(|| Val::constant(0, offer.span));
            parts.push(equal(self.types(), &found, &wanted));
        }
        Some((all(parts, offer.span), pattern))
    }

    /// Whether a statement takes an offer.
    pub(super) fn accepts(&mut self, who: Who, action: &Action, offer: &Offer<'_>) -> Expr {
        match action {
            Action::DStep(d_step) => self.may_begin(who, d_step, Some(offer), offer.span),
            _ => self.acceptance(who, action, offer).map_or_else(|| Expr::boolean(false, offer.span), |(fits, _)| fits),
        }
    }

    /// Stores the message of an offer.
    pub(super) fn accept(&mut self, who: Who, action: &Action, offer: &Offer<'_>, out: &mut Vec<Stmt>) {
        let Some((_, pattern)) = self.acceptance(who, action, offer) else { return };
        if !offer.is_complete || pattern.len() != offer.values.len() {
            let message = format!(
                "a message of {} fields, sent and received with another number",
                offer.named.shape.fields.len()
            );
            out.push(super::build::stmt(burnside_ir::StmtKind::Error(message), offer.span));
        }
        for send in [true, false] {
            let seen = Seen { send, number: &offer.named.number, values: &offer.values };
            self.observe(&seen, offer.span, out);
        }
        // What is stored must not change what is sent.
        let n_stored = pattern.iter().filter(|field| matches!(field, Pattern::Store(_))).count();
        let mut values = offer.values.clone();
        if n_stored > 1 {
            for (value, &ty) in values.iter_mut().zip(&offer.named.shape.fields) {
                if value.as_const().is_none() {
                    let local = self.local("sent", ty, offer.span);
                    let place = Place::local(local, ty, offer.span);
                    out.push(assign(place.clone(), value.expr.clone()));
                    *value = Val::within(Expr::read(place), value.lo, value.hi);
                }
            }
        }
        for (at, field) in pattern.iter().enumerate() {
            let Pattern::Store(target) = field else { continue };
            let value = values.get(at).cloned().unwrap_or_else(|| Val::constant(0, offer.span));
            self.store(who, target, value, out);
        }
    }

    /// Whether a process at a site takes an offer, if it is another process.
    pub(super) fn takes(&mut self, who: Who, site: Site, offer: &Offer<'_>) -> Expr {
        let span = offer.span;
        let choice = self.choice(who, site.at);
        let action = choice.automaton.action(choice.moves[site.step].action);
        let fits = self.accepts(who, action, offer);
        if fits.as_const() == Some(0) {
            return fits;
        }
        let own = choice.moves[site.step].escape;
        let mut parts = vec![fits];
        for before in &choice.moves[..site.step] {
            if before.escape.is_some() && before.escape != own {
                parts.push(not(self.accepts(who, choice.automaton.action(before.action), offer)));
            }
        }
        all(parts, span)
    }

    /// Whether somebody takes what a statement offers.
    pub(super) fn has_partner(&mut self, who: Who, action: &Action, span: Span) -> Expr {
        let mut found = Vec::new();
        for offer in self.offers(who, action) {
            for &site in &self.low.sites {
                let some = self.some_process(site.proc, span, Quantifier::Exists, |body, there| {
                    let takes = body.takes(there, site, &offer);
                    if takes.as_const() == Some(0) {
                        return takes;
                    }
                    let place = body.processes(site.proc).places[&site.at];
                    let stands = body.stands(there, place, span);
                    let differ = body.differ(who.me, there.me, span);
                    let free = body.may_move(there, span);
                    all([stands, differ, takes, free], span)
                });
                found.push(all([offer.named.is_it.clone(), some], span));
            }
        }
        any(found, span)
    }
}
