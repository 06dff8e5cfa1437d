//! Algebraic laws on random permutations, partitions and groups.

use burnside_group::{Group, ImageSearch, Natural, Partition, Permutation, Structure, Word, orbits};
use proptest::prelude::*;

fn permutation(degree: usize) -> impl Strategy<Value = Permutation> {
    Just((0..degree).collect::<Vec<usize>>())
        .prop_shuffle()
        .prop_map(|images| Permutation::from_images(&images).expect("a shuffle is a bijection"))
}

fn group(degree: usize) -> impl Strategy<Value = Group> {
    // Powers make small orders likely; random permutations alone nearly always generate everything.
    prop::collection::vec((permutation(degree), 1..7i64), 1..4)
        .prop_map(move |elements| Group::new(degree, elements.into_iter().map(|(p, e)| p.power(e)).collect()))
}

fn partition(degree: usize) -> impl Strategy<Value = Partition> {
    prop::collection::vec(0..4u8, degree).prop_map(|keys| Partition::from_keys(&keys))
}

proptest! {
    #[test]
    fn permutations_form_a_group(a in permutation(9), b in permutation(9), c in permutation(9), k in -20..20i64) {
        let identity = Permutation::identity(9);
        prop_assert_eq!(a.then(&b).then(&c), a.then(&b.then(&c)));
        prop_assert_eq!(a.then(&a.inverse()), identity.clone());
        prop_assert_eq!(a.then(&b).inverse(), b.inverse().then(&a.inverse()));
        prop_assert_eq!(a.power(k).then(&a.power(1 - k)), a.clone());
        prop_assert_eq!(a.then(&b).is_even(), a.is_even() == b.is_even());
        prop_assert_eq!(a.conjugate(&b).order(), a.order());
        let order = a.order().to_u128().expect("a small order") as i64;
        prop_assert!((1..order).all(|e| !a.power(e).is_identity()) && a.power(order).is_identity());
    }

    #[test]
    fn text_is_read_back(a in permutation(12)) {
        prop_assert_eq!(Permutation::parse(12, &a.to_string()), Ok(a));
    }

    #[test]
    fn partitions_form_a_lattice(a in partition(10), b in partition(10), g in permutation(10)) {
        let meet = a.meet(&b);
        prop_assert_eq!(&meet, &b.meet(&a));
        prop_assert_eq!(a.meet(&a), a.clone());
        prop_assert!(meet.refines(&a) && meet.refines(&b));
        prop_assert_eq!(a.refines(&b), meet == a);
        prop_assert_eq!(meet.permute(&g), a.permute(&g).meet(&b.permute(&g)));
        prop_assert_eq!(a.permute(&g).stabiliser_order(), a.stabiliser_order());
    }

    #[test]
    fn both_methods_agree(group in group(10)) {
        let other = Group::new_deterministic(10, group.generators().to_vec());
        prop_assert_eq!(&group, &other);
        prop_assert_eq!(group.base(), other.base());
        prop_assert_eq!(group.basic_orbit_lengths(), other.basic_orbit_lengths());
        let strong: Vec<Permutation> = group.strong_generators().cloned().collect();
        prop_assert_eq!(Group::new(10, strong), group);
    }

    #[test]
    fn random_elements_are_elements(group in group(10), seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (a, b) = (group.random(&mut rng), group.random(&mut rng));
        prop_assert!(group.contains(&a) && group.contains(&a.then(&b)) && group.contains(&a.inverse()));
    }

    #[test]
    fn an_orbit_times_a_stabiliser_is_the_group(group in group(10), point in 0..10usize) {
        let stabiliser = group.pointwise_stabiliser(&[point]);
        prop_assert!(stabiliser.is_subgroup_of(&group));
        prop_assert_eq!(group.index_of(&stabiliser), Some(Natural::from(group.orbit(point).len() as u128)));
    }

    #[test]
    fn conjugation_moves_orbits_and_stabilisers(group in group(9), by in permutation(9), keys in partition(9)) {
        let conjugate = group.conjugate(&by);
        prop_assert_eq!(conjugate.orbits(), group.orbits().permute(&by));
        prop_assert_eq!(conjugate.partition_stabiliser(&keys.permute(&by)), group.partition_stabiliser(&keys).conjugate(&by));
        prop_assert_eq!(conjugate.conjugate(&by.inverse()), group);
    }

    #[test]
    fn a_group_acts_as_its_restrictions(a in group(5), b in group(6)) {
        let product = a.direct_product(&b);
        prop_assert_eq!(product.order(), &(a.order() * b.order()));
        prop_assert_eq!(product.restrict(&[0, 1, 2, 3, 4]), a);
        prop_assert_eq!(product.restrict(&[5, 6, 7, 8, 9, 10]), b);
    }

    #[test]
    fn a_structure_is_the_group(group in group(9)) {
        let structure = Structure::of(&group);
        prop_assert_eq!(structure.order(), group.order().clone());
        prop_assert_eq!(Group::new(9, structure.generators(9)), group);
    }

    #[test]
    fn images_of_one_orbit_have_one_least_image(group in group(12), letters in prop::collection::vec(0..3u64, 12), seed: u64) {
        let search = ImageSearch::new(&group);
        let moved = group.random(&mut fastrand::Rng::with_seed(seed)).permute(&letters);
        let (a, b) = (search.canonical(&Word(&letters)), search.canonical(&Word(&moved)));
        prop_assert_eq!(a.element.permute(&letters), b.element.permute(&moved));
        prop_assert_eq!(&a.n_automorphisms, &b.n_automorphisms);
        let stabiliser = group.partition_stabiliser(&Partition::from_keys(&letters));
        prop_assert_eq!(&a.n_automorphisms, stabiliser.order());
        prop_assert_eq!(Group::new(12, a.automorphisms), stabiliser);
    }

    #[test]
    fn orbits_are_closed(generators in prop::collection::vec(permutation(8), 0..3)) {
        let partition = orbits(8, &generators);
        for (generator, point) in generators.iter().flat_map(|g| (0..8).map(move |point| (g, point))) {
            prop_assert_eq!(partition.cell_of(point), partition.cell_of(generator.image(point)));
        }
    }
}
