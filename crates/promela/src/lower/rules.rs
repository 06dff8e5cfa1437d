//! One rule for each step that a process, or two in a handshake, can make.

use std::collections::{BTreeSet, HashSet};

use burnside_diag::Span;
use burnside_ir::{Binder, Domain, Expr, ExprKind, Owner, Place, Rule, Stmt, TypeId};

use super::Lowering;
use super::alike;
use super::build::{all, any, forget, not};
use super::chains::Way;
use super::exprs::{Body, Me, Who};
use super::first;
use super::handshake::{Offer, Site};
use super::kinds;
use super::promises::Breach;
use super::shapes::Home;
use crate::flow::{Action, Guard, Location, Move};
use crate::typed::{Basic, ProcId};

/// Steps that need nothing special.
const USUAL: i64 = 0;
/// Losing the exclusive right to move, if the process that has it cannot.
const LOSE: i64 = 1;
/// Steps that wait until nothing else can happen.
const TIMEOUT: i64 = 2;

/// A statement of a process type, by where it is written.
pub(super) type Piece = (ProcId, Span);

/// All rules of a model.
pub(super) struct Made {
    pub(super) rules: Vec<Rule>,
    /// The statements that each rule executes.
    pub(super) pieces: Vec<Vec<Piece>>,
    /// Whether some rule leads into an `atomic`.
    pub(super) exclusive: bool,
}

/// All rules of a model.
pub(super) fn rules(low: &Lowering<'_>) -> Made {
    let mut maker = Maker {
        low,
        rules: Vec::new(),
        pieces: Vec::new(),
        stops: BTreeSet::new(),
        stood: BTreeSet::new(),
        pending: Vec::new(),
        exclusive: false,
    };
    for (index, processes) in low.shapes.procs.iter().enumerate() {
        if processes.is_some() {
            maker.stop(ProcId(index as u32), low.flow.procs[index].start);
        }
    }
    while let Some((proc, at)) = maker.pending.pop() {
        maker.steps_from(proc, at);
    }
    maker.stood = std::mem::take(&mut maker.stops);
    for (proc, at) in maker.stood.clone() {
        for step in 0..low.flow.procs[proc.index()].moves(at).len() {
            if !first::is_first(low, proc, at) {
                maker.handshakes(Site { proc, at, step }, false);
            }
        }
    }
    maker.void_promises();
    maker.lose_control();
    let state = maker.state();
    let mut made = Made { rules: Vec::new(), pieces: Vec::new(), exclusive: maker.exclusive };
    for (mut rule, numbers) in alike::merge_rules(maker.rules, &state) {
        alike::merge_conditions(&mut rule, &state);
        made.rules.push(rule);
        made.pieces.push(numbers.iter().flat_map(|&number| maker.pieces[number].iter().copied()).collect());
    }
    made
}

/// The moves that can be the second half of a handshake.
pub(super) fn sites(low: &Lowering<'_>) -> Vec<Site> {
    let mut found = Vec::new();
    for (index, processes) in low.shapes.procs.iter().enumerate() {
        let Some(processes) = processes else { continue };
        let mut locations: Vec<Location> = processes.places.keys().copied().collect();
        locations.sort_unstable();
        let automaton = &low.flow.procs[index];
        let proc = ProcId(index as u32);
        let receives = |action: &Action| match action {
            Action::Basic(Basic::Receive { chan, .. }) => low.may_meet(proc, chan),
            _ => false,
        };
        for at in locations {
            for (step, found_move) in automaton.moves(at).iter().enumerate() {
                let is_site = match automaton.action(found_move.action) {
                    Action::DStep(d_step) => d_step.guards.iter().any(|guard| match guard {
                        Guard::Statement(action) => receives(automaton.action(*action)),
                        Guard::Always | Guard::OuterElse => false,
                    }),
                    action => receives(action),
                };
                if is_site {
                    found.push(Site { proc, at, step });
                }
            }
        }
    }
    found
}

