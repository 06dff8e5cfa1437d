//! The numbers of the experiments, row by row.

use super::properties::{named, property, system};
use super::replay::{Claim, replay};
use super::system::{Making, System, TestGraph, Units};
use crate::automaton::Effort;
use crate::graph::{Fairness, Strength};
use crate::observer::{Observer, PathFormula};
use crate::product::{Finding, Outcome, check, search_depth_first};

const LINEAR: &str = include_str!("linear.tsv");

fn strength(word: &str) -> Option<Strength> {
    match word {
        "none" => None,
        "weak" => Some(Strength::Weak),
        "strong" => Some(Strength::Strong),
        _ => panic!("no fairness {word}"),
    }
}

/// Checks a property on one graph, replays what is found, and asks the depth-first search as well.
fn run(system: &System, making: Making, property: &PathFormula, strength: Option<Strength>) -> (usize, Outcome) {
    let observer = Observer::of_violations(property, Effort::Plain).unwrap();
    let graph = TestGraph::new(system, making);
    let fairness = Fairness::uniform(system.n, strength);
    let outcome = check(&graph, &observer, &fairness);
    if let Some(finding) = &outcome.finding {
        replay(&graph, &Claim { property, units: Units::Processes, strength }, finding).unwrap();
    }
    let depth_first = search_depth_first(&graph, &observer, &fairness);
    assert_eq!(depth_first.finding.is_some(), outcome.finding.is_some(), "{}", system.name);
    assert!(depth_first.n_nodes <= outcome.n_nodes);
    (graph.n_states(), outcome)
}

#[test]
fn verdicts_and_sizes_are_those_of_the_experiments() {
    let mut n_rows = 0;
    let (mut n_lassos, mut n_equal) = (0, 0);
    for line in LINEAR.lines().skip(3) {
        let row: Vec<&str> = line.split('\t').collect();
        let (model, n, name, fairness) = (row[0], row[1], row[2], row[3]);
        let system = system(model, n);
        // The larger ones add time, not cases.
        if system.n > 4 && std::env::var_os("BURNSIDE_TEMPORAL_CASES").is_none() {
            continue;
        }
        n_rows += 1;
        let (outer, inner, text) = named(model, name);
        let property = property(&system, outer, inner, text);
        let strength = strength(fairness);
        let makings = [Making::whole(&system), Making::quotient(&system), Making::merged(&system)];
        let expected = [(row[5], row[7]), (row[6], row[8]), (row[6], row[9])];
        for (at, (making, (states, nodes))) in makings.into_iter().zip(expected).enumerate() {
            if nodes == "-" {
                continue;
            }
            let (n_states, outcome) = run(&system, making, &property, strength);
            let verdict = if outcome.finding.is_some() { "violated" } else { "holds" };
            assert_eq!(verdict, row[4], "{line}");
            assert_eq!(n_states.to_string(), states, "{line}");
            assert_eq!(outcome.n_nodes.to_string(), nodes, "{line}");
            if let (1, Some(Finding::Lasso(lasso))) = (at, &outcome.finding) {
                let walk = lasso.cycle.len() / lasso.rounds;
                let found = [walk, lasso.rounds, lasso.cycle.len()].map(|length| length.to_string());
                n_lassos += 1;
                n_equal += usize::from(found.iter().zip(&row[10..]).all(|(own, expected)| own == expected));
            }
        }
    }
    assert!(n_rows >= 288);
    // The experiments took any accepting component, here the nearest is taken; elsewhere even the loops are the same.
    assert!(n_equal * 10 >= n_lassos * 9, "{n_equal} of {n_lassos} loops are those of the experiments");
}

/// The product's states with one process tracked are the orbits of pairs: what a constant in the state would give.
#[test]
fn tracking_one_process_costs_as_much_as_a_constant_in_the_state() {
    for (model, n, n_pairs) in [
        ("mutex", "2", 8),
        ("mutex", "3", 13),
        ("mutex", "4", 18),
        ("mutex", "5", 23),
        ("mutex", "6", 28),
        ("phil", "3", 14),
        ("phil", "5", 82),
        ("rw", "2r1w", 37),
        ("rw", "2r2w", 71),
        ("rw", "3r2w", 122),
        ("rw", "4r2w", 186),
    ] {
        let system = system(model, n);
        let condition = if model == "phil" { "eats[i]" } else { "C[i]" };
        // An automaton with one state that follows everything: what is tracked is all there is.
        let property = property(&system, "i", "", &format!("!({condition} | !{condition})"));
        let observer = Observer::of_violations(&property, Effort::Reduced).unwrap();
        let graph = TestGraph::new(&system, Making::merged(&system));
        let outcome = check(&graph, &observer, &Fairness::none());
        assert!(outcome.finding.is_some());
        assert_eq!(outcome.n_nodes, n_pairs, "{model} {n}");
    }
}
