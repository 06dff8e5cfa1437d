//! Values as points that permutations of identities move.

use std::collections::HashMap;

use burnside_group::Permutation;
use burnside_ir::{Model, TypeId};
use burnside_symmetry::Reduction;
use burnside_temporal::Point;

/// The values of some types as points: identities that move first, then as many points as the largest of the types has
/// values that do not.
#[derive(Debug)]
pub(crate) struct Points {
    n_vertices: usize,
    degree: usize,
    types: HashMap<TypeId, TypePoints>,
}

#[derive(Debug)]
struct TypePoints {
    lo: i64,
    /// By value.
    points: Vec<Point>,
    /// By point, the number of the value.
    numbers: HashMap<Point, u32>,
}

impl Points {
    pub(crate) fn new(model: &Model, reduction: Option<&Reduction>, types: impl IntoIterator<Item = TypeId>) -> Self {
        let n_vertices = reduction.map_or(0, Reduction::n_vertices);
        let mut made = Self { n_vertices, degree: n_vertices, types: HashMap::new() };
        for ty in types {
            if made.types.contains_key(&ty) {
                continue;
            }
            let shape = model.types.shape(ty);
            let vertices = reduction.map(|reduction| reduction.vertices(ty)).unwrap_or_default();
            let n_values = (shape.hi - shape.lo + 1) as u32;
            let point = |number: u32| {
                let vertex = vertices.get(number as usize).copied().flatten();
                vertex.unwrap_or(n_vertices as u32 + number)
            };
            let points: Vec<Point> = (0..n_values).map(point).collect();
            let numbers = points.iter().copied().zip(0..).collect();
            let highest = points.iter().max().map_or(0, |&point| point as usize + 1);
            made.degree = made.degree.max(highest);
            made.types.insert(ty, TypePoints { lo: shape.lo, points, numbers });
        }
        made
    }

    /// The number of points.
    pub(crate) fn degree(&self) -> usize {
        self.degree
    }

    /// Whether a point is an identity that moves.
    pub(crate) fn is_vertex(&self, point: Point) -> bool {
        (point as usize) < self.n_vertices
    }

    pub(crate) fn n_values(&self, ty: TypeId) -> usize {
        self.types[&ty].points.len()
    }

    /// All values of a type.
    pub(crate) fn domain(&self, ty: TypeId) -> Vec<Point> {
        self.types[&ty].points.clone()
    }

    pub(crate) fn point(&self, ty: TypeId, value: i64) -> Point {
        let ty = &self.types[&ty];
        ty.points[(value - ty.lo) as usize]
    }

    /// The place of a point's value among the values of a type.
    pub(crate) fn number(&self, ty: TypeId, point: Point) -> u32 {
        self.types[&ty].numbers[&point]
    }

    pub(crate) fn value(&self, ty: TypeId, point: Point) -> i64 {
        self.types[&ty].lo + i64::from(self.number(ty, point))
    }

    /// Where a value goes.
    pub(crate) fn image(&self, ty: TypeId, value: i64, by: &Permutation) -> i64 {
        self.value(ty, by.image(self.point(ty, value) as usize) as Point)
    }

    /// A permutation of identities as one of points.
    pub(crate) fn permutation(&self, images: &[u32]) -> Permutation {
        let fixed = images.len()..self.degree;
        let images: Vec<usize> = images.iter().map(|&image| image as usize).chain(fixed).collect();
        Permutation::from_images(&images).expect("identities are renamed one to one")
    }

    /// What a permutation of points does to identities.
    pub(crate) fn images(&self, permutation: &Permutation) -> Vec<u32> {
        permutation.images().take(self.n_vertices).map(|image| image as u32).collect()
    }
}
