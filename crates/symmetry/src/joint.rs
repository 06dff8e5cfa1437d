//! Permutations of classes that are not symmetric all through: rings, graphs, members of several classes that move
//! together.
//!
//! Where `infer` finds that members of a class are told apart, some permutations of them may still be automorphisms: the
//! rotations of a ring whose rules compute `(i + 1) % n`, all permutations that keep the one member the model names, the
//! automorphisms of a graph that the model writes down in conditions or functions. What a rule does that is not
//! symmetric by form, [`Tables`] holds as tables; the automorphisms are the permutations that commute with all of them.
//!
// SOUND: see `Tables`, which follows each rule and property by form and notes the rest. Two things are not looked at
// there. Loops may depend on the order of their rounds: classes with such a loop (`order`) do not move at all. Multisets
// are kept in an order of values: where the model depends on that (`infer`, `order`), nothing moves. Classes are as
// `infer` finds them, so that types between which values flow are renamed alike; a value that flows between other types
// is noted as a table.

use std::collections::BTreeSet;

use burnside_analysis::{Identities, Tables};
use burnside_diag::Span;
use burnside_group::{DisjointSets, Group, Natural, Permutation, Structure};
use burnside_ir::visit::{Visitor, walk_expr, walk_place, walk_stmt};
use burnside_ir::{
    BinaryOp, Binder, Domain, Expr, ExprKind, Local, Model, Operand, Part, Place, PlaceBase, Projection, Stmt,
    StmtKind, Type, TypeId,
};

use crate::infer::Class;
use crate::order::Ordered;
use crate::symmetry::{SymmetricClass, index_types, members};

/// Larger classes are left alone.
const MOST_MEMBERS: u32 = 64;

/// Classes that permutations of one group act on.
#[derive(Debug, Clone)]
pub struct Joint {
    /// The classes. Their members are numbered through as the points of the group.
    pub classes: Vec<SymmetricClass>,
    /// Automorphisms of the model and its properties.
    pub group: Group,
    /// What group that is.
    pub structure: Structure,
}

/// A place in the text without which there would be more automorphisms.
#[derive(Debug, Clone)]
pub struct Culprit {
    /// The place.
    pub span: Span,
    /// The classes, and the permutations of them there would be.
    pub joints: Vec<Joint>,
}

impl Joint {
    /// The order of the group.
    pub fn order(&self) -> &Natural {
        self.group.order()
    }

    /// Whether the members that move form one ring.
    pub fn is_ring(&self) -> bool {
        matches!(self.structure, Structure::Cyclic(_) | Structure::Dihedral(_))
    }

    /// The class of a point, and the point's number in it.
    pub fn place(&self, mut point: usize) -> (&SymmetricClass, usize) {
        for class in &self.classes {
            if point < class.size as usize {
                return (class, point);
            }
            point -= class.size as usize;
        }
        panic!("every point is a member of a class")
    }
}

/// The types whose values name something: a position in the state, who takes a step, or what is converted to or compared with
/// such a name. Others are numbers, which have automorphisms too, but few that matter.
fn identity_types(model: &Model) -> BTreeSet<TypeId> {
    let parameters = model.rules.iter().flat_map(|rule| &rule.binders).filter_map(|binder| match binder {
        Binder::Param { domain: Domain::Type(ty), .. } => Some(*ty),
        Binder::Param { .. } | Binder::Value { .. } | Binder::Reference { .. } => None,
    });
    let mut found: BTreeSet<TypeId> = index_types(model).into_iter().chain(parameters).collect();
    let mut links = Links { model, locals: &[], pairs: BTreeSet::new() };
    for rule in &model.rules {
        links.locals = &rule.locals;
        Part::rule(rule).walk(&mut links);
    }
    loop {
        let n_found = found.len();
        for &(one, other) in &links.pairs {
            if found.contains(&one) || found.contains(&other) {
                found.extend([one, other]);
            }
        }
        if found.len() == n_found {
            return found;
        }
    }
}

/// Pairs of types between which a rule converts, compares or copies values, or indexes.
struct Links<'m> {
    model: &'m Model,
    locals: &'m [Local],
    pairs: BTreeSet<(TypeId, TypeId)>,
}

impl Links<'_> {
    fn link(&mut self, one: TypeId, other: TypeId) {
        let is_finite = |ty: TypeId| matches!(self.model.types.get(ty), Type::Range { .. } | Type::Enum { .. });
        if one != other && is_finite(one) && is_finite(other) {
            self.pairs.insert((one, other));
        }
    }
}

impl Links<'_> {
    /// A value of a type is computed from what an expression reads.
    fn flow(&mut self, expr: &Expr, to: TypeId) {
        struct Leaves(Vec<TypeId>);
        impl Visitor for Leaves {
            fn place(&mut self, place: &Place) {
                self.0.push(place.ty);
            }
        }
        let mut leaves = Leaves(vec![expr.ty]);
        leaves.expr(expr);
        leaves.0.into_iter().for_each(|leaf| self.link(to, leaf));
    }
}

