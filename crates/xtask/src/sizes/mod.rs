//! The same models with growing sets of identities: ours against the others with symmetry, in one run.
//!
//! `sets` finds the number to change; `page` writes `docs/set-sizes.md` and its plots. Models of the shared corpus are
//! changed in a folder of the build and never copied into the repository.

mod page;
mod sets;

use std::path::Path;
use std::time::Duration;

use crate::bench::models::{NO_CORPUS, Subject, entries, own_subject, shared_corpus};
use crate::bench::race::{Limits, PATIENCE, Peer, Race, TELLING_SECONDS, race};
use crate::shell::{cargo, must, target};
use sets::SizedSet;

/// Models with fewer states, one of each orbit, take no time at any size.
const LEAST_STATES: u64 = 100;

/// No set grows by more than this.
const MOST_ADDED: u32 = 6;

/// Of models that take long, this much is enough.
const ENOUGH_ADDED: u32 = 2;

/// A way of another checker that took this many times as long as the best of the others is not run with larger sets.
const OUT_OF_THE_RACE: f64 = 2.0;

/// Our own models with the constant that says how many identities there are, and the values it gets.
const OWN: &[(&str, &str, std::ops::RangeInclusive<u32>)] = &[
    ("examples/filter-lock.m", "N", 5..=10),
    ("examples/cache-directory.m", "Clients", 3..=6),
    ("corpus/murphi/mailer.m", "Clients", 3..=6),
];

/// What was asked for.
struct Options {
    cap_seconds: u64,
    repeat: usize,
    only: Option<String>,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let mut options = Self { cap_seconds: 20, repeat: 2, only: None };
        for pair in words.chunks(2) {
            let &[word, value] = pair else { return Err(format!("`{}` is unknown or needs a value", pair[0])) };
            let number = || value.parse::<u64>().map_err(|_| format!("`{value}` is no number"));
            match word {
                "--cap" => options.cap_seconds = number()?,
                "--repeat" => options.repeat = number()?.max(1) as usize,
                "--only" => options.only = Some(value.to_owned()),
                _ => return Err(format!("`{word}` is unknown; see `cargo xtask`")),
            }
        }
        Ok(options)
    }

    fn limits(&self) -> Limits {
        // Ours goes on a little longer, so that its curve is seen beyond the others'.
        let ours = Duration::from_secs(2 * self.cap_seconds);
        Limits { theirs: Duration::from_secs(self.cap_seconds), ours, repeat: self.repeat }
    }
}

/// A model and its sizes.
struct Family {
    name: String,
    /// The set that grows.
    set: String,
    /// Those to be tried, and whether all of them are as long as ours ends in time.
    sizes: Vec<u32>,
    takes_all: bool,
    /// The size at which the model comes.
    own_size: u32,
    subject: Box<dyn Fn(u32) -> Result<Subject, String>>,
}

/// One model at all sizes that were tried.
struct Growth {
    name: String,
    set: String,
    own_size: u32,
    rows: Vec<(u32, Race)>,
}

/// Makes all runs and writes the page with its plots.
pub(crate) fn run(words: &[&str]) -> Result<(), String> {
    let options = Options::parse(words)?;
    must(cargo().args(["build", "--release", "--quiet", "--package", "burnside"]))?;
    let mut families = families()?;
    families.retain(|family| options.only.as_ref().is_none_or(|only| family.name.contains(only)));
    if families.is_empty() {
        return Err("no model fits the options".to_owned());
    }
    let mut growths: Vec<Growth> = Vec::new();
    for family in &families {
        let growth = grow(family, &growths, &options)?;
        growths.extend(growth);
    }
    page::write(&growths, &options)
}

fn families() -> Result<Vec<Family>, String> {
    let mut families = Vec::new();
    for (path, constant, sizes) in OWN {
        let subject = |size: u32| own_subject(path, &[(constant, size)]);
        let name = path.trim_end_matches(".m").rsplit('/').next().unwrap_or(path).to_owned();
        families.push(Family {
            name,
            set: (*constant).to_owned(),
            sizes: sizes.clone().collect(),
            takes_all: true,
            own_size: SizedSet::largest(&own_subject(path, &[])?.text).map_or(*sizes.start(), |set| set.size),
            subject: Box::new(subject),
        });
    }
    match shared_corpus() {
        Some(corpus) => families.extend(shared(&corpus)?),
        None => eprintln!("{NO_CORPUS}"),
    }
    Ok(families)
}

