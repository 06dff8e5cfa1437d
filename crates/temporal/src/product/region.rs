//! A part of the product with all its steps stored: a component, or what is left of one.

use rustc_hash::FxHashMap;

use super::nodes::{Node, Product};
use crate::colours::{Colour, Palette};
use crate::frames::FrameId;
use crate::graph::{Quotient, Unit};
use crate::mutant::{self, Mutant};
use crate::scc::components;

/// A step inside a region. Nodes are places in the region.
#[derive(Clone, Debug)]
pub(crate) struct RegionStep {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) renaming: FrameId,
    /// The colours it sees, in the names of its source; of strongly fair units those that take it.
    pub(crate) seen: Vec<Colour>,
    pub(crate) taken: Vec<Unit>,
    pub(crate) label: u32,
    pub(crate) turned: FrameId,
}

/// Nodes and all the steps between them.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub(crate) nodes: Vec<Node>,
    /// Ordered by source.
    pub(crate) steps: Vec<RegionStep>,
    /// Where the steps of each node begin; one more entry than nodes.
    first_step: Vec<usize>,
    /// For each node the strongly fair units that are enabled, as colours in its names.
    pub(crate) enabled: Vec<Vec<Colour>>,
    /// For each node generators of the permutations that fix it, if steps were left out for them.
    pub(crate) silent: Vec<Vec<FrameId>>,
}

impl Region {
    /// The part of the product that has these nodes.
    pub(crate) fn new<G: Quotient>(product: &mut Product<'_, G>, palette: &Palette<'_, G>, nodes: &[Node]) -> Self {
        let place: FxHashMap<Node, u32> = nodes.iter().enumerate().map(|(at, &node)| (node, at as u32)).collect();
        let mut region = Region {
            nodes: nodes.to_vec(),
            steps: Vec::new(),
            first_step: vec![0],
            enabled: Vec::new(),
            silent: Vec::new(),
        };
        for (from, &node) in nodes.iter().enumerate() {
            let enabled = enabled_colours(product, palette, node);
            let at_rest = |enabled: &[Colour]| palette.weak().filter(|colour| !enabled.contains(colour)).collect();
            let own: Vec<Colour> = at_rest(&enabled);
            let mut leaving = Vec::new();
            let first = region.steps.len();
            for step in product.steps(node) {
                let mut seen = step.colours.to_vec();
                if mutant::is(Mutant::EnabledAtTarget) {
                    let there: Vec<Colour> = at_rest(&enabled_colours(product, palette, step.target));
                    seen.extend(there);
                } else {
                    seen.extend_from_slice(&own);
                }
                seen.extend(step.taken.iter().filter_map(|&unit| palette.of_unit(unit)));
                seen.sort_unstable();
                seen.dedup();
                let Some(&to) = place.get(&step.target) else {
                    leaving.extend(step.taken.iter().filter_map(|&unit| palette.of_unit(unit)));
                    continue;
                };
                region.steps.push(RegionStep {
                    from: from as u32,
                    to,
                    renaming: step.renaming,
                    seen,
                    taken: step.taken,
                    label: step.label,
                    turned: step.turned,
                });
            }
            if mutant::is(Mutant::TakenOutside) {
                region.steps[first..].iter_mut().for_each(|step| step.seen.extend(&leaving));
            }
            region.first_step.push(region.steps.len());
            region.enabled.push(enabled.into_iter().filter(|colour| palette.strong().contains(colour)).collect());
            region.silent.push(product.silent_moves(node));
        }
        region
    }

    /// The steps of a node.
    pub(crate) fn steps_of(&self, node: u32) -> &[RegionStep] {
        &self.steps[self.first_step[node as usize]..self.first_step[node as usize + 1]]
    }

    /// The place of the first of these steps.
    pub(crate) fn first_step(&self, node: u32) -> usize {
        self.first_step[node as usize]
    }

    /// The strongly connected parts in which a path can stay, of what is left with these nodes.
    pub(crate) fn parts(&self, keep: &[bool]) -> Vec<Region> {
        let roots: Vec<u32> = (0..self.nodes.len() as u32).filter(|&node| keep[node as usize]).collect();
        let graph = |node: u32, out: &mut Vec<u32>| {
            out.extend(self.steps_of(node).iter().map(|step| step.to).filter(|&to| keep[to as usize]));
        };
        let parts = components(&roots, graph).into_iter().filter(|component| component.has_cycle);
        parts.map(|component| self.restricted(component.nodes)).collect()
    }

    fn restricted(&self, mut kept: Vec<u32>) -> Region {
        kept.sort_unstable();
        let mut place = vec![None; self.nodes.len()];
        for (at, &node) in kept.iter().enumerate() {
            place[node as usize] = Some(at as u32);
        }
        let mut steps = Vec::new();
        let mut first_step = vec![0];
        for (from, &node) in kept.iter().enumerate() {
            let inside = self.steps_of(node).iter().filter_map(|step| {
                Some(RegionStep { from: from as u32, to: place[step.to as usize]?, ..step.clone() })
            });
            steps.extend(inside);
            first_step.push(steps.len());
        }
        Region {
            nodes: kept.iter().map(|&node| self.nodes[node as usize]).collect(),
            steps,
            first_step,
            enabled: kept.iter().map(|&node| self.enabled[node as usize].clone()).collect(),
            silent: kept.iter().map(|&node| self.silent[node as usize].clone()).collect(),
        }
    }
}

/// The colours of the units that are enabled in a node's state and to which executions are fair.
fn enabled_colours<G: Quotient>(product: &Product<'_, G>, palette: &Palette<'_, G>, node: Node) -> Vec<Colour> {
    let mut units = Vec::new();
    product.graph.enabled(product.state(node), &mut units);
    units.into_iter().filter_map(|unit| palette.of_unit(unit)).collect()
}
