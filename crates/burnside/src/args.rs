//! The command line.

mod program;
mod words;

use std::ffi::OsString;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use burnside_driver::{ClaimKind, ClaimSource, Labels, Language, LoadOptions, Settings, SymmetryChoice, printable};
use burnside_engine::{FairUnit, Fairness, Strength};
use burnside_interp::Limits;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

pub(crate) use self::program::{ProgramReplay, RunArgs, RuntimeArgs};
pub(crate) use self::words::{
    AuditArg, ColorWhen, DeadlockArg, EngineArg, FairUnitArg, FairnessArg, InterpolantArg, LanguageArg,
    PartialOrderArg, SearchArg, StoreArg, TraceArg,
};
use crate::output::is_stdout;
use crate::quantity::{parse_bytes, parse_duration, parse_number, parse_positive, parse_threads};

/// States on which proved symmetry is tried unless told otherwise; seconds, for models of usual size.
pub(crate) const CERTIFICATE_STATES: usize = 10_000;

/// Both forms of `replay`.
const REPLAY_USAGE: &str = "burnside replay [OPTIONS] TRACE MODEL
       burnside replay [OPTIONS] SCHEDULE -- PROGRAM [ARGUMENTS]...";

const EXIT_CODES: &str = "\
Exit codes:
  0  holds          every property holds in every reachable state
  1  violated       a counterexample was found and replayed
  2  inconclusive   a limit or an interrupt ended the search
  3  invalid        the model or the command line is wrong
  4  failed         a file could not be written, or Burnside itself is at fault";

/// A symmetry-first model checker.
#[derive(Debug, Parser)]
#[command(name = "burnside", version, about, max_term_width = 100, after_help = EXIT_CODES, after_long_help = format!("\
Examples:
  burnside check email.m                              check every property of a model
  burnside check email.m -D Clients=4                 with another value for a constant
  burnside check email.m --certificate e.cert         write down why it holds …
  burnside audit e.cert email.m                       … and check that independently
  burnside test                                       compare all models here with what they expect
  burnside symmetry email.m                           say what is interchangeable, and why
  burnside compare email.m                            try every symmetry strategy
  burnside simulate email.m --steps 30                watch a random execution
  burnside check lost-update.m --trace-file t.json    keep the counterexample …
  burnside replay t.json lost-update.m                … and execute it again
  burnside run --schedule s.txt -- ./philosophers     run a program under every schedule …
  burnside replay s.txt -- ./philosophers             … and follow the one that fails

The models are in the folder `examples` of Burnside's sources.

{EXIT_CODES}"))]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    /// When to use colours; `auto` means on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorWhen,
}

