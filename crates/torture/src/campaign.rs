//! Many texts, and what is kept of those that show something.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::time::{Duration, Instant};

use burnside_testkit::torture::shrink_text;

use crate::{Difference, Examination, Examined, Source, examine};

/// How long one text may be shrunk.
const SHRINKING: Duration = Duration::from_secs(8);

/// Texts with differences of one kind that are shrunk; the others are counted.
const SHRUNK: usize = 1;

/// Numbers over many texts.
#[derive(Debug, Default)]
pub struct Tally {
    /// Texts, by what became of them.
    pub examined: BTreeMap<Examined, u64>,
    /// Why texts were refused.
    pub codes: BTreeMap<&'static str, u64>,
    /// Texts with proved symmetry.
    pub symmetric: u64,
    /// Searches.
    pub searches: u64,
    /// Texts with differences.
    pub different: u64,
}

impl Tally {
    /// All texts.
    pub fn texts(&self) -> u64 {
        self.examined.values().sum()
    }

    fn note(&mut self, examination: &Examination) {
        *self.examined.entry(examination.examined).or_default() += 1;
        for code in &examination.codes {
            *self.codes.entry(code).or_default() += 1;
        }
        self.symmetric += u64::from(examination.symmetric);
        self.searches += u64::from(examination.searches);
        self.different += u64::from(!examination.differences.is_empty());
    }
}

/// A text that shows something.
#[derive(Debug)]
pub struct Found {
    /// Its seed.
    pub seed: u64,
    /// The class it was made for.
    pub class: String,
    /// The text as it was made.
    pub text: String,
    /// The same, smaller, if it was worth the time.
    pub shrunk: Option<String>,
    /// Where answers differ, in the text as it was made.
    pub differences: Vec<Difference>,
}

impl Found {
    /// What goes to a file: the smallest text, with what it shows.
    pub fn report(&self) -> String {
        let mut report = format!("-- seed {}, class {}\n", self.seed, self.class);
        let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for difference in &self.differences {
            let what = format!("{}: {}", difference.trouble.name(), difference.detail);
            groups.entry(what).or_default().push(&difference.configuration);
        }
        for (what, configurations) in groups {
            let _ = writeln!(report, "-- {what} [{}]", configurations.join(" "));
        }
        report + self.shrunk.as_ref().unwrap_or(&self.text)
    }
}

/// A run over texts.
pub struct Campaign {
    source: Source,
    /// How often each kind of difference was shrunk.
    shrunk: BTreeMap<String, usize>,
    /// The numbers so far.
    pub tally: Tally,
}

impl Campaign {
    /// A run over the texts of a source.
    pub fn new(source: Source) -> Self {
        Self { source, shrunk: BTreeMap::new(), tally: Tally::default() }
    }

    /// Examines the text of one seed. To be called where there is room for recursion.
    pub fn try_seed(&mut self, seed: u64) -> (Examination, Option<Found>) {
        let (class, text) = self.source.text(seed);
        let examination = examine(&text);
        self.tally.note(&examination);
        if examination.differences.is_empty() {
            return (examination, None);
        }
        let differences = examination.differences.clone();
        let shrunk = self.shrink(&class, &text, &differences);
        let found = Found { seed, class, text, shrunk, differences };
        (examination, Some(found))
    }

    /// Examines the texts of many seeds until the time is up; returns those that show something.
    pub fn run(&mut self, seeds: Range<u64>, time: Duration) -> Vec<Found> {
        let deadline = Instant::now() + time;
        let mut all = Vec::new();
        for seed in seeds {
            if Instant::now() >= deadline {
                break;
            }
            all.extend(self.try_seed(seed).1);
        }
        all
    }

    fn shrink(&mut self, class: &str, text: &str, differences: &[Difference]) -> Option<String> {
        let first = &differences[0];
        let times = self.shrunk.entry(format!("{class} {} {}", first.configuration, first.trouble.name())).or_default();
        // A smaller text says nothing about what a larger one was known to do.
        if *times >= SHRUNK || first.trouble == crate::Trouble::Expected {
            return None;
        }
        *times += 1;
        let deadline = Instant::now() + SHRINKING;
        Some(shrink_text(text, |candidate| {
            Instant::now() < deadline && examine(candidate).differences.iter().any(|it| it.is_like(first))
        }))
    }
}
