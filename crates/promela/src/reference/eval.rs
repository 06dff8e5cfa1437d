//! Expressions.

use super::explore::Explorer;
use super::state::State;
use super::{Fault, Stop};
use crate::ast::BinaryOp;
use crate::eval;
use crate::typed::{Builtin, Expr, ExprKind, Place, ProcId, Scope, Target};

/// Who evaluates, and when.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    /// The process, by index.
    pub(super) me: usize,
    /// Whether nothing else can happen in the whole system.
    pub(super) timeout: bool,
}

impl Explorer<'_> {
    /// The value of an expression; `run` changes the state.
    pub(super) fn eval(&mut self, state: &mut State, context: Context, expr: &Expr) -> Result<i32, Stop> {
        Ok(match &expr.kind {
            ExprKind::Const(value) => *value,
            ExprKind::Read(place) => {
                let slot = self.slot(state, context, place)?;
                self.frame(state, context, place.scope)[slot]
            }
            ExprKind::Builtin(builtin) => match builtin {
                Builtin::Pid => state.procs[context.me].pid,
                Builtin::NrPr => state.procs.len() as i32,
                Builtin::Last => i32::from(state.last),
                Builtin::Priority => i32::from(state.procs[context.me].priority),
            },
            ExprKind::Unary(operator, inner) => eval::unary(*operator, self.eval(state, context, inner)?),
            ExprKind::Binary(operator, left, right) => {
                let left = self.eval(state, context, left)?;
                match operator {
                    BinaryOp::And if left == 0 => return Ok(0),
                    BinaryOp::Or if left != 0 => return Ok(1),
                    _ => {}
                }
                let right = self.eval(state, context, right)?;
                eval::binary(*operator, left, right).ok_or(Stop::DivisionByZero)?
            }
            ExprKind::Conditional(condition, yes, no) => {
                let branch = if self.eval(state, context, condition)? != 0 { yes } else { no };
                self.eval(state, context, branch)?
            }
            ExprKind::Run(run) => {
                let mut args = Vec::with_capacity(run.args.len());
                for arg in &run.args {
                    args.push(self.eval(state, context, arg)?);
                }
                self.start(state, run.proc, &args, run.priority)?
            }
            ExprKind::Chan(operator, place) => self.ask_channel(state, context, *operator, place)?,
            ExprKind::Poll { chan, pattern, random } => i32::from(self.poll(state, context, chan, pattern, *random)?),
            ExprKind::Timeout => i32::from(context.timeout),
            // Only claims may ask, and no claim is executed here.
            ExprKind::NonProgress => 0,
            ExprKind::Enabled(pid) => {
                let pid = self.eval(state, context, pid)?;
                match usize::try_from(pid) {
                    Ok(index) if index < state.procs.len() => i32::from(self.enabled(state, index)?),
                    _ => 0,
                }
            }
            ExprKind::PcValue(pid) => {
                let pid = self.eval(state, context, pid)?;
                usize::try_from(pid)
                    .ok()
                    .and_then(|index| state.procs.get(index))
                    .map_or(0, |process| process.at.0 as i32)
            }
            ExprKind::GetPriority(pid) => {
                let pid = self.eval(state, context, pid)?;
                let process = usize::try_from(pid).ok().and_then(|index| state.procs.get(index));
                process.map_or(0, |process| i32::from(process.priority))
            }
            ExprKind::RemoteLabel { proc, pid, label } => {
                let at = self.remote(state, context, *proc, pid.as_deref())?.map(|index| state.procs[index].at);
                i32::from(at == Some(self.model.flow.procs[proc.index()].label(*label)))
            }
            ExprKind::RemoteVar { proc, pid, place } => {
                let index = self.remote(state, context, *proc, pid.as_deref())?;
                let slot = self.slot(state, context, place)?;
                index.and_then(|index| state.procs[index].locals.get(slot).copied()).unwrap_or(0)
            }
        })
    }

    /// The process that `P[i]` names; without `i`, the first of its type. The type of process `i` is not looked at.
    fn remote(
        &mut self,
        state: &mut State,
        context: Context,
        proc: ProcId,
        pid: Option<&Expr>,
    ) -> Result<Option<usize>, Stop> {
        Ok(match pid {
            Some(pid) => {
                let pid = self.eval(state, context, pid)?;
                usize::try_from(pid).ok().filter(|&index| index < state.procs.len())
            }
            None => state.procs.iter().position(|process| process.proc == proc),
        })
    }

    fn frame<'s>(&self, state: &'s State, context: Context, scope: Scope) -> &'s [i32] {
        match scope {
            Scope::Global => &state.globals,
            Scope::Local => &state.procs[context.me].locals,
        }
    }

    /// The slot of a place; an index out of range is a fault and counts as 0.
    pub(super) fn slot(&mut self, state: &mut State, context: Context, place: &Place) -> Result<usize, Stop> {
        let mut slot = place.slot as usize;
        for index in &place.indices {
            let value = self.eval(state, context, &index.expr)?;
            match usize::try_from(value) {
                Ok(value) if value < index.length as usize => slot += value * index.stride as usize,
                _ => self.fault(Fault::ArrayIndex),
            }
        }
        Ok(slot)
    }

    /// Gives a value to a target.
    pub(super) fn store(
        &mut self,
        state: &mut State,
        context: Context,
        target: &Target,
        value: i32,
    ) -> Result<(), Stop> {
        match target {
            Target::Place(place) => {
                let slot = self.slot(state, context, place)?;
                let value = place.scalar.store(value);
                match place.scope {
                    Scope::Global => state.globals[slot] = value,
                    Scope::Local => state.procs[context.me].locals[slot] = value,
                }
            }
            Target::Discard => {}
            Target::Pid => state.procs[context.me].pid = value & 0xff,
            Target::Priority => state.procs[context.me].priority = value as u8,
        }
        Ok(())
    }
}
