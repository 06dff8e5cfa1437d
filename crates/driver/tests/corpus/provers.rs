//! Two proofs of symmetry, and every model there is.

use burnside_driver::{Language, LoadOptions, load, on_large_stack};
use burnside_ir::Model;
use burnside_symmetry::Symmetry;
use burnside_testkit::torture::{Knobs, torture_text};

use crate::files::{models_in, root};
use burnside_testkit::shared_corpus;

/// Random texts, as many as fit into a few seconds. Random models in the IR are left out: there the analysis by points
/// gives up on quantifiers over the elements of a multiset that stand inside an operator and look at none of them.
const SEEDS: u64 = 1000;

/// The classes that only one proof finds symmetric.
fn disputed(name: &str, model: &Model) -> Vec<String> {
    let symmetry = Symmetry::find_classes(model);
    let disputed = symmetry.broken.iter().filter(|class| class.is_disputed);
    disputed.map(|class| format!("{name}: {}", class.name(model))).collect()
}

fn of_text(name: &str, text: &str) -> Vec<String> {
    let answer = on_large_stack(|| {
        let prepared = load(name, text, Language::Murphi, &LoadOptions::default()).prepared;
        prepared.map_or_else(Vec::new, |prepared| disputed(name, &prepared.model))
    });
    answer.unwrap_or_else(|failure| panic!("{name}: {failure}"))
}

#[test]
fn both_proofs_agree_on_our_models() {
    let folders = ["corpus/murphi", "corpus/regress", "examples"];
    let models = folders.iter().flat_map(|folder| models_in(&root().join(folder)));
    let found: Vec<String> = models.flat_map(|(name, text)| of_text(&name, &text)).collect();
    assert_eq!(found, [""; 0]);
}

#[test]
fn both_proofs_agree_on_the_shared_corpus() {
    let Some(corpus) = shared_corpus() else { return };
    let folders = ["murphi", "soundness-traps", "symmetry-traps", "murphi-dialect"];
    let models = folders.iter().flat_map(|folder| models_in(&corpus.join(folder)));
    let found: Vec<String> = models.flat_map(|(name, text)| of_text(&name, &text)).collect();
    assert_eq!(found, [""; 0]);
}

#[test]
fn both_proofs_agree_on_random_texts() {
    let mut found = Vec::new();
    for seed in 0..SEEDS {
        found.extend(of_text(&format!("text {seed}"), &torture_text(seed, &Knobs::default()).text));
    }
    assert_eq!(found, [""; 0]);
}
