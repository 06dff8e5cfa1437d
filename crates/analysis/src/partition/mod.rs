//! Under which permutations a rule, start state or property is invariant.
//!
//! For given classes of identities ([`Identities`]), [`Invariance`] derives a partition of the points such that every
//! permutation within its cells is an automorphism of the rule: it takes instances to instances and steps to steps. A
//! rule whose parameters range over points is split into [`InstanceGroup`]s of instances by where their parameters lie, because
//! fewer instances are invariant under more: of a rule that grants a resource to those of highest priority, the
//! instances of one priority only tell higher, equal and lower priority apart.
//!
// SOUND: `scan` notes everything that may not commute with permutations. Two points are put into one cell only if
// exchanging them commutes with each note. Being exchangeable in this way is an equivalence relation, and exchanges
// generate all permutations within cells. The notes of a group speak of its instances only, and its partition keeps the
// places of its parameters apart from others, so the permutations also map the group's instances to each other.
// Loops are the one form that is not looked at here: what `ordered` names must contain every type over which a loop of
// the model may depend on the order of its rounds.

mod atom;
mod automorphisms;
mod closed;
mod identities;
mod pointwise;
mod relation;
mod scan;
mod tables;

use burnside_diag::Span;
use burnside_group::Partition;
use burnside_ir::{
    BinaryOp, Binder, Domain, Expr, ExprKind, LocalId, Model, Part, PropertyId, RuleId, StartId, TypeId,
};

pub use identities::{Identities, IdentityClass};
pub use pointwise::Pointwise;
use scan::{Constraint, ConstraintKind, Context, Scan};
pub use tables::Tables;

/// A rule is split into at most this many groups; with more it is left whole.
const MOST_GROUPS: usize = 256;

/// What is invariant under which permutations, in one model.
pub struct Invariance<'m> {
    context: Context<'m>,
}

/// The instances of a rule, start state or property, in groups.
#[derive(Debug, Clone)]
pub struct InstanceFamily {
    /// The parameters that range over points.
    pub params: Vec<Param>,
    /// What all instances together are invariant under.
    pub whole: Partition,
    /// All instances, each in one group.
    pub groups: Vec<InstanceGroup>,
    /// The expressions and loops that tell points of a class apart, in the order of the text.
    pub causes: Vec<Span>,
}

/// A parameter that ranges over all points of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Its number among all parameters.
    pub at: usize,
    /// The class.
    pub class: usize,
    /// The type it ranges over.
    pub ty: TypeId,
    /// The variable that it is.
    pub local: LocalId,
}

/// Some instances, closed under the permutations within the cells of a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceGroup {
    /// What they are invariant under.
    pub partition: Partition,
    /// For each parameter that ranges over points a cell of the whole family's partition: combinations that belong here.
    places: Vec<Vec<usize>>,
}

/// A part of a rule's guard: all of them must hold, and each is looked at only if those before it do.
#[derive(Debug, Clone)]
pub struct Conjunct {
    /// The condition.
    pub condition: Expr,
    /// What it is invariant under, for all instances together.
    pub partition: Partition,
    /// Whether evaluating it never faults, so that leaving it out hides nothing.
    pub harmless: bool,
    /// What it says of each point by itself, if that is all it says.
    pub pointwise: Option<Pointwise>,
}

impl InstanceFamily {
    /// Whether an instance, given by the points that its parameters are, belongs to a group.
    pub fn contains(&self, group: &InstanceGroup, points: &[usize]) -> bool {
        group
            .places
            .iter()
            .any(|place| points.iter().zip(place).all(|(&point, &cell)| self.whole.cell_of(point) == cell))
    }

    /// Whether there is one group, of instances that no permutation can tell apart.
    pub fn is_symmetric(&self, identities: &Identities) -> bool {
        self.whole == coarsest(identities)
    }
}

impl InstanceGroup {
    /// The combinations of cells of the whole family's partition, one for each parameter that ranges over points.
    pub fn places(&self) -> &[Vec<usize>] {
        &self.places
    }

    /// The cells of the whole family's partition in which a parameter may lie.
    pub fn cells(&self, param: usize) -> impl Iterator<Item = usize> {
        self.places.iter().map(move |place| place[param])
    }
}

/// The partition whose cells are the classes.
pub fn coarsest(identities: &Identities) -> Partition {
    let keys: Vec<usize> = (0..identities.n_points()).map(|point| identities.class_of(point)).collect();
    Partition::from_keys(&keys)
}

