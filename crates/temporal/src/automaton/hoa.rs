//! Automata in the Hanoi Omega-Automata format, version 1, for other tools to read.

use std::fmt::{self, Write};

use super::{Automaton, Colours, Label, Valuation};

impl Automaton {
    /// The automaton as text; `names` are those of the propositions, by number.
    pub fn to_hoa(&self, names: &[&str]) -> String {
        let mut out = String::new();
        self.write_hoa(names, &mut out).expect("strings take everything");
        out
    }

    fn write_hoa(&self, names: &[&str], out: &mut String) -> fmt::Result {
        writeln!(out, "HOA: v1")?;
        writeln!(out, "States: {}", self.n_states())?;
        writeln!(out, "Start: 0")?;
        write!(out, "AP: {}", names.len())?;
        for name in names {
            write!(out, " \"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))?;
        }
        writeln!(out)?;
        let conditions: Vec<_> = (0..self.n_colours()).map(|colour| format!("Inf({colour})")).collect();
        if conditions.is_empty() {
            writeln!(out, "acc-name: all")?;
        } else {
            writeln!(out, "acc-name: generalized-Buchi {}", conditions.len())?;
        }
        let condition = if conditions.is_empty() { "t".to_owned() } else { conditions.join("&") };
        writeln!(out, "Acceptance: {} {condition}", conditions.len())?;
        writeln!(out, "properties: trans-labels explicit-labels trans-acc")?;
        writeln!(out, "--BODY--")?;
        for state in 0..self.n_states() as u32 {
            writeln!(out, "State: {state}")?;
            for edge in self.edges(state) {
                writeln!(out, "[{}] {}{}", label(edge.label), edge.target, colours(edge.colours))?;
            }
        }
        writeln!(out, "--END--")
    }
}

fn label(label: Label) -> String {
    let literal = |p: u32| {
        let bit: Valuation = 1 << p;
        if label.positive & bit != 0 {
            Some(p.to_string())
        } else if label.negative & bit != 0 {
            Some(format!("!{p}"))
        } else {
            None
        }
    };
    let literals: Vec<_> = (0..Valuation::BITS).filter_map(literal).collect();
    if literals.is_empty() { "t".to_owned() } else { literals.join("&") }
}

fn colours(colours: Colours) -> String {
    let numbers: Vec<_> = (0..Colours::BITS).filter(|u| colours >> u & 1 == 1).map(|u| u.to_string()).collect();
    if numbers.is_empty() { String::new() } else { format!(" {{{}}}", numbers.join(" ")) }
}
