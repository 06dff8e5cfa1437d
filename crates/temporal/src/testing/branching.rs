//! Branching properties: against a plain evaluation on the whole graph, and the numbers of the experiments.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::differential::STRENGTHS;
use super::formulas::random_linear;
use super::models::relay;
use super::n_cases;
use super::oracle::is_violated;
use super::properties::{atom, system};
use super::random::random_system;
use super::system::{Making, System, TestGraph, Units, Values};
use crate::branching::{Action, Fixpoint, Labeller, Modality, Mu, MuEvaluator, Quantifier, StateFormula};
use crate::formula::{Binary, Formula, Quantity, Unary};
use crate::grammar::text::parse_words;
use crate::graph::{Fairness, Point, Quotient};
use crate::observer::{Atom, PathFormula};

/// A whole graph, evaluated by repeating definitions until nothing changes.
pub(super) struct Plain<'a> {
    system: &'a System,
    states: Vec<Values>,
    successors: Vec<Vec<usize>>,
}

impl<'a> Plain<'a> {
    pub(super) fn new(system: &'a System) -> Self {
        let states = system.reachable();
        let numbers: BTreeMap<&Values, usize> = states.iter().enumerate().map(|(at, values)| (values, at)).collect();
        let successors = states.iter().enumerate().map(|(at, values)| {
            let list: Vec<usize> = (system.rules)(values).iter().map(|fired| numbers[&fired.target]).collect();
            if list.is_empty() { vec![at] } else { list }
        });
        let successors = successors.collect();
        Plain { system, states, successors }
    }

    pub(super) fn holds(&self, formula: &StateFormula) -> bool {
        let truth = self.truth(formula, &BTreeMap::new());
        self.states.iter().zip(truth).all(|(values, truth)| truth || !self.system.starts.contains(values))
    }

    fn truth(&self, formula: &StateFormula, values: &BTreeMap<usize, Point>) -> Vec<bool> {
        let n = self.states.len();
        let again = |f: &StateFormula| self.truth(f, values);
        match formula {
            Formula::Constant(value) => vec![*value; n],
            Formula::Proposition(atom) => {
                let arguments: Vec<Point> = atom.arguments.iter().map(|variable| values[variable]).collect();
                self.states.iter().map(|state| self.system.holds(state, atom.proposition, &arguments)).collect()
            }
            Formula::Unary(Unary::Not, f) => again(f).into_iter().map(|truth| !truth).collect(),
            Formula::Unary(Unary::SomePath, f) => match &**f {
                Formula::Unary(Unary::Next, f) => self.some_next(&again(f)),
                Formula::Unary(Unary::Eventually, f) => self.repeat(vec![false; n], &vec![true; n], &again(f)),
                Formula::Unary(Unary::Always, f) => self.repeat(vec![true; n], &again(f), &vec![false; n]),
                Formula::Binary(Binary::Until, f, g) => self.repeat(vec![false; n], &again(f), &again(g)),
                _ => panic!("not a formula of CTL"),
            },
            Formula::Unary(Unary::AllPaths, f) => {
                let negated = |f: &StateFormula| f.clone().negated();
                let dual = match &**f {
                    Formula::Unary(Unary::Next, f) => Formula::unary(Unary::Next, negated(f)),
                    Formula::Unary(Unary::Eventually, f) => Formula::unary(Unary::Always, negated(f)),
                    Formula::Unary(Unary::Always, f) => Formula::unary(Unary::Eventually, negated(f)),
                    _ => panic!("not a formula of CTL that is tested"),
                };
                again(&Formula::unary(Unary::SomePath, dual)).into_iter().map(|truth| !truth).collect()
            }
            Formula::Binary(op, f, g) => {
                let pairs = again(f).into_iter().zip(again(g));
                match op {
                    Binary::And => pairs.map(|(f, g)| f && g).collect(),
                    Binary::Or => pairs.map(|(f, g)| f || g).collect(),
                    Binary::Implies => pairs.map(|(f, g)| !f || g).collect(),
                    _ => panic!("not a formula of CTL that is tested"),
                }
            }
            Formula::Quantified(quantity, quantifier, f) => {
                let each: Vec<Vec<bool>> = (quantifier.domain.iter())
                    .map(|&point| {
                        let mut values = values.clone();
                        values.insert(quantifier.variable, point);
                        self.truth(f, &values)
                    })
                    .collect();
                let holds = |at: usize| match quantity {
                    Quantity::Forall => each.iter().all(|truth| truth[at]),
                    Quantity::Exists => each.iter().any(|truth| truth[at]),
                };
                (0..n).map(holds).collect()
            }
            Formula::Unary(..) => panic!("not a state formula"),
        }
    }

