//! One text through everything.

use std::time::{Duration, Instant};

use burnside_driver::{Prepared, Settings};
use burnside_engine::DeadlockMode;
use burnside_interp::Limits;
use burnside_symmetry::{Opinion, Symmetry};

use crate::ask::{self, Answer, Codes, Reading};
use crate::compare::{Difference, Known, Trouble};
use crate::configuration::Configuration;
use crate::oracle::{self, Bounds, Exploration, Subject};
use crate::orbits;

/// Models beyond this are left out: there are enough small ones.
const BOUNDS: Bounds = Bounds { states: 2000, steps: 20_000 };

/// Models that take the oracle longer are left out too: all configurations together would take a hundred times as long, in which
/// a thousand other texts can be tried. Deep recursion with large arrays does.
const PATIENCE: Duration = Duration::from_secs(1);

/// Scalars of nested calls, fewer than usual: beyond any stack that a thread has by itself, and quick to fill.
const MOST_CALL_SLOTS: u32 = 1 << 24;

/// How long one search of a model that small may take, on a machine that has other things to do.
const TIME: Duration = Duration::from_secs(60);

/// How long a search may take that may take long for no fault of its own.
const SHORT_TIME: Duration = Duration::from_secs(1);

/// Strategies that try permutations take too long for one state where there are more.
const MOST_PERMUTATIONS: u64 = 5040;

/// A comment of this form says how a text is to be run and, perhaps, what must come out.
const MARK: &str = "-- torture:";

/// What became of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Examined {
    /// Refused.
    Invalid,
    /// More states than are looked at, or steps that take too long.
    TooLarge,
    /// Everything holds.
    Holds,
    /// Something is violated.
    Violated,
    /// Not even the oracle got through.
    Broken,
}

/// What was found out about a text.
#[derive(Debug)]
pub struct Examination {
    /// What became of it.
    pub examined: Examined,
    /// The codes of the errors of a refused text.
    pub codes: Vec<&'static str>,
    /// What is wrong first in a plain exploration, in words.
    pub wrong: String,
    /// Whether symmetry is proved.
    pub symmetric: bool,
    /// How many searches were made.
    pub searches: u32,
    /// What each of them said, in words.
    pub answers: Vec<String>,
    /// Where answers differ.
    pub differences: Vec<Difference>,
}

/// How a text is to be run.
#[derive(Debug, Clone)]
struct Question {
    deadlock: DeadlockMode,
    limits: Limits,
    strict_undefined: bool,
    /// What must come out, where that is known: `holds`, `violated`, `invalid`.
    expected: Vec<String>,
}

impl Question {
    fn of(text: &str) -> Self {
        let mut question = Self {
            deadlock: DeadlockMode::Off,
            limits: Limits { call_slots: MOST_CALL_SLOTS, ..Limits::default() },
            strict_undefined: false,
            expected: Vec::new(),
        };
        let marks = text.lines().filter_map(|line| line.trim().strip_prefix(MARK));
        for mark in marks.flat_map(|mark| mark.split(';')) {
            let words: Vec<&str> = mark.split_whitespace().collect();
            match words[..] {
                ["deadlock", "stuck"] => question.deadlock = DeadlockMode::Stuck,
                ["deadlock", "stuttering"] => question.deadlock = DeadlockMode::Stuttering,
                ["strict-undefined"] => question.strict_undefined = true,
                ["loop-limit", rounds] => {
                    question.limits.loop_rounds = rounds.parse().unwrap_or(question.limits.loop_rounds);
                }
                ["expect", ref verdicts @ ..] => {
                    question.expected = verdicts.iter().map(|&verdict| verdict.to_owned()).collect();
                }
                _ => {}
            }
        }
        question
    }

    fn settings(&self, configuration: &Configuration) -> Settings {
        Settings { deadlock: self.deadlock, step_limits: self.limits, ..configuration.settings.clone() }
    }

    /// The difference between what came out and what must.
    fn unexpected(&self, examined: Examined) -> Option<Difference> {
        let word = match examined {
            Examined::Holds => "holds",
            Examined::Violated => "violated",
            Examined::Invalid => "invalid",
            Examined::TooLarge | Examined::Broken => return None,
        };
        let is_expected = self.expected.is_empty() || self.expected.iter().any(|it| it == word);
        let detail = || format!("{word}, not {}", self.expected.join(" or "));
        (!is_expected).then(|| Difference::new("oracle", Trouble::Expected, detail()))
    }
}

