//! The command line.

use std::ffi::OsString;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use burnside_driver::{ClaimKind, ClaimSource, EngineChoice, Labels, Language, LoadOptions, Mode, SymmetryChoice};
use burnside_engine::{AuditMode, DeadlockMode, FairUnit, Fairness, SearchOrder, StoreMode, Strength};
use burnside_interp::Limits;
use burnside_symmetry::Strategy;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

use crate::quantity::{parse_bytes, parse_duration};

/// States on which proved symmetry is tried unless told otherwise; seconds, for models of usual size.
pub(crate) const CERTIFICATE_STATES: usize = 10_000;

/// Statements of one `d_step` of a Promela model, and rounds of its other loops.
const PROMELA_LOOP_ROUNDS: u32 = 1_000_000;

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
  burnside check german.m                       check every property of a model
  burnside check german.m -D NODE_NUM=4         with another value for a constant
  burnside check german.m --certificate g.cert  write down why it holds …
  burnside audit g.cert german.m                … and check that independently
  burnside test models/                         compare with what is expected
  burnside symmetry german.m                    say what is interchangeable, and why
  burnside simulate german.m --steps 30         watch a random execution
  burnside check german.m --trace-file t.json   keep the counterexample …
  burnside replay t.json german.m               … and execute it again
  burnside run -- ./philosophers 3              run a program under every schedule
  burnside replay 0*3,1 -- ./philosophers 3     follow one schedule

{EXIT_CODES}"))]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    /// When to use colours; `auto` means on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorWhen,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Check every property of a model in every reachable state.
    Check(Box<CheckArgs>),
    /// Check a certificate that `check --certificate` wrote, by the interpreter alone.
    Audit(Box<AuditArgs>),
    /// Say which values of a model are interchangeable, why, and what tells the others apart.
    Symmetry(Box<SymmetryArgs>),
    /// Check a model with every symmetry strategy and show them side by side.
    Compare(Box<CompareArgs>),
    /// Check models against what their first comment, or a `burnside.toml` beside them, expects.
    Test(Box<TestArgs>),
    /// Follow one random execution of a model.
    Simulate(Box<SimulateArgs>),
    /// Execute a recorded trace of a model again, step by step, or (before `-- PROGRAM`) a schedule of a program.
    Replay(Box<ReplayArgs>),
    /// Run a C or C++ program under every schedule that matters.
    Run(Box<burnside_programs::cli::Args>),
    /// Write the library and the header that programs are built with to see memory accesses.
    Runtime(burnside_programs::cli::RuntimeArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
}

/// The other `replay`: a schedule instead of a trace, a program instead of a model.
#[derive(Debug, Parser)]
#[command(name = "burnside replay")]
pub(crate) struct ProgramReplay {
    #[command(flatten)]
    pub(crate) args: burnside_programs::cli::ReplayArgs,
}

