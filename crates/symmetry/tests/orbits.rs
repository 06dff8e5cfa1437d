//! Permutations within cells against their definition, on states of random models.

use burnside_ir::{Layout, Model, Type};
use burnside_symmetry::{Action, Cells, Orbits, Permutations, Renaming, SymmetricClass};
use burnside_testkit::{Config, explore, random_model};

/// Every declared sort, whether or not anything is symmetric.
fn sorts(model: &Model) -> Permutations {
    let ids = model.types.iter().map(|(ty, _)| ty).filter(|&ty| matches!(model.types.get(ty), Type::Id(_)));
    let class = |ty| SymmetricClass {
        name: model.types.type_name(ty),
        types: vec![ty],
        size: model.types.shape(ty).cardinality() as u32,
    };
    Permutations::of_classes(ids.map(class).collect())
}

/// Cells of random points within classes, and a random permutation that keeps them.
fn random_cells(symmetry: &Permutations, rng: &mut fastrand::Rng) -> (Vec<Vec<usize>>, Vec<u32>) {
    let mut cells: Vec<Vec<usize>> = Vec::new();
    let mut first = 0;
    for class in &symmetry.classes {
        let size = class.size as usize;
        let (begin, n_cells) = (cells.len(), rng.usize(1..=size));
        cells.resize(begin + n_cells, Vec::new());
        (first..first + size).for_each(|point| cells[begin + rng.usize(..n_cells)].push(point));
        first += size;
    }
    cells.retain(|cell| !cell.is_empty());
    cells.sort();
    let mut images = vec![0; first];
    for cell in &cells {
        let mut to = cell.clone();
        rng.shuffle(&mut to);
        cell.iter().zip(to).for_each(|(&point, to)| images[point] = to as u32);
    }
    (cells, images)
}

#[test]
fn images_of_a_state_have_one_canonical_form_and_one_hash() {
    let mut n_compared = 0;
    for seed in 0..300 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let model = random_model(seed, &Config::random(seed));
        let symmetry = sorts(&model);
        let (Ok(layout), false) = (Layout::new(&model), symmetry.classes.is_empty()) else { continue };
        let (orbits, action) = (Orbits::new(&model, &layout, &symmetry), Action::new(&model, &layout, &symmetry));
        let mut arranger = orbits.arranger();
        let mut states: Vec<Vec<i64>> = explore(&model, 40).states.into_iter().collect();
        states.sort_unstable();
        for values in states {
            let (cells, images) = random_cells(&symmetry, &mut rng);
            let (mut state, mut renamed) = (vec![0; layout.n_words()], Vec::new());
            layout.pack(&values, &mut state);
            arranger.rename(&images, &state, &mut renamed);
            let mut expected = vec![0; values.len()];
            action.apply(&Renaming::new(images), &values, &mut expected);
            let mut packed = vec![0; layout.n_words()];
            layout.pack(&expected, &mut packed);
            assert_eq!(renamed, packed, "seed {seed}");
            assert_eq!(arranger.orbit_hash(&state), arranger.orbit_hash(&renamed), "seed {seed}");
            let cells = Cells::new(&cells);
            for cell in cells.iter().filter(|cell| cell.len() > 1) {
                let mut exchange: Vec<u32> = (0..orbits.n_vertices() as u32).collect();
                exchange.swap(cell[0] as usize, cell[1] as usize);
                arranger.rename(&exchange, &state, &mut packed);
                assert_eq!(arranger.are_twins(&state, cell[0], cell[1]), packed == state, "seed {seed}");
            }
            let images = arranger.images(&cells, &state).to_vec();
            arranger.rename(&images, &state, &mut packed);
            arranger.canonicalise(&cells, &mut state);
            arranger.canonicalise(&cells, &mut renamed);
            assert_eq!((&state, &packed), (&renamed, &state), "seed {seed}");
            n_compared += 1;
        }
    }
    assert!(n_compared > 1000, "{n_compared} states compared");
}
