//! Our representatives and orbit sizes against nauty (McKay and Piperno, *Practical graph isomorphism, II*), where its
//! program is installed (Debian's `nauty`); skipped with a message where it is not.
//!
//! Only classes are compared here; other groups are compared with brute force elsewhere.
//!
//! Nothing is shared but the model's types: the graph that nauty sees is made from unpacked states in [`graph`], apart
//! from the picture that `refine` makes of packed ones.

#![allow(clippy::print_stderr, reason = "tests say how much they covered")]

mod dreadnaut;
mod graph;

use std::collections::BTreeMap;

use burnside_diag::FileId;
use burnside_ir::{Layout, Model, Type, UNDEFINED};
use burnside_symmetry::{OrbitCounter, Reduction, Strategy, Symmetry};
use burnside_testkit::{Config, Permutation, explore, permute, random_model};

use dreadnaut::{Answer, ask};
use graph::Graph;

/// How many random models or states are tried: a sample, or as many as `BURNSIDE_SEEDS` says.
fn n_seeds(sample: u64) -> u64 {
    std::env::var("BURNSIDE_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(sample)
}

/// A model whose states are compared.
struct Subject {
    model: Model,
    layout: Layout,
    symmetry: Symmetry,
    reduction: Reduction,
}

impl Subject {
    fn new(model: Model) -> Self {
        let layout = Layout::new(&model).expect("the model is small");
        let symmetry = Symmetry::find_classes(&model);
        let reduction = Reduction::new(&model, &layout, &symmetry, Strategy::Refine);
        Self { model, layout, symmetry, reduction }
    }

    fn load(text: &str) -> Self {
        let loaded = burnside_murphi::load(FileId(0), text, &burnside_murphi::Options::default());
        Self::new(loaded.model.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics)))
    }

    fn group_order(&self) -> u128 {
        self.symmetry.classes.iter().flat_map(|class| 1..=u128::from(class.size)).product()
    }

    fn packed(&self, state: &[i64]) -> Vec<u64> {
        let mut packed = vec![0; self.layout.n_words()];
        self.layout.pack(state, &mut packed);
        packed
    }

    fn orbit_size(&self, packed: &[u64]) -> u128 {
        let mut counter = OrbitCounter::new(&self.reduction).expect("the group is small");
        counter.note(packed);
        let (&size, _) = counter.finish().sizes.first_key_value().expect("one orbit was noted");
        size
    }

    /// Compares what we say of some states with what nauty says, and returns that, if there is nauty.
    fn compare(&self, states: &[Vec<i64>], name: &str) -> Option<Vec<Answer>> {
        let graphs: Vec<Graph> =
            states.iter().map(|state| Graph::of_state(&self.model, &self.symmetry, state)).collect();
        let answers = ask(&graphs)?;
        let mut canonicaliser = self.reduction.exact();
        let (mut by_form, mut by_state) = (BTreeMap::new(), BTreeMap::new());
        for (state, answer) in states.iter().zip(&answers) {
            let mut packed = self.packed(state);
            let size = self.orbit_size(&packed);
            assert_eq!(size * answer.n_automorphisms, self.group_order(), "{name}: the orbit of {state:?}");
            canonicaliser.canonicalise(&mut packed);
            let first = by_form.entry(&answer.form).or_insert_with(|| (packed.clone(), state));
            assert_eq!(first.0, packed, "{name}: one orbit, two representatives: {:?} and {state:?}", first.1);
            let first = by_state.entry(packed).or_insert((&answer.form, state));
            assert_eq!(*first.0, answer.form, "{name}: two orbits, one representative: {:?} and {state:?}", first.1);
        }
        Some(answers)
    }

    /// The image of a state under a random permutation of every sort.
    fn image(&self, state: &[i64], rng: &mut fastrand::Rng) -> Vec<i64> {
        let sorts = self.model.types.sorts().map(|(_, sort)| (0..i64::from(sort.size)).collect());
        let mut permutation: Permutation = sorts.collect();
        permutation.iter_mut().for_each(|members| rng.shuffle(members));
        permute(&self.model, &self.layout, &permutation, state)
    }
}