impl<'m> Invariance<'m> {
    /// Prepares the analysis of a verified model.
    pub fn new(model: &'m Model, identities: &'m Identities) -> Self {
        Self { context: Context::new(model, identities) }
    }

    /// The instances of a rule. `ordered` are the types over which its loops may depend on the order of their rounds.
    pub fn rule(&mut self, rule: RuleId, ordered: &[(TypeId, Span)]) -> InstanceFamily {
        self.family(Part::rule(self.context.model.rule(rule)), ordered)
    }

    /// What all instances of a part of the model together are invariant under, loops that depend on the order of their
    /// rounds aside.
    pub fn whole(&mut self, part: &Part<'m>) -> Partition {
        let (_, constraints) = self.constraints(part, &[]);
        self.twins(&constraints, &|_, _| true, &|_, _| true)
    }

    /// Whether all instances of a rule together leave some two points alone.
    pub fn leaves_freedom(&mut self, rule: RuleId, ordered: &[(TypeId, Span)]) -> bool {
        let part = Part::rule(self.context.model.rule(rule));
        let (_, constraints) = self.constraints(&part, ordered);
        !self.twins(&constraints, &|_, _| true, &|_, _| true).is_discrete()
    }

    /// The instances of a start state.
    pub fn start(&mut self, start: StartId, ordered: &[(TypeId, Span)]) -> InstanceFamily {
        self.family(Part::start(self.context.model.start(start)), ordered)
    }

    /// The instances of a property. Its groups are of no use, since all instances make up one claim.
    pub fn property(&mut self, property: PropertyId, ordered: &[(TypeId, Span)]) -> InstanceFamily {
        self.family(Part::property(self.context.model.property(property)), ordered)
    }