    fn some_next(&self, f: &[bool]) -> Vec<bool> {
        self.successors.iter().map(|list| list.iter().any(|&to| f[to])).collect()
    }

    /// Repeats `x = g or (f and some successor in x)` until nothing changes.
    fn repeat(&self, mut now: Vec<bool>, f: &[bool], g: &[bool]) -> Vec<bool> {
        loop {
            let next = self.some_next(&now);
            let next: Vec<bool> = (0..now.len()).map(|at| g[at] || (f[at] && next[at])).collect();
            if next == now {
                return now;
            }
            now = next;
        }
    }
}

/// A formula of CTL; `free` tells whether a variable is free here, `None` that there are none at all.
pub(super) fn random_branching(rng: &mut Rng, depth: usize, system: &System, free: Option<bool>) -> StateFormula {
    if depth == 0 || rng.f64() < 0.1 {
        let indexed = free == Some(true) && rng.bool();
        let (proposition, arguments) =
            if indexed { (2 + rng.u32(..system.conditions.len() as u32 - 2), vec![0]) } else { (rng.u32(..2), vec![]) };
        return Formula::Proposition(Atom { proposition, arguments });
    }
    let path = |path, op, f| Formula::unary(path, Formula::unary(op, f));
    let choice = rng.u8(..13);
    if choice >= 11 && free == Some(false) {
        let quantity = if rng.bool() { Quantity::Forall } else { Quantity::Exists };
        let quantifier = Quantifier { variable: 0, domain: (0..system.n as Point).collect() };
        return Formula::Quantified(
            quantity,
            quantifier,
            Box::new(random_branching(rng, depth - 1, system, Some(true))),
        );
    }
    let f = random_branching(rng, depth - 1, system, free);
    let g = random_branching(rng, depth - 1, system, free);
    match choice {
        0 | 11 => f.negated(),
        1 => Formula::binary(Binary::And, f, g),
        2 | 12 => Formula::binary(Binary::Or, f, g),
        3 => path(Unary::SomePath, Unary::Next, f),
        4 => path(Unary::SomePath, Unary::Eventually, f),
        5 => path(Unary::SomePath, Unary::Always, f),
        6 => path(Unary::AllPaths, Unary::Next, f),
        7 => path(Unary::AllPaths, Unary::Eventually, f),
        8 => path(Unary::AllPaths, Unary::Always, f),
        9 => Formula::unary(Unary::SomePath, Formula::binary(Binary::Until, f, g)),
        _ => Formula::binary(Binary::Implies, f, g),
    }
}

/// The same formula as one of the mu-calculus.
fn to_mu(formula: &StateFormula, positive: bool, sets: &mut usize) -> Mu {
    let mut both = |f: &StateFormula, f_positive: bool, g: &StateFormula| {
        (Box::new(to_mu(f, f_positive, sets)), Box::new(to_mu(g, positive, sets)))
    };
    match formula {
        Formula::Constant(value) => Mu::Constant(*value == positive),
        Formula::Proposition(atom) => Mu::Literal(atom.clone(), positive),
        Formula::Unary(Unary::Not, f) => to_mu(f, !positive, sets),
        Formula::Binary(Binary::And, f, g) => {
            let (f, g) = both(f, positive, g);
            if positive { Mu::And(f, g) } else { Mu::Or(f, g) }
        }
        Formula::Binary(Binary::Or, f, g) => {
            let (f, g) = both(f, positive, g);
            if positive { Mu::Or(f, g) } else { Mu::And(f, g) }
        }
        Formula::Binary(Binary::Implies, f, g) => {
            let (f, g) = both(f, !positive, g);
            if positive { Mu::Or(f, g) } else { Mu::And(f, g) }
        }
        Formula::Quantified(quantity, quantifier, f) => {
            let is_all = (*quantity == Quantity::Forall) == positive;
            let quantity = if is_all { Quantity::Forall } else { Quantity::Exists };
            Mu::Quantified(quantity, quantifier.clone(), Box::new(to_mu(f, positive, sets)))
        }
        Formula::Unary(path, f) => {
            let is_some = (*path == Unary::SomePath) == positive;
            let modality = if is_some { Modality::Possibly } else { Modality::Necessarily };
            *sets += 1;
            let set = *sets;
            let next = Box::new(Mu::Modal(modality, Action::Any, Box::new(Mu::Set(set))));
            match &**f {
                Formula::Unary(Unary::Next, f) => Mu::Modal(modality, Action::Any, Box::new(to_mu(f, positive, sets))),
                Formula::Unary(op, f) => {
                    let f = Box::new(to_mu(f, positive, sets));
                    if (*op == Unary::Eventually) == positive {
                        Mu::Fix(Fixpoint::Least, set, Box::new(Mu::Or(f, next)))
                    } else {
                        Mu::Fix(Fixpoint::Greatest, set, Box::new(Mu::And(f, next)))
                    }
                }
                Formula::Binary(Binary::Until, f, g) => {
                    let (f, g) = (Box::new(to_mu(f, positive, sets)), Box::new(to_mu(g, positive, sets)));
                    if positive {
                        Mu::Fix(Fixpoint::Least, set, Box::new(Mu::Or(g, Box::new(Mu::And(f, next)))))
                    } else {
                        Mu::Fix(Fixpoint::Greatest, set, Box::new(Mu::And(g, Box::new(Mu::Or(f, next)))))
                    }
                }
                _ => panic!("not a formula of CTL"),
            }
        }
        Formula::Binary(..) => panic!("not a formula of CTL that is tested"),
    }
}

