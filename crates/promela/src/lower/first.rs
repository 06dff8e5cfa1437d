//! The first step of a model whose `init` makes all processes at once.
//!
//! It happens once, in one state, so it is carried out here and written down as its outcome. Written as it stands in the
//! text it would tell processes apart that are alike from then on: what is the same for all of them, or follows from their
//! numbers, is written as a loop over them.

use burnside_diag::Span;
use burnside_ir::{
    BinaryOp as Op, Domain, Expr, ExprKind, LocalId, Place, Projection, Rule, Stmt, StmtKind, Type, TypeId,
};

use super::Lowering;
use super::build::{Val, assign, binary, convert, element, int, part, stmt};
use super::exprs::{Body, Loc, Me, Who};
use super::paths::way_to_slot;
use super::shapes::{AT, Family, LENGTH, MESSAGES};
use crate::flow::Location;
use crate::reference::{Channel, First, Process};
use crate::typed::{Frame, ProcId, Scope};

/// Whether a place is where the first step begins.
pub(super) fn is_first(low: &Lowering<'_>, proc: ProcId, at: Location) -> bool {
    low.created.first.as_ref().is_some_and(|first| {
        let process = &first.before.procs[0];
        process.proc == proc && process.at == at
    })
}

/// The rule of the first step.
pub(super) fn rule(low: &Lowering<'_>) -> Option<Rule> {
    let first = low.created.first.as_ref()?;
    let process = &first.before.procs[0];
    let span = low.flow.procs[process.proc.index()].nodes[process.at.index()].span;
    let mut body = Body::new(low, false);
    let who = Who { proc: process.proc, me: Me::Fixed(0) };
    let start = body.processes(who.proc).places[&process.at];
    let guard = body.stands(who, start, span);
    let mut action = Vec::new();
    body.outcome(first, span, &mut action);
    let proc = &low.program.procs[process.proc.index()].name;
    let name = format!("» {proc}(0) {}: {}", low.model.line(span), low.model.text(span));
    Some(Rule { name, binders: Vec::new(), locals: body.locals, guard, action, priority: 0, owners: Vec::new(), span })
}

/// A value for each member of a type.
type Row = Vec<(i64, i64)>;