impl Cli {
    /// The same, with the words of the command line where they may have to be noted.
    pub(crate) fn noting(mut self, words: &[OsString]) -> Self {
        if let Verb::Check(args) = &mut self.verb {
            args.words = words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        }
        self
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Check every property of a model in every reachable state.
    Check(Box<CheckArgs>),
    /// Go on with a search that `check --save` wrote down when a limit or an interrupt ended it.
    Resume(Box<ResumeArgs>),
    /// Check a certificate that `check --certificate` wrote, by the interpreter alone.
    Audit(Box<AuditArgs>),
    /// Say which values of a model are interchangeable, why, and what tells the others apart.
    Symmetry(Box<SymmetryArgs>),
    /// Check a model with every symmetry strategy and show them side by side.
    Compare(Box<CompareArgs>),
    /// Check models against what their first comment, or a `burnside.toml` beside them, expects.
    Test(Box<TestArgs>),
    /// Follow random executions of a model.
    Simulate(Box<SimulateArgs>),
    /// Walk a model by hand: choose among what is enabled, go back, look for a state.
    Step(Box<StepArgs>),
    /// Draw states and steps of a small model.
    Graph(Box<GraphArgs>),
    /// Execute a recorded trace of a model again, step by step, or (before `-- PROGRAM`) a schedule of a program.
    Replay(Box<ReplayArgs>),
    /// Run a C or C++ program under every schedule that matters.
    Run(Box<RunArgs>),
    /// Write the library and the header that programs are built with to see memory accesses.
    Runtime(RuntimeArgs),
    /// Write a small model to begin with, with what is expected of it.
    New(NewArgs),
    /// Tell what a diagnostic means and what to do about it.
    Explain(ExplainArgs),
    /// Indent Murphi models by their structure; nothing else about them changes.
    Fmt(FmtArgs),
    /// Write manual pages.
    Man(ManArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
}

/// How a model is read and run: shared by all verbs that take one.
#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// The model; `-` reads it from standard input.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) model: PathBuf,
    /// The model's language; `auto` goes by the file name, and takes standard input for Murphi.
    #[arg(long, value_name = "LANGUAGE", default_value = "auto")]
    pub(crate) language: LanguageArg,
    /// Give a constant of the model another value, or define a macro of a Promela model (there `-D NAME` means 1); may be
    /// repeated.
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = parse_definition)]
    pub(crate) define: Vec<Definition>,
    /// Look in this folder, too, for what a Promela model includes; may be repeated.
    #[arg(short = 'I', value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) include: Vec<PathBuf>,
    /// Forget variables of a Promela model where nobody reads them again, and join statements that nobody else notices to
    /// the step before: the same verdicts with fewer states than SPIN counts.
    #[arg(long)]
    pub(crate) slim: bool,
    /// Check the promises of a Promela model that nobody else reads from a channel (`xr`) or writes to it (`xs`).
    #[arg(long)]
    pub(crate) promises: bool,
    /// Which states count as deadlocks: none, those without an enabled rule, or those no rule leads out of [default:
    /// stuttering, or stuck for Promela, where a state in which every process may end is none].
    #[arg(long, value_name = "MODE")]
    pub(crate) deadlock: Option<DeadlockArg>,
    /// How many rounds a `while` loop may take, or statements a `d_step` [default: 1000, or 1000000 for Promela].
    #[arg(long, value_name = "N", value_parser = parse_number::<u32>)]
    pub(crate) loop_limit: Option<u32>,
    /// Make copying an undefined value a fault.
    #[arg(long)]
    pub(crate) strict_undefined: bool,
    /// Claim that every execution satisfies this formula; may be repeated. `G F X U W R` are operators, as are `[]`, `<>`,
    /// `nexttime`, `until`, `weakuntil` and `release`; conditions are those of the model's language.
    #[arg(long, value_name = "FORMULA", help_heading = "Temporal properties")]
    pub(crate) ltl: Vec<String>,
    /// Claim that every start state satisfies this formula with quantifiers `A` and `E` over executions; may be repeated.
    #[arg(long, value_name = "FORMULA", help_heading = "Temporal properties")]
    pub(crate) ctl: Vec<String>,
    /// Read items `ltl "name" FORMULA` and `ctl "name" FORMULA` from a file; may be repeated.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Temporal properties")]
    pub(crate) properties: Vec<PathBuf>,
    /// Check every `ltl` and `never` of a Promela model, too.
    #[arg(long, help_heading = "Temporal properties")]
    pub(crate) claims: bool,
    /// Look for acceptance cycles of a Promela model: executions that pass an `accept` label again and again.
    #[arg(long, help_heading = "Temporal properties")]
    pub(crate) acceptance: bool,
    /// Look for non-progress cycles of a Promela model: executions that from some time on pass no `progress` label.
    #[arg(long, help_heading = "Temporal properties")]
    pub(crate) nonprogress: bool,
    /// Let the assertions of a Promela model be steps that check nothing, so that claims speak of what follows them.
    #[arg(long, help_heading = "Temporal properties")]
    pub(crate) ignore_assertions: bool,
    /// Which executions count: all, those that leave nothing enabled for ever untaken, or those that leave nothing
    /// enabled again and again untaken.
    #[arg(long, value_name = "STRENGTH", default_value = "none", help_heading = "Temporal properties")]
    pub(crate) fairness: FairnessArg,
    /// What executions are fair to: processes (in Murphi, rule instances with the same first parameter), rules, or single instances.
    #[arg(long, value_name = "UNIT", default_value = "process", help_heading = "Temporal properties")]
    pub(crate) fair_unit: FairUnitArg,
}