/// Loads a text, explores it plainly and runs every configuration. To be called where there is room for recursion, such
/// as inside `burnside_driver::on_large_stack`.
pub fn examine(text: &str) -> Examination {
    let question = Question::of(text);
    let mut examination = Examination {
        examined: Examined::Invalid,
        codes: Vec::new(),
        wrong: String::new(),
        symmetric: false,
        searches: 0,
        answers: Vec::new(),
        differences: Vec::new(),
    };
    match ask::read(text, question.strict_undefined) {
        Reading::Invalid(codes) => examination.codes = codes,
        Reading::Panicked(message) => {
            examination.examined = Examined::Broken;
            examination.differences.push(Difference::new("load", Trouble::Panic, message));
        }
        Reading::Accepted(prepared) => search(&prepared, &question, &mut examination),
    }
    examination.differences.extend(question.unexpected(examination.examined));
    examination
}

fn search(prepared: &Prepared, question: &Question, examination: &mut Examination) {
    let Prepared { model, layout, .. } = prepared;
    let Question { limits, deadlock, .. } = *question;
    let subject = Subject { model, layout, limits, deadlock, bounds: BOUNDS };
    let begun = Instant::now();
    let explored = match ask::quietly(|| oracle::explore(&subject, &[])) {
        Ok(explored) => Exploration { cut: explored.cut || begun.elapsed() > PATIENCE, ..explored },
        Err(message) => {
            examination.examined = Examined::Broken;
            examination.differences.push(Difference::new("oracle", Trouble::Panic, message));
            return;
        }
    };
    examination.examined = match &explored {
        Exploration { cut: true, .. } => Examined::TooLarge,
        explored if explored.holds() => Examined::Holds,
        _ => Examined::Violated,
    };
    examination.wrong = match &explored.first {
        Some((level, keys)) => format!("{keys:?} at level {level}"),
        None if explored.overall.is_empty() => String::new(),
        None => format!("{:?}", explored.overall),
    };
    if !explored.cut {
        compare_all((prepared, &subject), question, &explored, examination);
    }
}

/// What is proved by types must be proved by points too. What both say of all other classes is an answer.
fn compare_proofs(prepared: &Prepared, symmetry: &Symmetry, examination: &mut Examination) {
    for class in symmetry.broken.iter().filter(|class| class.is_disputed) {
        let detail = format!("only one of two proofs finds `{}` symmetric", class.name(&prepared.model));
        examination.differences.push(Difference::new("symmetry", Trouble::Proofs, detail));
    }
    match ask::proofs(prepared) {
        Ok(opinions) => {
            for Opinion { name, by_types, by_points } in opinions {
                examination.answers.push(format!("proofs {name} {by_types} {by_points}"));
            }
        }
        Err(message) => examination.differences.push(Difference::new("symmetry", Trouble::Panic, message)),
    }
}

fn compare_all(
    (prepared, subject): (&Prepared, &Subject<'_>),
    question: &Question,
    explored: &Exploration,
    examination: &mut Examination,
) {
    let symmetry = match ask::symmetry(prepared) {
        Ok(symmetry) => symmetry,
        Err(message) => {
            examination.differences.push(Difference::new("symmetry", Trouble::Panic, message));
            return;
        }
    };
    examination.symmetric = !symmetry.is_trivial();
    examination.answers.push(format!("group {}", symmetry.group_order()));
    compare_proofs(prepared, &symmetry, examination);
    let mut known = Known { explored, orbits: None };
    let is_small = symmetry.group_order().parse::<u64>().is_ok_and(|order| order <= MOST_PERMUTATIONS);
    if is_small && !symmetry.classes.is_empty() && !explored.faulted {
        match ask::quietly(|| orbits::count(subject, &symmetry, explored)) {
            Ok(Ok(orbits)) => known.orbits = orbits,
            Err(message) => examination.differences.push(Difference::new("orbits", Trouble::Panic, message)),
            Ok(Err(problem)) => examination.differences.push(Difference::new("symmetry", Trouble::Orbits, problem)),
        }
    }
    let mut configurations = Configuration::plain();
    configurations.extend(Configuration::searching());
    if examination.symmetric {
        configurations.extend(Configuration::reduced());
    }
    if !is_small {
        configurations.retain(|it| !it.tries_permutations());
    }
    let codes = match Codes::new(prepared, &symmetry, question.limits) {
        Ok(codes) => codes,
        Err(message) => {
            examination.differences.push(Difference::new("native code", Trouble::Panic, message));
            return;
        }
    };
    for configuration in configurations {
        let time = if configuration.may_take_long() { SHORT_TIME } else { TIME };
        let answer: Answer = ask::ask(prepared, &question.settings(&configuration), &codes, time);
        examination.searches += 1;
        examination.answers.push(format!("{} {answer}", configuration.name));
        examination.differences.extend(known.judge(&configuration, &answer));
    }
}