#[test]
fn branching_properties_agree_with_a_plain_evaluation() {
    let (mut cases, mut n_true) = (0, 0);
    for seed in 0..n_cases(150) {
        let mut rng = Rng::with_seed(seed);
        let system = random_system(&mut rng);
        let plain = Plain::new(&system);
        if plain.states.len() > 150 {
            continue;
        }
        let formula = random_branching(&mut rng, 4, &system, Some(false));
        let expected = plain.holds(&formula);
        cases += 1;
        n_true += u64::from(expected);
        for making in [Making::whole(&system), Making::quotient(&system), Making::pruned(&system)] {
            let graph = TestGraph::new(&system, making);
            let n_states = graph.n_states();
            let label = || Labeller::new(&graph, n_states, Fairness::none());
            assert_eq!(label().holds(&formula), Ok(expected), "seed {seed}, {formula:?}");
            assert_eq!(label().by_automata().holds(&formula), Ok(expected), "automata, seed {seed}, {formula:?}");
            let mu = to_mu(&formula, true, &mut 0);
            assert_eq!(MuEvaluator::new(&graph, n_states).holds(&mu), expected, "fixpoints, seed {seed}, {formula:?}");
        }
    }
    assert!(n_true * 5 > cases && n_true * 5 < cases * 4, "{n_true} of {cases} are true");
}

/// `ltl f` holds if and only if `ctl A f` does; with variables outside or inside, and fairness.
#[test]
fn linear_properties_are_branching_ones() {
    for seed in 0..n_cases(120) {
        let mut rng = Rng::with_seed(seed);
        let system = random_system(&mut rng);
        if system.reachable().len() > 60 {
            continue;
        }
        let everybody: Vec<Point> = (0..system.n as Point).collect();
        let atoms: Vec<Atom> = (0..system.conditions.len() as u32)
            .map(|proposition| Atom { proposition, arguments: if proposition < 2 { vec![] } else { vec![0] } })
            .collect();
        let formula: Formula<Atom, ()> = random_linear(&mut rng, 2, &atoms, true);
        let inside = rng.bool();
        let (outer, inner) = if inside { (vec![], vec![everybody.clone()]) } else { (vec![everybody.clone()], vec![]) };
        let property = PathFormula { outer, inner, distinct: false, formula: formula.clone() };
        let Ok(path): Result<StateFormula, std::convert::Infallible> =
            formula.try_map(&mut |atom| Ok(atom.clone()), &mut |()| unreachable!("no quantifier"));
        let quantifier = Quantifier { variable: 0, domain: everybody };
        let branching = if inside {
            Formula::unary(Unary::AllPaths, Formula::Quantified(Quantity::Exists, quantifier, Box::new(path)))
        } else {
            let all = Formula::unary(Unary::AllPaths, path);
            Formula::Quantified(Quantity::Forall, quantifier, Box::new(all))
        };
        for strength in STRENGTHS {
            let Some(violated) = is_violated(&system, &property, Units::Processes, strength) else { continue };
            for making in [Making::quotient(&system), Making::pruned(&system)] {
                let graph = TestGraph::new(&system, making);
                let fairness = Fairness::uniform(graph.n_units(), strength);
                let holds = Labeller::new(&graph, graph.n_states(), fairness).holds(&branching);
                assert_eq!(holds, Ok(!violated), "seed {seed}, {strength:?}, {branching:?}");
            }
        }
    }
}

