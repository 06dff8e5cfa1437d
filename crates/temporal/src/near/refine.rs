//! Linear properties on guarded quotients, with as little told apart as the property needs.

use burnside_group::Partition;

use super::guarded::Guarded;
use super::unwound::{END, Side, Unwound, View};
use crate::graph::{Fairness, State};
use crate::observer::Observer;
use crate::product::{Finding, Lasso, LassoStep, check};

/// What a lazy check found.
#[derive(Clone, Debug)]
pub struct LazyOutcome {
    /// The states of an execution that the observer accepts and where its loop begins, if there is one.
    pub lasso: Option<(Vec<State>, usize)>,
    /// The partition that was needed.
    pub partition: Partition,
    /// The number of nodes told apart by it.
    pub n_nodes: usize,
    /// How often the partition was made finer.
    pub n_refinements: usize,
}

/// Looks for an execution that the observer accepts, for conditions that the group leaves invariant and without fairness.
///
/// SOUND: possible steps include all that the system does, and where some frame of a node ends, the node repeats; so if no
/// execution is accepted among them, none of the system is. A candidate is followed with all frames at once. If none is
/// left at some step, the guard of that step splits the frames of its node, so the partition becomes strictly finer; if
/// the frames last as many rounds as there are frames, one comes back, and the execution is one of the system.
pub fn check_lazily(quotient: &Guarded<'_>, observer: &Observer, holds: impl Fn(State, u32) -> bool) -> LazyOutcome {
    let mut partition = Partition::unit(quotient.system().degree());
    for n_refinements in 0.. {
        let graph = Unwound::new(quotient, partition.clone());
        let view = View { graph: &graph, side: Side::Possible, holds: &holds };
        let outcome = check(&view, observer, &Fairness::none());
        let n_nodes = graph.n_nodes();
        let lasso = match outcome.finding {
            None => return LazyOutcome { lasso: None, partition, n_nodes, n_refinements },
            Some(Finding::Lasso(lasso)) => lasso,
            Some(Finding::Prefix(prefix)) => continued(&graph, prefix.steps, prefix.end.0),
        };
        match follow(&graph, &lasso) {
            Ok(lasso) => return LazyOutcome { lasso: Some(lasso), partition, n_nodes, n_refinements },
            Err((node, label)) => partition = partition.meet(&graph.deciding_partition(node, label)),
        }
    }
    unreachable!("a partition is finer only finitely often")
}

/// A prefix, continued by first steps until a node repeats.
fn continued(graph: &Unwound<'_>, stem: Vec<LassoStep>, end: State) -> Lasso {
    let identity = burnside_group::Permutation::identity(graph.quotient.system().degree());
    let step = |state: State| {
        let label = graph.steps[state as usize].first().expect("ends repeat").label;
        LassoStep { state, frame: identity.clone(), label, instance: identity.clone(), taken: Vec::new() }
    };
    let mut nodes = vec![end];
    let first = loop {
        let next = graph.steps[nodes[nodes.len() - 1] as usize].first().expect("ends repeat").target;
        match nodes.iter().position(|&node| node == next) {
            Some(first) => break first,
            None => nodes.push(next),
        }
    };
    let mut stem = stem;
    stem.extend(nodes[..first].iter().map(|&node| step(node)));
    let cycle = nodes[first..].iter().map(|&node| step(node)).collect();
    Lasso { start: 0, stem, cycle, arguments: Vec::new(), rounds: 1 }
}

/// A way of frames along a lasso: the frames at each step so far.
struct Way {
    frame: usize,
    states: Vec<State>,
    /// The frames at the beginnings of rounds.
    rounds: Vec<(usize, usize)>,
}

/// The concrete execution of a lasso, or the step at which no frame is left.
fn follow(graph: &Unwound<'_>, lasso: &Lasso) -> Result<(Vec<State>, usize), (u32, u32)> {
    let system = graph.quotient.system();
    let first = lasso.stem.first().unwrap_or(&lasso.cycle[0]).state;
    let representative = graph.quotient.nodes()[graph.quotient_node(first) as usize];
    let mut ways: Vec<Way> = graph
        .frames(first as usize)
        .filter(|&frame| system.starts().contains(&system.image(frame, representative)))
        .map(|frame| Way { frame, states: Vec::new(), rounds: Vec::new() })
        .collect();
    for step in &lasso.stem {
        advance(graph, &mut ways, step)?;
    }
    loop {
        for way in &mut ways {
            if let Some(&(_, start)) = way.rounds.iter().find(|(frame, _)| *frame == way.frame) {
                return Ok((std::mem::take(&mut way.states), start));
            }
            way.rounds.push((way.frame, way.states.len()));
        }
        for step in &lasso.cycle {
            advance(graph, &mut ways, step)?;
        }
    }
}

/// Takes one step in every frame in which it is one of the system.
fn advance(graph: &Unwound<'_>, ways: &mut Vec<Way>, step: &LassoStep) -> Result<(), (u32, u32)> {
    let system = graph.quotient.system();
    let quotient_node = graph.quotient_node(step.state);
    let representative = graph.quotient.nodes()[quotient_node as usize];
    let taken =
        graph.steps[step.state as usize].iter().find(|own| own.label == step.label).expect("a step of the node");
    let ends = graph.quotient.ends(quotient_node);
    ways.retain_mut(|way| {
        let is_step = match step.label {
            END => ends[way.frame],
            label => graph.quotient.steps(quotient_node)[label as usize].guard[way.frame],
        };
        way.states.push(system.image(way.frame, representative));
        way.frame = system.then(taken.back, way.frame);
        is_step
    });
    if ways.is_empty() { Err((step.state, step.label)) } else { Ok(()) }
}