impl ProgramReplay {
    /// Whether this is what the words of a command line ask for: `replay … -- PROGRAM`.
    pub(crate) fn is_meant(words: &[OsString]) -> bool {
        words.get(1).is_some_and(|verb| verb == "replay") && words.iter().any(|word| word == "--")
    }
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
    /// Which states count as deadlocks: none, those without an enabled rule, or those no rule leads out of [default:
    /// stuttering, or stuck for Promela, where a state in which every process may end is none].
    #[arg(long, value_name = "MODE")]
    pub(crate) deadlock: Option<DeadlockArg>,
    /// How many rounds a `while` loop may take, or statements a `d_step` [default: 1000, or 1000000 for Promela].
    #[arg(long, value_name = "N")]
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
  model = \"german.m\"
  options = \"-D NODE_NUM=3\"
  expect = \"holds\"

Examples:
  burnside test
  burnside test models/ -j 4 --junit results.xml
  burnside test german.m --bless

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
    #[arg(short = 'j', long, value_name = "N")]
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
  burnside check peterson.m --property mutex --trace full
  burnside check peterson.m --json - | jq .states
  burnside check peterson.m --certificate p.cert
  burnside check mutex.m --ltl 'forall p: Proc. G (loc[p] = Trying -> F loc[p] = Critical)' --fairness strong
  burnside check mutex.m --ctl 'AG EF exists p: Proc do loc[p] = Critical end' --properties more.txt
  cat peterson.m | burnside check -

{EXIT_CODES}"))]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// How symmetric states are brought together. Only symmetry that is proved is used. `auto` takes `refine` where
    /// there are interchangeable identities, `adaptive` where there are none but most rules treat all identities alike,
    /// and else visits every state.
    #[arg(long, value_name = "STRATEGY", default_value = "auto", help_heading = "Search")]
    pub(crate) symmetry: SymmetryArg,
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
    #[arg(short = 'j', long, value_name = "N", default_value = "1", help_heading = "Search")]
    pub(crate) threads: NonZeroUsize,
    /// What is kept of visited states: all, all but more compactly, or 64 bits of hash (then never conclusive).
    #[arg(long, value_name = "MODE", default_value = "exact", help_heading = "Search")]
    pub(crate) store: StoreArg,
    /// Interpret rules instead of compiling them.
    #[arg(long, help_heading = "Search")]
    pub(crate) no_jit: bool,
    /// Check only the property of this name, and no deadlocks. Faults are always found.
    #[arg(long, value_name = "NAME", help_heading = "Search")]
    pub(crate) property: Option<String>,
    /// Stop after this long, such as `90s`, `10m`, `1h30m`.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Limits")]
    pub(crate) time: Option<Duration>,
    /// Stop when the stored states take this much, such as `512M`, `8G` [default: three quarters of what is free].
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, help_heading = "Limits")]
    pub(crate) memory: Option<u64>,
    /// Visit no state more than this many steps from a start state.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) depth: Option<u32>,
    /// Stop when about this many states are stored.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) states: Option<u64>,
    /// How a counterexample is told: what each step changes, each state in full, or not at all.
    #[arg(long, value_name = "STYLE", default_value = "diff", help_heading = "Output")]
    pub(crate) trace: TraceArg,
    /// Write a report in JSON; with `-` it goes to standard output and all other text to standard error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) json: Option<PathBuf>,
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
  burnside compare german.m
  burnside compare german.m -D NODE_NUM=5 --time 30s --html german.html

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
    #[arg(long, value_name = "N", help_heading = "Limits")]
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
    #[arg(long, value_name = "N", default_value_t = 100_000)]
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
  burnside symmetry german.m
  burnside symmetry german.m --verbose
  burnside symmetry german.m --check-certificate --states 100000
  burnside symmetry german.m --json - | jq '.sorts[].name'

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
    #[arg(long, value_name = "N", default_value_t = CERTIFICATE_STATES)]
    pub(crate) states: usize,
    /// Write what was found in JSON; with `-` it goes to standard output and all other text to standard error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<PathBuf>,
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