#[derive(Debug, Args)]
#[command(
    after_help = "See `--help` for examples.",
    after_long_help = "\
Expectations stand in the comment a model begins with:
  -- expect: violated invariant \"mutex\" depth 7
  -- states: 5153            stored by a complete search without symmetry
  -- rules: 16800            fired by it
  -- deadlock: off           and define, undefined, loop-limit: options of `check`
  -- with: --symmetry refine => violated invariant \"mutex\" states 112

or in a file `burnside.toml`:
  [[test]]
  model = \"email.m\"
  options = \"-D Clients=4\"
  expect = \"holds\"

where tables `[[configuration]]` list other ways to search that must come to the same:
  [[configuration]]
  options = \"--symmetry refine -j 4\"
  counts = \"fewer\"          states stored and rules fired: same, fewer or any

Examples:
  burnside test
  burnside test email.m token-ring.m -j 4 --junit results.xml
  burnside test email.m --bless

Exit codes:
  0  every model did what is expected of it
  1  some did not
  3  an expectation is wrong, or there is none
  4  a file could not be read or written"
)]
pub(crate) struct TestArgs {
    /// Models, or folders with models; without any, the current folder.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Only those whose line contains this text.
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Write what is found into the expectations instead of comparing.
    #[arg(long)]
    pub(crate) bless: bool,
    /// Write the results as JUnit XML too.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) junit: Option<PathBuf>,
    /// How many models to check at the same time; without it, as many as there are cores.
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_threads)]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// The time for each check.
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = parse_duration)]
    pub(crate) time: Duration,
}

#[derive(Debug, Args)]
#[command(after_help = "See `--help` for examples.", after_long_help = format!("\
Examples:
  burnside check peterson.m
  burnside check peterson.m --time 10m --memory 4G
  burnside check lost-update.m --property 'no deposit is lost' --trace full
  burnside check peterson.m --json - | jq .states
  burnside check peterson.m --certificate p.cert
  burnside check dining-philosophers.m -D Careful=0 --keep-going
  burnside check mutual-exclusion.m --property served --fairness strong
  burnside check mutual-exclusion.m --ltl 'forall p: Proc. G F loc[p] = Idle' --fairness weak
  burnside check mutual-exclusion.m --ctl 'AG EF exists p: Proc do loc[p] = Critical end'
  cat peterson.m | burnside check -

