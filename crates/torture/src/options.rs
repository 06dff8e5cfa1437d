//! The command line.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use burnside_testkit::torture::Class;

use crate::Source;

/// How the command is used.
pub const USAGE: &str = "\
usage: cargo xtask torture [OPTIONS] [FILE…]

  --seed A..B     which texts; without an end until the time is up
  --minutes M     how long, 1 unless told
  --class NAME    only this class of traps; `list` prints them all
  --mutate DIR    mutations of the models below DIR instead of generated texts; may be repeated
  --out DIR       where what is found goes, `target/torture` unless told
  --first         stop at the first text that shows something
  --print         print the texts and do nothing else
  --answers       with files: what every configuration says, in one line for each file
  FILE            examine these models and nothing else";

/// Which part of the work this process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Starts workers and watches them.
    Supervisor,
    /// Examines texts.
    Worker,
    /// Prints texts.
    Printer,
    /// Prints all answers about files.
    Answerer,
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Options {
    /// This process's part.
    pub role: Role,
    /// The texts.
    pub seeds: Range<u64>,
    /// The time for all of them.
    pub time: Duration,
    /// The only class.
    pub class: Option<Class>,
    /// Folders with models to mutate.
    pub mutate: Vec<PathBuf>,
    /// Whether the first finding is enough.
    pub first: bool,
    /// Where findings go.
    pub out: PathBuf,
    /// Models to be examined as they are.
    pub files: Vec<PathBuf>,
}

impl Options {
    /// Reads the words of a command line.
    pub fn parse(words: &[String], out: PathBuf) -> Result<Self, String> {
        let time = Duration::from_secs(60);
        let (seeds, mutate, files) = (0..u64::MAX, Vec::new(), Vec::new());
        let mut options = Self { role: Role::Supervisor, seeds, time, class: None, mutate, first: false, out, files };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value\n{USAGE}"));
            match word.as_str() {
                "--seed" => options.seeds = seeds_of(value()?)?,
                "--minutes" => options.time = minutes(value()?)?,
                "--class" => options.class = Some(class(value()?)?),
                "--mutate" => options.mutate.push(value()?.into()),
                "--out" => options.out = value()?.into(),
                "--first" => options.first = true,
                "--print" => options.role = Role::Printer,
                "--answers" => options.role = Role::Answerer,
                "--worker" => options.role = Role::Worker,
                word if word.starts_with('-') => return Err(USAGE.to_owned()),
                file => options.files.push(file.into()),
            }
        }
        Ok(options)
    }

    /// The texts asked for.
    pub fn source(&self) -> Result<Source, String> {
        if self.mutate.is_empty() { Ok(Source::generator(self.class)) } else { Source::mutator(&self.mutate) }
    }

    /// The words that make a worker go on from a seed.
    pub(crate) fn worker_words(&self, from: u64) -> Vec<String> {
        let mut words = vec!["--worker".to_owned(), "--seed".to_owned(), format!("{from}..{}", self.seeds.end)];
        words.extend(["--out".to_owned(), self.out.display().to_string()]);
        if let Some(class) = self.class {
            words.extend(["--class".to_owned(), class.name().to_owned()]);
        }
        if self.first {
            words.push("--first".to_owned());
        }
        for folder in &self.mutate {
            words.extend(["--mutate".to_owned(), folder.display().to_string()]);
        }
        words
    }
}

fn seeds_of(word: &str) -> Result<Range<u64>, String> {
    let problem = || format!("`{word}` is no range of seeds, such as `0..500`");
    let (begin, end) = word.split_once("..").ok_or_else(problem)?;
    let begin = begin.parse().map_err(|_| problem())?;
    let end = if end.is_empty() { u64::MAX } else { end.parse().map_err(|_| problem())? };
    Ok(begin..end)
}

fn minutes(word: &str) -> Result<Duration, String> {
    let minutes: f64 = word.parse().map_err(|_| format!("`{word}` is no number of minutes"))?;
    Duration::try_from_secs_f64(minutes * 60.0).map_err(|_| format!("`{word}` is no number of minutes"))
}

fn class(word: &str) -> Result<Class, String> {
    Class::of_name(word).ok_or_else(|| {
        let names: Vec<&str> = Class::ALL.iter().map(|class| class.name()).collect();
        format!("the classes are {}", names.join(", "))
    })
}
