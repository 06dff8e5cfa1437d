//! What explanations did, and some of them in the model's own words.

use burnside_engine::{CoveredState, Reasoning, Report, Task};

use crate::quantity::{count, counted};
use crate::tell::state::{describe, variables};

/// More facts than this are left out.
const SHOWN_FACTS: usize = 12;

/// How many states were met, and what became of them.
pub fn counts(reasoning: &Reasoning) -> String {
    let Reasoning { visited, subsumed, covered, facts, configurations, .. } = reasoning;
    let explained = match configurations {
        0 => String::new(),
        _ => format!(
            ", {} covered by {} of {}",
            count(*covered),
            counted(*facts, "fact", "facts"),
            counted(*configurations, "control configuration", "control configurations"),
        ),
    };
    format!("{}, {} of them subsumed{explained}", count(*visited), count(*subsumed))
}

/// States that were not explored, each with the state that covers it, the renaming and the facts.
pub fn examples(task: &Task<'_>, report: &Report) -> Vec<String> {
    let examples = report.reasoning.iter().flat_map(|reasoning| &reasoning.examples);
    examples.flat_map(|example| tell(task, example)).collect()
}

fn tell(task: &Task<'_>, example: &CoveredState) -> Vec<String> {
    let state = |words: &[u64]| {
        let mut values = vec![0; task.layout.slots().len()];
        task.layout.unpack(words, &mut values);
        describe(&variables(task.model, task.layout, &values)).join(", ")
    };
    let renaming: Vec<String> = example.renaming.iter().map(|(from, to)| format!("{to} for {from}")).collect();
    let renaming =
        if renaming.is_empty() { "as it stands".to_owned() } else { format!("with {}", renaming.join(", ")) };
    let mut lines = vec![
        "  not explored, because an explanation covers it:".to_owned(),
        format!("    {}", state(&example.state)),
        "  what explains this state:".to_owned(),
        format!("    {}", state(&example.by)),
        format!("  {renaming}, for control is the same then, and"),
    ];
    lines.extend(example.facts.iter().take(SHOWN_FACTS).map(|fact| format!("    {fact}")));
    match example.facts.len() {
        0 => lines.push("    nothing else matters".to_owned()),
        n_facts if n_facts > SHOWN_FACTS => {
            lines.push(format!("    and {}", counted((n_facts - SHOWN_FACTS) as u64, "more fact", "more facts")));
        }
        _ => {}
    }
    lines
}
