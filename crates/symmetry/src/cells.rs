//! A model's automorphisms taken apart: all permutations within some cells, and the rest.
//!
// SOUND: the factors of a group of automorphisms that move disjoint sets of points are groups of automorphisms, and each
// permutation of the one commutes with each of the other. So the whole group is the direct product of the symmetric
// groups on the cells and of what the other factors generate.

use burnside_group::{Group, Permutation, Structure};

use crate::blocks::Blocks;
use crate::symmetry::Permutations;

/// Cells of vertices between which permutations may move them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    /// The vertices, cell by cell.
    pub(crate) seats: Vec<u32>,
    /// Where each cell begins, and the end of all.
    pub(crate) firsts: Vec<u32>,
}

impl Cells {
    /// These cells, which must cover all vertices.
    pub fn new(cells: &[Vec<usize>]) -> Self {
        let mut made = Self { seats: Vec::new(), firsts: vec![0] };
        for cell in cells {
            made.push(cell.iter().map(|&vertex| vertex as u32));
        }
        made
    }

    /// The cells in their order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.firsts.windows(2).map(|pair| &self.seats[pair[0] as usize..pair[1] as usize])
    }

    /// Those within which all permutations are automorphisms: the proved classes, the parts of other classes whose members
    /// can all be exchanged, the leaders of blocks that can, and every other vertex by itself.
    pub(crate) fn of(symmetry: &Permutations) -> Self {
        let mut cells = Self { seats: Vec::new(), firsts: vec![0] };
        for class in &symmetry.classes {
            let first = cells.seats.len() as u32;
            cells.push(first..first + class.size);
        }
        for joint in &symmetry.joints {
            let first = cells.seats.len() as u32;
            let mut is_done = vec![false; joint.group.degree()];
            for blocks in factors(&joint.structure).iter().filter_map(symmetric_blocks) {
                cells.push(blocks.iter().map(|block| first + block[0] as u32));
                blocks.iter().for_each(|block| is_done[block[0]] = true);
            }
            for (point, _) in is_done.iter().enumerate().filter(|(_, is_done)| !**is_done) {
                cells.push([first + point as u32]);
            }
        }
        cells
    }

    fn push(&mut self, cell: impl IntoIterator<Item = u32>) {
        self.seats.extend(cell);
        self.firsts.push(self.seats.len() as u32);
    }

    /// The lengths of all cells.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = u32> {
        self.firsts.windows(2).map(|pair| pair[1] - pair[0])
    }

    /// Whether no cell has two vertices.
    pub(crate) fn are_single(&self) -> bool {
        self.lengths().all(|length| length == 1)
    }
}

/// What all joints generate, as permutations of vertices.
pub(crate) fn joint_group(symmetry: &Permutations) -> Group {
    group(symmetry, Structure::generators)
}

/// What all factors generate that are no symmetric groups.
pub(crate) fn rest(symmetry: &Permutations) -> Group {
    group(symmetry, |structure, degree| match symmetric_blocks(structure) {
        Some(_) => Vec::new(),
        None => structure.generators(degree),
    })
}

fn group(symmetry: &Permutations, generators: impl Fn(&Structure, usize) -> Vec<Permutation>) -> Group {
    let degree: usize = symmetry.moving_classes().map(|class| class.size as usize).sum();
    let mut first: usize = symmetry.classes.iter().map(|class| class.size as usize).sum();
    let mut all = Vec::new();
    for joint in &symmetry.joints {
        let size = joint.group.degree();
        for permutation in factors(&joint.structure).iter().flat_map(|factor| generators(factor, size)) {
            let moved = |vertex: usize| match vertex.checked_sub(first) {
                Some(point) if point < size => first + permutation.image(point),
                _ => vertex,
            };
            let images: Vec<usize> = (0..degree).map(moved).collect();
            all.push(Permutation::from_images(&images).expect("a permutation within a stretch of vertices"));
        }
        first += size;
    }
    Group::new(degree, all)
}

fn factors(structure: &Structure) -> &[Structure] {
    match structure {
        Structure::Disjoint(factors) => factors,
        other => std::slice::from_ref(other),
    }
}

/// The blocks that a factor permutes in every way as wholes: points of their own, or several that move together.
fn symmetric_blocks(structure: &Structure) -> Option<Vec<Vec<usize>>> {
    match structure {
        Structure::Symmetric(points) => Some(points.iter().map(|&point| vec![point]).collect()),
        Structure::Wreath { blocks, inner, outer } => match (&**inner, &**outer) {
            (Structure::Trivial, Structure::Symmetric(numbers)) if numbers.len() == blocks.len() => {
                Some(blocks.clone())
            }
            _ => None,
        },
        _ => None,
    }
}

/// The vertices that move together within cells.
pub(crate) fn blocks(symmetry: &Permutations) -> Blocks {
    let n_vertices: usize = symmetry.moving_classes().map(|class| class.size as usize).sum();
    let mut first: usize = symmetry.classes.iter().map(|class| class.size as usize).sum();
    let mut all = Vec::new();
    for joint in &symmetry.joints {
        for block in factors(&joint.structure).iter().filter_map(symmetric_blocks).flatten() {
            if block.len() > 1 {
                all.push(block.iter().map(|&point| (first + point) as u32).collect());
            }
        }
        first += joint.group.degree();
    }
    Blocks::new(n_vertices, all)
}
