//! What the steps of a node see.

use super::nodes::{Node, Product, StepRow};
use crate::colours::{Colour, Palette};
use crate::graph::{Quotient, Unit};
use crate::mutant::{self, Mutant};

/// The steps of one node and the colours they see, in memory that serves for one node after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight {
    pub(crate) row: StepRow,
    units: Vec<Unit>,
    /// The colours of units that are enabled at the node, in its names.
    enabled: Vec<Colour>,
    /// The colours of weakly fair units that are not.
    at_rest: Vec<Colour>,
    /// What a mistake adds to every step.
    mistaken: Vec<Colour>,
}

impl Sight {
    /// Looks at a node.
    pub(crate) fn look<G: Quotient>(&mut self, node: Node, product: &mut Product<'_, G>, palette: &Palette<'_, G>) {
        product.steps(node, &mut self.row);
        self.look_at_units(node, product, palette);
    }

    /// Looks at a node of a region.
    pub(crate) fn look_inside<G: Quotient>(
        &mut self,
        node: Node,
        product: &mut Product<'_, G>,
        palette: &Palette<'_, G>,
        is_inside: impl Fn(Node) -> bool,
    ) {
        self.look(node, product, palette);
        if mutant::is(Mutant::TakenOutside) {
            let leaving = (0..self.row.len()).filter(|&at| !is_inside(self.row.get(at).target));
            self.mistaken = leaving.flat_map(|at| self.taken(at, palette).collect::<Vec<_>>()).collect();
        }
    }

    /// Looks only at what is enabled at a node.
    pub(crate) fn look_at_units<G: Quotient>(
        &mut self,
        node: Node,
        product: &Product<'_, G>,
        palette: &Palette<'_, G>,
    ) {
        self.enabled.clear();
        self.at_rest.clear();
        if palette.is_fair() {
            self.units.clear();
            product.graph.enabled(product.state(node), &mut self.units);
            self.enabled.extend(self.units.iter().filter_map(|&unit| palette.of_unit(unit)));
            self.at_rest.extend(palette.weak().filter(|colour| !self.enabled.contains(colour)));
        }
    }

    /// The colours of units that are enabled.
    pub(crate) fn enabled(&self) -> &[Colour] {
        &self.enabled
    }

    /// Calls `visit` with the colours that a step sees, in the names of the node, some perhaps several times: those of the
    /// observer, of weakly fair units that are not enabled, of units that take it.
    pub(crate) fn for_each_seen<G: Quotient>(
        &self,
        at: usize,
        (product, palette): (&Product<'_, G>, &Palette<'_, G>),
        mut visit: impl FnMut(Colour),
    ) {
        let step = self.row.get(at);
        product.colours(&step).iter().for_each(|&colour| visit(colour));
        self.taken(at, palette).for_each(&mut visit);
        self.mistaken.iter().for_each(|&colour| visit(colour));
        if mutant::is(Mutant::EnabledAtTarget) {
            let mut there = Self::default();
            there.look_at_units(step.target, product, palette);
            there.at_rest.into_iter().for_each(visit);
        } else {
            self.at_rest.iter().for_each(|&colour| visit(colour));
        }
    }

    /// The colours of the units that take a step.
    pub(crate) fn taken<G: Quotient>(&self, at: usize, palette: &Palette<'_, G>) -> impl Iterator<Item = Colour> {
        self.row.taken(at).iter().filter_map(|&unit| palette.of_unit(unit))
    }

    /// Whether a step sees a colour.
    pub(crate) fn sees<G: Quotient>(
        &self,
        at: usize,
        colour: Colour,
        palette: (&Product<'_, G>, &Palette<'_, G>),
    ) -> bool {
        let mut is_seen = false;
        self.for_each_seen(at, palette, |seen| is_seen |= seen == colour);
        is_seen
    }
}