    /// The parts of a rule's guard, in the order of evaluation.
    pub fn conjuncts(&mut self, rule: RuleId, ordered: &[(TypeId, Span)]) -> Vec<Conjunct> {
        let rule = self.context.model.rule(rule);
        let mut conditions = Vec::new();
        flatten(&rule.guard, &mut conditions);
        let conjunct = |condition: &'m Expr| {
            let part = Part { condition: Some(condition), action: None, ..Part::rule(rule) };
            let (_, constraints) = self.constraints(&part, ordered);
            let harmless = self.is_harmless(&part, condition);
            let partition = self.twins(&constraints, &|_, _| true, &|_, _| true);
            let pointwise = Pointwise::of(&self.context, condition, &rule.binders);
            Conjunct { condition: condition.clone(), partition, harmless, pointwise }
        };
        conditions.into_iter().map(conjunct).collect()
    }

    fn family(&mut self, part: Part<'m>, ordered: &[(TypeId, Span)]) -> InstanceFamily {
        let (params, constraints) = self.constraints(&part, ordered);
        let whole = self.twins(&constraints, &|_, _| true, &|_, _| true);
        let splitting = constraints.iter().filter(|constraint| self.splits(constraint));
        let mut causes: Vec<Span> = splitting.map(|constraint| constraint.span).collect();
        causes.sort_unstable();
        causes.dedup();
        let mut family = InstanceFamily { params, whole, groups: Vec::new(), causes };
        family.groups = self.groups(&family, &constraints);
        family
    }

    fn constraints(&mut self, part: &Part<'m>, ordered: &[(TypeId, Span)]) -> (Vec<Param>, Vec<Constraint>) {
        let params = self.params(part);
        let mut scan = self.scanned(part, &params);
        for (ty, span) in ordered {
            scan.fix(*ty, *span);
        }
        (params, scan.finish())
    }

    /// Looks at everything but the functions called.
    fn scanned(&mut self, part: &Part<'m>, params: &[Param]) -> Scan<'_, 'm> {
        let locals: Vec<LocalId> = params.iter().map(|param| param.local).collect();
        let seen = self.context.positions.in_part(part);
        let mut scan = Scan::new(&mut self.context, part.locals, locals, None);
        seen.into_iter().for_each(|seen| scan.fix_all(seen.span));
        if let Some(action) = part.action {
            scan.note_assigned(action);
        }
        scan.binders(part.binders);
        if let Some(condition) = part.condition {
            scan.expr(condition);
        }
        if let Some(action) = part.action {
            scan.block(action);
        }
        scan
    }

    /// Whether a condition is a function of bound variables that never faults.
    fn is_harmless(&mut self, part: &Part<'m>, condition: &'m Expr) -> bool {
        let mut scan = Scan::new(&mut self.context, part.locals, Vec::new(), None);
        scan.binders(part.binders);
        if !scan.always_defined(condition) {
            return false;
        }
        let (over_leaves, atom) = scan.atom(condition);
        let Context { model, tables, .. } = &mut self.context;
        let table = tables.relation(model, atom.leaves, over_leaves, TypeId::BOOL);
        table.is_some_and(|table| !table.may_fault())
    }

    fn params(&self, part: &Part<'m>) -> Vec<Param> {
        let params = part.binders.iter().filter_map(|binder| match binder {
            Binder::Param { local, domain } => Some((*local, domain)),
            Binder::Value { .. } | Binder::Reference { .. } => None,
        });
        let points = params.enumerate().filter_map(|(at, (local, domain))| match domain {
            &Domain::Type(ty) => {
                let class = self.context.identities.class_of_type(ty)?;
                Some(Param { at, class, ty, local })
            }
            Domain::Range { .. } | Domain::Slots(_) => None,
        });
        points.collect()
    }

    /// Whether a constraint by itself keeps some points of a class apart. Neighbours tell: their exchanges generate all.
    fn splits(&self, constraint: &Constraint) -> bool {
        let identities = self.context.identities;
        match &constraint.kind {
            ConstraintKind::Fixes(class) => identities.classes()[*class].size > 1,
            ConstraintKind::Commutes(relation) => identities.classes().iter().any(|class| {
                let mut pairs = (class.first + 1..class.first + class.size).map(|point| (point - 1, point));
                !pairs.all(|pair| relation.commutes(identities, pair, &|_, _| true))
            }),
        }
    }

    fn groups(&self, family: &InstanceFamily, constraints: &[Constraint]) -> Vec<InstanceGroup> {
        let cells = family.whole.cells();
        let class_of_cell: Vec<usize> = cells.iter().map(|cell| self.context.identities.class_of(cell[0])).collect();
        let mut places: Vec<Vec<usize>> = vec![Vec::new()];
        for &Param { class, .. } in &family.params {
            let choices: Vec<usize> = (0..cells.len()).filter(|&cell| class_of_cell[cell] == class).collect();
            let longer = places.iter().flat_map(|place| {
                choices.iter().map(move |&cell| place.iter().copied().chain([cell]).collect::<Vec<usize>>())
            });
            places = longer.collect();
        }
        if places.len() > MOST_GROUPS {
            return vec![InstanceGroup { partition: family.whole.clone(), places }];
        }
        let mut groups: Vec<InstanceGroup> = Vec::new();
        for place in places {
            let admits = |param: usize, point: usize| family.whole.cell_of(point) == place[param];
            let inside = |point: usize| (0..place.len()).map(|param| admits(param, point)).collect::<Vec<bool>>();
            let inside: Vec<Vec<bool>> = (0..family.whole.degree()).map(inside).collect();
            // InstanceFamily must stay in the group, so nothing else may come to where their parameters lie.
            let partition = self.twins(constraints, &admits, &|one, other| inside[one] == inside[other]);
            match groups.iter_mut().find(|group| group.partition == partition) {
                Some(group) => group.places.push(place),
                None => groups.push(InstanceGroup { partition, places: vec![place] }),
            }
        }
        groups
    }

    /// Points that can be exchanged, given which points a parameter may be and which pairs come into question.
    fn twins(
        &self,
        constraints: &[Constraint],
        admits: &dyn Fn(usize, usize) -> bool,
        eligible: &dyn Fn(usize, usize) -> bool,
    ) -> Partition {
        let identities = self.context.identities;
        let exchangeable = |one: usize, other: usize| {
            eligible(one, other)
                && constraints.iter().all(|constraint| match &constraint.kind {
                    ConstraintKind::Fixes(class) => *class != identities.class_of(one),
                    ConstraintKind::Commutes(relation) => relation.commutes(identities, (one, other), admits),
                })
        };
        let mut leaders: Vec<usize> = Vec::new();
        let keys: Vec<usize> = (0..identities.n_points())
            .map(|point| {
                let class = identities.class_of(point);
                let same = |leader: &&usize| identities.class_of(**leader) == class && exchangeable(**leader, point);
                match leaders.iter().find(same) {
                    Some(&leader) => leader,
                    None => {
                        leaders.push(point);
                        point
                    }
                }
            })
            .collect();
        Partition::from_keys(&keys)
    }
}

fn flatten<'m>(expr: &'m Expr, conditions: &mut Vec<&'m Expr>) {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            flatten(left, conditions);
            flatten(right, conditions);
        }
        _ => conditions.push(expr),
    }
}

#[cfg(test)]
mod tests;
