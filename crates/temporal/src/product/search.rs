//! The check on a stored graph, by strongly connected components.

use rustc_hash::FxHashSet;

use super::accept::accepting_part;
use super::lasso::{Lasso, LassoStep, extract, stem};
use super::nodes::{Node, Product, ProductStart};
use super::region::Region;
use crate::automaton::Kind;
use crate::colours::Palette;
use crate::graph::{Fairness, Point, Quotient, State};
use crate::observer::Observer;
use crate::scc::{components, for_each_component};

/// A finite execution after which every continuation is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The start of the graph that it begins with.
    pub start: usize,
    /// Its steps.
    pub steps: Vec<LassoStep>,
    /// The representative in which it ends, and the frame there.
    pub end: (State, burnside_group::Permutation),
    /// The concrete values of the outer variables.
    pub arguments: Vec<Point>,
}

/// An execution that the observer accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Whatever follows this prefix.
    Prefix(Prefix),
    /// This one.
    Lasso(Lasso),
}

/// What a check found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The number of nodes of the product that were met.
    pub n_nodes: usize,
    /// A fair execution that the observer accepts, if there is one.
    pub finding: Option<Finding>,
}

/// Looks for a fair execution that the observer accepts; stems are shortest.
///
/// A finite prefix is given instead of a lasso if what follows makes no difference and every state has a path from it:
/// weak and strong fairness to finitely many units can always be had later.
pub fn check<G: Quotient>(graph: &G, observer: &Observer, fairness: &Fairness) -> Outcome {
    let mut product = Product::new(graph, observer);
    let starts = product.starts();
    let roots: Vec<Node> = starts.iter().map(|start| start.node).collect();
    let mut palette = Palette::new(graph, observer, fairness);
    let components = cyclic_components(&mut product, &roots);
    let n_nodes = product.n_nodes();
    let regions: Vec<Region> = components
        .into_iter()
        .filter_map(|nodes| {
            let region = Region::new(&mut product, &palette, &nodes);
            accepting_part(region, &mut palette, &mut product.frames)
        })
        .collect();
    if regions.is_empty() {
        return Outcome { n_nodes, finding: None };
    }
    let finding = prefix(&mut product, &starts, observer)
        .map_or_else(|| Finding::Lasso(nearest_lasso(&mut product, &mut palette, &starts, &regions)), Finding::Prefix);
    Outcome { n_nodes, finding: Some(finding) }
}

fn nearest_lasso<G: Quotient>(
    product: &mut Product<'_, G>,
    palette: &mut Palette<'_, G>,
    starts: &[ProductStart],
    regions: &[Region],
) -> Lasso {
    let goals: FxHashSet<Node> = regions.iter().flat_map(|region| region.nodes.iter().copied()).collect();
    let entry = stem(product, starts, |_| true, |_, node| goals.contains(&node)).expect("a component is reachable");
    let region = regions.iter().find(|region| region.nodes.contains(&entry.node)).expect("one of them has the node");
    extract(product, palette, entry, region)
}

/// A prefix, if the observer is decided by prefixes.
///
/// SOUND: the caller has found an accepting component, but perhaps not after the shortest prefix; the prefix is given only
/// if from its end a component with a cycle can be reached, that is, if it can go on at all.
fn prefix<G: Quotient>(product: &mut Product<'_, G>, starts: &[ProductStart], observer: &Observer) -> Option<Prefix> {
    if observer.automaton().kind() != Kind::Terminal || product_has_cuts(product) {
        return None;
    }
    let is_goal = |product: &Product<'_, G>, node| observer.accepts_everything(product.observed(node));
    let entry = stem(product, starts, |_| true, is_goal)?;
    let frame = product.frames.get(entry.frame).clone();
    let arguments = product.arguments(entry.node, &frame);
    Some(Prefix { start: entry.start, steps: entry.steps, end: (product.state(entry.node), frame), arguments })
}

/// Whether some state of the product has no step at all: then fair continuations must be searched.
fn product_has_cuts<G: Quotient>(product: &Product<'_, G>) -> bool {
    let states: FxHashSet<State> = (0..product.n_nodes() as Node).map(|node| product.state(node)).collect();
    let mut states: Vec<State> = states.into_iter().collect();
    states.sort_unstable();
    states.into_iter().any(|state| {
        let mut n_steps = 0;
        product.graph.for_each_step(state, |_| n_steps += 1);
        n_steps == 0
    })
}

/// The components in which a path can stay, as sorted lists of nodes.
fn cyclic_components<G: Quotient>(product: &mut Product<'_, G>, roots: &[Node]) -> Vec<Vec<Node>> {
    let mut found = Vec::new();
    for_each_component(
        roots,
        |node: Node, out: &mut Vec<Node>| product.targets(node, out),
        |component| {
            if component.has_cycle {
                let mut nodes = component.nodes;
                nodes.sort_unstable();
                found.push(nodes);
            }
            true
        },
    );
    found
}

/// For each state and values of the outer variables, in their order: whether some fair path from there is accepted.
pub fn states_with_witness<G: Quotient>(
    graph: &G,
    observer: &Observer,
    fairness: &Fairness,
    places: &[(State, Box<[Point]>)],
) -> Vec<bool> {
    let mut product = Product::new(graph, observer);
    let roots: Vec<Node> =
        places.iter().map(|(state, arguments)| product.node_at(*state, observer.start(arguments))).collect();
    let mut palette = Palette::new(graph, observer, fairness);
    let all = components(&roots, |node: Node, out: &mut Vec<Node>| product.targets(node, out));
    let mut good = vec![false; product.n_nodes()];
    // Components come after all that they reach, so one look at the targets is enough.
    for component in all {
        let mut targets = Vec::new();
        component.nodes.iter().for_each(|&node| product.targets(node, &mut targets));
        let mut is_good = targets.iter().any(|&target| good[target as usize]);
        if !is_good && component.has_cycle {
            let region = Region::new(&mut product, &palette, &component.nodes);
            is_good = accepting_part(region, &mut palette, &mut product.frames).is_some();
        }
        component.nodes.iter().for_each(|&node| good[node as usize] = is_good);
    }
    roots.iter().map(|&root| good[root as usize]).collect()
}
