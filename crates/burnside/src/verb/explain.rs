//! `burnside explain`: what a diagnostic means, what to do about it, and an example.

use crate::args::ExplainArgs;
use crate::exit::Exit;
use crate::terminal::Terminal;

/// The page that lists every code; `cargo xtask tidy` holds it complete.
const PAGE: &str = include_str!("../../../../docs/diagnostics.md");

/// A model that shows a diagnostic, and what is told about it.
struct Example {
    code: &'static str,
    /// How the names of such models end.
    extension: &'static str,
    model: &'static str,
    told: &'static str,
}

static EXAMPLES: &[Example] = &include!(concat!(env!("OUT_DIR"), "/examples.rs"));

pub(crate) fn run(args: &ExplainArgs, terminal: &mut Terminal) -> Exit {
    let Some(code) = &args.code else {
        let widest = entries().map(|(code, _)| code.len()).max().unwrap_or(0);
        let mut lines: Vec<String> = entries().map(|(code, meaning)| format!("{code:<widest$}  {meaning}")).collect();
        lines.dedup();
        terminal.say(&lines.join("\n"));
        return Exit::Holds;
    };
    // As it stands on the terminal: `error[unknown-name]`.
    let code = code.rsplit('[').next().unwrap_or_default().trim_end_matches(']');
    match text(code) {
        Some(text) => {
            terminal.write(&text);
            Exit::Holds
        }
        None => {
            Terminal::alarm(&format!("there is no diagnostic `{code}`{}", similar(code)));
            Exit::Invalid
        }
    }
}

/// Codes with their meanings, in the order of the page. A code that two languages have occurs twice.
fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGE.lines().filter_map(|line| {
        let (code, meaning) = line.strip_prefix("| `")?.split_once("` | ")?;
        Some((code, meaning.strip_suffix(" |")?))
    })
}

/// Everything there is to say about a code.
fn text(code: &str) -> Option<String> {
    let mut meanings: Vec<&str> = entries().filter(|(it, _)| *it == code).map(|(_, meaning)| meaning).collect();
    meanings.dedup();
    if meanings.is_empty() {
        return None;
    }
    let mut text = format!("{code}: {}\n", meanings.join("; or "));
    if let Some(remedy) = remedy(code) {
        text += &format!("\n{remedy}\n");
    }
    for example in EXAMPLES.iter().filter(|example| example.code == code) {
        let lines: String = example.model.lines().map(|line| format!("    {line}\n")).collect();
        let told: String = example.told.lines().map(|line| format!("    {line}\n").replace("    \n", "\n")).collect();
        text += &format!("\nFor example {code}.{}\n\n{lines}\nis answered by\n\n{told}", example.extension);
    }
    Some(text)
}

fn similar(code: &str) -> String {
    let words = |text: &str| text.split('-').map(str::to_owned).collect::<Vec<_>>();
    let wanted = words(code);
    let is_similar = |it: &&str| words(it).iter().any(|word| wanted.contains(word) && word.len() > 3);
    let mut found: Vec<String> = entries().map(|(it, _)| it).filter(is_similar).map(|it| format!("`{it}`")).collect();
    found.dedup();
    found.truncate(6);
    match &found[..] {
        [] => "; `burnside explain` lists them all".to_owned(),
        found => format!("; there are {}", found.join(", ")),
    }
}

