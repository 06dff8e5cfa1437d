//! The check on a stored graph, by strongly connected components.

use super::accept::accepting_part;
use super::lasso::{Lasso, LassoStep, extract, stem};
use super::nodes::{Node, Product, ProductStart};
use super::region::{Places, Region};
use crate::automaton::Kind;
use crate::colours::Palette;
use crate::graph::{Fairness, Point, Quotient, State};
use crate::observer::Observer;
use crate::scc::for_each_component;

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
    let mut exploration = Exploration::new(graph, observer);
    Outcome { n_nodes: exploration.n_nodes(), finding: exploration.find(fairness) }
}

/// The product of a stored graph with an observer, with its components, for questions that differ in fairness alone.
pub struct Exploration<'a, G> {
    product: Product<'a, G>,
    starts: Vec<ProductStart>,
    /// The components in which a path can stay, each ascending.
    components: Vec<Vec<Node>>,
    places: Places,
}

impl<'a, G: Quotient> Exploration<'a, G> {
    /// Explores the whole product.
    pub fn new(graph: &'a G, observer: &'a Observer) -> Self {
        let mut product = Product::new(graph, observer);
        let starts = product.starts();
        let roots: Vec<Node> = starts.iter().map(|start| start.node).collect();
        let components = cyclic_components(&mut product, &roots);
        Exploration { product, starts, components, places: Places::default() }
    }

    /// The number of nodes of the product.
    pub fn n_nodes(&self) -> usize {
        self.product.n_nodes()
    }

    /// Whether some fair execution is accepted.
    pub fn is_accepting(&mut self, fairness: &Fairness) -> bool {
        let Self { product, components, places, .. } = self;
        let mut palette = Palette::new(product.graph, product.observer, fairness);
        components.iter().any(|nodes| {
            let region = places.claim(nodes.clone());
            accepting_part(region, places, &mut palette, product).is_some()
        })
    }

    /// A fair execution that the observer accepts, if there is one: a prefix if that is enough.
    pub fn find(&mut self, fairness: &Fairness) -> Option<Finding> {
        let (mut palette, regions) = self.accepting(fairness);
        if regions.is_empty() {
            return None;
        }
        let prefix = prefix(&mut self.product, &self.starts).map(Finding::Prefix);
        prefix.or_else(|| Some(Finding::Lasso(self.nearest(&mut palette, &regions))))
    }

    /// A fair execution that the observer accepts, if there is one, with its loop.
    pub fn find_lasso(&mut self, fairness: &Fairness) -> Option<Lasso> {
        let (mut palette, regions) = self.accepting(fairness);
        (!regions.is_empty()).then(|| self.nearest(&mut palette, &regions))
    }

    /// The parts of components in which a fair accepted execution can stay.
    fn accepting(&mut self, fairness: &Fairness) -> (Palette<'a, G>, Vec<Region>) {
        let Self { product, components, places, .. } = self;
        let mut palette = Palette::new(product.graph, product.observer, fairness);
        let part = |nodes: &Vec<Node>| {
            let region = places.claim(nodes.clone());
            accepting_part(region, places, &mut palette, product)
        };
        let regions = components.iter().filter_map(part).collect();
        (palette, regions)
    }

    fn nearest(&mut self, palette: &mut Palette<'a, G>, regions: &[Region]) -> Lasso {
        nearest_lasso(&mut self.product, palette, &self.starts, (regions, &self.places))
    }
}

fn nearest_lasso<G: Quotient>(
    product: &mut Product<'_, G>,
    palette: &mut Palette<'_, G>,
    starts: &[ProductStart],
    (regions, places): (&[Region], &Places),
) -> Lasso {
    let mut region_of = vec![None; product.n_nodes()];
    for region in regions {
        region.nodes.iter().for_each(|&node| region_of[node as usize] = Some(region));
    }
    let entry = stem(product, starts, |_| true, |_, node| region_of[node as usize].is_some());
    let entry = entry.expect("a component is reachable");
    let region = region_of[entry.node as usize].expect("one of them has the node");
    extract(product, palette, entry, (region, places))
}

/// A prefix, if the observer is decided by prefixes.
///
/// SOUND: the caller has found an accepting component, but perhaps not after the shortest prefix; the prefix is given only
/// if from its end a component with a cycle can be reached, that is, if it can go on at all.
fn prefix<G: Quotient>(product: &mut Product<'_, G>, starts: &[ProductStart]) -> Option<Prefix> {
    let observer = product.observer;
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
    let mut states: Vec<State> = (0..product.n_nodes() as Node).map(|node| product.state(node)).collect();
    states.sort_unstable();
    states.dedup();
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
        |nodes, has_cycle| {
            if has_cycle {
                let mut nodes = nodes.to_vec();
                nodes.sort_unstable();
                found.push(nodes);
            }
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
    let all = crate::scc::components(&roots, |node: Node, out: &mut Vec<Node>| product.targets(node, out));
    let mut good = vec![false; product.n_nodes()];
    let (mut places, mut targets) = (Places::default(), Vec::new());
    // Components come after all that they reach, so one look at the targets is enough.
    for component in all {
        targets.clear();
        component.nodes.iter().for_each(|&node| product.targets(node, &mut targets));
        let mut is_good = targets.iter().any(|&target| good[target as usize]);
        if !is_good && component.has_cycle {
            let mut nodes = component.nodes.clone();
            nodes.sort_unstable();
            let region = places.claim(nodes);
            is_good = accepting_part(region, &mut places, &mut palette, &mut product).is_some();
        }
        component.nodes.iter().for_each(|&node| good[node as usize] = is_good);
    }
    roots.iter().map(|&root| good[root as usize]).collect()
}
