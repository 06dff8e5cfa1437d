//! Canonical words by structure: sorting, rotating and nesting where that suffices, search where it does not.
//!
//! Clarke, Emerson, Jha and Sistla, *Symmetry reductions in model checking* (1998), for products; Booth,
//! *Lexicographically least circular substrings* (1980), for rings.

use std::collections::BTreeSet;

use crate::{Group, ImageSearch, Permutation, Structure, Word};

/// Finds for every word a permutation of the group that takes it to the representative of its orbit.
///
/// For symmetric, alternating and general groups that is the lexicographically least word; so it is for products of them
/// on disjoint points, and for rings and blocks that list their points in ascending order. For other rings and blocks it
/// is the least word in the order in which those list the points. In every case it is one per orbit.
#[derive(Debug, Clone)]
pub struct Canoniser {
    degree: usize,
    plan: Plan,
}

#[derive(Debug, Clone)]
enum Plan {
    Nothing,
    Sort { points: Vec<usize>, even: bool },
    Rotate { ring: Vec<usize>, reflect: bool },
    Each(Vec<Plan>),
    Nest { blocks: Vec<Vec<usize>>, inner: Box<Plan>, outer: Box<Plan> },
    Search { points: Vec<usize>, search: Box<ImageSearch> },
}

impl Canoniser {
    /// Prepares for a group.
    pub fn new(group: &Group) -> Self {
        Self::with_structure(group.degree(), &Structure::of(group))
    }

    /// Prepares for a group whose structure is known.
    pub fn with_structure(degree: usize, structure: &Structure) -> Self {
        Canoniser { degree, plan: Plan::new(structure) }
    }

    /// The permutation that takes the word to the representative of its orbit.
    ///
    /// # Panics
    /// If there are not as many letters as points.
    pub fn canonise(&self, word: &[u64]) -> Permutation {
        assert_eq!(self.degree, word.len(), "as many letters as points");
        let mut sources: Vec<usize> = (0..self.degree).collect();
        self.plan.arrange(word, &mut sources);
        Permutation::from_images(&sources).expect("plans permute the sources").inverse()
    }
}

impl Plan {
    fn new(structure: &Structure) -> Plan {
        match structure {
            Structure::Trivial => Plan::Nothing,
            Structure::Symmetric(points) => Plan::Sort { points: points.clone(), even: false },
            Structure::Alternating(points) => Plan::Sort { points: points.clone(), even: true },
            Structure::Cyclic(ring) => Plan::Rotate { ring: ring.clone(), reflect: false },
            Structure::Dihedral(ring) => Plan::Rotate { ring: ring.clone(), reflect: true },
            Structure::Disjoint(factors) => Plan::Each(factors.iter().map(Plan::new).collect()),
            Structure::Wreath { blocks, inner, outer } => Plan::Nest {
                blocks: blocks.clone(),
                inner: Box::new(Plan::new(inner)),
                outer: Box::new(Plan::new(outer)),
            },
            Structure::General { points, group } => {
                Plan::Search { points: points.clone(), search: Box::new(ImageSearch::new(group)) }
            }
        }
    }

    /// Writes for each position that moves from where it takes its letter.
    fn arrange(&self, word: &[u64], sources: &mut [usize]) {
        match self {
            Plan::Nothing => {}
            Plan::Sort { points, even } => sort(points, *even, word, sources),
            Plan::Rotate { ring, reflect } => rotate(ring, *reflect, word, sources),
            Plan::Each(plans) => plans.iter().for_each(|plan| plan.arrange(word, sources)),
            Plan::Nest { blocks, inner, outer } => nest(blocks, inner, outer, word, sources),
            Plan::Search { points, search } => {
                let letters: Vec<u64> = points.iter().map(|&point| word[point]).collect();
                let places = search.canonical(&Word(&letters)).element.inverse();
                for (&position, place) in points.iter().zip(places.images()) {
                    sources[position] = points[place];
                }
            }
        }
    }
}

fn sort(points: &[usize], even: bool, word: &[u64], sources: &mut [usize]) {
    let mut places: Vec<usize> = (0..points.len()).collect();
    places.sort_by_key(|&place| word[points[place]]);
    if even && Permutation::from_images(&places).is_some_and(|p| !p.is_even()) {
        // Equal letters can change places unseen; if there are none, the two greatest must stand the wrong way round.
        let letter = |place: usize| word[points[place]];
        let twins = places.windows(2).position(|pair| letter(pair[0]) == letter(pair[1]));
        let swapped = twins.unwrap_or(places.len() - 2);
        places.swap(swapped, swapped + 1);
    }
    for (&position, place) in points.iter().zip(places) {
        sources[position] = points[place];
    }
}