/// What to do where no model shows it: the command line, violations and faults.
fn remedy(code: &str) -> Option<&'static str> {
    Some(match code {
        "bad-definition" => {
            "Murphi constants take integers, each once: `-D NAME=3`. A boolean constant takes 0 or 1. For Promela, `-D NAME` \
             and `-D NAME=TEXT` define macros as `spin -D` does."
        }
        "bad-option" => "Leave the option out: it is about models of another language.",
        "unreadable-file" => {
            "Look at the path and at the permissions. `-` means standard input; a folder is checked by `burnside test`."
        }
        "unknown-language" => {
            "Models are told apart by their names: `.m` and `.murphi` are Murphi, `.pml`, `.prom` and `.promela` Promela, \
             `.ir` the text form of the intermediate representation. `--language` says it for any other name."
        }
        "defective-model" => {
            "The verifier of the intermediate representation refuses the text. Models in Murphi or Promela never get \
             here; if one does, please report it."
        }
        "state-too-large" => "Make arrays, multisets or ranges smaller: a state must fit in memory many times.",
        "unknown-constant" => "A text of the intermediate representation has no constants. Leave out `-D`.",
        "unknown-property" => "Names are compared as they stand, case included. The message lists those of the model.",
        "no-witness" => {
            "Only a `cover` with a condition on states is shown by one execution. A violated invariant is shown by \
             `check` itself."
        }
        "ambiguous-property" => "Give the properties different names in the model; then each can be selected.",
        "unsupported" => {
            "The engine, store or strategy that was asked for cannot treat something in the model, which the message \
             names. Leave the choice to Burnside, or choose another."
        }
        "formula-beside-ir" => "Write the formula as a `claim` in the text, or check a Murphi or Promela model.",
        "other-strategy" => "Nothing to do: the verdict is the same. The message says what is used instead, and why.",
        "quantifier-under-operator" => {
            "A quantifier below a temporal operator speaks of one identity at different times, which orbits forget. Move \
             the quantifier to the front of the formula where that says the same: `forall p: Proc. G …`."
        }
        "nothing-claimed" => {
            "Add an `invariant`, a `cover` or a formula, or let deadlocks be looked for (`--deadlock stuttering`)."
        }
        "nothing-reachable" => {
            "An assumption is false in every start state, so there is no execution. Weaken it, or look at the start \
             states with `burnside simulate`."
        }
        "single-threaded" => {
            "Nothing to do: the answer is the same. Another strategy or search order uses all threads."
        }
        "told-apart" => {
            "The model singles out some values, at the place shown. If that is not meant, change it; if it is, the \
             strategy `adaptive` may still make use of what is left."
        }
        "in-the-way" => "Look whether the model says there what it should. Without it, a larger group could be used.",
        "product" => "Nothing to do: it tells what deciding the formula took, beside the search itself.",
        "no-partial-order" => {
            "The answer is right without it. The message names what stands against it: leave that out, or ask for it in a run \
             of its own."
        }
        "undecided" => "Nothing is known about this formula. A shorter one, or several, may be decided.",
        "bad-trace" => {
            "A trace belongs to one model. Record it again with `check --trace-file`, and give `replay` the same `-D`, \
             `--deadlock` and formulas."
        }
        "bad-search" => {
            "A search goes on with the model, the options and the version of Burnside that it was begun with. Begin it \
             again with `check --save`."
        }
        "bad-certificate" => {
            "A certificate belongs to one text of one model. Write it again with `check --certificate`, into a new file."
        }
        "certificate-rejected" => {
            "The certificate does not prove its claim: it was changed, or Burnside is wrong. If you did not change it, \
             please report it with the model."
        }
        "invariant-violated" => {
            "Follow the steps above the message: the last one makes the invariant false. `--trace full` shows whole \
             states, `--trace-file` keeps the execution for `burnside replay`."
        }
        "deadlock" => {
            "Nothing leads to another state. If the model may stop there, use `--deadlock off`; if it may idle, \
             `--deadlock stuck`. In Promela, a label that begins with `end` marks where a process may stop."
        }
        "liveness-violated" => {
            "From the last state of the trace no state with the property can be reached any more. Look for the step \
             that closes the door: from the state before it, there is still a way."
        }
        "ltl-violated" => {
            "The execution shown goes round its loop for ever and does not satisfy the formula. If it passes somebody \
             over for ever who could move, `--fairness weak` or `strong` leaves such executions out."
        }
        "never-accepted" => {
            "The execution shown is one that the `never` claim describes. If it passes somebody over for ever who could \
             move, `--fairness weak` or `strong` leaves such executions out."
        }
        "acceptance-cycle" => {
            "The loop of the execution shown passes a label that begins with `accept`. Look whether the process should \
             leave the loop there."
        }
        "non-progress-cycle" => {
            "The loop of the execution shown passes no label that begins with `progress`. Look for what keeps the \
             processes with such labels from moving, or leave unfair executions out by `--fairness weak`."
        }
        "search-cut" => {
            "The violation is real, but other properties were not decided. Check them alone with `--property`, or raise \
             the limit."
        }
        "ctl-violated" => {
            "The start state shown does not satisfy the formula; a trace is shown where one execution tells why."
        }
        "vacuous" => {
            "The left side of `->` is never true, so the formula holds whatever the right side says. Check the left side \
             with a `cover` property."
        }
        "unfair-execution" => "Decide whether the scheduler of the real system is fair, and say so with `--fairness`.",
        "executions-cut" => "Assumptions leave out executions. Make sure that those left are the ones you care about.",
        "cover-missed" => {
            "Nothing reaches what the cover asks for: a guard is too strong, a rule is missing, or the cover is wrong. \
             `-v` shows which rules never fire."
        }
        "undefined-read" => "Give the variable a value in the start state, or guard the use with `!isundefined(x)`.",
        "index-out-of-range" => "Guard the index, or make the array's index type larger.",
        "value-out-of-range" => "Guard the assignment, or make the variable's range larger.",
        "division-by-zero" => "Guard the division.",
        "overflow" => "Use smaller numbers: intermediate results have 64 bits.",
        "loop-limit" => "The loop may never end. If it does end later, allow more rounds with `--loop-limit`.",
        "call-limit" => "The recursion may never end. Rewrite it as a loop if it is meant to go so deep.",
        "assertion" => "The assertion is false in the last step of the trace; the steps before lead there.",
        "error" => "The model itself calls this state wrong; the steps of the trace lead there.",
        "no-result" => "Make every branch of the function end in `return`.",
        "multiset-full" => "Guard the insertion with `multisetcount(i: m, true) < N`, or make the multiset larger.",
        "empty-slot" => "Do not use the element after `multisetremove`; keep what is needed in a local variable.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_diagnostic_has_a_remedy_or_an_example() {
        let mut n_codes = 0;
        for (code, _) in entries() {
            let text = text(code).expect("it is listed");
            let is_shown = EXAMPLES.iter().any(|example| example.code == code);
            assert!(is_shown || remedy(code).is_some(), "{code} has neither remedy nor example\n{text}");
            n_codes += 1;
        }
        assert!(n_codes > 150, "{n_codes}");
    }

    #[test]
    fn every_example_belongs_to_a_code() {
        for example in EXAMPLES {
            assert!(entries().any(|(code, _)| code == example.code), "{}", example.code);
        }
    }

    #[test]
    fn a_code_is_found_as_it_is_printed() {
        assert!(text("chained-operator").is_some_and(|text| text.contains("add parentheses")));
        assert!(similar("unknown-nmae").contains("`unknown-name`"));
        assert_eq!(text("no-such-thing"), None);
    }
}
