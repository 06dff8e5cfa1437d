//! Automata against the meaning of formulas on lassos: of a formula and its negation exactly one accepts, the right one.

use fastrand::Rng;

use super::formulas::random_linear;
use super::n_cases;
use crate::automaton::{Automaton, Effort, Kind, Valuation};
use crate::formula::Formula;
use crate::grammar::text::parse_words;
use crate::ltl::{Linear, Shape, holds_on_lasso};

fn automaton(formula: &Formula<u32, ()>, positive: bool, effort: Effort) -> Option<Automaton> {
    let mut store = Linear::new();
    let id = store.normal_form(formula, positive, &mut |p| *p).unwrap();
    Automaton::new(&mut store, id, effort).ok()
}

fn check_lassos(formula: &Formula<u32, ()>, rng: &mut Rng) {
    let automata = [
        (true, automaton(formula, true, Effort::Plain)),
        (false, automaton(formula, false, Effort::Plain)),
        (true, automaton(formula, true, Effort::Reduced)),
        (false, automaton(formula, false, Effort::Reduced)),
    ];
    for _ in 0..10 {
        let shape = Shape::new(rng.usize(..4), 1 + rng.usize(..4));
        let word: Vec<Valuation> = (0..shape.n_positions()).map(|_| Valuation::from(rng.u8(..8))).collect();
        let holds = holds_on_lasso(formula, shape, &mut |at, p| word[at] >> p & 1 == 1).unwrap();
        for (positive, automaton) in &automata {
            if let Some(automaton) = automaton {
                assert_eq!(automaton.accepts(shape, &word), holds == *positive, "{formula:?} {word:?} {automaton:?}");
            }
        }
    }
}

#[test]
fn exactly_one_of_a_formula_and_its_negation_accepts() {
    for seed in 0..n_cases(1500) {
        let mut rng = Rng::with_seed(seed);
        let depth = rng.usize(1..4);
        check_lassos(&random_linear(&mut rng, depth, &[0, 1, 2], true), &mut rng);
    }
}

fn reduced(text: &str) -> Automaton {
    let mut number = |p: &String| Ok::<_, std::convert::Infallible>(u32::from(p.as_bytes()[0] - b'a'));
    let Ok(formula) = parse_words(text).try_map(&mut number, &mut |_| Ok(()));
    automaton(&formula, true, Effort::Reduced).unwrap()
}

#[test]
fn usual_formulas_have_small_automata() {
    for (text, n_states, n_colours, kind) in [
        ("F a", 2, 1, Kind::Terminal),
        ("G a", 1, 0, Kind::Weak),
        ("G F a", 1, 1, Kind::General),
        ("F G a", 2, 1, Kind::Weak),
        ("G (a -> F b)", 2, 1, Kind::General),
        ("a U b", 2, 1, Kind::Terminal),
        ("G F a & G F b", 1, 2, Kind::General),
        ("F (a & G !b)", 2, 1, Kind::Weak),
        ("G F G a", 2, 1, Kind::Weak),
        ("a & !a", 1, 0, Kind::Terminal),
        ("true", 1, 0, Kind::Terminal),
    ] {
        let automaton = reduced(text);
        assert_eq!(
            (automaton.n_states(), automaton.n_colours(), automaton.kind()),
            (n_states, n_colours, kind),
            "{text}"
        );
    }
}

#[test]
fn the_contradiction_that_another_library_missed_is_satisfiable() {
    let automaton = reduced("G (a U b) & !(b U b)");
    let words = (0..16_u8).map(|bits| [Valuation::from(bits & 3), Valuation::from(bits >> 2)]);
    let formula = parse_words("G (a U b) & !(b U b)");
    for word in words {
        let shape = Shape::new(1, 1);
        let value = &mut |at: usize, p: &String| word[at] >> (p.as_bytes()[0] - b'a') & 1 == 1;
        assert_eq!(automaton.accepts(shape, &word), holds_on_lasso(&formula, shape, value).unwrap());
    }
}

#[test]
fn automata_are_written_in_the_hanoi_format() {
    let expected = "HOA: v1\nStates: 1\nStart: 0\nAP: 2 \"req\" \"a\\\"b\"\nacc-name: generalized-Buchi 1\n\
                    Acceptance: 1 Inf(0)\nproperties: trans-labels explicit-labels trans-acc\n--BODY--\nState: 0\n\
                    [t] 0\n[0] 0 {0}\n--END--\n";
    assert_eq!(reduced("G F a").to_hoa(&["req", "a\"b"]), expected);
}

#[test]
fn printed_formulas_are_read_back() {
    for seed in 0..n_cases(300) {
        let mut rng = Rng::with_seed(seed);
        let names = ["p".to_owned(), "loc[i] = 2".to_owned(), "q".to_owned()];
        let formula: Formula<String, String> = random_linear(&mut rng, 4, &names, true);
        assert_eq!(parse_words(&formula.to_string()), formula, "{formula}");
    }
}
