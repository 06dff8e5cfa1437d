//! Whether a component has a fair accepting execution.

use rustc_hash::FxHashSet;

use super::region::Region;
use super::threads::Threads;
use crate::colours::Palette;
use crate::frames::Frames;
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
    palette: &mut Palette<'_, G>,
    frames: &mut Frames,
) -> Option<Region> {
    let mut todo = vec![region];
    while let Some(region) = todo.pop() {
        let mut threads = Threads::new(&region, palette, frames);
        let mut seen = FxHashSet::default();
        for step in &region.steps {
            for &colour in &step.seen {
                seen.insert(threads.class_at(step.from, colour, palette, frames));
            }
        }
        if !palette.unconditional().all(|colour| seen.contains(&threads.class(colour))) {
            continue;
        }
        let is_starved = |node: u32, threads: &mut Threads, palette: &mut Palette<'_, G>| {
            let mut enabled = region.enabled[node as usize].iter();
            enabled.any(|&colour| !seen.contains(&threads.class_at(node, colour, palette, frames)))
        };
        let nodes = 0..region.nodes.len() as u32;
        let keep: Vec<bool> = nodes.map(|node| !is_starved(node, &mut threads, palette)).collect();
        if keep.iter().all(|keep| *keep) {
            return Some(region);
        }
        todo.extend(region.parts(&keep));
    }
    None
}