#[test]
fn states_of_random_models_have_the_representatives_that_nauty_tells_apart() {
    let (mut n_models, mut n_states, mut n_forms) = (0, 0, 0);
    for seed in 0..n_seeds(300) {
        let config = Config { symmetry: burnside_testkit::Symmetry::Full, ..Config::random(seed) };
        let subject = Subject::new(random_model(seed, &config));
        if subject.symmetry.classes.is_empty() {
            continue;
        }
        let mut states: Vec<Vec<i64>> = explore(&subject.model, 150).states.into_iter().collect();
        states.sort();
        let Some(answers) = subject.compare(&states, &format!("seed {seed}")) else { return };
        n_models += 1;
        n_states += states.len();
        let mut forms: Vec<&str> = answers.iter().map(|answer| answer.form.as_str()).collect();
        forms.sort_unstable();
        forms.dedup();
        n_forms += forms.len();
    }
    eprintln!("{n_states} states of {n_models} models in {n_forms} orbits");
    assert!(n_models > 0 && n_forms < n_states, "there are symmetric models, and states of one orbit");
}

/// Everything by which a state can refer to identities.
const REFERENCES: &str = "
    const N: 5;
    type P: scalarset(N); Q: scalarset(2); U: union {P, Q, enum {nobody}};
         Letter: record from: P; dest: U; urgent: boolean; end;
    var next: array [P] of P;
        knows: array [P] of array [P] of boolean;
        likes: array [P] of array [Q] of P;
        owner: array [U] of U;
        post: multiset [3] of Letter;
        boxes: array [Q] of multiset [2] of U;
        queue: array [0..1] of Letter;
        turn: U;
    startstate begin undefine next; undefine post; turn := nobody; end;
    ruleset p: P do rule \"turn\" begin turn := p; next[p] := p; end end;";

/// A state with any values. Few of them are used, so that many identities look alike.
fn random_state(subject: &Subject, rng: &mut fastrand::Rng) -> Vec<i64> {
    let variety = rng.f64();
    let default_is_undefined = rng.bool();
    let slots = subject.layout.slots().iter().map(|slot| {
        let shape = subject.model.types.shape(slot.ty);
        // The presence of a multiset's element is a slot of the multiset's type.
        let (lo, hi) = if matches!(subject.model.types.get(slot.ty), Type::Multiset { .. }) {
            (0, 0)
        } else {
            (shape.lo, shape.hi)
        };
        match () {
            () if rng.f64() < variety => rng.i64(lo..=hi),
            () if default_is_undefined => UNDEFINED,
            () => hi,
        }
    });
    let mut state: Vec<i64> = slots.collect();
    for region in subject.layout.multisets() {
        let stride = region.stride as usize;
        let first = region.first as usize;
        for element in state[first..first + region.capacity as usize * stride].chunks_mut(stride) {
            if element[0] == UNDEFINED {
                element.fill(UNDEFINED);
            }
        }
    }
    subject.layout.normalise(&mut state);
    state
}

#[test]
fn states_full_of_references_have_the_representatives_that_nauty_tells_apart() {
    let subject = Subject::load(REFERENCES);
    // The places of the queue are interchangeable too: nothing asks which comes first.
    assert_eq!(subject.symmetry.classes.len(), 3, "{:?}", subject.symmetry);
    let mut rng = fastrand::Rng::with_seed(4);
    let mut states: Vec<Vec<i64>> = (0..n_seeds(1500)).map(|_| random_state(&subject, &mut rng)).collect();
    for number in 0..states.len() {
        states.push(subject.image(&states[number], &mut rng));
    }
    let Some(answers) = subject.compare(&states, "references") else { return };
    let n_symmetric = answers.iter().filter(|answer| answer.n_automorphisms > 1).count();
    eprintln!("{} states, {n_symmetric} of them with symmetry of their own", states.len());
    assert!(n_symmetric > states.len() / 20);
}

/// A graph on identities as a matrix and, apart from that, as a multiset of arcs.
fn model_of_graphs(n_vertices: usize, n_arcs: usize) -> Subject {
    Subject::load(&format!(
        "type P: scalarset({n_vertices}); Arc: record from: P; dest: P; end;
         var edge: array [P] of array [P] of boolean; arcs: multiset [{n_arcs}] of Arc;
         startstate begin undefine arcs; for p: P do for q: P do edge[p][q] := false end end end;
         ruleset p: P; q: P do rule begin edge[p][q] := !edge[p][q] end end;"
    ))
}

