//! Probes of the language, one question each: our answers are a golden file, and where both existing tools agree ours
//! is the same.

use std::fmt::Write as _;
use std::time::Duration;

use crate::answer::{Answer, Conclusion, Question};
use crate::files::{Table, compare_golden, read};
use burnside_testkit::shared_corpus;

/// Probes on which both tools agree and we do not, and why.
const EXPLAINED: &[(&str, &str)] = &[
    ("lex-keywords-as-ident", "each of its names is allowed in one of the dialects"),
    ("lex-leading-zero", "both stop, for different reasons; a leading zero means nothing, as in CMurphi"),
    ("ms-anon-elem-type", "equal by structure, which is how all other types agree here"),
    ("syn-sideeffect-guard", "a guard that changes variables is refused"),
    ("ss-arith", "members of scalarsets have numbers, at the price of some symmetry"),
    ("ss-order-compare", "members of scalarsets have numbers, at the price of some symmetry"),
    ("ss-to-range", "members of scalarsets have numbers, at the price of some symmetry"),
];

/// Our answers, one line for each probe.
const GOLDEN: &str = "murphi-dialect.txt";

const TIME: Duration = Duration::from_secs(60);

/// What a tool says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Refused,
    Holds { states: u64, rules: u64 },
    Violated(Option<&'static str>),
}

/// Understands a cell of the table; crashes and failures of a tool say nothing.
fn understand(cell: &str) -> Option<Said> {
    if cell.starts_with("REJECT") {
        return Some(Said::Refused);
    }
    if let Some(counts) = cell.strip_prefix("ok ") {
        let (states, rules) = counts.split_once('/')?;
        return Some(Said::Holds { states: states.parse().ok()?, rules: rules.parse().ok()? });
    }
    let message = cell.strip_prefix("ERR[")?;
    let kinds = [
        ("Deadlocked", "deadlock"),
        ("deadlock", "deadlock"),
        ("Invariant", "invariant"),
        ("invariant", "invariant"),
        ("Assertion", "assertion"),
        ("Error:", "error"),
    ];
    Some(Said::Violated(kinds.iter().find(|(start, _)| message.starts_with(start)).map(|(_, kind)| *kind)))
}

fn is_same(said: Said, answer: &Answer) -> bool {
    match (said, answer) {
        (Said::Refused, Answer::Invalid(_)) => true,
        (said, Answer::Searched(searched)) => match (said, &searched.conclusion) {
            (Said::Holds { states, rules }, Conclusion::Holds) => (states, rules) == (searched.states, searched.rules),
            (Said::Violated(kind), Conclusion::Violated(breached)) => kind.is_none_or(|kind| kind == breached.kind),
            _ => false,
        },
        _ => false,
    }
}

/// What both tools say of a probe without symmetry, if they agree.
fn agreed(cell: &dyn Fn(&str) -> String) -> Vec<Said> {
    if cell("agree") != "yes" {
        return Vec::new();
    }
    let without_symmetry = |plain: &str, default: &str| match cell(plain).as_str() {
        "-" => understand(&cell(default)),
        said => understand(said),
    };
    let cmurphi = without_symmetry("cmurphi_nosym", "cmurphi_default");
    let rumur = without_symmetry("rumur_sym_off", "rumur_default");
    cmurphi.into_iter().chain(rumur).collect()
}

#[test]
fn probes_are_answered_as_agreed_and_as_before() {
    let Some(corpus) = shared_corpus() else { return };
    let folder = corpus.join("murphi-dialect");
    let mut problems = Vec::new();
    let (mut golden, mut n_agreeing) = (String::new(), 0);
    let question = Question::new(TIME);
    Table::read(&folder.join("expected.tsv")).for_each(|cell| {
        let name = cell("probe");
        let text = read(&folder.join(format!("{name}.m")));
        let answer = question.answer(&name, &text);
        writeln!(golden, "{name}: {answer}").expect("strings grow");
        let is_explained = EXPLAINED.iter().any(|(it, _)| *it == name);
        let said = agreed(cell);
        n_agreeing += said.len();
        let differs = said.into_iter().find(|said| !is_same(*said, &answer));
        match differs {
            Some(said) if !is_explained => problems.push(format!("{name}: {said:?} expected: {answer}")),
            None if is_explained => problems.push(format!("{name} is as expected; there is nothing to explain")),
            _ => {}
        }
    });
    problems.extend(compare_golden(GOLDEN, &golden));
    assert!(n_agreeing > 100, "{n_agreeing} comparisons");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