/// CTL* with path quantifiers anywhere: the whole graph and the quotient agree.
#[test]
fn nested_path_formulas_agree_on_whole_and_quotient() {
    for seed in 0..n_cases(100) {
        let mut rng = Rng::with_seed(seed);
        let system = random_system(&mut rng);
        if system.reachable().len() > 80 {
            continue;
        }
        let inner: Formula<StateFormula, ()> = {
            let atoms: Vec<StateFormula> = (0..3).map(|_| random_branching(&mut rng, 2, &system, Some(true))).collect();
            random_linear(&mut rng, 2, &atoms, true)
        };
        let path = flatten(&inner);
        let quantifier = Quantifier { variable: 0, domain: (0..system.n as Point).collect() };
        let some = Formula::unary(Unary::SomePath, path);
        let formula = Formula::Quantified(Quantity::Forall, quantifier, Box::new(some));
        let strength = STRENGTHS[rng.usize(..3)];
        let answers: Vec<_> = [Making::whole(&system), Making::quotient(&system), Making::pruned(&system)]
            .into_iter()
            .map(|making| {
                let graph = TestGraph::new(&system, making);
                Labeller::new(&graph, graph.n_states(), Fairness::uniform(system.n, strength)).holds(&formula)
            })
            .collect();
        assert!(answers[0].is_ok() && answers.iter().all(|answer| *answer == answers[0]), "seed {seed}: {answers:?}");
    }
}

pub(super) fn flatten(formula: &Formula<StateFormula, ()>) -> StateFormula {
    match formula {
        Formula::Constant(value) => Formula::Constant(*value),
        Formula::Proposition(f) => f.clone(),
        Formula::Unary(op, f) => Formula::unary(*op, flatten(f)),
        Formula::Binary(op, f, g) => Formula::binary(*op, flatten(f), flatten(g)),
        Formula::Quantified(..) => unreachable!("none was made"),
    }
}

fn state_formula(system: &System, text: &str) -> StateFormula {
    let everybody: Vec<Point> = (0..system.n as Point).collect();
    let mut condition = |word: &String| Ok::<_, std::convert::Infallible>(atom(system, &['i'], word));
    let mut quantifier = |_: &String| Ok(Quantifier { variable: 0, domain: everybody.clone() });
    let Ok(formula) = parse_words(text).try_map(&mut condition, &mut quantifier);
    formula
}

#[test]
fn branching_verdicts_are_those_of_the_experiments() {
    let mut n_rows = 0;
    for line in include_str!("branching.tsv").lines().skip(2) {
        let row: Vec<&str> = line.split('\t').collect();
        let system = system(row[0], row[1]);
        let formula = state_formula(&system, row[2]);
        for (making, n_states) in [(Making::whole(&system), row[4]), (Making::quotient(&system), row[5])] {
            let graph = TestGraph::new(&system, making);
            assert_eq!(graph.n_states().to_string(), n_states, "{line}");
            let holds = Labeller::new(&graph, graph.n_states(), Fairness::none()).holds(&formula);
            assert_eq!(holds, Ok(row[3] == "holds"), "{line}");
        }
        n_rows += 1;
    }
    assert_eq!(n_rows, 70);
}

#[test]
fn modalities_follow_the_process_that_moves() {
    // Whoever has the token may give it away, and nobody else moves.
    let system = relay(3);
    let graph = TestGraph::new(&system, Making::quotient(&system));
    let everybody: Vec<Point> = vec![0, 1, 2];
    let tok = |positive| Mu::Literal(Atom { proposition: 0, arguments: vec![0] }, positive);
    let by = |modality, f| Mu::Modal(modality, Action::By(0), Box::new(f));
    let for_all = |f| {
        let quantifier = Quantifier { variable: 0, domain: everybody.clone() };
        Mu::Quantified(Quantity::Forall, quantifier, Box::new(f))
    };
    let mut evaluator = MuEvaluator::new(&graph, graph.n_states());
    let gives = Mu::Or(Box::new(tok(false)), Box::new(by(Modality::Possibly, tok(false))));
    assert!(evaluator.holds(&for_all(gives)));
    let idle = Mu::Or(Box::new(tok(true)), Box::new(by(Modality::Necessarily, Mu::Constant(false))));
    assert!(evaluator.holds(&for_all(idle)));
    assert!(!evaluator.holds(&for_all(by(Modality::Possibly, Mu::Constant(true)))));
    assert!(evaluator.holds(&Mu::Modal(Modality::Necessarily, Action::Rule(7), Box::new(Mu::Constant(false)))));
}