{EXIT_CODES}"))]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// How symmetric states are brought together. Only symmetry that is proved is used. `auto` takes `refine` where
    /// there are interchangeable identities, `adaptive` where there are none but most rules treat all identities alike,
    /// and else visits every state.
    #[arg(long, value_name = "STRATEGY", default_value = "auto", value_parser = strategies(), help_heading = "Search")]
    pub(crate) symmetry: SymmetryChoice,
    /// Whether steps are put off that accord with all others: fewer states, the same answers. Counterexamples are
    /// executions of the model, but need not be shortest.
    #[arg(long, value_name = "WHEN", default_value = "off", conflicts_with = "witness", help_heading = "Search")]
    pub(crate) partial_order: PartialOrderArg,
    /// Try proved symmetry on states before the search, without looking at the proof.
    #[arg(long, help_heading = "Search")]
    pub(crate) check_certificate: bool,
    /// Which visited states are looked at twice: native code against the interpreter, and images under symmetry
    /// against the state. A difference ends the search with exit code 4. A sample takes less than a fiftieth of the time.
    #[arg(long, value_name = "STATES", default_value = "sample", help_heading = "Search")]
    pub(crate) audit: AuditArg,
    /// Count the states in the orbits of stored states once the search is complete; it then uses one thread.
    #[arg(long, help_heading = "Search")]
    pub(crate) orbits: bool,
    /// Which engine searches.
    #[arg(long, value_name = "ENGINE", default_value = "auto", help_heading = "Search")]
    pub(crate) engine: EngineArg,
    /// What `--engine interpolant` drops states for. All but `csr-all` are there to be compared with.
    #[arg(long, value_name = "MODE", default_value = "csr-all", help_heading = "Search")]
    pub(crate) interpolant: InterpolantArg,
    /// Breadth-first search finds shortest counterexamples.
    #[arg(long, value_name = "ORDER", default_value = "bfs", help_heading = "Search")]
    pub(crate) search: SearchArg,
    /// How many threads search; the result does not depend on it.
    #[arg(short = 'j', long, value_name = "N", default_value = "1", value_parser = parse_threads, help_heading = "Search")]
    pub(crate) threads: NonZeroUsize,
    /// What is kept of visited states: all, all but more compactly, or 64 bits of hash (then never conclusive).
    #[arg(long, value_name = "MODE", default_value = "exact", help_heading = "Search")]
    pub(crate) store: StoreArg,
    /// Interpret rules instead of compiling them.
    #[arg(long, help_heading = "Search")]
    pub(crate) no_jit: bool,
    /// Check only the property of this name, and no deadlocks; may be repeated. Faults are always found.
    #[arg(long, value_name = "NAME", help_heading = "Search")]
    pub(crate) property: Vec<String>,
    /// Go on after a violation: find each violated property, with its own shortest counterexample. A fault still ends
    /// the search.
    #[arg(long, conflicts_with = "certificate", help_heading = "Search")]
    pub(crate) keep_going: bool,
    /// Show a shortest execution to the cover of this name instead of checking anything.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["property", "keep_going", "certificate"], help_heading = "Search")]
    pub(crate) witness: Option<String>,
    /// Stop after this long, such as `90s`, `10m`, `1h30m`.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Limits")]
    pub(crate) time: Option<Duration>,
    /// Stop when the stored states take this much, such as `512M`, `8G` [default: three quarters of what is free].
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, help_heading = "Limits")]
    pub(crate) memory: Option<u64>,
    /// Visit no state more than this many steps from a start state.
    #[arg(long, value_name = "N", value_parser = parse_number::<u32>, help_heading = "Limits")]
    pub(crate) depth: Option<u32>,
    /// Stop when about this many states are stored.
    #[arg(long, value_name = "N", value_parser = parse_number::<u64>, help_heading = "Limits")]
    pub(crate) states: Option<u64>,
    /// If time, memory, states or an interrupt end the search, write it down, for `burnside resume` to go on.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "keep_going", help_heading = "Limits")]
    pub(crate) save: Option<PathBuf>,
    /// The words of the command line.
    #[arg(skip)]
    pub(crate) words: Vec<String>,
    /// How a counterexample is told: what each step changes, each state in full, or not at all.
    #[arg(long, value_name = "STYLE", default_value = "diff", help_heading = "Output")]
    pub(crate) trace: TraceArg,
    /// Write a report in JSON; with `-` it goes to standard output and all other text to standard error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) json: Option<PathBuf>,
    /// Write diagnostics and violations as a SARIF log, for code scanning.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) sarif: Option<PathBuf>,
    /// Write the verdict and the counterexample as a page that needs nothing else: a message sequence chart for the
    /// processes of a Promela model.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,
    /// Print diagnostics and violations as annotations for GitHub's build logs, too.
    #[arg(long, help_heading = "Output")]
    pub(crate) github: bool,
    /// If everything holds, write what proves it, for `burnside audit`. Stored states are then kept until the end.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) certificate: Option<PathBuf>,
    /// Write the counterexample in the Informal Trace Format (ITF).
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) trace_file: Option<PathBuf>,
    /// Print the verdict only.
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Also print why engine and strategy were chosen, the size of a state, the memory limit, and how often each rule
    /// fired.
    #[arg(short, long, help_heading = "Output")]
    pub(crate) verbose: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "See `--help` for examples.", after_long_help = format!("\
Examples:
  burnside check email.m -D Clients=5 --symmetry off --states 1000 --save email.search
  burnside resume email.search --time 1h

The model and all options but the limits are those of the check; the model is read again and must be the same. What is
found, and what is counted, is what a single search would have found and counted.

{EXIT_CODES}"))]
pub(crate) struct ResumeArgs {
    /// What `check --save` wrote.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) search: PathBuf,
    /// How many threads search [default: as many as before].
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Stop after this long, such as `90s`, `10m`, `1h30m`.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(crate) time: Option<Duration>,
    /// Stop when the stored states take this much, such as `512M`, `8G` [default: three quarters of what is free].
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) memory: Option<u64>,
    /// Stop when about this many states are stored, those of before included.
    #[arg(long, value_name = "N", value_parser = parse_number::<u64>)]
    pub(crate) states: Option<u64>,
    /// Where to write the search if it is cut short again [default: the file that is read].
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) save: Option<PathBuf>,
    /// Write a report in JSON; with `-` it goes to standard output and all other text to standard error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<PathBuf>,
    /// Write the counterexample in the Informal Trace Format (ITF).
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) trace_file: Option<PathBuf>,
    /// Print the verdict only.
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Also print why engine and strategy were chosen, the size of a state, the memory limit, and how often each rule
    /// fired.
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "See `--help` for examples.", after_long_help = format!("\
Examples:
  burnside compare email.m
  burnside compare email.m -D Clients=4 --time 30s --html email.html

{EXIT_CODES}"))]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Stop each search after this long, such as `90s`, `10m`, `1h30m`.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "60s", help_heading = "Limits")]
    pub(crate) time: Duration,
    /// Stop a search when its stored states take this much, such as `512M`, `8G` [default: three quarters of what is
    /// free].
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, help_heading = "Limits")]
    pub(crate) memory: Option<u64>,
    /// Stop a search when about this many states are stored.
    #[arg(long, value_name = "N", value_parser = parse_number::<u64>, help_heading = "Limits")]
    pub(crate) states: Option<u64>,
    /// Write the comparison in JSON; with `-` it goes to standard output and all other text to standard error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) json: Option<PathBuf>,
    /// Write a page with plots that needs nothing else.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "See `--help` for examples.",
    after_long_help = "\
Examples:
  burnside check peterson.m --certificate p.cert ; burnside audit p.cert peterson.m
  burnside audit p.cert peterson.m --images 10000000 --time 10m
  burnside audit p.cert peterson.m --json - | jq .granted

