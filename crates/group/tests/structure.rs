//! Recognition of structure, and canonical words by it.

use std::collections::BTreeMap;

use burnside_group::{Canoniser, Group, Permutation, Structure};

fn check(group: &Group, text: &str) {
    let structure = Structure::of(group);
    assert_eq!(structure.to_string(), text);
    check_same(group, &structure);
    // Recognition does not depend on how the points are numbered.
    let mut rng = fastrand::Rng::with_seed(3);
    let renamed = group.conjugate(&Group::symmetric(group.degree()).random(&mut rng));
    let structure = Structure::of(&renamed);
    check_same(&renamed, &structure);
    let factors = |text: &str| {
        let mut factors: Vec<String> = text.split(" x ").map(str::to_owned).collect();
        factors.sort();
        factors
    };
    assert_eq!(factors(&structure.to_string()), factors(text));
}

fn check_same(group: &Group, structure: &Structure) {
    assert_eq!(Group::new(group.degree(), structure.generators(group.degree())), *group);
    assert_eq!(structure.order(), *group.order());
}

/// Rows of a table moved by a group, the columns keeping their order: point `c * n + i` is row `i` of column `c`.
fn rows(group: &Group, n_columns: usize) -> Group {
    let n = group.degree();
    let spread = |generator: &Permutation| {
        let images: Vec<usize> = (0..n * n_columns).map(|p| p / n * n + generator.image(p % n)).collect();
        Permutation::from_images(&images).expect("columns move alike")
    };
    Group::new(n * n_columns, group.generators().iter().map(spread).collect())
}

#[test]
fn known_families_are_recognised() {
    check(&Group::trivial(4), "1");
    for n in 4..9 {
        check(&Group::symmetric(n), &format!("S{n}"));
        check(&Group::alternating(n), &format!("A{n}"));
        check(&Group::cyclic(n), &format!("C{n}"));
        check(&Group::dihedral(n), &format!("D{n}"));
    }
    check(&Group::cyclic(2), "S2");
    check(&Group::cyclic(3), "C3");
    check(&Group::dihedral(3), "S3");
}

#[test]
fn products_on_disjoint_points_are_recognised() {
    check(&Group::symmetric(4).direct_product(&Group::cyclic(5)), "S4 x C5");
    check(&Group::symmetric(4).direct_product(&Group::trivial(3)).direct_product(&Group::dihedral(6)), "S4 x D6");
    check(&Group::new(5, vec![Permutation::from_cycles(5, &[&[0, 1], &[2, 3, 4]])]), "S2 x C3");
}

#[test]
fn wreath_products_are_recognised() {
    check(&Group::symmetric(3).wreath_product(&Group::symmetric(4)), "S3 wr S4");
    check(&Group::cyclic(4).wreath_product(&Group::symmetric(3)), "C4 wr S3");
    check(&Group::symmetric(3).wreath_product(&Group::dihedral(5)), "S3 wr D5");
    check(
        &Group::symmetric(2).wreath_product(&Group::symmetric(3)).wreath_product(&Group::cyclic(4)),
        "S2 wr (S3 wr C4)",
    );
    check(&Group::symmetric(2).wreath_product(&Group::symmetric(2)), "D4");
    let product = Group::symmetric(3).wreath_product(&Group::symmetric(3)).direct_product(&Group::symmetric(5));
    check(&product, "(S3 wr S3) x S5");
}

#[test]
fn rows_that_move_as_wholes_are_recognised() {
    check(&rows(&Group::symmetric(5), 3), "1 wr S5");
    check(&rows(&Group::cyclic(6), 2), "1 wr C6");
    check(&rows(&Group::symmetric(3).direct_product(&Group::symmetric(4)), 2), "(1 wr S3) x (1 wr S4)");
}

#[test]
fn clusters_with_a_head_are_recognised() {
    // Four clusters of a head and three workers: one fixed and three free places per block.
    let cluster = Group::symmetric(3).direct_product(&Group::trivial(1));
    check(&cluster.wreath_product(&Group::symmetric(4)), "S3 wr S4");
}

#[test]
fn what_is_no_product_stays_general() {
    let klein = Group::new(
        4,
        vec![Permutation::from_cycles(4, &[&[0, 1], &[2, 3]]), Permutation::from_cycles(4, &[&[0, 2], &[1, 3]])],
    );
    check(&klein, "G[degree 4, order 4]");
    check(&klein.wreath_product(&Group::symmetric(3)), "G[degree 4, order 4] wr S3");
}

#[test]
fn every_subgroup_of_s5_is_what_its_structure_says() {
    let all: Vec<Permutation> = Group::symmetric(5).elements().collect();
    let mut n_general = 0;
    let mut groups: Vec<Group> = Vec::new();
    for (i, a) in all.iter().enumerate() {
        for b in &all[..=i] {
            let group = Group::new(5, vec![a.clone(), b.clone()]);
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
    }
    for group in &groups {
        let structure = Structure::of(group);
        check_same(group, &structure);
        n_general += usize::from(structure.has_general());
        check_canoniser(group, 3);
    }
    // General are 5 regular groups of Klein, 6 affine groups of order 20, and 10 copies of S3 on three points that swap
    // the other two with every odd element.
    assert_eq!((groups.len(), n_general), (156, 5 + 6 + 10));
}

#[test]
fn canonical_words_by_structure_are_one_per_orbit() {
    check_canoniser(&Group::symmetric(3).wreath_product(&Group::symmetric(2)), 3);
    check_canoniser(&Group::cyclic(3).wreath_product(&Group::cyclic(3)), 2);
    check_canoniser(&rows(&Group::symmetric(4), 2), 2);
    check_canoniser(&rows(&Group::cyclic(4), 2), 2);
    check_canoniser(&Group::dihedral(7), 3);
    check_canoniser(&Group::alternating(4).direct_product(&Group::dihedral(4)), 2);
    check_canoniser(&Group::symmetric(2).direct_product(&Group::trivial(1)).wreath_product(&Group::symmetric(3)), 2);
}

/// For all words over an alphabet: the canonical word lies in the orbit and is the same for all of the orbit.
fn check_canoniser(group: &Group, n_letters: u64) {
    let canoniser = Canoniser::new(group);
    let degree = group.degree();
    let mut representative_of: BTreeMap<Vec<u64>, Vec<u64>> = BTreeMap::new();
    for number in 0..n_letters.pow(degree as u32) {
        let word: Vec<u64> = (0..degree).map(|i| number / n_letters.pow(i as u32) % n_letters).collect();
        let element = canoniser.canonise(&word);
        assert!(group.contains(&element));
        let least = group.elements().map(|g| g.permute(&word)).min().expect("a group has elements");
        let representative = element.permute(&word);
        let known = representative_of.entry(least).or_insert_with(|| representative.clone());
        assert_eq!(*known, representative, "{word:?} under {}", Structure::of(group));
    }
}
