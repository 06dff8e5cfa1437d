//! Processes and channels coming and going.

use burnside_diag::Span;
use burnside_ir::{BinaryOp as Op, Domain, Expr, Place, Projection, StartState, Stmt, StmtKind, Type, TypeId};

use super::build::{Val, assign, binary, convert, element, equal, forget, int, not, part, stmt, when};
use super::channels::Case;
use super::exprs::{Body, Loc, Me, Who};
use super::paths::way_to_slot;
use super::shapes::{AT, Home};
use crate::typed::{ChanTypeId, Frame, InitValue, ProcId, Run, Scope, SlotInit};

/// Arrays up to this length are set element by element.
const MOST_UNROLLED: i64 = 16;

impl Body<'_> {
    /// How every execution begins.
    pub(super) fn start_state(mut self) -> StartState {
        let span = Span::NOWHERE;
        let mut out = Vec::new();
        self.nobody(&mut out);
        let low = self.low;
        self.first_values(None, &low.program.globals, (0, &[]), span, &mut out);
        for (pid, start) in (0..).zip(&low.program.starts) {
            let who = Who { proc: start.proc, me: Me::Fixed(pid) };
            self.make(who, (&[], i64::from(start.priority)), span, &mut out);
        }
        if let (Some(trace), Some(automaton)) = (&low.shapes.trace, &low.flow.trace) {
            let place = trace.places[&automaton.start];
            out.push(assign(Place::global(trace.global, trace.ty, span), Expr::constant(trace.ty, place, span)));
        }
        if let Some((last, ty)) = low.shapes.last {
            out.push(assign(Place::global(last, ty, span), Expr::constant(ty, 0, span)));
        }
        StartState { name: String::new(), binders: Vec::new(), locals: self.locals, action: out, span }
    }

    /// No process is there.
    fn nobody(&mut self, out: &mut Vec<Stmt>) {
        for (index, processes) in self.low.shapes.procs.iter().enumerate() {
            let Some(processes) = processes else { continue };
            for pid in self.all_pids(processes) {
                let who = Who { proc: ProcId(index as u32), me: Me::Fixed(pid) };
                let span = Span::NOWHERE;
                out.push(assign(self.field(who, AT, span), Expr::constant(processes.at, 0, span)));
            }
        }
        if let Some((count, ty)) = self.low.shapes.count {
            out.push(assign(Place::global(count, ty, Span::NOWHERE), Expr::constant(ty, 0, Span::NOWHERE)));
        }
        if let Some((count, ty)) = self.low.shapes.n_chans {
            out.push(assign(Place::global(count, ty, Span::NOWHERE), Expr::constant(ty, 0, Span::NOWHERE)));
        }
    }

    /// Every number for which there is a record.
    fn all_pids(&self, processes: &super::shapes::Processes) -> Vec<i64> {
        match processes.index {
            Some(ty) => {
                let shape = self.types().shape(ty);
                (shape.lo..=shape.hi).collect()
            }
            None => processes.pids.iter().copied().collect(),
        }
    }

    /// Starts a process; its number.
    pub(super) fn run(&mut self, who: Who, run: &Run, span: Span, out: &mut Vec<Stmt>) -> Val {
        let Some(processes) = &self.low.shapes.procs[run.proc.index()] else {
            out.push(stmt(StmtKind::Error("a process that nothing starts".to_owned()), span));
            return Val::constant(0, span);
        };
        let values: Vec<Val> = run.args.iter().map(|arg| self.value(Some(who), arg)).collect();
        let known = self.doing.and_then(|doing| self.low.created.runs.get(&doing));
        let known = known.filter(|pids| pids.len() == 1 && self.low.created.complete);
        let me = match known.and_then(|pids| pids.first()) {
            Some(&pid) => Me::Fixed(pid as i64),
            None => self.new_number(processes, span, out),
        };
        let there = Who { proc: run.proc, me };
        self.make(there, (&values, i64::from(run.priority)), span, out);
        self.pid(me, span)
    }

    /// The number of a process that is made next, if there is room for it.
    fn new_number(&mut self, processes: &super::shapes::Processes, span: Span, out: &mut Vec<Stmt>) -> Me {
        let next = self.next_pid(span);
        let local = self.local("new", TypeId::INT, span);
        let place = Place::local(local, TypeId::INT, span);
        out.push(assign(place.clone(), next.expr));
        let (lo, hi) = (*processes.pids.first().unwrap_or(&0), *processes.pids.last().unwrap_or(&0));
        let read = || Expr::read(place.clone());
        let beyond =
            super::build::any([binary(Op::Gt, read(), int(hi, span)), binary(Op::Lt, read(), int(lo, span))], span);
        let most = self.low.most_processes() + 1;
        let error = format!("more than {most} processes, the most that are allowed for");
        out.push(when(beyond, vec![stmt(StmtKind::Error(error), span)], Vec::new()));
        Me::New(local)
    }

    /// Brings a process into being.
    fn make(&mut self, who: Who, (args, priority): (&[Val], i64), span: Span, out: &mut Vec<Stmt>) {
        let low = self.low;
        let proc = &low.program.procs[who.proc.index()];
        let processes = self.processes(who.proc);
        let start = processes.places[&low.flow.procs[who.proc.index()].start];
        let after = binary(Op::Add, self.pid(who.me, span).number(self.types()).expr, int(1, span));
        let after = match who.me {
            Me::Fixed(pid) => int(pid + 1, span),
            Me::Local(..) | Me::New(_) => after,
        };
        out.push(assign(self.field(who, AT, span), Expr::constant(processes.at, start, span)));
        if let Some((field, ty)) = processes.priority {
            out.push(assign(self.field(who, field, span), Expr::constant(ty, priority, span)));
        }
        if let Some((field, _)) = processes.own_pid {
            out.push(assign(self.field(who, field, span), self.pid(who.me, span).expr));
        }
        if let Some((count, ty)) = low.shapes.count {
            out.push(assign(Place::global(count, ty, span), after));
        }
        self.first_values(Some(who), &proc.frame, (proc.n_params, args), span, out);
    }

    /// Gives the variables of a frame their first values.
    fn first_values(
        &mut self,
        who: Option<Who>,
        frame: &Frame,
        (n_params, args): (u32, &[Val]),
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let owner = who.map(|who| who.proc);
        for slot in 0..n_params {
            let scalar = frame.slots[slot as usize].scalar;
            let value = args.get(slot as usize).cloned().unwrap_or_else(|| Val::constant(0, span));
            self.set_slot(who, frame, slot, |body, cell| body.fit(value, cell, scalar), out);
        }
        for (index, var) in frame.vars.iter().enumerate().filter(|(_, var)| var.slot >= n_params) {
            let n_slots = var.stride * var.length.unwrap_or(1);
            let is_set = |slot: u32| frame.inits.iter().any(|init| init.slot == slot);
            if !(var.slot..var.slot + n_slots).all(is_set) {
                let scope = if who.is_some() { Scope::Local } else { Scope::Global };
                let id = crate::typed::VarId(index as u32);
                if let Loc::Stored(place) = self.reach(who, (scope, id), &[], var.span) {
                    self.zero(place, out);
                }
            }
        }
        for init in &frame.inits {
            match &init.value {
                InitValue::Expr(expr) => {
                    let scalar = frame.slots[init.slot as usize].scalar;
                    let value = self.value(who, expr);
                    self.set_slot(who, frame, init.slot, |body, cell| body.fit(value, cell, scalar), out);
                }
                InitValue::NewChan(kind) => {
                    let number = self.make_channel(owner, init, *kind, span, out);
                    let scalar = crate::typed::Scalar::Chan;
                    self.set_slot(who, frame, init.slot, |body, cell| body.fit(number, cell, scalar), out);
                }
            }
        }
    }

    fn set_slot(
        &mut self,
        who: Option<Who>,
        frame: &Frame,
        slot: u32,
        value: impl FnOnce(&Self, super::paths::Cell) -> Expr,
        out: &mut Vec<Stmt>,
    ) {
        let (steps, cell) = way_to_slot(self.low.program, who.map(|who| who.proc), frame, slot);
        let id = frame.slots[slot as usize].var;
        let scope = if who.is_some() { Scope::Local } else { Scope::Global };
        let span = frame.vars[id.index()].span;
        if let Loc::Stored(place) = self.reach(who, (scope, id), &steps, span) {
            let value = value(self, cell);
            out.push(assign(place, value));
        }
    }

    /// Makes a channel; its number.
    fn make_channel(
        &mut self,
        owner: Option<ProcId>,
        init: &SlotInit,
        kind: ChanTypeId,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Val {
        let low = self.low;
        let made = low.created.made.get(&(owner, init.slot));
        let known = made.filter(|made| made.len() == 1 && (low.created.complete || owner.is_none()));
        let known = known.and_then(|made| made.first()).map(|&index| index as i64 + 1);
        let number = match (known, low.shapes.n_chans) {
            (Some(number), None) => Val::constant(number, span),
            (known, Some((count, ty))) => {
                let place = Place::global(count, ty, span);
                out.push(self.no_more_channels(&place, span));
                let more = match known {
                    Some(number) => int(number, span),
                    None => binary(Op::Add, Expr::read(place.clone()), int(1, span)),
                };
                out.push(assign(place.clone(), more));
                let local = self.local("channel", TypeId::INT, span);
                let kept = Place::local(local, TypeId::INT, span);
                out.push(assign(kept.clone(), Expr::read(place)));
                match known {
                    Some(number) => Val::constant(number, span),
                    None => Val::within(Expr::read(kept), 1, low.created.chans.len() as i64),
                }
            }
            (None, None) => Val::constant(0, span),
        };
        if let Some(family) = low.shapes.family_of[kind.index()] {
            self.reset_channel(&low.shapes.families[family], &number, false, span, out);
        }
        number
    }

    fn no_more_channels(&self, count: &Place, span: Span) -> Stmt {
        let most = self.low.created.chans.len() as i64;
        let error = format!("more than {most} channels, the most that are allowed for");
        let full = binary(Op::Ge, Expr::read(count.clone()), int(most, span));
        when(full, vec![stmt(StmtKind::Error(error), span)], Vec::new())
    }

    /// Sets everything in a place to zero.
    pub(super) fn zero(&mut self, place: Place, out: &mut Vec<Stmt>) {
        let types = self.types();
        let span = place.span;
        match types.get(place.ty) {
            Type::Record { fields } => {
                for field in 0..fields.len() as u32 {
                    self.zero(part(types, place.clone(), Projection::Field(field)), out);
                }
            }
            &Type::Array { index, .. } => {
                let shape = types.shape(index);
                if shape.hi < MOST_UNROLLED {
                    for at in shape.lo..=shape.hi {
                        self.zero(element(types, place.clone(), int(at, span)), out);
                    }
                    return;
                }
                let local = self.local("at", index, span);
                let here = Expr::read(Place::local(local, index, span));
                let mut body = Vec::new();
                self.zero(part(types, place, Projection::Index(Box::new(here))), &mut body);
                out.push(stmt(StmtKind::For { local, domain: Domain::Type(index), body }, span));
            }
            _ if types.shape(place.ty).admits(0) => {
                let ty = place.ty;
                out.push(assign(place, Expr::constant(ty, 0, span)));
            }
            _ => {}
        }
    }

    /// The end of a process, which only the youngest can reach.
    pub(super) fn terminate(&mut self, who: Who, span: Span) -> Vec<Case> {
        let low = self.low;
        let processes = self.processes(who.proc);
        let Some((count, ty)) = low.shapes.count else { return Vec::new() };
        let pid = self.pid(who.me, span).number(self.types());
        let next = match who.me {
            Me::Fixed(pid) => Val::constant(pid + 1, span),
            _ => Val::within(binary(Op::Add, pid.expr.clone(), int(1, span)), pid.lo + 1, pid.hi + 1),
        };
        let guard = equal(self.types(), &Val::read(self.types(), Place::global(count, ty, span)), &next);
        let mut stmts = vec![assign(Place::global(count, ty, span), pid.expr)];
        stmts.push(assign(self.field(who, AT, span), Expr::constant(processes.at, 0, span)));
        for home in &processes.vars {
            if let Home::Field(field) = home {
                stmts.push(forget(self.field(who, *field, span)));
            }
        }
        for (field, _) in processes.priority.into_iter().chain(processes.own_pid) {
            stmts.push(forget(self.field(who, field, span)));
        }
        self.unmake_channels(who, span, &mut stmts);
        vec![Case { guard, stmts }]
    }

    /// The channels of a process go with it: they are the youngest, too.
    fn unmake_channels(&mut self, who: Who, span: Span, out: &mut Vec<Stmt>) {
        let low = self.low;
        let frame = &low.program.procs[who.proc.index()].frame;
        for init in frame.inits.iter().rev() {
            let InitValue::NewChan(kind) = &init.value else { continue };
            let made = low.created.made.get(&(Some(who.proc), init.slot));
            let known = made.filter(|made| made.len() == 1 && low.created.complete).and_then(|made| made.first());
            let number = match (known, low.shapes.n_chans) {
                (Some(&index), _) => Val::constant(index as i64 + 1, span),
                (None, Some((count, ty))) => Val::read(self.types(), Place::global(count, ty, span)),
                (None, None) => continue,
            };
            if let Some(family) = low.shapes.family_of[kind.index()] {
                self.reset_channel(&low.shapes.families[family], &number, true, span, out);
            }
            if let Some((count, ty)) = low.shapes.n_chans {
                let place = Place::global(count, ty, span);
                let fewer = binary(Op::Sub, Expr::read(place.clone()), int(1, span));
                out.push(assign(place, fewer));
            }
        }
    }

    /// Gives the process with a number another priority.
    pub(super) fn set_priority(&mut self, pid: &Val, priority: &Val, span: Span, out: &mut Vec<Stmt>) {
        let wrong = not(super::build::all(
            [
                binary(Op::Ge, priority.expr.clone(), int(1, span)),
                binary(Op::Le, priority.expr.clone(), int(255, span)),
            ],
            span,
        ));
        let error = StmtKind::Error("a priority is from 1 to 255".to_owned());
        out.push(when(wrong, vec![stmt(error, span)], Vec::new()));
        for (index, processes) in self.low.shapes.procs.iter().enumerate() {
            let Some(processes) = processes else { continue };
            let Some((field, ty)) = processes.priority else { continue };
            for &number in &processes.pids {
                let there = Who { proc: ProcId(index as u32), me: Me::Fixed(number) };
                let is_it = equal(self.types(), pid, &Val::constant(number, span));
                let alive = not(self.stands(there, 0, span));
                let value = convert(self.types(), priority.expr.clone(), ty);
                let set = assign(self.field(there, field, span), value);
                out.push(when(super::build::all([is_it, alive], span), vec![set], Vec::new()));
            }
        }
    }
}
