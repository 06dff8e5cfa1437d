//! Classes of identities, and how a permutation of their members acts on values.

use burnside_ir::{Model, Type, TypeId, Types, UNDEFINED};

/// Sets of types whose values are the members of one class. The members of all classes are numbered through as *points*.
#[derive(Debug, Clone)]
pub struct Identities {
    classes: Vec<IdentityClass>,
    /// By type: the point of each value, for types some of whose values are points.
    tables: Vec<Option<Table>>,
}

/// One class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityClass {
    /// The types whose values are its members, in the same order.
    pub types: Vec<TypeId>,
    /// The point of the first member.
    pub first: usize,
    /// Number of members.
    pub size: usize,
}

#[derive(Debug, Clone)]
struct Table {
    lo: i64,
    points: Vec<Option<usize>>,
}

impl Identities {
    /// The given classes. Types of one class must be scalar types with the same values; no type may be in two classes.
    pub fn new(model: &Model, classes: &[Vec<TypeId>]) -> Self {
        let mut first = 0;
        let classes: Vec<IdentityClass> = classes
            .iter()
            .map(|types| {
                let size = model.types.shape(types[0]).cardinality() as usize;
                let class = IdentityClass { types: types.clone(), first, size };
                first += size;
                class
            })
            .collect();
        let tables = model.types.iter().map(|(ty, _)| table(&model.types, &classes, ty)).collect();
        Self { classes, tables }
    }

    /// All classes, in the order of their points.
    pub fn classes(&self) -> &[IdentityClass] {
        &self.classes
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.classes.last().map_or(0, |class| class.first + class.size)
    }

    /// The number of the class a point belongs to.
    pub fn class_of(&self, point: usize) -> usize {
        self.classes.partition_point(|class| class.first <= point) - 1
    }

    /// The class whose members are exactly the values of a type.
    pub fn class_of_type(&self, ty: TypeId) -> Option<usize> {
        self.classes.iter().position(|class| class.types.contains(&ty))
    }

    /// Whether some values of a scalar type are points.
    pub fn acts_on(&self, ty: TypeId) -> bool {
        self.tables[ty.index()].is_some()
    }

    /// The point that a value of a type is, if it is one.
    pub fn point(&self, ty: TypeId, value: i64) -> Option<usize> {
        let table = self.tables[ty.index()].as_ref()?;
        if value == UNDEFINED {
            return None;
        }
        // A value of a wider range may be further away than numbers go.
        let at = usize::try_from(value.checked_sub(table.lo)?).ok()?;
        table.points.get(at).copied().flatten()
    }

    /// The value after the points moved: `images` says where each point goes, within its class.
    pub fn rename(&self, ty: TypeId, value: i64, images: &[u32]) -> i64 {
        match self.point(ty, value) {
            Some(point) => value + (i64::from(images[point]) - point as i64),
            None => value,
        }
    }

    /// Whether permutations act in the same way on the values of two types, part by part.
    pub fn act_alike(&self, types: &Types, left: TypeId, right: TypeId) -> bool {
        if left == right {
            return true;
        }
        match (types.get(left), types.get(right)) {
            (&Type::Array { index: li, element: le }, &Type::Array { index: ri, element: re }) => {
                self.act_alike(types, li, ri) && self.act_alike(types, le, re)
            }
            (Type::Record { fields: l }, Type::Record { fields: r }) => {
                l.len() == r.len() && l.iter().zip(r).all(|(l, r)| self.act_alike(types, l.ty, r.ty))
            }
            (&Type::Multiset { element: l, .. }, &Type::Multiset { element: r, .. }) => self.act_alike(types, l, r),
            _ => match (self.class_of_type(left), self.class_of_type(right)) {
                (Some(left), Some(right)) => left == right,
                (None, None) => !self.acts_on(left) && !self.acts_on(right),
                _ => false,
            },
        }
    }
}

fn table(types: &Types, classes: &[IdentityClass], ty: TypeId) -> Option<Table> {
    let class_of = |ty: TypeId| classes.iter().find(|class| class.types.contains(&ty));
    match types.get(ty) {
        Type::Union { members } => {
            let points: Vec<Option<usize>> = members
                .iter()
                .flat_map(|&member| {
                    let size = types.shape(member).cardinality() as usize;
                    let first = class_of(member).map(|class| class.first);
                    (0..size).map(move |number| first.map(|first| first + number))
                })
                .collect();
            points.iter().any(Option::is_some).then_some(Table { lo: 0, points })
        }
        _ => class_of(ty).map(|class| Table {
            lo: types.shape(ty).lo,
            points: (class.first..class.first + class.size).map(Some).collect(),
        }),
    }
}
