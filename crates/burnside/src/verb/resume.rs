//! `burnside resume`.

use std::fs::File;
use std::time::Instant;

use burnside_driver::SavedSearch;
use clap::Parser as _;

use crate::args::{CheckArgs, Cli, ColorWhen, ResumeArgs, Verb};
use crate::exit::Exit;
use crate::output::words;
use crate::terminal::Terminal;
use crate::verb::check::{Resumed, run_from};

pub(crate) fn run(args: &ResumeArgs, color: ColorWhen, started: Instant) -> Exit {
    let path = &args.search;
    let refuse = |problem: &str| {
        Terminal::alarm(&format!("the search in `{}` cannot go on: {problem}", path.display()));
        Exit::Invalid
    };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return refuse(&words(&error)),
    };
    let saved = match SavedSearch::read(file) {
        Ok(saved) => saved,
        Err(problem) => return refuse(&problem.to_string()),
    };
    match check_again(&saved.words, args) {
        Some(check) => run_from(Some(&Resumed { path, saved: &saved }), &check, color, started),
        None => refuse("its command line is not one of this version"),
    }
}

/// The command line of the search, with the limits of this one.
fn check_again(words: &[String], args: &ResumeArgs) -> Option<CheckArgs> {
    let command = std::iter::once("burnside").chain(words.iter().map(String::as_str));
    let Verb::Check(mut check) = Cli::try_parse_from(command).ok()?.verb else { return None };
    check.words = words.to_vec();
    (check.time, check.memory, check.states) = (args.time, args.memory, args.states);
    check.threads = args.threads.unwrap_or(check.threads);
    check.save = Some(args.save.clone().unwrap_or_else(|| args.search.clone()));
    check.json = args.json.clone().or(check.json);
    check.trace_file = args.trace_file.clone().or(check.trace_file);
    check.quiet = args.quiet;
    check.verbose = args.verbose;
    Some(*check)
}
