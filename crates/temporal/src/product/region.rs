//! Parts of the product in which a path can stay: components, or what is left of them.

use super::nodes::{Node, Product};
use crate::graph::Quotient;
use crate::scc::for_each_component;

/// A strongly connected set of nodes, with all the steps between them. Steps are not stored: the product gives them again.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// Ascending.
    pub(crate) nodes: Vec<Node>,
    id: u32,
}

/// A region that no node belongs to.
const NOWHERE: u32 = u32::MAX;

/// Which region each node belongs to, and its place there. A node that a later region claims is no longer in the earlier.
#[derive(Debug, Default)]
pub(crate) struct Places {
    places: Vec<(u32, u32)>,
    n_regions: u32,
}

impl Places {
    /// The region of these nodes, which are ascending.
    pub(crate) fn claim(&mut self, nodes: Vec<Node>) -> Region {
        let id = self.n_regions;
        self.n_regions += 1;
        if let Some(&last) = nodes.last()
            && self.places.len() <= last as usize
        {
            self.places.resize(last as usize + 1, (NOWHERE, 0));
        }
        for (&node, place) in nodes.iter().zip(0..) {
            self.places[node as usize] = (id, place);
        }
        Region { nodes, id }
    }

    /// The place of a node in a region, if it is there.
    pub(crate) fn place(&self, region: &Region, node: Node) -> Option<u32> {
        let &(id, place) = self.places.get(node as usize)?;
        (id == region.id).then_some(place)
    }

    /// The strongly connected parts in which a path can stay, of what is left of a region with these nodes.
    pub(crate) fn parts<G: Quotient>(
        &mut self,
        region: &Region,
        keep: &[bool],
        product: &mut Product<'_, G>,
    ) -> Vec<Region> {
        let roots: Vec<u32> = (0..region.nodes.len() as u32).filter(|&place| keep[place as usize]).collect();
        let mut targets = Vec::new();
        let mut found = Vec::new();
        let successors = |place: u32, out: &mut Vec<u32>| {
            targets.clear();
            product.targets(region.nodes[place as usize], &mut targets);
            let places = targets.iter().filter_map(|&target| self.place(region, target));
            out.extend(places.filter(|&place| keep[place as usize]));
        };
        for_each_component(&roots, successors, |places, has_cycle| {
            if has_cycle {
                let mut nodes: Vec<Node> = places.iter().map(|&place| region.nodes[place as usize]).collect();
                nodes.sort_unstable();
                found.push(nodes);
            }
        });
        found.into_iter().map(|nodes| self.claim(nodes)).collect()
    }
}
