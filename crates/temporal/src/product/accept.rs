//! Whether a component has a fair accepting execution.

use super::nodes::Product;
use super::region::{Places, Region};
use super::sight::Sight;
use super::threads::Threads;
use crate::colours::Palette;
use crate::graph::Quotient;

/// A strongly connected part of the region in which all colours that must be seen again and again can be, if there is one.
///
/// SOUND: generalised Büchi and weak fairness ask that every class of colours be seen (Theorem 2); if the whole region does
/// not see a class, no part of it does. For strong fairness, a class that is enabled somewhere and taken nowhere in the
/// region stands for concrete units that are enabled and never taken, so a fair execution avoids the nodes where one of
/// them is enabled; whether a node is one of these does not depend on the frame in which it is reached, because classes
/// are closed under closed walks. What is left is searched in the same way. Each level frees at least one class for ever.
pub(crate) fn accepting_part<G: Quotient>(
    region: Region,
    places: &mut Places,
    palette: &mut Palette<'_, G>,
    product: &mut Product<'_, G>,
) -> Option<Region> {
    let mut todo = vec![region];
    let mut sight = Sight::default();
    while let Some(region) = todo.pop() {
        let mut threads = Threads::new(&region, places, palette, product);
        if !palette.unconditional().all(|colour| threads.is_seen(colour)) {
            continue;
        }
        let strong = palette.strong();
        if strong.is_empty() {
            return Some(region);
        }
        let mut keep = vec![true; region.nodes.len()];
        for (&node, place) in region.nodes.iter().zip(0..) {
            sight.look_at_units(node, product, palette);
            let mut enabled = sight.enabled().iter().filter(|colour| strong.contains(colour));
            let is_starved = enabled.any(|&colour| !threads.is_seen_at(place, colour, palette, &product.frames));
            keep[place as usize] = !is_starved;
        }
        if keep.iter().all(|keep| *keep) {
            return Some(region);
        }
        todo.extend(places.parts(&region, &keep, product));
    }
    None
}
