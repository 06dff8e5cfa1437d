//! Everything about groups of small degree, compared with the list of all their elements.

use std::collections::BTreeSet;

use burnside_group::{Group, Natural, Partition, Permutation};

/// All elements, by multiplying with generators until nothing new comes.
fn closure(degree: usize, generators: &[Permutation]) -> BTreeSet<Permutation> {
    let identity = Permutation::identity(degree);
    let mut frontier = vec![identity.clone()];
    let mut elements = BTreeSet::from([identity]);
    while let Some(element) = frontier.pop() {
        for generator in generators {
            let next = element.then(generator);
            if elements.insert(next.clone()) {
                frontier.push(next);
            }
        }
    }
    elements
}

fn all_permutations(degree: usize) -> Vec<Permutation> {
    Group::symmetric(degree).elements().collect()
}

/// The subgroups of the symmetric group that one or two of the given elements generate, each once.
fn subgroups(degree: usize, elements: &[Permutation]) -> Vec<(Vec<Permutation>, BTreeSet<Permutation>)> {
    let mut known = BTreeSet::new();
    let mut subgroups = Vec::new();
    for (i, a) in elements.iter().enumerate() {
        for b in &elements[..=i] {
            let generators = vec![a.clone(), b.clone()];
            let members = closure(degree, &generators);
            if known.insert(members.clone()) {
                subgroups.push((generators, members));
            }
        }
    }
    subgroups
}

fn check(degree: usize, generators: &[Permutation], members: &BTreeSet<Permutation>, all: &[Permutation]) {
    let group = Group::new(degree, generators.to_vec());
    let deterministic = Group::new_deterministic(degree, generators.to_vec());
    assert_eq!(group, deterministic);
    assert_eq!(group.base(), deterministic.base());
    assert_eq!(group.basic_orbit_lengths(), deterministic.basic_orbit_lengths());
    assert_eq!(*group.order(), Natural::from(members.len() as u128), "{generators:?}");
    assert!(group.elements().eq(members.iter().cloned()), "elements of {generators:?}");
    assert!(all.iter().all(|element| group.contains(element) == members.contains(element)));
    assert_eq!(Group::new(degree, group.irredundant_generators()), group);
    check_stabilisers(&group, members);
}

fn check_stabilisers(group: &Group, members: &BTreeSet<Permutation>) {
    let degree = group.degree();
    for mask in 0..1u32 << degree {
        let points: Vec<usize> = (0..degree).filter(|point| mask >> point & 1 == 1).collect();
        let fixes_each = |g: &&Permutation| points.iter().all(|&point| g.image(point) == point);
        let fixes_set = |g: &&Permutation| points.iter().all(|&point| points.contains(&g.image(point)));
        assert!(group.pointwise_stabiliser(&points).elements().eq(members.iter().filter(fixes_each).cloned()));
        assert!(group.setwise_stabiliser(&points).elements().eq(members.iter().filter(fixes_set).cloned()));
    }
}

#[test]
fn every_subgroup_of_s4() {
    let all = all_permutations(4);
    let subgroups = subgroups(4, &all);
    assert_eq!(subgroups.len(), 30, "all subgroups of S4 need at most two generators");
    for (generators, members) in &subgroups {
        check(4, generators, members, &all);
    }
}

#[test]
fn every_two_generator_subgroup_of_s5() {
    let all = all_permutations(5);
    let subgroups = subgroups(5, &all);
    assert_eq!(subgroups.len(), 156, "all subgroups of S5 need at most two generators");
    for (generators, members) in &subgroups {
        check(5, generators, members, &all);
    }
}

#[test]
fn sampled_subgroups_of_s6() {
    let all = all_permutations(6);
    let mut rng = fastrand::Rng::with_seed(6);
    let sample: Vec<Permutation> = (0..24).map(|_| all[rng.usize(..all.len())].clone()).collect();
    for (generators, members) in subgroups(6, &sample) {
        check(6, &generators, &members, &all);
    }
}

#[test]
fn partition_stabilisers_in_every_subgroup_of_s5() {
    let all = all_permutations(5);
    let keys = [[0, 0, 1, 1, 2], [0, 1, 0, 1, 0], [0, 1, 2, 2, 2], [0, 1, 2, 1, 0], [0, 1, 2, 3, 4]];
    for (generators, members) in subgroups(5, &all) {
        let group = Group::new(5, generators);
        for keys in &keys {
            let preserves = |g: &&Permutation| (0..5).all(|point| keys[g.image(point)] == keys[point]);
            let stabiliser = group.partition_stabiliser(&Partition::from_keys(keys));
            assert!(stabiliser.elements().eq(members.iter().filter(preserves).cloned()));
        }
    }
}