The options of the check (constants, deadlocks, property, limits) are read from the certificate.

Exit codes:
  0  accepted       the certificate proves that the model holds
  1  rejected       it does not; what is wrong is told
  2  inconclusive   the time limit or an interrupt ended the audit
  3  invalid        no certificate, one of another model, or a wrong command line
  4  failed         a file could not be written, or Burnside itself is at fault"
)]
pub(crate) struct AuditArgs {
    /// The certificate.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) certificate: PathBuf,
    /// The model it is about; `-` reads it from standard input.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) model: PathBuf,
    /// In how many images of listed states the generators are tried at most, beside the listed states. If these are all,
    /// nothing about the generators is taken for granted.
    #[arg(long, value_name = "N", value_parser = parse_number::<usize>, default_value_t = 100_000)]
    pub(crate) images: usize,
    /// Stop after this long, such as `90s`, `10m`, `1h30m`.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(crate) time: Option<Duration>,
    /// How what is wrong is told: what each step changes, each state in full, or not at all.
    #[arg(long, value_name = "STYLE", default_value = "diff")]
    pub(crate) trace: TraceArg,
    /// Write a report in JSON; with `-` it goes to standard output and all other text to standard error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<PathBuf>,
    /// Print the outcome only.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "See `--help` for examples.",
    after_long_help = "\
Examples:
  burnside symmetry email.m
  burnside symmetry email.m --verbose
  burnside symmetry email.m --check-certificate --states 100000
  burnside symmetry email.m --json - | jq '.sorts[].name'

Exit codes:
  0  the symmetry was told, and confirmed on every reachable state if that was asked for
  2  it was confirmed on as many states as were allowed
  3  the model or the command line is wrong
  4  a file could not be written, or Burnside itself is at fault"
)]
pub(crate) struct SymmetryArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Try what was proved on states, without looking at the proof: exchanging two members must exchange the steps.
    #[arg(long)]
    pub(crate) check_certificate: bool,
    /// On how many states to try it at most.
    #[arg(long, value_name = "N", value_parser = parse_number::<usize>, default_value_t = CERTIFICATE_STATES)]
    pub(crate) states: usize,
    /// Write what was found in JSON; with `-` it goes to standard output and all other text to standard error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<PathBuf>,
    /// Write the static channel diagram of a Promela model for Graphviz: who sends to which channel and receives from it.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) dot: Option<PathBuf>,
    /// Write what was found as a page, with the static channel diagram of a Promela model drawn.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,
    /// Show every place that tells values apart, not just the first of each set.
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "See `--help` for examples.",
    after_long_help = "\
Examples:
  burnside simulate peterson.m
  burnside simulate peterson.m --seed 7 --steps 100 --trace full
  burnside simulate peterson.m --seed 7 --trace-file walk.json
  burnside simulate lost-update.m --walks 1000 --steps 50 --json -

