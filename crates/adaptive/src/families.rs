//! Under which permutations each rule, start state and property is invariant.

use burnside_analysis::{Identities, InstanceFamily, InstanceGroup, Invariance, coarsest};
use burnside_diag::Span;
use burnside_group::Partition;
use burnside_interp::Limits;
use burnside_ir::{Expr, Layout, Model, Property, PropertyId, Rule, RuleId, StartId, StartState, TypeId};
use burnside_symmetry::{
    Claim, Move, Part, Permutations, Rechecked, Refuted, SymmetricClass, Symmetry, index_types, ordered_in_part,
    recheck_claims,
};

/// Classes with more members are left alone.
const MOST_MEMBERS: u32 = 4096;

/// The identities of a model, and what tells them apart.
#[derive(Debug, Clone)]
pub struct Families {
    /// The classes that take part.
    pub identities: Identities,
    /// By rule.
    pub rules: Vec<InstanceFamily>,
    /// By start state.
    pub starts: Vec<InstanceFamily>,
    /// By property; only what all instances together are invariant under matters.
    pub properties: Vec<InstanceFamily>,
    /// By rule: the types over which its loops may depend on the order of their rounds.
    pub(crate) ordered: Vec<Vec<(TypeId, Span)>>,
}

impl Families {
    /// Derives everything from the text of a verified model.
    pub fn new(model: &Model) -> Self {
        let mut loops = Loops::new(model);
        let ordered: Vec<Vec<(TypeId, Span)>> = model.rules.iter().map(|rule| loops.in_rule(rule.clone())).collect();
        let identities = find_identities(model, &ordered);
        let mut invariance = Invariance::new(model, &identities);
        let rules = (0..).map(RuleId).zip(&ordered);
        let rules = rules.map(|(rule, ordered)| invariance.rule(rule, ordered)).collect();
        let starts = (0..).map(StartId).zip(&model.starts);
        let starts = starts.map(|(id, start)| invariance.start(id, &loops.in_start(start.clone()))).collect();
        let properties = (0..).map(PropertyId).zip(&model.properties);
        let properties = properties.map(|(id, it)| invariance.property(id, &loops.in_property(it.clone()))).collect();
        let mut families = Self { identities, rules, starts, properties, ordered };
        if model.has_priorities() {
            families.share();
        }
        families
    }

    /// Lets everything be invariant only under what everything is invariant under.
    ///
    // SOUND: with priorities, whether a rule may fire depends on the guards of all rules, so this is then needed.
    pub(crate) fn share(&mut self) {
        let wholes = self.rules.iter().chain(&self.properties).map(|family| &family.whole);
        let all = wholes.fold(coarsest(&self.identities), |all, whole| all.meet(whole));
        for family in self.rules.iter_mut().chain(&mut self.starts) {
            for group in &mut family.groups {
                group.partition = group.partition.meet(&all);
            }
        }
        for family in &mut self.properties {
            family.whole.clone_from(&all);
        }
    }

    /// The classes that take part, as if all their permutations were proved automorphisms.
    pub(crate) fn classes(&self, model: &Model) -> Permutations {
        let name = |types: &[TypeId]| {
            let named = types.iter().find(|&&ty| model.types.def(ty).name.is_some());
            model.types.type_name(*named.unwrap_or(&types[0]))
        };
        let classes = self.identities.classes().iter();
        let classes = classes.map(|class| SymmetricClass {
            name: name(&class.types),
            types: class.types.clone(),
            size: class.size as u32,
        });
        Permutations::of_classes(classes.collect())
    }

    /// Tries the partitions on at most `most_states` states, without looking at how they were derived.
    pub fn recheck(
        &self,
        model: &Model,
        layout: &Layout,
        limits: Limits,
        most_states: usize,
    ) -> Result<Rechecked, Box<Refuted>> {
        let strict = self.classes(model).strict_types(model);
        recheck_claims((model, layout, limits), &strict, &self.claims(model), most_states)
    }

    /// What the partitions say: exchanges of neighbours in a cell take steps to steps, or keep a property.
    fn claims(&self, model: &Model) -> Vec<Claim> {
        let symmetry = self.classes(model);
        let exchanges = |partition: &Partition| {
            let cells = partition.cells();
            let pairs = cells.iter().flat_map(|cell| cell.windows(2).map(|pair| [pair[0], pair[1]]));
            pairs.map(|pair| self.exchange(model, &symmetry, pair)).collect::<Vec<Move>>()
        };
        let with_moves = |(claim, partition): (Claim, &Partition)| Claim { moves: exchanges(partition), ..claim };
        self.parts(model).into_iter().map(with_moves).collect()
    }

    /// Everything that has a partition, and the partition.
    fn parts(&self, model: &Model) -> Vec<(Claim, &Partition)> {
        let rules = (0..).map(|at| Part::Rule(RuleId(at))).zip(&self.rules);
        let starts = (0..).map(|at| Part::Start(StartId(at))).zip(&self.starts);
        let groups = rules.chain(starts).flat_map(|(part, family)| {
            family.groups.iter().map(move |group| (self.claim_of(model, part, (family, group)), &group.partition))
        });
        let properties = (0..).map(|at| Part::Property(PropertyId(at))).zip(&self.properties);
        groups.chain(properties.map(|(part, family)| (Claim::about_all(part, Vec::new()), &family.whole))).collect()
    }

    /// The instances in a group of a rule or start state; which permutations are meant is left open.
    fn claim_of(&self, model: &Model, part: Part, (family, group): (&InstanceFamily, &InstanceGroup)) -> Claim {
        let cells = family.whole.cells();
        let choice = |place: &Vec<usize>| {
            let values = family.params.iter().zip(place).map(|(param, &cell)| {
                let (lo, first) = (model.types.shape(param.ty).lo, self.identities.classes()[param.class].first);
                (param.at, cells[cell].iter().map(|&point| lo + (point - first) as i64).collect())
            });
            values.collect()
        };
        Claim { part, instances: group.places().iter().map(choice).collect(), moves: Vec::new() }
    }

