//! Partitions against what models do, right ones and wrong ones.

use burnside_diag::FileId;
use burnside_testkit::{Config, random_model};

use super::*;

const LIMITS: Limits = Limits { loop_rounds: 50, call_depth: 50, call_slots: 1 << 20 };

fn load(text: &str) -> (Model, Layout) {
    let model = burnside_murphi::load(FileId(0), text, &burnside_murphi::Options::default()).model;
    let model = model.expect("a good model");
    let layout = Layout::new(&model).expect("a layout");
    (model, layout)
}

/// What a second look says if some partitions were coarser than they are.
fn trusting(text: &str, change: impl FnOnce(&mut Families, &Partition)) -> Result<Rechecked, Box<Refuted>> {
    let (model, layout) = load(text);
    let mut families = Families::new(&model);
    families.recheck(&model, &layout, LIMITS, 200).expect("what was derived is right");
    let all = coarsest(&families.identities);
    change(&mut families, &all);
    families.recheck(&model, &layout, LIMITS, 200)
}

const READERS: &str = include_str!("../../../../examples/shared-reading.m");
const CONTROLLER: &str = include_str!("../../../../examples/resource-controller.m");

#[test]
fn a_wrong_partition_of_a_rule_is_refuted() {
    let refuted = trusting(READERS, |families, all| {
        for group in &mut families.rules[2].groups {
            group.partition.clone_from(all);
        }
    });
    let refuted = refuted.expect_err("writers do not join");
    assert_eq!(refuted.part, Part::Rule(RuleId(2)));
    // The instances for one rank know more than two others.
    let refuted = trusting(CONTROLLER, |families, all| {
        let group = &mut families.rules[1].groups[1];
        let keys: Vec<bool> = (0..all.degree()).map(|point| point / 2 == 1).collect();
        group.partition = Partition::from_keys(&keys);
    });
    assert_eq!(refuted.expect_err("rank matters").part, Part::Rule(RuleId(1)));
}

#[test]
fn a_wrong_partition_of_a_property_or_start_state_is_refuted() {
    let text = "type P: scalarset(3); var a: array[P] of boolean;
        startstate begin for p: P do a[p] := p = 1; end; end;
        ruleset p: P do rule begin a[p] := !a[p]; end; end;
        invariant \"first\" forall p: P do a[p] | p != 3 | !a[p] & exists q: P do a[q] | !a[q] end end;
        invariant \"second\" forall p: P do p > 1 -> a[p] end;";
    let refuted = trusting(text, |families, all| families.properties[1].whole.clone_from(all));
    assert_eq!(refuted.expect_err("the first is excepted").part, Part::Property(PropertyId(1)));
    let refuted = trusting(text, |families, all| families.starts[0].groups[0].partition.clone_from(all));
    assert_eq!(refuted.expect_err("the first begins otherwise").part, Part::Start(StartId(0)));
}

#[test]
fn partitions_of_random_models_are_confirmed() {
    let n_seeds = std::env::var("BURNSIDE_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(600);
    let mut confirmed = 0;
    for seed in 0..n_seeds {
        let config = Config { symmetry: burnside_testkit::Symmetry::Nearly, ..Config::random(seed) };
        let model = random_model(seed, &config);
        let Ok(layout) = Layout::new(&model) else { continue };
        let families = Families::new(&model);
        if families.is_symmetric() {
            continue;
        }
        confirmed += 1;
        let checked = families.recheck(&model, &layout, LIMITS, 60);
        checked.unwrap_or_else(|refuted| panic!("seed {seed}: {refuted:?}"));
    }
    assert!(confirmed > n_seeds / 12, "{confirmed} of {n_seeds} models confirmed");
}
