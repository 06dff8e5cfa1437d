//! Groups other than all permutations, on models whose orbits can be counted by hand.

use burnside_driver::SymmetryChoice;
use burnside_symmetry::Strategy;

use crate::files::root;
use crate::strategies::ask;

/// The examples, with constants replaced.
fn example(name: &str, replaced: (&str, &str)) -> String {
    let text = std::fs::read_to_string(root().join("examples").join(name)).expect("an example");
    text.replace(replaced.0, replaced.1)
}

/// How many ways there are to colour the beads of a bracelet of `n` beads with two colours, by Burnside's lemma.
fn bracelets(n: u64) -> u64 {
    let gcd = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let rotations: u64 = (0..n).map(|k| 1 << gcd(n, k)).sum();
    let reflections: u64 = if n % 2 == 1 { n << n.div_ceil(2) } else { (n / 2) * ((1 << (n / 2)) + (2 << (n / 2))) };
    (rotations + reflections) / (2 * n)
}

#[test]
fn tokens_in_a_ring_are_bracelets() {
    for n in 3..=9 {
        let text = example("token-ring.m", ("N: 7", &format!("N: {n}")));
        let states = |choice| ask("token-ring.m", &text, choice).expect("a good model").states;
        assert_eq!(states(SymmetryChoice::Off), (1 << n) - 1);
        for strategy in [Strategy::Refine, Strategy::Enumerate] {
            assert_eq!(states(SymmetryChoice::Use(strategy)), bracelets(n) - 1, "{n} processes, {strategy:?}");
        }
        assert_eq!(states(SymmetryChoice::Auto), bracelets(n) - 1, "{n} processes");
    }
}

#[test]
fn rumours_in_a_cube_are_its_colourings() {
    let text = example("hypercube.m", ("", ""));
    let answer = |choice| ask("hypercube.m", &text, choice).expect("a good model");
    assert_eq!(answer(SymmetryChoice::Off).states, 255);
    for strategy in [Strategy::Refine, Strategy::Enumerate] {
        let answer = answer(SymmetryChoice::Use(strategy));
        // The vertices of a cube can be coloured in 22 ways up to rotations and reflections; one has nobody know.
        assert_eq!((answer.group_order.as_str(), answer.states), ("48", 21));
    }
}

/// Two rings of different sizes and a scalarset, each with tokens of its own: orbits are triples of orbits.
#[test]
fn orbits_of_a_product_are_products_of_orbits() {
    let text = "type P: 0..4; Q: ringset(4); S: scalarset(3);
        var a: array [P] of boolean; b: array [Q] of boolean; c: array [S] of boolean;
        startstate for p: P do a[p] := false; end; for q: Q do b[q] := false; end; for s: S do c[s] := false; end; end;
        ruleset p: P do rule begin a[p] := !a[p]; a[(p + 1) % 5] := a[(p + 1) % 5]; end; end;
        ruleset q: Q do rule begin b[q] := !b[q]; b[next(q)] := b[next(q)]; end; end;
        ruleset s: S do rule begin c[s] := !c[s]; end; end;";
    let answer = |choice| ask("product.m", text, choice).expect("a good model");
    assert_eq!(answer(SymmetryChoice::Off).states, 1 << 12);
    for strategy in [Strategy::Refine, Strategy::Enumerate] {
        let answer = answer(SymmetryChoice::Use(strategy));
        // 8 necklaces of 5 beads, 6 of 4, and 4 sizes of subsets.
        assert_eq!((answer.group_order.as_str(), answer.states), ("120", 8 * 6 * 4));
    }
}

/// A binary tree with 8 leaves: a wreath product of order 128, which is listed. Two nests of 4 leaves, order 1152, and 6
/// pairs that move together, order 720, which are searched.
#[test]
fn large_groups_are_searched() {
    let tree = "type Leaf: 0..7; var a: array [Leaf] of boolean;
        function twins(p: Leaf; q: Leaf): boolean; begin return p / 2 = q / 2; end;
        function cousins(p: Leaf; q: Leaf): boolean; begin return p / 4 = q / 4; end;
        startstate for p: Leaf do a[p] := false; end; end;
        ruleset p: Leaf do
          rule !a[p] & exists q: Leaf do twins(p, q) & !a[q] end ==> a[p] := true; end;
          rule a[p] & exists q: Leaf do cousins(p, q) & a[q] end ==> a[p] := false; end;
        end;";
    let answer = |text: &str, choice| ask("tree.m", text, choice).expect("a good model");
    for strategy in [Strategy::Refine, Strategy::Enumerate] {
        let found = answer(tree, SymmetryChoice::Use(strategy));
        // Subsets of the leaves: 3 for a pair, 6 for two pairs, 21 for all.
        assert_eq!((found.group_order.as_str(), found.states), ("128", 21), "{strategy:?}");
    }
    let nests = tree.replace("twins(p, q) &", "");
    for strategy in [Strategy::Refine, Strategy::Enumerate] {
        let found = answer(&nests, SymmetryChoice::Use(strategy));
        // Pairs of numbers up to 4.
        assert_eq!((found.group_order.as_str(), found.states), ("1152", 15), "{strategy:?}");
    }
    let pairs = "type P: 0..5; Q: 10..15; var a: array [P] of boolean; b: array [Q] of boolean;
        startstate for p: P do a[p] := false; end; for q: Q do b[q] := false; end; end;
        ruleset p: P do
          rule begin a[p] := !a[p]; end;
          rule a[p] ==> b[p + 10] := !b[p + 10]; end;
        end;";
    for strategy in [Strategy::Refine, Strategy::Enumerate] {
        let found = answer(pairs, SymmetryChoice::Use(strategy));
        // Multisets of 6 pairs of truth values.
        assert_eq!((found.group_order.as_str(), found.states), ("720", 84), "{strategy:?}");
    }
}

#[test]
fn a_ring_that_one_rule_breaks_is_not_rotated() {
    let text = std::fs::read_to_string(root().join("corpus/murphi/ring-broken.m")).expect("a model");
    let answer = |choice| ask("ring-broken.m", &text, choice).expect("a good model");
    assert_eq!(
        answer(SymmetryChoice::Use(Strategy::Refine)).violated_after,
        answer(SymmetryChoice::Off).violated_after
    );
    assert_eq!(answer(SymmetryChoice::Auto).violated_after, Some(Some(4)));
}