Exit codes:
  0  no walk met a violation, which proves nothing about other executions
  1  one ended in a violation
  3  the model or the command line is wrong
  4  a file could not be written, or Burnside itself is at fault"
)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Selects the walk: equal seeds give equal walks. Further walks have the following seeds.
    #[arg(long, value_name = "N", value_parser = parse_number::<u64>, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Go so many walks and tell what they came to; the shortest one that ends in a violation is shown.
    #[arg(long, value_name = "N", value_parser = parse_positive, default_value_t = 1)]
    pub(crate) walks: u64,
    /// How many steps to go at most.
    #[arg(long, value_name = "N", value_parser = parse_number::<u64>, default_value_t = 20)]
    pub(crate) steps: u64,
    /// How the walk is told: what each step changes, each state in full, or only its end.
    #[arg(long, value_name = "STYLE", default_value = "diff")]
    pub(crate) trace: TraceArg,
    /// Write what the walks came to in JSON; with `-` it goes to standard output and all other text to standard error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<PathBuf>,
    /// Write the walk in the Informal Trace Format (ITF).
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) trace_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    override_usage = REPLAY_USAGE,
    after_help = "See `--help` for examples.",
    after_long_help = "\
Examples:
  burnside check lost-update.m --trace-file t.json ; burnside replay t.json lost-update.m
  burnside check lost-update.m --json report.json ; burnside replay report.json lost-update.m
  burnside run --schedule s.txt -- ./philosophers ; burnside replay s.txt -- ./philosophers

`burnside replay --help -- x` tells about schedules of programs.

Exit codes:
  0  the trace is an execution of the model and violates nothing
  1  it is one and ends in a violation
  2  it is one, but what it was recorded for cannot be seen in a single execution
  3  the model does not behave like the trace, or one of the two is wrong
  4  Burnside itself is at fault"
)]
pub(crate) struct ReplayArgs {
    /// A trace in the Informal Trace Format (ITF), or a JSON report that holds one.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) trace_file: PathBuf,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// How the execution is told: what each step changes, each state in full, or only its end.
    #[arg(long, value_name = "STYLE", default_value = "diff")]
    pub(crate) trace: TraceArg,
}

