//! Repository chores: `cargo xtask ci`, `tidy`, `dist`, `fuzz`, `races`, `bench`, `budget`, `sizes`, `memory`, `near`, `pan`, `spin`,
//! `lines`, `torture` and `mutants`.
//!
//! Nothing here is part of the product. Each verb lives in its own module; `shell` runs other programs.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "these chores are run by people, who want to read")]

mod bench;
mod budget;
mod ci;
mod dist;
mod fuzz;
mod licences;
mod lines;
mod memory;
mod mutants;
mod near;
mod pan;
mod plot;
mod races;
mod shell;
mod sizes;
mod spin;
mod tidy;
mod torture;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask VERB

  ci                    everything that must pass: formatting, lints, docs, tests, tidy, a little fuzzing
  tidy                  the rules of the repository that no compiler checks
  dist [--binary FILE]  what users install: an archive and a Debian package, of a static release build unless told
  fuzz [SECONDS]        feed damaged models, IR texts, traces and schedules to whoever reads them, 30 seconds unless told
  lines [REVISION]...   lines of code of each crate without tests, in these revisions and now
  races                 every order of events between threads of the visited set, as far as `loom` finds them
  memory                how many random accesses a second this machine makes
  bench [OPTIONS]       compare with other checkers on the same models, in one run
    --quick             two small models, one repetition
    --repeat N          how often each checker runs on each model, 3 unless told
    --only TEXT         only models whose name contains TEXT
    --most-states N     leave out models with more states without symmetry
    --threads N         also measure this many threads, 2 unless told; 1 leaves that out
    --cap SECONDS       CPU time another checker may take for one run, 60 unless told
    --out FOLDER        where bench.json and bench.md go, `target/bench` unless told
    --symmetric         with symmetry, on the symmetric models of the shared corpus; writes docs/symmetric-speed.md
  budget [--accept]     instructions on a few small models against those accepted last, by valgrind
  sizes [OPTIONS]       compare with other checkers on growing sets of identities; writes docs/set-sizes.md
    --cap SECONDS       CPU time another checker may take for one run, 20 unless told; ours may take twice that
    --repeat N          how often short runs are made, 2 unless told
    --only TEXT         only models whose name contains TEXT
  near                  repeat the published experiments on nearly symmetric systems; writes docs/near-symmetry.md
  pan [OPTIONS]         the large Promela models of the shared corpus against SPIN's verifier, in one run
    --repeat N          how often each is run, 2 unless told
    --only TEXT         only models whose name contains TEXT
    --most-states N     leave out models with more states
  spin [FIRST COUNT]    random models in Promela against SPIN, if it is installed: 200 from seed 1 on unless told
  torture [OPTIONS]     models that people avoid writing, in every configuration; `torture --help` lists the options
  mutants [OPTIONS]     thousands of small mistakes in five crates, and who notices; `mutants --help` lists the options";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["ci"] => ci::run(),
        ["tidy"] => tidy::run(),
        ["dist", options @ ..] => dist::run(options),
        ["fuzz"] => fuzz::run("30", fuzz::Targets::All),
        ["fuzz", seconds] => fuzz::run(seconds, fuzz::Targets::All),
        ["lines", revisions @ ..] => lines::run(revisions),
        ["near"] => near::run(),
        ["pan", options @ ..] => pan::run(options),
        ["races"] => races::run(),
        ["memory"] => memory::run(),
        ["bench", options @ ..] => bench::run(options),
        ["budget", options @ ..] => budget::run(options),
        ["sizes", options @ ..] => sizes::run(options),
        ["spin"] => spin::run("1", "200"),
        ["spin", first, count] => spin::run(first, count),
        ["torture", options @ ..] => torture::run(options),
        ["mutants", options @ ..] => mutants::run(options),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
