//! Properties written as text, for the systems of the experiments.

use super::system::System;
use crate::formula::Formula;
use crate::grammar::text::parse_words;
use crate::observer::{Atom, PathFormula};

/// `forall outer: A exists inner: text`, where variables are letters and have different values.
pub(crate) fn property(system: &System, outer: &str, inner: &str, text: &str) -> PathFormula {
    let everybody: Vec<u32> = (0..system.n as u32).collect();
    let variables: Vec<char> = outer.chars().chain(inner.chars()).collect();
    let mut condition = |word: &String| Ok::<_, std::convert::Infallible>(atom(system, &variables, word));
    let Ok(formula): Result<Formula<Atom, ()>, _> = parse_words(text).try_map(&mut condition, &mut |_| Ok(()));
    PathFormula {
        outer: vec![everybody.clone(); outer.len()],
        inner: vec![everybody; inner.len()],
        distinct: true,
        formula,
    }
}

/// `name` or `name[i]`.
pub(crate) fn atom(system: &System, variables: &[char], word: &str) -> Atom {
    let (name, index) = word.split_once('[').unwrap_or((word, ""));
    let variable = |letter: char| variables.iter().position(|own| *own == letter);
    let arguments = index.chars().filter_map(variable).collect();
    Atom { proposition: system.condition(name), arguments }
}

/// The system of a row, by name and number; `4r2w` for readers and writers.
pub(crate) fn system(name: &str, n: &str) -> System {
    use super::models::{carousel, crash, crashall, flip, mutex, philosophers, readers_writers, relay, ring};
    let number = || n.parse().expect("a number of processes");
    match name {
        "mutex" => mutex(number()),
        "ring" => ring(number(), false),
        "ringpass" => ring(number(), true),
        "relay" => relay(number()),
        "carousel" => carousel(number()),
        "crash" => crash(number()),
        "crashall" => crashall(number()),
        "phil" => philosophers(number(), false),
        "philboth" => philosophers(number(), true),
        "flip" => flip(number()),
        "rw" => {
            let (readers, writers) = n.split_once('r').expect("readers and writers");
            let writers = writers.trim_end_matches('w');
            readers_writers(readers.parse().expect("readers"), writers.parse().expect("writers"))
        }
        _ => panic!("no system {name}"),
    }
}

/// Outer variables, inner variables and formula of a named property.
pub(crate) fn named(model: &str, name: &str) -> (&'static str, &'static str, &'static str) {
    match (model, name) {
        ("mutex", "exclusion") => ("", "", "G !two"),
        ("rw", "exclusion") => ("", "", "G !(CW & CR)"),
        (_, "communal") => ("", "", "G (!someT | F someC)"),
        (_, "response") => ("i", "", "G (!T[i] | F C[i])"),
        (_, "recurrence") => ("i", "", "G F C[i]"),
        ("mutex", "some-recurs") => ("", "i", "G F C[i]"),
        ("relay", "some-recurs") => ("", "i", "G F tok[i]"),
        ("philboth", "some-recurs") => ("", "i", "G F eats[i]"),
        (_, "overtaking") => ("ij", "", "G (!(T[i] & N[j]) | (C[i] R !C[j]))"),
        (_, "some-tries") => ("i", "", "F T[i]"),
        (_, "stays-out") => ("", "i", "G N[i]"),
        (_, "token-recurs") => ("i", "", "G F tok[i]"),
        (_, "leaves") => ("i", "", "G (!tok[i] | X !tok[i])"),
        (_, "token-settles") => ("i", "", "F G tok[i]"),
        (_, "some-settles") => ("", "i", "F G tok[i]"),
        (_, "ends") => ("", "", "F dead"),
        (_, "eats-again") => ("i", "", "G F eats[i]"),
        (_, "some-eats") => ("", "", "G F someE"),
        (_, "writer-response") => ("i", "", "G (!TW[i] | F C[i])"),
        (_, "reader-response") => ("i", "", "G (!TR[i] | F C[i])"),
        (_, "recurs") => ("i", "", "G F b[i]"),
        (_, "back") => ("", "", "G F all0"),
        (_, "settles") => ("", "i", "F G !b[i]"),
        _ => panic!("no property {name} of {model}"),
    }
}