#[derive(Debug, Args)]
#[command(
    after_help = "See `--help` for examples.",
    after_long_help = "\
Examples:
  burnside step lost-update.m
  echo '1 1 2 s' | tr ' ' '\\n' | burnside step lost-update.m

Commands: a number takes that step, `b` goes back, `s` shows the state, `f TEXT` looks for a state, `?` lists all.

Exit codes:
  0  the walk was ended
  3  the model or the command line is wrong
  4  a file could not be written, or Burnside itself is at fault"
)]
pub(crate) struct StepArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "See `--help` for examples.",
    after_long_help = "\
Examples:
  burnside graph lost-update.m > graph.dot
  burnside graph lost-update.m --quotient --format mermaid
  burnside graph email.m --states 50 --format json -o graph.json

Exit codes:
  0  the whole graph was written
  2  there are more states than `--states` allows; what was reached is written
  3  the model or the command line is wrong
  4  a file could not be written, or Burnside itself is at fault"
)]
pub(crate) struct GraphArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// How the graph is written.
    #[arg(long, value_name = "FORMAT", default_value = "dot")]
    pub(crate) format: GraphFormat,
    /// One state for each orbit of the proved symmetry, instead of every state.
    #[arg(long)]
    pub(crate) quotient: bool,
    /// How many states there may be.
    #[arg(long, value_name = "N", value_parser = parse_number::<usize>, default_value_t = 1000)]
    pub(crate) states: usize,
    /// Where to write it; `-` means standard output.
    #[arg(short = 'o', long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "-")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// Graphviz.
    Dot,
    /// A state diagram in Markdown.
    Mermaid,
    /// Numbered states and steps.
    Json,
}

#[derive(Debug, Args)]
#[command(
    after_help = "See `--help` for examples.",
    after_long_help = "\
Examples:
  burnside new lock ; burnside test lock.m
  burnside new server.pml

Exit codes:
  0  the model was written
  3  the command line is wrong
  4  the file exists, or could not be written"
)]
pub(crate) struct NewArgs {
    /// The file; an extension is added if there is none.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) name: PathBuf,
    /// The language to write it in [default: what the file's extension tells, or else Murphi].
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) language: Option<NewLanguage>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NewLanguage {
    Murphi,
    Promela,
}

#[derive(Debug, Args)]
#[command(
    after_help = "See `--help` for examples.",
    after_long_help = "\
Examples:
  burnside explain chained-operator
  burnside explain 'error[deadlock]'
  burnside explain

Exit codes:
  0  it was told
  3  there is no such diagnostic"
)]
pub(crate) struct ExplainArgs {
    /// The name in brackets; without any, all of them are listed.
    pub(crate) code: Option<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "See `--help` for examples.",
    after_long_help = "\
Examples:
  burnside fmt email.m
  burnside fmt --check email.m peterson.m
  cat email.m | burnside fmt -

Exit codes:
  0  every model is, or was already, indented
  1  with `--check`: some are not
  3  the command line is wrong
  4  a file could not be read or written"
)]
pub(crate) struct FmtArgs {
    /// The models; `-` reads standard input and writes standard output.
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub(crate) models: Vec<PathBuf>,
    /// Only say which models would change.
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "See `--help` for examples.",
    after_long_help = "\
Examples:
  burnside man man1"
)]
pub(crate) struct ManArgs {
    /// The folder to write `burnside.1` and a page for each verb to.
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
}

#[derive(Debug, Args)]
#[command(
    after_help = "See `--help` for examples.",
    after_long_help = "\
Examples:
  burnside completions bash > ~/.local/share/bash-completion/completions/burnside
  burnside completions fish > ~/.config/fish/completions/burnside.fish"
)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: Shell,
}

