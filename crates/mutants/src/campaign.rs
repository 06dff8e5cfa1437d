//! From a workspace to numbers: build once, see what reaches what, try mutants.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::options::Options;
use crate::pool::in_parallel;
use crate::report;
use crate::scratch::{CRATES, Mutant, Scratch, read, write};
use crate::suite::Suite;
use crate::texts;
use crate::trial::{Outcome, try_mutant};

/// Does everything that is asked for.
pub(crate) fn run(root: &Path, target: &Path, options: &Options) -> Result<(), String> {
    let folder = target.join("mutants");
    let mut scratch = Scratch::new(root, folder.join("work"))?;
    scratch.recall(&folder.join("unviable.tsv"));
    if options.list {
        for mutant in scratch.mutants() {
            println!("{} {}", mutant.number, mutant.what);
        }
        return Ok(());
    }
    println!("building");
    let build = ["build", "-p", "burnside-torture", "--bin", "torture"];
    let built = scratch.build(target, &[&build, options.profile()].concat())?;
    scratch.remember(&folder.join("unviable.tsv"))?;
    let torture = folder.join("torture");
    let program = built.first().ok_or("nothing was built")?;
    fs::copy(program, &torture).map_err(|error| error.to_string())?;
    println!("models without mutants");
    fs::create_dir_all(folder.join("reached")).map_err(|error| error.to_string())?;
    let texts = texts::collect(root, &folder.join("texts"), options.random)?;
    let (texts, reached) = texts::baseline(&torture, &texts, &folder.join("reached"))?;
    let millis: u64 = texts.iter().map(|text| text.millis).sum();
    println!("{} models, {} s; {} places reached", texts.len(), millis / 1000, reached.len());
    let all = scratch.mutants();
    let wanted = choose(&all, options);
    let results = Results::open(&folder.join("outcomes.tsv"), options.again)?;
    let deadline = Instant::now() + Duration::from_secs(options.minutes * 60);
    in_parallel(&wanted, |mutant| {
        if results.knows(mutant.number) || Instant::now() >= deadline {
            return Ok(());
        }
        results.note(mutant.number, try_mutant(&torture, &texts, &reached, mutant)?)
    })?;
    if options.tests {
        try_tests((&mut scratch, target), options, &wanted, &results, deadline)?;
    }
    let outcomes = results.outcomes();
    let outcomes: BTreeMap<u32, Outcome> =
        wanted.iter().filter_map(|it| Some((it.number, outcomes.get(&it.number)?.clone()))).collect();
    let table = report::table(&scratch, &all, &outcomes);
    print!("{table}");
    write(&folder.join("table.md"), &table)?;
    write(&folder.join("survivors.txt"), &report::survivors(&all, &outcomes))
}

/// The mutants to try, in random order, so that those tried so far are a sample at any time.
fn choose(all: &[Mutant], options: &Options) -> Vec<Mutant> {
    let mut wanted = all.to_vec();
    fastrand::Rng::with_seed(options.seed).shuffle(&mut wanted);
    wanted.retain(|it| options.only.as_ref().is_none_or(|text| it.what.contains(text)));
    wanted.retain(|it| options.numbers.is_empty() || options.numbers.contains(&it.number));
    wanted.truncate(options.sample);
    wanted
}

/// Tries what no model shows on the tests of its crate.
fn try_tests(
    (scratch, target): (&mut Scratch, &Path),
    options: &Options,
    wanted: &[Mutant],
    results: &Results,
    deadline: Instant,
) -> Result<(), String> {
    for package in CRATES {
        let mine: Vec<Mutant> =
            wanted.iter().filter(|it| it.package == package && results.is_open(it.number)).cloned().collect();
        if mine.is_empty() {
            continue;
        }
        println!("tests of {package}");
        let name = format!("burnside-{package}");
        let programs = scratch.build(target, &[&["build", "--tests", "-p", &name], options.profile()].concat())?;
        let folder = scratch.root.join("crates").join(package);
        let mut suites = Vec::new();
        for program in &programs {
            suites.extend(Suite::new(program, &folder, &scratch.root)?);
        }
        println!("{} of {} test programs are used", suites.len(), programs.len());
        in_parallel(&mine, |mutant| {
            for suite in suites.iter().take_while(|_| Instant::now() < deadline) {
                if let Some(outcome) = suite.try_mutant(mutant)? {
                    return results.note(mutant.number, outcome);
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Outcomes, kept in a file so that a run can go on where another stopped.
struct Results {
    known: Mutex<BTreeMap<u32, Outcome>>,
    path: PathBuf,
}

impl Results {
    fn open(path: &Path, again: bool) -> Result<Self, String> {
        let mut known = BTreeMap::new();
        if again {
            // It may not be there.
            let _ = fs::remove_file(path);
        }
        for line in read(path).unwrap_or_default().lines() {
            if let [number, kind, by] = line.split('\t').collect::<Vec<_>>()[..]
                && let Ok(number) = number.parse()
            {
                known.insert(number, Outcome::new(kind, by));
            }
        }
        Ok(Self { known: Mutex::new(known), path: path.to_owned() })
    }

    fn outcomes(&self) -> BTreeMap<u32, Outcome> {
        self.known.lock().map(|it| it.clone()).unwrap_or_default()
    }

    fn knows(&self, number: u32) -> bool {
        self.known.lock().is_ok_and(|it| it.contains_key(&number))
    }

    fn is_open(&self, number: u32) -> bool {
        self.known.lock().is_ok_and(|it| it.get(&number).is_some_and(|outcome| !outcome.is_kill()))
    }

    fn note(&self, number: u32, outcome: Outcome) -> Result<(), String> {
        let mut known = self.known.lock().map_err(|_| "a worker panicked")?;
        let mut file =
            fs::OpenOptions::new().create(true).append(true).open(&self.path).map_err(|it| it.to_string())?;
        writeln!(file, "{number}\t{}\t{}", outcome.kind, outcome.by).map_err(|error| error.to_string())?;
        known.insert(number, outcome);
        Ok(())
    }
}
