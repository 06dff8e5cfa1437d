//! Two proofs of symmetry, and every model there is.

use burnside_driver::{Language, LoadOptions, load, on_large_stack};
use burnside_ir::visit::{Visitor, walk_expr};
use burnside_ir::{Domain, Expr, ExprKind, Model, Part};
use burnside_symmetry::Symmetry;
use burnside_testkit::torture::{Knobs, torture_text};
use burnside_testkit::{Config, random_model};

use crate::files::{models_in, root};
use burnside_testkit::shared_corpus;

/// Random texts and models, as many as fit into a few seconds.
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

/// Whether a quantifier goes through the elements of a multiset, which no front end writes. The analysis by points gives up
/// on these, the one by types only where one may fault.
fn quantifies_elements(model: &Model) -> bool {
    struct Search(bool);
    impl Visitor for Search {
        fn expr(&mut self, expr: &Expr) {
            if let ExprKind::Quantified(_, _, domain, _) = &expr.kind {
                self.0 |= matches!(**domain, Domain::Slots(_));
            }
            walk_expr(self, expr);
        }
    }
    let mut search = Search(false);
    model.functions.iter().for_each(|function| search.block(&function.body));
    model.rules.iter().for_each(|rule| Part::rule(rule).walk(&mut search));
    model.properties.iter().for_each(|property| Part::property(property).walk(&mut search));
    search.0
}

#[test]
fn both_proofs_agree_on_random_models() {
    let (mut found, mut n_symmetric, mut n_compared) = (Vec::new(), 0, 0);
    for seed in 0..SEEDS {
        let model = random_model(seed, &Config::random(seed));
        if !quantifies_elements(&model) {
            n_compared += 1;
            n_symmetric += usize::from(!Symmetry::find_classes(&model).classes.is_empty());
            found.extend(disputed(&format!("model {seed}"), &model));
        }
    }
    assert_eq!(found, [""; 0]);
    assert!(n_compared > 500 && n_symmetric > 100, "{n_compared} models, {n_symmetric} with symmetry");
}