    fn exchange(&self, model: &Model, symmetry: &Permutations, pair: [usize; 2]) -> Move {
        let class = self.identities.class_of(pair[0]);
        let first = self.identities.classes()[class].first;
        Move::exchange(model, &symmetry.classes[class], pair.map(|point| point - first))
    }

    /// Some exchange of two points, another one for another number, and all that is said to be invariant under it.
    pub(crate) fn claims_about_some_exchange(&self, model: &Model, number: u64) -> Option<(Move, Vec<Claim>)> {
        let classes: Vec<_> = self.identities.classes().iter().filter(|class| class.size > 1).collect();
        let class = classes.get(number as usize % classes.len().max(1))?;
        let (one, distance) = ((number >> 8) as usize % class.size, (number >> 24) as usize % (class.size - 1));
        let pair = [class.first + one, class.first + (one + 1 + distance) % class.size];
        let are_alike = |(_, partition): &(Claim, &Partition)| partition.cell_of(pair[0]) == partition.cell_of(pair[1]);
        let claims: Vec<Claim> = self.parts(model).into_iter().filter(are_alike).map(|(claim, _)| claim).collect();
        Some((self.exchange(model, &self.classes(model), pair), claims))
    }

    /// Whether no rule or property tells identities of a class apart.
    pub fn is_symmetric(&self) -> bool {
        let mut all = self.rules.iter().chain(&self.properties);
        all.all(|family| family.is_symmetric(&self.identities))
    }
}

/// The classes of identities that are proved, and those that occur as positions in the state and are worthwhile.
fn find_identities(model: &Model, ordered: &[Vec<(TypeId, Span)>]) -> Identities {
    let symmetry = Symmetry::find_classes(model);
    let proved = symmetry.classes.iter().map(|class| (&class.types, class.size));
    let broken = symmetry.broken.iter().map(|class| (&class.types, class.size));
    let index_types = index_types(model);
    let is_position = |types: &Vec<TypeId>| types.iter().any(|ty| index_types.contains(ty));
    // What is proved costs nothing; of the rest, what no array goes by is a value like others. Where there is something
    // proved, the rest must promise more than that, or full symmetry alone is faster.
    let is_near = |types: &Vec<TypeId>| is_position(types) && is_worthwhile(model, ordered, types);
    let is_small = |(_, size): &(&Vec<TypeId>, u32)| *size <= MOST_MEMBERS;
    let proved: Vec<(&Vec<TypeId>, u32)> = proved.filter(is_small).collect();
    let near: Vec<(&Vec<TypeId>, u32)> = broken.filter(is_small).filter(|(types, _)| is_near(types)).collect();
    let near = if n_bits(&near) > n_bits(&proved) { near } else { Vec::new() };
    let mut classes: Vec<Vec<TypeId>> = proved.iter().chain(&near).map(|(types, _)| (*types).clone()).collect();
    classes.sort();
    Identities::new(model, &classes)
}

/// Binary logarithm of the number of permutations of some classes.
fn n_bits(classes: &[(&Vec<TypeId>, u32)]) -> f64 {
    classes.iter().flat_map(|&(_, size)| 2..=size).map(|factor| f64::from(factor).log2()).sum()
}

/// Whether at least half of the rules leave some two members of a class alone.
fn is_worthwhile(model: &Model, ordered: &[Vec<(TypeId, Span)>], class: &[TypeId]) -> bool {
    let identities = Identities::new(model, &[class.to_vec()]);
    let mut invariance = Invariance::new(model, &identities);
    let mut rules = (0..).map(RuleId).zip(ordered);
    let mut n_others = 0;
    !rules.any(|(rule, ordered)| {
        n_others += usize::from(!invariance.leaves_freedom(rule, ordered));
        2 * n_others > model.rules.len()
    })
}

/// Finds the loops in parts of a model that may depend on the order of their rounds.
struct Loops {
    /// The part looked at, with all that it may refer to.
    part: Model,
}

impl Loops {
    fn new(model: &Model) -> Self {
        let (types, globals, functions) = (model.types.clone(), model.globals.clone(), model.functions.clone());
        Self { part: Model { types, globals, functions, ..Model::default() } }
    }

    fn in_rule(&mut self, rule: Rule) -> Vec<(TypeId, Span)> {
        self.part.rules = vec![rule];
        let found = self.ordered();
        self.part.rules.clear();
        found
    }

    /// A start state does what a rule without guard does.
    fn in_start(&mut self, start: StartState) -> Vec<(TypeId, Span)> {
        let StartState { name, binders, locals, action, span } = start;
        self.in_rule(Rule {
            name,
            binders,
            locals,
            guard: Expr::boolean(true, span),
            action,
            priority: 0,
            owners: Vec::new(),
            span,
        })
    }

    fn in_property(&mut self, property: Property) -> Vec<(TypeId, Span)> {
        self.part.properties = vec![property];
        let found = self.ordered();
        self.part.properties.clear();
        found
    }

    /// The types over which loops may depend on the order of their rounds.
    fn ordered(&self) -> Vec<(TypeId, Span)> {
        let types = |domain: Option<TypeId>| match domain {
            Some(ty) => vec![ty],
            None => self.part.types.iter().map(|(ty, _)| ty).collect(),
        };
        let all = ordered_in_part(&self.part).into_iter();
        all.flat_map(|ordered| types(ordered.domain).into_iter().map(move |ty| (ty, ordered.found.span))).collect()
    }
}

#[cfg(test)]
mod tests;