/// Models of the shared corpus that another checker here accepts. Of those with equal counts the first is taken: they
/// are copies of each other.
fn shared(corpus: &Path) -> Result<Vec<Family>, String> {
    let has_cmurphi = std::env::var_os("BURNSIDE_CMURPHI").is_some();
    let mut met = Vec::new();
    let mut families = Vec::new();
    for entry in entries(corpus)? {
        let counts = (entry.symmetric_states(), entry.cell("rules_canonical").to_owned());
        let is_large = counts.0.is_some_and(|states| states >= LEAST_STATES);
        let has_peer = entry.is_accepted_by_rumur() || has_cmurphi;
        if !entry.is_symmetric_and_holds() || !is_large || !has_peer || met.contains(&counts) {
            continue;
        }
        met.push(counts);
        let subject = entry.subject(corpus)?;
        let Some(set) = SizedSet::largest(&subject.text) else { continue };
        let (name, set_name, size) = (subject.name.clone(), set.name.clone(), set.size);
        let enlarged = move |to: u32| {
            let text = set.enlarged(&subject.text, to - size);
            let name = format!("{}-{}{to}", subject.name, set.name);
            Ok(Subject { name, text, checks_deadlock: subject.checks_deadlock, cmurphi_elsewhere: None })
        };
        families.push(Family {
            name,
            set: set_name,
            sizes: (size..=size + MOST_ADDED).collect(),
            takes_all: false,
            own_size: size,
            subject: Box::new(enlarged),
        });
    }
    Ok(families)
}

/// Runs a model at growing sizes until ours is cut, or ours is slow and either no other is left or the set has grown by
/// enough. Nothing if the model turns out to be a copy of another one.
fn grow(family: &Family, before: &[Growth], options: &Options) -> Result<Option<Growth>, String> {
    let limits = options.limits();
    let mut peers = Peer::ALL.to_vec();
    let mut rows = Vec::new();
    for &size in &family.sizes {
        eprintln!("{} with {size} {}", family.name, family.set);
        let subject = (family.subject)(size)?;
        let folder = target().join("sizes").join(&subject.name);
        let race = match race(&subject, &peers, limits, &folder) {
            Ok(race) => race,
            // With so many identities a model may be wrong, for example when a queue overflows.
            Err(reason) => {
                eprintln!("  {reason}");
                break;
            }
        };
        for (peer, reason) in &race.absent {
            eprintln!("  without {}: {reason}", peer.name());
        }
        if rows.is_empty() && before.iter().any(|growth| growth.has(size, &race)) {
            eprintln!("  a copy of another model");
            return Ok(None);
        }
        peers.retain(|peer| is_in_the_race(&race, *peer));
        let is_slow = race.ours.cpu_seconds > limits.theirs.as_secs_f64() / f64::from(PATIENCE);
        let is_shown = peers.is_empty() || size >= family.own_size + ENOUGH_ADDED;
        let is_enough = race.ours.is_cut || (is_slow && is_shown && !family.takes_all);
        rows.push((size, race));
        if is_enough {
            break;
        }
    }
    Ok(Some(Growth { name: family.name.clone(), set: family.set.clone(), own_size: family.own_size, rows }))
}

impl Growth {
    /// Whether this model had the same counts at the same size.
    fn has(&self, size: u32, race: &Race) -> bool {
        let counts = |race: &Race| (race.ours.states, race.ours.rules);
        self.rows.iter().any(|(it, own)| *it == size && counts(own) == counts(race))
    }
}

/// Whether a way of another checker is run with larger sets.
fn is_in_the_race(race: &Race, peer: Peer) -> bool {
    let Some(run) = race.run(peer).filter(|run| !run.is_cut) else { return false };
    let best = race.theirs.iter().map(|(_, run)| run.cpu_seconds).fold(f64::INFINITY, f64::min);
    run.cpu_seconds <= (best * OUT_OF_THE_RACE).max(TELLING_SECONDS)
}