impl Visitor for Links<'_> {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Convert(inner) => self.flow(inner, expr.ty),
            ExprKind::Conditional(..) => self.flow(expr, expr.ty),
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) => self.link(left.ty, right.ty),
            ExprKind::Const(_)
            | ExprKind::Read(_)
            | ExprKind::IsUndefined(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::SameAggregate(..)
            | ExprKind::IsMember(..)
            | ExprKind::Quantified(..)
            | ExprKind::Count(..)
            | ExprKind::SlotNumber(_)
            | ExprKind::Call(_) => {}
        }
        walk_expr(self, expr);
    }

    fn place(&mut self, place: &Place) {
        let mut ty = match &place.base {
            PlaceBase::Global(global) => Some(self.model.global(*global).ty),
            PlaceBase::Local(local) => self.locals.get(local.index()).map(|local| local.ty),
            PlaceBase::Call(_) => None,
        };
        for step in &place.path {
            if let (Some(whole), Projection::Index(index)) = (ty, step)
                && let &Type::Array { index: wanted, .. } = self.model.types.get(whole)
            {
                self.link(wanted, index.ty);
            }
            ty = ty.and_then(|whole| step.part_type(&self.model.types, whole));
        }
        walk_place(self, place);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Assign { target, source: Operand::Value(value) } = &stmt.kind {
            self.flow(value, target.ty);
        }
        walk_stmt(self, stmt);
    }
}

/// What may move, and what it must commute with.
pub(crate) struct Candidates<'m> {
    model: &'m Model,
    classes: Vec<&'m Class>,
    identities: Identities,
    /// The types over which loops depend on the order of rounds.
    ordered: Vec<TypeId>,
}

impl<'m> Candidates<'m> {
    /// Those of the classes, none of them symmetric, that are worth a try.
    pub(crate) fn new(model: &'m Model, broken: &'m [Class], ordered: &[Ordered]) -> Self {
        let none_moves =
            ordered.iter().any(|it| it.domain.is_none()) || broken.iter().any(|class| class.depends_on_slots);
        let ordered: Vec<TypeId> =
            ordered.iter().filter_map(|it| it.domain).flat_map(|ty| members(model, ty)).collect();
        let identities = identity_types(model);
        let may_move = |class: &&Class| {
            let mut types = class.types.iter();
            !none_moves
                && class.size <= MOST_MEMBERS
                && types.clone().any(|ty| identities.contains(ty))
                && !types.any(|ty| ordered.contains(ty))
        };
        let classes: Vec<&Class> = broken.iter().filter(may_move).collect();
        let types: Vec<Vec<TypeId>> = classes.iter().map(|class| class.types.clone()).collect();
        let identities = Identities::new(model, &types);
        Self { model, classes, identities, ordered }
    }

    pub(crate) fn tables(&self) -> Tables<'_> {
        Tables::new(self.model, &self.identities, &self.ordered)
    }

    /// The groups that all automorphisms found make up.
    pub(crate) fn joints(&self) -> Vec<Joint> {
        if self.classes.is_empty() { Vec::new() } else { self.split(self.tables().automorphisms()) }
    }

    /// The places that stand in the way of more automorphisms.
    pub(crate) fn culprits(&self) -> Vec<Culprit> {
        let culprits = self.tables().culprits().into_iter();
        culprits.map(|(span, generators)| Culprit { span, joints: self.split(generators) }).collect()
    }

    /// Takes a group apart into groups on different classes.
    fn split(&self, generators: Vec<Permutation>) -> Vec<Joint> {
        if generators.is_empty() {
            return Vec::new();
        }
        let all = Group::new(self.identities.n_points(), generators);
        let factors = all.disjoint_factors();
        let mut together = DisjointSets::new(self.classes.len());
        for factor in &factors {
            let first = self.identities.class_of(factor[0]);
            factor.iter().for_each(|&point| {
                together.merge(first, self.identities.class_of(point));
            });
        }
        let mut leaders: Vec<usize> = factors.iter().map(|factor| self.identities.class_of(factor[0])).collect();
        leaders = leaders.into_iter().map(|class| together.find(class)).collect();
        leaders.sort_unstable();
        leaders.dedup();
        let joint = |leader: usize| {
            let classes: Vec<usize> = (0..self.classes.len()).filter(|&class| together.find(class) == leader).collect();
            self.joint(&classes, &all)
        };
        leaders.into_iter().map(joint).collect()
    }

    fn joint(&self, classes: &[usize], all: &Group) -> Joint {
        let points = classes.iter().flat_map(|&class| {
            let class = &self.identities.classes()[class];
            class.first..class.first + class.size
        });
        let group = all.restrict(&points.collect::<Vec<usize>>());
        let structure = Structure::of(&group);
        let class = |&class: &usize| SymmetricClass {
            name: self.classes[class].name(self.model),
            types: self.classes[class].types.clone(),
            size: self.classes[class].size,
        };
        Joint { classes: classes.iter().map(class).collect(), group, structure }
    }
}