Exit codes:
  0  the walk met no violation, which proves nothing about other executions
  1  it ended in a violation
  3  the model or the command line is wrong
  4  a file could not be written, or Burnside itself is at fault"
)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Selects the walk: equal seeds give equal walks.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many steps to go at most.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) steps: u64,
    /// How the walk is told: what each step changes, each state in full, or only its end.
    #[arg(long, value_name = "STYLE", default_value = "diff")]
    pub(crate) trace: TraceArg,
    /// Write the walk in the Informal Trace Format (ITF).
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) trace_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "See `--help` for examples.",
    after_long_help = "\
Examples:
  burnside check peterson.m --trace-file t.json ; burnside replay t.json peterson.m
  burnside check peterson.m --json report.json  ; burnside replay report.json peterson.m

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
  burnside completions bash > ~/.local/share/bash-completion/completions/burnside
  burnside completions fish > ~/.config/fish/completions/burnside.fish"
)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LanguageArg {
    Auto,
    Murphi,
    Promela,
    Ir,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FairnessArg {
    None,
    Weak,
    Strong,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FairUnitArg {
    Process,
    Rule,
    Instance,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeadlockArg {
    Off,
    Stuck,
    Stuttering,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SymmetryArg {
    /// The strategy that pays.
    Auto,
    /// Visit every state.
    Off,
    /// One state for each orbit, by colour refinement; the fastest.
    Refine,
    /// One state for each orbit, by trying all permutations.
    Enumerate,
    /// At least one state for each orbit, by sorting.
    Sort,
    /// One state for each orbit, by sorting and trying the permutations that keep the order.
    Segment,
    /// At least one state for each orbit, by hill climbing.
    Local,
    /// One state for each orbit: the one met first. One thread.
    First,
    /// One state for each orbit, while all others are remembered. One thread.
    Flood,
    /// Approximate: states that look alike are taken for one, so nothing is proved. One thread.
    Marker,
    /// One state for each orbit under the permutations that no rule minds.
    Cells,
    /// A partition for each state: a rule that tells identities apart costs symmetry only where it fires.
    Adaptive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineArg {
    Auto,
    Explicit,
    Adaptive,
    Interpolant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InterpolantArg {
    /// Being known: no reduction.
    Nsr,
    /// Being known up to proved symmetry.
    Rsr,
    /// Being covered by an explanation as it stands.
    Si,
    /// Being covered by an explanation under one renaming.
    Csr,
    /// Being covered by an explanation under some renaming.
    CsrAll,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchArg {
    Bfs,
    Dfs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StoreArg {
    Exact,
    Compressed,
    Fingerprint,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuditArg {
    Off,
    Sample,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceArg {
    Diff,
    Full,
    // A column for each process of a Promela model; steps of other models as `diff` has them.
    Chart,
    Off,
}

impl ModelArgs {
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
            asked: None,
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
        self.deadlock.unwrap_or(match language {
            Some(Language::Promela) => DeadlockArg::Stuck,
            Some(Language::Murphi | Language::Ir) | None => DeadlockArg::Stuttering,
        })
    }

    pub(crate) fn step_limits(&self, language: Option<Language>) -> Limits {
        let usual = match language {
            Some(Language::Promela) => PROMELA_LOOP_ROUNDS,
            Some(Language::Murphi | Language::Ir) | None => Limits::default().loop_rounds,
        };
        Limits { loop_rounds: self.loop_limit.unwrap_or(usual), ..Limits::default() }
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

impl From<DeadlockArg> for DeadlockMode {
    fn from(arg: DeadlockArg) -> Self {
        match arg {
            DeadlockArg::Off => Self::Off,
            DeadlockArg::Stuck => Self::Stuck,
            DeadlockArg::Stuttering => Self::Stuttering,
        }
    }
}

impl From<SymmetryArg> for SymmetryChoice {
    fn from(arg: SymmetryArg) -> Self {
        match arg {
            SymmetryArg::Auto => Self::Auto,
            SymmetryArg::Off => Self::Off,
            SymmetryArg::Refine => Self::Use(Strategy::Refine),
            SymmetryArg::Enumerate => Self::Use(Strategy::Enumerate),
            SymmetryArg::Sort => Self::Use(Strategy::Sort),
            SymmetryArg::Segment => Self::Use(Strategy::Segment),
            SymmetryArg::Local => Self::Use(Strategy::Local),
            SymmetryArg::First => Self::Use(Strategy::First),
            SymmetryArg::Flood => Self::Use(Strategy::Flood),
            SymmetryArg::Marker => Self::Use(Strategy::Marker),
            SymmetryArg::Cells => Self::Cells,
            SymmetryArg::Adaptive => Self::Adaptive,
        }
    }
}

impl EngineArg {
    /// The engine in the given mode.
    pub(crate) fn choice(self, mode: InterpolantArg) -> EngineChoice {
        match self {
            Self::Auto => EngineChoice::Auto,
            Self::Explicit => EngineChoice::Explicit,
            Self::Adaptive => EngineChoice::Adaptive,
            Self::Interpolant => EngineChoice::Interpolant(mode.into()),
        }
    }
}

impl From<InterpolantArg> for Mode {
    fn from(arg: InterpolantArg) -> Self {
        match arg {
            InterpolantArg::Nsr => Self::None,
            InterpolantArg::Rsr => Self::Rotations,
            InterpolantArg::Si => Self::Plain,
            InterpolantArg::Csr => Self::One,
            InterpolantArg::CsrAll => Self::All,
        }
    }
}

impl From<SearchArg> for SearchOrder {
    fn from(arg: SearchArg) -> Self {
        match arg {
            SearchArg::Bfs => Self::BreadthFirst,
            SearchArg::Dfs => Self::DepthFirst,
        }
    }
}

impl From<AuditArg> for AuditMode {
    fn from(arg: AuditArg) -> Self {
        match arg {
            AuditArg::Off => Self::Off,
            AuditArg::Sample => Self::Sample,
            AuditArg::All => Self::All,
        }
    }
}

impl From<StoreArg> for StoreMode {
    fn from(arg: StoreArg) -> Self {
        match arg {
            StoreArg::Exact => Self::Exact,
            StoreArg::Compressed => Self::Compressed,
            StoreArg::Fingerprint => Self::Fingerprint,
        }
    }
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
