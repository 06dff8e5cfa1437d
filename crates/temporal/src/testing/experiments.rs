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
    let mut loops = 0;
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
                let found = [walk, lasso.rounds, lasso.cycle.len()].map(|x| x.to_string());
                if found.iter().zip(&row[10..]).all(|(a, b)| a == b) {
                    loops += 1
                } else {
                    eprintln!("{line} {found:?}")
                }
            }
        }
    }
    eprintln!("loops equal {loops}, rows {n_rows}");
}