impl Body<'_> {
    fn outcome(&mut self, first: &First, span: Span, out: &mut Vec<Stmt>) {
        let low = self.low;
        self.changed_globals(first, out);
        for (index, processes) in low.shapes.procs.iter().enumerate() {
            let Some(processes) = processes else { continue };
            let proc = ProcId(index as u32);
            let of_type = |(_, process): &(i64, &Process)| process.proc == proc;
            let there: Vec<(i64, &Process)> = (0..).zip(&first.after.procs).filter(of_type).collect();
            let all = processes.index.is_some_and(|ty| there.len() as u64 == self.types().shape(ty).cardinality());
            match processes.index.filter(|_| all) {
                Some(ty) => {
                    let local = self.local("each", ty, span);
                    let mut body = Vec::new();
                    self.made(Who { proc, me: Me::Local(local, ty) }, Some((local, ty)), &there, span, &mut body);
                    out.push(stmt(StmtKind::For { local, domain: Domain::Type(ty), body }, span));
                }
                None => {
                    for &(pid, process) in &there {
                        self.made(Who { proc, me: Me::Fixed(pid) }, None, &[(pid, process)], span, out);
                    }
                }
            }
        }
        for family in &low.shapes.families {
            self.changed_channels(first, family, span, out);
        }
        self.changed_counts(first, span, out);
    }

    fn changed_counts(&mut self, first: &First, span: Span, out: &mut Vec<Stmt>) {
        let shapes = &self.low.shapes;
        let mut set = |found: Option<(burnside_ir::GlobalId, TypeId)>, value: i64| {
            if let Some((global, ty)) = found {
                out.push(assign(Place::global(global, ty, span), Expr::constant(ty, value, span)));
            }
        };
        set(shapes.count, first.after.procs.len() as i64);
        set(shapes.n_chans, first.after.chans.len() as i64);
        set(shapes.last, i64::from(first.after.last));
        if let Some(trace) = &shapes.trace {
            set(Some((trace.global, trace.ty)), trace.places[&first.after.event]);
        }
    }

    /// The global variables that are otherwise than before. Of an array, all elements are set.
    fn changed_globals(&mut self, first: &First, out: &mut Vec<Stmt>) {
        let frame = &self.low.program.globals;
        for var in &frame.vars {
            let slots = var.slot..var.slot + var.stride * var.length.unwrap_or(1);
            let changed = |slot: u32| first.before.globals[slot as usize] != first.after.globals[slot as usize];
            if !slots.clone().any(changed) {
                continue;
            }
            let values: Vec<i64> = slots.clone().map(|slot| i64::from(first.after.globals[slot as usize])).collect();
            let id = frame.slots[var.slot as usize].var;
            let whole = self.reach(None, (Scope::Global, id), &[], var.span);
            match whole {
                Loc::Stored(place) if var.stride == 1 && var.length.is_some() => self.set_array(place, &values, out),
                _ => {
                    for slot in slots.filter(|&slot| changed(slot)) {
                        self.set_known(None, frame, slot, i64::from(first.after.globals[slot as usize]), out);
                    }
                }
            }
        }
    }

    /// Sets all elements of an array of scalars.
    fn set_array(&mut self, place: Place, values: &[i64], out: &mut Vec<Stmt>) {
        let span = place.span;
        let &Type::Array { index, element } = self.types().get(place.ty) else { return };
        let local = self.local("at", index, span);
        let row: Row = (0..).zip(values.iter().copied()).collect();
        let here = Expr::read(Place::local(local, index, span));
        let target = part(self.types(), place, Projection::Index(Box::new(here)));
        let value = self.function_of(Some((local, index)), &row, element, span);
        let body = vec![assign(target, value)];
        out.push(stmt(StmtKind::For { local, domain: Domain::Type(index), body }, span));
    }

    fn set_known(&mut self, who: Option<Who>, frame: &Frame, slot: u32, value: i64, out: &mut Vec<Stmt>) {
        let (steps, _) = way_to_slot(self.low.program, who.map(|who| who.proc), frame, slot);
        let id = frame.slots[slot as usize].var;
        let scope = if who.is_some() { Scope::Local } else { Scope::Global };
        let span = frame.vars[id.index()].span;
        if let Loc::Stored(place) = self.reach(who, (scope, id), &steps, span) {
            let ty = place.ty;
            out.push(assign(place, Expr::constant(ty, value, span)));
        }
    }

    /// The processes of a type as they are after the step; each of them, or all in a loop.
    fn made(
        &mut self,
        who: Who,
        each: Option<(LocalId, TypeId)>,
        there: &[(i64, &Process)],
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let low = self.low;
        let processes = self.processes(who.proc);
        let row =
            |value: &dyn Fn(&Process) -> i64| -> Row { there.iter().map(|(pid, it)| (*pid, value(it))).collect() };
        let at = row(&|process| processes.places[&process.at]);
        out.push(assign(self.field(who, AT, span), self.function_of(each, &at, processes.at, span)));
        if let Some((field, ty)) = processes.priority {
            let values = row(&|process| i64::from(process.priority));
            out.push(assign(self.field(who, field, span), self.function_of(each, &values, ty, span)));
        }
        if let Some((field, ty)) = processes.own_pid {
            let values = row(&|process| i64::from(process.pid));
            out.push(assign(self.field(who, field, span), self.function_of(each, &values, ty, span)));
        }
        let frame = &low.program.procs[who.proc.index()].frame;
        for slot in 0..frame.slots.len() as u32 {
            let (steps, _) = way_to_slot(low.program, Some(who.proc), frame, slot);
            let id = frame.slots[slot as usize].var;
            if let Loc::Stored(place) = self.reach(Some(who), (Scope::Local, id), &steps, frame.vars[id.index()].span) {
                let values = row(&|process| i64::from(process.locals[slot as usize]));
                let value = self.function_of(each, &values, place.ty, span);
                out.push(assign(place, value));
            }
        }
    }

    /// A value that depends on a member of a type.
    fn function_of(&self, each: Option<(LocalId, TypeId)>, row: &Row, ty: TypeId, span: Span) -> Expr {
        let (first_member, first_value) = row.first().copied().unwrap_or((0, 0));
        let Some((local, member_type)) = each.filter(|_| row.iter().any(|(_, value)| *value != first_value)) else {
            return Expr::constant(ty, first_value, span);
        };
        let member = Expr::read(Place::local(local, member_type, span));
        let distance = first_value - first_member;
        if row.iter().all(|(member, value)| value - member == distance) {
            let moved = if distance == 0 { member } else { binary(Op::Add, member, int(distance, span)) };
            return Expr { kind: ExprKind::Convert(Box::new(moved)), ty, span };
        }
        let (_, last) = row.last().copied().unwrap_or((0, 0));
        let mut expr = Expr::constant(ty, last, span);
        for &(number, value) in row.iter().rev().skip(1) {
            let here = binary(Op::Eq, member.clone(), Expr::constant(member_type, number, span));
            let value = Box::new(Expr::constant(ty, value, span));
            expr = Expr { kind: ExprKind::Conditional(Box::new(here), value, Box::new(expr)), ty, span };
        }
        expr
    }

    /// The channels of a family that are new or hold something else.
    fn changed_channels(&mut self, first: &First, family: &Family, span: Span, out: &mut Vec<Stmt>) {
        let Some(store) = family.store else { return };
        let low = self.low;
        let kind_of = |channel: &Channel| low.shapes.family_of[channel.ty.index()];
        let own = |channel: &Channel| kind_of(channel).is_some_and(|it| std::ptr::eq(&low.shapes.families[it], family));
        let mut changed: Vec<(i64, &Channel)> = Vec::new();
        for (index, channel) in first.after.chans.iter().enumerate().filter(|(_, channel)| own(channel)) {
            let same = first.before.chans.get(index).is_some_and(|before| before.messages == channel.messages);
            if !same {
                changed.push((index as i64 + 1, channel));
            }
        }
        let all = store.index.is_some_and(|ty| changed.len() as u64 == self.types().shape(ty).cardinality());
        let length = changed.first().map_or(0, |(_, channel)| channel.messages.len());
        let alike = changed.iter().all(|(_, channel)| channel.messages.len() == length);
        match store.index.filter(|_| all && alike) {
            Some(ty) => {
                let local = self.local("each", ty, span);
                let number = Val::read(self.types(), Place::local(local, ty, span));
                let mut body = Vec::new();
                self.filled(family, (&number, Some((local, ty))), &changed, span, &mut body);
                out.push(stmt(StmtKind::For { local, domain: Domain::Type(ty), body }, span));
            }
            None => {
                for &(number, channel) in &changed {
                    self.filled(family, (&Val::constant(number, span), None), &[(number, channel)], span, out);
                }
            }
        }
    }

    fn filled(
        &mut self,
        family: &Family,
        (number, each): (&Val, Option<(LocalId, TypeId)>),
        channels: &[(i64, &Channel)],
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let Some(store) = family.store else { return };
        self.reset_channel(family, number, false, span, out);
        let n_messages = channels.first().map_or(0, |(_, channel)| channel.messages.len());
        for at in 0..n_messages {
            for (field, &ty) in family.fields.iter().enumerate() {
                let row: Row =
                    channels.iter().map(|(number, it)| (*number, i64::from(it.messages[at][field]))).collect();
                let messages = part(self.types(), self.channel(store, number, span), Projection::Field(MESSAGES));
                let message = element(self.types(), messages, int(at as i64, span));
                let target = part(self.types(), message, Projection::Field(field as u32));
                out.push(assign(target, self.function_of(each, &row, ty, span)));
            }
        }
        if n_messages > 0 {
            let length = part(self.types(), self.channel(store, number, span), Projection::Field(LENGTH));
            let value = convert(self.types(), int(n_messages as i64, span), length.ty);
            out.push(assign(length, value));
        }
    }
}
