//! Steps that go through states which are not stored (properties of kind [`Passing`](PropertyKind::Passing)).

use std::ops::ControlFlow;

use burnside_ir::{PropertyKind, RuleId};

use crate::{Condition, Fault, Interpreter, Outcome, Site, StepBuffer};

/// A rule instance on the way to a stored state, and the state it leads to, which is not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// The rule.
    pub rule: RuleId,
    /// Its parameters.
    pub args: Vec<i64>,
    /// The state in between.
    pub state: Vec<i64>,
}

/// The last rule instance of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fired {
    rule: RuleId,
    args: Vec<i64>,
    end: End,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    Next(Vec<i64>),
    Pruned,
    Fault(Site, Box<Fault>),
}

impl Interpreter<'_> {
    /// Whether a state satisfies the condition under which states are passed through. A condition that faults is not
    /// satisfied: the state is then stored and judged like any other.
    pub fn is_passing(&mut self, state: &[i64]) -> bool {
        self.satisfies(state, PropertyKind::Passing)
    }

    /// Whether a state lies inside a step if a rule led to it.
    pub fn is_inside(&mut self, state: &[i64]) -> bool {
        self.is_passing(state) && {
            let mut is_stuck = true;
            self.successors(state, |_, _, _| {
                is_stuck = false;
                ControlFlow::Break(())
            });
            !is_stuck
        }
    }

    /// Whether an execution may end in a state. A condition that faults is not satisfied.
    pub fn may_end(&mut self, state: &[i64]) -> bool {
        self.satisfies(state, PropertyKind::Ending)
    }

    fn satisfies(&mut self, state: &[i64], kind: PropertyKind) -> bool {
        let mut properties = self.model().properties_of(kind);
        properties.any(|property| self.condition(state, property) == Condition::Holds)
    }

    /// Visits every way to take one step, in order, until told to stop: the rule instances up to the last state in
    /// between (those of the first way there), the last rule instance with its outcome, and how many ways end like this.
    /// Nothing behind the first fault is visited.
    ///
    /// Ways that go round in circles never end. Where there are some, the others count once each, and all of them
    /// together count as one that is pruned.
    pub fn passages(
        &mut self,
        state: &[i64],
        mut visit: impl FnMut(&[Hop], (RuleId, &[i64]), Outcome<'_>, u64) -> ControlFlow<()>,
    ) {
        if self.model().properties_of(PropertyKind::Passing).next().is_none() {
            return self.successors(state, |rule, args, outcome| visit(&[], (rule, args), outcome, 1));
        }
        let region = Region::new(self, state);
        let n_ways = region.count_ways();
        for (at, node) in region.nodes.iter().enumerate() {
            let way = region.way_to(at);
            for (fired, target) in node.fired.iter().zip(&node.targets) {
                if target.is_some_and(|target| !region.nodes[target].is_end()) {
                    continue;
                }
                let outcome = match &fired.end {
                    End::Next(state) => Outcome::Next(state),
                    End::Pruned => Outcome::Pruned,
                    End::Fault(site, fault) => Outcome::Fault(*site, fault.clone()),
                };
                let n_ways = n_ways.as_ref().map_or(1, |n_ways| n_ways[at]);
                if visit(&way, (fired.rule, &fired.args), outcome, n_ways).is_break() {
                    return;
                }
            }
        }
        if n_ways.is_none() && !region.has_fault() {
            let Fired { rule, args, .. } = &region.nodes[0].fired[0];
            let _ = visit(&[], (*rule, args), Outcome::Pruned, 1);
        }
    }

    /// The rule instances that fire in a state, up to the first fault.
    fn fired(&mut self, state: &[i64]) -> Vec<Fired> {
        let mut fired = Vec::new();
        self.successors(state, |rule, args, outcome| {
            let (end, flow) = match outcome {
                Outcome::Next(values) => (End::Next(values.to_vec()), ControlFlow::Continue(())),
                Outcome::Pruned => (End::Pruned, ControlFlow::Continue(())),
                Outcome::Fault(site, fault) => (End::Fault(site, fault), ControlFlow::Break(())),
            };
            fired.push(Fired { rule, args: args.to_vec(), end });
            flow
        });
        fired
    }
}

/// A state and all states in between that can be reached from it, in the order of their distance.
struct Region {
    nodes: Vec<Node>,
}

struct Node {
    state: Vec<i64>,
    /// Whether it was looked at: not if something faulted before.
    is_known: bool,
    /// The node before it on the first way that leads here, and the number of the rule instance.
    found: Option<(usize, usize)>,
    fired: Vec<Fired>,
    /// For each rule instance, the node it leads to, if it is one.
    targets: Vec<Option<usize>>,
}

impl Node {
    /// Whether no rule leads on.
    fn is_end(&self) -> bool {
        self.is_known && self.fired.is_empty()
    }
}