impl Lowering<'_> {
    /// Whether a channel may be a rendezvous.
    pub(super) fn may_meet(&self, proc: ProcId, chan: &crate::typed::Place) -> bool {
        let cell = super::paths::walk(self.program, Some(proc), chan).1;
        let mut families = self.cells.chans(cell).filter_map(|kind| self.shapes.family_of[kind.index()]);
        families.any(|family| self.shapes.families[family].store.is_none())
    }
}

/// The places at which a process may have the exclusive right to move.
pub(super) fn exclusive_places(low: &Lowering<'_>) -> HashSet<(ProcId, Location)> {
    let mut found = HashSet::new();
    for (index, processes) in low.shapes.procs.iter().enumerate() {
        let Some(processes) = processes else { continue };
        for &at in processes.places.keys().filter(|&&at| !first::is_first(low, ProcId(index as u32), at)) {
            let atomic = low.flow.procs[index].moves(at).iter().filter(|step| step.atomic);
            found.extend(atomic.filter_map(|step| Some((ProcId(index as u32), step.to?))));
        }
    }
    found
}

/// A step that is to become a rule.
struct Step {
    name: String,
    binders: Vec<Binder>,
    /// Who takes it, the process that moves by itself first.
    by: Vec<Who>,
    guard: Expr,
    action: Vec<Stmt>,
    priority: i64,
    /// The statements that it executes.
    does: Vec<Piece>,
}

struct Maker<'l> {
    low: &'l Lowering<'l>,
    rules: Vec<Rule>,
    /// The statements that each rule executes.
    pieces: Vec<Vec<Piece>>,
    /// The places at which processes can stand between steps.
    stops: BTreeSet<(ProcId, Location)>,
    /// All of them, once they are known.
    stood: BTreeSet<(ProcId, Location)>,
    /// Those that were not looked at yet.
    pending: Vec<(ProcId, Location)>,
    /// Whether some rule leads into an `atomic`.
    exclusive: bool,
}

impl<'l> Maker<'l> {
    fn stop(&mut self, proc: ProcId, at: Location) {
        if self.stops.insert((proc, at)) {
            self.pending.push((proc, at));
        }
    }

    /// The rules of a process at a place, handshakes aside, and the places they lead to.
    fn steps_from(&mut self, proc: ProcId, at: Location) {
        let low = self.low;
        if first::is_first(low, proc, at) {
            if let Some(rule) = first::rule(low) {
                self.rules.push(rule);
                self.pieces.push(self.first_pieces(proc, at));
            }
            if let Some(first) = &low.created.first {
                first.after.procs.iter().for_each(|process| self.stop(process.proc, process.at));
            }
            return;
        }
        for (step, found) in low.flow.procs[proc.index()].moves(at).iter().enumerate() {
            let site = Site { proc, at, step };
            self.alone(site, false);
            self.breaches(site);
            let action = low.flow.procs[proc.index()].action(found.action);
            let meets = low.sites.iter().any(|it| (it.proc, it.at, it.step) == (proc, at, step));
            let sends = matches!(action, Action::Basic(Basic::Send { chan, .. }) if low.may_meet(proc, chan));
            if let Some(to) = found.to.filter(|_| meets || sends) {
                self.stop(proc, to);
            }
        }
    }

    /// The statements of the first step: all between the place where it begins and the one where it ends.
    fn first_pieces(&self, proc: ProcId, at: Location) -> Vec<Piece> {
        let automaton = &self.low.flow.procs[proc.index()];
        let end = self.low.created.first.as_ref().map(|first| first.after.procs[0].at);
        let mut reached = BTreeSet::from([at]);
        let mut pending = vec![at];
        let mut pieces = Vec::new();
        while let Some(at) = pending.pop() {
            for step in automaton.moves(at) {
                pieces.push((proc, automaton.actions[step.action.index()].span));
                pending.extend(step.to.filter(|to| Some(*to) != end && reached.insert(*to)));
            }
        }
        pieces
    }

