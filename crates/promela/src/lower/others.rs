//! What one process can find out about another.

use burnside_diag::Span;
use burnside_ir::{Expr, ExprKind, TypeId};

use super::build::{Val, all, equal, int, not};
use super::exprs::{Body, Me, Who};
use super::numbers::choice;
use crate::typed::{self, ProcId};

impl Body<'_> {
    pub(super) fn priority_of(&mut self, who: Who, span: Span) -> Val {
        match self.processes(who.proc).priority {
            Some((field, _)) => Val::read(self.types(), self.field(who, field, span)),
            None => Val::constant(1, span),
        }
    }

    /// The number that SPIN gives to the place where a process stands.
    pub(super) fn spin_state(&mut self, who: Who, span: Span) -> Val {
        let mut places: Vec<(i64, i64)> = {
            let places = &self.processes(who.proc).places;
            places.iter().map(|(location, &place)| (place, i64::from(location.0))).collect()
        };
        places.sort_unstable();
        let hi = places.iter().map(|&(_, state)| state).max().unwrap_or(0);
        let mut expr = int(0, span);
        for (place, state) in places {
            let here = self.stands(who, place, span);
            let kind = ExprKind::Conditional(Box::new(here), Box::new(int(state, span)), Box::new(expr));
            expr = Expr { kind, ty: TypeId::INT, span };
        }
        Val { expr, lo: 0, hi }
    }

    /// Something about the process with a number; 0 if there is none.
    pub(super) fn of_process(&mut self, pid: &Val, span: Span, mut ask: impl FnMut(&mut Self, Who) -> Val) -> Val {
        let mut found = Val::constant(0, span);
        for index in 0..self.low.shapes.procs.len() {
            let Some(processes) = &self.low.shapes.procs[index] else { continue };
            for &number in &processes.pids {
                let there = Who { proc: ProcId(index as u32), me: Me::Fixed(number) };
                let is_it = equal(self.types(), pid, &Val::constant(number, span));
                let alive = not(self.stands(there, 0, span));
                let value = ask(self, there).number(self.types());
                found = choice(self.types(), all([is_it, alive], span), value, found);
            }
        }
        found
    }

    /// Something about the process that `P[i]` names; without `i`, about the first of its type. 0 if there is none.
    pub(super) fn remote(
        &mut self,
        who: Option<Who>,
        proc: ProcId,
        pid: Option<&typed::Expr>,
        span: Span,
        mut ask: impl FnMut(&mut Self, Who) -> Val,
    ) -> Val {
        let Some(processes) = &self.low.shapes.procs[proc.index()] else { return Val::constant(0, span) };
        let pid = pid.map(|pid| self.value(who, pid).number(self.types()));
        let mut found = Val::constant(0, span);
        for &number in processes.pids.iter().rev() {
            let there = Who { proc, me: Me::Fixed(number) };
            let is_it = match &pid {
                Some(pid) => equal(self.types(), pid, &Val::constant(number, span)),
                None => Expr::boolean(true, span),
            };
            let alive = not(self.stands(there, 0, span));
            let value = ask(self, there);
            found = choice(self.types(), all([is_it, alive], span), value, found);
        }
        found
    }
}