impl Region {
    fn new(interpreter: &mut Interpreter<'_>, state: &[i64]) -> Self {
        let node =
            |state: Vec<i64>, found| Node { state, is_known: false, found, fired: Vec::new(), targets: Vec::new() };
        let mut region = Self { nodes: vec![node(state.to_vec(), None)] };
        let mut at = 0;
        while at < region.nodes.len() && !region.has_fault() {
            let fired = interpreter.fired(&region.nodes[at].state);
            for (number, fired) in fired.iter().enumerate() {
                let mut target = None;
                if let End::Next(state) = &fired.end
                    && interpreter.is_passing(state)
                {
                    let known = region.nodes.iter().skip(1).position(|node| node.state == *state);
                    target = Some(known.map_or(region.nodes.len(), |position| position + 1));
                    if known.is_none() {
                        region.nodes.push(node(state.clone(), Some((at, number))));
                    }
                }
                region.nodes[at].targets.push(target);
            }
            region.nodes[at].fired = fired;
            region.nodes[at].is_known = true;
            at += 1;
        }
        region
    }

    /// Whether the last rule instance looked at faulted.
    fn has_fault(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.fired.last(), Some(Fired { end: End::Fault(..), .. })))
    }

    /// The number of ways to each node, unless some go round in circles.
    fn count_ways(&self) -> Option<Vec<u64>> {
        let mut n_open = vec![0_usize; self.nodes.len()];
        self.nodes.iter().flat_map(|node| &node.targets).flatten().for_each(|&target| n_open[target] += 1);
        let mut n_ways = vec![0_u64; self.nodes.len()];
        n_ways[0] = 1;
        let mut done = vec![0];
        let mut next = 0;
        while let Some(&at) = done.get(next) {
            for &target in self.nodes[at].targets.iter().flatten() {
                n_ways[target] = n_ways[target].saturating_add(n_ways[at]).min(StepBuffer::MOST_WEIGHT);
                n_open[target] -= 1;
                if n_open[target] == 0 {
                    done.push(target);
                }
            }
            next += 1;
        }
        (done.len() == self.nodes.len()).then_some(n_ways)
    }

    fn way_to(&self, at: usize) -> Vec<Hop> {
        let mut way = Vec::new();
        let mut node = &self.nodes[at];
        while let Some((from, number)) = node.found {
            let Fired { rule, args, .. } = &self.nodes[from].fired[number];
            way.push(Hop { rule: *rule, args: args.clone(), state: node.state.clone() });
            node = &self.nodes[from];
        }
        way.reverse();
        way
    }
}

#[cfg(test)]
mod tests {
    use burnside_ir::Layout;

    use super::*;
    use crate::Limits;

    /// Counts to 3 by way of 1 and 2, which are passed through, in two ways; at 2 one may also fall off to 5.
    const MODEL: &str = r#"(model
        (type t2 (range 0 5))
        (global g0 "x" t2)
        (start i0 "init" (do (assign g0 0)))
        (rule r0 "up" (guard (< g0 3)) (do (assign g0 (convert:t2 (+ g0 1)))))
        (rule r1 "climb" (guard (= g0 0)) (do (assign g0 2)))
        (rule r2 "fall" (guard (= g0 2)) (do (assign g0 5)))
        (property p0 "inside" passing (condition (or (= g0 1) (or (= g0 2) (= g0 5)))))
        (property p1 "end" ending (condition (= g0 5))))"#;

    #[test]
    fn a_step_ends_where_a_state_is_stored() {
        let model = burnside_ir::text::parse(MODEL).unwrap_or_else(|problem| panic!("{problem:?}"));
        let layout = Layout::new(&model).expect("it has a layout");
        let mut interpreter = Interpreter::new(&model, &layout, Limits::default());
        let mut seen = Vec::new();
        interpreter.passages(&[0], |way, (rule, _), outcome, n_ways| {
            let between: Vec<i64> = way.iter().map(|hop| hop.state[0]).collect();
            let end = match outcome {
                Outcome::Next(state) => Some(state[0]),
                _ => None,
            };
            seen.push((between, rule.0, end, n_ways));
            ControlFlow::Continue(())
        });
        // 5 is passed through as well, but nothing is enabled there.
        let expected = [(vec![2], 0, Some(3), 2), (vec![2], 2, Some(5), 2)];
        assert_eq!(seen, expected);
        assert!(interpreter.is_inside(&[2]) && !interpreter.is_inside(&[5]) && !interpreter.is_inside(&[0]));
        assert!(interpreter.may_end(&[5]) && !interpreter.may_end(&[3]));
    }

    #[test]
    fn circles_count_as_one_pruned_way() {
        let text = MODEL.replace("(assign g0 2)", "(assign g0 1)").replace("(= g0 0)) (do", "(= g0 2)) (do");
        let model = burnside_ir::text::parse(&text).unwrap_or_else(|problem| panic!("{problem:?}"));
        let layout = Layout::new(&model).expect("it has a layout");
        let mut seen = Vec::new();
        Interpreter::new(&model, &layout, Limits::default()).passages(&[0], |way, (rule, _), outcome, n_ways| {
            seen.push((way.len(), rule.0, matches!(outcome, Outcome::Pruned), n_ways));
            ControlFlow::Continue(())
        });
        assert_eq!(seen, [(2, 0, false, 1), (2, 2, false, 1), (0, 0, true, 1)]);
    }
}