    fn state(&self) -> alike::State<'l> {
        let shapes = &self.low.shapes;
        let members = shapes.procs.iter().flatten().filter_map(|it| it.index);
        let members = members.chain(shapes.families.iter().filter_map(|it| it.index)).collect();
        let kept = shapes.vars.iter().filter_map(|home| match home {
            Home::Global(global, _) => Some(*global),
            Home::Field(_) | Home::Constant(..) => None,
        });
        let records = shapes.procs.iter().flatten().map(|it| it.global);
        let made_first = |number: &i64| {
            let made = self.low.created.made.iter().filter(|((owner, _), _)| owner.is_none());
            made.into_iter().any(|(_, numbers)| numbers.contains(&(*number as usize - 1)))
        };
        let channels = shapes.families.iter().filter(|family| family.numbers.iter().all(made_first));
        let channels = channels.filter_map(|family| Some(family.store?.global));
        alike::State {
            types: &shapes.types,
            globals: &shapes.globals,
            members,
            kinds: kinds::kinds(&self.rules, &shapes.types, &shapes.globals),
            channels: channels.collect(),
            kept: kept.collect(),
            records: records.collect(),
        }
    }

    /// A process as a parameter of a rule, or the only one of its type.
    fn somebody(&self, body: &mut Body<'l>, proc: ProcId, name: &str, binders: &mut Vec<Binder>) -> Who {
        let processes = body.processes(proc);
        let me = match processes.index {
            None => Me::Fixed(*processes.pids.first().expect("a process type that is started has a number")),
            Some(ty) => {
                let local = body.local(name, ty, Span::NOWHERE);
                binders.push(Binder::Param { local, domain: Domain::Type(ty) });
                Me::Local(local, ty)
            }
        };
        Who { proc, me }
    }

    fn step_of(&self, site: Site) -> (&'l Move, &'l crate::flow::Step) {
        let automaton = &self.low.flow.procs[site.proc.index()];
        let step = &automaton.moves(site.at)[site.step];
        (step, &automaton.actions[step.action.index()])
    }

    /// The rules of a move that one process makes.
    fn alone(&mut self, site: Site, timeout: bool) {
        let (step, action) = self.step_of(site);
        let span = action.span;
        let mut body = Body::new(self.low, timeout);
        body.doing = Some((site.proc, step.action));
        let mut binders = Vec::new();
        let who = self.somebody(&mut body, site.proc, "pid", &mut binders);
        let choice = body.choice(who, site.at);
        let before = body.before(who, site, &choice, span);
        let cases = match &action.action {
            Action::Else => {
                let guard = not(body.moved(who, &choice, site.step));
                vec![super::channels::Case { guard, stmts: Vec::new() }]
            }
            Action::DStep(d_step) if d_step.guards.contains(&Guard::OuterElse) => {
                let mut cases = body.cases(who, &action.action, span);
                for case in &mut cases {
                    let others = std::mem::replace(&mut case.guard, Expr::boolean(true, span));
                    case.guard = any([others, not(body.moved(who, &choice, site.step))], span);
                }
                cases
            }
            other => body.cases(who, other, span),
        };
        let ends = matches!(action.action, Action::Terminate);
        for case in cases {
            let guard = all([before.clone(), case.guard], span);
            if guard.as_const() == Some(0) {
                continue;
            }
            let (exclusive, spans) = (step.atomic, vec![span]);
            let Some(to) = step.to.filter(|_| !ends) else {
                let mut stmts = case.stmts;
                body.after(who, (site.proc, site.at), None, &mut stmts, span);
                let priority = if timeout { TIMEOUT } else { USUAL };
                let name = self.name(site, (who, "pid"), &spans);
                let (by, does) = (vec![who], vec![(site.proc, span)]);
                let step = Step { name, binders: binders.clone(), by, guard, action: stmts, priority, does };
                self.push(step, &body, span);
                continue;
            };
            let way = Way { guard, stmts: case.stmts, to, exclusive, spans };
            for way in body.extended(who, way) {
                let mut stmts = way.stmts;
                body.go(who, site.at, way.to, &mut stmts, span);
                self.exclusive |= way.exclusive;
                body.after(who, (site.proc, site.at), way.exclusive.then_some(who), &mut stmts, span);
                let priority = if timeout { TIMEOUT } else { USUAL };
                let name = self.name(site, (who, "pid"), &way.spans);
                let (guard, binders) = (way.guard, binders.clone());
                let does = way.spans.iter().map(|&span| (site.proc, span)).collect();
                let step = Step { name, binders, by: vec![who], guard, action: stmts, priority, does };
                self.push(step, &body, span);
                self.stop(site.proc, way.to);
            }
        }
        if body.asked_timeout && !timeout {
            self.alone(site, true);
        }
    }

    /// The rules of a send, one for each way to receive.
    fn handshakes(&mut self, site: Site, timeout: bool) {
        let (_, action) = self.step_of(site);
        if !matches!(action.action, Action::Basic(Basic::Send { .. })) {
            return;
        }
        let mut asked = false;
        for &second in &self.low.sites {
            if !self.stood.contains(&(second.proc, second.at)) {
                continue;
            }
            let mut body = Body::new(self.low, timeout);
            let mut binders = Vec::new();
            let sender = self.somebody(&mut body, site.proc, "pid", &mut binders);
            let offers = body.offers(sender, &action.action);
            if offers.is_empty() {
                return;
            }
            let receiver = self.somebody(&mut body, second.proc, "to", &mut binders);
            for offer in offers {
                self.handshake((site, sender), (second, receiver), &offer, &mut body, &binders);
            }
            asked |= body.asked_timeout;
        }
        if asked && !timeout {
            self.handshakes(site, true);
        }
    }

    fn handshake(
        &mut self,
        (site, sender): (Site, Who),
        (second, receiver): (Site, Who),
        offer: &Offer<'_>,
        body: &mut Body<'l>,
        binders: &[Binder],
    ) {
        let (_, action) = self.step_of(site);
        let (step, taken) = self.step_of(second);
        let span = action.span;
        let differ = body.differ(sender.me, receiver.me, span);
        let takes = body.takes(receiver, second, offer);
        if differ.as_const() == Some(0) || takes.as_const() == Some(0) {
            return;
        }
        let choice = body.choice(sender, site.at);
        let before = body.before(sender, site, &choice, span);
        let stands = body.stands(receiver, body.processes(second.proc).places[&second.at], span);
        let free = body.may_move(receiver, span);
        let guard = all([before, stands, differ, offer.named.is_it.clone(), takes, free], span);
        if guard.as_const() == Some(0) {
            return;
        }
        let mut stmts = Vec::new();
        body.go_along(sender, site, &mut stmts, span);
        match &taken.action {
            Action::DStep(d_step) => stmts.extend(body.d_step(receiver, d_step, Some(offer), span)),
            other => body.accept(receiver, other, offer, &mut stmts),
        }
        body.go_along(receiver, second, &mut stmts, span);
        self.exclusive |= step.atomic;
        body.after(receiver, (site.proc, site.at), step.atomic.then_some(receiver), &mut stmts, span);
        let priority = if body.timeout { TIMEOUT } else { USUAL };
        let (sent, received) = ([action.span], [taken.span]);
        let name =
            format!("{} ∥ {}", self.name(site, (sender, "pid"), &sent), self.name(second, (receiver, "to"), &received));
        let name = format!("» {}", name.replace("» ", ""));
        let by = vec![sender, receiver];
        let does = vec![(site.proc, action.span), (second.proc, taken.span)];
        let step = Step { name, binders: binders.to_vec(), by, guard, action: stmts, priority, does };
        self.push(step, body, span);
    }

    /// The rules that say that a process breaks a promise by trying a move.
    fn breaches(&mut self, site: Site) {
        let (_, action) = self.step_of(site);
        let span = action.span;
        let mut body = Body::new(self.low, false);
        let mut binders = Vec::new();
        let who = self.somebody(&mut body, site.proc, "pid", &mut binders);
        for breach in body.breaches(who, site) {
            let name = self.name(site, (who, "pid"), &[span]);
            self.push_breach(breach, (name, who, &binders), &body, span);
        }
    }

    /// The rules that say that a promise is broken as soon as it is made.
    fn void_promises(&mut self) {
        for (proc, promise) in Body::new(self.low, false).promises() {
            let span = promise.chan.span;
            let mut body = Body::new(self.low, false);
            let mut binders = Vec::new();
            let who = self.somebody(&mut body, proc, "pid", &mut binders);
            for breach in body.void(who, promise) {
                let what = self.low.model.text(span);
                let name = self.told((who, "pid"), span, &format!("{} {what}", promise.word()));
                self.push_breach(breach, (name, who, &binders), &body, span);
            }
        }
    }

    fn push_breach(
        &mut self,
        breach: Breach,
        (name, who, binders): (String, Who, &[Binder]),
        body: &Body<'_>,
        span: Span,
    ) {
        let Breach { guard, action } = breach;
        let (binders, by) = (binders.to_vec(), vec![who]);
        let step = Step { name, binders, by, guard, action, priority: USUAL, does: Vec::new() };
        self.push(step, body, span);
    }

    /// A process that has the exclusive right to move and cannot, loses it.
    fn lose_control(&mut self) {
        let Some((exclusive, ty)) = self.low.shapes.exclusive else { return };
        let span = Span::NOWHERE;
        let mut body = Body::new(self.low, false);
        let place = Place::global(exclusive, ty, span);
        let guard = not(Expr { kind: ExprKind::IsUndefined(Box::new(place.clone())), ty: TypeId::BOOL, span });
        let mut stmts = vec![forget(place)];
        body.reset_hidden(&mut stmts, span);
        let name = "» the process blocks inside its atomic sequence".to_owned();
        let (binders, by, does) = (Vec::new(), Vec::new(), Vec::new());
        let step = Step { name, binders, by, guard, action: stmts, priority: LOSE, does };
        self.push(step, &body, span);
    }

    /// What a rule is called: who does what, and where that is written. The number of the process is filled in when it is
    /// told.
    fn name(&self, site: Site, (who, parameter): (Who, &str), spans: &[Span]) -> String {
        let (_, action) = self.step_of(site);
        let what = match action.action {
            Action::Terminate => "-end-".to_owned(),
            _ => spans.iter().map(|&span| self.low.model.text(span)).collect::<Vec<_>>().join("; "),
        };
        self.told((who, parameter), action.span, &what)
    }

    fn told(&self, (who, parameter): (Who, &str), span: Span, what: &str) -> String {
        let proc = &self.low.program.procs[who.proc.index()].name;
        let number = match who.me {
            Me::Fixed(pid) => pid.to_string(),
            Me::Local(..) | Me::New(_) => format!("{{{parameter}}}"),
        };
        format!("» {proc}({number}) {}: {what}", self.low.model.line(span))
    }

    fn push(&mut self, step: Step, body: &Body<'_>, span: Span) {
        let Step { name, binders, by, guard, action, priority, does } = step;
        self.pieces.push(does);
        let owner = |who: Who| {
            let member = match who.me {
                Me::Local(local, _) => Some(local),
                Me::Fixed(_) | Me::New(_) => None,
            };
            Owner { global: body.processes(who.proc).global, member }
        };
        let owners = by.into_iter().map(owner).collect();
        let locals = body.locals.clone();
        self.rules.push(Rule { name, binders, locals, guard, action, priority, owners, span });
    }
}