/// The state in which a graph is kept as a matrix, and the one in which it is kept as arcs.
fn states_of_graph(n_vertices: usize, n_arcs: usize, edges: &[(usize, usize)]) -> [Vec<i64>; 2] {
    let mut matrix = vec![0; n_vertices * n_vertices];
    let mut arcs = Vec::new();
    for &(one, other) in edges {
        matrix[one * n_vertices + other] = 1;
        matrix[other * n_vertices + one] = 1;
        arcs.extend([0, one as i64, other as i64, 0, other as i64, one as i64]);
    }
    arcs.resize(3 * n_arcs, UNDEFINED);
    let undefined = vec![UNDEFINED; 3 * n_arcs];
    [[matrix, undefined].concat(), [vec![0; n_vertices * n_vertices], arcs].concat()]
}

/// The edges between numbers below `n_vertices` that are related.
fn edges(n_vertices: usize, are_joined: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let pairs = (0..n_vertices).flat_map(|one| (0..one).map(move |other| (other, one)));
    pairs.filter(|&(one, other)| are_joined(one, other) || are_joined(other, one)).collect()
}

/// The edges of a graph and the number of its automorphisms.
type Known = (Vec<(usize, usize)>, u128);

/// Regular graphs, in which colour refinement sees nothing. Two with as many vertices and edges stand together: they are
/// to be told apart.
fn regular_graphs() -> Vec<(usize, [Known; 2])> {
    let hexagon = edges(6, |one, other| (one + 1) % 6 == other);
    let triangles = edges(6, |one, other| one / 3 == other / 3);
    let prism = edges(6, |one, other| one / 3 == other / 3 || one + 3 == other);
    let utility = edges(6, |one, other| one < 3 && other >= 3);
    let cube = edges(8, |one, other| (one ^ other).is_power_of_two());
    let wagner = edges(8, |one, other| (one + 1) % 8 == other || (one + 4) % 8 == other);
    let pairs: Vec<[usize; 2]> = (0..5).flat_map(|one| (0..one).map(move |other| [other, one])).collect();
    let petersen = edges(10, |one, other| pairs[one].iter().all(|point| !pairs[other].contains(point)));
    let pentagons = edges(10, |one, other| one / 5 == other / 5 && (one % 5 + 1) % 5 == other % 5 || one + 5 == other);
    // Both strongly regular with the same parameters.
    let rook = edges(16, |one, other| one != other && (one / 4 == other / 4 || one % 4 == other % 4));
    let shrikhande = edges(16, |one, other| {
        let step = ((other / 4 + 4 - one / 4) % 4, (other % 4 + 4 - one % 4) % 4);
        matches!(step, (0, 1) | (1, 0) | (1, 1))
    });
    vec![
        (6, [(hexagon, 12), (triangles, 72)]),
        (6, [(prism, 12), (utility, 72)]),
        (8, [(cube, 48), (wagner, 16)]),
        (10, [(petersen, 120), (pentagons, 20)]),
        (16, [(rook, 1152), (shrikhande, 192)]),
    ]
}

#[test]
fn regular_graphs_are_told_apart_and_their_automorphisms_counted() {
    let mut rng = fastrand::Rng::with_seed(10);
    for (n_vertices, graphs) in regular_graphs() {
        let n_arcs = 2 * graphs[0].0.len();
        let subject = model_of_graphs(n_vertices, n_arcs);
        assert_eq!(subject.symmetry.classes.len(), 1, "{:?}", subject.symmetry);
        let (mut states, mut orders) = (Vec::new(), Vec::new());
        for (edges, order) in graphs {
            for mut state in states_of_graph(n_vertices, n_arcs, &edges) {
                subject.layout.normalise(&mut state);
                states.extend((0..6).map(|_| subject.image(&state, &mut rng)));
                orders.extend([order; 6]);
            }
        }
        let Some(answers) = subject.compare(&states, &format!("{n_vertices} vertices")) else { return };
        for (answer, order) in answers.iter().zip(orders) {
            assert_eq!(answer.n_automorphisms, order, "{n_vertices} vertices");
        }
    }
}
