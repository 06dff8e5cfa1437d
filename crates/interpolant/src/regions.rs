//! The search through instances of rules with large parameters.
//!
// SOUND: an instance that is not fired lies in an area that `generalise` gave back for one that was: with the facts for
// that, which hold here, it is not enabled, or takes the same way without a fault, to a state in which all facts of a
// finished explanation hold. So it is covered by that explanation like any other state that is met.

use std::ops::ControlFlow;

use burnside_engine::Breach;
use burnside_interp::{Fault, Outcome, Site};
use burnside_ir::RuleId;

use crate::explain::{Edge, Example, Target, generalise};
use crate::facts::{MOST_FACTS, reduce};
use crate::search::{Finished, Halt, Met, Search};
use crate::wide::{Family, Settled, Wide};

/// What an enabled instance did: a state, nothing if it was cut off, or a fault.
type Fired = Result<Option<Vec<i64>>, (Site, Box<Fault>)>;

impl Search<'_> {
    /// Visits the instances of all rules without large parameters.
    pub(crate) fn narrow_successors(
        &mut self,
        values: &[i64],
        visit: &mut impl FnMut(RuleId, &[i64], Outcome<'_>) -> ControlFlow<()>,
    ) {
        let model = self.task().model;
        let mut is_over = false;
        for (at, rule) in model.rules.iter().enumerate() {
            let id = RuleId(at as u32);
            if is_over || self.setup.wide.contains(id) {
                continue;
            }
            let params = rule.binders.iter().filter(|it| matches!(it, burnside_ir::Binder::Param { .. })).count();
            self.interpreter.fire_matching(values, id, &vec![None; params], |args, outcome| {
                let flow = visit(id, args, outcome);
                is_over |= flow.is_break();
                flow
            });
        }
    }

    /// Goes on with the instances of rules with large parameters; whether a new state was entered.
    pub(crate) fn by_interval(&mut self, node: u32) -> Result<bool, Halt> {
        let Some(mut wide) = self.frames.last_mut().and_then(|frame| frame.wide.take()) else { return Ok(false) };
        let mut state = vec![0; self.task().layout.slots().len()];
        self.task().layout.unpack(&self.nodes[node as usize].state, &mut state);
        if let Some((family, point, child)) = wide.awaited.take() {
            let target = Target::Node { node: child, moves: true };
            self.settle_family(
                node,
                &mut wide,
                Example { state: &state, family: &family, point: &point, target: Some(&target) },
            );
        }
        while let Some(family) = wide.todo.pop() {
            self.publish()?;
            let (point, fired) = self.try_corners(&state, &family);
            let Some(fired) = fired else {
                self.settle_family(
                    node,
                    &mut wide,
                    Example { state: &state, family: &family, point: &point, target: None },
                );
                continue;
            };
            let args = family.instance(&point);
            self.counts.rules_fired += 1;
            self.fired[family.rule.index()] += 1;
            let stays = matches!(&fired, Ok(values) if values.as_ref().is_none_or(|values| *values == state));
            wide.leads_on |= self.task().deadlocks().is_way_on(stays);
            let target = match fired {
                Err((site, fault)) => {
                    return Err(self.found(Breach::Fault(fault), Some((family.rule, args.into(), site))));
                }
                Ok(None) => Target::Nowhere,
                Ok(Some(values)) => {
                    let frame = self.frames.last_mut().expect("the state is on the stack");
                    frame.taken = Some((family.rule, args));
                    match self.meet(&values)? {
                        Met::New(child) => {
                            wide.awaited = Some((family, point, child));
                            self.frames.last_mut().expect("the state is on the stack").wide = Some(wide);
                            self.enter(child, &values)?;
                            return Ok(true);
                        }
                        Met::Old(target) => target,
                    }
                }
            };
            self.settle_family(
                node,
                &mut wide,
                Example { state: &state, family: &family, point: &point, target: Some(&target) },
            );
        }
        self.refuse_deadlock(&state, wide.leads_on)?;
        Ok(false)
    }

    /// Fires the instance with the least values; if that is not enabled, the one with the greatest. What an enabled one
    /// tells about others often holds for those that are not enabled, too.
    fn try_corners(&mut self, state: &[i64], family: &Family) -> (Vec<i64>, Option<Fired>) {
        let [least, most] = family.corners();
        let fired = self.fire_one(state, family, &least);
        if fired.is_none() && least != most {
            let fired = self.fire_one(state, family, &most);
            if fired.is_some() {
                return (most, fired);
            }
        }
        (least, fired)
    }

    fn fire_one(&mut self, state: &[i64], family: &Family, point: &[i64]) -> Option<Fired> {
        self.interpreter.fire(state, family.rule, &family.instance(point), |outcome| match outcome {
            Outcome::Next(values) => Ok(Some(values.to_vec())),
            Outcome::Pruned => Ok(None),
            Outcome::Fault(site, fault) => Err((site, fault)),
        })
    }

    /// Notes what is known of an instance, and of others for the same reason; what is left is still to be done.
    fn settle_family(&mut self, node: u32, wide: &mut Wide, example: Example<'_>) {
        let target = example.target.map(|target| self.settle(node, target.clone()));
        let example = Example { target: target.as_ref(), ..example };
        let (family, point) = (example.family, example.point);
        let generalised = generalise(self.setup, &mut self.terms, example, &Finished(&self.nodes));
        let entry = &mut self.nodes[node as usize];
        let area = match generalised {
            Ok((area, settled)) => {
                note(&mut entry.settled, settled);
                if entry.settled.facts.len() > MOST_FACTS {
                    entry.settled.facts = reduce(&self.terms, std::mem::take(&mut entry.settled.facts));
                    entry.settled.is_lost |= entry.settled.facts.len() > MOST_FACTS;
                }
                if entry.settled.is_lost {
                    entry.settled.facts.clear();
                }
                area
            }
            Err(_) => {
                match example.target.cloned() {
                    Some(target) => {
                        let args = family.instance(point);
                        entry.edges.push(Edge { rule: family.rule, args, target });
                        self.bytes += size_of::<Edge>() as u64 + 32;
                    }
                    None => entry.settled.is_lost = true,
                }
                point.iter().map(|&value| (value, value)).collect()
            }
        };
        wide.todo.extend(family.without(&area));
    }
}

fn note(settled: &mut Settled, more: Settled) {
    settled.facts.extend(more.facts);
    if let Some(witness) = more.witness
        && settled.witness.as_ref().is_none_or(|best| witness.len() < best.len())
    {
        settled.witness = Some(witness);
    }
}