fn rotate(ring: &[usize], reflect: bool, word: &[u64], sources: &mut [usize]) {
    let n = ring.len();
    let turned = |ring: &[usize]| {
        let letters: Vec<u64> = ring.iter().map(|&point| word[point]).collect();
        let start = least_rotation(&letters);
        (0..n).map(|i| ring[(start + i) % n]).collect::<Vec<usize>>()
    };
    let mut best = turned(ring);
    if reflect {
        let reversed: Vec<usize> = ring.iter().rev().copied().collect();
        let other = turned(&reversed);
        if other.iter().map(|&point| word[point]).lt(best.iter().map(|&point| word[point])) {
            best = other;
        }
    }
    for (&position, source) in ring.iter().zip(best) {
        sources[position] = source;
    }
}

/// Where the lexicographically least rotation starts. Two candidates are compared letter by letter; when they differ
/// after `k` equal letters, none of the starts up to `k` behind the greater one can be least, so the time is linear.
fn least_rotation(letters: &[u64]) -> usize {
    let n = letters.len();
    let (mut a, mut b, mut k) = (0, 1, 0);
    while a < n && b < n && k < n {
        match letters[(a + k) % n].cmp(&letters[(b + k) % n]) {
            std::cmp::Ordering::Equal => {
                k += 1;
                continue;
            }
            std::cmp::Ordering::Greater => a += k + 1,
            std::cmp::Ordering::Less => b += k + 1,
        }
        if a == b {
            b += 1;
        }
        k = 0;
    }
    a.min(b)
}

fn nest(blocks: &[Vec<usize>], inner: &Plan, outer: &Plan, word: &[u64], sources: &mut [usize]) {
    let arranged: Vec<Arranged> = blocks.iter().map(|block| Arranged::new(block, inner, word)).collect();
    let distinct: Vec<&Vec<u64>> =
        arranged.iter().map(|block| &block.letters).collect::<BTreeSet<_>>().into_iter().collect();
    let rank = |block: &Arranged| distinct.partition_point(|&letters| *letters < block.letters) as u64;
    let ranks: Vec<u64> = arranged.iter().map(rank).collect();
    let mut from: Vec<usize> = (0..blocks.len()).collect();
    outer.arrange(&ranks, &mut from);
    for (positions, &source) in blocks.iter().zip(&from) {
        for (&position, &point) in positions.iter().zip(&arranged[source].points) {
            sources[position] = point;
        }
    }
}

/// A block with its points in the order that makes its own word canonical.
struct Arranged {
    points: Vec<usize>,
    letters: Vec<u64>,
}

impl Arranged {
    fn new(block: &[usize], inner: &Plan, word: &[u64]) -> Self {
        let letters: Vec<u64> = block.iter().map(|&point| word[point]).collect();
        let mut places: Vec<usize> = (0..block.len()).collect();
        inner.arrange(&letters, &mut places);
        Arranged {
            points: places.iter().map(|&place| block[place]).collect(),
            letters: places.iter().map(|&place| letters[place]).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_rotation_is_least() {
        for length in 1..9u32 {
            for number in 0..3u64.pow(length.min(7)) {
                let letters: Vec<u64> = (0..length).map(|i| number / 3u64.pow(i) % 3).collect();
                let rotated = |start: usize| {
                    let mut word = letters.clone();
                    word.rotate_left(start);
                    word
                };
                let least = (0..letters.len()).map(rotated).min().expect("there is a rotation");
                assert_eq!(rotated(least_rotation(&letters)), least);
            }
        }
    }

    #[test]
    fn an_even_permutation_sorts_unless_all_letters_differ() {
        let canoniser = Canoniser::new(&Group::alternating(4));
        let canonical = |word: [u64; 4]| canoniser.canonise(&word).permute(&word);
        assert_eq!(canonical([4, 3, 2, 1]), [1, 2, 3, 4]);
        assert_eq!(canonical([3, 4, 2, 1]), [1, 2, 4, 3]);
        assert_eq!(canonical([3, 4, 1, 1]), [1, 1, 3, 4]);
    }
}