impl ModelArgs {
    /// The files that are read.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        let properties = self.properties.iter().map(PathBuf::as_path);
        [self.model.as_path()].into_iter().chain(properties).filter(|path| !is_stdout(path)).collect()
    }

    /// The constants that have other values than in the text, as ` (N = 3, B = 2)`, or nothing.
    pub(crate) fn overrides(&self) -> String {
        let given = self.define.iter().map(|it| match &it.value {
            Some(value) => format!("{} = {}", it.name, value.trim()),
            None => it.name.clone(),
        });
        let given: Vec<String> = given.collect();
        if given.is_empty() { String::new() } else { format!(" ({})", printable(&given.join(", "))) }
    }

    /// How the model is read; formulas in files are read by whoever reads files.
    pub(crate) fn load_options(&self) -> LoadOptions {
        let overrides = self.define.iter().filter_map(|it| Some((it.name.clone(), it.number()?))).collect();
        let defines = self.define.iter().map(Definition::to_string).collect();
        let formula = |name: &str, kind, text: &String| ClaimSource {
            name: name.to_owned(),
            text: text.clone(),
            kind: Some(kind),
        };
        let linear = self.ltl.iter().map(|text| formula("--ltl", ClaimKind::Linear, text));
        let branching = self.ctl.iter().map(|text| formula("--ctl", ClaimKind::Branching, text));
        let claims = linear.chain(branching).collect();
        let labels = Labels { acceptance: self.acceptance, non_progress: self.nonprogress };
        LoadOptions {
            overrides,
            defines,
            strict_undefined: self.strict_undefined,
            claims,
            all_claims: self.claims,
            labels,
            ignore_assertions: self.ignore_assertions,
            promises: self.promises,
            slim: self.slim,
            diagram: false,
            asked: Vec::new(),
        }
    }

    /// Which executions temporal properties speak of.
    pub(crate) fn fairness(&self) -> Fairness {
        let strength = match self.fairness {
            FairnessArg::None => None,
            FairnessArg::Weak => Some(Strength::Weak),
            FairnessArg::Strong => Some(Strength::Strong),
        };
        let unit = match self.fair_unit {
            FairUnitArg::Process => FairUnit::Process,
            FairUnitArg::Rule => FairUnit::Rule,
            FairUnitArg::Instance => FairUnit::Instance,
        };
        Fairness { strength, unit }
    }

    /// The deadlocks that are looked for in models of a language.
    pub(crate) fn deadlock_in(&self, language: Option<Language>) -> DeadlockArg {
        self.deadlock.unwrap_or_else(|| language.map_or_else(Settings::default, Settings::of).deadlock.into())
    }

    pub(crate) fn step_limits(&self, language: Option<Language>) -> Limits {
        let usual = language.map_or_else(Settings::default, Settings::of).step_limits;
        Limits { loop_rounds: self.loop_limit.unwrap_or(usual.loop_rounds), ..usual }
    }
}

/// What `-D` gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) value: Option<String>,
}

impl Definition {
    /// The value, if it is a number.
    pub(crate) fn number(&self) -> Option<i64> {
        self.value.as_ref()?.trim().parse().ok()
    }
}

impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{}={value}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// The symmetry strategies on offer.
fn strategies() -> impl TypedValueParser<Value = SymmetryChoice> {
    let offered = SymmetryChoice::ALL.map(|choice| PossibleValue::new(choice.name()).help(choice.about()));
    PossibleValuesParser::new(offered).map(|name| {
        let named = SymmetryChoice::ALL.into_iter().find(|choice| choice.name() == name);
        named.expect("only names on offer are accepted")
    })
}

fn parse_definition(text: &str) -> Result<Definition, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    if name.trim().is_empty() {
        return Err("the name is missing; write it like `-D NAME=VALUE`".to_owned());
    }
    Ok(Definition { name: name.trim().to_owned(), value })
}
